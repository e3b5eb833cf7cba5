//! The long help texts of the commands that use the network.
//!
//! Invariant: text only. Each text says what the command does, shows examples, and ends with the exit codes.

pub(super) const FETCH: &str = "\
Fetches the robots.txt of each URL's site and prints it as canonical text: with --agent for your crawler, otherwise for \
all crawlers. Writes the status, the redirects and every address it tried to the standard error. Stores nothing.";

pub(super) const AFTER_FETCH: &str = "\
Examples:
  robosieve fetch https://example.com/a/page
  robosieve fetch --agent 'MyBot/1.0 (+https://example.com/bot)' https://example.com/
  robosieve fetch --raw robots.txt https://example.com/           saves the original bytes too
  robosieve fetch --json https://example.com/ https://example.org/
  robosieve fetch --allow-private http://localhost:8000/
  robosieve fetch --resolve example.com:443:192.0.2.1 https://example.com/

If you give no User-Agent, robosieve's own is sent. With several sites, a comment above each text names the site.

Exit codes:
  0  every site has a file, and it was fetched
  1  a site has no file (status 400, 404 or 410)
  2  the command line or a file cannot be used
  3  a file could not be fetched, is incomplete, or is refused because of --fail-on";

pub(super) const CHECK: &str = "\
Says for each URL whether your crawler may fetch it now. Fetches the site's robots.txt if necessary, follows redirects, \
and saves the result with --store. Follows the site's crawl delay: the result says how long to wait. The User-Agent is \
sent with every request, and must say where to find more about your crawler.";

pub(super) const AFTER_CHECK: &str = "\
Examples:
  robosieve check https://example.com/a --agent 'MyBot/1.0 (+https://example.com/bot)'
  robosieve check https://example.com/a --agent 'MyBot/1.0 (+https://example.com/bot)' --store robots.sqlite
  robosieve check https://example.com/a https://example.com/b --json --agent '...'
  robosieve check - --agent '...' < urls.txt
  robosieve check https://example.com/a --agent Googlebot --user-agent 'MyTool/1.0 (+https://example.com/tool)'
  robosieve check https://example.com/a --policy strict --policy-set too-many-requests=unreachable --agent '...'
  robosieve check -q https://example.com/a --fail-on suspect --agent '...' && fetch https://example.com/a

The output columns are separated by tabs: verdict, URL, and the reason:
  allowed   https://example.com/a          now
  allowed   https://example.com/b          in 5 s, at 2026-11-21T14:08:39Z
  denied    https://example.com/private/c  line 2: Disallow: /private
  closed    the whole site is closed: because of the status of its robots.txt, or because it is unreachable
  not-now   no result yet: robots.txt could not be fetched, or the wait for this host is too long
  refused   --fail-on refuses the site's file
  unusable  not an http or https URL

The pace applies to the URLs of one run. Line numbers refer to the text that `robosieve site` shows.

Exit codes:
  0  all URLs are allowed, now or after a wait
  1  a URL is denied, or its site's response closes the site
  2  the command line or a file cannot be used
  3  a site is unreachable, or a URL is not-now, unusable or refused";

pub(super) const SITE: &str = "\
Shows what a store has about a site: the contents of its robots.txt, the time and result of the last fetch, the number \
of failures in a row, the time of the next attempt, and what the policy decides. Sends no request.";

pub(super) const AFTER_SITE: &str = "\
Examples:
  robosieve site --store robots.sqlite                       all sites, one per line
  robosieve site example.com --store robots.sqlite
  robosieve site http://example.com:8080 --store robots.sqlite --json
  robosieve site example.com --store robots.sqlite --clear   the next check fetches robots.txt again
  robosieve site --store robots.sqlite --clear-all
  sqlite3 robots.sqlite 'SELECT * FROM site'

Exit codes:
  0  success
  1  the site is not in the store
  2  the command line or the store cannot be used";

pub(super) const CRAWL_CHECK: &str = "\
Checks many URLs, one per line, and says when each may be fetched, so that no host gets requests too fast. Fetches the \
robots.txt files of several sites at the same time, once per site. Results are in the order of the URLs. With --wait they \
are in the order of their times, and each is printed when its time has come.";

pub(super) const AFTER_CRAWL_CHECK: &str = "\
Examples:
  robosieve crawl-check --files-from urls.txt --store robots.sqlite --agent 'MyBot/1.0 (+https://example.com/bot)'
  robosieve crawl-check --files-from - --json --agent '...' < urls.txt > plan.ndjson
  robosieve crawl-check --files-from urls.txt --wait --urls --agent '...' | xargs -n 1 fetch
  robosieve crawl-check --files-from urls.txt --per-domain --delay 2 --jobs 32 --agent '...'

A URL whose wait is longer than --max-wait is not-now. The output is like that of `robosieve check`.

Exit codes:
  0  all URLs are allowed, now or after a wait
  1  a URL is denied, or its site's response closes the site
  2  the command line or a file cannot be used
  3  a site is unreachable, or a URL is not-now, unusable or refused";
