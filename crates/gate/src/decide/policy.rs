//! What a retrieval means: the classes of answers, and the ruling on each.
//!
//! Invariant: a policy is a table with one ruling for each class, and one rule for outages. It uses no clock. Of the
//! contents it sees only whether they had errors. SPEC.md has the tables of the presets ([gate.policy]).

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use robosieve::records::Parser;
use robosieve::verdict::SiteAccess;
use robosieve_printable::escape;
use serde::Serialize as _;

use crate::error::Error;
use crate::retrieve::{Cut, Outcome, Retrieval};

macro_rules! classes {
    ($($(#[doc = $doc:literal])+ $class:ident => $words:literal;)+) => {
        /// The kind of answer that a retrieval brought, as far as policies distinguish them.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
        #[serde(rename_all = "kebab-case")]
        pub enum Class { $($(#[doc = $doc])+ $class),+ }

        impl Class {
            /// Each class, in the order of the tables.
            pub const ALL: [Self; [$($words),+].len()] = [$(Self::$class),+];

            /// What it is, for people. With the status: an answer below 500 can count as none, and no server error is
            /// it then.
            pub const fn words(self, status: Option<u16>) -> &'static str {
                match self {
                    Self::ServerError if matches!(status, Some(..=499)) => "an answer that does not count",
                    $(Self::$class => $words),+
                }
            }
        }
    };
}

classes! {
    /// Status 200, whole.
    Success => "the file";
    /// Another status of 2xx, whole.
    OtherSuccess => "a success other than 200";
    /// A success whose body is no robots.txt: HTML, an image, an archive, other bytes that are not text.
    NotRobotsTxt => "not a robots.txt";
    /// 202, 204 and 205: a success without the file. It comes later, or a challenge comes first.
    NoContent => "a success without the file";
    /// 400, 404 and 410: there is no file.
    NoFile => "there is no file";
    /// 401 and 403.
    Forbidden => "access to the file is forbidden";
    /// 429.
    TooManyRequests => "too many requests";
    /// 407, 408, 421 and 425: a proxy, the time or the connection is refused, not the file.
    NotServed => "the request was refused, not the file";
    /// Any other status of 4xx.
    OtherRefusal => "the file was refused";
    /// A redirect that could not be followed: too many, to another scheme, or without a URL.
    Redirect => "a redirect that could not be followed";
    /// A success that is longer than our limit. Its first part is available.
    Oversize => "the file is too long";
    /// A success that is incomplete: the connection ended early, the body can't be decoded, or the server sent a part
    /// of it (206).
    Interrupted => "the file is incomplete";
    /// 5xx, and numbers that are no HTTP status.
    ServerError => "a server error";
    /// No answer: no address, no connection, no time left.
    NoAnswer => "no answer";
}

impl Class {
    /// The class of a retrieval.
    pub fn of(retrieval: &Retrieval) -> Self {
        match (retrieval.outcome, retrieval.status) {
            (Outcome::Rules | Outcome::Truncated, Some(status)) if SiteAccess::is_no_answer(status) => Self::NoContent,
            // A body of unknown cut is not taken for the beginning of the file.
            (Outcome::Truncated, _) if retrieval.cut != Some(Cut::AtCap) => Self::Interrupted,
            (Outcome::Rules | Outcome::Truncated, _) if is_foreign(&retrieval.body) => Self::NotRobotsTxt,
            (Outcome::Truncated, _) => Self::Oversize,
            (Outcome::Rules, None | Some(200)) | (Outcome::Unchanged, _) => Self::Success,
            (Outcome::Rules, Some(_)) => Self::OtherSuccess,
            (Outcome::NoRules, _) => Self::NoFile,
            // A site that was not asked has no class: no policy is asked about it.
            (Outcome::Unreachable, None) | (Outcome::NotAsked, _) => Self::NoAnswer,
            (Outcome::Unavailable, Some(401 | 403)) => Self::Forbidden,
            (Outcome::Unavailable, Some(429)) => Self::TooManyRequests,
            (Outcome::Unavailable, Some(status)) if SiteAccess::is_no_answer(status) => Self::NotServed,
            (Outcome::Unavailable, Some(300..=399)) => Self::Redirect,
            (Outcome::Unavailable, Some(400..=499)) => Self::OtherRefusal,
            (Outcome::Unreachable | Outcome::Unavailable, _) => Self::ServerError,
        }
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.words(None))
    }
}

/// Whether a body is no robots.txt, by the bytes that it begins with.
fn is_foreign(body: &[u8]) -> bool {
    /// More than the library looks at.
    const START: usize = 1_024;
    let start = body.get(..START).unwrap_or(body);
    !Parser::default().parse(start).report().input().may_be_robots_txt()
}

/// A policy's decision on a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ruling {
    /// What the file says counts, for a cache life.
    Rules,
    /// The site is open, for a cache life.
    Allow,
    /// The site is closed, for a cache life.
    Deny,
    /// This is no file, so a copy that is held counts, as for a site that can't be reached: this is a failure, and the
    /// policy decides what an outage means. Without a copy that may be used, or if it has groups after all, it counts
    /// as a file.
    KeepCopy,
    /// The site can't be reached. This is a failure: the site is requested again, and the policy decides until then.
    Unreachable,
    /// The site is disqualified until the next attempt. This is a failure: the site is requested again, and nothing is
    /// fetched until then.
    NotNow,
}

impl Ruling {
    /// The answer for the site, if it is known by this.
    pub(crate) const fn access(self) -> Option<SiteAccess> {
        match self {
            Self::Rules => Some(SiteAccess::Rules),
            Self::Allow => Some(SiteAccess::AllowAll),
            Self::Deny => Some(SiteAccess::DisallowAll),
            Self::KeepCopy | Self::Unreachable | Self::NotNow => None,
        }
    }
}

/// The name, as in stores and JSON.
impl fmt::Display for Ruling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

/// The answer while a site can't be reached, by how long that has been so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Outage {
    /// For this time nothing is fetched, with or without a good copy.
    pub(crate) stop: Duration,
    /// After that, the last good copy is used for this time, counted from the end of its cache life.
    pub(crate) last_copy: Duration,
    /// The answer if there is no such copy: the site is open, closed, or not known.
    pub(crate) without_copy: Ruling,
}

/// What RFC 9309 2.3.1.4 calls "a reasonably long period of time (for example, 30 days)".
const THIRTY_DAYS: Duration = Duration::from_secs(30 * 86_400);

/// Policies that are documented elsewhere.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Preset {
    /// RFC 9309 2.3.1.
    #[default]
    Rfc9309,
    /// Google's documentation of how it reads robots.txt.
    Google,
    /// The IBM crawler's documentation.
    Strict,
}

