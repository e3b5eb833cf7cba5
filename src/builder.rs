//! Writes a robots.txt file from groups, rules and sitemaps.
//!
//! Invariant: the text is one that the parser reads back as the same groups and rules, with no finding. What it could
//! not read back is an error, where it is given: each part is read back at once, and the length is checked at the end.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write as _;
use core::time::Duration;

use crate::error::ConfigError;
use crate::limits::Limits;
use crate::path::form::PathForm;
use crate::path::pattern::PathPattern;
use crate::policy::address::HttpUrl;
use crate::policy::parse::Parser;
use crate::policy::record::RuleKind;
use crate::policy::token::ProductToken;

/// A robots.txt file to write.
///
/// ```
/// use robosieve::write::{Group, RobotsTxt};
/// let text = RobotsTxt::new()
///     .group(Group::of(["GPTBot", "CCBot"])?.disallow("/")?)
///     .group(Group::everyone().disallow("/cart")?.allow("/cart/help")?)
///     .sitemap("https://shop.example/sitemap.xml".parse()?)?
///     .text()?;
/// assert!(!robosieve::tester(text.as_bytes(), ["CCBot"]).is_allowed("/"));
/// assert_eq!(
///     text,
///     "User-agent: GPTBot\nUser-agent: CCBot\nDisallow: /\n\nUser-agent: *\nDisallow: /cart\nAllow: /cart/help\n\n\
///      Sitemap: https://shop.example/sitemap.xml\n"
/// );
/// # Ok::<(), robosieve::settings::ConfigError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RobotsTxt {
    groups: Vec<Group>,
    sitemaps: Vec<HttpUrl>,
}

/// A group: its agents, and the rules for them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// None of them: `*`.
    agents: Vec<ProductToken>,
    /// In seconds, as it is written.
    delay: Option<String>,
    rules: Vec<(RuleKind, String)>,
}

impl RobotsTxt {
    /// The longest text: readers may stop after 500 KiB (RFC 9309 2.5).
    pub const MAX_BYTES: usize = Limits::DEFAULT.max_bytes;

    /// A file that allows everything.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a group. Groups of one agent count together.
    #[must_use]
    pub fn group(mut self, group: Group) -> Self {
        self.groups.push(group);
        self
    }

    /// Adds a sitemap.
    ///
    /// # Errors
    /// If the URL is longer than readers keep ([`Limits::max_value_length`]).
    pub fn sitemap(mut self, url: HttpUrl) -> Result<Self, ConfigError> {
        expect_plain(url.as_str(), &format!("Sitemap: {url}\n"))?;
        self.sitemaps.push(url);
        Ok(self)
    }

    /// The text of the file.
    ///
    /// # Errors
    /// If it is longer than [`RobotsTxt::MAX_BYTES`]: a reader would not see the rules at its end.
    pub fn text(&self) -> Result<String, ConfigError> {
        let mut text = String::new();
        for group in &self.groups {
            text.push_str(if text.is_empty() { "" } else { "\n" });
            group.write(&mut text);
        }
        text.push_str(if text.is_empty() || self.sitemaps.is_empty() { "" } else { "\n" });
        for url in &self.sitemaps {
            // Writing to memory does not fail.
            let _ = writeln!(text, "Sitemap: {url}");
        }
        if text.len() > Self::MAX_BYTES { Err(ConfigError::FileTooLong(text.len())) } else { Ok(text) }
    }
}

/// Checks that a part of the file, alone, is read without a finding.
fn expect_plain(part: &str, file: &str) -> Result<(), ConfigError> {
    match Parser::default().parse(file.as_bytes()).report().details().first() {
        Some(finding) => Err(ConfigError::NotReadBack { part: part.into(), finding: finding.kind }),
        None => Ok(()),
    }
}

impl Group {
    /// The group for all agents that no other group names.
    #[must_use]
    pub const fn everyone() -> Self {
        Self { agents: Vec::new(), delay: None, rules: Vec::new() }
    }

    /// The group of these agents, by their product tokens.
    ///
    /// # Errors
    /// If a name is not a product token, or is longer than readers keep ([`Limits::max_name_length`]). If there is no name:
    /// the rules would be for everyone, see [`Group::everyone`].
    pub fn of(names: impl IntoIterator<Item: AsRef<str>>) -> Result<Self, ConfigError> {
        let mut group = Self::everyone();
        for name in names {
            let token = ProductToken::new(name.as_ref())?;
            expect_plain(token.as_str(), &format!("User-agent: {token}\nDisallow:\n"))?;
            group.agents.push(token);
        }
        if group.agents.is_empty() { Err(ConfigError::ProductToken(String::new())) } else { Ok(group) }
    }

    /// Adds a rule: the paths that this pattern matches may be fetched.
    ///
    /// # Errors
    /// If the pattern begins with neither `/` nor `*`, or if readers would leave it out ([`Limits::max_value_length`],
    /// [`Limits::max_wildcards`]).
    pub fn allow(self, pattern: &str) -> Result<Self, ConfigError> {
        self.rule(RuleKind::Allow, pattern)
    }

    /// Adds a rule: the paths that this pattern matches may not be fetched.
    ///
    /// # Errors
    /// As [`Group::allow`].
    pub fn disallow(self, pattern: &str) -> Result<Self, ConfigError> {
        self.rule(RuleKind::Disallow, pattern)
    }

    /// Sets the crawl delay, rounded up to the millisecond.
    ///
    /// # Errors
    /// If it is over a day: readers take that for a mistake.
    pub fn crawl_delay(mut self, delay: Duration) -> Result<Self, ConfigError> {
        let millis = delay.as_nanos().div_ceil(1_000_000);
        let (whole, part) = (millis / 1_000, millis % 1_000);
        let seconds = if part == 0 { format!("{whole}") } else { format!("{whole}.{part:03}") };
        expect_plain(&seconds, &format!("User-agent: *\nCrawl-delay: {seconds}\nDisallow:\n"))?;
        self.delay = Some(seconds);
        Ok(self)
    }

    fn rule(mut self, kind: RuleKind, pattern: &str) -> Result<Self, ConfigError> {
        let wrong = || ConfigError::RulePattern(pattern.into());
        if !pattern.starts_with(['/', '*']) {
            return Err(wrong());
        }
        // A `#` begins a comment.
        let written = pattern.replace('#', "%23");
        let normal = PathPattern::new(written.as_bytes(), PathForm::default());
        let text = core::str::from_utf8(normal.as_bytes()).ok().filter(|_| normal.is_writable()).ok_or_else(wrong)?;
        expect_plain(pattern, &format!("User-agent: *\n{kind}: {text}\n"))?;
        self.rules.push((kind, text.into()));
        Ok(self)
    }

    fn write(&self, text: &mut String) {
        if self.agents.is_empty() {
            text.push_str("User-agent: *\n");
        }
        // Writing to memory does not fail.
        for agent in &self.agents {
            let _ = writeln!(text, "User-agent: {agent}");
        }
        if let Some(delay) = &self.delay {
            let _ = writeln!(text, "Crawl-delay: {delay}");
        }
        // A group without a rule would go on in the next one.
        if self.rules.is_empty() {
            text.push_str("Disallow:\n");
        }
        for (kind, pattern) in &self.rules {
            let _ = writeln!(text, "{kind}: {pattern}");
        }
    }
}
