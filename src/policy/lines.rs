//! The logical lines of a file: what each says, what it belongs to, what was kept of it, and what was found on it.
//!
//! Invariant: a line begins where the line before it ends, so the spans are the whole input, in order, each byte once.
//! The parser notes each line that it reads (`parse/listed.rs`); nothing is read here.

use alloc::borrow::Cow;
use alloc::vec::Vec;
use core::num::NonZeroU32;
use core::ops::{Range, RangeInclusive};

use bstr::{BStr, ByteSlice};

use crate::policy::record::{AgentLine, ExtensionLine, Ranges, Record, RecordSet, Rule};
use crate::report::{Finding, LineNumber, Report};
use crate::syntax::glued::{self, Part};
use crate::syntax::names::{Directive, RuleKind};
use crate::syntax::{bytes, grammar};

/// What a line says, whether or not anything of it is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum LineMeaning {
    /// Nothing: the line is empty, or has only blanks.
    Empty,
    /// Only a comment.
    Comment,
    /// A user-agent line.
    UserAgent,
    /// An Allow or a Disallow.
    Rule(RuleKind),
    /// Another known directive.
    Extension(Directive),
    /// A field whose name is not known.
    UnknownField,
    /// A line that is not a field.
    NoField,
    /// The lines after [`Limits::max_bytes`](crate::settings::Limits::max_bytes), or the last one of a file that is not whole. They
    /// are not read.
    NotRead,
}

/// The logical lines of a file, and the set that the parser made of them. Made by
/// [`Parser::parse_lines`](crate::records::Parser::parse_lines).
///
/// ```
/// use robosieve::lines::LineMeaning;
/// use robosieve::records::{Parser, RuleKind};
/// use std::num::NonZeroU32;
///
/// let file = Parser::default().parse_lines(b"User-agent: *\nDisallow:\n  /x\n# the end\n");
/// let lines: Vec<_> = file.iter().map(|line| (line.bytes().len(), line.meaning())).collect();
/// assert_eq!(
///     lines,
///     [
///         (14, LineMeaning::UserAgent),
///         (15, LineMeaning::Rule(RuleKind::Disallow)),
///         (10, LineMeaning::Comment),
///     ]
/// );
/// let rule = file.line_at(NonZeroU32::new(3)).unwrap();
/// assert_eq!(rule.bytes(), b"Disallow:\n  /x\n");
/// assert_eq!((rule.value().unwrap(), rule.number(), rule.group()), ("/x".into(), NonZeroU32::new(2), NonZeroU32::new(1)));
/// assert_eq!(rule.findings()[0].kind.clause(), "line.fold");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileLines<'a> {
    pub(crate) text: Cow<'a, [u8]>,
    pub(crate) records: RecordSet<'a>,
    /// That of the whole file, by line.
    pub(crate) report: Report,
    pub(crate) lines: Vec<Noted<'a>>,
}

/// The name of a field, and its value.
type NameAndValue<'a> = (Cow<'a, [u8]>, Cow<'a, [u8]>);

/// What the parser noted of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Noted<'a> {
    /// Where it ends in the input.
    pub(crate) end: usize,
    pub(crate) first: NonZeroU32,
    pub(crate) last: NonZeroU32,
    pub(crate) meaning: LineMeaning,
    /// The first line of its group.
    pub(crate) group: Option<NonZeroU32>,
    /// The name and the value, if it is a field.
    pub(crate) field: Option<NameAndValue<'a>>,
}

impl Noted<'_> {
    pub(crate) fn into_owned(self) -> Noted<'static> {
        let field = self.field.map(|(name, value)| (Cow::Owned(name.into_owned()), Cow::Owned(value.into_owned())));
        let Self { end, first, last, meaning, group, .. } = self;
        Noted { end, first, last, meaning, group, field }
    }
}

impl<'a> FileLines<'a> {
    /// The lines, first to last.
    #[must_use]
    pub fn iter(&self) -> impl ExactSizeIterator<Item = LogicalLine<'_, 'a>> {
        self.lines.iter().enumerate().map(|(place, noted)| self.line(place, noted))
    }

    /// The line that has this physical line; none for no line.
    #[must_use]
    pub fn line_at(&self, line: Option<NonZeroU32>) -> Option<LogicalLine<'_, 'a>> {
        let number = line?;
        let place = self.lines.partition_point(|line| line.last < number);
        let noted = self.lines.get(place).filter(|line| line.first <= number)?;
        Some(self.line(place, noted))
    }