impl Preset {
    /// Each preset.
    pub const ALL: [Self; 3] = [Self::Rfc9309, Self::Google, Self::Strict];

    /// The name on a command line.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Rfc9309 => "rfc9309",
            Self::Google => "google",
            Self::Strict => "strict",
        }
    }

    const fn outage(self) -> Outage {
        let (stop, last_copy, without_copy) = match self {
            Self::Rfc9309 => (Duration::ZERO, THIRTY_DAYS, Ruling::Deny),
            Self::Google => (Duration::from_secs(12 * 3_600), THIRTY_DAYS, Ruling::Allow),
            Self::Strict => (Duration::ZERO, Duration::ZERO, Ruling::NotNow),
        };
        Outage { stop, last_copy, without_copy }
    }

    const fn ruling(self, class: Class) -> Ruling {
        match (self, class) {
            (_, Class::NoFile) => Ruling::Allow,
            (_, Class::Success | Class::OtherSuccess) => Ruling::Rules,
            (Self::Strict, _) => Ruling::NotNow,
            (Self::Rfc9309, Class::NotRobotsTxt | Class::Redirect) => Ruling::KeepCopy,
            (_, Class::Interrupted | Class::ServerError | Class::NoAnswer | Class::TooManyRequests)
            | (Self::Rfc9309, Class::NoContent | Class::NotServed) => Ruling::Unreachable,
            (_, Class::Oversize | Class::NotRobotsTxt | Class::NoContent) => Ruling::Rules,
            (_, Class::Forbidden | Class::NotServed | Class::OtherRefusal | Class::Redirect) => Ruling::Allow,
        }
    }
}

impl fmt::Display for Preset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Preset {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        Self::ALL.into_iter().find(|preset| preset.as_str() == name).ok_or_else(|| {
            let known = Self::ALL.map(Self::as_str).join(", ");
            Error::Setting(format!("unknown policy \"{}\"; use one of {known}", escape(name.as_bytes())))
        })
    }
}

/// A ruling for each class of answers, and the answers during an outage.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct Policy {
    preset: Preset,
    /// In the order of [`Class::ALL`].
    rulings: [Ruling; Class::ALL.len()],
}

impl From<Preset> for Policy {
    fn from(preset: Preset) -> Self {
        Self { preset, rulings: Class::ALL.map(|class| preset.ruling(class)) }
    }
}

impl Default for Policy {
    fn default() -> Self {
        Preset::default().into()
    }
}

impl Policy {
    /// Sets the ruling on a class.
    pub fn with(mut self, class: Class, ruling: Ruling) -> Self {
        if let Some(own) = self.rulings.get_mut(class as usize) {
            *own = ruling;
        }
        self
    }

    /// The ruling on a class. Errors in the contents matter only if the contents would count.
    pub fn ruling(&self, class: Class, has_errors: bool) -> Ruling {
        match self.rulings.get(class as usize).copied().unwrap_or(Ruling::NotNow) {
            Ruling::Rules if has_errors && self.preset == Preset::Strict => Ruling::Allow,
            ruling => ruling,
        }
    }

    pub(crate) const fn outage(&self) -> Outage {
        self.preset.outage()
    }
}
