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
mod trial;
mod values;
mod words;

use std::borrow::Cow;
use std::num::NonZeroU32;

use robosieve::Options;
use robosieve::lines::{FileLines, LogicalLine};
use robosieve::records::Parser;
use robosieve::report::{Effect, InputKind};

pub use edit::Edit;
pub use fix::{Fix, Fixed};
pub use kind::{LintKind, Severity};
pub use place::Columns;

use crate::number;
use advice::Site;
use drafts::Drafts;
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
/// let lint = &linted.lints[0];
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
    only: Vec<LintKind>,
    ignored: Vec<LintKind>,
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

    /// Lists the lints of these kinds only, if there are any; all others are counted.
    #[must_use]
    pub fn only(mut self, kinds: impl IntoIterator<Item = LintKind>) -> Self {
        self.only.extend(kinds);
        self
    }

    /// Leaves out the lints of these kinds, and counts them.
    #[must_use]
    pub fn ignore(mut self, kinds: impl IntoIterator<Item = LintKind>) -> Self {
        self.ignored.extend(kinds);
        self
    }

    fn lists(&self, kind: LintKind) -> bool {
        (self.only.is_empty() || self.only.contains(&kind)) && !self.ignored.contains(&kind)
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
        let (mut lints, withheld) = trial::judge(drafts, &file, input, &self.options);
        let safe = lints.iter().filter(|lint| lint.is_safe()).count();
        let all = lints.len().saturating_add(more.len());
        lints.retain(|lint| self.lists(lint.kind));
        more.retain(|one| self.lists(one.kind));
        let severities = || lints.iter().map(|lint| lint.severity).chain(more.iter().map(|one| one.severity));
        let [errors, warnings, notes] = Severity::ALL.map(|one| severities().filter(|other| *other == one).count());
        Linted {
            input: file.report().input(),
            errors,
            warnings,
            notes,
            withheld,
            unlisted: more.len(),
            left_out: all.saturating_sub(lints.len()).saturating_sub(more.len()),
            lints,
            file,
            looks_like: looks_like.filter(|_| !self.is_forced),
            safe,
        }
    }
}

/// A file and its lints, with how many there are of each severity.
///
/// ```
/// use robosieve_explain::{LintKind, Linter};
///
/// let linter = Linter::default().ignore([LintKind::LastWildcard]);
/// let linted = linter.lint(b"User-agent: *\nDisallow: /x*\nDisallow: https://example.com/private/\n");
/// assert_eq!((linted.errors, linted.lints.len(), linted.left_out), (1, 1, 1));
/// assert_eq!((linted.clone().at_most(0).errors, linted.line(2)), (1, &b"Disallow: /x*"[..]));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Linted<'a> {
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
    pub lints: Vec<Lint>,
    /// The number of those of other kinds than asked for.
    pub left_out: usize,
    #[cfg_attr(feature = "serde", serde(skip))]
    file: FileLines<'a>,
    #[cfg_attr(feature = "serde", serde(skip))]
    looks_like: Option<Cow<'static, str>>,
    /// The number of safe edits, also of kinds that are not asked for.
    #[cfg_attr(feature = "serde", serde(skip))]
    safe: usize,
}

impl Linted<'_> {
    /// The number of lints of a kind that are listed, in the order of their lines. Our choice: more than a person reads.
    pub const MAX_OF_A_KIND: usize = Drafts::MAX_OF_A_KIND;
    /// The number of edits of a file that are tried one by one, those first that may be safe. Our choice: more than a
    /// person looks at. All others are [withheld](Linted::withheld).
    pub const MAX_EDITS: usize = 100;

    /// Keeps this many lints, those that matter most first. The counts remain those of all.
    #[must_use]
    pub fn at_most(mut self, most: usize) -> Self {
        self.lints.sort_by_key(|lint| std::cmp::Reverse(lint.severity));
        self.lints.truncate(most);
        self
    }

    /// The edits that are offered, by line.
    pub fn fixes(&self) -> impl Iterator<Item = &Fix> {
        self.lints.iter().filter_map(|lint| lint.fix.as_deref())
    }

    /// What a file looks like that is no robots.txt, if it is not edited for that reason.
    #[must_use]
    pub fn looks_like(&self) -> Option<&str> {
        self.looks_like.as_deref()
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
    /// A lint at a line, with the words of its kind.
    fn new(kind: LintKind, line: &LogicalLine<'_, '_>) -> Self {
        let words = kind.words();
        Self {
            kind,
            severity: words.severity,
            line: number(line.number()),
            columns: Columns::of(words.place, line),
            clause: kind.clause(),
            effect: Effect::None,
            message: words.message.into(),
            help: words.help.into(),
            fix: None,
        }
    }

    /// Whether it has an edit that changes nothing.
    #[must_use]
    pub fn is_safe(&self) -> bool {
        self.fix.as_deref().is_some_and(|fix| fix.is_safe)
    }

    /// Says something else.
    fn say(&mut self, message: impl Into<String>, help: impl Into<String>) {
        (self.message, self.help) = (message.into(), help.into());
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
