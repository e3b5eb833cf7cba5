//! [`Linter`]: what the owner of a file would want to know, with what to write instead.
//!
//! Invariant: a lint never changes what a line means. It is at a line of the file, and at columns of that line. The
//! lints are in the order of the lines. What a lint suggests was tried ([`Fix`]).

mod advice;
mod drafts;
mod edit;
mod fix;
mod foreign;
mod found;
mod google;
mod groups;
mod kind;
mod meant;
mod names;
mod place;
mod proof;
mod rules;
pub(crate) mod silence;
mod trial;
mod values;
mod words;

use std::borrow::Cow;
use std::num::NonZeroU32;

use robosieve::Options;
use robosieve::lines::{FileLines, LogicalLine};
use robosieve::records::Parser;
use robosieve::report::{Effect, InputKind, Report};

pub use edit::Edit;
pub use fix::{Fix, Fixed};
pub use kind::{LintKind, Severity};
pub use place::Columns;

use crate::number;
use advice::Site;
use drafts::Drafts;
pub(crate) use drafts::Unlisted;
use google::Googles;

/// Something that the owner of a file would want to know about a line.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Lint {
    /// What it is about.
    pub kind: LintKind,
    /// How much it matters.
    pub severity: Severity,
    /// The line, from 1. A continued line has the number of its first part.
    pub line: u32,
    /// The bytes of the line that it is about.
    pub columns: Columns,
    /// The clause of a SPEC.md.
    pub clause: &'static str,
    /// For a finding: how the result differs from what the line says, or from what was probably meant.
    pub effect: Effect,
    /// What is the matter, in a sentence.
    pub message: String,
    /// What to do about it, in a sentence. Empty if there is nothing to do.
    pub help: String,
    /// What to write instead, if that is known, and was tried ([`Fix`]). Most lints of a large file
    /// have none, so it takes no space in them.
    pub fix: Option<Box<Fix>>,
}

/// Tells the owner of a file what they would want to know.
///
/// ```
/// use robosieve_explain::{Linter, Severity};
///
/// let linted = Linter::default().lint(b"User-agent: *\nDisallow: https://example.com/private/\n");
/// let lint = &linted.lints()[0];
/// assert_eq!((lint.kind.as_str(), lint.severity, lint.line), ("url-in-rule", Severity::Error, 2));
/// let fix = lint.fix.as_deref().unwrap();
/// assert_eq!((fix.edit.lines[0].as_str(), fix.is_safe), ("Disallow: /private/", false));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Linter {
    options: Options,
    without_fixes: bool,
    shows_all: bool,
    is_forced: bool,
}

impl Linter {
    /// Replaces all options: how files are read, and their limits.
    #[must_use]
    pub fn options(mut self, options: Options) -> Self {
        self.options = options;
        self
    }

    /// Leaves out all edits, and their cost, and with them what is said to change nothing ([lint.claim]).
    #[must_use]
    pub fn without_fixes(mut self) -> Self {
        self.without_fixes = true;
        self
    }

    /// Lists all findings of a file that is no robots.txt, too: a web page, a program. Otherwise there is one, which says
    /// so ([lint.not-robots]).
    #[must_use]
    pub fn show_all(mut self) -> Self {
        self.shows_all = true;
        self
    }

    /// Offers and applies the edits of such a file, too.
    #[must_use]
    pub fn force(mut self) -> Self {
        (self.shows_all, self.is_forced) = (true, true);
        self
    }

    /// Looks at a file. Cost: reads it four times, and once more for each edit that is tried, which together is bounded
    /// by about a second; time grows in proportion to the bytes that are read, at most `max_bytes` of the options.
    #[must_use]
    pub fn lint<'a>(&self, input: &'a [u8]) -> Linted<'a> {
        let options = Options { max_details: usize::MAX, ..self.options.clone() };
        let file = Parser::new(options).parse_lines(input);
        let google = google::read(input, &self.options);
        let googles = Googles::of(&google, &file);
        let mut drafts = Drafts::default();
        found::lint(&file, &Site::of(&file, &self.options, self.is_forced), &googles, &mut drafts);
        // The lines of a web page without a group mean nothing to anyone.
        if found::shows_all(&file) {
            groups::lint(&file, &mut drafts);
            names::lint(&file, &mut drafts);
            rules::lint(&file, input, &self.options, &mut drafts);
            meant::lint(&file, &mut drafts);
            values::lint(&file, &mut drafts);
            googles.lint(&file, &mut drafts);
        }
        // The comparisons need their room.
        drop(googles);
        drop(google);
        let (mut drafts, mut more) = drafts.into_parts();
        let looks_like = foreign::looks_like(&file);
        if self.without_fixes || looks_like.is_some() && !self.is_forced {
            for draft in &mut drafts {
                draft.edit = None;
            }
        }
        if let Some(what) = &looks_like {
            found::not_robots(&file, what, self.shows_all, &mut drafts, &mut more);
        }
        let (lints, withheld) = trial::judge(drafts, &file, input, &self.options);
        Linted { file, lints, withheld, more, looks_like: looks_like.filter(|_| !self.is_forced) }
    }
}

