//! The kinds of lints: those of the library's findings, and those that only an owner wants to know.
//!
//! Invariant: this table, and that of findings, are the only places that give a kind its severity.

use std::collections::HashMap;
use std::fmt;
use std::sync::LazyLock;

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
            const OWN: &'static [Self] = &[$(Self::$name,)*];

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
            pub fn severity(self) -> Severity {
                match self {
                    Self::Found(kind) => words(kind).severity,
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
    /// No search engine follows the directive any more.
    Retired, Warning, "retired", "lint.values";
    /// A permission of Content-Usage or Content-Signal is above all groups, where only what restricts counts.
    AboveGroups, Warning, "above-groups", "lint.uses";
    /// A name or a value of Content-Usage or Content-Signal has no meaning.
    UseWithoutMeaning, Warning, "use-without-meaning", "lint.uses";
}

impl LintKind {
    /// All kinds.
    pub fn all() -> impl Iterator<Item = Self> + Clone {
        Self::OWN.iter().copied().chain(FindingKind::ALL.iter().copied().map(Self::Found))
    }

    /// Whether it says that a line changes nothing. Then there is no lint unless that was proved.
    pub(super) const fn is_claim(self) -> bool {
        matches!(self, Self::LastWildcard | Self::RuleWithoutEffect)
    }
}

/// What a finding of the library is to the owner of a file, who wants to know whether the line does what it seems to: a
/// row of `data/findings.tsv`.
pub(super) struct Words {
    severity: Severity,
    /// What the finding is about: `name`, `value` or `line`.
    pub(super) place: &'static str,
    /// What is the matter.
    pub(super) message: &'static str,
    /// What to do about it.
    pub(super) help: &'static str,
}

/// The words of a finding. Those without a row, of limits that few set, have the library's.
pub(super) fn words(kind: FindingKind) -> &'static Words {
    static WORDS: LazyLock<HashMap<FindingKind, Words>> =
        LazyLock::new(|| FindingKind::ALL.iter().map(|kind| (*kind, read(*kind))).collect());
    static OTHER: Words = Words { severity: Severity::Error, place: "line", message: "", help: "" };
    WORDS.get(&kind).unwrap_or(&OTHER)
}

fn read(kind: FindingKind) -> Words {
    let mut rows = include_str!("../../data/findings.tsv").lines().map(|row| row.split('\t').collect::<Vec<_>>());
    let row = rows.find(|row| row.first() == Some(&kind.as_str()));
    if let Some(&[_, severity, place, message, help]) = row.as_deref() {
        let severity = Severity::ALL.into_iter().find(|one| one.as_str() == severity).unwrap_or(Severity::Error);
        return Words { severity, place, message, help };
    }
    let severity = match kind.class() {
        FindingClass::Loss | FindingClass::Suspect => Severity::Error,
        FindingClass::Ignored => Severity::Warning,
        FindingClass::Note | FindingClass::Repair => Severity::Note,
    };
    Words { severity, place: "value", message: kind.text(), help: "" }
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
