/** A file: text, or bytes, or what `unpack` returned. No content is an error. */
export type Body = string | Uint8Array | ArrayBuffer | ArrayBufferView | Unpacked;

/**
 * What was unpacked. If it is not `complete`, it is a part of a file, and is read as one by everything that takes a file:
 * this object, or its `bytes` themselves, regardless of the option `complete`. A copy of the bytes needs that option.
 */
export interface Unpacked {
  readonly bytes: Uint8Array;
  readonly complete: boolean;
}

/** One or more URLs, or paths. */
export type Urls = string | URL | (string | URL)[];

/** A number, or null for no limit. */
export type Limit = number | null;

export interface Limits {
  // From here: made from the table of options.
  /** Bytes that are read: 512,000. */
  maxBytes?: Limit;
  /** Groups: no limit; 1,000 with `processor`. */
  maxRecords?: Limit;
  /** Lines in a group: no limit; 1,000 with `processor`. */
  maxLines?: Limit;
  /** User-agent lines: no limit; 1,000 with `processor`. */
  maxUserAgents?: Limit;
  /** Bytes of a directive's name: 32. */
  maxDirectiveLength?: Limit;
  /** Bytes of an agent's name: 200. */
  maxNameLength?: Limit;
  /** Bytes of a value: 2,000. */
  maxValueLength?: Limit;
  /** Wildcards in a path: 10. */
  maxWildcards?: Limit;
  // Here is the end of it.
}

/** How a file is read, and for whom. An option that is not given is the dialect's. */
export interface Options {
  /** Product tokens, the preferred first, or whole User-Agent headers. None is all agents; for a verdict, `*`. */
  agents?: string | string[];
  limits?: Limits;
  // From here: made from the table of options.
  /** Like RFC 9309, like Google's parser (without limits: set some), or like the filter robots-txt-processor. */
  dialect?: "standard" | "google" | "processor";
  /** Which of the rules that match decides: the longest, or the first in the file. */
  order?: "longest-match" | "file";
  /** Which misspelled directives are understood. */
  leniency?: "strict" | "processor" | "common" | "generous" | "prefix";
  /** Whom the text is for: readers that know the standard, or also those with bugs and without wildcards. */
  form?: "faithful" | "portable";
  /** The line end of the text. */
  newline?: "lf" | "crlf";
  /** Whether the groups for `*` apply if no group names one of the agents: true. */
  fallback?: boolean;
  /** Whether a known crawler uses the groups that its owner documents, if it is named alone: true. */
  known?: boolean;
  /** Whether a line that begins with a blank continues the line before: true, except with `google`. */
  fold?: boolean;
  /** Whether blanks at the end of a path stay: false. */
  keepTrailingSpaces?: boolean;
  /** Whether a path without its first slash gets it: true, except with `google`. */
  complementLeadingSlash?: boolean;
  /** Whether `%2A` in a rule is a wildcard: false. */
  decodeWildcard?: boolean;
  /** Whether `%2A` counts as a wildcard for the limit: true, except with `google`. */
  escapedWildcard?: boolean;
  /** Whether lines with an unknown directive are kept: false. */
  keepUnknown?: boolean;
  /** Whether any line ends a run of user-agent lines, not only Allow and Disallow: false. */
  anyLineEndsRun?: boolean;
  /** Whether the bytes are the whole file: true. Of a part, a last line without its end is not read, and a group
   *  without a rule disallows everything. */
  complete?: boolean;
  /** The URL of the file or its site, to resolve a relative Sitemap. */
  baseUrl?: string | URL;
  /** How many findings a report has in detail: 100. It counts all. */
  maxFindings?: Limit;
  /** What happens to a rule over a limit: it is dropped and reported, widened, or `Refused` is raised. */
  overLimit?: "drop" | "widen" | "refuse";
  // Here is the end of it.
}

// From here: answers.d.ts.
// Here is the end of it.

