//! Whose groups apply to the agents that a caller names.
//!
//! Invariant: every door asks here, so a known crawler has one answer. A list of several names is the caller's own
//! order, and stays as it is.

use std::ops::Deref;

use robosieve::agent::AnsweredBy;
use robosieve::{Agent, Agents, Interest, Options};

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
    /// Whose groups apply to these agents, the most preferred first. Only one that is named alone is looked up: several
    /// are an order that the caller chose.
    ///
    /// ```
    /// use robosieve_explain::Names;
    ///
    /// let names = |groups: robosieve_explain::Groups| groups.agents.iter().count();
    /// assert_eq!(names(Names::Known.groups(["Googlebot-News"])), 2);
    /// assert_eq!(names(Names::Plain.groups(["Googlebot-News"])), 1);
    /// assert_eq!(names(Names::Known.groups(["Googlebot-News", "MyBot"])), 2);
    /// assert!(!Names::Known.groups(["AdsBot-Google"]).fallback);
    /// ```
    pub fn groups(self, agents: impl Into<Agents>) -> Groups {
        let plain = Interest::new(agents);
        match if self == Self::Known { known(&plain.agents) } else { None } {
            Some(crawler) => Groups::documented(plain, crawler),
            None => plain.into(),
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
///
/// It can be used as the [`Interest`] that it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Groups {
    interest: Interest,
    known: Option<Known>,
}

/// A crawler whose owner documents other groups than its name says.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Known {
    crawler: &'static Crawler,
    /// What its name says.
    plain: Interest,
}

impl Groups {
    /// The groups that the owner of a crawler documents.
    fn documented(plain: Interest, crawler: &'static Crawler) -> Self {
        let is_given =
            |token: &str| plain.agents.iter().any(|agent| agent.as_bstr().eq_ignore_ascii_case(token.as_bytes()));
        let token = Some(&*crawler.token).filter(|token| !is_given(token));
        let others = token.into_iter().chain(crawler.fallbacks()).map(Agent::new);
        let agents: Agents = plain.agents.iter().cloned().chain(others).collect();
        let interest = Interest::new(agents).fallback(plain.fallback && crawler.uses_everyone);
        Self { interest, known: Some(Known { crawler, plain }) }
    }

    /// Sets whether the groups for `*` apply if none names one of the agents. They never apply to a crawler whose owner
    /// says that it ignores them.
    #[must_use]
    pub fn fallback(self, fallback: bool) -> Self {
        match self.known {
            Some(known) => Self::documented(known.plain.fallback(fallback), known.crawler),
            None => self.interest.fallback(fallback).into(),
        }
    }

    /// The same for a file that is read with these options. A reader that takes the groups of all agents together, as
    /// the dialect `processor` does, knows no fallback from one to another: there the names alone count.
    #[must_use]
    pub fn under(self, options: &Options) -> Self {
        self.under_union(options.union_of_agents)
    }

    pub(crate) fn under_union(self, is_union: bool) -> Self {
        match self.known {
            Some(known) if is_union => known.plain.into(),
            known => Self { known, ..self },
        }
    }

    /// The agents, the most preferred first, and whether the groups for `*` apply to them.
    #[must_use]
    pub const fn interest(&self) -> &Interest {
        &self.interest
    }

    /// The crawler whose owner documents it, if another group applies than by the name alone.
    pub(crate) fn documented_by(&self, answered_by: AnsweredBy) -> Option<&'static Crawler> {
        let known = self.known.as_ref().filter(|known| match answered_by {
            AnsweredBy::Agent(place) => place > 0,
            AnsweredBy::Everyone => false,
            AnsweredBy::Nobody => known.plain.fallback && !self.interest.fallback,
        });
        known.map(|known| known.crawler)
    }
}

impl Deref for Groups {
    type Target = Interest;

    fn deref(&self) -> &Interest {
        &self.interest
    }
}

impl From<&Self> for Groups {
    fn from(groups: &Self) -> Self {
        groups.clone()
    }
}

impl From<&Interest> for Groups {
    fn from(interest: &Interest) -> Self {
        interest.clone().into()
    }
}

/// The groups of a caller who knows whose they are.
impl From<Interest> for Groups {
    fn from(interest: Interest) -> Self {
        Self { interest, known: None }
    }
}
