//! Findings (what was seen, repaired, ignored or lost), and a report of them that stays small.
//!
//! Invariant: a report counts every finding and keeps the details of the first few. So its size does not grow with the
//! number of bad lines.

pub(crate) mod finding;

use alloc::vec::Vec;
use core::fmt;

pub(crate) use self::finding::LineNumber;
pub use self::finding::{Effect, Finding, FindingClass, FindingKind};
pub use crate::syntax::preamble::InputKind;

/// Counts of all kinds of findings, and the details of the first findings.
///
/// ```
/// use robosieve::report::{Effect, FindingKind};
/// let sieved = robosieve::Sieve::new(["MyBot"]).filter(b"User-agent: *\nDisalow: /tmp\n").unwrap();
/// assert_eq!(sieved.report().count(FindingKind::MisspelledDirective), 1);
/// assert!(sieved.report().is_exact());
/// ```
///
/// It is displayed with a line for each finding in detail, and a summary as the last line:
///
/// ```
/// let report = robosieve::Sieve::new(["MyBot"]).filter(b"User-agent: *\nDisalow: /tmp\n").unwrap().report().to_string();
/// assert_eq!(report, "line 2: a misspelled directive was understood [field.typo]\nexact: 1 repair");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// Sorted by kind and effect. Most reports have few kinds, and a file can have many reports.
    counts: Vec<Count>,
    first_loss: Option<Finding>,
    first_suspect: Option<Finding>,
    input: InputKind,
    details: Vec<Finding>,
    capacity: usize,
}

/// The number of findings of one kind with one effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Count {
    kind: FindingKind,
    effect: Effect,
    /// `u32` is enough: a file has fewer lines than that.
    findings: u32,
}

impl Count {
    #[inline]
    fn is_of(self, kind: FindingKind, effect: Effect) -> bool {
        self.kind == kind && self.effect == effect
    }
}

impl Report {
    /// How many findings are kept in detail by default. Our choice: enough to fix a file, 1.2 kB of memory.
    pub const DEFAULT_DETAILS: usize = 100;

    /// Initial capacity for details. Where something is found, more of it often follows.
    const FIRST_DETAILS: usize = 16;

    /// An empty report that keeps the details of the first `capacity` findings.
    #[must_use]
    pub const fn new(capacity: usize) -> Self {
        let (first_loss, first_suspect) = (None, None);
        Self { counts: Vec::new(), first_loss, first_suspect, input: InputKind::Text, details: Vec::new(), capacity }
    }

    /// An empty report that keeps as many details as this one.
    pub(crate) const fn emptied(&self) -> Self {
        Self::new(self.capacity)
    }

    /// The number of findings of this kind, those without details included.
    #[must_use]
    pub fn count(&self, kind: FindingKind) -> u64 {
        self.sum(|count| count.kind == kind)
    }

    /// The number of findings that `is_counted` selects.
    fn sum(&self, is_counted: impl Fn(&Count) -> bool) -> u64 {
        let counts = self.counts.iter().filter(|count| is_counted(count));
        counts.fold(0, |sum, count| sum.saturating_add(u64::from(count.findings)))
    }

