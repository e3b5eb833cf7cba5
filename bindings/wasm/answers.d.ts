// The types of answers, which the build puts into types.d.ts.

/** Whose group applies. */
export interface Who {
  answered_by: "agent" | "everyone" | "nobody" | "all" | "status";
  agent: string | null;
  /** The page of a known crawler's owner that documents it, if by the name alone another group would apply. */
  documented?: string;
  /** The names that an agent was read as which is neither a name nor a usual header. */
  read_as?: string[];
}

/** What the first bytes of a file look like: text, html, json, utf-16 ... */
export interface Input { kind: string; format?: string; }

/** Whether the result is exact. */
export interface Summary { exact: boolean; suspects: number; input: Input | null; }

/** How many losses may change answers, by the effect. */
export interface Losses { more_permissive: number; more_restrictive: number; either: number; }

/** What was found at a line, or of the whole file (null); the words are in a page. */
export interface Finding { line: number | null; kind: string; effect: "none" | "more-permissive" | "more-restrictive" | "either"; }

/** What was found, by kind, and the first findings. */
export interface Report {
  input: Input;
  exact: boolean;
  losses: Losses;
  suspects: number;
  counts: Record<string, number>;
  findings: Finding[];
}

/** A crawl delay in seconds, as it is read and as it is written, with its line. */
export interface LinedDelay { line: number; seconds: number; raw: string; }

/** Minutes since midnight, UTC. */
export interface Hours { from: number; to: number; }

/** A request rate, with its line. */
export interface LinedRate { line: number; pages: number; seconds: number; hours: Hours | null; }

/** Minutes since midnight, UTC, with their line. */
export interface LinedHours { line: number; from: number; to: number; }

/** A use of content, and what is said of it. */
export interface Use { name: string; value: string; parameters?: string; }

/** A value of Content-Usage or Content-Signal, with its line. */
export interface LinedUse { line: number; path: string; uses: Use[]; }

/** A line that is neither a user-agent line nor a rule. */
export interface Line { line: number; name: string; value: string; }

/** What a group says apart from its rules, with its lines. */
export interface GroupValues {
  crawl_delay: LinedDelay | null;
  request_rates: LinedRate[];
  visit_times: LinedHours[];
  content_signals: LinedUse[];
  content_usage: LinedUse[];
  extensions: Line[];
}

/** A name of a group, and its first line. */
export interface GroupAgent { name: string; line: number | null; }

/** A rule that applies to the agents. */
export interface InspectedRule {
  /** Null for a rule that replaces lost ones. */
  line: number | null;
  kind: "allow" | "disallow";
  pattern: string;
}

/** A group of a file, with its rules in the order of precedence. */
export interface FileGroup extends GroupValues { agents: GroupAgent[]; rules: InspectedRule[]; }

/** The canonical text, and what was changed. */
export interface Sieved extends Who, Summary {
  text: string;
  report: Report;
  /** Without agents: the groups of the text. */
  groups?: FileGroup[];
  /** Without agents: what stands above all groups, and is for every crawler. */
  for_everybody?: GroupValues;
}

/** A rule. */
export interface Rule { kind: "allow" | "disallow"; pattern: string; }

/** The answer to a URL, and the rule that decided. */
export interface Answer extends Who {
  allowed: boolean;
  line: number | null;
  rule: Rule | null;
  reason: "rule" | "no-rule" | "no-record" | "robots-txt" | "status" | "incomplete" | "not-a-url";
}

/** A URL and its answer. */
export interface TestedUrl extends Answer { url: string; }

/** A URL that cannot be tested. */
export interface UntestedUrl { url: string; error: { kind: "bad-url"; message: string }; }

/** A URL of several, and its answer or error. */
export type Tested = TestedUrl | UntestedUrl;

/** A verdict for each URL. */
export interface Results extends Summary { results: Tested[]; }

/** A line that is blank, a comment, left out or not read. */
export interface PlainMeaning { is: "blank" | "comment" | "left-out" | "not-read"; }

/** A line that names an agent. */
export interface UserAgentMeaning { is: "user-agent"; name: string; }

/** A rule, and whether the line has the pattern as it is used. */
export interface RuleMeaning { is: "rule"; kind: "allow" | "disallow"; pattern: string; as_written: boolean; }

/** A line that belongs to its group: to all its agents if it is shared, or to those directly above. */
export interface ExtensionMeaning { is: "extension"; name: string; value: string; shared: boolean; as_written: boolean; }

/** A line that belongs to the file. */
export interface FileLineMeaning { is: "file-line"; name: string; value: string; as_written: boolean; }

/** A line that continues another one, and the number of that. */
export interface ContinuedMeaning { is: "continued"; of: number; }

/** What a line means. */
export type Meaning = PlainMeaning | UserAgentMeaning | RuleMeaning | ExtensionMeaning | FileLineMeaning | ContinuedMeaning;

/** What was found at a line, and its words. */
export interface LineFinding {
  kind: string;
  class: "loss" | "suspect" | "repair" | "ignored" | "note";
  effect: "none" | "more-permissive" | "more-restrictive" | "either";
  clause: string;
  text: string;
}

/** A line, and what it means. */
export interface PageLine {
  line: number;
  text: string;
  meaning: Meaning;
  /** Whether it applies to the agents. */
  ours: boolean;
  findings: LineFinding[];
}