    fn line<'f>(&'f self, place: usize, noted: &'f Noted<'a>) -> LogicalLine<'f, 'a> {
        let before = place.checked_sub(1).and_then(|before| self.lines.get(before));
        LogicalLine { file: self, noted, start: before.map_or(0, |before| before.end) }
    }

    /// What the parser made of the lines: what [`Parser::parse`](crate::records::Parser::parse) returns.
    #[must_use]
    pub const fn records(&self) -> &RecordSet<'a> {
        &self.records
    }

    /// The bytes that the lines are of: the input, or the UTF-8 that UTF-16 or UTF-32 was decoded to.
    #[must_use]
    pub fn text(&self) -> &[u8] {
        &self.text
    }

    /// What was found in the whole file.
    #[must_use]
    pub const fn report(&self) -> &Report {
        &self.report
    }
}

/// What the parser kept of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeptPart<'f, 'a> {
    /// A user agent.
    Agent(&'f AgentLine<'a>),
    /// A rule.
    Rule(&'f Rule<'a>),
    /// An extension line of a group or of the file.
    Extension(&'f ExtensionLine<'a>),
}

/// A logical line: a physical line and the lines that continue it.
#[derive(Clone, Copy, Debug)]
pub struct LogicalLine<'f, 'a> {
    file: &'f FileLines<'a>,
    noted: &'f Noted<'a>,
    start: usize,
}

impl<'f, 'a> LogicalLine<'f, 'a> {
    /// The numbers of its physical lines.
    #[must_use]
    pub const fn numbers(&self) -> RangeInclusive<NonZeroU32> {
        self.noted.first..=self.noted.last
    }

    /// The number of its first physical line, which findings have, and what was kept of it. There always is one.
    #[must_use]
    pub const fn number(&self) -> Option<NonZeroU32> {
        Some(self.noted.first)
    }

    /// Where it is in [`FileLines::text`], with its line ends. A byte order mark of UTF-8 belongs to the first line.
    #[must_use]
    pub const fn span(&self) -> Range<usize> {
        self.start..self.noted.end
    }

    /// Its bytes, with its line ends.
    #[must_use]
    pub fn bytes(&self) -> &'f [u8] {
        bytes::part(&self.file.text, self.span())
    }

    /// Its physical lines, without their line ends.
    pub fn physical(&self) -> impl Iterator<Item = &'f [u8]> + use<'f> {
        physical_lines(self.bytes())
    }

    /// Its physical lines, borrowed from the input where that was not decoded.
    pub fn physical_in_input(&self) -> impl Iterator<Item = Cow<'a, [u8]>> + use<'a> {
        let (borrowed, decoded) = match &self.file.text {
            Cow::Borrowed(input) => (bytes::part(input, self.span()), Vec::new()),
            Cow::Owned(_) => (&[][..], self.physical().map(<[u8]>::to_vec).collect()),
        };
        physical_lines(borrowed).map(Cow::Borrowed).chain(decoded.into_iter().map(Cow::Owned))
    }

    /// What it says.
    #[must_use]
    pub const fn meaning(&self) -> LineMeaning {
        self.noted.meaning
    }

    /// Whether other lines continue it.
    #[must_use]
    pub fn is_continued(&self) -> bool {
        self.noted.meaning != LineMeaning::NotRead && self.noted.first < self.noted.last
    }

    /// The name as it is written. None if the line is not a field.
    #[must_use]
    pub fn name(&self) -> Option<&'f BStr> {
        self.noted.field.as_ref().map(|field| field.0.as_bstr())
    }

    /// The value before it is normalised, with the lines that continue it. None if the line is not a field.
    #[must_use]
    pub fn value(&self) -> Option<&'f BStr> {
        self.noted.field.as_ref().map(|field| field.1.as_bstr())
    }

    /// The directives that it has: several if a line end was lost. None if it is not a field.
    ///
    /// ```
    /// let file = robosieve::records::Parser::default().parse_lines(b"User-agent: *Disallow: /\n");
    /// let values: Vec<_> = file.iter().next().unwrap().parts().map(|part| part.value).collect();
    /// assert_eq!(values, [&b"*"[..], b"/"]);
    /// let path = robosieve::records::Parser::default().parse_lines(b"Disallow: /wiki/Allow:x\n");
    /// assert_eq!(path.iter().next().unwrap().parts().count(), 1);
    /// ```
    pub fn parts(&self) -> impl Iterator<Item = Part<'f>> + use<'f> {
        let directive = match self.meaning() {
            LineMeaning::UserAgent => Directive::UserAgent,
            LineMeaning::Rule(kind) => kind.directive(),
            LineMeaning::Extension(directive) => directive,
            _ => Directive::Unknown,
        };
        let value = self.noted.field.as_ref().map(|field| field.1.as_ref());
        value.into_iter().flat_map(move |value| glued::parts(directive, value))
    }

    /// The first line of the group that it belongs to. None if it is before the first group, belongs to the file,
    /// or says nothing.
    #[must_use]
    pub const fn group(&self) -> Option<NonZeroU32> {
        self.noted.group
    }

    /// The group that it belongs to, if the parser kept that.
    #[must_use]
    pub fn record(&self) -> Option<Record<'f, 'a>> {
        let (records, group) = (&self.file.records, self.group());
        let is_above = |range: &Ranges| first_line(&Record::of(records, range)) < group;
        let record = records.record(records.ranges.partition_point(is_above))?;
        let is_own = self.file.line_at(first_line(&record))?.group() == group;
        is_own.then_some(record)
    }

    /// What was kept of it. None if it has no effect, or was left out: then a finding says why, or its group was left
    /// out. Of the empty rules of a group only the first is kept, if no other rule is before it.
    #[must_use]
    pub fn kept(&self) -> Option<KeptPart<'f, 'a>> {
        self.file.records.kept_at(self.number()).map(|(kept, _)| kept)
    }

    /// The findings on it of which the report has the details: set
    /// [`Options::max_details`](crate::Options::max_details) to `usize::MAX` for all.
    #[must_use]
    pub fn findings(&self) -> &'f [Finding] {
        let details = self.file.report.details();
        let from = details.partition_point(|finding| finding.line < Some(self.noted.first));
        let to = details.partition_point(|finding| finding.line <= Some(self.noted.last));
        details.get(from..to).unwrap_or_default()
    }
}

