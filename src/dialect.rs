//! The named bundles of choices.
//!
//! Invariant: a dialect is [`Options`], and a word on statuses; each of its choices can be made without it. SPEC.md has the
//! table.

use crate::choice::names;
use crate::limits::Limits;
use crate::path::form::{PathEncoding, PathForm};
use crate::policy::agent::AgentForm;
use crate::policy::options::Options;
use crate::syntax::grammar::{LineForm, LineStyle};
use crate::syntax::names::{Leniency, Vocabulary};
use crate::verdict::status::{StatusMeaning, StatusPolicy};

/// Whose reading of a file is followed.
///
/// ```
/// use robosieve::Options;
/// use robosieve::settings::Dialect;
/// let dialect: Dialect = "google".parse()?;
/// assert_eq!((dialect, dialect.to_string()), (Dialect::Google, "google".into()));
/// assert_eq!(Options::from(dialect), dialect.options());
/// # Ok::<(), robosieve::settings::ConfigError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
#[non_exhaustive]
pub enum Dialect {
    /// RFC 9309, with the repairs and limits of this project.
    #[default]
    Standard,
    /// Google's parser, its own ways included. It has no limits but memory; set some for untrusted input.
    Google,
    /// The PHP filter ranvis/robots-txt-processor.
    Processor,
}

names!(Dialect, "a dialect", { Standard => "standard", Google => "google", Processor => "processor" });

impl Dialect {
    /// The choices.
    ///
    /// ```
    /// use robosieve::Options;
    /// use robosieve::settings::Dialect;
    /// assert_eq!(Dialect::Standard.options(), Options::default());
    /// assert!(!Dialect::Google.options().robots_txt_allowed);
    /// ```
    #[must_use]
    pub fn options(self) -> Options {
        match self {
            Self::Standard => Options::default(),
            Self::Google => Options {
                limits: Limits::NONE,
                lines: LineForm { style: LineStyle::Google, fold: false, keep_trailing_spaces: false },
                vocabulary: Vocabulary::new(Leniency::Prefix),
                agents: AgentForm::Google,
                union_of_agents: true,
                paths: PathForm {
                    encoding: PathEncoding::Google,
                    complement_leading_slash: false,
                    escaped_wildcard: false,
                    decode_wildcard: false,
                },
                robots_txt_allowed: false,
                index_html: true,
                ..Options::default()
            },
            Self::Processor => Options {
                limits: Limits::PROCESSOR,
                vocabulary: Vocabulary::new(Leniency::Processor),
                robots_txt_allowed: false,
                ..Options::default()
            },
        }
    }

    /// What statuses mean.
    #[must_use]
    pub fn statuses(self) -> StatusPolicy {
        match self {
            Self::Standard | Self::Google => StatusPolicy::default(),
            Self::Processor => StatusPolicy { forbidden: StatusMeaning::Disallow, redirected: StatusMeaning::Disallow },
        }
    }
}

impl From<Dialect> for Options {
    fn from(dialect: Dialect) -> Self {
        dialect.options()
    }
}
