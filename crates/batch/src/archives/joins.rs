//! Joins the redirects of an archive: which sites a file belongs to besides its own.
//!
//! Invariant: what is joined depends on the records before, so a run that reads an archive again from its beginning
//! joins the same. A chain has at most [`MAX_HOPS`] redirects, and each limit has a name. What is beyond one is not
//! joined. A newer record of a URL of a chain ends the chain, so no site's own word is older than what it is joined to.

use std::borrow::Cow;
use std::collections::hash_map::RandomState;
use std::collections::{HashMap, VecDeque};
use std::hash::BuildHasher as _;
use std::sync::Arc;

use robosieve::value::HttpUrl;

use super::site::{is_of_site, site_of};
use super::warc::{Kind, Record, Redirected};
use super::{digest, http};

/// The number of redirects that are followed: RFC 9309 2.3.1.2 asks for at least five.
pub(crate) const MAX_HOPS: u8 = 5;
/// The number of URLs that are waited for. Our choice: a crawler follows a redirect at once, so few wait.
const MAX_WAITING: usize = 1_024;
/// The number of sites that a file is joined to. Our choice: it bounds the rows of a record.
const MAX_SITES: usize = 8;
/// The number of URLs that the chains of all sites can have.
const MAX_THROUGH: usize = MAX_WAITING * MAX_SITES * MAX_HOPS as usize;
/// The length of a URL. Our choice: the longest that browsers and sitemaps take.
const MAX_URL: usize = 2_048;

/// The redirects whose targets have not come yet.
#[derive(Debug, Default)]
pub(super) struct Joins {
    /// By the target: when it was waited for first, and for which sites.
    waiting: HashMap<Arc<str>, (u64, Vec<Waiting>)>,
    order: VecDeque<(u64, Arc<str>)>,
    next: u64,
    /// What the chains through a URL wait for, by its hash: all of them for one target. Some may have ended.
    through: HashMap<u64, Arc<str>>,
    /// Two URLs with one hash end each other's chains.
    hashes: RandomState,
}

/// A site that waits for a target.
#[derive(Debug)]
struct Waiting {
    site: Redirected,
    /// The hashes of the URLs of its chain: its own, and those on the way.
    chain: Vec<u64>,
}

impl Joins {
    /// Gives a record the sites that it belongs to, or waits for the target of a redirect. `is_of_site` says whose
    /// redirects begin a chain.
    pub(super) fn join(&mut self, record: &mut Record, is_of_site: impl Fn(&str) -> bool) {
        if matches!(record.kind, Kind::Other(_)) {
            return;
        }
        let is_redirect = record.kind == Kind::Response && is_redirect(&record.block);
        if self.waiting.is_empty() && !is_redirect {
            return;
        }
        let Some(Cow::Borrowed(said)) = record.head.url() else { return };
        let Some(url) = HttpUrl::read(said) else { return };
        let target = if is_redirect { target(record, &url).map(|target| key(target.as_str(), &target)) } else { None };
        let key = key(said, &url);
        self.end(&key, target.as_deref());
        let mut sites = self.waiting.remove(&*key).map(|(_, sites)| sites).unwrap_or_default();
        if !is_redirect {
            record.redirected = sites.into_iter().map(|waiting| waiting.site).collect();
            return;
        }
        let Some(target) = target else { return };
        if is_of_site(said) && said.len() <= MAX_URL {
            sites.push(Waiting { site: Redirected { url: said.to_owned(), hops: 0 }, chain: Vec::new() });
        }
        let [here, there] = [&key, &target].map(|url| self.hashes.hash_one(url));
        for waiting in &mut sites {
            waiting.site.hops = waiting.site.hops.saturating_add(1);
            waiting.chain.push(here);
        }
        // A chain that comes back to its beginning says nothing new of it.
        sites.retain(|waiting| waiting.site.hops <= MAX_HOPS && waiting.chain.first() != Some(&there));
        if !sites.is_empty() {
            self.wait(&Arc::from(target), sites);
        }
    }

    /// Ends the chains through a URL: this record of it is newer, and leads to `target` or nowhere.
    fn end(&mut self, url: &str, target: Option<&str>) {
        let hash = self.hashes.hash_one(url);
        let Some(known) = self.through.get(&hash).filter(|known| Some(&***known) != target) else { return };
        if let Some((_, waiting)) = self.waiting.get_mut(known) {
            waiting.retain(|one| !one.chain.contains(&hash));
            if waiting.is_empty() {
                self.waiting.remove(known);
            }
        }
        self.through.remove(&hash);
    }

