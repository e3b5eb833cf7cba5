//! The long help texts of the commands.
//!
//! Invariant: text only. Each text says what the command does, shows examples, and ends with the exit codes.

/// For the commands of both files of arguments.
pub(crate) const FAIL_ON: &str =
    "Refuse a file (exit code 3) that is suspect, has a loss, or was repaired; separate several with commas";

pub(crate) const ABOUT: &str = "\
Sanitize, test and explain robots.txt files. Takes untrusted bytes. Writes a small canonical text that every other \
robots.txt tester reads the same way. Reports each change and its effect. Says whether a crawler may fetch a URL.";

pub(crate) const AFTER: &str = "\
Examples:
  robosieve filter --agent MyBot robots.txt        the rules for MyBot, as canonical text
  robosieve test --agent MyBot robots.txt /a /b    may MyBot fetch these?
  robosieve explain robots.txt                     what each line means
  robosieve inspect --agent MyBot robots.txt       everything that applies to MyBot
  robosieve diff --agent MyBot old.txt new.txt     what changed for MyBot
  robosieve batch --agent MyBot crawl.warc.gz      one output record for each file in an archive

Exit codes:
  0  success; test: all URLs are allowed; diff: nothing changed
  1  test, check: a URL is disallowed; diff: something changed; fetch: a site has no robots.txt;
     site: the site is not in the store
  2  the command line or a file cannot be used
  3  refused because of --on-over-limit or --fail-on; fetch, check: robots.txt unreachable;
     batch: some input could not be processed";

pub(crate) const FILTER: &str = "\
Prints the rules for your crawler as canonical text: printable ASCII, one group for `*`, rules in order of precedence. \
Writes a summary to the standard error. The summary says whether the text gives the same result as the file for every \
URL. If not, it says whether the text permits more or less.";

