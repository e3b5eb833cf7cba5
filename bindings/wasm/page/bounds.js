// What the page takes, and what it shows at once. Our choices.

/** Bytes of a file that the page keeps: twice what robosieve reads of it, so that a report can say what was not read. */
export const MAX_FILE = 1_048_576;
/** Lines that a text area holds. With more, browsers stop for seconds; 500 kB of usual rules have fewer. */
export const MAX_EDIT = 20_000;
/** Lines of a longer file that its text area shows. */
export const HEAD = 200;
/** URLs that are asked, and verdicts that are shown at once. */
export const MAX_URLS = 1_000;
export const VERDICTS = 50;
/** URLs that are columns of the table of crawlers. */
export const MAX_COLUMNS = 4;
/** Crawlers that are named first, each of which obeys robots.txt. `*` is a crawler that no group names. */
export const WELL_KNOWN = [
  "*", "Googlebot", "Bingbot", "DuckDuckBot", "Applebot", "GPTBot", "OAI-SearchBot", "ClaudeBot", "PerplexityBot", "Google-Extended",
  "CCBot", "Amazonbot", "meta-externalagent",
];
/** Crawlers that only the file names, and are named first, too. */
export const MAX_NAMED = 20;
/** Characters of a line that a finding quotes. */
export const QUOTE = 200;
/** Characters of a link. Safari opens 80,000. */
export const MAX_LINK = 60_000;
/** Milliseconds after which a part of the answer is given up. */
export const MAX_WAIT = 4_000;
/** Lines and findings that are shown at once, and characters of a line. */
export const LINES = 150;
export const FINDINGS = 25;
export const LINE = 2_000;
