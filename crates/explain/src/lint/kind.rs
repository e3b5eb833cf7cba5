//! The kinds of lints: those of the library's findings, and those that only an owner wants to know.
//!
//! Invariant: this table is the only place that gives a kind its severity.

use std::fmt;

use robosieve::report::{FindingClass, FindingKind};

/// How much a lint matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "kebab-case"))]
pub enum Severity {
    /// Worth knowing. Nothing is wrong.
    Note,
    /// Some crawlers read the line otherwise, or it does less than it seems to.
    Warning,
    /// The line, or the file, does not do what it seems to.
    Error,
}

impl Severity {
    /// All severities, the worst first.
    pub const ALL: [Self; 3] = [Self::Error, Self::Warning, Self::Note];

    /// A word.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

macro_rules! own_kinds {
    ($($(#[$doc:meta])* $name:ident, $severity:ident, $slug:literal, $clause:literal;)*) => {
        /// What a lint is about.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum LintKind {
            /// Something that the parser found.
            Found(FindingKind),
            $($(#[$doc])* $name,)*
        }

        impl LintKind {
            /// The kinds that are no findings of the parser.
            pub const OWN: &'static [Self] = &[$(Self::$name,)*];

            /// A stable name.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self {
                    Self::Found(kind) => kind.as_str(),
                    $(Self::$name => $slug,)*
                }
            }

            /// The clause of SPEC.md, or of crates/explain/SPEC.md.
            #[must_use]
            pub const fn clause(self) -> &'static str {
                match self {
                    Self::Found(kind) => kind.clause(),
                    $(Self::$name => $clause,)*
                }
            }

            /// How much it matters.
            #[must_use]
            pub const fn severity(self) -> Severity {
                match self {
                    Self::Found(kind) => of_finding(kind),
                    $(Self::$name => Severity::$severity,)*
                }
            }
        }
    };
}

own_kinds! {
    /// Google reads a rule otherwise than the standard.
    GoogleDiffers, Warning, "google-differs", "lint.google";
    /// A run of user-agent lines that another line interrupts closes the site to all crawlers.
    NobodyMayFetch, Error, "nobody-may-fetch", "lint.joined";
    /// A crawler's group has no rules, so the rules for `*` do not apply to it.
    GroupWithoutRules, Warning, "group-without-rules", "lint.groups";
    /// A crawler's group does not have all the rules for `*`.
    GroupDropsRules, Warning, "group-drops-rules", "lint.dropped";
    /// A crawler's group disallows nothing, so it opens what `*` is disallowed.
    GroupOpens, Note, "group-opens", "lint.dropped";
    /// The same for a main search engine.
    EngineOpens, Warning, "engine-opens", "lint.dropped";
    /// A crawler has several groups, which count as one.
    RepeatedGroup, Note, "repeated-group", "lint.groups";
    /// The file has no group, so it allows everything.
    NoGroup, Note, "no-group", "lint.groups";
    /// A user-agent line names several crawlers, and is read as one name.
    SeveralNames, Error, "several-names", "lint.names";
    /// A name is almost that of a known crawler.
    NearName, Warning, "near-name", "lint.names";
    /// A name is one that its crawler gave up, and its new name has no group.
    GivenUpName, Warning, "given-up-name", "lint.names";
    /// A name is a word for all crawlers, and no crawler's.
    NotEveryone, Warning, "not-everyone", "lint.names";
    /// All crawlers without a group of their own, or a main search engine, are kept away from the whole site.
    AllClosed, Note, "all-closed", "lint.closed";
    /// No client sends a URL that the rule matches.
    NeverSent, Error, "never-sent", "lint.never-sent";
    /// A rule or a sitemap contains an HTML entity.
    HtmlEntity, Warning, "html-entity", "lint.never-sent";
    /// A rule seems to list several paths.
    JoinedPaths, Warning, "joined-paths", "lint.joined-paths";
    /// A Sitemap line has several URLs.
    JoinedSitemaps, Error, "joined-sitemaps", "lint.joined-paths";
    /// A Sitemap or License line has no single URL as its value.
    NoSingleUrl, Error, "no-single-url", "lint.urls";
    /// The same path is allowed and disallowed.
    OppositeRules, Warning, "opposite-rules", "lint.rules";
    /// The same rule stands twice.
    RepeatedRule, Note, "repeated-rule", "lint.rules";
    /// A rule changes no answer.
    RuleWithoutEffect, Note, "rule-without-effect", "lint.rules";
    /// A `$` is not the last character, so it is an ordinary character.
    DollarInside, Warning, "dollar-inside", "lint.wildcards";
    /// A `*` at the end changes nothing.
    LastWildcard, Note, "last-wildcard", "lint.wildcards";
    /// A `.*` at the end of a path has a dot, which regular expressions have not.
    DotStar, Warning, "dot-star", "lint.wildcards";
    /// A group has several crawl delays.
    SeveralDelays, Warning, "several-delays", "lint.values";
    /// No search engine follows the directive any more.
    Retired, Warning, "retired", "lint.values";
    /// A permission of Content-Usage or Content-Signal is above all groups, where only what restricts counts.
    AboveGroups, Warning, "above-groups", "lint.uses";
    /// A name or a value of Content-Usage or Content-Signal has no meaning.
    UseWithoutMeaning, Warning, "use-without-meaning", "lint.uses";
}

impl LintKind {
    /// Whether it says that a line changes nothing. Then there is no lint unless that was proved.
    pub(super) const fn is_claim(self) -> bool {
        matches!(self, Self::LastWildcard | Self::RuleWithoutEffect)
    }
}

/// The severity of a finding. It does not depend on the finding's class alone: the owner wants to know whether the line
/// does what it seems to.
const fn of_finding(kind: FindingKind) -> Severity {
    use FindingKind as K;
    match kind {
        K::JoinedRecords
        | K::Fragment
        | K::AgentCut
        | K::MissingSlash
        | K::MisspelledDirective
        | K::MissingColon
        | K::FoldedLine
        | K::UnknownDirective
        | K::NotAField
        | K::DuplicateValue
        | K::ClampedValue
        | K::RepairedValue
        | K::DirectiveTooLong
        | K::NameTooLong
        | K::ValueTooLong
        | K::TooManyWildcards => Severity::Warning,
        K::InvalidValue | K::LineCut | K::Decoded => Severity::Error,
        _ => match kind.class() {
            FindingClass::Loss | FindingClass::Suspect => Severity::Error,
            FindingClass::Ignored => Severity::Warning,
            FindingClass::Note | FindingClass::Repair => Severity::Note,
        },
    }
}

impl fmt::Display for LintKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for LintKind {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}
