//! What each site says to each crawler, crawl by crawl: changes, and how many sites close how much.
//!
//! Invariant: what is not known of a site is no observation, so it neither opens nor closes one. Memory holds one
//! observation for each site and crawler, at most a named number of them.

use std::collections::HashMap;
use std::collections::hash_map::{Entry, RandomState};
use std::hash::BuildHasher as _;
use std::sync::Arc;

use crate::normal::FileRow;
use crate::view::Said;

/// The number of pairs of a site and a crawler. Our choice: some 500 MB.
pub const MAX_PAIRS: usize = 1 << 22;

/// How much of a site is closed to a crawler, from nothing to everything.
pub const LEVELS: [&str; 3] = ["none", "some", "all"];

/// The columns of uses, and their words.
const USES: [&str; 4] = ["training", "ai_input", "search", "extent"];
const WORDS: [&str; 5] = ["yes", "no", "immediate", "reference", "full"];

/// What a site says to a crawler.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// A place in [`LEVELS`].
    pub level: usize,
    named: bool,
    delay: Option<f64>,
    /// Places in [`WORDS`].
    uses: [Option<u8>; 4],
    allows: u64,
    disallows: u64,
    /// Which text says it, if that is known.
    pub text: Option<u64>,
}

impl State {
    /// What a file says to a crawler. `text`: a hash of the file, if it is a text. None if the file does not say what the
    /// site wants.
    #[must_use]
    pub fn of(file: &FileRow, said: &Said<'_>, text: Option<u64>) -> Option<Self> {
        let policy = &*said.policy;
        let level = match policy.status.as_str() {
            "none" | "empty" => 0,
            "some" => 1,
            // An unreachable site has said nothing: RFC 9309 2.3.1.4.
            "no-file" if file.http_status.is_some_and(|status| status >= 500 || status == 429) => return None,
            "no-file" if policy.root? => 0,
            "all" | "no-file" => 2,
            _ => return None,
        };
        let uses = [&policy.training, &policy.ai_input, &policy.search, &policy.extent];
        Some(Self {
            level,
            named: said.named.unwrap_or(false),
            delay: policy.crawl_delay,
            uses: uses
                .map(|said| (0..).zip(WORDS).find(|(_, word)| said.as_deref() == Some(word)).map(|found| found.0)),
            allows: policy.allows,
            disallows: policy.disallows,
            text,
        })
    }

    /// What a later state changes: a word, and what it was and is.
    #[must_use]
    pub fn changes(&self, later: &Self) -> Vec<Change> {
        let mut changes = Vec::new();
        let mut add = |what: &'static str, from: Option<String>, to: Option<String>| {
            changes.push(Change { what, from, to });
        };
        let word = |flag: bool| Some(flag.to_string());
        if self.named != later.named {
            add(if later.named { "named" } else { "unnamed" }, word(self.named), word(later.named));
        }
        let level = |state: &Self| LEVELS.get(state.level).map(ToString::to_string);
        let rules = |state: &Self| Some(format!("{} Allow, {} Disallow", state.allows, state.disallows));
        if self.level != later.level {
            add(if self.level < later.level { "closed" } else { "opened" }, level(self), level(later));
        } else if rules(self) != rules(later) {
            add("rules", rules(self), rules(later));
        }
        let seconds = |state: &Self| state.delay.map(|delay| delay.to_string());
        if self.delay != later.delay {
            add("delay", seconds(self), seconds(later));
        }
        for ((name, old), new) in USES.into_iter().zip(self.uses).zip(later.uses) {
            let said = |one: Option<u8>| WORDS.get(usize::from(one?)).map(ToString::to_string);
            if old != new {
                add(name, said(old), said(new));
            }
        }
        changes
    }
}

/// Something that changed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Change {
    /// What: `closed`, `delay` …
    pub what: &'static str,
    /// What it was, if that was said.
    pub from: Option<String>,
    /// What it is.
    pub to: Option<String>,
}

/// When something was seen.
#[derive(Clone, Debug)]
pub struct Seen {
    /// The place of the crawl.
    pub crawl: usize,
    /// The time, as the crawl has it.
    pub time: Option<Arc<str>>,
}

/// What was seen last of a site and a crawler.
#[derive(Clone, Debug)]
pub struct Last {
    /// When.
    pub seen: Seen,
    /// What.
    pub state: State,
}

/// How many sites say how much to a crawler.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Share {
    /// The sites that say something.
    pub sites: u64,
    /// By [`LEVELS`].
    pub levels: [u64; 3],
    /// Those that name it.
    pub named: u64,
}

