//! Which group applies.
//!
//! Invariant: all words are defined here; names of agents are escaped.

use robosieve::Interest;
use robosieve::agent::AnsweredBy;

use crate::printable::escape;

/// Which group applies.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Who {
    /// `agent`, `everyone`, `nobody`, `all` or `status`.
    answered_by: &'static str,
    /// The requested agent whose group applies.
    agent: Option<String>,
}

impl Who {
    /// From the value that a selection returns.
    #[must_use]
    pub fn new(answered_by: AnsweredBy, interest: &Interest) -> Self {
        match answered_by {
            AnsweredBy::Agent(place) => {
                let agent = interest.agents.iter().nth(place).map(|agent| escape(agent.as_bstr()));
                Self { answered_by: "agent", agent }
            }
            AnsweredBy::Everyone => Self { answered_by: "everyone", agent: None },
            AnsweredBy::Nobody => Self { answered_by: "nobody", agent: None },
        }
    }

    /// All groups were kept, because no agent was requested.
    #[must_use]
    pub const fn all() -> Self {
        Self { answered_by: "all", agent: None }
    }

    /// The HTTP status decided.
    #[must_use]
    pub const fn status() -> Self {
        Self { answered_by: "status", agent: None }
    }

    /// `agent`, `everyone`, `nobody`, `all` or `status`.
    #[must_use]
    pub const fn answered_by(&self) -> &'static str {
        self.answered_by
    }

    /// The requested agent whose group applies.
    #[must_use]
    pub fn agent(&self) -> Option<&str> {
        self.agent.as_deref()
    }

    /// For people.
    #[must_use]
    pub fn words(&self) -> String {
        match (self.answered_by, &self.agent) {
            ("agent", Some(agent)) => format!("group {agent} applies"),
            ("everyone", _) => "group * applies".into(),
            ("nobody", _) => "no group applies".into(),
            ("all", _) => "all groups".into(),
            (other, _) => other.into(),
        }
    }
}