pub(crate) const AFTER_FILTER: &str = "\
Examples:
  robosieve filter --agent MyBot robots.txt
  robosieve filter --agent MyBot-Image --agent MyBot robots.txt     most preferred first
  robosieve filter --user-agent 'Mozilla/5.0 (compatible; MyBot/1.0; +https://e.com/bot)' robots.txt
  curl -sSf https://example.com/robots.txt | robosieve filter --agent MyBot
  robosieve filter --all-agents robots.txt -o clean.txt             for storage
  robosieve filter --all-agents --output-dir clean/ wild/*.txt      each to clean/<its file name>
  robosieve filter --agent MyBot --report json --report-to report.json robots.txt
  robosieve filter --agent MyBot --on-over-limit refuse robots.txt  exit code 3 if a limit drops a rule
  robosieve filter --agent MyBot --fail-on suspect,loss robots.txt  exit code 3 for an HTML page, for example

An empty robots.txt allows everything. An empty standard input does too, with a warning. Use `curl -f` and
`set -o pipefail`, so that a failed download stops the script and does not open the site.

Several FILEs need --output-dir and different file names, because canonical text has no headings.

With --ndjson, each line is one request. Flags set the defaults for its options:
  {\"id\":1,\"robots\":\"User-agent: *\\nDisallow: /x\",\"agent\":\"MyBot\"}
  {\"id\":2,\"robots_b64\":\"...\",\"agents\":[\"MyBot-Image\",\"MyBot\"],\"options\":{\"limits\":{\"max_lines\":100}}}
  {\"id\":3,\"robots\":\"\",\"user_agent\":\"Mozilla/5.0 (compatible; MyBot/1.0)\"}
Answers: {\"v\":1,\"id\":1,\"text\":...,\"report\":...,\"exact\":true,\"answered_by\":...}, or
  {\"v\":1,\"id\":2,\"error\":{\"kind\":...,\"message\":...}}.
A bad request gets an error as its answer; the program continues.

Exit codes:
  0  success (with --ndjson: all requests have been answered)
  2  the command line or a file cannot be used
  3  refused because of --on-over-limit or --fail-on; no text of that file is written";

pub(crate) const TEST: &str = "\
Says for each URL whether your crawler may fetch it, and which line of the robots.txt file decides. Uses the group that \
names the crawler. If no group names it, uses the group for `*`.";

pub(crate) const AFTER_TEST: &str = "\
Examples:
  robosieve test --agent MyBot robots.txt https://example.com/a/b?c
  robosieve test --agent MyBot robots.txt /a /b
  robosieve test --agent MyBot robots.txt < urls.txt      one URL per line
  curl -sSf https://example.com/robots.txt | robosieve test --agent MyBot - /a
  robosieve test --agent MyBot --status 404 - /a          the server sent no file; write `-` as FILE
  robosieve test -q --agent MyBot --fail-on suspect robots.txt /a && fetch /a

FILE may be plain, gzip or zstd. An empty FILE allows everything. If you pipe a download in, use `curl -f` and
`set -o pipefail`.
A URL is a path (/a), a query (?q), //host/path, or an http, https or ftp URL. Anything else is an error (exit code 2).
A standard input without any URL is an error too.

A --status other than 2xx decides alone. FILE is still required, so that a script can always pass it. It is not read.
If FILE is `-` then, the standard input can hold the URLs.

The result uses the whole file, up to --max-bytes. A rule that `filter` drops because it is too long or has too many
wildcards still counts here. A limit that you set yourself applies here too.

The output columns are separated by tabs: `allowed` or `disallowed`, the URL, and the reason:
  disallowed   /tmp/x   line 2: Disallow: /tmp (group MyBot applies)
  allowed      /a       no rule matches (group * applies)

With --ndjson, each line is one request. Flags set the defaults for its options:
  {\"id\":1,\"robots\":\"User-agent: *\\nDisallow: /x\",\"agent\":\"MyBot\",\"url\":\"/x/y\"}
  {\"id\":2,\"robots_b64\":\"...\",\"agent\":\"MyBot\",\"urls\":[\"/a\",\"/b\"],\"options\":{\"status\":200}}
Answers: {\"v\":1,\"id\":1,\"allowed\":false,\"line\":2,...}; with urls, {\"v\":1,\"id\":2,\"results\":[...]}.

Exit codes:
  0  all URLs are allowed (with --ndjson: all requests have been answered)
  1  a URL is disallowed
  2  the command line or a file cannot be used
  3  refused because of --on-over-limit or --fail-on";

pub(crate) const EXPLAIN: &str = "\
Shows how this program reads a robots.txt file: each line with its number, its meaning and its findings. The clause of \
SPEC.md is in brackets. With --agent, a `>` marks the lines that apply to that crawler.";

pub(crate) const AFTER_EXPLAIN: &str = "\
Examples:
  robosieve explain robots.txt
  robosieve explain --agent MyBot robots.txt
  curl -sSf https://example.com/robots.txt | robosieve explain --color always | less -R
  robosieve explain --json robots.txt

Lines marked as left out are those that `robosieve filter` leaves out: with the same --agent or, without one, with
--all-agents. Bytes that are not printable ASCII are shown as \\xNN.

Exit codes:
  0  success, with or without findings
  2  the command line or a file cannot be used
  3  `filter` would refuse the file because of --on-over-limit or --fail-on; it is shown anyway";

pub(crate) const INSPECT: &str = "\
Shows everything in a robots.txt file that applies to your crawler: the group, its rules in order of precedence, crawl \
delay, request rates, and permitted uses of the content. Then shows what applies to the whole file: sitemaps, host, \
license, the named agents, and the report.";

pub(crate) const AFTER_INSPECT: &str = "\
Examples:
  robosieve inspect --agent MyBot robots.txt
  robosieve inspect --agent MyBot --json robots.txt

With --ndjson, each line is one request. Flags set the defaults for its options:
  {\"id\":1,\"robots\":\"User-agent: *\\nCrawl-delay: 5\",\"agent\":\"MyBot\"}

Exit codes:
  0  success (with --ndjson: all requests have been answered)
  2  the command line or a file cannot be used
  3  refused because of --on-over-limit or --fail-on";

pub(crate) const AFTER_COMPLETIONS: &str = "\
Examples:
  robosieve completions bash > ~/.local/share/bash-completion/completions/robosieve
  robosieve completions zsh > ~/.zfunc/_robosieve
  robosieve completions fish > ~/.config/fish/completions/robosieve.fish";

pub(crate) const AFTER_MAN: &str = "\
Examples:
  robosieve man | man -l -
  robosieve man filter > robosieve-filter.1";

pub(crate) const DIFF: &str = "\
Shows what changed for your crawler between two robots.txt files: added (+), removed (-) or moved (~) rules and other \
lines, and example URLs whose result changed (!). Each changed rule has such a URL, or a note that no URL can show the \
change, or that none was found. Differences in spelling, comments and other crawlers' rules do not count. The order of \
rules counts only with `--order file`.";

pub(crate) const AFTER_DIFF: &str = "\
Examples:
  robosieve diff --agent MyBot monday.txt tuesday.txt
  robosieve diff --agent MyBot --json monday.txt tuesday.txt
  curl -sSf https://example.com/robots.txt | robosieve diff --agent MyBot -q stored.txt - || echo changed

Exit codes:
  0  no URL's result and no other line changed
  1  something changed
  2  the command line or a file cannot be used
  3  refused because of --on-over-limit or --fail-on";

pub(crate) const BATCH: &str = "\
Filters millions of robots.txt files: directories, lists of files, WARC archives, JSON lines. Writes one record per \
file, in input order: status, outcome, canonical text and its hash, sitemaps, crawl delay, losses. You can stop it at any \
time. With --resume it continues, and the output has the same bytes as that of an uninterrupted run.";

pub(crate) const AFTER_BATCH: &str = "\
Examples:
  robosieve batch --agent MyBot CC-MAIN-robotstxt.warc.gz -o policies.ndjson.zst
  robosieve batch --agent MyBot --dedup crawl/*.warc.gz -o policies.ndjson.gz    stores equal texts once
  robosieve batch --all-agents wild/ -o clean/                      clean/ has the same layout as wild/
  robosieve batch --all-agents crawl.warc -o clean/ --records clean.ndjson
  find wild -name robots.txt -print0 | robosieve batch --agent MyBot --files-from - -0 -o policies.ndjson
  robosieve batch --agent MyBot --input ndjson - < fetched.ndjson > policies.ndjson     one record per line
  robosieve batch --agent MyBot --resume crawl.warc.gz -o policies.ndjson.zst           after an interrupt

Input lines. The file is text or base64; all other fields are optional. Without a file, the status decides:
  {\"id\":1,\"robots\":\"User-agent: *\\nDisallow: /x\",\"url\":\"https://e.com/robots.txt\",\"time\":\"2026-01-02T03:04:05Z\",\"status\":200}
  {\"id\":2,\"robots_b64\":\"...\",\"status\":301,\"location\":\"https://www.e.com/robots.txt\"}
Output records:
  {\"v\":1,\"id\":1,\"source\":\"-\",\"record\":1,\"url\":...,\"time\":...,\"status\":200,\"outcome\":\"rules\",\"bytes\":25,
   \"input\":...,\"suspects\":0,\"answered_by\":\"everyone\",\"agent\":null,\"exact\":true,\"report\":...,\"sitemaps\":[],\"crawl_delay\":null,\"hash\":\"sha256:...\",\"text\":...}
The outcome is rules, allow-all or disallow-all (decided by the status), redirect, not-modified, revisit, refused, or
failed (with an error). crates/batch/README.md describes all fields. Other records of an archive are counted and skipped.
URLs other than /robots.txt are skipped too, unless --all-urls is given. Links in a directory are not followed.

While it runs, OUTPUT.part and OUTPUT.journal are next to OUTPUT (with --dedup, also OUTPUT.hashes). A complete file is
renamed to OUTPUT. At most 16 MiB of a file are read, even if --max-bytes is greater.

Exit codes:
  0  success
  2  the command line cannot be used, or the output cannot be written
  3  some input could not be read, or was refused because of --on-over-limit or --fail-on; the rest was processed";
