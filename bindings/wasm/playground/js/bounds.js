// What the page takes, and what it shows at once. Our choices.

/// Bytes of a file that the page keeps: twice what robosieve reads of it, so that a report can say what was not read.
export const MAX_FILE = 1_048_576;
/// Bytes of a file that are read. Google's parser reads as many; RFC 9309 demands 500 KiB at least.
export const MAX_READ = 512_000;
/// Lines that a text area holds. With more, browsers stop for seconds; 500 kB of usual rules have fewer.
export const MAX_EDIT = 20_000;
/// Lines of a longer file that its text area shows.
export const HEAD = 200;
/// Characters of a line that are painted in colours, and lines above and below the view.
export const EDIT_LINE = 20_000;
export const MARGIN = 8;
/// Findings whose lines are marked.
export const MARKED = 400;
/// URLs that are asked, and verdicts that are shown at once.
export const MAX_URLS = 1_000;
export const VERDICTS = 50;
/// Bytes of a list of URLs that are read, and lines that the field for URLs grows to.
export const MAX_LIST = 1_048_576;
export const URL_ROWS = 6;
/// URLs that are columns of the table of crawlers.
export const MAX_COLUMNS = 4;
/// Crawlers of the strip, each of which obeys robots.txt. `*` is a crawler that no group names.
export const WELL_KNOWN = [
  "*", "Googlebot", "Bingbot", "DuckDuckBot", "Applebot", "GPTBot", "OAI-SearchBot", "ClaudeBot", "PerplexityBot", "Google-Extended",
  "CCBot", "Amazonbot", "meta-externalagent",
];
/// Characters of a line that a finding quotes.
export const QUOTE = 200;
/// Characters of a link. Safari opens 80,000.
export const MAX_LINK = 60_000;
/// Milliseconds after which a part of the answer is given up.
export const MAX_WAIT = 4_000;
/// Lines, findings and rules that are shown at once.
export const LINES = 150;
export const FINDINGS = 25;
export const RULES = 12;
/// Values of a list that has no button for more.
export const VALUES = 8;
/// Characters of a text, and of a single line, that are shown at once.
export const TEXT = 12_000;
export const LINE = 2_000;
