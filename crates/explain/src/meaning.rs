//! What a physical line means: as data and in words.
//!
//! Invariant: all text is safe to print: see [`printable`](robosieve_printable).

use robosieve::records::RuleKind;

use robosieve_printable::harmless_short;

/// What a physical line means.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize),
    serde(tag = "is", rename_all = "kebab-case", rename_all_fields = "snake_case")
)]
#[non_exhaustive]
pub enum Meaning {
    /// It names an agent.
    UserAgent {
        /// The name of the agent.
        name: String,
    },
    /// A rule.
    Rule {
        /// Allow or Disallow.
        kind: RuleKind,
        /// The pattern that is used. An empty one has no effect.
        pattern: String,
        /// Whether the line has the pattern as it is used, on itself and whole.
        as_written: bool,
    },
    /// It belongs to its group.
    Extension {
        /// The name of the directive.
        name: String,
        /// The value that is used.
        value: String,
        /// Whether it belongs to all agents of the group. Otherwise it belongs to those directly above it.
        shared: bool,
        /// Whether the line has the value as it is used, on itself and whole.
        as_written: bool,
    },
    /// It belongs to the file.
    #[cfg_attr(feature = "serde", serde(rename = "file-line"))]
    OfFile {
        /// The name of the directive.
        name: String,
        /// The value that is used.
        value: String,
        /// Whether the line has the value as it is used, on itself and whole.
        as_written: bool,
    },
    /// Only a comment.
    Comment,
    /// An empty line.
    Blank,
    /// It continues another line.
    Continued {
        /// The number of that line.
        of: u32,
    },
    /// It was left out.
    LeftOut {
        /// Why.
        #[cfg_attr(feature = "serde", serde(skip))]
        why: LeftOut,
    },
    /// It stands after `max_bytes` and was not read.
    NotRead,
}

/// Why a line was left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LeftOut {
    /// For what was found on it.
    ByFinding,
    /// Everything is disallowed instead.
    AllDisallowed,
    /// With its group.
    WithGroup,
}

impl Meaning {
    /// In a few words; with the value, if it is not used as it is written. Empty for an empty line.
    #[must_use]
    pub fn words(&self) -> String {
        match self {
            Self::UserAgent { name } if name == "*" => "user agent: all other crawlers".into(),
            Self::UserAgent { name } => format!("user-agent: {name}"),
            Self::Rule { kind, pattern, .. } if pattern.is_empty() => format!("empty {kind}: no rule"),
            Self::Rule { kind, pattern, as_written } => valued("rule", kind.name(), pattern, *as_written),
            Self::Extension { name, value, shared, as_written } => {
                let agents = if *shared { "belongs to the group" } else { "belongs to the agents above" };
                valued(agents, name, value, *as_written)
            }
            Self::OfFile { name, value, as_written } => valued("belongs to the file", name, value, *as_written),
            Self::Comment => "comment".into(),
            Self::Blank => String::new(),
            Self::Continued { of } => format!("continues line {of}"),
            Self::LeftOut { why: LeftOut::ByFinding } => "left out".into(),
            Self::LeftOut { why: LeftOut::AllDisallowed } => "left out, because everything is disallowed".into(),
            Self::LeftOut { why: LeftOut::WithGroup } => "left out with its group".into(),
            Self::NotRead => "not read".into(),
        }
    }
}

fn valued(what: &str, name: &str, value: &str, as_written: bool) -> String {
    if as_written {
        return what.to_owned();
    }
    format!("{what}, read as {name}: {}", harmless_short(value, 160))
}
