//! Everything that applies to the agents, and everything that applies to the whole file.
//!
//! Invariant: the rules listed are those that `filter` writes under the same options, with their line numbers. Under the
//! options for verdicts they are those that `test` uses, also where no text can contain them. All text is
//! safe to print: see [`printable`](robosieve_printable).

use std::collections::BTreeMap;
use std::num::NonZeroU32;

use robosieve::Options;
use robosieve::records::{Directive, ExtensionLine, Parser, Record, Rule, RuleKind, Selection};
use robosieve::report::{Effect, Report};
use robosieve::settings::Refused;
use robosieve::values::{CleanParam, ContentUse, CrawlDelay, RequestRate, VisitTime};

use crate::names::Groups;
use crate::number;
use crate::report::FileSummary;
use crate::who::{Who, records};
use robosieve_printable::{escape, harmless};

/// All that a file says to the agents.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Inspection {
    /// Which group applies.
    #[cfg_attr(feature = "serde", serde(flatten))]
    pub who: Who,
    /// The first user-agent line that applies.
    pub agent_line: Option<u32>,
    /// In order of precedence.
    pub rules: Vec<InspectedRule>,
    /// The longest delay.
    pub crawl_delay: Option<InspectedDelay>,
    /// In file order, as all lists below.
    pub request_rates: Vec<RequestRate>,
    /// Hours of the day, UTC.
    pub visit_times: Vec<VisitTime>,
    /// Parameters that do not change a page, by the whole file.
    pub clean_params: Vec<CleanParam>,
    /// What the content may be used for, by Content-Signal.
    pub content_signals: Vec<ContentUse>,
    /// What the content may be used for, by Content-Usage.
    pub content_usage: Vec<ContentUse>,
    /// Other lines of the groups.
    pub extensions: Vec<InspectedLine>,
    /// The URLs of sitemaps, each once.
    pub sitemaps: Vec<String>,
    /// The main mirror.
    pub host: Option<String>,
    /// Where the licence of the content is.
    pub license: Vec<String>,
    /// Other lines of the file.
    pub file_lines: Vec<InspectedLine>,
    /// The agents that any line of the file names, in the order of their first lines.
    pub agents_named: Vec<NamedAgent>,
    /// Whether no limit cost the file a line that may name one.
    pub agents_named_complete: bool,
    /// What the file is like, and whether anything was lost.
    #[cfg_attr(feature = "serde", serde(flatten))]
    pub summary: FileSummary,
    /// What was found in the file.
    pub report: Report,
}

/// A rule.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct InspectedRule {
    /// None for a `Disallow: /` that replaces lost rules.
    pub line: Option<u32>,
    /// Allow or Disallow.
    pub kind: RuleKind,
    /// The pattern that is used.
    pub pattern: String,
}

/// A crawl delay.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct InspectedDelay {
    /// The delay that is used.
    pub seconds: f64,
    /// As the file has it.
    pub raw: String,
}

/// A line that is neither a user-agent line nor a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct InspectedLine {
    /// Its number.
    pub line: u32,
    /// The name of its directive.
    pub name: String,
    /// The value that is used.
    pub value: String,
}

/// An agent of the file, in its first spelling.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct NamedAgent {
    /// Its name.
    pub name: String,
    /// The lines that name it.
    pub lines: Vec<u32>,
}