impl Share {
    /// Counts a site, or with -1 takes it back.
    fn add(&mut self, state: &State, number: i64) {
        let counts = [Some(&mut self.sites), self.levels.get_mut(state.level), state.named.then_some(&mut self.named)];
        for count in counts.into_iter().flatten() {
            *count = count.saturating_add_signed(number);
        }
    }

    /// The share that a level has, in percent.
    #[must_use]
    pub fn percent(&self, level: usize) -> f64 {
        let of_it = self.levels.get(level).copied().unwrap_or_default();
        // Counts are far below 2^52.
        #[allow(clippy::cast_precision_loss, reason = "counts are small")]
        let share = of_it as f64 / self.sites.max(1) as f64;
        share * 100.0
    }
}

/// There are more pairs of sites and crawlers than are held.
#[derive(Debug, PartialEq, Eq)]
pub struct TooMany;

/// Everything that was seen.
#[derive(Debug)]
pub struct Tracks {
    most: usize,
    /// Two keyed hashes: nobody can make two pairs that are the same.
    keys: [RandomState; 2],
    last: HashMap<(u64, u64), Last>,
    /// The crawlers in the order in which they were seen, each with a share for each crawl.
    pub agents: Vec<(String, Vec<Share>)>,
    places: HashMap<String, usize>,
    crawls: usize,
}

impl Tracks {
    #[must_use]
    /// Of this number of crawls, with at most this number of pairs.
    pub fn new(crawls: usize, most: usize) -> Self {
        let keys = [RandomState::new(), RandomState::new()];
        Self { most, keys, last: HashMap::new(), agents: Vec::new(), places: HashMap::new(), crawls }
    }

    /// Adds an observation. Returns the one before, of the same site and crawler.
    ///
    /// # Errors
    /// If there are more pairs than are held.
    pub fn add(&mut self, site: &str, agent: &str, now: Last) -> Result<Option<Last>, TooMany> {
        let pair = (site, agent);
        let [first, second] = &self.keys;
        let key = (first.hash_one(pair), second.hash_one(pair));
        let is_full = self.last.len() >= self.most;
        let (crawl, state) = (now.seen.crawl, now.state.clone());
        let before = match self.last.entry(key) {
            Entry::Occupied(mut entry) => Some(entry.insert(now)),
            Entry::Vacant(_) if is_full => return Err(TooMany),
            Entry::Vacant(entry) => {
                entry.insert(now);
                None
            }
        };
        let place = self.places.get(agent).copied().unwrap_or_else(|| {
            self.places.insert(agent.to_owned(), self.agents.len());
            self.agents.push((agent.to_owned(), vec![Share::default(); self.crawls]));
            self.agents.len().saturating_sub(1)
        });
        let share = self.agents.get_mut(place).and_then(|(_, shares)| shares.get_mut(crawl));
        if let Some(share) = share {
            // A site counts once in a crawl, as it was seen last.
            if let Some(before) = before.as_ref().filter(|before| before.seen.crawl == crawl) {
                share.add(&before.state, -1);
            }
            share.add(&state, 1);
        }
        Ok(before)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(crawl: usize, level: usize) -> Last {
        let uses = [None; 4];
        let state = State { level, named: level > 0, delay: None, uses, allows: 0, disallows: 0, text: None };
        Last { seen: Seen { crawl, time: None }, state }
    }

    /// [history.bounds]
    #[test]
    fn pairs_are_bounded() {
        for (pairs, fits) in [(2, true), (3, true), (4, false)] {
            let mut tracks = Tracks::new(1, 3);
            let added = (0..pairs).map(|site: usize| tracks.add(&site.to_string(), "*", seen(0, 0)).is_ok());
            assert_eq!(added.collect::<Vec<_>>().iter().all(|added| *added), fits, "{pairs}");
            // What is known can still change.
            assert!(tracks.add("0", "*", seen(0, 2)).is_ok_and(|before| before.is_some()));
        }
    }

    /// [history.shares]
    #[test]
    fn a_site_counts_once_in_a_crawl() {
        let mut tracks = Tracks::new(2, 10);
        for (site, crawl, level) in [("a", 0, 2), ("b", 0, 0), ("b", 0, 1), ("b", 0, 2), ("a", 1, 0)] {
            assert!(tracks.add(site, "*", seen(crawl, level)).is_ok());
        }
        let shares = &tracks.agents.first().map(|(_, shares)| shares.clone()).unwrap_or_default();
        let expected =
            [Share { sites: 2, levels: [0, 0, 2], named: 2 }, Share { sites: 1, levels: [1, 0, 0], named: 0 }];
        assert_eq!(shares[..], expected);
        assert!((shares.iter().map(|share| share.percent(2)).sum::<f64>() - 100.0).abs() < 1e-9);
    }
}
