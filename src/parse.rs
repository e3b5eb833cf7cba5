//! Lines -> [`RecordSet`]: which record a line belongs to, what it means, and whether it fits the limits.
//!
//! Invariant: parsing is total, looks at each line once, and is the only spender of the budget. What a line costs is bounded
//! by its length; what is kept is bounded by the limits; a line that does not fit costs itself and nothing behind it.

mod extension;

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::sync::Arc;

use bstr::ByteSlice;

use crate::agent::{AgentForm, AgentName, Interest};
use crate::directive::{Directive, Scope, may_be_known};
use crate::grammar::{CommonField, Content, Field, GOOGLE_LINE, Line, Lines};
use crate::limits::{Budget, OverLimit};
use crate::octets::{self, OctetSet};
use crate::options::Options;
use crate::pattern::PathPattern;
use crate::record::{AgentLine, Entry, RecordSet, Rule, RuleKind};
use crate::report::{Effect, Finding, FindingKind, Report};
use crate::select::effect_of_losing;
use crate::sniff;
use crate::value::HttpUrl;

/// Reads files, with the same options each time.
///
/// ```
/// use robosieve::Parser;
/// let set = Parser::default().parse(b"User-agent: A\nUseragent: B\nDisallow: /x # not here\n");
/// let record = set.records().next().unwrap();
/// assert_eq!(record.agents().len(), 2);
/// assert_eq!(record.rules()[0].pattern().as_bytes(), b"/x");
/// ```
#[derive(Clone, Debug)]
pub struct Parser {
    pub(crate) options: Options,
    /// None: all agents.
    pub(crate) interest: Option<Arc<Interest>>,
    /// With what a line begins that matters in a record of other agents.
    always_matter: OctetSet,
}

impl Default for Parser {
    fn default() -> Self {
        Self::new(Options::default())
    }
}

impl Parser {
    /// A parser with these options.
    #[must_use]
    pub fn new(options: Options) -> Self {
        Self { always_matter: options.vocabulary.starts_that_always_matter(), options, interest: None }
    }

    /// Keeps only records that can matter to these agents, and reports only on those. Faster than parsing all and
    /// filtering, with the same answers.
    #[must_use]
    pub fn for_agents(mut self, interest: Interest) -> Self {
        self.interest = Some(Arc::new(interest));
        self
    }

    /// With these options in place of its own.
    pub(crate) fn with_options(self, options: Options) -> Self {
        Self { interest: self.interest, ..Self::new(options) }
    }

    /// The options.
    #[must_use]
    pub const fn options(&self) -> &Options {
        &self.options
    }

    /// Reads a file whole. Never fails. Cost: time in proportion to the input that is read, memory to what is kept of it.
    #[must_use]
    pub fn parse<'a>(&self, input: &'a [u8]) -> RecordSet<'a> {
        let mut parsing = Parsing::new(self, input);
        while parsing.step() {}
        parsing.set.report.settle();
        parsing.set
    }

    /// Reads a file record by record: each item is a set of one record and of the file's own lines that stand before its
    /// end. Memory is that of one record.
    ///
    /// ```
    /// use robosieve::Parser;
    /// let parser = Parser::default();
    /// let input = b"User-agent: A\nDisallow: /\n\nUser-agent: B\nAllow: /\n";
    /// assert_eq!(parser.records(input).count(), 2);
    /// ```
    pub fn records<'a>(&'a self, input: &'a [u8]) -> impl Iterator<Item = RecordSet<'a>> + 'a {
        let mut parsing = Parsing::new(self, input);
        let mut is_over = false;
        core::iter::from_fn(move || {
            while !is_over && parsing.set.entries.is_empty() {
                is_over = !parsing.step();
            }
            let mut done = parsing.take_closed();
            done.report.settle();
            let says_nothing = done.entries.is_empty() && done.loose.is_empty() && done.lost.is_empty();
            (!is_over || !says_nothing || done.report.total() > 0).then_some(done)
        })
    }
}

/// The record that lines belong to.
#[derive(Debug)]
struct Open {
    /// Where its parts begin.
    agents: usize,
    rules: usize,
    extensions: usize,
    /// What was found in it, if anything.
    report: Option<Box<Report>>,
    /// Whether user-agent lines still add to it.
    in_run: bool,
    /// Whether it has an agent that matters.
    matters: bool,
    /// Whether any of its user-agent lines names anybody.
    is_named: bool,
    /// The limit that cost it an agent that would have mattered, and the best place of such an agent.
    lost: Option<(FindingKind, usize)>,
}

