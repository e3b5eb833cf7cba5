//! Lines -> [`RecordSet`]: which record a line belongs to, what it means, and whether it fits the limits.
//!
//! Invariant: parsing is total, looks at each line once, and is the only spender of the budget. What a line costs is bounded
//! by its length; what is kept is bounded by the limits; a line that does not fit costs itself and nothing behind it.

use alloc::borrow::Cow;
use alloc::boxed::Box;

use bstr::ByteSlice;

use crate::agent::{AgentForm, AgentName};
use crate::directive::{Directive, Scope, ValueForm, Vocabulary};
use crate::grammar::{Content, Field, Line, LineForm, Lines};
use crate::limits::{Budget, Limits, OverLimit};
use crate::octets::{self, OctetSet};
use crate::pattern::{PathForm, PathPattern};
use crate::record::{AgentLine, Entry, Extension, Precedence, Reading, RecordSet, Rule, RuleKind};
use crate::report::{Effect, Finding, FindingKind, Report};
use crate::select::{Interest, effect_of_losing};
use crate::sniff;
use crate::value::{CrawlDelay, printable_text};

/// Every choice of reading a file. [`Dialect`](crate::Dialect) has bundles of them; the default is the standard's.
#[derive(Clone, Debug, PartialEq, Eq)]
// Each is a choice of its own, by a name that users know.
#[allow(clippy::struct_excessive_bools)]
pub struct Options {
    /// How much is read and kept.
    pub limits: Limits,
    /// What happens to rules over a limit.
    pub over_limit: OverLimit,
    /// How octets become lines.
    pub lines: LineForm,
    /// Which names are understood.
    pub vocabulary: Vocabulary,
    /// How agents are matched.
    pub agents: AgentForm,
    /// Whether the records of all agents asked for count together.
    pub union_of_agents: bool,
    /// How paths are read.
    pub paths: PathForm,
    /// Which rule decides.
    pub precedence: Precedence,
    /// Whether `/robots.txt` may always be fetched.
    pub robots_txt_allowed: bool,
    /// Whether `Allow: /dir/index.html` allows `/dir/` too.
    pub index_html: bool,
    /// Whether any field ends a run of user-agent lines, instead of Allow and Disallow only (PROCESSOR).
    pub any_line_ends_run: bool,
    /// Whether lines with an unknown directive are kept.
    pub keep_unknown: bool,
    /// How many findings a report keeps in detail.
    pub max_details: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            limits: Limits::default(),
            over_limit: OverLimit::default(),
            lines: LineForm::default(),
            vocabulary: Vocabulary::default(),
            agents: AgentForm::default(),
            union_of_agents: false,
            paths: PathForm::default(),
            precedence: Precedence::default(),
            robots_txt_allowed: true,
            index_html: false,
            any_line_ends_run: false,
            keep_unknown: false,
            max_details: Report::DEFAULT_DETAILS,
        }
    }
}

impl Options {
    fn reading(&self) -> Reading {
        Reading {
            agents: self.agents,
            union_of_agents: self.union_of_agents,
            paths: self.paths,
            precedence: self.precedence,
            robots_txt_allowed: self.robots_txt_allowed,
            index_html: self.index_html,
            over_limit: self.over_limit,
            max_lines: self.limits.max_lines,
            max_value_length: self.limits.max_value_length,
        }
    }
}

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
    options: Options,
    interest: Option<Interest>,
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
        self.interest = Some(interest);
        self
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
            let empty = RecordSet::new(parsing.set.reading, self.options.max_details);
            let done = parsing.take_closed(empty);
            (!is_over || !done.entries.is_empty() || !done.loose.is_empty()).then_some(done)
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
    /// The limit that cost it an agent that would have mattered.
    lost: Option<FindingKind>,
}

