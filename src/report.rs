//! What was seen, repaired, ignored or lost: findings, and a report of them that stays small.
//!
//! Invariant: a report counts every finding and keeps the details of the first few, so a file of a million bad lines
//! reports in the same space as one of ten. A finding holds no octet of the input, so that printing one is harmless.

use alloc::vec::Vec;
use core::fmt;

/// How much a finding matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "lowercase"))]
pub enum Class {
    /// Something worth knowing about the file; nothing was changed for it.
    Note,
    /// A line was read otherwise than it is spelled, as its owner most likely meant it.
    Repair,
    /// A line that the standard gives no meaning was left out.
    Ignored,
    /// A limit, or a policy of the caller's, left out something that the standard gives a meaning.
    Loss,
}

/// Which way the result differs from the input because of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "kebab-case"))]
pub enum Effect {
    /// No URL is answered otherwise.
    None,
    /// The result may allow what the line forbids: a lost Disallow.
    MorePermissive,
    /// The result may forbid what the line allows: a lost Allow.
    MoreRestrictive,
    /// It may go either way: a lost user-agent line, the cut end of a file.
    Either,
}

impl Effect {
    /// A word for messages.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::None => "no effect",
            Self::MorePermissive => "permits more",
            Self::MoreRestrictive => "permits less",
            Self::Either => "may permit more or less",
        }
    }
}

macro_rules! finding_kinds {
    ($($(#[$doc:meta])* $name:ident, $class:ident, $slug:literal, $clause:literal, $text:literal;)*) => {
        /// What a finding is about. SPEC.md explains each under the clause that [`FindingKind::clause`] names.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "kebab-case"))]
        #[non_exhaustive]
        // The sentences are for people who read reports, not documentation.
        #[allow(clippy::doc_markdown)]
        pub enum FindingKind { $(#[doc = $text] $name,)* }

        impl FindingKind {
            /// Each kind, in the order of reports.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// A stable name for machines.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$name => $slug,)* }
            }

            /// The clause of SPEC.md.
            #[must_use]
            pub const fn clause(self) -> &'static str {
                match self { $(Self::$name => $clause,)* }
            }

            /// What happened, for people.
            #[must_use]
            pub const fn text(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }

            /// How much it matters.
            #[must_use]
            pub const fn class(self) -> Class {
                match self { $(Self::$name => Class::$class,)* }
            }
        }
    };
}

finding_kinds! {
    NotRobotsTxt, Note, "not-robots-txt", "input.not-robots", "the file does not look like a robots.txt";
    Utf16, Note, "utf-16", "input.utf16", "the file is UTF-16, which is not converted";
    StrayByteOrderMark, Note, "stray-byte-order-mark", "input.bom", "a second byte order mark, or octets like one, spoils the first line";
    LongText, Note, "long-text", "text.size", "the text is so long that a reader may cut it, and the broadest rules stand last";
    ByteOrderMark, Repair, "byte-order-mark", "input.bom", "a byte order mark, or a part of one, was dropped";
    FoldedLine, Repair, "folded-line", "line.fold", "a continued line was joined";
    MisspelledDirective, Repair, "misspelled-directive", "field.typo", "a misspelled directive was understood";
    MissingColon, Repair, "missing-colon", "field.missing-colon", "a missing colon was supplied";
    AgentText, Repair, "agent-text", "agent.value", "text behind an agent's name was left out";
    MissingSlash, Repair, "missing-slash", "path.slash", "a path without a leading slash was given one";
    EncodedOctets, Repair, "encoded-octets", "path.encode", "octets that no URL holds raw were percent-encoded";
    ClampedValue, Repair, "clamped-value", "value.crawl-delay", "a value out of range was set to the limit of the range";
    UnknownDirective, Ignored, "unknown-directive", "ext.unknown", "a line with an unknown directive was left out";
    NotAField, Ignored, "not-a-field", "field.syntax", "a line that is no field was left out";
    RuleWithoutAgent, Ignored, "rule-without-agent", "record.before-agent", "a line that stands below no user-agent was left out";
    AgentWithoutToken, Ignored, "agent-without-token", "agent.value", "a user-agent line that can match no crawler was left out";
    GluedDirective, Ignored, "glued-directive", "agent.glued", "a directive on the same line as a user-agent was left out";
    InvalidValue, Ignored, "invalid-value", "value.invalid", "a value that is not of its directive's form was left out";
    DuplicateValue, Ignored, "duplicate-value", "value.single", "a second value was left out where there can be one";
    NeverMatches, Ignored, "never-matches", "text.unwritable", "a rule that no URL can match was left out of the text";
    LineCut, Ignored, "line-cut", "google.line", "the end of a line was left out, behind a NUL or octet 16,663";
    InputCut, Loss, "input-cut", "limit.bytes", "the file is longer than max_bytes: its end was not read";
    TooManyRecords, Loss, "too-many-records", "limit.records", "a record over max_records was left out";
    TooManyLines, Loss, "too-many-lines", "limit.lines", "a line over max_lines was left out";
    TooManyAgents, Loss, "too-many-agents", "limit.user-agents", "a user-agent line over max_user_agents was left out";
    DirectiveTooLong, Loss, "directive-too-long", "limit.directive-length", "a line whose directive is over max_directive_length was left out";
    NameTooLong, Loss, "name-too-long", "limit.name-length", "a user-agent over max_name_length was left out";
    ValueTooLong, Loss, "value-too-long", "limit.value-length", "a line whose value is over max_value_length was left out";
    ReadForOthers, Loss, "read-for-others", "input.directed", "the file was read for other agents than those asked for now";
    TextTooLong, Loss, "text-too-long", "limit.bytes", "a line was left out, since the text would be longer than max_bytes";
    TooManyWildcards, Loss, "too-many-wildcards", "limit.wildcards", "a rule with more than max_wildcards stars was left out";
    Widened, Loss, "widened", "over-limit.widen", "a Disallow over a limit was cut, so that it forbids more";
    AllowOutranked, Loss, "allow-outranked", "over-limit.widen", "an Allow was left out that a widened Disallow would have lost to";
    AllDisallowed, Loss, "all-disallowed", "over-limit.widen", "the record lost rules that can't be widened, so it disallows everything";
}

const KINDS: usize = FindingKind::ALL.len();

/// One thing that was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Finding {
    /// The line of the input, from 1, where a CRLF ends one line; a continued line has the number of its first part.
    pub line: u32,
    /// What was found.
    pub kind: FindingKind,
    /// Which way it changes the result, against what the line asks for.
    pub effect: Effect,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.kind.text())?;
        if self.effect != Effect::None {
            write!(f, " ({})", self.effect.as_str())?;
        }
        write!(f, " [{}]", self.kind.clause())
    }
}

