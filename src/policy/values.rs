//! The values for one agent: the lines of its group that are not rules and apply to that agent.
//!
//! Invariant: the lines are in file order. Each of them applies to the requested agent (`[value.agents]`).

use alloc::vec::Vec;

use crate::path::glob::PathForm;
use crate::path::pattern::UrlPath;
use crate::policy::content_use::ContentUse;
use crate::policy::record::{AgentLine, ExtensionLine, Record};
use crate::policy::value::{CrawlDelay, RequestRate, VisitTime};
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
        let path = UrlPath::of(url.as_ref(), PathForm::default());
        let mut holding = Vec::new();
        let mut longest = 0;
        for line in self.lines.iter().copied().filter(|line| line.directive == directive) {
            let Some(value) = ContentUse::read(directive, &line.value) else { continue };
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
