//! What the output of a run depends on, and what of it is not as in an interrupted run.
//!
//! Invariant: digests decide, and arguments only say in the caller's words what differs. No value is shown that was not
//! an argument.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use robosieve::printable::escape;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

/// What the output depends on, each with its name.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Settings {
    digests: BTreeMap<String, u64>,
    arguments: BTreeMap<String, String>,
}

/// What is not as in the interrupted run.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Different {
    /// The argument, as the caller called it, or the setting.
    pub name: String,
    /// Its value then. None if it was not given. A setting has no values.
    pub then: Option<String>,
    /// Its value now.
    pub now: Option<String>,
}

impl Settings {
    pub(crate) fn new(arguments: BTreeMap<String, String>) -> Self {
        Self { digests: BTreeMap::new(), arguments }
    }

    /// Adds a setting.
    pub(crate) fn add(&mut self, name: &str, value: &str) {
        self.digests.insert(name.into(), xxh3_64(value.as_bytes()));
    }

    pub(crate) fn is_as(&self, now: &Self) -> bool {
        self.digests == now.digests
    }

    /// The arguments that differ, or if there are none, the settings: a file that an argument names has changed.
    pub(crate) fn different(&self, now: &Self) -> Vec<Different> {
        let arguments: Vec<Different> = names(&self.arguments, &now.arguments)
            .map(|name| (name, self.arguments.get(name), now.arguments.get(name)))
            .map(|(name, then, now)| Different { name: name.clone(), then: then.cloned(), now: now.cloned() })
            .collect();
        if !arguments.is_empty() {
            return arguments;
        }
        let settings = names(&self.digests, &now.digests);
        settings.map(|name| Different { name: name.clone(), then: None, now: None }).collect()
    }
}

/// The names of what differs.
fn names<'m, V: PartialEq>(
    then: &'m BTreeMap<String, V>,
    now: &'m BTreeMap<String, V>,
) -> impl Iterator<Item = &'m String> {
    let all: BTreeSet<&String> = then.keys().chain(now.keys()).collect();
    all.into_iter().filter(|&name| then.get(name) != now.get(name))
}

impl Different {
    /// How many characters of a value are shown.
    const LONG: usize = 80;

    /// Where the values begin to be shown: not far before the first character that differs.
    fn start(&self) -> usize {
        let (Some(then), Some(now)) = (&self.then, &self.now) else { return 0 };
        let same = then.chars().zip(now.chars()).take_while(|(then, now)| then == now).count();
        if same > Self::LONG / 2 { same.saturating_sub(Self::LONG / 4) } else { 0 }
    }
}

/// `--name was A, is B`, in a line of a terminal. A journal is not trusted.
impl fmt::Display for Different {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let part = |text: &str, from: usize| {
            let mut rest = text.chars().skip(from);
            let shown: String = rest.by_ref().take(Self::LONG).collect();
            let dots = |is_cut: bool| if is_cut { "..." } else { "" };
            format!("{}{}{}", dots(from > 0), escape(shown.as_bytes()), dots(rest.next().is_some()))
        };
        let (name, value) = (part(&self.name, 0), |value: &str| part(value, self.start()));
        match (self.then.as_deref(), self.now.as_deref()) {
            (None, None) => f.write_str(&name),
            (Some(then), Some(now)) => write!(f, "{name} was {}, is {}", value(then), value(now)),
            (Some(then), None) => write!(f, "{name} was {}, is not given", value(then)),
            (None, Some(now)) => write!(f, "{name} was not given, is {}", value(now)),
        }
    }
}
