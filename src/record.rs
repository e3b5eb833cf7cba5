//! Records (the groups of RFC 9309): rules, extension lines, and the set of them that a file makes.
//!
//! Invariant: only the parser and the filter build a [`RecordSet`]; rules, agents and extension lines each lie in one
//! arena in file order, and a record is three ranges of those. The set carries the [`Reading`] it was made under, so that
//! filter, text and tester cannot read it in different ways.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::ops::Range;

use bstr::{BStr, ByteSlice};

use crate::agent::{AgentForm, AgentName, Interest};
use crate::directive::Directive;
use crate::limits::OverLimit;
use crate::order::Ordered;
use crate::pattern::{PathForm, PathPattern};
use crate::report::Report;
use crate::value::{CleanParam, ContentUse, CrawlDelay, HttpUrl, RequestRate, VisitTime, printable_text, read_host};

/// Which of the rules that match a URL decides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum Precedence {
    /// The one with the longest pattern, and Allow before Disallow (RFC 9309 2.2.2).
    #[default]
    LongestMatch,
    /// The one that stands first (the 1996 draft; PROCESSOR `respectOrder`).
    #[cfg_attr(feature = "serde", serde(rename = "file"))]
    FileOrder,
}

/// How a record set is to be understood: the part of the options that outlives parsing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// How agents are matched.
    pub agents: AgentForm,
    /// Whether the records of all agents asked for count together, instead of those of the first that has one.
    pub union_of_agents: bool,
    /// How paths are read.
    pub paths: PathForm,
    /// Which rule decides.
    pub precedence: Precedence,
    /// Whether `/robots.txt` may always be fetched (RFC 9309 2.2.2).
    pub robots_txt_allowed: bool,
    /// Google's: `Allow: /dir/index.html` allows `/dir/` too.
    pub index_html: bool,
    /// What happened to rules over a limit.
    pub over_limit: OverLimit,
    /// The limit on lines of a record, which holds for merged records too.
    pub max_lines: usize,
    /// The limit on octets of a value, for what widening writes.
    pub max_value_length: usize,
    /// The limit on octets of a text, which is that on its reader's input.
    pub max_text: usize,
    /// The longest line of a text that its reader takes whole.
    pub max_text_line: usize,
}

/// Allow or Disallow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "lowercase"))]
pub enum RuleKind {
    /// The paths may be fetched.
    Allow,
    /// They may not.
    Disallow,
}

impl RuleKind {
    /// The directive's name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "Allow",
            Self::Disallow => "Disallow",
        }
    }
}

/// A rule: what it says, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule<'a> {
    pub(crate) line: u32,
    pub(crate) kind: RuleKind,
    pub(crate) pattern: PathPattern<'a>,
    /// The length the pattern had before it was widened; its own, where it was not.
    pub(crate) claimed_rank: usize,
}

impl<'a> Rule<'a> {
    /// The line of the input it stands on.
    #[must_use]
    pub const fn line(&self) -> u32 {
        self.line
    }

    /// Allow or Disallow.
    #[must_use]
    pub const fn kind(&self) -> RuleKind {
        self.kind
    }

    /// The paths.
    #[must_use]
    pub const fn pattern(&self) -> &PathPattern<'a> {
        &self.pattern
    }

    /// `Disallow: /`, from no line of the input.
    pub(crate) const fn everything_disallowed() -> Rule<'static> {
        Rule { line: 0, kind: RuleKind::Disallow, pattern: PathPattern::EVERYTHING, claimed_rank: 1 }
    }

    /// What an Allow of an index page implies.
    pub(crate) fn implied_directory(&self, reading: &Reading) -> Option<Vec<u8>> {
        implied_directory(self.kind, self.pattern.as_bytes(), reading)
    }

    fn into_owned(self) -> Rule<'static> {
        Rule { line: self.line, kind: self.kind, claimed_rank: self.claimed_rank, pattern: self.pattern.into_owned() }
    }
}

/// `[google.index-html]`: the pattern `/dir/$` that an Allow of `/dir/index.html` implies, where it does.
pub(crate) fn implied_directory(kind: RuleKind, pattern: &[u8], reading: &Reading) -> Option<Vec<u8>> {
    if !reading.index_html || kind != RuleKind::Allow {
        return None;
    }
    let (directory, file) = pattern.split_at_checked(pattern.rfind_byte(b'/')?)?;
    file.starts_with(b"/index.htm").then(|| [directory, b"/$"].concat())
}

/// A line that is neither a user-agent nor a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extension<'a> {
    pub(crate) line: u32,
    pub(crate) directive: Directive,
    pub(crate) name: Cow<'a, [u8]>,
    pub(crate) value: Cow<'a, [u8]>,
}