    /// The kinds that were found and their counts, in the order of [`FindingKind::ALL`].
    pub fn counts(&self) -> impl Iterator<Item = (FindingKind, u64)> + '_ {
        FindingKind::ALL.iter().map(|&kind| (kind, self.count(kind))).filter(|&(_, count)| count > 0)
    }

    /// The findings that are kept in detail, by line. Findings of the parser come first, then those of the filter.
    #[must_use]
    pub fn details(&self) -> &[Finding] {
        &self.details
    }

    /// The total number of findings.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.sum(|_| true)
    }

    /// Whether nothing was found.
    pub(crate) fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// Whether the result gives the same verdict as the input for every URL, by the standard: no loss has an effect.
    /// For a file that is not a robots.txt file this says little: see [`Report::has_suspects`].
    #[must_use]
    pub fn is_exact(&self) -> bool {
        self.first_loss.is_none()
    }

    /// What the first bytes of the input look like.
    #[must_use]
    pub const fn input(&self) -> InputKind {
        self.input
    }

    pub(crate) const fn set_input(&mut self, kind: InputKind) {
        self.input = kind;
    }

    /// Whether a line, or the whole file, looks as if its owner meant something else than what it means in the
    /// standard.
    #[must_use]
    pub fn has_suspects(&self) -> bool {
        self.suspects() > 0
    }

    /// The number of suspects.
    #[must_use]
    pub fn suspects(&self) -> u64 {
        self.sum(|count| count.kind.class() == FindingClass::Suspect)
    }

    /// The number of suspects with this effect. Suspects without an effect are not counted.
    #[must_use]
    pub fn suspects_with(&self, effect: Effect) -> u64 {
        self.with_effect(FindingClass::Suspect, effect)
    }

    /// The first suspect, by line, that has an effect.
    #[must_use]
    pub const fn first_suspect(&self) -> Option<Finding> {
        self.first_suspect
    }

    /// The number of losses with this effect; 0 for [`Effect::None`].
    #[must_use]
    pub fn losses(&self, effect: Effect) -> u64 {
        self.with_effect(FindingClass::Loss, effect)
    }

    fn with_effect(&self, class: FindingClass, effect: Effect) -> u64 {
        self.sum(|count| effect != Effect::None && count.effect == effect && count.kind.class() == class)
    }

    /// Whether the result may allow URLs that the input disallows, because of a loss.
    pub(crate) fn may_permit_more(&self) -> bool {
        self.losses(Effect::MorePermissive) > 0 || self.losses(Effect::Either) > 0
    }

    /// The first loss, by line, that has an effect.
    #[must_use]
    pub const fn first_loss(&self) -> Option<Finding> {
        self.first_loss
    }

    /// Adds a finding. Keeps its details if the report is not full.
    #[inline]
    pub fn push(&mut self, finding: Finding) {
        // Most findings have no effect and are of a kind that was found before. This path needs no call.
        let is_counted = |count: &&mut Count| finding.effect == Effect::None && count.is_of(finding.kind, Effect::None);
        let is_full = self.details.len() >= self.capacity;
        match self.counts.iter_mut().find(is_counted) {
            Some(count) if is_full || self.details.len() < self.details.capacity() => {
                count.findings = count.findings.saturating_add(1);
                if !is_full {
                    self.details.push(finding);
                }
            }
            _ => self.push_other(finding),
        }
    }

    /// Adds any finding.
    #[cold]
    fn push_other(&mut self, finding: Finding) {
        self.count_more(Count { kind: finding.kind, effect: finding.effect, findings: 1 });
        self.keep_first(finding);
        if self.details.len() < self.capacity {
            self.details.push(finding);
        }
    }

    /// Adds all findings of another report.
    pub fn absorb(&mut self, other: &Self) {
        self.absorb_all([other]);
    }

    /// Adds all findings of other reports. Cost: sorts the details once.
    pub(crate) fn absorb_all<'r>(&mut self, others: impl IntoIterator<Item = &'r Self>) {
        others.into_iter().for_each(|other| self.add(other));
        self.sort();
    }

    /// Like [`Report::absorb`], for many reports: sorts the details only when there are twice as many as are kept. Call
    /// `sort` at the end.
    pub(crate) fn gather(&mut self, other: &Self) {
        self.add(other);
        if self.details.len() / 2 > self.capacity {
            self.sort();
        }
    }

    fn count_more(&mut self, more: Count) {
        // A report has few counts, so a search from the front is fastest.
        let known = self.counts.iter_mut().find(|count| count.is_of(more.kind, more.effect));
        match known {
            Some(count) => count.findings = count.findings.saturating_add(more.findings),
            None => self.count_first(more),
        }
    }

    /// Counts a kind for the first time.
    #[cold]
    fn count_first(&mut self, more: Count) {
        if self.counts.is_empty() {
            self.details.reserve(self.capacity.min(Self::FIRST_DETAILS));
        }
        let at = self.counts.partition_point(|count| (count.kind, count.effect) < (more.kind, more.effect));
        self.counts.insert(at, more);
    }

    /// Keeps the first loss and the first suspect that have an effect. Of two on the same line, the one that was added first
    /// is kept.
    fn keep_first(&mut self, finding: Finding) {
        let first = match finding.kind.class() {
            FindingClass::Loss => &mut self.first_loss,
            FindingClass::Suspect => &mut self.first_suspect,
            FindingClass::Note | FindingClass::Repair | FindingClass::Ignored => return,
        };
        if finding.effect != Effect::None && first.is_none_or(|first| finding.line < first.line) {
            *first = Some(finding);
        }
    }

    fn add(&mut self, other: &Self) {
        other.counts.iter().for_each(|count| self.count_more(*count));
        other.first_loss.iter().chain(&other.first_suspect).for_each(|finding| self.keep_first(*finding));
        if self.input == InputKind::Text {
            self.input = other.input;
        }
        if self.capacity > 0 {
            self.details.extend_from_slice(&other.details);
        }
    }

    /// Sorts the details by line, and drops those over the capacity.
    pub(crate) fn sort(&mut self) {
        self.details.sort_by_key(|finding| finding.line);
        self.details.truncate(self.capacity);
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for finding in &self.details {
            writeln!(f, "{finding}")?;
        }
        f.write_str(if self.is_exact() { "exact" } else { "not exact" })?;
        let classes = [
            (FindingClass::Loss, "loss", "losses"),
            (FindingClass::Suspect, "suspect", "suspects"),
            (FindingClass::Repair, "repair", "repairs"),
            (FindingClass::Ignored, "ignored line", "ignored lines"),
            (FindingClass::Note, "note", "notes"),
        ];
        let mut before = ": ";
        for (class, one, many) in classes {
            let count = self.sum(|count| count.kind.class() == class);
            if count > 0 {
                write!(f, "{before}{count} {}", if count == 1 { one } else { many })?;
                before = ", ";
            }
        }
        let total = self.total();
        if u64::try_from(self.details.len()) != Ok(total) {
            write!(f, "; {} of {total} findings are listed", self.details.len())?;
        }
        if self.input != InputKind::Text {
            write!(f, "; the input is {}", self.input)?;
        }
        Ok(())
    }
}

