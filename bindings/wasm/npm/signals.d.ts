import type { Body, Options, SignalsAnswer } from "./index.js";

export type { SignalsAnswer, SignalsDecided, SignalsFinding, SignalsLicense, SignalsLimits, SignalsUses } from "./index.js";

/** The value of a header: text or bytes, or several, a line for each. */
export type HeaderValue = string | Uint8Array | readonly (string | Uint8Array)[];

/** `Headers` of `fetch`, also where its types have no iterator. */
export interface HeaderList {
  get(name: string): string | null;
  forEach(callback: (value: string, name: string) => void): void;
}

/** A response of `fetch`: its URL and its headers are taken. Its body is the caller's to read. */
export interface PageResponse {
  readonly url: string;
  readonly headers: HeaderList;
  arrayBuffer(): Promise<ArrayBuffer>;
}

/** What is known of a page. A source that is undefined is not there. */
export interface Page {
  /** Its URL, or its path. Without one, that of the response. */
  url?: string | URL;
  /** If it is HTML, `html` is needed, too: `await response.text()`, or `""` for none. */
  response?: PageResponse;
  /** Its headers: `Headers`, an object, pairs of name and value, or a head as `curl -D` writes it. `Headers` joins lines
   *  with one name: what is for one crawler only is then read the stricter way. */
  headers?:
    | HeaderList | Iterable<readonly [string, HeaderValue]> | Readonly<Record<string, HeaderValue>> | string | Uint8Array | ArrayBuffer;
  /** The page, if it is HTML. 512 KiB of it are read. */
  html?: Body;
  /** The robots.txt of its host. */
  robots?: Body;
  /** The `/.well-known/tdmrep.json` of its host. */
  tdmrep?: Body;
}

export interface SignalsOptions extends Options {
  /** Product tokens, the preferred first, or whole User-Agent headers. Several are the names of one crawler. */
  agents: string | string[];
  /** When the page was fetched: a `Date`, or a text such as `2026-11-27T12:00:00Z`. Default: now. */
  time?: Date | string;
}

/** What may be done with a page, by all that is known of it. The strictest source counts. */
export function signals(page: Page, options: SignalsOptions): SignalsAnswer;

/** Loads the module in browsers; elsewhere it is ready at import. */
export { init } from "./index.js";
