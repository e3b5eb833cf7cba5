//! Whose groups apply to the agents that a caller names.
//!
//! Invariant: every interface asks here, so a known crawler has one answer. A list of several names is the caller's own
//! order, and stays as it is.

use std::borrow::Cow;
use std::ops::Deref;

use robosieve::records::{AnsweredBy, RecordSet, Selection};
use robosieve::settings::{Agent, Interest, Style};
use robosieve::{Agents, Options};

use crate::crawlers::Crawler;
use robosieve_printable::escape;

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
    one.token().and_then(Crawler::find).filter(|crawler| crawler.differs())
}

/// Whose groups apply: the agents, and why there are others than the caller named.
///
/// It can be used as the [`Interest`] that it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Groups {
    interest: Interest,
    known: Option<Known>,
    form: Style,
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
            |token: &str| plain.agents.iter().flat_map(Agent::names).any(|name| name.eq_ignore_ascii_case(token));
        let token = Some(crawler.token).filter(|token| !is_given(token));
        let others = token.into_iter().chain(crawler.fallbacks()).map(Agent::new);
        let agents: Agents = plain.agents.iter().cloned().chain(others).collect();
        let interest = Interest::new(agents).fallback(plain.fallback && crawler.uses_everyone);
        Self { interest, known: Some(Known { crawler, plain }), form: Style::default() }
    }

    /// Sets how files are read: as Google's parser does, only the first name of an agent counts.
    #[must_use]
    pub fn form(self, form: Style) -> Self {
        Self { form, ..self }
    }

    /// Sets whether the groups for `*` apply if none names one of the agents. They never apply to a crawler whose owner
    /// says that it ignores them.
    #[must_use]
    pub fn fallback(self, fallback: bool) -> Self {
        match self.known {
            Some(known) => Self::documented(known.plain.fallback(fallback), known.crawler).form(self.form),
            None => Self { interest: self.interest.fallback(fallback), ..self },
        }
    }

    /// The names that were read from agents which were given as neither a name nor a usual header, escaped.
    #[must_use]
    pub fn read_as(&self) -> Vec<String> {
        let most = if self.form == Style::Google { 1 } else { usize::MAX };
        let cut = self.interest.agents.iter().filter(|agent| agent.is_cut());
        cut.flat_map(|agent| agent.names().take(most).map(|name| escape(name.as_bytes()))).collect()
    }

    /// The same for people.
    #[must_use]
    pub fn read_as_note(&self) -> Option<String> {
        let names: Vec<String> = self.read_as().iter().map(|name| format!("`{name}`")).collect();
        let names = Some(names.join(", ")).filter(|names| !names.is_empty())?;
        Some(format!("the agent is read as {names}: a product token is one word, such as MyBot"))
    }

    /// Options for files that are read for these agents. Some dialects take the groups of all requested agents together:
    /// a known crawler would have the rules of its fallback as well as its own, so they are taken in order.
    #[must_use]
    pub fn options(&self, options: Options) -> Options {
        Options { union_of_agents: options.union_of_agents && self.known.is_none(), ..options }
    }

    /// The same for a set that was read with other options: if it takes the groups of all requested agents together, only
    /// the agent whose groups apply is left.
    #[must_use]
    pub fn within(&self, set: &RecordSet<'_>) -> Cow<'_, Self> {
        if self.known.is_none() || !set.options().union_of_agents {
            return Cow::Borrowed(self);
        }
        let alone = |agent: &Agent| Interest::new([agent.clone()].into_iter().collect::<Agents>()).fallback(false);
        let has_group = |one: &Interest| matches!(Selection::of(set, one).answered_by(), AnsweredBy::Agent(_));
        let fallback = self.interest.fallback;
        let found = self.interest.agents.iter().map(alone).find(has_group);
        let interest = found.or_else(|| self.interest.agents.iter().map(alone).next());
        match interest {
            Some(interest) => Cow::Owned(Self { interest: interest.fallback(fallback), ..self.clone() }),
            None => Cow::Borrowed(self),
        }
    }

    /// The agents, the most preferred first, and whether the groups for `*` apply to them.
    #[must_use]
    pub const fn interest(&self) -> &Interest {
        &self.interest
    }

    /// Which groups can apply that the name alone does not say, and who says so; for people.
    #[must_use]
    pub fn note(&self) -> Option<String> {
        let Crawler { token, owner, source, .. } = self.known.as_ref()?.crawler;
        let others = self.fallbacks();
        let uses = match (others.as_str(), self.interest.fallback) {
            ("", _) => "does not use the group for `*`".into(),
            (others, true) => format!("uses the group of {others} if none names it"),
            (others, false) => format!("uses the group of {others} if none names it, and never that for `*`"),
        };
        Some(format!("{token} {uses}, says {owner}: {source}"))
    }

    /// The tokens whose groups a known crawler uses if none names it.
    fn fallbacks(&self) -> String {
        let known = self.known.iter().flat_map(|known| known.crawler.fallbacks());
        known.collect::<Vec<_>>().join(", ")
    }

    /// The crawler whose owner documents it, if another group applies than by the name alone.
    pub(crate) fn documented_by(&self, answered_by: AnsweredBy) -> Option<&'static Crawler> {
        let known = self.known.as_ref().filter(|known| match answered_by {
            AnsweredBy::Agent(place) => {
                let applies = self.interest.agents.iter().nth(place);
                applies.is_some_and(|agent| known.plain.agents.iter().all(|given| given != agent))
            }
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

/// The groups of a caller who knows whose they are.
impl From<Interest> for Groups {
    fn from(interest: Interest) -> Self {
        Self { interest, known: None, form: Style::default() }
    }
}