/// The lints of a file, with how many there are of each severity.
///
/// ```
/// let linted = robosieve_explain::Linter::default().lint(b"User-agent: *\nDisallow: https://example.com/private/\n");
/// let counted = linted.counted();
/// assert_eq!((counted.errors, counted.lints.len()), (1, 1));
/// assert_eq!((counted.at_most(0).errors, linted.lints().len()), (1, 1));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[allow(clippy::struct_field_names, reason = "the names are those of the JSON")]
#[non_exhaustive]
pub struct CountedLints<'l> {
    /// What the first bytes of the file look like.
    pub input: InputKind,
    /// The number of errors.
    pub errors: usize,
    /// The number of warnings.
    pub warnings: usize,
    /// The number of notes.
    pub notes: usize,
    /// The number of edits that are not offered, because they could not be compared within the bounds, or do harm
    /// together with others.
    pub withheld: usize,
    /// The number of lints that are counted, but not listed: [`Linted::MAX_OF_A_KIND`].
    pub unlisted: usize,
    /// The lints, by line.
    pub lints: Vec<&'l Lint>,
}

impl CountedLints<'_> {
    /// Keeps this many lints, those that matter most first. The counts remain those of all.
    #[must_use]
    pub fn at_most(mut self, most: usize) -> Self {
        self.lints.sort_by_key(|lint| Severity::ALL.iter().position(|severity| *severity == lint.severity));
        self.lints.truncate(most);
        self
    }
}

/// A file and its lints.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Linted<'a> {
    file: FileLines<'a>,
    lints: Vec<Lint>,
    withheld: usize,
    more: Vec<Unlisted>,
    looks_like: Option<Cow<'static, str>>,
}

impl Linted<'_> {
    /// The number of lints of a kind that are listed, in the order of their lines. Our choice: more than a person reads.
    pub const MAX_OF_A_KIND: usize = Drafts::MAX_OF_A_KIND;
    /// The number of edits of a file that are tried one by one, those first that may be safe. Our choice: more than a
    /// person looks at. All others are [withheld](CountedLints::withheld).
    pub const MAX_EDITS: usize = 100;

    /// The lints, by line.
    #[must_use]
    pub fn lints(&self) -> &[Lint] {
        &self.lints
    }

    /// Those that are not listed, because there are [`Linted::MAX_OF_A_KIND`] of their kind before them.
    pub(crate) fn more(&self) -> &[Unlisted] {
        &self.more
    }

    /// The number of lints of this severity, those that are not listed too.
    #[must_use]
    pub fn count(&self, severity: Severity) -> usize {
        let more = self.more.iter().filter(|one| one.severity == severity).count();
        self.lints.iter().filter(|lint| lint.severity == severity).count().saturating_add(more)
    }

    /// What the first bytes of the file look like.
    #[must_use]
    pub const fn input(&self) -> InputKind {
        self.file.report().input()
    }

    /// What a file looks like that is no robots.txt, if it is not edited for that reason.
    #[must_use]
    pub fn looks_like(&self) -> Option<&str> {
        self.looks_like.as_deref()
    }

    /// What the parser found.
    #[must_use]
    pub const fn report(&self) -> &Report {
        self.file.report()
    }

    /// All lints, with their numbers.
    #[must_use]
    pub fn counted(&self) -> CountedLints<'_> {
        CountedLints {
            input: self.input(),
            errors: self.count(Severity::Error),
            warnings: self.count(Severity::Warning),
            notes: self.count(Severity::Note),
            withheld: self.withheld,
            unlisted: self.more.len(),
            lints: self.lints.iter().collect(),
        }
    }

    /// The bytes of a physical line, without its line end. Empty if there is no such line.
    #[must_use]
    pub fn line(&self, number: u32) -> &[u8] {
        let Some(line) = self.file.line_at(NonZeroU32::new(number)) else { return &[] };
        let place = usize::try_from(number.saturating_sub(line.numbers().start().get())).unwrap_or(usize::MAX);
        line.physical().nth(place).unwrap_or_default()
    }
}

impl Lint {
    /// A lint at a part of a line.
    fn new(kind: LintKind, line: &LogicalLine<'_, '_>, columns: Columns, message: impl Into<String>) -> Self {
        Self {
            kind,
            severity: kind.severity(),
            line: number(line.number()),
            columns,
            clause: kind.clause(),
            effect: Effect::None,
            message: message.into(),
            help: String::new(),
            fix: None,
        }
    }

    /// A lint at the value of a line.
    fn at_value(kind: LintKind, line: &LogicalLine<'_, '_>, message: impl Into<String>) -> Self {
        Self::new(kind, line, Columns::of_value(line), message)
    }

    fn with_help(self, help: impl Into<String>) -> Self {
        Self { help: help.into(), ..self }
    }
}

/// A value as people are shown it: printable, and short.
fn shown(value: &[u8]) -> String {
    robosieve_printable::escape_at_most(value, 60)
}

/// A line of a field, as it should be written. None if the value is no text, or would not be read as it is.
fn field_text(name: &str, value: &[u8]) -> Option<String> {
    let value = std::str::from_utf8(value).ok().filter(|value| !value.contains(['#', '\r', '\n']))?;
    Some(if value.is_empty() { format!("{name}:") } else { format!("{name}: {value}") })
}
