//! URLs of another site than the file is of: that site's own file decides.

use robosieve::value::HttpUrl;
use robosieve_ask::Plan;

use crate::{exit, text};

/// The answers for such URLs.
pub(super) struct Strangers<'p> {
    /// The site that the file is of, if it is known.
    site: Option<&'p HttpUrl>,
    /// The first URL of another site.
    first: Option<String>,
    count: u64,
}

impl<'p> Strangers<'p> {
    pub(super) const fn new(plan: &'p Plan) -> Self {
        Self { site: plan.verdicts.base_url.as_ref(), first: None, count: 0 }
    }

    /// Takes in an answer for a URL. A path is of the site that its file is of.
    pub(super) fn add(&mut self, url: &[u8]) {
        let is_other = |site: &HttpUrl| {
            let whole = HttpUrl::read(url).or_else(|| site.resolve(url));
            whole.is_some_and(|whole| origin(&whole) != origin(site))
        };
        if self.site.is_some_and(is_other) {
            self.first.get_or_insert_with(|| text::escape(url));
            self.count = self.count.saturating_add(1);
        }
    }

    /// Reports them, on the standard error.
    pub(super) fn tell(self) {
        let Some(url) = self.first else { return };
        let what = text::counted(self.count, "answer is", "answers are");
        let site = text::escape(self.site.map_or("", HttpUrl::as_str).as_bytes());
        exit::tell(&format!(
            "{what} for a URL of another site than {site} (--base-url), as {url}: its own file decides"
        ));
    }
}

/// Scheme, host and port of a URL.
fn origin(url: &HttpUrl) -> String {
    let file = url.robots_txt();
    let site = file.as_str().trim_end_matches("/robots.txt");
    let usual = if site.starts_with("https:") { ":443" } else { ":80" };
    site.strip_suffix(usual).unwrap_or(site).to_owned()
}
