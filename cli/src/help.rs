//! Help texts that are too long to stand beside their flags.
//!
//! Invariant: text only; each command's says what it is for in two sentences, shows it at work, and ends with its exit codes.

pub(crate) const ABOUT: &str = "\
Sanitize, test and explain robots.txt files that nobody vouches for. Octets go in; out come a small canonical text that \
every other robots.txt tester reads the same way, an honest report of what was changed and what that costs, and answers \
to \"may this agent fetch this URL?\".";

pub(crate) const AFTER: &str = "\
Examples:
  robosieve filter --agent MyBot robots.txt        the rules for MyBot, as canonical text
  robosieve test --agent MyBot robots.txt /a /b    may MyBot fetch these?
  robosieve explain robots.txt                     what each line means
  robosieve inspect --agent MyBot robots.txt       all that the file says to MyBot
  robosieve diff --agent MyBot old.txt new.txt     what changed for MyBot
  robosieve batch --agent MyBot crawl.warc.gz      a record for each file of an archive

Exit codes:
  0  fine; test: all URLs are allowed; diff: nothing changed
  1  test, check: a URL is disallowed; diff: something changed; fetch, site: there is none
  2  the command line or a file cannot be used
  3  refused, because of --on-over-limit; fetch, check: not to be learnt now; batch: some input could
     not be processed";

pub(crate) const FILTER: &str = "\
Prints what a robots.txt file says to your crawler as canonical text: printable ASCII, one record for `*`, the rule that \
decides first. A summary on the standard error says whether the text answers every URL as the file does, and if not, \
which way it differs.";

