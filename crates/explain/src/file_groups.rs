//! The groups of a file that is kept for all agents, each with its rules and its values.
//!
//! Invariant: the groups are those that the text was written from, so each value is for all agents of its group. All text
//! is safe to print: see [`printable`](crate::printable).

use robosieve::Sieved;
use robosieve::agent::AgentLine;
use robosieve::policy::Record;
use robosieve::syntax::Directive;
use robosieve::value::{ContentUse, CrawlDelay, ExtensionLine, RequestRate, VisitTime};

use crate::inspection::{InspectedDelay, InspectedLine, InspectedRule};
use crate::printable::escape;

/// What a file says to each agent.
///
/// ```
/// use robosieve::Sieve;
/// use robosieve_explain::FileGroups;
/// let file = b"User-agent: a\nCrawl-delay: 300\nUser-agent: *\nDisallow: /x\n";
/// let groups = FileGroups::new(&Sieve::all_agents().run(file)?);
/// let delays = groups.groups.iter().map(|group| group.values.crawl_delay.as_ref().map(|delay| delay.value.seconds));
/// assert_eq!(delays.collect::<Vec<_>>(), [None, Some(300.0)]);
/// # Ok::<(), robosieve::settings::Refused>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct FileGroups {
    /// In the order of the file; those that one group of the file became, in the order of their agents. Several can name
    /// one agent; then all of them are for it.
    pub groups: Vec<FileGroup>,
    /// What stands above all groups, and is for every crawler.
    pub for_everybody: GroupValues,
}

/// A group.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct FileGroup {
    /// Each once.
    pub agents: Vec<GroupAgent>,
    /// In order of precedence.
    pub rules: Vec<InspectedRule>,
    /// For all its agents.
    #[cfg_attr(feature = "serde", serde(flatten))]
    pub values: GroupValues,
}

/// An agent of a group.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct GroupAgent {
    /// As in the file; `*` for all that no group names.
    pub name: String,
    /// The line that names it. None if no line does: a file that is not whole has a group for `*` that disallows
    /// everything ([input.incomplete]), and a status that decided has no file.
    pub line: Option<u32>,
}

/// The lines of a group that are no rules, in file order.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct GroupValues {
    /// The longest delay.
    pub crawl_delay: Option<Lined<InspectedDelay>>,
    /// Request-rate.
    pub request_rates: Vec<Lined<RequestRate>>,
    /// Visit-time: hours of the day, UTC.
    pub visit_times: Vec<Lined<VisitTime>>,
    /// What the content may be used for, by Content-Signal.
    pub content_signals: Vec<Lined<ContentUse>>,
    /// What the content may be used for, by Content-Usage.
    pub content_usage: Vec<Lined<ContentUse>>,
    /// Other lines.
    pub extensions: Vec<InspectedLine>,
}

/// A value, and its line.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Lined<T> {
    /// The number of the line.
    pub line: u32,
    /// What it says.
    #[cfg_attr(feature = "serde", serde(flatten))]
    pub value: T,
}

impl FileGroups {
    /// Of a file that was filtered for all agents. One that was filtered for some has the group for `*` of its text.
    #[must_use]
    pub fn new(sieved: &Sieved<'_>) -> Self {
        let set = sieved.records();
        let groups = set.records().map(|record| FileGroup::new(&record)).collect();
        Self { groups, for_everybody: GroupValues::new(set.lines_for_everybody()) }
    }

    /// The same for a text that nobody sent, since the status decided: it has no lines.
    #[must_use]
    pub fn without_lines(mut self) -> Self {
        for group in &mut self.groups {
            group.agents.iter_mut().for_each(|agent| agent.line = None);
            group.rules.iter_mut().for_each(|rule| rule.line = None);
        }
        self
    }
}

impl FileGroup {
    fn new(record: &Record<'_, '_>) -> Self {
        let agent = |agent: &AgentLine<'_>| GroupAgent {
            name: escape(agent.name().as_bstr()),
            line: Some(agent.line()).filter(|&line| line > 0),
        };
        let rules = record.rules_by_precedence().into_iter().filter(|rule| !rule.pattern().as_bytes().is_empty());
        Self {
            agents: record.agents().iter().map(agent).collect(),
            rules: rules.map(InspectedRule::new).collect(),
            values: GroupValues::new(record.extensions()),
        }
    }
}

impl GroupValues {
    fn new(lines: &[ExtensionLine<'_>]) -> Self {
        let mut values = Self::default();
        for line in lines {
            values.add(line);
        }
        values
    }

    /// A value that has another form than its directive's is kept as it is: nothing is lost.
    fn add(&mut self, line: &ExtensionLine<'_>) {
        let (value, at) = (line.value(), line.line());
        let is_typed = match line.directive() {
            // A filtered group has one.
            Directive::CrawlDelay if self.crawl_delay.is_none() => {
                let delay = CrawlDelay::read(value);
                self.crawl_delay = delay.map(|delay| Lined { line: at, value: InspectedDelay::new(&delay) });
                self.crawl_delay.is_some()
            }
            Directive::RequestRate => push(&mut self.request_rates, at, RequestRate::read(value)),
            Directive::VisitTime => push(&mut self.visit_times, at, VisitTime::read(value)),
            Directive::ContentSignal => push(&mut self.content_signals, at, ContentUse::read_signal(value)),
            Directive::ContentUsage => push(&mut self.content_usage, at, ContentUse::read_usage(value)),
            _ => false,
        };
        if !is_typed {
            self.extensions.push(InspectedLine::new(line));
        }
    }
}

/// Adds a value. Returns whether there is one.
fn push<T>(values: &mut Vec<Lined<T>>, line: u32, value: Option<T>) -> bool {
    let is_typed = value.is_some();
    values.extend(value.map(|value| Lined { line, value }));
    is_typed
}
