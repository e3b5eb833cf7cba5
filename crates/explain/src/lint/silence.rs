//! Lints that the owner of a file has silenced, by comments in the file, and those that nobody asked for.
//!
//! Invariant: each lint is heard, or it is counted as silenced or as left out. Nothing is lost silently.

use std::collections::BTreeMap;

use robosieve::policy::Parser;
use robosieve::report::FindingKind;

use super::{CountedLints, Lint, LintKind, Linted, Severity, Unlisted};
use crate::printable::escape_short;

/// Which kinds of lints are asked for. Without a choice: all.
///
/// Comments of the file are heard in any case: `# robosieve: ignore KIND, KIND` at the end of a line, or alone on the
/// line before it, silences these kinds for that line; `# robosieve: ignore-file KIND`, anywhere, for the whole file.
///
/// ```
/// use robosieve_explain::{LintFilter, Linter};
///
/// let file = b"User-agent: *\nDisallow: /x* # robosieve: ignore last-wildcard\n";
/// let linted = Linter::default().lint(file);
/// let heard = LintFilter::default().apply(&linted, file);
/// assert_eq!((heard.counted.lints.len(), heard.silenced), (0, 1));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LintFilter {
    /// The only kinds. If empty: all.
    pub only: Vec<LintKind>,
    /// Kinds that are left out.
    pub ignore: Vec<LintKind>,
}

/// The lints that are left, and how many are not.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct HeardLints<'l> {
    /// Those that are left, with their numbers.
    #[cfg_attr(feature = "serde", serde(flatten))]
    pub counted: CountedLints<'l>,
    /// The number of those that a comment silences.
    pub silenced: usize,
    /// The number of those of other kinds than asked for.
    pub left_out: usize,
    /// What is wrong with comments: their lines, and words.
    pub bad_comments: Vec<(u32, String)>,
}

impl HeardLints<'_> {
    /// Keeps this many lints, those that matter most first. The counts remain those of all.
    #[must_use]
    pub fn at_most(self, most: usize) -> Self {
        Self { counted: self.counted.at_most(most), ..self }
    }

    /// The number of lints of this severity.
    #[must_use]
    pub const fn count(&self, severity: Severity) -> usize {
        match severity {
            Severity::Error => self.counted.errors,
            Severity::Warning => self.counted.warnings,
            Severity::Note => self.counted.notes,
        }
    }
}

impl LintFilter {
    /// The lints that are left. `input` is the file that they are of. Cost: in proportion to its bytes.
    #[must_use]
    pub fn apply<'l>(&self, linted: &'l Linted<'_>, input: &[u8]) -> HeardLints<'l> {
        let comments = Comments::of(input);
        let is_asked =
            |kind: &LintKind| (self.only.is_empty() || self.only.contains(kind)) && !self.ignore.contains(kind);
        let (mut silenced, mut left_out): (usize, usize) = (0, 0);
        let mut is_heard = |line, kind| {
            let is_asked = is_asked(&kind);
            let is_silenced = is_asked && comments.silence(line, kind);
            left_out = left_out.saturating_add(usize::from(!is_asked));
            silenced = silenced.saturating_add(usize::from(is_silenced));
            is_asked && !is_silenced
        };
        let lints: Vec<&Lint> = linted.lints().iter().filter(|lint| is_heard(lint.line, lint.kind)).collect();
        let more: Vec<&Unlisted> = linted.more().iter().filter(|one| is_heard(one.line, one.kind)).collect();
        let severities = || lints.iter().map(|lint| lint.severity).chain(more.iter().map(|one| one.severity));
        let count = |severity| severities().filter(|one| *one == severity).count();
        let (errors, warnings, notes) = (count(Severity::Error), count(Severity::Warning), count(Severity::Note));
        let counted = CountedLints { errors, warnings, notes, unlisted: more.len(), lints, ..linted.counted() };
        HeardLints { counted, silenced, left_out, bad_comments: comments.bad }
    }
}

/// The kind with this name.
///
/// # Errors
/// If there is none: words that name similar ones.
///
/// ```
/// use robosieve_explain::lint_kind;
///
/// assert_eq!(lint_kind("last-wildcard").map(|kind| kind.as_str()), Ok("last-wildcard"));
/// let error = lint_kind("last-wildcards").unwrap_err();
/// assert_eq!(error, "`last-wildcards` is no kind of finding: perhaps `last-wildcard`?");
/// ```
pub fn lint_kind(name: &str) -> Result<LintKind, String> {
    if let Some(kind) = kinds().find(|kind| kind.as_str().eq_ignore_ascii_case(name)) {
        return Ok(kind);
    }
    let words = |name: &str| name.to_ascii_lowercase().split('-').map(str::to_owned).collect::<Vec<String>>();
    let asked = words(name);
    let shares = |kind: &str| words(kind).iter().filter(|word| word.len() > 2 && asked.contains(word)).count();
    // A slip, or else the same words.
    let mut near: Vec<&str> = kinds().map(LintKind::as_str).filter(|kind| distance(kind, name) <= 2).collect();
    if near.is_empty() {
        near = kinds().map(LintKind::as_str).filter(|kind| shares(kind) > 0).collect();
        near.sort_by_key(|kind| std::cmp::Reverse(shares(kind)));
        near.truncate(4);
    }
    let near = near.iter().map(|kind| format!("`{kind}`")).collect::<Vec<_>>().join(", ");
    let hint = if near.is_empty() {
        format!("the kinds are {}", kinds().map(LintKind::as_str).collect::<Vec<_>>().join(", "))
    } else {
        format!("perhaps {near}?")
    };
    Err(format!("`{}` is no kind of finding: {hint}", escape_short(name.as_bytes())))
}