pub(crate) const AFTER_FILTER: &str = "\
Examples:
  robosieve filter --agent MyBot robots.txt
  robosieve filter --agent MyBot-Image --agent MyBot robots.txt     the preferred first
  robosieve filter --user-agent 'Mozilla/5.0 (compatible; MyBot/1.0; +https://e.com/bot)' robots.txt
  curl -s https://example.com/robots.txt | robosieve filter --agent MyBot
  robosieve filter --all-agents robots.txt -o clean.txt             for storage
  robosieve filter --all-agents --output-dir clean/ wild/*.txt      each to clean/<its file name>
  robosieve filter --agent MyBot --report json --report-to report.json robots.txt
  robosieve filter --agent MyBot --on-over-limit refuse robots.txt  exit code 3 where a limit costs a rule

Several FILEs need --output-dir, and file names that differ: canonical text has no place for a heading.

Requests with --ndjson, one a line, with flags as the defaults of their options:
  {\"id\":1,\"robots\":\"User-agent: *\\nDisallow: /x\",\"agent\":\"MyBot\"}
  {\"id\":2,\"robots_b64\":\"...\",\"agents\":[\"MyBot-Image\",\"MyBot\"],\"options\":{\"limits\":{\"max_lines\":100}}}
  {\"id\":3,\"robots\":\"\",\"user_agent\":\"Mozilla/5.0 (compatible; MyBot/1.0)\"}
Answers: {\"v\":1,\"id\":1,\"text\":...,\"report\":...,\"exact\":true,\"answered_by\":...}, or
  {\"v\":1,\"id\":2,\"error\":{\"kind\":...,\"message\":...}}; a bad request does not end the program.

Exit codes:
  0  fine (with --ndjson: all requests have been answered)
  2  the command line or a file cannot be used
  3  refused, because of --on-over-limit; nothing of that file is written";

pub(crate) const TEST: &str = "\
Says for each URL whether your crawler may fetch it, and which line of the robots.txt file decides. The rules are those \
of the record that names the crawler, or else of the record for `*`.";

pub(crate) const AFTER_TEST: &str = "\
Examples:
  robosieve test --agent MyBot robots.txt https://example.com/a/b?c
  robosieve test --agent MyBot robots.txt /a /b
  robosieve test --agent MyBot robots.txt < urls.txt      one URL a line
  curl -s https://example.com/robots.txt | robosieve test --agent MyBot - /a
  robosieve test --agent MyBot --status 404 - /a          there was no file: `-` stands for it, and nothing is read
  robosieve test -q --agent MyBot robots.txt /a && fetch /a

A --status other than 2xx decides alone. FILE keeps its place then, so that a script can name it always, but is not read;
`-` there leaves the standard input to the URLs.

Output, divided by tabs: `allowed` or `disallowed`, the URL, and why:
  disallowed   /tmp/x   line 2: Disallow: /tmp (MyBot named)
  allowed      /a       no rule matches (* answered)

Requests with --ndjson, one a line, with flags as the defaults of their options:
  {\"id\":1,\"robots\":\"User-agent: *\\nDisallow: /x\",\"agent\":\"MyBot\",\"url\":\"/x/y\"}
  {\"id\":2,\"robots_b64\":\"...\",\"agent\":\"MyBot\",\"urls\":[\"/a\",\"/b\"],\"options\":{\"status\":200}}
Answers: {\"v\":1,\"id\":1,\"allowed\":false,\"line\":2,...}; with urls, {\"v\":1,\"id\":2,\"results\":[...]}.

Exit codes:
  0  all URLs are allowed (with --ndjson: all requests have been answered)
  1  a URL is disallowed
  2  the command line or a file cannot be used
  3  refused, because of --on-over-limit";

pub(crate) const EXPLAIN: &str = "\
Shows a robots.txt file as this program reads it: each line with its number, what it means, and what was found on it, with \
the clause of SPEC.md in brackets. With --agent, the lines that speak to that crawler are marked with `>`.";

pub(crate) const AFTER_EXPLAIN: &str = "\
Examples:
  robosieve explain robots.txt
  robosieve explain --agent MyBot robots.txt
  curl -s https://example.com/robots.txt | robosieve explain --color always | less -R
  robosieve explain --json robots.txt

What is left out is what `robosieve filter` leaves out: with --agent for that crawler, without with --all-agents. Octets
that are not printable ASCII are shown as \\xNN.

Exit codes:
  0  fine, whatever was found
  2  the command line or a file cannot be used
  3  `filter` would refuse the file, because of --on-over-limit; it is shown all the same";

pub(crate) const INSPECT: &str = "\
Shows all that a robots.txt file says to your crawler: who answers, its rules in order of precedence, crawl delay, request \
rates, what the content may be used for. What belongs to the whole file follows: sitemaps, host, license, the agents it \
names, and the report.";

pub(crate) const AFTER_INSPECT: &str = "\
Examples:
  robosieve inspect --agent MyBot robots.txt
  robosieve inspect --agent MyBot --json robots.txt

Requests with --ndjson, one a line, with flags as the defaults of their options:
  {\"id\":1,\"robots\":\"User-agent: *\\nCrawl-delay: 5\",\"agent\":\"MyBot\"}

Exit codes:
  0  fine (with --ndjson: all requests have been answered)
  2  the command line or a file cannot be used
  3  refused, because of --on-over-limit";

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
Shows what changed for your crawler between two robots.txt files: rules and other lines that came or went, and a URL for \
each change that the two answer otherwise. Spelling, comments, the order of rules and other crawlers' records are no change.";

pub(crate) const AFTER_DIFF: &str = "\
Examples:
  robosieve diff --agent MyBot monday.txt tuesday.txt
  robosieve diff --agent MyBot --json monday.txt tuesday.txt
  curl -s https://example.com/robots.txt | robosieve diff --agent MyBot -q stored.txt - || echo changed

Exit codes:
  0  nothing changed
  1  something changed
  2  the command line or a file cannot be used
  3  refused, because of --on-over-limit";

pub(crate) const BATCH: &str = "\
Filters robots.txt files by the million: directories, lists of files, WARC archives, JSON lines. One record a file comes out, \
in the order of the input: status, outcome, canonical text and its hash, sitemaps, crawl delay, losses. It can be killed at \
any time; --resume continues, and the output is that of a run in one go, octet for octet.";

pub(crate) const AFTER_BATCH: &str = "\
Examples:
  robosieve batch --agent MyBot CC-MAIN-robotstxt.warc.gz -o policies.ndjson.zst
  robosieve batch --agent MyBot --dedup crawl/*.warc.gz -o policies.ndjson.gz    each text once
  robosieve batch --all-agents wild/ -o clean/                      clean/ mirrors wild/
  robosieve batch --all-agents crawl.warc -o clean/ --records clean.ndjson
  find wild -name robots.txt -print0 | robosieve batch --agent MyBot --files-from - -0 -o policies.ndjson
  robosieve batch --agent MyBot --input ndjson - < fetched.ndjson > policies.ndjson     one line in, one line out
  robosieve batch --agent MyBot --resume crawl.warc.gz -o policies.ndjson.zst           after an interrupt

Lines in, where the file is text or base64, and all else may be left out (without a file, the status decides):
  {\"id\":1,\"robots\":\"User-agent: *\\nDisallow: /x\",\"url\":\"https://e.com/robots.txt\",\"time\":\"2026-01-02T03:04:05Z\",\"status\":200}
  {\"id\":2,\"robots_b64\":\"...\",\"status\":301,\"location\":\"https://www.e.com/robots.txt\"}
Records out:
  {\"v\":1,\"id\":1,\"source\":\"-\",\"record\":1,\"url\":...,\"time\":...,\"status\":200,\"outcome\":\"rules\",\"octets\":26,
   \"answered_by\":\"everyone\",\"agent\":null,\"exact\":true,\"report\":...,\"sitemaps\":[],\"crawl_delay\":null,\"hash\":\"sha256:...\",\"text\":...}
outcome is rules, allow-all, disallow-all (the status decided), redirect, not-modified, revisit, refused or failed (with an
error); cli/README.md has the rest. Other records of an archive are counted and left out, and so are URLs other than /robots.txt,
unless --all-urls takes them. Links in a directory are not followed.

While it runs, OUTPUT.part and OUTPUT.journal lie beside OUTPUT (and OUTPUT.hashes, with --dedup); a file is renamed to OUTPUT
when it is whole. Of a file, 16 MiB are read at most, whatever --max-bytes says.

Exit codes:
  0  fine
  2  the command line cannot be used, or the output cannot be written
  3  some input could not be read or was refused; all else was processed";