/// A part of an inspection, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Section {
    /// A name and a value.
    Value(&'static str, String),
    /// A name and some values, at least one.
    List(&'static str, Vec<String>),
}

/// The agents of all groups: a file read for some agents has no other groups. And whether these are all.
fn agents_named(input: &[u8], options: &Options) -> (Vec<NamedAgent>, bool) {
    let set = Parser::new(options.clone()).parse(input);
    // A lost user-agent line, or the lost end of the file, can go either way; nothing else that a parser loses can.
    let is_complete = set.report().losses(Effect::Either) == 0;
    let mut agents: Vec<NamedAgent> = Vec::new();
    let mut places: BTreeMap<Vec<u8>, usize> = BTreeMap::new();
    for agent in set.records().flat_map(|record| record.agents()) {
        let name = agent.name();
        let place = *places.entry(name.to_ascii_lowercase()).or_insert(agents.len());
        match agents.get_mut(place) {
            Some(known) => known.lines.extend(agent.line().map(NonZeroU32::get)),
            None => agents.push(NamedAgent { name: escape(name), lines: vec![number(agent.line())] }),
        }
    }
    (agents, is_complete)
}

impl Inspection {
    pub(crate) fn read(input: &[u8], options: &Options, groups: &Groups) -> Result<Self, Refused> {
        let read = records(input, options, groups);
        let (set, answered_by) = read.filter_for(groups)?;
        let record = set.records().next();
        let values = record.map(|record| record.shared_values()).unwrap_or_default();
        let rules = record.iter().flat_map(Record::rules_by_precedence);
        let lines = set.file_lines();
        let licenses = lines.iter().filter(|line| line.directive() == Directive::License);
        let (agents_named, agents_named_complete) = agents_named(input, options);
        let report = set.report();
        Ok(Self {
            who: Who::new(answered_by, groups),
            agent_line: Selection::of(&read, groups).agent_line().map(NonZeroU32::get),
            rules: rules.map(InspectedRule::new).collect(),
            crawl_delay: values.crawl_delay().map(|delay| InspectedDelay::new(&delay)),
            request_rates: values.request_rates().collect(),
            visit_times: values.visit_times().collect(),
            clean_params: set.clean_params().collect(),
            content_signals: values.content_signals().collect(),
            content_usage: values.content_usage().collect(),
            extensions: others(record.map(|record| record.extensions()).unwrap_or_default(), OF_AGENTS),
            sitemaps: set.sitemaps().iter().map(|url| harmless(url.as_str()).into_owned()).collect(),
            host: set.host().map(|host| harmless(&host).into_owned()),
            license: licenses.map(|line| harmless(line.value()).into_owned()).collect(),
            file_lines: others(lines, OF_FILES),
            agents_named,
            agents_named_complete,
            summary: FileSummary::new(&report),
            report,
        })
    }

    /// Which group applies, and where it begins.
    #[must_use]
    pub fn heading(&self) -> String {
        let line = self.agent_line.map(|line| format!(", line {line}")).unwrap_or_default();
        format!("{}{line}", self.who.words())
    }

    /// All but the heading and the report, in words.
    #[must_use]
    pub fn sections(&self) -> Vec<Section> {
        let mut out = Sections(Vec::new());
        out.list("rules, in order of precedence", self.rules.iter().map(InspectedRule::words));
        if self.rules.is_empty() {
            out.value("rules", "none: everything is allowed");
        }
        if let Some(delay) = &self.crawl_delay {
            out.value("crawl delay", &format!("{} s (as written: {})", delay.seconds, delay.raw));
        }
        out.list("request rates", &self.request_rates);
        out.list("visit times (UTC)", &self.visit_times);
        out.list("parameters that do not change a page", &self.clean_params);
        out.list("content signals", &self.content_signals);
        out.list("content usage", &self.content_usage);
        out.list("other lines of the record", self.extensions.iter().map(InspectedLine::words));
        out.list("sitemaps", &self.sitemaps);
        if let Some(host) = &self.host {
            out.value("host", host);
        }
        out.list("license", &self.license);
        out.list("other lines of the file", self.file_lines.iter().map(InspectedLine::words));
        let agents = if self.agents_named_complete {
            "agents named in the file"
        } else {
            "agents named in the file (incomplete: a limit cost it lines that may name more)"
        };
        out.list(agents, self.agents_named.iter().map(NamedAgent::words));
        if self.agents_named.is_empty() && !self.agents_named_complete {
            out.value(agents, "none");
        }
        out.0
    }
}

struct Sections(Vec<Section>);

impl Sections {
    fn value(&mut self, name: &'static str, value: &str) {
        self.0.push(Section::Value(name, harmless(value).into_owned()));
    }

    fn list(&mut self, name: &'static str, values: impl IntoIterator<Item = impl ToString>) {
        let values: Vec<String> = values.into_iter().map(|value| harmless(&value.to_string()).into_owned()).collect();
        if !values.is_empty() {
            self.0.push(Section::List(name, values));
        }
    }
}

/// What is listed of the agents by its directive.
const OF_AGENTS: &[Directive] = &[
    Directive::CrawlDelay,
    Directive::RequestRate,
    Directive::VisitTime,
    Directive::ContentSignal,
    Directive::ContentUsage,
];

/// The same of the file.
const OF_FILES: &[Directive] = &[Directive::Sitemap, Directive::Host, Directive::License, Directive::CleanParam];

/// The lines that are not listed by their directive.
fn others(lines: &[ExtensionLine<'_>], listed: &[Directive]) -> Vec<InspectedLine> {
    lines.iter().filter(|line| !listed.contains(&line.directive())).map(InspectedLine::new).collect()
}

impl InspectedDelay {
    pub(crate) fn new(delay: &CrawlDelay) -> Self {
        Self { seconds: delay.as_duration().as_secs_f64(), raw: harmless(delay.raw()).into_owned() }
    }
}

impl InspectedRule {
    pub(crate) fn new(rule: &Rule<'_>) -> Self {
        let line = rule.line().map(NonZeroU32::get);
        Self { line, kind: rule.kind(), pattern: escape(rule.pattern().as_bytes()) }
    }

    fn words(&self) -> String {
        let line = self.line.map(|line| format!("  (line {line})")).unwrap_or_default();
        format!("{}: {}{line}", self.kind, self.pattern)
    }
}

impl InspectedLine {
    pub(crate) fn new(line: &ExtensionLine<'_>) -> Self {
        Self {
            line: number(line.line()),
            name: harmless(line.name()).into_owned(),
            value: harmless(line.value()).into_owned(),
        }
    }

    fn words(&self) -> String {
        format!("{}: {}  (line {})", self.name, self.value, self.line)
    }
}

impl NamedAgent {
    fn words(&self) -> String {
        let lines: Vec<String> = self.lines.iter().map(ToString::to_string).collect();
        let word = if lines.len() == 1 { "line" } else { "lines" };
        format!("{}  ({word} {})", self.name, lines.join(", "))
    }
}