/// All kinds.
fn kinds() -> impl Iterator<Item = LintKind> {
    LintKind::OWN.iter().copied().chain(FindingKind::ALL.iter().copied().map(LintKind::Found))
}

/// How many letters must be written, deleted or replaced to make one name of another. Long names are far apart.
pub(crate) fn distance(one: &str, other: &str) -> usize {
    const LONGEST: usize = 40;
    if one.len().max(other.len()) > LONGEST {
        return LONGEST;
    }
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (place, byte) in (1..).zip(one.bytes()) {
        let (mut left, mut above_left) = (place, row.first().copied().unwrap_or_default());
        for (cell, against) in row.iter_mut().skip(1).zip(other.bytes()) {
            let replaced = above_left.saturating_add(usize::from(!byte.eq_ignore_ascii_case(&against)));
            above_left = *cell;
            left = replaced.min(left.min(above_left).saturating_add(1));
            *cell = left;
        }
        if let Some(first) = row.first_mut() {
            *first = place;
        }
    }
    row.last().copied().unwrap_or_default()
}

/// What the comments of a file silence.
#[derive(Debug, Default)]
struct Comments {
    file: Vec<LintKind>,
    lines: BTreeMap<u32, Vec<LintKind>>,
    bad: Vec<(u32, String)>,
}

/// How a comment begins that is meant for this program.
const MARK: &[u8] = b"robosieve:";

/// The bad comments that are reported. Our choice.
const MAX_BAD: usize = 20;

impl Comments {
    fn of(input: &[u8]) -> Self {
        let mut found = Self::default();
        if !input.windows(MARK.len()).any(|part| part.eq_ignore_ascii_case(MARK)) {
            return found;
        }
        let file = Parser::default().parse_lines(input);
        // The kinds of comments that stand alone, for the next line.
        let mut waiting = Vec::new();
        for line in file.iter() {
            let mut own = std::mem::take(&mut waiting);
            let (mut is_alone, first) = (true, line.number());
            for (number, bytes) in (first..).zip(line.physical()) {
                let Some((before, words)) = comment(bytes) else {
                    is_alone &= bytes.trim_ascii().is_empty();
                    continue;
                };
                is_alone &= before.trim_ascii().is_empty();
                own.extend(found.read(number, words));
            }
            if is_alone && !own.is_empty() {
                // Also over empty lines: the first line that says something is meant.
                waiting = own;
            } else if !own.is_empty() {
                found.lines.insert(first, own);
            }
        }
        found
    }

    /// The kinds that a comment silences for its line. Notes those for the file.
    fn read(&mut self, number: u32, words: &str) -> Vec<LintKind> {
        let (verb, rest) = words.split_once(|one: char| one.is_ascii_whitespace()).unwrap_or((words, ""));
        let (kinds, errors) = kinds_of(rest);
        let is_file = verb.eq_ignore_ascii_case("ignore-file");
        let error = match (is_file || verb.eq_ignore_ascii_case("ignore"), kinds.is_empty() && errors.is_empty()) {
            (false, _) => Some("write `# robosieve: ignore KIND` or `# robosieve: ignore-file KIND`".to_owned()),
            (true, true) => Some("name the kinds that are meant: `# robosieve: ignore last-wildcard`".to_owned()),
            _ => None,
        };
        for error in error.into_iter().chain(errors) {
            if self.bad.len() < MAX_BAD {
                self.bad.push((number, error));
            }
        }
        if is_file {
            let fresh: Vec<LintKind> = kinds.into_iter().filter(|kind| !self.file.contains(kind)).collect();
            self.file.extend(fresh);
            return Vec::new();
        }
        kinds
    }

    fn silence(&self, line: u32, kind: LintKind) -> bool {
        self.file.contains(&kind) || self.lines.get(&line).is_some_and(|kinds| kinds.contains(&kind))
    }
}

/// The kinds of a comment, each once, and what is wrong. A word after the last name begins a reason.
fn kinds_of(words: &str) -> (Vec<LintKind>, Vec<String>) {
    let (mut kinds, mut errors) = (Vec::new(), Vec::new());
    for part in words.split(',') {
        let mut names = part.split_ascii_whitespace();
        let Some(name) = names.next() else { continue };
        match lint_kind(name) {
            Ok(kind) if kinds.contains(&kind) => {}
            Ok(kind) => kinds.push(kind),
            Err(_) if errors.len() >= MAX_BAD => {}
            Err(error) => errors.push(error),
        }
        if names.next().is_some() {
            break;
        }
    }
    (kinds, errors)
}

