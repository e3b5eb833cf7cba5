/** A file: text, or bytes. No content is an error. */
export type Body = string | Uint8Array | ArrayBuffer | ArrayBufferView;

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
  baseUrl?: string;
  /** How many findings a report has in detail: 100. It counts all. */
  maxFindings?: Limit;
  /** What happens to a rule over a limit: it is dropped and reported, widened, or `Refused` is raised. */
  overLimit?: "drop" | "widen" | "refuse";
  // Here is the end of it.
}

/** A finding of a report. */
export interface Finding {
  kind: string;
  line: number;
  [field: string]: unknown;
}

export interface Report {
  input: { kind: string; format?: string };
  exact: boolean;
  losses: { more_permissive: number; more_restrictive: number; either: number };
  suspects: number;
  counts: Record<string, number>;
  findings: Finding[];
}

/** Whose group answers. */
export interface Who {
  answered_by: "agent" | "everyone" | "nobody" | "all" | "status";
  agent: string | null;
  /** The page of a known crawler's owner that documents it, if by the name alone another group would apply. */
  documented?: string;
}

export interface Rule {
  kind: "allow" | "disallow";
  pattern: string;
}

export interface Answer extends Who {
  allowed: boolean;
  line: number | null;
  rule: Rule | null;
  reason: "rule" | "no-rule" | "no-record" | "robots-txt" | "status" | "incomplete" | "not-a-url";
}

export interface Summary {
  exact: boolean;
  suspects: number;
  input: { kind: string; format?: string } | null;
}

/** What a group says apart from its rules, with its lines. */
export interface GroupValues {
  crawl_delay: { line: number; seconds: number; raw: string } | null;
  request_rates: { line: number; pages: number; seconds: number; hours: { from: number; to: number } | null }[];
  visit_times: { line: number; from: number; to: number }[];
  content_signals: ContentUse[];
  content_usage: ContentUse[];
  extensions: { line: number; name: string; value: string }[];
}

/** What content may be used for, for the paths of a pattern; an empty one is for all. */
export interface ContentUse {
  line: number;
  path: string;
  uses: { name: string; value: string; parameters?: string }[];
}

export interface FileGroup extends GroupValues {
  agents: { name: string; line: number | null }[];
  /** In the order of precedence. */
  rules: { line: number | null; kind: "allow" | "disallow"; pattern: string }[];
}

export interface Sieved extends Summary, Who {
  text: string;
  report: Report;
  /** Without `agents`: the groups of the text. */
  groups?: FileGroup[];
  /** Without `agents`: what stands above all groups, and is for every crawler. */
  for_everybody?: GroupValues;
}

export interface PageLine {
  line: number;
  text: string;
  meaning: { is: string; [field: string]: unknown };
  ours: boolean;
  findings: { kind: string; class: string; effect: string; clause: string; text: string }[];
}

export interface Page extends Summary {
  lines: PageLine[];
  records: number;
  user_agents: number;
  refused: Finding | null;
  counts: Record<string, number>;
  /** With `words: true`: for each line its meaning and its findings in words, and the report. */
  words?: { lines: [meaning: string, findings: string[]][]; report: string[] };
  [field: string]: unknown;
}

export interface Lint {
  kind: string;
  severity: "error" | "warning" | "note";
  line: number;
  columns: { start: number; end: number } | null;
  clause: string;
  effect: string;
  message: string;
  help: string | null;
  /** What to write instead; null if that is not known, or would do harm. */
  fix: Fix | null;
  [field: string]: unknown;
}

/** Lines to write instead of `first` to `last`; none to delete them. It was tried on the file. */
export interface Fix {
  first: number;
  last: number;
  lines: string[];
  /** Whether it changes nothing: no answer and no value, for no agent, as the standard and as Google read the file. */
  safe: boolean;
  changes: {
    read_as: "standard" | "google";
    agents: string[];
    more_agents: number;
    path: string | null;
    allowed: boolean | null;
    values: boolean;
  }[];
  more_changes: number;
  changes_file: boolean;
}

export interface Linted {
  input: { kind: string; format?: string };
  errors: number;
  warnings: number;
  notes: number;
  /** Edits that are not offered: they could not be compared within the bounds, or do harm together with others. */
  withheld: number;
  /** Findings that are counted, but not listed: of each kind, the first 10,000 are. */
  unlisted: number;
  lints: Lint[];
}

