//! Which group applies, and what it keeps and answers.
//!
//! Invariant: all words are defined here; names of agents are escaped.

use robosieve::records::{AnsweredBy, Parser, RecordSet, Selection};
use robosieve::settings::{Interest, Refused};
use robosieve::{Options, Tester};

use crate::crawlers::Crawler;
use crate::names::Groups;
use robosieve_printable::escape;

/// Which group applies.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Who {
    /// `agent`, `everyone`, `nobody`, `all` or `status`.
    answered_by: &'static str,
    /// The requested agent whose group applies.
    agent: Option<String>,
    /// The crawler whose owner documents it, if by the name alone another group would apply.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    documented: Option<Documented>,
    /// The names that were read from agents which were given as neither a name nor a usual header.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Vec::is_empty"))]
    read_as: Vec<String>,
}

/// A crawler whose owner documents which groups it uses. Serialised as the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Documented(&'static Crawler);

#[cfg(feature = "serde")]
impl serde::Serialize for Documented {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.source.serialize(serializer)
    }
}

impl Who {
    /// From the value that a selection returns.
    #[must_use]
    pub fn new(answered_by: AnsweredBy, groups: &Groups) -> Self {
        let (answer, agent) = match answered_by {
            AnsweredBy::Agent(place) => ("agent", groups.agents.iter().nth(place)),
            AnsweredBy::Everyone => ("everyone", None),
            AnsweredBy::Nobody => ("nobody", None),
        };
        let agent = agent.map(|agent| escape(agent.as_bstr()));
        let documented = groups.documented_by(answered_by).map(Documented);
        Self { answered_by: answer, agent, documented, read_as: groups.read_as() }
    }

    const fn without_agent(answered_by: &'static str) -> Self {
        Self { answered_by, agent: None, documented: None, read_as: Vec::new() }
    }

    /// All groups were kept, because no agent was requested.
    #[must_use]
    pub const fn all() -> Self {
        Self::without_agent("all")
    }

    /// The HTTP status decided.
    #[must_use]
    pub const fn status() -> Self {
        Self::without_agent("status")
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

    /// The crawler whose owner documents it, if by the name alone another group would apply.
    #[must_use]
    pub fn documented(&self) -> Option<&'static Crawler> {
        self.documented.map(|documented| documented.0)
    }

    /// The names that were read from agents which were given as neither a name nor a usual header, escaped.
    #[must_use]
    pub fn read_as(&self) -> &[String] {
        &self.read_as
    }

    /// That another group applies than by the name alone, and who says so; for people.
    #[must_use]
    pub fn note(&self) -> Option<String> {
        let Crawler { token, owner, source, .. } = self.documented()?;
        Some(match &self.agent {
            Some(other) => format!("{token} has no group of its own and uses that of {other}, says {owner}: {source}"),
            None => format!("{token} does not use the group for `*`, says {owner}: {source}"),
        })
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

/// The groups of a file that can apply to the agents.
pub(crate) fn records<'a>(input: &'a [u8], options: &Options, interest: &Interest) -> RecordSet<'a> {
    Parser::new(options.clone()).for_agents(interest.clone()).parse(input)
}

/// What `filter` makes of a file for the agents, or for all, and which groups apply.
pub(crate) fn kept<'a>(
    input: &'a [u8],
    options: &Options,
    groups: Option<&Groups>,
) -> Result<(RecordSet<'a>, AnsweredBy), Refused> {
    match groups {
        Some(groups) => records(input, options, groups).filter_for(groups),
        None => Ok((Parser::new(options.clone()).parse(input).filter_all()?, AnsweredBy::Everyone)),
    }
}

/// The tester of a selection, and whose group it uses.
pub(crate) fn answering<'a>(selection: &Selection<'_, 'a>, groups: &Groups) -> (Tester<'a>, Who) {
    (Tester::of(selection), Who::new(selection.answered_by(), groups))
}

/// A tester for agents, and whose group it uses. What a limit cost the agents refuses nothing here.
#[must_use]
pub fn tester<'a>(input: &'a [u8], options: &Options, groups: &Groups) -> (Tester<'a>, Who) {
    answering(&Selection::of(&records(input, options, groups), groups), groups)
}
