//! One thing that a source says: of which use, to whom, where, and from when on.
//!
//! Invariant: all text is escaped and short. A statement that allows stands where it was written whole and well; one
//! that forbids may come from a value that was not.

use std::fmt;

use robosieve::Agents;
use robosieve::settings::Agent;
use serde::Serialize;

use crate::uses::{Amount, Use};

/// Where something is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Source {
    /// A line of robots.txt.
    RobotsTxt,
    /// A header line. Its place is its number among all lines of the head, from 1.
    Header,
    /// An element of the HTML head. Its place is the line of the HTML, from 1.
    Html,
    /// A rule of `/.well-known/tdmrep.json`. Its place is its number, from 1.
    Tdmrep,
}

impl Source {
    /// The stable name, as in JSON.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::RobotsTxt => "robots-txt",
            Self::Header => "header",
            Self::Html => "html",
            Self::Tdmrep => "tdmrep",
        }
    }
}

/// A source, and a place in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Place {
    /// The source.
    pub source: Source,
    /// The place, from 1; 0 for the whole.
    pub place: u32,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.source.as_str())?;
        if self.place > 0 { write!(f, " {}", self.place) } else { Ok(()) }
    }
}

/// What is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Said {
    /// The page may be used so.
    Yes(Use),
    /// It may not.
    No(Use),
    /// At most so much: characters, seconds, or a place among the values, the strictest first.
    AtMost(Amount, u32),
}

impl Said {
    /// Whether it only allows: a use, or the largest amount. A smaller amount is a limit, next to any other word.
    ///
    /// ```
    /// use robosieve_signals::{Amount, Said, Use};
    /// assert!(Said::Yes(Use::Index).allows() && Said::AtMost(Amount::Snippet, Amount::UNLIMITED).allows());
    /// assert!(!Said::No(Use::Index).allows() && !Said::AtMost(Amount::Snippet, 20).allows());
    /// ```
    #[must_use]
    pub fn allows(self) -> bool {
        match self {
            Self::Yes(_) => true,
            Self::No(_) => false,
            Self::AtMost(amount, number) => amount.is_largest(number),
        }
    }
}

/// One thing that a source says.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Statement {
    /// Where it stands.
    pub at: Place,
    /// The names of the crawlers that it is for, in lower case. Empty: for all.
    pub agents: Vec<String>,
    /// The names of the crawlers whose owners give the word this meaning. Empty: it means that to all.
    pub only: &'static [&'static str],
    /// What is said.
    pub said: Said,
    /// The time from which on it holds, in seconds since 1970. None: always.
    pub from: Option<i64>,
    /// Whether it is a preference of Content-Usage or Content-Signal.
    pub is_preference: bool,
    /// The words that say so.
    pub text: String,
}

impl Statement {
    /// Whether it is for one of the agents, at a time in seconds since 1970.
    #[must_use]
    pub fn holds(&self, agents: &Agents, at: i64) -> bool {
        let is_one = |name: &str| agents.iter().any(|one| is_of(name, one));
        self.from.is_none_or(|from| from <= at)
            && (self.agents.is_empty() || self.agents.iter().any(|name| is_one(name)))
            && (self.only.is_empty() || self.only.iter().any(|name| is_one(name)))
    }
}

/// Names of the same crawler: the older one, and the one that it is read as.
const OLDER: [(&str, &str); 2] = [("msnbot", "bingbot"), ("google", "googlebot")];

/// The name of a crawler in lower case, and the newer one of two.
pub(crate) fn known_as(name: &str) -> String {
    let name = name.to_ascii_lowercase();
    OLDER.iter().find(|(older, _)| *older == name).map_or(name, |(_, newer)| (*newer).to_owned())
}

/// The longest name that is read as one. Our choice.
const LONGEST_NAME: usize = 100;

/// Whether a word can be the name of a crawler.
pub(crate) fn is_name(word: &str) -> bool {
    word.len() <= LONGEST_NAME && word.parse::<Agent>().is_ok()
}

/// Whether a name is that of an agent, or the front of it before a hyphen: `googlebot` is for Googlebot-News too.
fn is_of(name: &str, agent: &Agent) -> bool {
    agent.names().any(|own| {
        let own = known_as(own);
        own.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
    })
}

/// A licence that a source names. Nothing is fetched.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct License {
    /// Where it stands.
    #[serde(flatten)]
    pub at: Place,
    /// Its address as it is written, escaped. Empty if it stands in the page itself.
    pub url: String,
    /// Its media type, if one is stated: `application/rsl+xml`.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub media_type: Option<String>,
}
