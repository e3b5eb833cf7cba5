//! [`RecordSet`] -> canonical text.
//!
//! Invariant: the text is printable ASCII and line ends. Each line is `Name: value` or empty. The text is never empty.
//! Parsing it gives the rules that it was written from. Sets whose rules mean the same one by one give the same text.
//! In the portable form, parsing it gives rules that decide the same.

#![allow(clippy::inline_always, reason = "a rule is a few instructions")]

use alloc::borrow::Cow;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;
use alloc::vec::Vec;
use core::cmp::{Ordering, Reverse};
use core::ops::Range;

use crate::closed;
use crate::policy::agent::AgentName;
use crate::policy::budget::AROUND_PATTERN;
use crate::policy::options::{Options, Precedence, TextForm};
use crate::policy::order::Ordered;
use crate::policy::record::{ExtensionLine, Record, RecordSet};
use crate::policy::value::{self, CrawlDelay};
use crate::report::{Effect, Finding, FindingKind, LineNumber, Report};
use crate::syntax::bytes::{self, Flags};
use crate::syntax::grammar::Style;
use crate::syntax::names::{Directive, RuleKind};
use crate::text::fast::minimise_plain;
use crate::text::minimise::{Bounds, Line, minimise, shorten};

impl RecordSet<'_> {
    /// Writes the set: its records, then an empty line and the file's own lines. Returns the text, and a report of the
    /// lines that could not be written. Cost: sorts the rules, and copies them. The portable form adds
    /// [`TextForm::MAX_FUEL`] at most.
    ///
    /// ```
    /// use robosieve::records::Parser;
    /// use robosieve::settings::TextForm;
    /// let set = Parser::default().parse(b"USER-AGENT: *\nallow: /a%7eb\ndisallow: /\n#\nsitemap: HTTP://E.com/s");
    /// let (text, report) = set.to_text(TextForm::Faithful);
    /// assert_eq!(text, "User-agent: *\nAllow: /a~b\nDisallow: /\n\nSitemap: http://e.com/s\n");
    /// assert_eq!(report.total(), 0);
    ///
    /// let set = Parser::default().parse(b"User-agent: *\nDisallow: /a*\nDisallow: /a/b\nCrawl-delay: 5\n");
    /// let (text, _) = set.to_text(TextForm::Portable);
    /// assert_eq!(text, "User-agent: *\nDisallow: /a\nCrawl-delay: 5\n");
    /// ```
    #[must_use]
    pub fn to_text(&self, form: TextForm) -> (String, Report) {
        let mut report = self.report.emptied();
        let text = write(self, form, &mut report);
        (text, report)
    }
}

/// [`RecordSet::to_text`]. Adds the findings to this report.
pub(crate) fn write(set: &RecordSet<'_>, form: TextForm, report: &mut Report) -> String {
    let (one, several);
    let records = if set.records().len() > 1 {
        several = in_canonical_order(set);
        several.as_slice()
    } else {
        one = set.records().find(|record| !record.agents().is_empty());
        one.as_slice()
    };
    match form {
        TextForm::Faithful => compose(set, records, form, None, report),
        TextForm::Portable => portable(set, records, form, report),
    }
}

/// Writes the portable text. Some rules are written in two ways, for testers that know only one of them. If that makes
/// the text too long, each is written in one way.
fn portable(set: &RecordSet<'_>, records: &[Record<'_, '_>], form: TextForm, report: &mut Report) -> String {
    let fuel = TextForm::MAX_FUEL.checked_div(records.len());
    let mut found = report.emptied();
    let mut text = compose(set, records, form, fuel, &mut found);
    if text.len() > set.options.limits.max_bytes {
        found = report.emptied();
        text = compose(set, records, form, None, &mut found);
    }
    report.absorb(&found);
    text
}

/// Writes records in this order, then the file's own lines. `fuel` limits the minimising of their rules. Without it,
/// the rules are written one by one.
fn compose(
    set: &RecordSet<'_>,
    records: &[Record<'_, '_>],
    form: TextForm,
    fuel: Option<usize>,
    report: &mut Report,
) -> String {
    let mut writer = Writer { out: Vec::with_capacity(usual_length(set)), form, crlf: set.options.crlf, report };
    let has_runs = || set.rules.iter().any(|rule| rule.flags.has(Flags::STAR_RUN));
    let may_merge = records.len() > 1 && (fuel.is_some() || has_runs());
    let is_merged = if may_merge { merged(records, &set.options) } else { Vec::new() };
    writer.general_lines(&set.general);
    for (at, record) in records.iter().enumerate() {
        let respelling = match fuel {
            _ if is_merged.get(at) == Some(&true) => Respelling::None,
            Some(fuel) => Respelling::Minimise(fuel),
            None => Respelling::Stars,
        };
        writer.record(record, &set.options, respelling);
    }
    if records.is_empty() {
        writer.end_part();
        writer.line(b"User-agent", b"*");
        writer.line(b"Disallow", b"");
    }
    writer.file_lines(&set.loose);
    if writer.out.len() > TextForm::SAFE_LENGTH {
        writer.found(None, FindingKind::LongText, Effect::None);
    }
    closed::expect(String::from_utf8(writer.out).ok(), || closed::TEXT.into())
}