export type Tested =
  | ({ url: string; words?: string } & Answer)
  | { url: string; error: { kind: "bad-url"; message: string } };

export interface Why {
  url: string;
  path: string;
  answer: Answer;
  group: string;
  rules: { line: number | null; kind: Rule["kind"]; pattern: string; length: number; words: string; decides: boolean }[];
  reason: string;
  dialects: { dialect: string; answer: Answer }[];
}

export interface Usage {
  url: string;
  answer: Answer;
  uses: {
    use: "ai-training" | "ai-use" | "search" | "extent";
    allowed: boolean | null;
    extent?: "immediate" | "reference" | "full";
    lines: { line: number; text: string }[];
    more_lines: number;
  }[];
  ignored: { line: number; text: string }[];
  more_ignored: number;
}

export interface Crawler {
  token: string;
  owner: string;
  uses_everyone: boolean;
  /** Whether its owner says that it ignores robots.txt, always or in some cases. */
  ignores_robots_txt: boolean;
  /** Whether a page of its owner documents it. */
  documented: boolean;
  purpose: string;
  source: string;
}

export interface ContentUse {
  path: string;
  uses: { name: string; value: string }[];
}

export interface MatrixRow extends Who {
  name: string;
  crawler: Crawler | null;
  answers: Answer[];
  content_signals: ContentUse[];
  content_usage: ContentUse[];
}

export interface TreeNode {
  depth: number;
  label: string;
  allowed: boolean | null;
  was_allowed: boolean | null;
  decided_by: number | null;
  rules: { kind: Rule["kind"]; line: number | null; is_gone: boolean }[];
  hidden: number;
  words: string;
}

/** What changed. The fields are those of `robosieve schema diff`. */
export interface Changes {
  same: boolean;
  reports: { old: Report; new: Report };
  [field: string]: unknown;
}

/** A file was refused: `overLimit: "refuse"` was asked for, and a limit cost it something. */
export class Refused extends RangeError {}

/** Loads the module, in a browser. On other platforms it is ready at import. */
export function init(
  source?: string | URL | Response | WebAssembly.Module | ArrayBuffer | Uint8Array | Promise<Response>,
): Promise<void>;

/** The canonical text, and an honest report on what was changed. */
export function sieve(body: Body, options?: Options): Sieved;

/**
 * A file line by line: what each line means, and whether it applies to the agents. With `firstLine` and `mostLines`,
 * that part of the lines; `total_lines` is then the number of all.
 */
export function explain(
  body: Body,
  options?: Options & { words?: boolean } & ({ firstLine: number; mostLines: number } | { firstLine?: undefined; mostLines?: undefined }),
): Page & { total_lines?: number };

/** Everything in a file that applies to the agents. */
export function inspect(body: Body, options?: Options): Summary & Who & { [field: string]: any };

/** What does not do what it seems to, and what to write instead. With `most`, so many of them, errors first. */
export function lint(body: Body, options?: Options & { most?: number }): Linted;

/** A verdict for each URL. A URL that cannot be tested has an error. */
export function test(
  body: Body,
  options: Options & { urls: string | string[]; words?: boolean },
): Summary & { results: Tested[] };

/** Why a URL has its verdict: all rules that match, and what other dialects answer. */
export function why(body: Body, options: Options & { url: string }): Why;

/** What the content of a URL may be used for, by Content-Usage and Content-Signal. */
export function usage(body: Body, options: Options & { url: string }): Usage;

/** A verdict for each crawler and each URL. */
export function matrix(
  body: Body,
  options: Options & { urls: string | string[]; crawlers?: "all" | "ai" | "search" | "ads" | "archive" | "seo" | "other" },
): { urls: string[]; rows: MatrixRow[] };

/** The paths that rules are about, as a tree. */
export function tree(body: Body, options?: Options): { nodes: TreeNode[] };

/** The same as an SVG picture. */
export function treeSvg(body: Body, options?: Options & { title?: string }): string;

/** What changed between two files: for the agents, or for all with `allAgents`. */
export function diff(oldBody: Body, newBody: Body, options: Options & { allAgents?: boolean }): Changes;

/** The known crawlers, each with the page of its owner that documents it, or with the list that has its name. */
export function crawlers(): (Crawler & { kinds: string[]; fallbacks: string[] })[];

/** Unpacks a gzip file, bounded. Other bodies are returned as they are. */
export function unpack(body: Body): Promise<string | Uint8Array>;

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