/// The physical lines of a logical line.
fn physical_lines(mut rest: &[u8]) -> impl Iterator<Item = &[u8]> {
    core::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let (after, line) = grammar::physical_line(rest).unwrap_or((&[], rest));
        rest = after;
        Some(line)
    })
}

impl<'a> RecordSet<'a> {
    /// What was kept of the line that begins at this physical line, and the record that has it; lines of the file and
    /// those for everybody are in none. For a set as the parser made it.
    ///
    /// ```
    /// use robosieve::lines::KeptPart;
    /// use robosieve::records::Parser;
    /// use std::num::NonZeroU32;
    ///
    /// let set = Parser::default().parse(b"User-agent: *\nDisallow: /a\n");
    /// let line = NonZeroU32::new(2);
    /// let Some((KeptPart::Rule(rule), Some(record))) = set.kept_at(line) else { panic!() };
    /// assert_eq!((rule.line(), record.agents().len()), (line, 1));
    /// assert!(set.kept_at(NonZeroU32::new(3)).is_none());
    /// ```
    ///
    /// Cost: some binary searches.
    #[must_use]
    pub fn kept_at(&self, line: Option<NonZeroU32>) -> Option<(KeptPart<'_, 'a>, Option<Record<'_, 'a>>)> {
        let starts_above = |range: &Ranges| first_line(&Record::of(self, range)) <= line;
        let place = self.ranges.partition_point(starts_above).checked_sub(1);
        let of_record = place.and_then(|place| self.record(place)).and_then(|record| {
            let kept = at_line(record.rules(), line, Rule::line)
                .map(KeptPart::Rule)
                .or_else(|| at_line(record.agents(), line, AgentLine::line).map(KeptPart::Agent))
                .or_else(|| at_line(record.extensions(), line, ExtensionLine::line).map(KeptPart::Extension))?;
            Some((kept, Some(record)))
        });
        of_record.or_else(|| {
            let mut others = [&self.loose, &self.general].into_iter();
            let kept = others.find_map(|lines| at_line(lines, line, ExtensionLine::line))?;
            Some((KeptPart::Extension(kept), None))
        })
    }
}

/// The line of the first part that was kept of a record. A parser for some agents keeps no others, so that may be another
/// part than a user-agent line.
fn first_line(record: &Record<'_, '_>) -> LineNumber {
    let (agent, rule) = (record.agents().first().map(AgentLine::line), record.rules().first().map(Rule::line));
    let other = record.extensions().first().map(ExtensionLine::line);
    [agent, rule, other].into_iter().flatten().min().flatten()
}

/// The part of this line. The parts are sorted by line.
fn at_line<T>(parts: &[T], number: LineNumber, line: impl Fn(&T) -> LineNumber) -> Option<&T> {
    parts.binary_search_by_key(&number, line).ok().and_then(|place| parts.get(place))
}
