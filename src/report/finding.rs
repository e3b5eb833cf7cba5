//! What was seen, repaired, ignored or lost: the kinds of findings, each with its class and its clause in SPEC.md.
//!
//! Invariant: a finding contains no byte of the input, so it is safe to print.

use core::fmt;
use core::num::NonZeroU32;

use crate::error::names;

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

names!(Effect, "an effect", {
    None => "none", "no effect";
    MorePermissive => "more-permissive", "permits more";
    MoreRestrictive => "more-restrictive", "permits less";
    Either => "either", "may permit more or less";
});

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

/// The number of a line of the input, from 1. None for what no line says.
pub(crate) type LineNumber = Option<NonZeroU32>;

/// A finding: one thing that the parser or the filter noticed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Finding {
    /// The line of the input, from 1. None if it is about what was asked, not about a line. A CRLF ends one line. A
    /// continued line has the number of its first part.
    pub line: Option<NonZeroU32>,
    /// What was found.
    pub kind: FindingKind,
    /// How it changes the result, compared with what the line says.
    pub effect: Effect,
}

impl Finding {
    /// A finding on this line.
    #[must_use]
    pub const fn new(line: Option<NonZeroU32>, kind: FindingKind, effect: Effect) -> Self {
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
            (effect, _) => Some(effect.shown()),
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(line) = self.line {
            write!(f, "line {line}: ")?;
        }
        f.write_str(self.kind.text())?;
        if let Some(effect) = self.effect_in_words() {
            write!(f, " ({effect})")?;
        }
        write!(f, " [{}]", self.kind.clause())
    }
}

/// A file that exceeds a limit, under [`OverLimit::Refuse`](crate::settings::OverLimit::Refuse). Also a file that
/// [`OverLimit::Widen`](crate::settings::OverLimit::Widen) cannot widen, because the limits leave no space for `Disallow: /`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Refused {
    /// The first loss that concerns the chosen agents.
    pub finding: Finding,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "refused: {}; raise the limit, or let over-limit rules be dropped or widened", self.finding)
    }
}

impl core::error::Error for Refused {}
