//! The tables of known crawlers, and a look-up by name.
//!
//! Invariant: the tables are read once. Each name is there once, in any case of its letters.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::LazyLock;

use super::{Crawler, token_of};

/// Crawlers that their owners document.
const DOCUMENTED: &str = include_str!("../../data/crawlers.tsv");

/// Crawlers of which only the name is known.
const LISTED: &str = include_str!("../../data/listed.tsv");

/// Where the names of [`LISTED`] are from.
const LISTS: [(&str, &str); 2] = [
    ("ai.robots.txt", "https://github.com/ai-robots-txt/ai.robots.txt"),
    ("crawler-user-agents", "https://github.com/monperrus/crawler-user-agents"),
];

/// All known crawlers.
pub(super) static KNOWN: LazyLock<Known> = LazyLock::new(Known::read);

pub(super) struct Known {
    pub(super) crawlers: Vec<Crawler>,
    /// The place of each, by its name in small letters.
    places: HashMap<String, usize>,
    /// The length of the longest name.
    longest: usize,
}

impl Known {
    fn read() -> Self {
        let mut known = Self { crawlers: Vec::new(), places: HashMap::new(), longest: 0 };
        lines(DOCUMENTED).filter_map(documented).chain(lines(LISTED).filter_map(listed)).for_each(|one| known.add(one));
        known
    }

    fn add(&mut self, crawler: Crawler) {
        self.longest = self.longest.max(crawler.token.len());
        self.places.entry(crawler.token.to_ascii_lowercase()).or_insert(self.crawlers.len());
        self.crawlers.push(crawler);
    }

    pub(super) fn find(&self, name: &str) -> Option<&Crawler> {
        let name = name.trim_matches([' ', '\t']);
        let by = |name: &str| {
            let place = (name.len() <= self.longest).then(|| self.places.get(&name.to_ascii_lowercase()))??;
            self.crawlers.get(*place)
        };
        by(name).or_else(|| by(token_of(name)))
    }
}

fn lines(data: &'static str) -> impl Iterator<Item = &'static str> {
    data.lines().filter(|line| !line.starts_with('#'))
}

fn documented(line: &'static str) -> Option<Crawler> {
    let mut fields = line.split('\t');
    let mut next = || fields.next();
    let (token, owner, kinds, fallbacks, reads) = (next()?, next()?, next()?, next()?, next()?);
    Some(Crawler {
        fallbacks,
        uses_everyone: reads != "own",
        ignores_robots_txt: reads == "ignores",
        documented: true,
        purpose: next()?.into(),
        source: next()?.into(),
        ..named(token, owner, kinds)
    })
}

fn listed(line: &'static str) -> Option<Crawler> {
    let mut fields = line.split('\t');
    let mut next = || fields.next();
    let (token, owner, kinds, purpose, list) = (next()?, next()?, next()?, next()?, next()?);
    let (_, source) = LISTS.into_iter().find(|(name, _)| *name == list)?;
    Some(Crawler { purpose: purpose.into(), source: source.into(), ..named(token, owner, kinds) })
}

/// A crawler of which nothing else is known: it is read by its name.
pub(super) fn named(
    token: impl Into<Cow<'static, str>>,
    owner: impl Into<Cow<'static, str>>,
    kinds: &'static str,
) -> Crawler {
    Crawler {
        token: token.into(),
        owner: owner.into(),
        kinds: kinds.into(),
        fallbacks: "",
        uses_everyone: true,
        ignores_robots_txt: false,
        documented: false,
        purpose: "".into(),
        source: "".into(),
    }
}
