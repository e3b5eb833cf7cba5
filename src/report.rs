//! Findings (what was seen, repaired, ignored or lost), and a report of them that stays small.
//!
//! Invariant: a report counts every finding and keeps the details of the first few. So its size does not grow with the
//! number of bad lines. A finding contains no byte of the input, so it is safe to print.

use alloc::vec::Vec;
use core::fmt;

use crate::choice::names;

pub use crate::input::{ByteOrder, InputKind};

/// How much a finding matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FindingClass {
    /// Information about the file; nothing was changed.
    Note,
    /// A line was not read as it is spelled, but as its owner most likely meant it.
    Repair,
    /// A line that has no meaning in the standard was left out.
    Ignored,
    /// A line, or the whole file, looks as if its owner meant something else than what it means in the standard. The
    /// standard meaning applies.
    Suspect,
    /// Something that has a meaning in the standard was left out, because of a limit or of the caller's policy.
    Loss,
}

names!(FindingClass, "a class of findings", {
    Note => "note",
    Repair => "repair",
    Ignored => "ignored",
    Suspect => "suspect",
    Loss => "loss",
});

/// How the result differs from what the line says, because of a finding. For a suspect: how it differs from what the
/// owner probably meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "kebab-case"))]
pub enum Effect {
    /// No verdict changes.
    None,
    /// The result may allow URLs that the line disallows: a lost Disallow.
    MorePermissive,
    /// The result may disallow URLs that the line allows: a lost Allow.
    MoreRestrictive,
    /// Either is possible: a lost user-agent line, the cut end of a file.
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
        /// The kind of a finding. SPEC.md explains each under the clause that [`FindingKind::clause`] names.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize))]
        #[non_exhaustive]
        // The texts are for people who read reports. They are not documentation.
        #[allow(clippy::doc_markdown)]
        pub enum FindingKind { $(#[doc = $text] #[cfg_attr(feature = "serde", serde(rename = $slug))] $name,)* }

        impl FindingKind {
            /// All kinds, in the order of reports: losses and suspects first.
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
            pub const fn class(self) -> FindingClass {
                match self { $(Self::$name => FindingClass::$class,)* }
            }
        }
    };
}

finding_kinds! {
    InputCut, Loss, "input-cut", "limit.bytes", "the file is longer than max_bytes: its end was not read";
    InputIncomplete, Loss, "input-incomplete", "input.incomplete", "the file is not whole: a line without its end was left out, and what is missing was not read";
    GroupIncomplete, Loss, "group-incomplete", "input.incomplete", "the file ends before any rule for the agent: everything is disallowed, since the rules are not known";
    TooManyRecords, Loss, "too-many-records", "limit.records", "a record over max_records was left out";
    TooManyLines, Loss, "too-many-lines", "limit.lines", "a line over max_lines was left out";
    TooManyAgents, Loss, "too-many-agents", "limit.user-agents", "a user-agent line over max_user_agents was left out";
    DirectiveTooLong, Loss, "directive-too-long", "limit.directive-length", "a line whose directive is over max_directive_length was left out";
    NameTooLong, Loss, "name-too-long", "limit.name-length", "a user-agent over max_name_length was left out";
    ValueTooLong, Loss, "value-too-long", "limit.value-length", "a line whose value is over max_value_length was left out";
    ReadForOthers, Loss, "read-for-others", "input.directed", "the file was parsed for other agents than those requested now";
    TextTooLong, Loss, "text-too-long", "limit.bytes", "a line was left out, since the text would be longer than max_bytes";
    RelativeUrl, Loss, "relative-url", "value.sitemap", "a relative sitemap was left out, since the base URL is not known";
    ValueNotShared, Loss, "value-not-shared", "text.values", "a value for some agents of a group was left out of a text for all agents";
    NotPortable, Loss, "not-portable", "portable.lines", "a line other than a rule was left out, since the portable form does not contain it";
    Unwritable, Loss, "unwritable", "text.unwritable", "a rule was left out, since it has blanks or controls, which a text cannot contain";
    TooManyWildcards, Loss, "too-many-wildcards", "limit.wildcards", "a rule with more than max_wildcards stars was left out";
    Widened, Loss, "widened", "over-limit.widen", "a Disallow over a limit was cut, so that it forbids more";
    AllowOutranked, Loss, "allow-outranked", "over-limit.widen", "an Allow was left out, since a widened Disallow would lose to it";
    AllDisallowed, Loss, "all-disallowed", "over-limit.widen", "the record lost rules that can't be widened, so it disallows everything";
    AgentUnnamed, Suspect, "agent-unnamed", "agent.unnamed", "a requested agent has no crawler's name, so only groups for * apply: a group of its own was probably meant";
    AgentInDoubt, Suspect, "agent-in-doubt", "agent.doubt", "a User-Agent header names several agents that have groups: what one of them disallows is disallowed";
    NotRobotsTxt, Suspect, "not-robots-txt", "input.not-robots", "the file does not look like a robots.txt";
    Utf16, Suspect, "utf-16", "input.utf16", "the file is UTF-16 or UTF-32, and was not decoded";
    BrokenCharacter, Suspect, "broken-character", "input.utf16", "the file has units of UTF-16 or UTF-32 that are no character: one was probably meant, and each is read as U+FFFD";
    StrayByteOrderMark, Suspect, "stray-byte-order-mark", "input.bom", "a second byte order mark, or bytes like one, makes the first line invalid";
    AlmostDirective, Suspect, "almost-directive", "suspect.almost", "a line is almost a rule or a user-agent line: that was probably meant, and it was left out";
    RuleWithoutAgent, Suspect, "rule-without-agent", "record.before-agent", "a line is below no valid user-agent line: some crawler was probably meant, and it was left out";
    AgentWithoutToken, Suspect, "agent-without-token", "agent.value", "a user-agent line can match no crawler: some crawler was probably meant, and it was left out";
    AgentList, Suspect, "agent-list", "suspect.agents", "a user-agent line lists several agents: all were probably meant, and only the first is named";
    AgentHeader, Suspect, "agent-header", "suspect.agents", "a user-agent line contains a whole User-Agent header: the crawler in it was probably meant, and only the first word is named";
    AgentCut, Suspect, "agent-cut", "suspect.agents", "an agent's name continues after a character that ends it: the whole name was probably meant, and only its beginning counts";
    JoinedRecords, Suspect, "joined-records", "suspect.joined", "user-agent lines continue below another line: the rules were probably meant for the last of them, and all share them";
    GluedDirective, Suspect, "glued-directive", "suspect.glued", "a line contains another directive: both were probably meant, and the second is not read as one";
    GluedRule, Suspect, "glued-rule", "suspect.glued", "a rule contains another directive: both were probably meant, and neither applies";
    SeveralPaths, Suspect, "several-paths", "suspect.path", "a rule contains several paths: each was probably meant, and they were read as one";
    NoteInRule, Suspect, "note-in-rule", "suspect.path", "a rule contains a note without #: the path before it was probably meant, and the note was read as a part of it";
    UrlInRule, Suspect, "url-in-rule", "suspect.path", "a rule contains a URL or a host: its path was probably meant, and is not covered";
    InvisibleCharacter, Suspect, "invisible-character", "suspect.path", "a path begins or ends with an invisible character: the path without it was probably meant, and is not covered";
    NeverMatches, Suspect, "never-matches", "text.unwritable", "a rule begins with neither / nor *: a path was probably meant, and no URL can match it";
    RegularExpression, Suspect, "regular-expression", "suspect.path", "a rule contains a regular expression: what it matches was probably meant, and it was read as a path";
    Fragment, Suspect, "fragment", "suspect.path", "a path contains a #, which begins a comment: only a part of the page was probably meant, and all of it is covered";
    ByteOrderMark, Repair, "byte-order-mark", "input.bom", "a byte order mark, or a part of one, was dropped";
    Decoded, Repair, "decoded", "input.utf16", "the file is UTF-16 or UTF-32, and was decoded";
    FoldedLine, Repair, "folded-line", "line.fold", "a continued line was joined";
    MisspelledDirective, Repair, "misspelled-directive", "field.typo", "a misspelled directive was understood";
    MissingColon, Repair, "missing-colon", "field.missing-colon", "a missing colon was added";
    AgentText, Repair, "agent-text", "agent.value", "text after an agent's name was left out";
    MissingSlash, Repair, "missing-slash", "path.slash", "a path without a leading slash was given one";
    EncodedBytes, Repair, "encoded-bytes", "path.encode", "bytes that a URL cannot contain unencoded were percent-encoded";
    ClampedValue, Repair, "clamped-value", "value.crawl-delay", "a value out of range was set to the limit of the range";
    RepairedValue, Repair, "repaired-value", "value.repaired", "a value with a wrong form but a clear meaning was repaired";
    UnknownDirective, Ignored, "unknown-directive", "ext.unknown", "a line with an unknown directive was left out";
    NotAField, Ignored, "not-a-field", "field.syntax", "a line that is not a field was left out";
    InvalidValue, Ignored, "invalid-value", "value.invalid", "an invalid value was left out";
    DuplicateValue, Ignored, "duplicate-value", "value.single", "a second value of a directive that can have only one was left out";
    LineCut, Ignored, "line-cut", "google.line", "the end of a line was left out, after a NUL or byte 16,663";
    LongText, Note, "long-text", "text.size", "the text is so long that a reader may cut it; the broadest rules are last";
}

/// A finding: one thing that the parser or the filter noticed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Finding {
    /// The line of the input, from 1; 0 if it is about what was asked, not about a line. A CRLF ends one line. A continued line has the number of its first part.
    pub line: u32,
    /// What was found.
    pub kind: FindingKind,
    /// How it changes the result, compared with what the line says.
    pub effect: Effect,
}

