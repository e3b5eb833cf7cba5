//! Help texts of the commands that ask sites.
//!
//! Invariant: as those of the other commands: what it is for, examples, exit codes.

pub(super) const FETCH: &str = "\
Retrieves the robots.txt of each URL's site, and prints it as canonical text: for your crawler with --agent, for all crawlers \
without. How it went is told on the standard error: status, redirects, every address that was tried. Nothing is remembered.";

pub(super) const AFTER_FETCH: &str = "\
Examples:
  robosieve fetch https://example.com/a/page
  robosieve fetch --agent 'MyBot/1.0 (+https://example.com/bot)' https://example.com/
  robosieve fetch --raw robots.txt https://example.com/           the octets too
  robosieve fetch --json https://example.com/ https://example.org/
  robosieve fetch --allow-private http://localhost:8000/
  robosieve fetch --resolve example.com:443:192.0.2.1 https://example.com/

Without a User-Agent of yours, robosieve's own is sent. Texts of several sites stand below comments that name them.

Exit codes:
  0  every site has a file, and it came
  1  a site says that it has none (status 400, 404 or 410)
  2  the command line or a file cannot be used
  3  a file was not to be had, or broke off";

pub(super) const CHECK: &str = "\
Says for each URL whether your crawler may fetch it now. It asks the site for its robots.txt where that is due, follows redirects, \
remembers what it learned with --store, and keeps to the pace that the site asks for: the answer has the time to wait. Who asks is \
sent with every request, and has to say where to learn more.";

pub(super) const AFTER_CHECK: &str = "\
Examples:
  robosieve check https://example.com/a --agent 'MyBot/1.0 (+https://example.com/bot)'
  robosieve check https://example.com/a --agent 'MyBot/1.0 (+https://example.com/bot)' --store robots.sqlite
  robosieve check https://example.com/a https://example.com/b --json --agent '...'
  robosieve check - --agent '...' < urls.txt
  robosieve check https://example.com/a --agent Googlebot --user-agent 'MyTool/1.0 (+https://example.com/tool)'
  robosieve check https://example.com/a --policy strict --policy-set too-many-requests=unreachable --agent '...'
  robosieve check -q https://example.com/a --agent '...' && fetch https://example.com/a

Output, divided by tabs: verdict, URL, and why:
  allowed   https://example.com/a          now
  allowed   https://example.com/b          in 5 s, at 2026-11-21T14:08:39Z
  denied    https://example.com/private/c  line 2: Disallow: /private
  closed    the site is closed by the status of its robots.txt, or since it can't be reached
  not-now   it is not known yet, or others wait for the host
  unusable  no http or https URL

The pace is kept among the URLs of one run. Line numbers are those of the text that `robosieve site` shows.

Exit codes:
  0  all URLs are allowed, be it after a wait
  1  a URL is denied, or its site closed by what it answered
  2  the command line or a file cannot be used
  3  a site could not be reached, or it is not the time, or a URL is unusable";

pub(super) const SITE: &str = "\
Shows what a store remembers of a site: the contents of its robots.txt, when it was last asked for and what came of it, how many \
attempts have failed in a row, when the next will be, and what the policy makes of that. Nobody is asked.";

pub(super) const AFTER_SITE: &str = "\
Examples:
  robosieve site --store robots.sqlite                       all sites, one a line
  robosieve site example.com --store robots.sqlite
  robosieve site http://example.com:8080 --store robots.sqlite --json
  robosieve site example.com --store robots.sqlite --clear   it will be asked anew
  robosieve site --store robots.sqlite --clear-all
  sqlite3 robots.sqlite 'SELECT * FROM site'

Exit codes:
  0  fine
  1  the site is not in the store
  2  the command line or the store cannot be used";

pub(super) const CRAWL_CHECK: &str = "\
Checks many URLs, one a line, and says when each may be fetched, so that no host is asked faster than it wants. Sites are asked \
for their robots.txt at the same time, one retrieval a site. Answers come in the order of the URLs; with --wait in the order \
of their times, each when its time has come.";

pub(super) const AFTER_CRAWL_CHECK: &str = "\
Examples:
  robosieve crawl-check --files-from urls.txt --store robots.sqlite --agent 'MyBot/1.0 (+https://example.com/bot)'
  robosieve crawl-check --files-from - --json --agent '...' < urls.txt > plan.ndjson
  robosieve crawl-check --files-from urls.txt --wait --urls --agent '...' | xargs -n 1 fetch
  robosieve crawl-check --files-from urls.txt --per-domain --delay 2 --jobs 32 --agent '...'

A time that lies more than --max-wait ahead is not promised: such a URL is not-now. Output is that of `robosieve check`.

Exit codes:
  0  all URLs are allowed, be it after a wait
  1  a URL is denied, or its site closed by what it answered
  2  the command line or a file cannot be used
  3  a site could not be reached, or it is not the time, or a URL is unusable";
