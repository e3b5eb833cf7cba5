//! Known crawlers: who runs them, for what, and whose groups they use.
//!
//! Invariant: all facts are in `data/crawlers.tsv`, each line with the page of the crawler's owner that documents it.

use robosieve::Interest;

const DATA: &str = include_str!("../data/crawlers.tsv");

/// A crawler that its owner documents.
///
/// ```
/// use robosieve_explain::Crawler;
///
/// let crawler = Crawler::find("googlebot-image").unwrap();
/// assert_eq!((crawler.token, crawler.owner), ("Googlebot-Image", "Google"));
/// assert_eq!(crawler.fallbacks().collect::<Vec<_>>(), ["Googlebot"]);
/// assert!(Crawler::all().filter(|crawler| crawler.is("ai")).any(|crawler| crawler.token == "GPTBot"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Crawler {
    /// Its product token.
    pub token: &'static str,
    /// Who runs it.
    pub owner: &'static str,
    /// Its kinds, separated by blanks.
    #[cfg_attr(feature = "serde", serde(skip))]
    kinds: &'static str,
    /// The tokens whose group it uses if none names it, separated by blanks.
    #[cfg_attr(feature = "serde", serde(skip))]
    fallbacks: &'static str,
    /// Whether it uses the group for `*` if none names it.
    pub uses_everyone: bool,
    /// What it fetches pages for.
    pub purpose: &'static str,
    /// The page of its owner that documents it.
    pub source: &'static str,
}

impl Crawler {
    /// The kinds of crawlers.
    pub const KINDS: [&'static str; 6] = ["ai", "search", "ads", "archive", "seo", "other"];

    /// All known crawlers.
    pub fn all() -> impl Iterator<Item = Self> {
        DATA.lines().filter(|line| !line.starts_with('#')).filter_map(Self::of_line)
    }

    /// The crawler with this product token, in any case.
    #[must_use]
    pub fn find(token: &str) -> Option<Self> {
        Self::all().find(|crawler| crawler.token.eq_ignore_ascii_case(token))
    }

    fn of_line(line: &'static str) -> Option<Self> {
        let mut fields = line.split('\t');
        let mut next = || fields.next();
        let (token, owner, kinds, fallbacks) = (next()?, next()?, next()?, next()?);
        let uses_everyone = next()? == "yes";
        Some(Self { token, owner, kinds, fallbacks, uses_everyone, purpose: next()?, source: next()? })
    }

    /// Whether it is of this kind.
    #[must_use]
    pub fn is(&self, kind: &str) -> bool {
        self.kinds.split(' ').any(|one| one == kind)
    }

    /// Its kinds.
    pub fn kinds(&self) -> impl Iterator<Item = &'static str> {
        self.kinds.split(' ')
    }

    /// The tokens whose group it uses if none names it, the most preferred first.
    pub fn fallbacks(&self) -> impl Iterator<Item = &'static str> {
        self.fallbacks.split(' ').filter(|token| !token.is_empty())
    }

    /// The groups that apply to it.
    #[must_use]
    pub fn interest(&self) -> Interest {
        let tokens: Vec<&str> = std::iter::once(self.token).chain(self.fallbacks()).collect();
        Interest::new(tokens.as_slice()).fallback(self.uses_everyone)
    }

    /// The groups that apply to an agent: as its owner documents it, if it is known.
    #[must_use]
    pub fn interest_of(agent: &str) -> Interest {
        Self::find(agent).map_or_else(|| Interest::new([agent]), |crawler| crawler.interest())
    }
}