impl Finding {
    /// A finding on this line.
    #[must_use]
    pub const fn new(line: u32, kind: FindingKind, effect: Effect) -> Self {
        Self { line, kind, effect }
    }

    /// The effect in words, if there is one. For a suspect: compared with what was probably meant.
    #[must_use]
    pub fn effect_in_words(&self) -> Option<&'static str> {
        match (self.effect, self.kind.class()) {
            (Effect::None, _) => None,
            (Effect::MorePermissive, FindingClass::Suspect) => Some("may permit more than meant"),
            (Effect::MoreRestrictive, FindingClass::Suspect) => Some("may permit less than meant"),
            (Effect::Either, FindingClass::Suspect) => Some("may permit more or less than meant"),
            (effect, _) => Some(effect.as_str()),
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.line > 0 {
            write!(f, "line {}: ", self.line)?;
        }
        f.write_str(self.kind.text())?;
        if let Some(effect) = self.effect_in_words() {
            write!(f, " ({effect})")?;
        }
        write!(f, " [{}]", self.kind.clause())
    }
}

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
        self.settle();
    }

    /// Like [`Report::absorb`], for many reports: sorts the details only when there are twice as many as are kept. Call
    /// `settle` at the end.
    pub(crate) fn gather(&mut self, other: &Self) {
        self.add(other);
        if self.details.len() / 2 > self.capacity {
            self.settle();
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

    /// Sorts the details by line and drops those over the capacity.
    pub(crate) fn settle(&mut self) {
        self.sort();
        self.details.truncate(self.capacity);
    }

    /// Sorts the details by line.
    pub(crate) fn sort(&mut self) {
        self.details.sort_by_key(|finding| finding.line);
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
