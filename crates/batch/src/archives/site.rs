//! What an archive has of a site: its robots.txt, and what leads to it.
//!
//! Invariant: a site is a scheme, a host and a port, and has one robots.txt, whose URL has nothing besides the site and
//! the path `/robots.txt`.

use robosieve::value::HttpUrl;

use super::outcome::Outcome;

/// A site whose robots.txt led to a file by redirects.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Redirected {
    /// The URL of its robots.txt.
    pub url: String,
    /// The number of redirects, from 1 to 5.
    pub hops: u8,
}

/// What an archive has of the robots.txt of a page's site, before the page.
#[derive(Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SiteFile {
    /// The number of its record in the archive, from 1.
    pub record: u64,
    /// What came of it: its rules, or what its status or its damage means.
    pub outcome: Outcome,
    /// The number of redirects that led to it.
    pub redirects: u8,
    /// Its bytes, if it has rules.
    pub bytes: Vec<u8>,
    /// Whether they are all of it. If not, what is missing may forbid.
    pub is_whole: bool,
}

/// Whether the URL's path is `/robots.txt`, with or without a query.
pub(super) fn is_robots_txt(url: &str) -> bool {
    let after = url.split_once("://").map_or("", |(_, rest)| rest);
    let path = after.find('/').and_then(|at| after.get(at..)).unwrap_or_default();
    path.split(['?', '#']).next() == Some("/robots.txt")
}

/// Whether this is the URL of a site's robots.txt: it has no query, no fragment and no user.
///
/// ```
/// use robosieve_batch::is_of_site;
/// assert!(is_of_site("https://e.com/robots.txt"));
/// assert!(!is_of_site("https://e.com/robots.txt?a") && !is_of_site("https://e.com/robots.txt#/robots.txt"));
/// ```
#[must_use]
pub fn is_of_site(url: &str) -> bool {
    url.ends_with("/robots.txt")
        && !url.contains('#')
        && HttpUrl::read(url).is_some_and(|read| read == read.robots_txt())
}

/// The site of a URL: its scheme and host, and its port if that is not the usual one. The rest of the URL may have any
/// length, the host as many bytes as a host can have.
///
/// ```
/// use robosieve_batch::site_of;
/// assert_eq!(site_of("https://E.com:443/a?b").as_deref(), Some("https://e.com"));
/// assert_eq!(site_of("e.com/a"), None);
/// ```
#[must_use]
pub fn site_of(url: &str) -> Option<String> {
    let start = url.find("://")?.saturating_add(3);
    let end = url.get(start..)?.find(['/', '?', '#']).map_or(url.len(), |length| start.saturating_add(length));
    let site = HttpUrl::read(url.get(..end)?)?.robots_txt();
    let site = site.as_str();
    let bare = site.strip_suffix("/robots.txt").unwrap_or(site);
    // The colons of an IPv6 address are in brackets.
    let Some((name, port)) = bare.rsplit_once(':').filter(|(_, port)| !port.contains([']', '/'])) else {
        return Some(bare.to_owned());
    };
    let usual = if bare.starts_with("https:") { "443" } else { "80" };
    let port = port.trim_start_matches('0');
    Some(if port.is_empty() || port == usual { name.to_owned() } else { format!("{name}:{port}") })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// [batch.sites]
    #[test]
    fn only_robots_txt_itself_is_that_of_a_site() {
        for url in ["http://e.com/robots.txt", "HTTPS://E.com:8080/robots.txt", "http://e.com:/robots.txt"] {
            assert!(is_of_site(url), "{url}");
        }
        for url in [
            "http://e.com/robots.txt?",
            "http://e.com/robots.txt?lang=de",
            "http://e.com/robots.txt#a",
            "http://x@e.com/robots.txt",
            "http://e.com/a/robots.txt",
            "http://e.com//robots.txt",
            "http://e.com/./robots.txt",
            "http://e.com/%72obots.txt",
            "http://e.com/ROBOTS.TXT",
            "http://e.com?/robots.txt",
            "http://e.com#/robots.txt",
            "http://e.com\\a/robots.txt",
            "http:///robots.txt",
            "ftp://e.com/robots.txt",
            "/robots.txt",
            "",
        ] {
            assert!(!is_of_site(url), "{url}");
        }
    }

    /// [batch.sites] [batch.bounds]
    #[test]
    fn a_site_is_a_scheme_a_host_and_a_port() {
        let is = |url: &str, site: Option<&str>| assert_eq!(site_of(url).as_deref(), site, "{url}");
        for url in ["http://E.com", "http://e.com:80/a", "http://e.com:/", "http://u@e.com:0080?a", "http://e.com#a/b"]
        {
            is(url, Some("http://e.com"));
        }
        is("https://e.com:80/", Some("https://e.com:80"));
        is("https://e.com:0443/", Some("https://e.com"));
        is("http://[::1]/", Some("http://[::1]"));
        is("http://[::1]:080/", Some("http://[::1]"));
        is("http://e.com/\u{fffd} \n", Some("http://e.com"));
        for url in
            ["", "/a", "dns:e.com", "ftp://e.com/", "http://", "http:///a", "http://\u{fffd}.com/", "http://a b/"]
        {
            is(url, None);
        }
        for length in [2_047, 2_048, 2_049, 60_000] {
            is(&format!("http://e.com/{}", "x".repeat(length - "http://e.com/".len())), Some("http://e.com"));
        }
        for (length, has_site) in [(252, true), (253, true), (254, false)] {
            let host = format!("{}{}", "x.".repeat(120), "y".repeat(length - 240));
            assert_eq!(site_of(&format!("http://{host}/")).is_some(), has_site, "{length}");
        }
    }
}