/// What stands before a comment for this program, and what it says. Bytes that are not UTF-8 end it.
fn comment(line: &[u8]) -> Option<(&[u8], &str)> {
    let mut from = 0;
    loop {
        let sign = line.get(from..)?.iter().position(|byte| *byte == b'#')?.saturating_add(from);
        let (before, after) = (line.get(..sign)?, line.get(sign.saturating_add(1)..)?.trim_ascii_start());
        if let Some((mark, words)) = after.split_at_checked(MARK.len())
            && mark.eq_ignore_ascii_case(MARK)
        {
            // A comment before this one is one, too.
            let before = before.split(|byte| *byte == b'#').next().unwrap_or_default();
            let before = before.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(before);
            let words = words.utf8_chunks().next().map_or("", |chunk| chunk.valid());
            return Some((before, words.trim_ascii()));
        }
        from = sign.saturating_add(1);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::arithmetic_side_effects, reason = "a test may fail")]
mod tests {
    use super::*;
    use crate::lint::Linter;

    /// The lines of lints of this kind that are heard, and the number of silenced ones.
    fn heard(file: &str, kind: &str) -> (Vec<u32>, usize) {
        let linted = Linter::default().lint(file.as_bytes());
        let heard = LintFilter::default().apply(&linted, file.as_bytes());
        assert_eq!(heard.bad_comments, [], "{file}");
        assert_eq!(heard.counted.lints.len() + heard.silenced, linted.lints().len(), "nothing is lost");
        let lines = heard.counted.lints.iter().filter(|lint| lint.kind.as_str() == kind).map(|lint| lint.line);
        (lines.collect(), heard.silenced)
    }

    /// [lint.silence]
    #[test]
    fn comments_silence_their_line_the_next_one_or_the_file() {
        let kind = "unknown-directive";
        let file = "User-agent: *\nDisallow: /x\nFoo: 1\nFoo: 2 # robosieve: ignore unknown-directive\nFoo: 3\n";
        assert_eq!(heard(file, kind), (vec![3, 5], 1));
        let alone = "User-agent: *\nDisallow: /x\n# why not # Robosieve: Ignore unknown-directive, last-wildcard a reason\n\
                     Foo: 1\nFoo: 2\n";
        assert_eq!(heard(alone, kind), (vec![5], 1));
        let stacked = "User-agent: *\nDisallow: /x\n# robosieve: ignore unknown-directive\n\n# robosieve: ignore last-wildcard\n\
                       Foo: 1\nFoo: 2\n";
        assert_eq!(heard(stacked, kind), (vec![7], 1));
        let whole =
            "User-agent: *\r\nDisallow: /x\r\nFoo: 1\r\nFoo: 2\r\n# robosieve: ignore-file unknown-directive\r\n";
        assert_eq!(heard(whole, kind), (vec![], 2));
        // Another program's comment, and no comment at all.
        assert_eq!(
            heard("User-agent: *\nDisallow: /x\nFoo: robosieve: ignore unknown-directive\n", kind),
            (vec![3], 0)
        );
    }

    /// [lint.silence]
    #[test]
    fn a_comment_that_says_nothing_is_reported() {
        let file =
            b"# robosieve: ignore\nUser-agent: * # robosieve: ignore last-wildcards\nDisallow: /x* # robosieve: off\n";
        let linted = Linter::default().lint(file);
        let heard = LintFilter::default().apply(&linted, file);
        let lines: Vec<u32> = heard.bad_comments.iter().map(|(line, _)| *line).collect();
        assert_eq!((lines, heard.silenced), (vec![1, 2, 3], 0));
        assert!(heard.bad_comments[1].1.ends_with("perhaps `last-wildcard`?"), "{:?}", heard.bad_comments);
    }

    /// [lint.silence]
    #[test]
    fn kinds_are_chosen_and_the_others_counted() -> Result<(), String> {
        let file = b"User-agent: *\nDisallow: /x*\nFoo: 1\n";
        let linted = Linter::default().lint(file);
        let (wildcard, unknown) = (lint_kind("last-wildcard")?, lint_kind("UNKNOWN-directive")?);
        let only = LintFilter { only: vec![wildcard], ignore: vec![] }.apply(&linted, file);
        assert_eq!((only.counted.lints.len(), only.left_out), (1, 1));
        let ignore = LintFilter { only: vec![], ignore: vec![wildcard, unknown] }.apply(&linted, file);
        assert_eq!((ignore.counted.lints.len(), ignore.left_out), (0, 2));
        assert_eq!((distance("kitten", "sitting"), distance("", "abc"), distance("a", "a")), (3, 3, 0));
        assert!(lint_kind("zzz").is_err_and(|error| error.contains("the kinds are google-differs, ")));
        for kind in kinds() {
            assert_eq!(lint_kind(kind.as_str())?, kind);
        }
        Ok(())
    }
}
