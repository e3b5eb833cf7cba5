//! [`SitemapUrls`]: the URLs of a site's sitemaps that its robots.txt closes.
//!
//! Invariant: there is one lint for each line that closes some, however many they are. A URL of another site is asked
//! nothing.

use std::collections::BTreeMap;

use robosieve::settings::{Options, Refused};
use robosieve::value::HttpUrl;
use robosieve::verdict::SiteAccess;

use super::{Columns, Lint, LintKind, Linted, Unlisted, shown};
use crate::asked::Asked;
use crate::counted::counted;
use crate::names::{Groups, Names};

/// The crawlers that are asked about: those without a group of their own, and those of search engines that read
/// sitemaps. Our choice.
const CRAWLERS: [&str; 3] = ["*", "Googlebot", "Bingbot"];

/// The URLs of a site's sitemaps, as they are read.
///
/// ```
/// use robosieve_explain::{Linter, SitemapUrls};
///
/// let file = b"User-agent: *\nDisallow: /old/\n";
/// let mut urls = SitemapUrls::new(file, &Default::default(), None)?;
/// urls.add("https://e.com/old/a", "map.xml");
/// urls.add("https://e.com/new/a", "map.xml");
/// let mut linted = Linter::default().lint(file);
/// linted.add_sitemap_urls(&urls);
/// let lint = &linted.lints()[0];
/// assert_eq!((lint.kind.as_str(), lint.line, urls.seen()), ("sitemap-url-closed", 2, 2));
/// # Ok::<(), robosieve::settings::Refused>(())
/// ```
#[derive(Debug)]
pub struct SitemapUrls<'a> {
    asked: Vec<(&'static str, Asked<'a>)>,
    site: Option<HttpUrl>,
    closed: BTreeMap<u32, Closed>,
    seen: u64,
    elsewhere: u64,
}

/// What a line closes.
#[derive(Debug)]
struct Closed {
    count: u64,
    /// The first URL, and the sitemap that has it.
    first: (String, String),
    /// The crawlers, by their place.
    crawlers: [bool; CRAWLERS.len()],
}

impl<'a> SitemapUrls<'a> {
    /// Reads the robots.txt. `base`: a URL of its site; without it, the site is that of the first URL.
    ///
    /// # Errors
    /// If the options refuse the file.
    pub fn new(input: &'a [u8], options: &Options, base: Option<&HttpUrl>) -> Result<Self, Refused> {
        let ask = |name: &'static str| {
            let groups: Groups = Names::Known.groups([name]);
            let options = groups.options(options.clone().for_verdicts());
            Ok((name, Asked::read(input, &options, &groups, SiteAccess::Rules)?))
        };
        let asked = CRAWLERS.into_iter().map(ask).collect::<Result<_, Refused>>()?;
        let site = base.map(HttpUrl::robots_txt);
        Ok(Self { asked, site, closed: BTreeMap::new(), seen: 0, elsewhere: 0 })
    }

    /// Adds a URL of a sitemap. Cost: a verdict for each of three crawlers.
    pub fn add(&mut self, url: &str, sitemap: &str) {
        self.seen = self.seen.saturating_add(1);
        let site = HttpUrl::read(url).map(|url| url.robots_txt());
        let Some(site) = site.filter(|site| self.site.as_ref().is_none_or(|own| own == site)) else {
            self.elsewhere = self.elsewhere.saturating_add(1);
            return;
        };
        self.site = Some(site);
        let mut lines: Vec<u32> = Vec::new();
        for (place, (_, asked)) in self.asked.iter().enumerate() {
            let answer = asked.answer(url.as_bytes());
            let Some(line) = answer.line.filter(|_| !answer.allowed) else { continue };
            let closed = self.closed.entry(line).or_insert_with(|| Closed {
                count: 0,
                first: (shown(url.as_bytes()), shown(sitemap.as_bytes())),
                crawlers: Default::default(),
            });
            if !lines.contains(&line) {
                closed.count = closed.count.saturating_add(1);
                lines.push(line);
            }
            if let Some(crawler) = closed.crawlers.get_mut(place) {
                *crawler = true;
            }
        }
    }

    /// The number of URLs that were added.
    #[must_use]
    pub const fn seen(&self) -> u64 {
        self.seen
    }

    /// The number of those that are of another site, or no URL. They were asked nothing.
    #[must_use]
    pub const fn elsewhere(&self) -> u64 {
        self.elsewhere
    }
}

impl Linted<'_> {
    /// Adds a lint for each line that closes URLs of a sitemap.
    pub fn add_sitemap_urls(&mut self, urls: &SitemapUrls<'_>) {
        const KIND: LintKind = LintKind::SitemapUrlClosed;
        for (number, closed) in &urls.closed {
            let Some(line) = self.file.line_at(*number) else { continue };
            let names = CRAWLERS.into_iter().zip(closed.crawlers).filter(|(_, is_closed)| *is_closed);
            let to: Vec<&str> =
                names.map(|(name, _)| if name == "*" { "crawlers without a group" } else { name }).collect();
            let (url, sitemap) = &closed.first;
            let count = counted(closed.count, "URL", "URLs");
            let message = format!(
                "this line closes {count} of a sitemap to {}: `{url}` of {sitemap} is the first",
                to.join(", ")
            );
            let lint = Lint::new(KIND, &line, Columns::of_value(&line), message)
                .with_help("open them with an Allow line, or leave them out of the sitemap");
            let same = self.lints.iter().filter(|lint| lint.kind == KIND).count();
            if same < Self::MAX_OF_A_KIND {
                let place = self.lints.partition_point(|lint| lint.line <= *number);
                self.lints.insert(place, lint);
            } else {
                self.more.push(Unlisted { line: lint.line, kind: KIND, severity: KIND.severity() });
            }
        }
    }
}
