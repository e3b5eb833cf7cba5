//! What an archive has of a site: its robots.txt, and what leads to it.
//!
//! Invariant: a site is a scheme, a host and a port.

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

/// Whether the URL's path is `/robots.txt`.
pub(super) fn is_robots_txt(url: &str) -> bool {
    let after = url.split_once("://").map_or("", |(_, rest)| rest);
    let path = after.find('/').and_then(|at| after.get(at..)).unwrap_or_default();
    path.split(['?', '#']).next() == Some("/robots.txt")
}

/// The site of a URL: its scheme, host and port.
pub(super) fn site_of(url: &str) -> Option<String> {
    let site = HttpUrl::read(url)?.robots_txt();
    let site = site.as_str();
    let bare = site.strip_suffix("/robots.txt").unwrap_or(site);
    let usual = if bare.starts_with("https:") { ":443" } else { ":80" };
    Some(bare.strip_suffix(usual).unwrap_or(bare).to_owned())
}