    fn wait(&mut self, target: &Arc<str>, sites: Vec<Waiting>) {
        let next = self.next;
        for hash in sites.iter().flat_map(|site| &site.chain) {
            self.through.insert(*hash, Arc::clone(target));
        }
        let (_, waiting) = self.waiting.entry(Arc::clone(target)).or_insert_with(|| (next, Vec::new()));
        for site in sites {
            waiting.retain(|known| known.chain.first() != site.chain.first());
            waiting.push(site);
        }
        let surplus = waiting.len().saturating_sub(MAX_SITES);
        waiting.drain(..surplus);
        self.order.push_back((next, Arc::clone(target)));
        self.next = next.saturating_add(1);
        while self.waiting.len() > MAX_WAITING
            && let Some((when, oldest)) = self.order.pop_front()
        {
            // It may have come, and be waited for again.
            if self.waiting.get(&oldest).is_some_and(|(since, _)| *since == when) {
                self.waiting.remove(&oldest);
            }
        }
        if self.order.len() > 2 * MAX_WAITING {
            self.order.retain(|(when, target)| self.waiting.get(target).is_some_and(|(since, _)| since == when));
        }
        if self.through.len() > 2 * MAX_THROUGH {
            let waiting = &self.waiting;
            self.through.retain(|hash, target| {
                waiting.get(target).is_some_and(|(_, sites)| sites.iter().any(|site| site.chain.contains(hash)))
            });
        }
    }
}

/// A URL in one spelling: that of a site's robots.txt without the port that the scheme has anyway.
fn key(said: &str, url: &HttpUrl) -> String {
    let site = site_of(said).filter(|_| is_of_site(said));
    site.map_or_else(|| url.as_str().to_owned(), |site| format!("{site}/robots.txt"))
}

/// Whether this is a response that leads elsewhere.
fn is_redirect(block: &[u8]) -> bool {
    let front = block.get(..16).unwrap_or(block);
    let status = front.strip_prefix(b"HTTP/").and_then(|rest| rest.split(|byte| *byte == b' ').nth(1));
    status
        .and_then(|status| status.get(..3))
        .is_some_and(|status| matches!(status, b"301" | b"302" | b"303" | b"307" | b"308"))
}

