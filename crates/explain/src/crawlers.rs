//! Known crawlers: who runs them, for what, and whose groups they use.
//!
//! Invariant: all facts are in `data/`. A crawler that uses other groups than its name says is in `crawlers.tsv`, with
//! the page of its owner that documents it.

use std::collections::HashMap;
use std::sync::LazyLock;

use robosieve::parts::is_one_edit;
use robosieve::settings::Agent;
use robosieve::{Sieve, Sieved};

use crate::counted::listed;
use crate::table::rows;

/// A known crawler.
///
/// ```
/// use robosieve_explain::Crawler;
///
/// let crawler = Crawler::find("googlebot-image").unwrap();
/// assert_eq!((crawler.token, crawler.owner), ("Googlebot-Image", "Google"));
/// assert_eq!(crawler.fallbacks().collect::<Vec<_>>(), ["Googlebot"]);
/// assert!(Crawler::all().filter(|crawler| crawler.is("ai")).any(|crawler| crawler.token == "GPTBot"));
/// assert_eq!(Crawler::near("GTPBot").unwrap().token, "GPTBot");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[allow(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
#[non_exhaustive]
pub struct Crawler {
    /// Its product token, or its name if that is none.
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
    /// Whether its owner says that it ignores robots.txt, always or in some cases.
    pub ignores_robots_txt: bool,
    /// Whether a page of its owner documents it. Of others only the name is certain.
    pub documented: bool,
    /// What it fetches pages for.
    pub purpose: &'static str,
    /// The page of its owner that documents it, or else where its name is from.
    pub source: &'static str,
}

impl Crawler {
    /// The kinds of crawlers.
    pub const KINDS: [&'static str; 6] = ["ai", "search", "ads", "archive", "seo", "other"];

    /// All crawlers that their owners document.
    pub fn all() -> impl Iterator<Item = &'static Self> {
        Self::every().filter(|crawler| crawler.documented)
    }

    /// All known crawlers: those that their owners document, and then those of which only the name is known.
    pub fn every() -> impl Iterator<Item = &'static Self> {
        ALL.iter()
    }

    /// Those that do not use the groups for `*`, but obey others.
    pub fn with_own_groups() -> impl Iterator<Item = &'static Self> {
        Self::every().filter(|crawler| !crawler.uses_everyone && !crawler.ignores_robots_txt)
    }

    /// The text of all agents for a part of a file, of which `sieved` was made. What is missing may name crawlers that use
    /// no groups for `*`: each that the part does not name has a group that closes the site for it.
    #[must_use]
    pub fn text_of_part(sieve: &Sieve, sieved: &Sieved<'_>) -> String {
        let set = sieved.records();
        let agents: Vec<_> = set.records().flat_map(|record| record.agents().iter()).collect();
        let is_named = |name| agents.iter().any(|line| line.names(&Agent::new(name), set.options().agents));
        let is_known = |crawler: &'static Self| std::iter::once(crawler.token).chain(crawler.fallbacks()).any(is_named);
        let others = Self::with_own_groups().filter(|crawler| !is_known(crawler));
        let mut text = sieved.text().to_owned();
        text.extend(others.map(|crawler| format!("\nUser-agent: {}\nDisallow: /\n", crawler.token)));
        let made = sieve.clone().with(|options| options.complete = true).filter(text.as_bytes()).map(Sieved::into_text);
        made.unwrap_or(text)
    }

    /// The crawler with this name, in any case: a product token, and more after it as in `Googlebot/2.1`.
    #[must_use]
    pub fn find(name: &str) -> Option<&'static Self> {
        let of = |name: &str| BY_NAME.get(&name.to_ascii_lowercase()).copied();
        let name = name.trim_matches([' ', '\t']);
        let token = token_of(name);
        Some(name)
            .filter(|name| name.len() <= LONGEST)
            .and_then(of)
            .or_else(|| Some(token).filter(|token| token.len() <= LONGEST && *token != name).and_then(of))
    }

    /// The crawler that a name may be meant for: it is one letter more or less, one other letter, or two letters
    /// exchanged away from its token, in any case. None for the name of a known crawler. Cost: a look at the few known
    /// names that are as long.
    #[must_use]
    pub fn near(name: &str) -> Option<&'static Self> {
        let token = token_of(name);
        let lengths = token.len().saturating_sub(1)..=token.len().saturating_add(1);
        let near = lengths.filter_map(|length| BY_LENGTH.get(&length)).flatten();
        let near = near.filter(|crawler| is_one_edit(token.as_bytes(), crawler.token.as_bytes()));
        // The name of a known crawler needs no other.
        near.min_by_key(|crawler| !crawler.documented).filter(|_| Self::find(name).is_none()).copied()
    }

    /// Why a word among names of crawlers is none: it is meant as a list, since it has a colon, which no product token has
    /// (RFC 9309 2.2.1), or is one slip of the pen from `words`. In a header, a colon is one of a URL.
    #[must_use]
    pub fn no_name(word: &str, words: &[&str]) -> Option<String> {
        let shown = robosieve_printable::escape(word.as_bytes());
        if word.contains(':') && !word.contains(['/', '(']) {
            return Some(format!("`{shown}` is no list, and the name of a crawler has no colon"));
        }
        let is_meant = |known: &&&str| {
            word != **known && (word.eq_ignore_ascii_case(known) || is_one_edit(word.as_bytes(), known.as_bytes()))
        };
        words.iter().find(is_meant).map(|meant| format!("`{shown}`: did you mean `{meant}`?"))
    }

    /// What to say of a name that is a company's, or its product's, and no crawler's: the names of its crawlers. None for
    /// a crawler's name.
    ///
    /// ```
    /// let words = robosieve_explain::Crawler::owned_words("ChatGPT").unwrap();
    /// assert!(words.starts_with("no crawler has the name ChatGPT; those of OpenAI are GPTBot, "));
    /// ```
    #[must_use]
    pub fn owned_words(name: &str) -> Option<String> {
        if Self::find(name).is_some_and(|known| known.documented) {
            return None;
        }
        let product = PRODUCTS.iter().find(|[product, _]| product.eq_ignore_ascii_case(name));
        let owner = product.map_or(name, |[_, owner]| *owner);
        // Our choice: a letter or two is a name of somebody's own crawler.
        let is_named = owner != name
            || owner.len() > 2 && !["unknown", "mozilla"].iter().any(|other| owner.eq_ignore_ascii_case(other));
        // A list has the name of OpenAI as that of a crawler, which no page of OpenAI's does.
        let is_listed = Self::find(name).is_some();
        let is_other = |known: &&Self| known.owner.eq_ignore_ascii_case(owner) && (known.documented || !is_listed);
        // A user-agent line of `Linguee Bot` is read as `Linguee`.
        let is_first_word = |known: &Self| {
            token_of(known.token).len() < known.token.len() && token_of(known.token).eq_ignore_ascii_case(name)
        };
        let first = Self::every().find(|known| is_named && is_other(known))?;
        if owner == name && Self::every().any(is_first_word) {
            return None;
        }
        let others: Vec<&str> = Self::every().filter(is_other).map(|known| known.token).collect();
        let owner = first.owner;
        let name = robosieve_printable::escape_short(name.as_bytes());
        let no = if is_listed { "no crawler is documented by" } else { "no crawler has" };
        Some(format!("{no} the name {name}; those of {owner} are {}", listed(&others, 5)))
    }

    /// Whether it is of this kind.
    #[must_use]
    pub fn is(&self, kind: &str) -> bool {
        self.kinds().any(|one| one == kind)
    }

    /// Its kinds.
    pub fn kinds(&self) -> impl Iterator<Item = &str> {
        self.kinds.split(' ').filter(|kind| !kind.is_empty())
    }

    /// The tokens whose group it uses if none names it, the most preferred first.
    pub fn fallbacks(&self) -> impl Iterator<Item = &'static str> + use<> {
        self.fallbacks.split(' ').filter(|token| !token.is_empty())
    }

    /// Reads a row of `crawlers.tsv`, or what `listed.tsv` says.
    fn read([token, owner, kinds, fallbacks, reads, purpose, source]: [&'static str; 7], documented: bool) -> Self {
        Self {
            token,
            owner,
            kinds,
            fallbacks,
            uses_everyone: reads != "own",
            ignores_robots_txt: reads == "ignores",
            documented,
            purpose,
            source,
        }
    }

    /// Whether its owner documents that it uses other groups than its name says: a fallback, or not those for `*`.
    #[must_use]
    pub fn differs(&self) -> bool {
        !self.fallbacks.is_empty() || !self.uses_everyone
    }
}

