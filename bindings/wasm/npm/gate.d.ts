/** What to do about a URL. */
export interface Step {
  /** `go`: fetch it. `wait`: ask again after it. `no`: do not fetch it. */
  readonly action: "go" | "wait" | "no";
  /** Whether `action` is `go`. */
  readonly allowed: boolean;
  /** Milliseconds. */
  readonly wait: number;
  readonly reason:
    | "allowed" | "ignored" | "rule" | "closed" | "unreachable" | "disqualified" | "given-up" | "pace" | "queue"
    | "held" | "retrieving" | "not-asked" | "store" | "not-a-url";
  /** The reason for people. */
  readonly why: string;
  /** The rule that forbids it, and its line. */
  readonly rule: string | undefined;
  readonly line: number | undefined;
  /** The URL as it was tested, in its normal form: fetch this one. */
  readonly target: string | undefined;
  /** The status of the answer to the request for robots.txt, if one is known. */
  readonly status: number | undefined;
  /** When another answer is possible. */
  readonly until: Date | undefined;
  /** How the last retrieval of the site's robots.txt ended, if it failed. */
  readonly error: string | undefined;
  /** How many requests that retrieval made; 0 if it did not fail. */
  readonly attempts: number;
}

export interface GateOptions {
  /** The name of your crawler as in robots.txt, or several, in order of preference. */
  agent: string | readonly string[];
  /** What a site's trouble means. Default: `rfc9309`. */
  policy?: string;
  /** Milliseconds between two requests where a site asks for nothing. Default: 1,000. */
  delay?: number;
  /** The least and the most that a site can ask for, in milliseconds. Default: 100 and 300,000. */
  minDelay?: number;
  maxDelay?: number;
  /** The longest wait that is worth it, in milliseconds. Default: 3,600,000. */
  maxWait?: number;
  /** Whether addresses of private networks in URLs are allowed. Default: false. */
  allowPrivate?: boolean;
  /** Your own `fetch`, with your proxy, your connections, your check of addresses. It may leave a Content-Encoding to the gate. A bug in it goes through. */
  fetch?: (url: string, init: RequestInit) => Promise<Response>;
  /** The header User-Agent of requests for robots.txt. Default: the first agent. */
  userAgent?: string;
  /** Milliseconds since 1970. Default: a clock that is not set back. */
  clock?: () => number;
}

/** May this URL be fetched now? Retrieves robots.txt, remembers sites in memory, and paces requests. */
export declare class Gate {
  constructor(options: GateOptions);
  /** May this URL be fetched at all? Takes no slot. */
  permits(url: string | URL, options?: { signal?: AbortSignal }): Promise<Step>;
  /** Waits until this URL may be fetched, and takes the slot then. Any other answer comes at once. */
  turn(url: string | URL, options?: { signal?: AbortSignal }): Promise<Step>;
  /** Takes in how a page's request ended. Times are milliseconds. */
  observe(url: string | URL, page?: { status?: number; retryAfter?: number | null; took?: number }): void;
  /** The milliseconds between two requests to a URL's host, as far as its robots.txt is known. */
  delay(url: string | URL): number;
  /** Forgets everything. */
  close(): void;
}

/** Loads the module, in a browser. On other platforms it is ready at import. */
export { init } from "./index.js";