/// The bytes that a text needs, if its lines need no encoding. Most texts then need one allocation.
fn usual_length(set: &RecordSet<'_>) -> usize {
    let rules = set.rules.iter().fold(0, |sum: usize, rule| sum.saturating_add(rule.pattern.len()));
    let around = set.rules.len().saturating_add(4).saturating_mul(AROUND_PATTERN);
    let others = set.extensions.iter().chain(&set.loose).chain(&set.general).fold(0, |sum: usize, line| {
        sum.saturating_add(line.name.len()).saturating_add(line.value.len()).saturating_add(": \r\n".len())
    });
    rules.saturating_add(around).saturating_add(others)
}

/// Under the longest match the order of records has no meaning. They are sorted by their agents, `*` first. If the
/// first match decides, they stay in file order.
fn in_canonical_order<'s, 'a>(set: &'s RecordSet<'a>) -> Vec<Record<'s, 'a>> {
    let mut records: Vec<_> = set.records().filter(|record| !record.agents().is_empty()).collect();
    if set.options.precedence == Precedence::LongestMatch {
        records.sort_by_cached_key(|record| {
            record.agents().iter().map(|agent| agent.name.as_bstr().to_ascii_lowercase()).collect::<Vec<_>>()
        });
    }
    records
}

/// For each record, whether a reader may merge it with another, so that its rules do not decide alone. A reader can
/// match a name with an agent that begins with the same letters; see `[agent.token]`.
fn merged(records: &[Record<'_, '_>], options: &Options) -> Vec<bool> {
    let key = |name: &AgentName<'_>| -> Vec<u8> {
        match name {
            _ if name.is_everyone() => alloc::vec![b'*'],
            _ if options.union_of_agents => Vec::new(),
            _ => bytes::split_while(name.as_bstr(), bytes::is_token).0.to_ascii_lowercase(),
        }
    };
    let keys: Vec<BTreeSet<Vec<u8>>> =
        records.iter().map(|record| record.agents().iter().map(|agent| key(&agent.name)).collect()).collect();
    let mut uses: BTreeMap<&[u8], usize> = BTreeMap::new();
    for key in keys.iter().flatten() {
        let count = uses.entry(key).or_default();
        *count = count.saturating_add(1);
    }
    keys.iter().map(|keys| keys.iter().any(|key| uses.get(key.as_slice()).is_some_and(|&count| count > 1))).collect()
}

/// Sorts the rules by precedence, and removes duplicate patterns.
fn in_order_once(lines: &mut Vec<Line<'_>>, precedence: Precedence) {
    if precedence == Precedence::LongestMatch {
        let key = |line: &Line<'_>| (Reverse(line.pattern.len()), line.kind);
        lines.sort_by(|left, right| key(left).cmp(&key(right)).then_with(|| left.pattern.cmp(&right.pattern)));
    }
    let mut seen = BTreeSet::new();
    lines.retain(|line| seen.insert(line.pattern.to_vec()));
}

/// Minimises rules. If they have runs of stars, fewer rules need fewer stars, and shorter rules may need no rule between
/// them. So both are repeated until neither changes anything, within the same fuel.
fn minimised<'t>(lines: &[Line<'t>], options: &Options, has_runs: bool, bounds: &mut Bounds) -> Option<Vec<Line<'t>>> {
    let length = |lines: &[Line<'_>]| lines.iter().fold(0, |sum: usize, line| sum.saturating_add(line.pattern.len()));
    let mut lines = minimise(lines, options, bounds)?;
    if !has_runs {
        return Some(lines);
    }
    loop {
        let before = length(&lines);
        shorten(&mut lines, options.precedence);
        if length(&lines) == before {
            return Some(lines);
        }
        in_order_once(&mut lines, options.precedence);
        lines = minimise(&lines, options, bounds)?;
    }
}