/// The product token at the front of a name: what a user-agent line with this name is read as.
fn token_of(name: &str) -> &str {
    let length = name.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(byte)).count();
    let token = name.get(..length).unwrap_or_default();
    if token.parse::<Agent>().is_ok() { token } else { "" }
}

/// Those that their owners document, and after them those of which only the name is known.
static ALL: LazyLock<Vec<Crawler>> = LazyLock::new(|| {
    let documented = rows(include_str!("../data/crawlers.tsv")).map(|row| Crawler::read(row, true));
    let listed = rows(include_str!("../data/listed.tsv"));
    let listed = listed.map(|[token, owner, kinds, purpose, source]| [token, owner, kinds, "", "", purpose, source]);
    documented.chain(listed.map(|row| Crawler::read(row, false))).collect()
});

/// Products by whose names owners of sites know a company, and the company.
static PRODUCTS: LazyLock<Vec<[&str; 2]>> = LazyLock::new(|| rows(include_str!("../data/products.tsv")).collect());

/// The places of crawlers, by their names in small letters.
static BY_NAME: LazyLock<HashMap<String, &'static Crawler>> =
    LazyLock::new(|| ALL.iter().map(|crawler| (crawler.token.to_ascii_lowercase(), crawler)).collect());

/// The longest name that is looked up: no known one is as long.
const LONGEST: usize = 100;

/// A shorter name is one edit away from many words. Our choice.
const SHORTEST: usize = 5;

/// The same for names of which no page is known: some are words of every day, such as `Spider`. Our choice.
const SHORTEST_LISTED: usize = 7;

/// The crawlers by the length of their names, those with a page first: a name is compared with those that are as long,
/// or one letter longer or shorter.
static BY_LENGTH: LazyLock<HashMap<usize, Vec<&'static Crawler>>> = LazyLock::new(|| {
    let mut by_length: HashMap<usize, Vec<&'static Crawler>> = HashMap::new();
    for crawler in Crawler::every() {
        let shortest = if crawler.documented { SHORTEST } else { SHORTEST_LISTED };
        if crawler.token.len() >= shortest && token_of(crawler.token) == crawler.token {
            by_length.entry(crawler.token.len()).or_default().push(crawler);
        }
    }
    by_length
});
