//! Records (the groups of RFC 9309): their rules, their extension lines, and the set of them that a file contains.
//!
//! Rules, agents and extension lines are stored in three arrays, in file order. A record is a range of each. The set
//! has the [`Options`] that it was parsed with, so filter, text and tester cannot read it in different ways.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;
use core::num::NonZeroU32;
use core::ops::Range;
use core::slice::from_ref;

use bstr::{BStr, ByteSlice};
use robosieve_printable::escape;

use crate::closed;
use crate::path::glob::PathForm;
use crate::path::pattern::PathPattern;
use crate::policy::address::{HttpUrl, read_host};
use crate::policy::agent::{Agent, AgentName, Interest};
use crate::policy::options::Options;
use crate::policy::value::{CleanParam, CrawlDelay};
use crate::report::{Effect, LineNumber, Report};
use crate::syntax::bytes::Flags;
use crate::syntax::grammar::Style;
use crate::syntax::names::{Directive, RuleKind};

/// A rule: what it says, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule<'a> {
    pub(crate) line: LineNumber,
    pub(crate) kind: RuleKind,
    pub(crate) pattern: PathPattern<'a>,
    /// The length of the pattern before it was widened. If it was not widened, its length.
    pub(crate) len_before_widening: usize,
    /// The normalisation that the bytes of the pattern need: see [`Flags`].
    pub(crate) flags: Flags,
}

/// Writes the rule as a line of a file, for people: see [`printable`](robosieve_printable).
impl fmt::Display for Rule<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind, escape(self.pattern.as_bytes()))
    }
}

/// The rule of agents whose rules are not known.
pub(crate) static DISALLOW_ALL: Rule<'static> = Rule::everything_disallowed();
/// The agents of a group if a bug loses them.
static EVERYONE: [AgentLine<'static>; 1] = [AgentLine { line: None, name: AgentName::EVERYONE }];

impl<'a> Rule<'a> {
    /// Its line in the input.
    #[must_use]
    pub const fn line(&self) -> Option<NonZeroU32> {
        self.line
    }

    /// Allow or Disallow.
    #[must_use]
    pub const fn kind(&self) -> RuleKind {
        self.kind
    }

    /// The pattern of the paths.
    #[must_use]
    pub const fn pattern(&self) -> &PathPattern<'a> {
        &self.pattern
    }

    /// The effect of losing it: none for an empty rule.
    pub(crate) fn effect_of_losing(&self) -> Effect {
        if self.pattern.is_empty() { Effect::None } else { self.kind.effect_of_losing() }
    }

    /// `[text.unwritable]`: whether it can match a path, and has bytes that no text can have.
    pub(crate) fn is_unwritable(&self, paths: PathForm) -> bool {
        // The standard form leaves no other bytes.
        paths.encoding == Style::Google && !self.pattern.is_writable() && self.pattern.can_match()
    }

    /// `Disallow: /`, without a line in the input.
    pub(crate) const fn everything_disallowed() -> Rule<'static> {
        let (kind, pattern) = (RuleKind::Disallow, PathPattern::EVERYTHING);
        Rule { line: None, kind, pattern, len_before_widening: 1, flags: Flags::NONE }
    }

    /// The directory pattern that an Allow of an index page implies, if the options say so.
    #[doc(hidden)]
    #[must_use]
    pub fn implied_directory(&self, options: &Options) -> Option<Vec<u8>> {
        if options.index_html { index_directory(self.kind, self.pattern.as_bytes()) } else { None }
    }

    pub(crate) fn into_owned(self) -> Rule<'static> {
        let Self { line, kind, len_before_widening, flags, pattern } = self;
        Rule { line, kind, len_before_widening, flags, pattern: pattern.into_owned() }
    }
}

/// `[google.index-html]`: the pattern `/dir/$` that an Allow of `/dir/index.html` implies.
pub(crate) fn index_directory(kind: RuleKind, pattern: &[u8]) -> Option<Vec<u8>> {
    Some([before_index(kind, pattern)?, b"/$"].concat())
}