/// Calls the function with each pattern once, with the first rule that has it. Also with the directories that Allow
/// rules of index pages imply, if these rules are left out because a Disallow of the same pattern comes before them.
/// Reports rules that the text cannot contain.
#[inline]
fn for_each_kept<'s>(rules: &Ordered<'s, '_>, options: &Options, report: &mut Report, mut keep: impl FnMut(Line<'s>)) {
    let is_standard = options.paths.encoding == Style::Standard;
    rules.for_each(
        #[inline(always)]
        |rule, repeated| {
            // Nearly all rules.
            if repeated.is_none() && is_standard && rule.pattern.can_match() {
                return keep(Line::of(rule));
            }
            // The parser has reported rules that can never match.
            if !rule.pattern.can_match() || repeated == Some(rule.kind) {
                return;
            }
            match (repeated, rule.is_unwritable(options.paths)) {
                (None, false) => keep(Line::of(rule)),
                (None, true) => {
                    let (kind, effect) = (FindingKind::Unwritable, rule.effect_of_losing());
                    report.push(Finding { line: rule.line, kind, effect });
                }
                (Some(_), false) => rule.implied_directory(options).into_iter().for_each(|directory| {
                    keep(Line { kind: rule.kind, pattern: Cow::Owned(directory), flags: Flags::ANY });
                }),
                (Some(_), true) => {}
            }
        },
    );
}

/// How the rules of a record may be rewritten.
#[derive(Clone, Copy)]
enum Respelling {
    /// Not at all: a reader may merge the record with another, so its rules do not decide alone.
    None,
    /// Runs of `*` are shortened where no verdict changes.
    Stars,
    /// Everything that [`minimise`] does, within this fuel.
    Minimise(usize),
}

/// `[portable.lines]`: whether the line changes no verdict in any tester that was measured.
fn is_portable(line: &ExtensionLine<'_>) -> bool {
    match line.directive {
        Directive::CrawlDelay => {
            CrawlDelay::read(&line.value).is_some_and(|delay| delay.as_duration() <= TextForm::SAFE_DELAY)
        }
        Directive::Own(_) | Directive::Unknown => false,
        _ => true,
    }
}

struct Writer<'r> {
    /// The text so far: printable ASCII and line ends.
    out: Vec<u8>,
    form: TextForm,
    /// Whether lines end with CRLF.
    crlf: bool,
    report: &'r mut Report,
}

/// Writes the line of a rule.
#[inline]
fn push_rule(out: &mut Vec<u8>, crlf: bool, kind: RuleKind, pattern: &[u8]) {
    out.extend_from_slice(match kind {
        RuleKind::Allow => b"Allow: ",
        RuleKind::Disallow => b"Disallow: ",
    });
    out.extend_from_slice(pattern);
    push_line_end(out, crlf);
}

#[inline]
fn push_line_end(out: &mut Vec<u8>, crlf: bool) {
    if crlf { out.extend_from_slice(b"\r\n") } else { out.push(b'\n') }
}