/** A file line by line, and whose group applies if agents are named. */
export interface Explained extends Summary, Partial<Who> {
  lines: PageLine[];
  records: number;
  user_agents: number;
  refused: Finding | null;
  counts: Record<string, number>;
}

/** Lines to write instead of `first` to `last`; none to delete them. It was tried on the file. */
export interface Fix {
  first: number;
  last: number;
  lines: string[];
  /** Whether it changes nothing: no answer and no value, for no agent, as the standard and as Google read the file; and
   *  no word is lost. All others are suggestions. */
  safe: boolean;
  /** What it changes and takes away, for people. */
  effect: string;
}

/** What does not do what it seems to. */
export interface LintFinding {
  kind: string;
  severity: "error" | "warning" | "note";
  line: number;
  /** In bytes. */
  columns: { start: number; end: number };
  clause: string;
  effect: "none" | "more-permissive" | "more-restrictive" | "either";
  message: string;
  help: string;
  /** What to write instead; null if that is not known, or would do harm. */
  fix: Fix | null;
}

/** What does not do what it seems to, errors first. */
export interface Linted {
  input: Input;
  errors: number;
  warnings: number;
  notes: number;
  /** Edits that are not offered: they could not be compared within the bounds, or do harm together with others. */
  withheld: number;
  /** Findings that are counted, but not listed: of each kind, the first 10,000 are. */
  unlisted: number;
  lints: LintFinding[];
  left_out: number;
}

/** A rule that only one of the files has, or that moved. */
export interface ChangedRule {
  kind: "allow" | "disallow";
  pattern: string;
  /** None for a rule that stands for lost ones. */
  line: number | null;
  /** Of a rule that only moved. */
  old_line?: number;
  /** Whether there is a URL that shows the change. */
  witness: "found" | "impossible" | "not-found" | "not-searched";
}

/** A line that only one of the files has. */
export interface ChangedLine { name: string; value: string; }

/** A URL whose answer changed. */
export interface Flip { path: string; allowed: boolean; old_line: number | null; new_line: number | null; }

/** What changed for an agent. */
export interface PolicyDiff {
  answers: "same" | "changed" | "unknown";
  rules_added: ChangedRule[];
  rules_removed: ChangedRule[];
  rules_moved: ChangedRule[];
  lines_added: ChangedLine[];
  lines_removed: ChangedLine[];
  flips: Flip[];
  without_witness: number;
  not_searched: number;
}

/** What was found in the two files. */
export interface Reports {
  old: Report;
  /** Left out if a file is compared with itself. */
  new?: Report;
}

/** What changed between two files for the agents. */
export interface Changes extends PolicyDiff {
  same: boolean;
  /** Of two agents that are compared. */
  agents?: string[];
  /** The agents whose owners document other groups than their names say. */
  documented?: string[];
  /** The names that an agent was read as which is neither a name nor a usual header. */
  read_as?: string[];
  reports: Reports;
}

/** What changed in the same way for some agents. */
export interface AgentsChange extends PolicyDiff {
  agents: string[];
  /** `of` is another name, whose group it is. */
  old_group: "own" | "everyone" | "nobody" | { of: string };
  new_group: "own" | "everyone" | "nobody" | { of: string };
}

/** What changed between two files for all agents. */
export interface AllChanges {
  same: boolean;
  agents_added: string[];
  agents_removed: string[];
  changes: AgentsChange[];
  lines_added: ChangedLine[];
  lines_removed: ChangedLine[];
  unchanged: number;
  not_compared: string[];
  /** The agents whose owners document other groups than their names say. */
  documented?: string[];
  reports: Reports;
}

/** A use of a page. */
export type PageUse =
  | "fetch" | "index" | "follow" | "archive" | "snippet" | "image-index" | "translate" | "tdm" | "ai-training" | "ai-use" | "search";

/** The place that decided: a line, a header line, or a rule of tdmrep.json; 0 for the whole. */
export interface SignalsDecided {
  source: "robots-txt" | "header" | "html" | "tdmrep";
  place: number;
  /** The words that say so. */
  text: string;
}

/** How much of a page may be shown: characters and seconds, -1 for no limit. */
export interface SignalsLimits {
  "max-snippet"?: number;
  "max-image-preview"?: "none" | "standard" | "large";
  "max-video-preview"?: number;
  unavailable_after?: string;
  extent?: "immediate" | "reference" | "full";
}

/** A licence that a source names, and its place. */
export interface SignalsLicense {
  source: "robots-txt" | "header" | "html" | "tdmrep";
  place: number;
  url: string;
  /** The media type, if one is stated. */
  type?: string;
}

/** What is worth knowing about a source, and its place. */
export interface SignalsFinding { kind: string; source: "robots-txt" | "header" | "html" | "tdmrep"; place: number; text: string; }

/** What may be done with a page, for an agent, at a time. */
export interface SignalsAnswer {
  uses: Record<PageUse, "yes" | "no" | "unsaid">;
  /** For each use that is not unsaid. */
  decided_by: Partial<Record<PageUse, SignalsDecided>>;
  limits: SignalsLimits;
  licenses: SignalsLicense[];
  findings: SignalsFinding[];
  /** Findings that are not listed. */
  more_findings: number;
}