/// What becomes of a record's lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Standing {
    /// They are kept.
    Kept,
    /// A limit takes them from the agent at this place.
    Lost(FindingKind, usize),
    /// They speak to nobody.
    Nobodys,
    /// They speak to agents that are not asked for.
    Foreign,
}

impl Open {
    fn push(&mut self, finding: Finding, max_details: usize) {
        self.report.get_or_insert_with(|| Box::new(Report::new(max_details))).push(finding);
    }

    /// While the run goes on, a record may still come to matter.
    fn standing(&self) -> Standing {
        match self.lost {
            _ if self.matters || self.in_run => Standing::Kept,
            Some((kind, place)) => Standing::Lost(kind, place),
            None if self.is_named => Standing::Foreign,
            None => Standing::Nobodys,
        }
    }
}

/// What is set aside for rules before the first is read: one allocation does for most files.
const FIRST_RULES: usize = 64;
/// A rule's value that no style of lines cuts, with its name before it.
const PLAIN_VALUE: usize = GOOGLE_LINE - "Disallow: \r\n".len();
/// A short rule's line.
const OCTETS_OF_A_RULE: usize = 24;

struct Parsing<'a, 'p> {
    parser: &'p Parser,
    lines: Lines<'a, 'p>,
    budget: Budget,
    set: RecordSet<'a>,
    open: Option<Open>,
    /// Whether the open record is within `max_records`.
    record_fits: bool,
}

impl<'a, 'p> Parsing<'a, 'p> {
    fn new(parser: &'p Parser, input: &'a [u8]) -> Self {
        let options = &parser.options;
        let mut set = RecordSet::new(options.reading(), options.max_details);
        set.read_for.clone_from(&parser.interest);
        let note = |kind| Finding { line: 1, kind, effect: Effect::None };
        let (body, seen) = sniff::sniff(input);
        seen.for_each(|kind| set.report.push(note(kind)));
        let (kept, is_cut) = sniff::within(body, options.limits.max_bytes);
        if is_cut {
            let line = sniff::count_lines(kept).saturating_add(1);
            set.report.push(Finding { line, kind: FindingKind::InputCut, effect: Effect::Either });
        }
        set.rules.reserve(FIRST_RULES.min(kept.len() / OCTETS_OF_A_RULE).min(options.limits.max_lines));
        Self {
            lines: Lines::new(kept, options.lines, &options.vocabulary),
            budget: Budget::new(options.limits),
            set,
            open: None,
            record_fits: true,
            parser,
        }
    }

    /// Reads a line; false at the end.
    #[inline]
    fn step(&mut self) -> bool {
        match self.standing() {
            Standing::Kept => self.plain_rules(),
            Standing::Foreign => self.lines.skip_to(&self.parser.always_matter),
            Standing::Lost(..) | Standing::Nobodys => {}
        }
        if let Some(field) = self.lines.common() {
            self.common(field);
            return true;
        }
        let Some(line) = self.lines.next() else {
            self.close();
            return false;
        };
        if line.cut {
            self.found(line.number, FindingKind::LineCut, Effect::None);
        }
        let Line { number, content, folded, .. } = line;
        match content {
            Content::Empty => {}
            Content::Other => self.found(number, FindingKind::NotAField, Effect::None),
            Content::Field(field) => self.field(number, field, folded),
        }
        true
    }

    #[inline]
    fn standing(&self) -> Standing {
        self.open.as_ref().map_or(Standing::Nobodys, Open::standing)
    }

    /// A finding in the open record; of the file, where that is nobody's or lost; none, in a foreign one.
    fn found(&mut self, line: u32, kind: FindingKind, effect: Effect) {
        let finding = Finding { line, kind, effect };
        match (self.standing(), &mut self.open) {
            (Standing::Foreign, _) => {}
            (Standing::Kept, Some(open)) => open.push(finding, self.parser.options.max_details),
            _ => self.set.report.push(finding),
        }
    }

    /// A finding without effect about a line of this directive: the file's, where the line is.
    fn found_of(&mut self, directive: Directive, line: u32, kind: FindingKind) {
        if self.parser.options.vocabulary.scope(directive) == Scope::File {
            self.found_in_file(line, kind, Effect::None);
        } else {
            self.found(line, kind, Effect::None);
        }
    }

    /// A finding that no record can answer for.
    fn found_in_file(&mut self, line: u32, kind: FindingKind, effect: Effect) {
        self.set.report.push(Finding { line, kind, effect });
    }