/// Whether there is an [`index_directory`].
pub(crate) fn has_index_directory(kind: RuleKind, pattern: &[u8]) -> bool {
    before_index(kind, pattern).is_some()
}

fn before_index(kind: RuleKind, pattern: &[u8]) -> Option<&[u8]> {
    if kind != RuleKind::Allow {
        return None;
    }
    let (directory, file) = pattern.split_at_checked(pattern.rfind_byte(b'/')?)?;
    file.starts_with(b"/index.htm").then_some(directory)
}

/// A line that is neither a user-agent line nor a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExtensionLine<'a> {
    pub(crate) line: LineNumber,
    /// The first of the user-agent lines directly above it, if the line is for those agents only. None if it is for the
    /// whole record.
    pub(crate) block: LineNumber,
    pub(crate) directive: Directive,
    pub(crate) name: Cow<'a, [u8]>,
    pub(crate) value: Cow<'a, [u8]>,
}

impl ExtensionLine<'_> {
    /// Its line in the input.
    #[must_use]
    pub const fn line(&self) -> Option<NonZeroU32> {
        self.line
    }

    /// The directive.
    #[must_use]
    pub const fn directive(&self) -> Directive {
        self.directive
    }

    /// The directive's name, in its canonical spelling.
    #[must_use]
    pub fn name(&self) -> &BStr {
        self.name.as_bstr()
    }

    /// The value as in the file, with bytes percent-encoded where needed: printable ASCII.
    #[must_use]
    pub fn value(&self) -> &BStr {
        self.value.as_bstr()
    }

    /// Whether the line is for the agent of this user-agent line of its record.
    pub(crate) fn is_for(&self, agent_line: LineNumber) -> bool {
        self.block.is_none() || (self.block..self.line).contains(&agent_line)
    }

    pub(crate) fn into_owned(self) -> ExtensionLine<'static> {
        ExtensionLine {
            line: self.line,
            block: self.block,
            directive: self.directive,
            name: Cow::Owned(self.name.into_owned()),
            value: Cow::Owned(self.value.into_owned()),
        }
    }
}

/// A user-agent line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentLine<'a> {
    pub(crate) line: LineNumber,
    pub(crate) name: AgentName<'a>,
}

impl AgentLine<'_> {
    /// Its line in the input.
    #[must_use]
    pub const fn line(&self) -> Option<NonZeroU32> {
        self.line
    }

    /// The name in it: the leading token of its value, or `*`.
    #[must_use]
    pub fn name(&self) -> &BStr {
        self.name.as_bstr()
    }

    /// Whether it is for all agents that are not named elsewhere (`*`).
    #[must_use]
    pub fn is_everyone(&self) -> bool {
        self.name.is_everyone()
    }

    /// Whether it names this agent.
    #[must_use]
    pub fn names(&self, agent: &Agent, style: Style) -> bool {
        self.name.names(agent, style)
    }
}

/// The URLs of the sitemaps among these lines, in file order, without duplicates.
pub(crate) fn sitemaps_of(lines: &[ExtensionLine<'_>]) -> Vec<HttpUrl> {
    let mut seen = alloc::collections::BTreeSet::new();
    let lines = lines.iter().filter(|line| line.directive == Directive::Sitemap);
    // Compares the length first: URLs of one site have the same beginning.
    let firsts = lines.filter(|line| seen.insert((line.value.len(), &line.value)));
    firsts.filter_map(|line| HttpUrl::kept(&line.value)).collect()
}

/// The ranges of a record's parts, and what was found in it.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub(crate) struct Ranges {
    pub(crate) agents: Range<usize>,
    pub(crate) rules: Range<usize>,
    pub(crate) extensions: Range<usize>,
    pub(crate) report: Option<Box<Report>>,
}

