//! Lints of the kinds that are asked for.
//!
//! Invariant: each lint is heard, or it is counted as left out. Nothing is lost silently.

use robosieve::report::FindingKind;

use super::{CountedLints, Lint, LintKind, Linted, Severity, Unlisted};
use robosieve_printable::escape_short;

/// Which kinds of lints are asked for. Without a choice: all.
///
/// ```
/// use robosieve_explain::{LintFilter, Linter, lint_kind};
///
/// let linted = Linter::default().lint(b"User-agent: *\nDisallow: /x*\n");
/// let filter = LintFilter { ignore: vec![lint_kind("last-wildcard")?], ..Default::default() };
/// let heard = filter.apply(&linted);
/// assert_eq!((heard.counted.lints.len(), heard.left_out), (0, 1));
/// # Ok::<(), String>(())
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
    /// The number of those of other kinds than asked for.
    pub left_out: usize,
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
    /// The lints that are left.
    #[must_use]
    pub fn apply<'l>(&self, linted: &'l Linted<'_>) -> HeardLints<'l> {
        let is_asked =
            |kind: &LintKind| (self.only.is_empty() || self.only.contains(kind)) && !self.ignore.contains(kind);
        let lints: Vec<&Lint> = linted.lints().iter().filter(|lint| is_asked(&lint.kind)).collect();
        let more: Vec<&Unlisted> = linted.more().iter().filter(|one| is_asked(&one.kind)).collect();
        let all = linted.lints().len().saturating_add(linted.more().len());
        let left_out = all.saturating_sub(lints.len()).saturating_sub(more.len());
        let severities = || lints.iter().map(|lint| lint.severity).chain(more.iter().map(|one| one.severity));
        let count = |severity| severities().filter(|one| *one == severity).count();
        let (errors, warnings, notes) = (count(Severity::Error), count(Severity::Warning), count(Severity::Note));
        let counted = CountedLints { errors, warnings, notes, unlisted: more.len(), lints, ..linted.counted() };
        HeardLints { counted, left_out }
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

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::arithmetic_side_effects, reason = "a test may fail")]
mod tests {
    use super::*;
    use crate::lint::Linter;

    /// [lint.kinds]
    #[test]
    fn kinds_are_chosen_and_the_others_counted() -> Result<(), String> {
        let file = b"User-agent: *\nDisallow: /x*\nFoo: 1\n";
        let linted = Linter::default().lint(file);
        let (wildcard, unknown) = (lint_kind("last-wildcard")?, lint_kind("UNKNOWN-directive")?);
        let only = LintFilter { only: vec![wildcard], ignore: vec![] }.apply(&linted);
        assert_eq!((only.counted.lints.len(), only.left_out), (1, 1));
        let ignore = LintFilter { only: vec![], ignore: vec![wildcard, unknown] }.apply(&linted);
        assert_eq!((ignore.counted.lints.len(), ignore.left_out), (0, 2));
        assert_eq!((distance("kitten", "sitting"), distance("", "abc"), distance("a", "a")), (3, 3, 0));
        assert!(lint_kind("zzz").is_err_and(|error| error.contains("the kinds are google-differs, ")));
        for kind in kinds() {
            assert_eq!(lint_kind(kind.as_str())?, kind);
        }
        Ok(())
    }
}
