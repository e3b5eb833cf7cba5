//! Writes a robots.txt file from groups, rules and sitemaps.
//!
//! Invariant: the text is one that the parser reads back as the same groups and rules, with no finding. What it could
//! not read back is an error, where it is given.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::time::Duration;

use crate::error::ConfigError;
use crate::path::form::PathForm;
use crate::path::pattern::PathPattern;
use crate::policy::address::HttpUrl;
use crate::policy::record::RuleKind;
use crate::policy::token::ProductToken;

/// A robots.txt file to write.
///
/// ```
/// use robosieve::write::{Group, RobotsTxt};
/// let file = RobotsTxt::new()
///     .group(Group::of(["GPTBot", "CCBot"])?.disallow("/")?)
///     .group(Group::everyone().disallow("/cart")?.allow("/cart/help")?)
///     .sitemap("https://shop.example/sitemap.xml".parse()?);
/// let text = file.to_string();
/// assert!(!robosieve::tester(text.as_bytes(), &["CCBot"]).is_allowed("/"));
/// assert_eq!(
///     text,
///     "User-agent: GPTBot\nUser-agent: CCBot\nDisallow: /\n\nUser-agent: *\nDisallow: /cart\nAllow: /cart/help\n\n\
///      Sitemap: https://shop.example/sitemap.xml\n"
/// );
/// # Ok::<(), robosieve::ConfigError>(())
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
    delay: Option<Duration>,
    rules: Vec<(RuleKind, String)>,
}

impl RobotsTxt {
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
    #[must_use]
    pub fn sitemap(mut self, url: HttpUrl) -> Self {
        self.sitemaps.push(url);
        self
    }
}

impl Group {
    /// The group for all agents that no other group names.
    #[must_use]
    pub const fn everyone() -> Self {
        Self { agents: Vec::new(), delay: None, rules: Vec::new() }
    }

    /// The group of these agents, by their product tokens. Without one, [`Group::everyone`].
    ///
    /// # Errors
    /// If a name is not a product token.
    pub fn of(names: impl IntoIterator<Item: AsRef<str>>) -> Result<Self, ConfigError> {
        let agents = names.into_iter().map(|name| ProductToken::new(name.as_ref())).collect::<Result<_, _>>()?;
        Ok(Self { agents, ..Self::everyone() })
    }

    /// Adds a rule: the paths that this pattern matches may be fetched.
    ///
    /// # Errors
    /// If the pattern begins with neither `/` nor `*`.
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

    /// Sets the crawl delay, in whole milliseconds.
    #[must_use]
    pub const fn crawl_delay(mut self, delay: Duration) -> Self {
        self.delay = Some(delay);
        self
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
        self.rules.push((kind, text.into()));
        Ok(self)
    }
}

impl fmt::Display for RobotsTxt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, group) in self.groups.iter().enumerate() {
            f.write_str(if place > 0 { "\n" } else { "" })?;
            group.fmt(f)?;
        }
        f.write_str(if self.groups.is_empty() || self.sitemaps.is_empty() { "" } else { "\n" })?;
        self.sitemaps.iter().try_for_each(|url| writeln!(f, "Sitemap: {url}"))
    }
}

impl fmt::Display for Group {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.agents.is_empty() {
            f.write_str("User-agent: *\n")?;
        }
        self.agents.iter().try_for_each(|agent| writeln!(f, "User-agent: {agent}"))?;
        if let Some(delay) = self.delay {
            let (whole, millis) = (delay.as_secs(), delay.subsec_millis());
            if millis == 0 {
                writeln!(f, "Crawl-delay: {whole}")?;
            } else {
                writeln!(f, "Crawl-delay: {whole}.{millis:03}")?;
            }
        }
        // A group without a rule would go on in the next one.
        if self.rules.is_empty() {
            f.write_str("Disallow:\n")?;
        }
        self.rules.iter().try_for_each(|(kind, pattern)| writeln!(f, "{}: {pattern}", kind.as_str()))
    }
}