/// All records and lines of a file, or those that a filter kept.
///
/// It borrows from the input. [`RecordSet::into_owned`] makes an independent copy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordSet<'a> {
    pub(crate) options: Arc<Options>,
    /// Whether the file is not whole: a group without a rule disallows everything.
    pub(crate) is_incomplete: bool,
    pub(crate) agents: Vec<AgentLine<'a>>,
    pub(crate) rules: Vec<Rule<'a>>,
    pub(crate) extensions: Vec<ExtensionLine<'a>>,
    pub(crate) ranges: Vec<Ranges>,
    pub(crate) loose: Vec<ExtensionLine<'a>>,
    /// Lines above all records that are for every crawler.
    pub(crate) general: Vec<ExtensionLine<'a>>,
    /// What was found outside records.
    pub(crate) report: Report,
    /// What limits cost the requested agents, with the preference of each agent: 0 if all agents are kept, the greatest
    /// number for `*`.
    pub(crate) lost: Vec<(usize, Box<Report>)>,
    /// The agents that the parser kept records for; none if it kept all.
    pub(crate) read_for: Option<Arc<Interest>>,
}

impl Default for RecordSet<'_> {
    fn default() -> Self {
        Self::new(&Arc::default())
    }
}

impl<'a> RecordSet<'a> {
    /// A set without a record.
    pub(crate) fn new(options: &Arc<Options>) -> Self {
        Self {
            options: Arc::clone(options),
            is_incomplete: false,
            agents: Vec::new(),
            rules: Vec::new(),
            extensions: Vec::new(),
            ranges: Vec::new(),
            loose: Vec::new(),
            general: Vec::new(),
            report: Report::new(options.max_details),
            lost: Vec::new(),
            read_for: None,
        }
    }

    /// Whether the bytes were not the whole file: a group without a rule disallows everything.
    #[must_use]
    pub const fn is_incomplete(&self) -> bool {
        self.is_incomplete
    }

    /// The options that it was parsed with.
    #[must_use]
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// The records, in file order.
    #[must_use]
    pub fn records(&self) -> impl ExactSizeIterator<Item = Record<'_, 'a>> + '_ {
        self.ranges.iter().map(|range| Record::of(self, range))
    }

    /// The record at this place.
    pub(crate) fn record(&self, place: usize) -> Option<Record<'_, 'a>> {
        self.ranges.get(place).map(|range| Record { set: self, range })
    }

    /// The lines that belong to the whole file, wherever they are: Sitemap, Host, License, Clean-param …
    #[must_use]
    pub fn file_lines(&self) -> &[ExtensionLine<'a>] {
        &self.loose
    }

    /// The lines above the first record that are for every crawler: Crawl-delay, Content-Signal and Content-Usage
    /// (`[value.everybody]`). [`Selection::values`](crate::records::Selection::values) has what they mean for an agent.
    #[must_use]
    pub fn lines_for_everybody(&self) -> &[ExtensionLine<'a>] {
        &self.general
    }

    /// The Clean-param lines, which belong to the file.
    pub fn clean_params(&self) -> impl Iterator<Item = CleanParam> {
        let lines = self.loose.iter().filter(|line| line.directive == Directive::CleanParam);
        lines.filter_map(|line| CleanParam::read(&line.value))
    }

    /// The sitemap URLs in file order, without duplicates.
    #[must_use]
    pub fn sitemaps(&self) -> Vec<HttpUrl> {
        sitemaps_of(&self.loose)
    }

    /// The site's main mirror: the first Host value.
    #[must_use]
    pub fn host(&self) -> Option<String> {
        self.loose.iter().filter(|line| line.directive == Directive::Host).find_map(|line| read_host(&line.value))
    }

    /// What was found in the whole file.
    #[must_use]
    pub fn report(&self) -> Report {
        let mut report = self.report.emptied();
        let lost = self.lost.iter().map(|(_, report)| &**report);
        let parts = lost.chain(self.ranges.iter().filter_map(|range| range.report.as_deref()));
        report.absorb_all(core::iter::once(&self.report).chain(parts));
        report
    }

    /// What was found in the whole file. None if nothing was found inside records; then the
    /// set's own report, which is sorted here, is complete.
    pub(crate) fn report_of_parts(&mut self) -> Option<Report> {
        if self.lost.is_empty() && self.ranges.iter().all(|range| range.report.is_none()) {
            self.report.sort();
            return None;
        }
        Some(self.report())
    }

    /// This set, with its own copy of the borrowed data.
    #[must_use]
    pub fn into_owned(self) -> RecordSet<'static> {
        let agent = |agent: AgentLine<'a>| AgentLine { line: agent.line, name: agent.name.into_owned() };
        RecordSet {
            options: self.options,
            is_incomplete: self.is_incomplete,
            agents: self.agents.into_iter().map(agent).collect(),
            rules: self.rules.into_iter().map(Rule::into_owned).collect(),
            extensions: self.extensions.into_iter().map(ExtensionLine::into_owned).collect(),
            ranges: self.ranges,
            loose: self.loose.into_iter().map(ExtensionLine::into_owned).collect(),
            general: self.general.into_iter().map(ExtensionLine::into_owned).collect(),
            report: self.report,
            lost: self.lost,
            read_for: self.read_for,
        }
    }
}

