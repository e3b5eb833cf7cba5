//! Whose groups apply to the agents that a caller names.
//!
//! Invariant: every door asks here, so a known crawler has one answer. A list of several names is the caller's own
//! order, and stays as it is.

use std::ops::Deref;

use robosieve::agent::AnsweredBy;
use robosieve::{Agents, Interest, Options};

use crate::crawlers::Crawler;

/// How names of agents are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Names {
    /// A known crawler uses the groups that its owner documents; any other agent those that name it, or else `*`.
    #[default]
    Known,
    /// Every agent uses the groups that name it, or else `*`, as RFC 9309 says.
    Plain,
}

impl Names {
    /// The same for a file that is read with these options. A reader that takes the groups of all agents together, as
    /// the dialect `processor` does, knows no fallback from one to another.
    #[must_use]
    pub const fn under(self, options: &Options) -> Self {
        if options.union_of_agents { Self::Plain } else { self }
    }

    /// Whose groups apply to these agents, the most preferred first. Only one that is named alone is looked up: several
    /// are an order that the caller chose.
    ///
    /// ```
    /// use robosieve_explain::Names;
    ///
    /// let tokens = |names: Names, agents: &[&str]| names.groups(agents).interest().agents.iter().count();
    /// assert_eq!(tokens(Names::Known, &["Googlebot-News"]), 2);
    /// assert_eq!(tokens(Names::Plain, &["Googlebot-News"]), 1);
    /// assert_eq!(tokens(Names::Known, &["Googlebot-News", "MyBot"]), 2);
    /// assert!(!Names::Known.groups(["AdsBot-Google"]).interest().fallback);
    /// ```
    pub fn groups(self, agents: impl Into<Agents>) -> Groups {
        let plain = Groups { interest: Interest::new(agents), crawler: None };
        let known = if self == Self::Known { known(&plain.interest.agents) } else { None };
        match known {
            Some(crawler) => plain.documented(crawler),
            None => plain,
        }
    }
}

/// The crawler that is named alone, if its owner documents other groups than its name says.
fn known(agents: &Agents) -> Option<&'static Crawler> {
    let mut agents = agents.iter();
    let (one, None) = (agents.next()?, agents.next()) else { return None };
    str::from_utf8(one.as_bstr()).ok().and_then(Crawler::find).filter(|crawler| crawler.differs())
}

/// Whose groups apply: the agents, and why there are others than the caller named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Groups {
    interest: Interest,
    /// The crawler whose owner documents other groups than its name says.
    crawler: Option<&'static Crawler>,
}

impl Groups {
    /// The same, with the groups that the crawler's owner documents.
    fn documented(self, crawler: &'static Crawler) -> Self {
        let own = self.interest.agents.iter().cloned();
        let token = Some(&*crawler.token).filter(|token| {
            !self.interest.agents.iter().any(|agent| agent.as_bstr().eq_ignore_ascii_case(token.as_bytes()))
        });
        let others = token.into_iter().chain(crawler.fallbacks()).map(robosieve::Agent::new);
        let agents: Agents = own.chain(others).collect();
        Self { interest: Interest::new(agents).fallback(crawler.uses_everyone), crawler: Some(crawler) }
    }

    /// Sets whether the groups for `*` apply if none names one of the agents. They never apply to a crawler whose owner
    /// says that it ignores them.
    #[must_use]
    pub fn fallback(self, fallback: bool) -> Self {
        let fallback = fallback && self.crawler.is_none_or(|crawler| crawler.uses_everyone);
        Self { interest: self.interest.fallback(fallback), ..self }
    }

    /// The agents, the most preferred first, and whether the groups for `*` apply to them.
    #[must_use]
    pub const fn interest(&self) -> &Interest {
        &self.interest
    }

    /// The crawler whose owner documents it, if another group applies than by the name alone.
    #[must_use]
    pub fn documented_by(&self, answered_by: AnsweredBy) -> Option<&'static Crawler> {
        self.crawler.filter(|crawler| match answered_by {
            AnsweredBy::Agent(place) => place > 0,
            AnsweredBy::Everyone => false,
            AnsweredBy::Nobody => !crawler.uses_everyone,
        })
    }
}

impl Deref for Groups {
    type Target = Interest;

    fn deref(&self) -> &Interest {
        &self.interest
    }
}

/// The groups of a caller who knows whose they are.
impl From<Interest> for Groups {
    fn from(interest: Interest) -> Self {
        Self { interest, crawler: None }
    }
}