impl Writer<'_> {
    /// Writes a line. `name` and `value` must be printable ASCII.
    fn line(&mut self, name: &[u8], value: &[u8]) {
        self.out.extend_from_slice(name);
        self.out.push(b':');
        if !value.is_empty() {
            self.out.push(b' ');
            self.out.extend_from_slice(value);
        }
        self.end_line();
    }

    fn end_line(&mut self) {
        push_line_end(&mut self.out, self.crlf);
    }

    /// Writes the empty line between two parts of a text.
    fn end_part(&mut self) {
        if !self.out.is_empty() {
            self.end_line();
        }
    }

    fn found(&mut self, line: LineNumber, kind: FindingKind, effect: Effect) {
        self.report.push(Finding { line, kind, effect });
    }

    fn record(&mut self, record: &Record<'_, '_>, options: &Options, respelling: Respelling) {
        self.end_part();
        for agent in record.agents() {
            let start = self.out.len().saturating_add(b"User-agent".len());
            self.line(b"User-agent", &bytes::as_percent_encoded(Cow::Borrowed(agent.name.as_bstr())));
            self.out.iter_mut().skip(start).for_each(u8::make_ascii_lowercase);
        }
        let others = self.held(record.extensions());
        let most = options.limits.max_lines.saturating_sub(others.len()).min(TextForm::SAFE_RULES);
        let written = self.rules(record, options, respelling, most);
        if written == 0 {
            self.line(b"Disallow", b"");
        }
        if written > TextForm::SAFE_RULES {
            let line = record.agents().first().and_then(|agent| agent.line);
            self.found(line, FindingKind::LongText, Effect::None);
        }
        self.extensions(others);
    }

    /// Writes a record's rules. No rewriting makes more than `most` rules. Returns the number of rules written.
    fn rules(&mut self, record: &Record<'_, '_>, options: &Options, respelling: Respelling, most: usize) -> usize {
        let ordered = Ordered::new(record.rules(), options.precedence);
        let has_runs = ordered.flags.has(Flags::STAR_RUN);
        // Under the longest match, the Allow rules themselves are kept.
        let has_stand_ins = options.index_html && options.precedence == Precedence::FileOrder;
        let as_it_is = match respelling {
            Respelling::None => !has_stand_ins,
            Respelling::Stars => !has_stand_ins && !has_runs,
            Respelling::Minimise(_) => false,
        };
        let Self { out, report, crlf, .. } = self;
        if as_it_is {
            let mut written = 0_usize;
            for_each_kept(&ordered, options, report, |line| {
                push_rule(out, *crlf, line.kind, &line.pattern);
                written = written.saturating_add(1);
            });
            return written;
        }
        let mut kept = Vec::with_capacity(record.rules().len());
        for_each_kept(&ordered, options, report, |line| kept.push(line));
        if has_stand_ins {
            in_order_once(&mut kept, options.precedence);
        }
        if has_runs && !matches!(respelling, Respelling::None) {
            shorten(&mut kept, options.precedence);
            in_order_once(&mut kept, options.precedence);
        }
        if let Respelling::Minimise(fuel) = respelling
            && !minimise_plain(&mut kept, options)
            && let Some(minimised) = minimised(&kept, options, has_runs, &mut Bounds { fuel, rules: most })
        {
            kept = minimised;
        }
        for line in &kept {
            push_rule(&mut self.out, self.crlf, line.kind, &line.pattern);
        }
        kept.len()
    }

    /// Writes a record's other lines, sorted by directive, without duplicates.
    fn extensions(&mut self, mut lines: Vec<&ExtensionLine<'_>>) {
        let order = |left: &&ExtensionLine<'_>, right: &&ExtensionLine<'_>| {
            // A known directive has only one name.
            let by_name =
                || if left.directive == Directive::Unknown { left.name.cmp(&right.name) } else { Ordering::Equal };
            left.directive.cmp(&right.directive).then_with(by_name)
        };
        // Most files have only sitemaps.
        if !lines.is_sorted_by(|left, right| order(left, right).is_le()) {
            lines.sort_by(order);
        }
        append(&lines, self.crlf, &mut self.out);
    }

    /// The lines above all records. No tester was measured with such lines.
    fn general_lines(&mut self, lines: &[ExtensionLine<'_>]) {
        match self.form {
            TextForm::Faithful => {
                let lines = self.held(lines);
                self.extensions(lines);
            }
            TextForm::Portable => {
                for line in lines {
                    self.found(line.line, FindingKind::NotPortable, Effect::None);
                }
            }
        }
    }

    fn file_lines(&mut self, lines: &[ExtensionLine<'_>]) {
        let lines = self.held(lines);
        if !lines.is_empty() {
            self.end_line();
        }
        self.extensions(lines);
    }

    /// The lines that the form can contain. Reports the others.
    fn held<'l, 'a>(&mut self, lines: &'l [ExtensionLine<'a>]) -> Vec<&'l ExtensionLine<'a>> {
        let mut held = Vec::with_capacity(lines.len());
        for line in lines {
            if self.form == TextForm::Faithful || is_portable(line) {
                held.push(line);
            } else {
                self.found(line.line, FindingKind::NotPortable, Effect::None);
            }
        }
        held
    }
}

/// Appends lines to a text, each once, in their canonical spelling. A line without one is left out.
fn append(lines: &[&ExtensionLine<'_>], crlf: bool, out: &mut Vec<u8>) {
    let first = out.len();
    let mut spelled = Vec::with_capacity(lines.len());
    for line in lines {
        let start = out.len();
        if spell(line, out).is_none() {
            out.truncate(start);
            continue;
        }
        push_line_end(out, crlf);
        spelled.push(start..out.len());
    }
    if spelled.len() > 1 {
        remove_repeated(first, spelled, out);
    }
}

/// Of the lines from this place on, removes each that is equal to one before it.
fn remove_repeated(first: usize, mut lines: Vec<Range<usize>>, out: &mut Vec<u8>) {
    let count = lines.len();
    let text = |line: &Range<usize>| bytes::part(out, line.clone());
    // Compares the length first: URLs of one site have the same beginning.
    lines.sort_unstable_by(|left, right| {
        let by_text = left.len().cmp(&right.len()).then_with(|| text(left).cmp(text(right)));
        by_text.then(left.start.cmp(&right.start))
    });
    lines.dedup_by(|next, first| text(next) == text(first));
    if lines.len() < count {
        lines.sort_unstable_by_key(|line| line.start);
        let once = lines.iter().map(text).collect::<Vec<_>>().concat();
        out.truncate(first);
        out.extend_from_slice(&once);
    }
}

/// Appends a line in its canonical spelling, without its end. None if it has no such spelling.
fn spell(line: &ExtensionLine<'_>, out: &mut Vec<u8>) -> Option<()> {
    out.extend_from_slice(&line.name);
    out.extend_from_slice(b": ");
    let value = out.len();
    value::spell(line.directive, &line.value, out)?;
    if out.len() == value {
        out.pop();
    }
    Some(())
}