/** A file was refused: `overLimit: "refuse"` was asked for, and a limit cost it something. */
export class Refused extends RangeError {}

/** A packed file that cannot be unpacked: its bytes are damaged or end early, or it is zstd. */
export class UnpackError extends Error {}

declare global {
  // Without the DOM's types, Node's do not have it.
  namespace WebAssembly {
    interface Module {}
  }
}

/** Loads the module, in a browser. On other platforms it is ready at import. */
export function init(
  source?: string | URL | Response | WebAssembly.Module | ArrayBuffer | Uint8Array | Promise<Response>,
): Promise<void>;

/** The canonical text, and an honest report on what was changed. */
export function sieve(body: Body, options?: Options): Sieved;

/** A file line by line: what each line means, and whether it applies to the agents. */
export function explain(body: Body, options?: Options): Explained;

/** What does not do what it seems to, and what to write instead. */
export function lint(body: Body, options?: Options): Linted;

/** A verdict for each URL. A URL that cannot be tested has an error. */
export function test(body: Body, options: Options & { urls: Urls }): Results;

/** What changed between two files: for the agents, or for all with `allAgents`. */
export function diff(oldBody: Body, newBody: Body, options: Options & { allAgents: true }): AllChanges;
export function diff(oldBody: Body, newBody: Body, options: Options & { allAgents?: false }): Changes;

/** The value of a header, or several, a line for each. */
export type HeaderValue = string | readonly string[];

/** `Headers` of `fetch`, also where its types have no iterator. */
export interface HeaderList {
  get(name: string): string | null;
  forEach(callback: (value: string, name: string) => void): void;
}

/** What is known of a page. A source that is undefined is not there. */
export interface Page {
  /** Its URL, or its path. */
  url: string | URL;
  /** Its headers: pairs of name and value, `Headers`, an object, or a head as `curl -D` writes it. `Headers` joins lines
   *  with one name: what is for one crawler only is then read the stricter way. */
  headers?: HeaderList | Iterable<readonly [string, HeaderValue]> | Readonly<Record<string, HeaderValue>> | string | Uint8Array | ArrayBuffer;
  /** The page, if it is HTML. 512 KiB of it are read. */
  html?: Body;
  /** The robots.txt of its host. */
  robots?: Body;
  /** The status that robots.txt came with: what is no success opens or closes the site. */
  status?: number;
  /** The `/.well-known/tdmrep.json` of its host. */
  tdmrep?: Body;
}

/** What may be done with a page, by all that is known of it. The strictest source counts. `time` is when it was fetched:
 *  a `Date`, or a text such as `2026-11-27T12:00:00Z`; now if it is not given. */
export function signals(page: Page, options: Options & { agents: string | string[]; time?: Date | string }): SignalsAnswer;

/**
 * Unpacks a gzip file: so many bytes (512,000) and 16 more. Other bytes are returned as they are. A file that has more is
 * not `complete`; `UnpackError` is thrown if its bytes are damaged or end early.
 */
export function unpack(body: Body, options?: { maxBytes?: number }): Promise<Unpacked>;

/** A parsed file. Its methods are those of robots-parser 3.0.1. */
export interface Robots {
  /** Undefined if the URL has another origin. */
  isAllowed(url: string | URL, agent?: string | null): boolean | undefined;
  /** True also if the URL has another origin. */
  isDisallowed(url: string | URL, agent?: string | null): boolean;
  /** Whether a group that names the agent, not one for `*`, disallows the URL. */
  isExplicitlyDisallowed(url: string | URL, agent?: string): boolean | undefined;
  /** -1 if no rule decides. */
  getMatchingLineNumber(url: string | URL, agent?: string): number;
  getCrawlDelay(agent?: string): number | undefined;
  getSitemaps(): string[];
  getPreferredHost(): string | null;
}

/** Parses the robots.txt file of a site. */
export function robotsParser(url: string | URL | null | undefined, body?: Body | null): Robots;
export default robotsParser;