/// A record of a set: what RFC 9309 calls a group.
#[derive(Clone, Copy, Debug)]
pub struct Record<'s, 'a> {
    set: &'s RecordSet<'a>,
    range: &'s Ranges,
}

impl<'s, 'a> Record<'s, 'a> {
    /// The record of a set with these ranges.
    pub(crate) const fn of(set: &'s RecordSet<'a>, range: &'s Ranges) -> Self {
        Self { set, range }
    }

    pub(crate) fn options(&self) -> &'s Options {
        &self.set.options
    }

    /// Its user-agent lines.
    #[must_use]
    pub fn agents(&self) -> &'s [AgentLine<'a>] {
        closed::expect(self.set.agents.get(self.range.agents.clone()), || &EVERYONE)
    }

    /// Its rules, in file order.
    #[must_use]
    pub fn rules(&self) -> &'s [Rule<'a>] {
        closed::expect(self.set.rules.get(self.range.rules.clone()), || from_ref(&DISALLOW_ALL))
    }

    /// The place of its first rule among those of the set.
    pub(crate) const fn first_rule(&self) -> usize {
        self.range.rules.start
    }

    /// Its other lines, in file order.
    #[must_use]
    pub fn extensions(&self) -> &'s [ExtensionLine<'a>] {
        self.set.extensions.get(self.range.extensions.clone()).unwrap_or_default()
    }

    /// What was found in its lines.
    #[must_use]
    pub fn report(&self) -> Option<&'s Report> {
        self.range.report.as_deref()
    }

    /// The agents that one of its other lines is for: those of the user-agent lines directly above it. If the line is
    /// below a rule, all agents of the record (`[value.agents]`).
    #[must_use]
    pub fn agents_of(&self, line: &ExtensionLine<'_>) -> &'s [AgentLine<'a>] {
        let agents = self.agents();
        if line.block.is_none() {
            return agents;
        }
        let from = agents.partition_point(|agent| agent.line < line.block);
        let to = agents.partition_point(|agent| agent.line < line.line);
        agents.get(from..to).unwrap_or_default()
    }

    /// Whether one of its other lines is for all agents of the record.
    pub(crate) fn is_shared(&self, line: &ExtensionLine<'_>) -> bool {
        line.block.is_none() || self.agents_of(line).len() == self.agents().len()
    }

    /// The longest crawl delay that is for all agents of the record.
    #[must_use]
    pub fn crawl_delay(&self) -> Option<CrawlDelay> {
        self.shared_values().crawl_delay()
    }
}
