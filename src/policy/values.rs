//! The values for one agent: the lines of its group that are not rules and apply to that agent.
//!
//! Invariant: the lines are in file order. Each of them applies to the requested agent (`[value.agents]`).

use alloc::borrow::Cow;
use alloc::vec::Vec;

use crate::path::pattern::UrlPath;
use crate::policy::agent::{AgentName, Interest};
use crate::policy::content_use::{ContentUse, restricting};
use crate::policy::options::PathForm;
use crate::policy::record::{AgentLine, ExtensionLine, Record, RecordSet};
use crate::policy::select::{AnsweredBy, answers, is_everyones};
use crate::policy::value::{CrawlDelay, RequestRate, VisitTime};
use crate::report::LineNumber;
use crate::syntax::names::Directive;

/// The lines that are not rules and apply to one agent.
///
/// ```
/// use robosieve::records::Parser;
/// let set = Parser::default().parse(b"User-agent: a\nCrawl-delay: 300\nUser-agent: *\nDisallow: /x");
/// let record = set.records().next().unwrap();
/// let [a, everyone] = record.agents() else { panic!() };
/// assert_eq!(record.values_of(a).crawl_delay().unwrap().as_duration().as_secs(), 300);
/// assert!(record.values_of(everyone).crawl_delay().is_none());
/// assert!(record.crawl_delay().is_none());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AgentValues<'s, 'a> {
    lines: Vec<&'s ExtensionLine<'a>>,
}

impl<'s, 'a> FromIterator<&'s ExtensionLine<'a>> for AgentValues<'s, 'a> {
    fn from_iter<I: IntoIterator<Item = &'s ExtensionLine<'a>>>(lines: I) -> Self {
        Self { lines: lines.into_iter().collect() }
    }
}

impl<'s, 'a> AgentValues<'s, 'a> {
    /// The lines, in file order.
    #[must_use]
    pub fn lines(&self) -> &[&'s ExtensionLine<'a>] {
        &self.lines
    }

    fn typed<T>(&self, of: Directive, read: fn(&[u8]) -> Option<T>) -> impl Iterator<Item = T> {
        self.lines.iter().filter(move |line| line.directive == of).filter_map(move |line| read(&line.value))
    }

    /// The longest crawl delay: a crawler that obeys the longest one obeys all.
    #[must_use]
    pub fn crawl_delay(&self) -> Option<CrawlDelay> {
        self.typed(Directive::CrawlDelay, |value| CrawlDelay::read(value)).max_by_key(CrawlDelay::as_duration)
    }

    /// The request rates.
    pub fn request_rates(&self) -> impl Iterator<Item = RequestRate> {
        self.typed(Directive::RequestRate, |value| RequestRate::read(value))
    }

    /// The visit times.
    pub fn visit_times(&self) -> impl Iterator<Item = VisitTime> {
        self.typed(Directive::VisitTime, |value| VisitTime::read(value))
    }

    /// The values of the Content-Signal lines.
    pub fn content_signals(&self) -> impl Iterator<Item = ContentUse> {
        self.typed(Directive::ContentSignal, |value| ContentUse::read_signal(value))
    }

    /// The values of the Content-Usage lines.
    pub fn content_usage(&self) -> impl Iterator<Item = ContentUse> {
        self.typed(Directive::ContentUsage, |value| ContentUse::read_usage(value))
    }

    /// `[usage.path]`: the lines of Content-Usage or of Content-Signal that hold for a URL, with their values: of the
    /// paths that match it, the longest one's. If several lines hold, each of them does. They say nothing if the URL is
    /// disallowed. Cost: compares the URL with each of these lines.
    ///
    /// ```
    /// use robosieve::settings::Interest;
    /// use robosieve::records::{Directive, Parser, Selection};
    /// let set = Parser::default().parse(b"User-agent: *\nContent-Usage: train-ai=n\nContent-Usage: /b train-ai=y\n");
    /// let selection = Selection::of(&set, &Interest::new(["MyBot"]));
    /// let line = |url: &str| selection.values().uses_of(Directive::ContentUsage, url)[0].0.line().unwrap().get();
    /// assert_eq!((line("/a"), line("https://example.com/b/c")), (2, 3));
    /// ```
    #[must_use]
    pub fn uses_of(&self, directive: Directive, url: impl AsRef<[u8]>) -> Vec<(&'s ExtensionLine<'a>, ContentUse)> {
        let read = match directive {
            Directive::ContentUsage => |value: &[u8]| ContentUse::read_usage(value),
            Directive::ContentSignal => |value: &[u8]| ContentUse::read_signal(value),
            _ => return Vec::new(),
        };
        let path = UrlPath::of(url.as_ref(), PathForm::default());
        let mut holding = Vec::new();
        let mut longest = 0;
        for line in self.lines.iter().copied().filter(|line| line.directive == directive) {
            let Some(value) = read(&line.value) else { continue };
            let Some(rank) = value.rank(&path).filter(|rank| *rank >= longest) else { continue };
            if rank > longest {
                holding.clear();
            }
            longest = rank;
            holding.push((line, value));
        }
        holding
    }
}