/// What becomes of a record's lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Standing {
    /// They are kept.
    Kept,
    /// A limit takes them.
    Lost(FindingKind),
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
            Some(kind) => Standing::Lost(kind),
            None if self.is_named => Standing::Foreign,
            None => Standing::Nobodys,
        }
    }
}

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
        let note = |kind| Finding { line: 1, kind, effect: Effect::None };
        let (body, seen) = sniff::sniff(input);
        seen.for_each(|kind| set.report.push(note(kind)));
        let kept = within(body, options.limits.max_bytes);
        if kept.len() < body.len() {
            let line = count_lines(kept).saturating_add(1);
            set.report.push(Finding { line, kind: FindingKind::InputCut, effect: Effect::Either });
        }
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
        if self.standing() == Standing::Foreign {
            self.lines.skip_to(&self.parser.always_matter);
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

    /// A finding that no record can answer for.
    fn found_in_file(&mut self, line: u32, kind: FindingKind, effect: Effect) {
        self.set.report.push(Finding { line, kind, effect });
    }

    #[inline]
    fn field(&mut self, line: u32, field: Field<'a>, folded: bool) {
        let vocabulary = &self.parser.options.vocabulary;
        let Some(recognised) = vocabulary.recognise(field.name) else {
            self.end_run_if_any_line_does();
            return self.unknown(line, &field);
        };
        let directive = recognised.directive;
        if directive == Directive::UserAgent && !self.open.as_ref().is_some_and(|open| open.in_run) {
            self.open_record();
        }
        if recognised.misspelled {
            self.found(line, FindingKind::MisspelledDirective, Effect::None);
        }
        if !field.has_colon {
            self.found(line, FindingKind::MissingColon, Effect::None);
        }
        if folded {
            self.found(line, FindingKind::FoldedLine, Effect::None);
        }
        let name_length = directive.name().map_or(field.name.len(), str::len);
        let fits = name_length <= self.budget.limits().max_directive_length;
        match directive {
            Directive::UserAgent if fits => self.user_agent(line, field.value),
            Directive::UserAgent => {
                self.found_in_file(line, FindingKind::DirectiveTooLong, Effect::Either);
                self.open.iter_mut().for_each(|open| open.lost = Some(FindingKind::DirectiveTooLong));
            }
            Directive::Allow => self.rule(line, RuleKind::Allow, field.value, fits),
            Directive::Disallow => self.rule(line, RuleKind::Disallow, field.value, fits),
            _ => {
                self.end_run_if_any_line_does();
                if fits {
                    self.extension(line, directive, field);
                } else {
                    self.found(line, FindingKind::DirectiveTooLong, Effect::None);
                }
            }
        }
    }

    fn unknown(&mut self, line: u32, field: &Field<'a>) {
        let limits = *self.budget.limits();
        if !self.parser.options.keep_unknown {
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
        let Some(open) = &mut self.open else { return };
        if !open.in_run {
            return;
        }
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
            Standing::Lost(kind) => self.found_in_file(line, kind, effect),
            Standing::Nobodys => self.found_in_file(line, FindingKind::RuleWithoutAgent, effect),
            Standing::Kept | Standing::Foreign => {}
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
            (Standing::Lost(_) | Standing::Nobodys, Some(report)) => self.set.report.absorb(&report),
            _ => {}
        }
    }

    /// Takes out what is closed, and leaves what is open as all there is.
    fn take_closed(&mut self, empty: RecordSet<'a>) -> RecordSet<'a> {
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
    fn user_agent(&mut self, line: u32, value: Cow<'a, [u8]>) {
        let form = self.parser.options.agents;
        let length = AgentName::length_in(&value, form);
        self.report_agent_rest(line, &value, length);
        if length == 0 && form == AgentForm::Token {
            return self.found_in_file(line, FindingKind::AgentWithoutToken, Effect::None);
        }
        let name = AgentName::take(value, length);
        let concerns = self.parser.interest.as_ref().is_none_or(|interest| interest.concerns(&name, &self.set.reading));
        let loss = if !self.record_fits {
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
        if !concerns {
            return;
        }
        open.matters |= loss.is_none();
        open.lost = open.lost.or(loss);
        match loss {
            Some(kind) => self.found_in_file(line, kind, Effect::Either),
            None => self.set.agents.push(AgentLine { line, name }),
        }
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
    #[inline]
    fn rule(&mut self, line: u32, kind: RuleKind, value: Cow<'a, [u8]>, name_fits: bool) {
        self.end_run();
        let standing = self.standing();
        if standing == Standing::Foreign {
            return;
        }
        let (pattern, repairs) = PathPattern::read(value, self.parser.options.paths);
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
        let rule = match self.over_limit(&rule.pattern, repairs.is_plain) {
            None => rule,
            Some(over) => match self.widen(&rule, over) {
                Some(pattern) => Rule { pattern, ..rule },
                None => return,
            },
        };
        if self.budget.line() {
            self.set.rules.push(rule);
        } else {
            self.found(line, FindingKind::TooManyLines, effect_of_losing(&rule));
        }
    }

    /// The limit that a pattern is over.
    #[inline]
    fn over_limit(&self, pattern: &PathPattern<'_>, is_plain: bool) -> Option<FindingKind> {
        let limits = self.budget.limits();
        if pattern.len() > limits.max_value_length {
            return Some(FindingKind::ValueTooLong);
        }
        // A plain pattern has no stars, and one no longer than the limit has no more of them than it.
        let may_be_over = !is_plain && pattern.len() > limits.max_wildcards;
        (may_be_over && pattern.wildcards(self.parser.options.paths) > limits.max_wildcards)
            .then_some(FindingKind::TooManyWildcards)
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

    /// `[ext.*]`: adds any other line to what it belongs to.
    fn extension(&mut self, line: u32, directive: Directive, field: Field<'a>) {
        let vocabulary = &self.parser.options.vocabulary;
        let belongs_to_file = vocabulary.scope(directive) == Scope::File;
        // What nobody knows may stand anywhere.
        let loose = belongs_to_file || directive == Directive::Unknown && self.open.is_none();
        let standing = self.standing();
        if !loose && (standing != Standing::Kept || self.open.is_none()) {
            return self.lose(line, standing, Effect::None);
        }
        let value = match vocabulary.form(directive) {
            ValueForm::Path => {
                let (pattern, _) = PathPattern::read(field.value, self.parser.options.paths);
                if pattern.wildcards(self.parser.options.paths) > self.budget.limits().max_wildcards {
                    return self.found(line, FindingKind::TooManyWildcards, Effect::None);
                }
                printable_text(pattern.into_octets())
            }
            ValueForm::Text => printable_text(trimmed(field.value)),
        };
        if let Some(kind) = self.extension_finding(directive, &value, loose) {
            let finding = Finding { line, kind, effect: Effect::None };
            match &mut self.open {
                Some(open) if !loose => open.push(finding, self.parser.options.max_details),
                _ => self.set.report.push(finding),
            }
            if kind != FindingKind::ClampedValue {
                return;
            }
        }
        let name = Vocabulary::canonical_name(directive, field.name);
        let list = if loose { &mut self.set.loose } else { &mut self.set.extensions };
        list.push(Extension { line, directive, name, value });
    }

    /// What is wrong with the value of an extension line; only a clamped one is kept.
    fn extension_finding(&mut self, directive: Directive, value: &[u8], loose: bool) -> Option<FindingKind> {
        let Some(spelled) = Extension::canonical_value(directive, value) else {
            return Some(FindingKind::InvalidValue);
        };
        if value.len().max(spelled.len()) > self.budget.limits().max_value_length {
            return Some(FindingKind::ValueTooLong);
        }
        let has_room = if loose { self.budget.loose_line() } else { self.budget.line() };
        if !has_room {
            return Some(FindingKind::TooManyLines);
        }
        let is_clamped =
            directive == Directive::CrawlDelay && CrawlDelay::read(value).is_some_and(|it| it.is_clamped());
        is_clamped.then_some(FindingKind::ClampedValue)
    }
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

/// The whole lines among the first `max` octets.
fn within(body: &[u8], max: usize) -> &[u8] {
    let Some((front, rest)) = body.split_at_checked(max) else { return body };
    if rest.is_empty() || rest.first().copied().is_some_and(octets::is_line_end) {
        return front;
    }
    let end = front.rfind_byteset(b"\r\n").map_or(0, |at| at.saturating_add(1));
    octets::part(front, 0..end)
}

/// Lines in `bytes`, as [`Lines`] numbers them.
fn count_lines(bytes: &[u8]) -> u32 {
    let ends = memchr::memchr2_iter(b'\r', b'\n', bytes).count();
    let pairs = bytes.find_iter(b"\r\n").count();
    let unended = usize::from(bytes.last().is_some_and(|&octet| !octets::is_line_end(octet)));
    u32::try_from(ends.saturating_sub(pairs).saturating_add(unended)).unwrap_or(u32::MAX)
}