    /// As [`Parsing::field`], of a name that needs no recognising and no repair.
    #[inline]
    fn common(&mut self, field: CommonField<'a>) {
        let CommonField { number: line, directive, value, asked } = field;
        let fits = |name: &str| name.len() <= self.budget.limits().max_directive_length;
        match directive {
            Directive::Disallow | Directive::Allow => {
                let kind = kind_of(directive);
                self.rule(line, kind, Cow::Borrowed(value), asked, fits(kind.as_str()));
            }
            Directive::UserAgent => {
                let fits = fits("User-agent");
                self.open_record_unless_in_run();
                self.user_agent(line, trimmed(Cow::Borrowed(value)), fits);
            }
            _ if fits("Sitemap") && HttpUrl::is_canonical(value) => {
                self.end_run_if_any_line_does();
                self.sitemap(line, value);
            }
            _ => self.field(line, Field { name: b"Sitemap", value: Cow::Borrowed(value), has_colon: true }, false),
        }
    }

    /// Reads rules of the record that is open, as long as there is nothing to mend in one.
    #[inline]
    fn plain_rules(&mut self) {
        let Some(open) = self.open.as_mut().filter(|open| !open.in_run) else { return };
        // Their names fit: that of the user-agent line before them is longer.
        let limits = *self.budget.limits();
        let longest = limits.max_value_length.min(PLAIN_VALUE);
        let options = &self.parser.options;
        self.lines.plain_rules(|CommonField { number: line, directive, value, asked }| {
            let kind = kind_of(directive);
            let (pattern, repairs) = PathPattern::read_asking(Cow::Borrowed(value), asked, options.paths);
            // What a URL can hold becomes no longer.
            if value.len() > longest || repairs.wildcards > limits.max_wildcards {
                return false;
            }
            let rule = Rule { line, kind, claimed_rank: pattern.len(), pattern };
            if self.budget.line() {
                self.set.rules.push(rule);
            } else {
                let (kind, effect) = (FindingKind::TooManyLines, effect_of_losing(&rule));
                open.push(Finding { line, kind, effect }, options.max_details);
            }
            true
        });
    }

    #[inline]
    fn field(&mut self, line: u32, field: Field<'a>, folded: bool) {
        let vocabulary = &self.parser.options.vocabulary;
        let Some(recognised) = vocabulary.recognise(field.name) else {
            self.end_run_if_any_line_does();
            return self.unknown(line, &field);
        };
        let directive = recognised.directive;
        if directive == Directive::UserAgent {
            self.open_record_unless_in_run();
        }
        let repairs = [
            (recognised.misspelled, FindingKind::MisspelledDirective),
            (!field.has_colon, FindingKind::MissingColon),
            (folded, FindingKind::FoldedLine),
        ];
        for (_, kind) in repairs.into_iter().filter(|(is_found, _)| *is_found) {
            self.found_of(directive, line, kind);
        }
        let name_length = directive.name().map_or(field.name.len(), str::len);
        let fits = name_length <= self.budget.limits().max_directive_length;
        match directive {
            Directive::UserAgent => self.user_agent(line, trimmed(field.value), fits),
            Directive::Allow | Directive::Disallow => {
                let kind = kind_of(directive);
                let asked = octets::asked_by(&field.value);
                self.rule(line, kind, field.value, asked, fits);
            }
            _ => {
                self.end_run_if_any_line_does();
                if fits {
                    self.extension(line, directive, field);
                } else {
                    self.found_of(directive, line, FindingKind::DirectiveTooLong);
                }
            }
        }
    }

    fn unknown(&mut self, line: u32, field: &Field<'a>) {
        let limits = *self.budget.limits();
        let is_kept = self.parser.options.keep_unknown && !may_be_known(field.name);
        if !is_kept {
            self.found(line, FindingKind::UnknownDirective, Effect::None);
        } else if field.name.len() > limits.max_directive_length {
            self.found(line, FindingKind::DirectiveTooLong, Effect::None);
        } else if !field.name.iter().copied().all(octets::is_name) {
            self.found(line, FindingKind::NotAField, Effect::None);
        } else {
            let kept = Field { name: field.name, value: field.value.clone(), has_colon: field.has_colon };
            self.extension(line, Directive::Unknown, kept);
        }
    }

    fn end_run_if_any_line_does(&mut self) {
        if self.parser.options.any_line_ends_run {
            self.end_run();
        }
    }

    /// Behind the last user-agent line of a run it is known whether the record matters; if not, it leaves nothing.
    #[inline]
    fn end_run(&mut self) {
        if self.open.as_ref().is_some_and(|open| open.in_run) {
            self.end_this_run();
        }
    }

