//! The kinds of lints: those of the library's findings, and those that only an owner wants to know.
//!
//! Invariant: `data/findings.tsv` alone gives a kind its severity, its place on a line, and its words.

use std::collections::HashMap;
use std::fmt;
use std::sync::LazyLock;

use robosieve::report::{FindingClass, FindingKind};

use crate::table::rows;

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
    ($($(#[$doc:meta])* $name:ident, $slug:literal, $clause:literal;)*) => {
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
        }
    };
}

own_kinds! {
    /// Google reads a rule otherwise than the standard.
    GoogleDiffers, "google-differs", "lint.google";
    /// A run of user-agent lines that another line interrupts closes the site to all crawlers.
    NobodyMayFetch, "nobody-may-fetch", "lint.joined";
    /// A crawler's group has no rules, so the rules for `*` do not apply to it.
    GroupWithoutRules, "group-without-rules", "lint.groups";
    /// A crawler's group does not have all the rules for `*`.
    GroupDropsRules, "group-drops-rules", "lint.dropped";
    /// A crawler's group disallows nothing, so it opens what `*` is disallowed.
    GroupOpens, "group-opens", "lint.dropped";
    /// The same for a main search engine.
    EngineOpens, "engine-opens", "lint.dropped";
    /// A crawler has several groups, which count as one.
    RepeatedGroup, "repeated-group", "lint.groups";
    /// The file has no group, so it allows everything.
    NoGroup, "no-group", "lint.groups";
    /// A name is almost that of a known crawler.
    NearName, "near-name", "lint.names";
    /// A name is one that its crawler gave up, and its new name has no group.
    GivenUpName, "given-up-name", "lint.names";
    /// A name is a word for all crawlers, and no crawler's.
    NotEveryone, "not-everyone", "lint.names";
    /// All crawlers without a group of their own, or a main search engine, are kept away from the whole site.
    AllClosed, "all-closed", "lint.closed";
    /// No client sends a URL that the rule matches.
    NeverSent, "never-sent", "lint.never-sent";
    /// A rule or a sitemap contains an HTML entity.
    HtmlEntity, "html-entity", "lint.never-sent";
    /// A Sitemap line has several URLs.
    JoinedSitemaps, "joined-sitemaps", "lint.joined-paths";
    /// A Sitemap or License line has no single URL as its value.
    NoSingleUrl, "no-single-url", "lint.urls";
    /// The same path is allowed and disallowed.
    OppositeRules, "opposite-rules", "lint.rules";
    /// The same rule stands twice.
    RepeatedRule, "repeated-rule", "lint.rules";
    /// A rule changes no answer.
    RuleWithoutEffect, "rule-without-effect", "lint.rules";
    /// A `$` is not the last character, so it is an ordinary character.
    DollarInside, "dollar-inside", "lint.wildcards";
    /// A `*` at the end changes nothing.
    LastWildcard, "last-wildcard", "lint.wildcards";
    /// A `.*` at the end of a path has a dot, which regular expressions have not.
    DotStar, "dot-star", "lint.wildcards";
    /// No search engine follows the directive any more.
    Retired, "retired", "lint.values";
    /// A permission of Content-Usage or Content-Signal is above all groups, where only what restricts counts.
    AboveGroups, "above-groups", "lint.uses";
    /// A name or a value of Content-Usage or Content-Signal has no meaning.
    UseWithoutMeaning, "use-without-meaning", "lint.uses";
}

impl LintKind {
    /// All kinds.
    pub fn all() -> impl Iterator<Item = Self> + Clone {
        Self::OWN.iter().copied().chain(FindingKind::ALL.iter().copied().map(Self::Found))
    }

    /// How much it matters.
    #[must_use]
    pub fn severity(self) -> Severity {
        self.words().severity
    }

    /// Whether it says that a line changes nothing. Then there is no lint unless that was proved.
    pub(super) const fn is_claim(self) -> bool {
        matches!(self, Self::LastWildcard | Self::RuleWithoutEffect)
    }

    /// Its words. Findings without a row, of limits that few set, have the library's.
    pub(super) fn words(self) -> Words {
        static ROWS: LazyLock<HashMap<&str, Words>> =
            LazyLock::new(|| rows(include_str!("../../data/findings.tsv")).filter_map(Words::read).collect());
        ROWS.get(self.as_str()).copied().unwrap_or_else(|| match self {
            Self::Found(kind) => Words::of_finding(kind),
            // A test says that each has a row.
            _ => Words { severity: Severity::Error, place: "line", message: "", help: "" },
        })
    }
}

/// What a lint is to the owner of a file, who wants to know whether the line does what it seems to: a row of
/// `data/findings.tsv`.
#[derive(Clone, Copy)]
pub(super) struct Words {
    pub(super) severity: Severity,
    /// What it is about: `name`, `value` or `line`.
    pub(super) place: &'static str,
    /// What is the matter; empty if the file decides that.
    pub(super) message: &'static str,
    /// What to do about it.
    pub(super) help: &'static str,
}

impl Words {
    /// A row of the table: the name of a kind, and its words.
    fn read([kind, severity, place, message, help]: [&'static str; 5]) -> Option<(&'static str, Self)> {
        let severity = Severity::ALL.into_iter().find(|one| one.as_str() == severity)?;
        Some((kind, Self { severity, place, message, help }))
    }

    /// Those of the library.
    const fn of_finding(kind: FindingKind) -> Self {
        let severity = match kind.class() {
            FindingClass::Loss | FindingClass::Suspect => Severity::Error,
            FindingClass::Ignored => Severity::Warning,
            FindingClass::Note | FindingClass::Repair => Severity::Note,
        };
        Self { severity, place: "value", message: kind.text(), help: "" }
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
