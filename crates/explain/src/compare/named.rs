//! The agents that two files name.
//!
//! Invariant: each agent once, in any case of its letters; those of the newer file first, each in file order. A line names
//! each agent whose token it begins with, if a digit or a dot follows that the token has none of.

use std::collections::HashMap;

use robosieve::RecordSet;
use robosieve::agent::AgentForm;

use crate::crawlers::Crawler;
use crate::printable::escape;

/// An agent, as the file that names it first spells it.
pub(super) struct Named {
    pub(super) name: String,
    /// Whether a line of the older file has exactly this name.
    pub(super) in_old: bool,
    /// Whether a line of the newer file has exactly this name.
    pub(super) in_new: bool,
    /// Whether it is a known crawler.
    pub(super) is_known: bool,
}

impl Named {
    pub(super) fn shown(&self) -> String {
        escape(self.name.as_bytes())
    }
}

/// The agents that either file names, without `*`.
pub(super) fn names_in_either(old: &RecordSet<'_>, new: &RecordSet<'_>) -> Vec<Named> {
    let mut names: Vec<Named> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    for (set, is_new) in [(new, true), (old, false)] {
        for agent in set.records().flat_map(|record| record.agents()) {
            // A name is a token: ASCII.
            let name = String::from_utf8_lossy(agent.name().as_bstr());
            if name.is_empty() || agent.name().is_everyone() {
                continue;
            }
            let tokens = std::iter::once(&*name).chain(cut(&name).filter(|_| set.reading().agents == AgentForm::Token));
            for token in tokens {
                let place = *places.entry(token.to_ascii_lowercase()).or_insert(names.len());
                if place == names.len() {
                    let is_known = Crawler::find(token).is_some_and(|crawler| crawler.documented);
                    names.push(Named { name: token.to_owned(), in_old: false, in_new: false, is_known });
                }
                let is_whole = token.len() == name.len();
                if let Some(named) = names.get_mut(place).filter(|_| is_whole) {
                    *(if is_new { &mut named.in_new } else { &mut named.in_old }) = true;
                }
            }
        }
    }
    names
}

/// `[agent.token]`: the shorter tokens that a line with this name also names: those before its first digit, and before
/// its first dot.
fn cut(name: &str) -> impl Iterator<Item = &str> {
    let before = |is_end: fn(char) -> bool| name.split(is_end).next().filter(|token| !token.is_empty());
    let cut = [before(|letter| letter.is_ascii_digit()), before(|letter| letter == '.')];
    cut.into_iter().flatten().filter(|token| token.len() < name.len())
}
