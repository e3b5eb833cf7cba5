//! What help says about the commands that use the network, as in [`crate::help`].

pub(super) const FETCH: &str = "\
Fetches the robots.txt of each URL's site and prints it as canonical text: with --agent for your crawler, otherwise \
for all crawlers. Writes the status, the redirects and every address it tried to the standard error. Stores nothing.";

pub(super) const CHECK: &str = "\
Says for each URL whether your crawler may fetch it now. Fetches the site's robots.txt if necessary, follows \
redirects, and saves the result with --store. Follows the site's crawl delay: the result says how long to wait. A \
User-Agent that says where to find more about the crawler is sent with every request: yours, or robosieve's own if \
--agent is only a product token.";

pub(super) const SITE: &str = "\
Shows what a store has about a site: the contents of its robots.txt, the time and result of the last fetch, the number \
of failures in a row, the time of the next attempt, and what the policy decides. Sends no request.";

pub(super) const CRAWL_CHECK: &str = "\
Checks many URLs, one per line, and says when each may be fetched, so that no host gets requests too fast. Fetches the \
robots.txt files of several sites at the same time, once per site. Results are printed as they are known: those of a \
site in the order of its URLs, all of them in order with --in-order. With --wait they are in the order of their times, \
and each is printed when its time has come.";

pub(super) const PAGE: &str = "\
Serves the page for browsers on this machine and opens it: paste a robots.txt file, or name a live site, and see who \
may fetch what. Only this machine can reach it. Files of live sites are fetched as `fetch` does, from global addresses \
only. With --url, prints the file of a live site in words instead.";

pub(super) const SERVE: &str = "\
Answers crawlers in any language over HTTP, until it is ended by SIGTERM or SIGINT. Prints its address. `GET \
/v1/check?url=URL` has the JSON of `check --json`; `POST /v1/check` takes many URLs, and `POST /v1/done` how a page \
ended, so that a 429 slows its host down. `GET /openapi.json` describes all that it answers. Without --token-file only \
this machine can reach it.";