/// Counts of every kind of finding, and the first of them in detail.
///
/// ```
/// use robosieve::{Effect, FindingKind};
/// let sieved = robosieve::sieve(b"User-agent: *\nDisalow: /tmp\n", &["MyBot"]);
/// assert_eq!(sieved.report().count(FindingKind::MisspelledDirective), 1);
/// assert!(sieved.report().is_exact());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// A file has fewer lines than fit, so no more findings of a kind.
    counts: [u32; KINDS],
    loss: [u64; 3],
    first_loss: Option<Finding>,
    details: Vec<Finding>,
    capacity: usize,
}

impl Report {
    /// Findings kept in detail unless told otherwise. House: enough to mend a file by, 1.2 kB of memory.
    pub const DEFAULT_DETAILS: usize = 100;

    /// An empty report that will keep the details of the first `capacity` findings.
    #[must_use]
    pub const fn new(capacity: usize) -> Self {
        Self { counts: [0; KINDS], loss: [0; 3], first_loss: None, details: Vec::new(), capacity }
    }

    /// An empty report that keeps as many details as this one.
    pub(crate) const fn emptied(&self) -> Self {
        Self::new(self.capacity)
    }

    /// How many findings of this kind there are, those without details included.
    #[must_use]
    pub fn count(&self, kind: FindingKind) -> u64 {
        self.counts.get(kind as usize).copied().map_or(0, u64::from)
    }