impl Extension<'_> {
    /// The line of the input it stands on.
    #[must_use]
    pub const fn line(&self) -> u32 {
        self.line
    }

    /// What it is.
    #[must_use]
    pub const fn directive(&self) -> Directive {
        self.directive
    }

    /// Its name, in its canonical spelling.
    #[must_use]
    pub fn name(&self) -> &BStr {
        self.name.as_bstr()
    }

    /// Its value: printable ASCII, as the file has it but for octets that had to be percent-encoded.
    #[must_use]
    pub fn value(&self) -> &BStr {
        self.value.as_bstr()
    }

    /// The value in its canonical spelling, or none where it is not of its directive's form.
    pub(crate) fn canonical_value(directive: Directive, value: &[u8]) -> Option<Cow<'_, [u8]>> {
        let spelled = match directive {
            // The parser keeps no others.
            Directive::Sitemap => return Some(Cow::Borrowed(value)),
            Directive::CrawlDelay => CrawlDelay::read(value)?.to_string(),
            Directive::RequestRate => RequestRate::read(value)?.to_string(),
            Directive::VisitTime => VisitTime::read(value)?.to_string(),
            Directive::CleanParam => CleanParam::read(value)?.to_string(),
            Directive::ContentSignal | Directive::ContentUsage => ContentUse::read(value)?.to_string(),
            Directive::Host => read_host(value)?,
            _ => return Some(printable_text(Cow::Borrowed(value))),
        };
        Some(Cow::Owned(spelled.into_bytes()))
    }

    fn into_owned(self) -> Extension<'static> {
        Extension {
            line: self.line,
            directive: self.directive,
            name: Cow::Owned(self.name.into_owned()),
            value: Cow::Owned(self.value.into_owned()),
        }
    }
}

/// A user-agent line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentLine<'a> {
    pub(crate) line: u32,
    pub(crate) name: AgentName<'a>,
}

impl<'a> AgentLine<'a> {
    /// The line of the input it stands on.
    #[must_use]
    pub const fn line(&self) -> u32 {
        self.line
    }

    /// Whom it names.
    #[must_use]
    pub const fn name(&self) -> &AgentName<'a> {
        &self.name
    }
}

/// Where a record's parts lie, and what was found in it.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub(crate) struct Entry {
    pub(crate) agents: Range<usize>,
    pub(crate) rules: Range<usize>,
    pub(crate) extensions: Range<usize>,
    pub(crate) report: Option<Box<Report>>,
}

/// All that a file says, or what a filter left of it.
///
/// It borrows from the input; [`RecordSet::into_owned`] cuts it loose.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct RecordSet<'a> {
    pub(crate) reading: Reading,
    pub(crate) agents: Vec<AgentLine<'a>>,
    pub(crate) rules: Vec<Rule<'a>>,
    pub(crate) extensions: Vec<Extension<'a>>,
    pub(crate) entries: Vec<Entry>,
    pub(crate) loose: Vec<Extension<'a>>,
    /// What was found outside records.
    pub(crate) report: Report,
    /// What limits took from agents that were asked for, by their place.
    pub(crate) lost: Vec<(usize, Report)>,
    /// For whom the parser read, if not for all.
    pub(crate) read_for: Option<Arc<Interest>>,
}

impl<'a> RecordSet<'a> {
    pub(crate) fn new(reading: Reading, max_details: usize) -> Self {
        Self { reading, report: Report::new(max_details), ..Self::default() }
    }

    /// How it is to be understood.
    #[must_use]
    pub const fn reading(&self) -> &Reading {
        &self.reading
    }

    /// The records, in file order.
    #[must_use]
    pub fn records(&self) -> impl ExactSizeIterator<Item = Record<'_, 'a>> + '_ {
        self.entries.iter().map(|entry| Record { set: self, entry })
    }

    /// The lines that belong to the file, wherever they stand in it: Sitemap, Host, License …
    #[must_use]
    pub fn file_lines(&self) -> &[Extension<'a>] {
        &self.loose
    }

    /// The sitemaps, each once, in file order.
    #[must_use]
    pub fn sitemaps(&self) -> Vec<HttpUrl> {
        let mut seen = alloc::collections::BTreeSet::new();
        let lines = self.loose.iter().filter(|line| line.directive == Directive::Sitemap);
        // The length first: addresses of one site begin alike.
        let firsts = lines.filter(|line| seen.insert((line.value.len(), &line.value)));
        firsts.filter_map(|line| HttpUrl::kept(&line.value)).collect()
    }

    /// The site's main mirror: the first that is named.
    #[must_use]
    pub fn host(&self) -> Option<String> {
        self.loose.iter().filter(|line| line.directive == Directive::Host).find_map(|line| read_host(&line.value))
    }

    /// What was found in the whole file.
    #[must_use]
    pub fn report(&self) -> Report {
        let mut report = self.report.clone();
        let lost = self.lost.iter().map(|(_, report)| report);
        report.absorb_all(lost.chain(self.entries.iter().filter_map(|entry| entry.report.as_deref())));
        report
    }

    /// What was found in the whole file, if that is more than what was found outside records, which is put in order.
    pub(crate) fn report_of_parts(&mut self) -> Option<Report> {
        if self.lost.is_empty() && self.entries.iter().all(|entry| entry.report.is_none()) {
            self.report.sort();
            return None;
        }
        Some(self.report())
    }

    /// The same set, with its own copy of what it borrowed.
    #[must_use]
    pub fn into_owned(self) -> RecordSet<'static> {
        let agent = |agent: AgentLine<'a>| AgentLine { line: agent.line, name: agent.name.into_owned() };
        RecordSet {
            reading: self.reading,
            agents: self.agents.into_iter().map(agent).collect(),
            rules: self.rules.into_iter().map(Rule::into_owned).collect(),
            extensions: self.extensions.into_iter().map(Extension::into_owned).collect(),
            entries: self.entries,
            loose: self.loose.into_iter().map(Extension::into_owned).collect(),
            report: self.report,
            lost: self.lost,
            read_for: self.read_for,
        }
    }
}