    fn end_this_run(&mut self) {
        let Some(open) = &mut self.open else { return };
        open.in_run = false;
        let (agents, extensions) = (open.agents, open.extensions);
        let standing = open.standing();
        if standing == Standing::Kept {
            return;
        }
        self.set.agents.truncate(agents);
        while self.set.extensions.len() > extensions
            && let Some(line) = self.set.extensions.pop()
        {
            self.lose(line.line, standing, Effect::None);
        }
    }

    /// Reports a line that a record takes with it.
    fn lose(&mut self, line: u32, standing: Standing, effect: Effect) {
        match standing {
            Standing::Lost(kind, place) => self.lose_for(place, Finding { line, kind, effect }),
            Standing::Nobodys => self.found_in_file(line, FindingKind::RuleWithoutAgent, effect),
            Standing::Kept | Standing::Foreign => {}
        }
    }

    fn open_record_unless_in_run(&mut self) {
        if !self.open.as_ref().is_some_and(|open| open.in_run) {
            self.open_record();
        }
    }

    fn open_record(&mut self) {
        self.close();
        self.open = Some(Open {
            agents: self.set.agents.len(),
            rules: self.set.rules.len(),
            extensions: self.set.extensions.len(),
            report: None,
            in_run: true,
            matters: false,
            is_named: false,
            lost: None,
        });
        self.record_fits = self.budget.record();
    }

    fn close(&mut self) {
        self.end_run();
        let Some(open) = self.open.take() else { return };
        match (open.standing(), open.report) {
            (Standing::Kept, report) => self.set.entries.push(Entry {
                agents: open.agents..self.set.agents.len(),
                rules: open.rules..self.set.rules.len(),
                extensions: open.extensions..self.set.extensions.len(),
                report,
            }),
            (Standing::Lost(..) | Standing::Nobodys, Some(report)) => self.set.report.gather(&report),
            _ => {}
        }
    }