/// Where a redirect leads.
fn target(record: &Record, from: &HttpUrl) -> Option<HttpUrl> {
    // Bytes that are not those that the crawler received lead nowhere.
    if record.is_short || record.spoilt.is_some() || digest::check(record).is_err() {
        return None;
    }
    let location = http::read(&record.block, 0).ok()?.location?;
    let location = location.split('#').next().filter(|location| !location.is_empty() && location.len() <= MAX_URL)?;
    let is_relative = !location.starts_with('/') && HttpUrl::read(location).is_none();
    // A name alone is one below the root only if the redirect is from there.
    let is_at_root = from.as_str().matches('/').count() == 3;
    if is_relative && !is_at_root {
        return None;
    }
    HttpUrl::read(location).or_else(|| from.resolve(location))
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::*;
    use crate::warc::{Archive, Step};

    /// A record for each URL: a redirect if it leads somewhere.
    fn joined(records: &[(&str, &str)]) -> Vec<Vec<(String, u8)>> {
        let mut warc = String::new();
        for (url, to) in records {
            let block = if to.is_empty() {
                "HTTP/1.1 200 OK\r\n\r\nUser-agent: *\n".to_owned()
            } else {
                format!("HTTP/1.1 301 Moved\r\nLocation: {to}\r\n\r\n")
            };
            let head = format!("WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\n");
            let _ = write!(warc, "{head}Content-Length: {}\r\n\r\n{block}\r\n\r\n", block.len());
        }
        let mut archive = Archive::new(warc.as_bytes(), 10_000);
        let mut joins = Joins::default();
        let steps = std::iter::from_fn(|| archive.next_step().ok().flatten());
        let records = steps.filter_map(|step| match step {
            Step::Record(mut record) => {
                joins.join(&mut record, |url| url.ends_with("/robots.txt"));
                Some(record.redirected)
            }
            Step::Damage(_) => None,
        });
        records.map(|sites| sites.into_iter().map(|site| (site.url, site.hops)).collect()).collect()
    }

    fn last(records: &[(&str, &str)]) -> Vec<(String, u8)> {
        joined(records).pop().unwrap_or_default()
    }

    /// [batch.redirects]
    #[test]
    fn a_file_belongs_to_the_sites_that_led_to_it() {
        let (http, https) = ("http://e.com/robots.txt", "https://www.e.com/robots.txt");
        assert_eq!(joined(&[(http, https), (https, "")]), [vec![], vec![(http.to_owned(), 1)]]);
        // Relative, in another spelling, with a fragment, by a page that is no robots.txt.
        assert_eq!(last(&[(http, "/r.txt#x"), ("HTTP://E.com/r.txt", "")]), [(http.to_owned(), 1)]);
        assert_eq!(last(&[(http, "r.txt"), ("http://e.com/r.txt", "")]), [(http.to_owned(), 1)]);
        // Only what comes after it, and only once.
        assert_eq!(last(&[(https, ""), (http, https)]), []);
        assert_eq!(last(&[(http, https), (https, ""), (https, "")]), []);
        // In a circle.
        assert_eq!(last(&[(http, http), (http, "")]), []);
        assert_eq!(last(&[(http, https), (https, http), (http, "")]), [(https.to_owned(), 1)]);
        // What leads nowhere.
        for nowhere in ["", "http://", "mailto:a", "http://a b/"] {
            assert_eq!(last(&[(http, nowhere), (https, "")]), [], "{nowhere}");
        }
    }

    /// A stale redirect would answer for a site that has spoken since. [batch.redirects]
    #[test]
    fn a_newer_record_of_a_chain_ends_it() {
        let (from, to, other) = ("http://e.com/robots.txt", "http://w.com/robots.txt", "http://x.com/robots.txt");
        let of = |url: &str, hops| vec![(url.to_owned(), hops)];
        for newer in [from, "http://E.com:80/robots.txt", "http://e.com:/robots.txt"] {
            assert_eq!(last(&[(from, to), (newer, ""), (to, "")]), [], "{newer}");
            // It leads elsewhere, or nowhere.
            for elsewhere in [other, "mailto:a"] {
                assert_eq!(last(&[(from, to), (newer, elsewhere), (to, "")]), [], "{newer}");
            }
            // It leads there again.
            assert_eq!(last(&[(from, to), (newer, to), (to, "")]), of(newer, 1));
            // Another spelling of the first one is the same site.
            assert_eq!(last(&[(from, to), (to, newer), (from, "")]), of(to, 1));
        }
        // Its target came meanwhile.
        assert_eq!(last(&[(from, to), (from, other), (to, ""), (other, "")]), of(from, 1));
        // Another URL is not its own.
        for another in ["http://e.com/robots.txt?a", "http://e.com/", "http://e.com:81/robots.txt", other] {
            assert_eq!(last(&[(from, to), (another, ""), (to, "")]), of(from, 1), "{another}");
        }
        // On the way, and of one site of several.
        assert_eq!(last(&[(from, to), (to, other), (to, ""), (other, "")]), []);
        assert_eq!(last(&[(from, to), (to, other), (from, ""), (other, "")]), of(to, 1));
        assert_eq!(last(&[(from, to), (to, other), (to, other), (other, "")]).len(), 2);
        assert_eq!(last(&[(from, "/r"), ("http://e.com/r", to), ("http://e.com/r", ""), (to, "")]), []);
    }

    /// [batch.bounds]
    #[test]
    fn the_urls_of_chains_are_bounded() {
        let mut joins = Joins::default();
        for number in 0..2 * MAX_THROUGH + 1_000 {
            let site = Redirected { url: String::new(), hops: 1 };
            joins.wait(&number.to_string().into(), vec![Waiting { site, chain: vec![number as u64] }]);
            assert!(joins.through.len() <= 2 * MAX_THROUGH);
        }
        assert!(joins.waiting.len() == MAX_WAITING && joins.order.len() <= 2 * MAX_WAITING);
    }

    /// [batch.redirects] [batch.bounds]
    #[test]
    fn chains_and_what_waits_are_bounded() {
        for (hops, is_joined) in [(4, true), (5, true), (6, false)] {
            let urls: Vec<String> = (0..=hops).map(|hop| format!("http://h{hop}.com/robots.txt")).collect();
            let next = urls.iter().skip(1).map(String::as_str).chain([""]);
            let records: Vec<(&str, &str)> = urls.iter().map(String::as_str).zip(next).collect();
            let found = last(&records);
            assert_eq!(found.iter().any(|(url, _)| url.contains("//h0.")), is_joined, "{hops}");
        }
        for (sites, first) in [(7, "http://h0."), (8, "http://h0."), (9, "http://h1.")] {
            let urls: Vec<String> = (0..sites).map(|site| format!("http://h{site}.com/robots.txt")).collect();
            let mut records: Vec<(&str, &str)> =
                urls.iter().map(|url| (url.as_str(), "http://t.com/robots.txt")).collect();
            records.push(("http://t.com/robots.txt", ""));
            let found = last(&records);
            assert_eq!(found.len(), sites.min(MAX_SITES));
            assert!(found.first().is_some_and(|(url, _)| url.starts_with(first)), "{found:?}");
        }
        for (waiting, is_joined) in [(1_023, true), (1_024, true), (1_025, false)] {
            let urls: Vec<[String; 2]> =
                (0..waiting).map(|site| ["a", "b"].map(|host| format!("http://{host}{site}.com/robots.txt"))).collect();
            let mut records: Vec<(&str, &str)> = urls.iter().map(|[from, to]| (from.as_str(), to.as_str())).collect();
            records.push(("http://b0.com/robots.txt", ""));
            assert_eq!(last(&records).len(), usize::from(is_joined), "{waiting}");
        }
        for (length, is_joined) in [(2_047, true), (2_048, true), (2_049, false)] {
            let to = format!("http://t.com/{}", "x".repeat(length - "http://t.com/".len()));
            assert_eq!(last(&[("http://e.com/robots.txt", &to), (&to, "")]).len(), usize::from(is_joined), "{length}");
        }
    }
}
