//! The agents that two files name.
//!
//! Invariant: each agent once, in any case of its letters; those of the newer file first, each in file order.

use std::collections::HashMap;

use robosieve::RecordSet;

use crate::crawlers::Crawler;
use crate::printable::escape;

/// An agent, as the file that names it first spells it.
pub(super) struct Named {
    pub(super) name: String,
    pub(super) in_old: bool,
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
            let place = *places.entry(name.to_ascii_lowercase()).or_insert(names.len());
            if place == names.len() {
                let is_known = Crawler::find(&name).is_some_and(|crawler| crawler.documented);
                names.push(Named { name: name.into_owned(), in_old: false, in_new: false, is_known });
            }
            if let Some(named) = names.get_mut(place) {
                *(if is_new { &mut named.in_new } else { &mut named.in_old }) = true;
            }
        }
    }
    names
}