impl<'s, 'a> Record<'s, 'a> {
    /// Its other lines that are for the agent of this user-agent line, which belongs to the record.
    #[must_use]
    pub fn values_of(&self, agent: &AgentLine<'_>) -> AgentValues<'s, 'a> {
        self.extensions().iter().filter(|line| line.is_for(agent.line)).collect()
    }

    /// Its other lines that are for all its agents. [`Record::values_of`] returns those of one agent.
    #[must_use]
    pub fn shared_values(&self) -> AgentValues<'s, 'a> {
        self.extensions().iter().filter(|line| self.is_shared(line)).collect()
    }
}

/// `[value.everybody]`, `[usage.inherited]`: the lines of others that are also for the selected agent: the crawl delays
/// above all records; and if its records say nothing of uses, what those above all records and, if its own records name
/// it, those of `*` restrict. Cost: looks at the lines of the records for `*`.
pub(crate) fn inherited<'a>(
    set: &RecordSet<'a>,
    interest: &Interest,
    answered_by: AnsweredBy,
    own: &[&ExtensionLine<'a>],
) -> Vec<ExtensionLine<'a>> {
    let mut lines = Vec::new();
    if set.general.is_empty() && !has_signals_of_others(set, interest, answered_by) {
        return lines;
    }
    let is_silent = !own.iter().any(|line| is_signal(line));
    let mut add = |line: &ExtensionLine<'a>| match line.directive {
        Directive::CrawlDelay => lines.push(line.clone()),
        _ if is_silent && is_signal(line) => lines.extend(restricting(line.directive, &line.value).map(|value| {
            let value = Cow::Owned(value.into_bytes());
            ExtensionLine { block: None, value, ..line.clone() }
        })),
        _ => {}
    };
    set.general.iter().for_each(&mut add);
    if is_silent && has_signals_of_others(set, interest, answered_by) {
        for record in set.records().filter(is_everyones) {
            let values = record.extensions().iter();
            match values_that_answer(&record, interest, AnsweredBy::Everyone) {
                Some(values) => values.into_iter().filter(|line| is_signal(line)).for_each(&mut add),
                None => values.filter(|line| is_signal(line)).for_each(&mut add),
            }
        }
    }
    lines
}

/// Whether there are lines of others that are also for the selected agent, if all lines of its records are for it.
pub(crate) fn may_inherit(set: &RecordSet<'_>, interest: &Interest, answered_by: AnsweredBy) -> bool {
    let own = set.records().filter(|record| answers(record, interest, answered_by));
    let own: Vec<_> = own.flat_map(|record| record.extensions()).collect();
    !inherited(set, interest, answered_by, &own).is_empty()
}

fn has_signals_of_others(set: &RecordSet<'_>, interest: &Interest, answered_by: AnsweredBy) -> bool {
    interest.fallback && matches!(answered_by, AnsweredBy::Agent(_)) && set.extensions.iter().any(is_signal)
}

/// Whether a line says what content may be used for.
const fn is_signal(line: &ExtensionLine<'_>) -> bool {
    matches!(line.directive, Directive::ContentSignal | Directive::ContentUsage)
}

/// The other lines of a record that are for the selected agents. None if that is all of its lines.
pub(crate) fn values_that_answer<'s, 'a>(
    record: &Record<'s, 'a>,
    interest: &Interest,
    answered_by: AnsweredBy,
) -> Option<Vec<&'s ExtensionLine<'a>>> {
    let values = record.extensions();
    if values.iter().all(|line| line.block.is_none()) {
        return None;
    }
    let options = record.options();
    let answers = |name: &AgentName<'_>| match answered_by {
        AnsweredBy::Agent(best) => {
            interest.agents.named_by(name, options.agents).is_some_and(|place| place == best || options.union_of_agents)
        }
        AnsweredBy::Everyone => name.is_everyone(),
        AnsweredBy::Nobody => false,
    };
    let agents: Vec<LineNumber> =
        record.agents().iter().filter(|agent| answers(&agent.name)).map(|agent| agent.line).collect();
    let is_for_them = |line: &&ExtensionLine<'_>| {
        let next = agents.get(agents.partition_point(|&agent| agent < line.block));
        next.is_some_and(|&agent| line.is_for(agent))
    };
    Some(values.iter().filter(is_for_them).collect())
}

/// Whether all of the record's other lines are for the selected agents.
pub(crate) fn all_lines_answer(record: &Record<'_, '_>, interest: &Interest, answered_by: AnsweredBy) -> bool {
    let all = record.extensions().len();
    values_that_answer(record, interest, answered_by).is_none_or(|values| values.len() == all)
}