    /// The kinds that were found, with their counts, in the order of [`FindingKind::ALL`].
    pub fn counts(&self) -> impl Iterator<Item = (FindingKind, u64)> + '_ {
        FindingKind::ALL.iter().map(|&kind| (kind, self.count(kind))).filter(|&(_, count)| count > 0)
    }

    /// Findings by line, as many as are kept: those that the parser made first, and what is over a limit of the filter behind them.
    #[must_use]
    pub fn details(&self) -> &[Finding] {
        &self.details
    }

    /// How many findings there are in all.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.counts.iter().fold(0, |sum, &count| sum.saturating_add(u64::from(count)))
    }

    /// Whether the result answers every URL as the input does by the standard: no loss that has an effect.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        self.loss == [0; 3]
    }

    /// How many losses have the effect, which is 0 for [`Effect::None`].
    #[must_use]
    pub fn losses(&self, effect: Effect) -> u64 {
        loss_index(effect).and_then(|index| self.loss.get(index)).copied().unwrap_or(0)
    }

    /// Whether a loss may let the result allow what the input forbids.
    pub(crate) fn may_permit_more(&self) -> bool {
        self.losses(Effect::MorePermissive) > 0 || self.losses(Effect::Either) > 0
    }

    /// The first loss by line that has an effect.
    #[must_use]
    pub const fn first_loss(&self) -> Option<Finding> {
        self.first_loss
    }

    /// Adds a finding. Details are kept while there is room for them.
    pub fn push(&mut self, finding: Finding) {
        if let Some(count) = self.counts.get_mut(finding.kind as usize) {
            *count = count.saturating_add(1);
        }
        let is_loss = finding.kind.class() == Class::Loss;
        let place = loss_index(finding.effect).filter(|_| is_loss);
        if let Some(loss) = place.and_then(|index| self.loss.get_mut(index)) {
            *loss = loss.saturating_add(1);
            self.lose(finding);
        }
        if self.details.len() < self.capacity {
            self.details.push(finding);
        }
    }

    /// Keeps the first loss by line: those of the filter are found behind those of the parser, whatever their lines.
    fn lose(&mut self, loss: Finding) {
        if self.first_loss.is_none_or(|first| loss.line < first.line) {
            self.first_loss = Some(loss);
        }
    }

    /// Adds all that another report holds.
    pub fn absorb(&mut self, other: &Self) {
        self.absorb_all([other]);
    }

    /// Adds all that other reports hold. Cost: sorting the details once.
    pub(crate) fn absorb_all<'r>(&mut self, others: impl IntoIterator<Item = &'r Self>) {
        others.into_iter().for_each(|other| self.add(other));
        self.settle();
    }

    /// As [`Report::absorb`], for one of many: the details are sorted when they are twice as many as are kept, and whoever is
    /// done settles the rest.
    pub(crate) fn gather(&mut self, other: &Self) {
        self.add(other);
        if self.details.len() / 2 > self.capacity {
            self.settle();
        }
    }

    fn add(&mut self, other: &Self) {
        for (count, more) in self.counts.iter_mut().zip(other.counts) {
            *count = count.saturating_add(more);
        }
        for (loss, more) in self.loss.iter_mut().zip(other.loss) {
            *loss = loss.saturating_add(more);
        }
        if let Some(loss) = other.first_loss {
            self.lose(loss);
        }
        if self.capacity > 0 {
            self.details.extend_from_slice(&other.details);
        }
    }

    /// Leaves the first details by line, as many as are kept.
    pub(crate) fn settle(&mut self) {
        self.sort();
        self.details.truncate(self.capacity);
    }

    /// Puts the details in order of lines.
    pub(crate) fn sort(&mut self) {
        self.details.sort_by_key(|finding| finding.line);
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

const fn loss_index(effect: Effect) -> Option<usize> {
    match effect {
        Effect::None => None,
        Effect::MorePermissive => Some(0),
        Effect::MoreRestrictive => Some(1),
        Effect::Either => Some(2),
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
        let mut object = serializer.serialize_struct("Report", 4)?;
        object.serialize_field("exact", &self.is_exact())?;
        object.serialize_field("losses", &losses)?;
        object.serialize_field("counts", &Counts(self))?;
        object.serialize_field("findings", &self.details)?;
        object.end()
    }
}