impl Extend<Finding> for Report {
    fn extend<I: IntoIterator<Item = Finding>>(&mut self, findings: I) {
        findings.into_iter().for_each(|finding| self.push(finding));
    }
}

impl Default for Report {
    fn default() -> Self {
        Self::new(Self::DEFAULT_DETAILS)
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for Report {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeStruct;

        struct Counts<'r>(&'r Report);
        impl serde::Serialize for Counts<'_> {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_map(self.0.counts().map(|(kind, count)| (kind.as_str(), count)))
            }
        }

        #[derive(serde::Serialize)]
        struct Losses {
            more_permissive: u64,
            more_restrictive: u64,
            either: u64,
        }

        let losses = Losses {
            more_permissive: self.losses(Effect::MorePermissive),
            more_restrictive: self.losses(Effect::MoreRestrictive),
            either: self.losses(Effect::Either),
        };
        let mut object = serializer.serialize_struct("Report", 6)?;
        object.serialize_field("input", &self.input)?;
        object.serialize_field("exact", &self.is_exact())?;
        object.serialize_field("losses", &losses)?;
        object.serialize_field("suspects", &self.suspects())?;
        object.serialize_field("counts", &Counts(self))?;
        object.serialize_field("findings", &self.details)?;
        object.end()
    }
}