    /// Takes out what is closed, and leaves what is open as all there is.
    fn take_closed(&mut self) -> RecordSet<'a> {
        let mut empty = RecordSet::new(self.set.reading, self.parser.options.max_details);
        empty.read_for.clone_from(&self.set.read_for);
        let mut closed = core::mem::replace(&mut self.set, empty);
        if let Some(open) = &mut self.open {
            self.set.agents = closed.agents.split_off(open.agents.min(closed.agents.len()));
            self.set.rules = closed.rules.split_off(open.rules.min(closed.rules.len()));
            self.set.extensions = closed.extensions.split_off(open.extensions.min(closed.extensions.len()));
            (open.agents, open.rules, open.extensions) = (0, 0, 0);
        }
        closed
    }

    /// `[agent.value]`: takes the name out of the value, and adds it to the record if it can matter.
    fn user_agent(&mut self, line: u32, value: Cow<'a, [u8]>, fits: bool) {
        let form = self.parser.options.agents;
        let length = AgentName::length_in(&value, form);
        self.report_agent_rest(line, &value, length);
        if length == 0 && form == AgentForm::Token {
            return self.found_in_file(line, FindingKind::AgentWithoutToken, Effect::None);
        }
        let name = AgentName::take(value, length);
        let place = match &self.parser.interest {
            None => Some(0),
            Some(interest) => interest.place_of(&name, form, self.parser.options.union_of_agents),
        };
        let loss = if !fits {
            Some(FindingKind::DirectiveTooLong)
        } else if !self.record_fits {
            Some(FindingKind::TooManyRecords)
        } else if !self.budget.agent() {
            Some(FindingKind::TooManyAgents)
        } else if length > self.budget.limits().max_name_length {
            Some(FindingKind::NameTooLong)
        } else {
            None
        };
        let Some(open) = &mut self.open else { return };
        open.is_named = true;
        let Some(place) = place else { return };
        match loss {
            None => {
                open.matters = true;
                self.set.agents.push(AgentLine { line, name });
            }
            Some(kind) => {
                let best = open.lost.map_or(place, |(_, best)| best.min(place));
                open.lost = Some((kind, best));
                self.lose_for(place, Finding { line, kind, effect: Effect::Either });
            }
        }
    }

    /// Reports what a limit took from the agent at this place, which counts only if no better liked one answers.
    fn lose_for(&mut self, place: usize, finding: Finding) {
        if self.parser.interest.is_none() {
            // Whom it concerns is not known, so it concerns everyone.
            return self.set.report.push(finding);
        }
        let lost = &mut self.set.lost;
        let at = lost.iter().position(|(other, _)| *other == place).unwrap_or_else(|| {
            lost.push((place, Report::new(self.parser.options.max_details)));
            lost.len().saturating_sub(1)
        });
        lost.iter_mut().skip(at).take(1).for_each(|(_, report)| report.push(finding));
    }

    /// Text behind an agent's name: a version is no news, a directive is.
    fn report_agent_rest(&mut self, line: u32, value: &[u8], length: usize) {
        let rest = value.get(length..).unwrap_or_default();
        if rest.is_empty() || length == 0 {
            return;
        }
        let is_glued = |word: &[u8]| {
            word.split_once_str(":").is_some_and(|(name, _)| {
                self.parser.options.vocabulary.recognise(name).is_some_and(|it| it.directive.is_rule())
            })
        };
        if rest.split(|&octet| octets::is_blank(octet)).any(is_glued) {
            self.found(line, FindingKind::GluedDirective, Effect::Either);
        } else if !is_version(rest) {
            self.found(line, FindingKind::AgentText, Effect::None);
        }
    }

    /// `[record.run]`, `[path.*]`, `[over-limit.*]`: adds a rule to the open record.
    fn rule(&mut self, line: u32, kind: RuleKind, value: Cow<'a, [u8]>, asked: u8, name_fits: bool) {
        self.end_run();
        let standing = self.standing();
        if standing == Standing::Foreign {
            return;
        }
        let (pattern, repairs) = PathPattern::read_asking(value, asked, self.parser.options.paths);
        let rule = Rule { line, kind, claimed_rank: pattern.len(), pattern };
        if standing != Standing::Kept {
            return self.lose(line, standing, effect_of_losing(&rule));
        }
        if !name_fits {
            return self.found(line, FindingKind::DirectiveTooLong, effect_of_losing(&rule));
        }
        if repairs.encoded {
            self.found(line, FindingKind::EncodedOctets, Effect::None);
        }
        if repairs.slash_added {
            self.found(line, FindingKind::MissingSlash, Effect::None);
        }
        let rule = match self.over_limit(&rule.pattern, repairs.wildcards) {
            None => rule,
            Some(over) => match self.widen(&rule, over) {
                Some(pattern) => Rule { pattern, ..rule },
                None => return,
            },
        };
        if rule.pattern.is_empty() {
            // It says nothing: one of them costs no line, and stands for all.
            if self.open.as_ref().is_some_and(|open| open.rules == self.set.rules.len()) {
                self.set.rules.push(rule);
            }
        } else if self.budget.line() {
            self.set.rules.push(rule);
        } else {
            self.found(line, FindingKind::TooManyLines, effect_of_losing(&rule));
        }
    }

    /// The limit that a pattern is over.
    #[inline]
    fn over_limit(&self, pattern: &PathPattern<'_>, wildcards: usize) -> Option<FindingKind> {
        let limits = self.budget.limits();
        if pattern.len() > limits.max_value_length {
            return Some(FindingKind::ValueTooLong);
        }
        (wildcards > limits.max_wildcards).then_some(FindingKind::TooManyWildcards)
    }

    /// The pattern that is left of a rule over a limit: a wider Disallow's, if that is asked for and if there is one.
    #[cold]
    fn widen(&mut self, rule: &Rule<'a>, over: FindingKind) -> Option<PathPattern<'a>> {
        let limits = *self.budget.limits();
        let can_widen = rule.kind == RuleKind::Disallow && limits.max_value_length > 0;
        if self.parser.options.over_limit == OverLimit::Widen && can_widen {
            self.found(rule.line, FindingKind::Widened, Effect::MoreRestrictive);
            let form = self.parser.options.paths;
            return Some(rule.pattern.widened(limits.max_value_length, limits.max_wildcards, form));
        }
        self.found(rule.line, over, effect_of_losing(rule));
        None
    }
}

/// Of a directive that is a rule.
#[inline]
fn kind_of(directive: Directive) -> RuleKind {
    if directive == Directive::Allow { RuleKind::Allow } else { RuleKind::Disallow }
}

/// Blanks at the end of a value that is no path mean nothing, even where those of paths are kept.
fn trimmed(value: Cow<'_, [u8]>) -> Cow<'_, [u8]> {
    match value {
        Cow::Borrowed(octets) => Cow::Borrowed(octets::trim_end(octets, octets::is_blank)),
        Cow::Owned(octets) => Cow::Owned(octets::trim_end(&octets, octets::is_blank).to_vec()),
    }
}

/// `/2.1`, `/2.1 (+http://…)` or a star: what user-agents are written with.
fn is_version(rest: &[u8]) -> bool {
    rest == b"*" || rest.starts_with(b"/")
}