/// One record of a set.
#[derive(Clone, Copy, Debug)]
pub struct Record<'s, 'a> {
    set: &'s RecordSet<'a>,
    entry: &'s Entry,
}

impl<'s, 'a> Record<'s, 'a> {
    pub(crate) const fn reading(&self) -> &'s Reading {
        &self.set.reading
    }

    /// Its user-agent lines.
    #[must_use]
    pub fn agents(&self) -> &'s [AgentLine<'a>] {
        self.set.agents.get(self.entry.agents.clone()).unwrap_or_default()
    }

    /// Its rules, in file order.
    #[must_use]
    pub fn rules(&self) -> &'s [Rule<'a>] {
        self.set.rules.get(self.entry.rules.clone()).unwrap_or_default()
    }

    /// Its rules, the one that decides first where several match first.
    #[must_use]
    pub fn rules_by_precedence(&self) -> Vec<&'s Rule<'a>> {
        Ordered::new(self.rules(), self.set.reading.precedence).rules().collect()
    }

    /// Its other lines, in file order.
    #[must_use]
    pub fn extensions(&self) -> &'s [Extension<'a>] {
        self.set.extensions.get(self.entry.extensions.clone()).unwrap_or_default()
    }

    /// What was found in its lines.
    #[must_use]
    pub fn report(&self) -> Option<&'s Report> {
        self.entry.report.as_deref()
    }

    /// The first value of a directive by name, in any case, rules included.
    ///
    /// ```
    /// use robosieve::Parser;
    /// let set = Parser::default().parse(b"User-agent: *\nDisallow: /a\nDisallow: /b\nCrawl-delay: 5");
    /// let record = set.records().next().unwrap();
    /// assert_eq!(record.value("disallow").unwrap(), "/a");
    /// assert_eq!(record.values("Disallow").count(), 2);
    /// assert_eq!(record.crawl_delay().unwrap().as_duration().as_secs(), 5);
    /// ```
    #[must_use]
    pub fn value(&self, name: &str) -> Option<&'s BStr> {
        self.values(name).next()
    }

    /// All values of a directive by name, in any case, rules included, in file order.
    pub fn values(&self, name: &str) -> impl Iterator<Item = &'s BStr> {
        let is_kind = |kind: RuleKind| name.eq_ignore_ascii_case(kind.as_str());
        let (allow, disallow) = (is_kind(RuleKind::Allow), is_kind(RuleKind::Disallow));
        let name = name.to_string();
        let rules = self.rules().iter().filter(move |rule| match rule.kind {
            RuleKind::Allow => allow,
            RuleKind::Disallow => disallow,
        });
        let lines = self.extensions().iter().filter(move |line| line.name.eq_ignore_ascii_case(name.as_bytes()));
        rules.map(|rule| rule.pattern.as_bstr()).chain(lines.map(Extension::value))
    }

    fn typed<T: 's>(&self, of: Directive, read: fn(&[u8]) -> Option<T>) -> impl Iterator<Item = T> + 's {
        self.extensions().iter().filter(move |line| line.directive == of).filter_map(move |line| read(&line.value))
    }

    /// The longest crawl delay that it asks for: with two of them, a crawler that keeps to the longer keeps to both.
    #[must_use]
    pub fn crawl_delay(&self) -> Option<CrawlDelay> {
        self.typed(Directive::CrawlDelay, CrawlDelay::read).max_by_key(CrawlDelay::as_duration)
    }

    /// Its request rates.
    pub fn request_rates(&self) -> impl Iterator<Item = RequestRate> + 's {
        self.typed(Directive::RequestRate, RequestRate::read)
    }

    /// Its visit times.
    pub fn visit_times(&self) -> impl Iterator<Item = VisitTime> + 's {
        self.typed(Directive::VisitTime, VisitTime::read)
    }

    /// Its Clean-param lines.
    pub fn clean_params(&self) -> impl Iterator<Item = CleanParam> + 's {
        self.typed(Directive::CleanParam, CleanParam::read)
    }

    /// What its Content-Signal lines say.
    pub fn content_signals(&self) -> impl Iterator<Item = ContentUse> + 's {
        self.typed(Directive::ContentSignal, ContentUse::read)
    }

    /// What its Content-Usage lines say.
    pub fn content_usage(&self) -> impl Iterator<Item = ContentUse> + 's {
        self.typed(Directive::ContentUsage, ContentUse::read)
    }
}
