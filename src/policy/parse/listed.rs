//! [`Parser::parse_lines`]: parses a file, and notes each logical line on the way.
//!
//! The parser reads each line as always. This module only notes where the line ends, what it says, and which group is
//! open after it.

use alloc::borrow::Cow;
use alloc::vec::Vec;
use core::num::NonZeroU32;

use super::{Parser, Parsing};
use crate::policy::lines::{FileLines, LineMeaning, Noted};
use crate::report::FindingKind;
use crate::syntax::fast::Scalar;
use crate::syntax::grammar::{self, Content, Field, Name};
use crate::syntax::logical::Line;
use crate::syntax::names::{Directive, DirectiveScope, RuleKind};
use crate::syntax::{bytes, preamble};

impl Parser {
    /// Parses a whole file, and lists its logical lines. Never fails. Cost: that of [`Parser::parse`] without
    /// vectors. For each physical line, 100 bytes more are held.
    ///
    /// ```
    /// use robosieve::records::Parser;
    /// use robosieve::lines::KeptPart;
    /// let file = Parser::default().parse_lines(b"User-agent: A\nDisalow: tmp\nDisallow: /b\n\n");
    /// let kept: Vec<_> = file.iter().map(|line| line.kept()).collect();
    /// assert!(matches!(kept[..], [Some(KeptPart::Agent(_)), Some(KeptPart::Rule(_)), Some(KeptPart::Rule(_)), None]));
    /// assert_eq!(file.iter().nth(1).unwrap().findings().len(), 2);
    /// ```
    #[must_use]
    pub fn parse_lines<'a>(&self, input: &'a [u8]) -> FileLines<'a> {
        let Some(decoded) = self.decode(input) else {
            let parsing = Parsing::new(self, input);
            return list(parsing, input, preamble::mark_length(input));
        };
        let file = list(Parsing::of_decoded(self, &decoded), &decoded.text, 0);
        let FileLines { records, report, lines, .. } = file;
        let (records, lines) = (records.into_owned(), lines.into_iter().map(Noted::into_owned).collect());
        FileLines { text: Cow::Owned(decoded.text), records, report, lines }
    }
}

/// Reads a text and lists its lines. A mark of so many bytes is in front of them.
fn list<'a>(mut parsing: Parsing<'a, '_>, text: &'a [u8], mark: usize) -> FileLines<'a> {
    let read = mark.saturating_add(parsing.lines.ahead());
    let lines = preamble::count_lines(bytes::part(text, 0..read)).saturating_add(1);
    let mut listing = Listing { end: read, lines: Vec::with_capacity(usize::try_from(lines).unwrap_or_default()) };
    while listing.step(&mut parsing) {}
    listing.rest(&parsing, text);
    parsing.set.report.sort();
    let report = parsing.set.report();
    FileLines { text: Cow::Borrowed(text), records: parsing.set, report, lines: listing.lines }
}

struct Listing<'a> {
    /// Where the lines that are read end in the input.
    end: usize,
    lines: Vec<Noted<'a>>,
}

impl<'a> Listing<'a> {
    /// Reads a line; false at the end.
    fn step(&mut self, parsing: &mut Parsing<'a, '_>) -> bool {
        let Some((first, line)) = parsing.lines.next(Scalar, |number, line| (number, line)) else {
            parsing.finish_record();
            return false;
        };
        let (meaning, field) = match &line {
            Line::Folded(name, value) => (meaning_of_field(name), Some((Cow::Borrowed(name.bytes), value.clone()))),
            Line::Single(line) | Line::Google(line, _) => match line.content {
                Content::Empty => (LineMeaning::Empty, None),
                Content::Comment => (LineMeaning::Comment, None),
                // [field.missing-colon]
                Content::Other(name) if parsing.parser.options.vocabulary.is_bare_user_agent(name) => {
                    (LineMeaning::UserAgent, Some((Cow::Borrowed(name), Cow::Borrowed(&b""[..]))))
                }
                Content::Other(_) => (LineMeaning::NoField, None),
                Content::Field(Field { name, value, .. }) => {
                    (meaning_of_field(&name), Some((Cow::Borrowed(name.bytes), Cow::Borrowed(value))))
                }
            },
        };
        parsing.line(first, line);
        self.lines.push(Noted {
            end: self.end.saturating_sub(parsing.lines.ahead()),
            first,
            last: before(parsing.lines.next_number()).max(first),
            meaning,
            group: if is_of_group(meaning, parsing) { open_group(parsing) } else { None },
            field,
        });
        true
    }

    /// Notes what follows the lines that were read: the end of the last line, and lines that are not read.
    fn rest(&mut self, parsing: &Parsing<'a, '_>, input: &'a [u8]) {
        let after = bytes::part(input, self.end..input.len());
        let read = bytes::part(input, 0..self.end);
        let mut left = after;
        if let Some(last) = self.lines.last_mut() {
            // The limit may be before a line end, or within one.
            left = match (read, after) {
                ([.., b'\r'], [b'\n', left @ ..]) => left,
                ([.., b'\r' | b'\n'], _) => after,
                _ => grammar::eol(after).map_or(after, |(left, ())| left),
            };
            last.end = input.len().saturating_sub(left.len());
        }
        if left.is_empty() && (!self.lines.is_empty() || input.is_empty()) {
            return;
        }
        let is_missing = |kind| parsing.set.report.count(kind) > 0;
        let is_unread = is_missing(FindingKind::InputCut) || is_missing(FindingKind::InputIncomplete);
        let first = parsing.lines.next_number();
        self.lines.push(Noted {
            end: input.len(),
            first,
            last: before(first.saturating_add(preamble::count_lines(left))).max(first),
            meaning: if is_unread { LineMeaning::NotRead } else { LineMeaning::Empty },
            group: None,
            field: None,
        });
    }
}

/// The number of the line above; the first line has none.
fn before(line: NonZeroU32) -> NonZeroU32 {
    NonZeroU32::new(line.get().saturating_sub(1)).unwrap_or(line)
}

fn meaning_of_field(name: &Name<'_>) -> LineMeaning {
    match name.meaning.map(|it| it.directive) {
        None => LineMeaning::UnknownField,
        Some(Directive::UserAgent) => LineMeaning::UserAgent,
        Some(other) => RuleKind::of(other).map_or(LineMeaning::Extension(other), LineMeaning::Rule),
    }
}

/// The first line of the group that is open.
fn open_group(parsing: &Parsing<'_, '_>) -> Option<NonZeroU32> {
    parsing.open.as_ref().and_then(|open| open.first_line)
}

/// Whether a line belongs to the group that is open.
fn is_of_group(meaning: LineMeaning, parsing: &Parsing<'_, '_>) -> bool {
    match meaning {
        LineMeaning::Empty | LineMeaning::Comment | LineMeaning::NotRead => false,
        LineMeaning::Extension(directive) => {
            parsing.parser.options.vocabulary.scope(directive) == DirectiveScope::Record
        }
        LineMeaning::UserAgent | LineMeaning::Rule(_) | LineMeaning::UnknownField | LineMeaning::NoField => true,
    }
}
