//! The limits that a caller sets.
//!
//! Invariant: each limit is a field of [`Limits`] with a documented source. The parser spends counts, through its budget
//! (`policy/parse/open.rs`); a selection spends the lines of merged groups, and a filter the bytes of a text
//! (`policy/budget.rs`). The limits of fields are bounds of the grammar. A line that exceeds a limit is lost alone.

use crate::error::names;

/// How much of a file is read and kept. Each field is the largest number that is accepted. `usize::MAX` is no limit.
///
/// `max_bytes` bounds the cost of a file: time and memory grow in proportion to the bytes that are read. So the limits
/// on counts (`max_records`, `max_lines`, `max_user_agents`) are off by default, and a file within `max_bytes` loses no
/// rule to them. The limits on fields are for texts that other programs read. A verdict needs neither: see
/// [`Limits::for_verdicts`]. All limits are checked after normalising, so no output exceeds them.
///
/// Write the limits that differ, and take the rest from [`Limits::DEFAULT`]. A later version may add a limit: then a
/// literal that ends with `..` still compiles. So the type is not `non_exhaustive`, which would forbid this syntax.
///
/// ```
/// use robosieve::settings::Limits;
/// const TIGHT: Limits = Limits { max_lines: 100, ..Limits::DEFAULT };
/// assert_eq!(TIGHT.max_wildcards, 10);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default, deny_unknown_fields))]
pub struct Limits {
    /// Bytes of input that are read: 512,000, the "at least 500 kibibytes" of RFC 9309 2.5. The input is cut at a line
    /// end. The limit is also the maximum length of a text, except that `User-agent: *` and `Disallow: /` always fit.
    pub max_bytes: usize,
    /// Records (groups) that are read, those of other agents included: no limit (PROCESSOR `maxRecords`: 1000).
    pub max_records: usize,
    /// Rules and extension lines kept in one record, and lines kept outside records: no limit (PROCESSOR `maxLines`:
    /// 1000).
    pub max_lines: usize,
    /// User-agent lines that are read in the whole file: no limit (PROCESSOR `maxUserAgents`: 1000).
    pub max_user_agents: usize,
    /// Bytes of a field name: 32 (PROCESSOR `maxDirectiveLength`). Below 10, `User-agent` does not fit.
    pub max_directive_length: usize,
    /// Bytes of a user agent's name: 200 (PROCESSOR `maxNameLength`). Longer names are dropped, not cut.
    pub max_name_length: usize,
    /// Bytes of a value: 2000 (PROCESSOR `maxValueLength`).
    pub max_value_length: usize,
    /// Wildcards (`*`) in a path; a run of them counts as one: 10 (PROCESSOR `maxWildcards`).
    pub max_wildcards: usize,
}

/// Names fields of [`Limits`].
macro_rules! named {
    ($($field:ident),*) => {
        impl Limits {
            /// The names of all limits, for programs that take them from their callers.
            pub const NAMES: &'static [&'static str] = &[$(stringify!($field)),*];

            /// The limit of this name, if there is one.
            ///
            /// ```
            /// use robosieve::settings::Limits;
            /// let mut limits = Limits::default();
            /// limits.named_mut("max_lines").map(|limit| *limit = 7);
            /// assert_eq!(limits.max_lines, 7);
            /// assert!(Limits::NAMES.iter().all(|name| limits.named_mut(name).is_some()));
            /// ```
            #[must_use]
            pub fn named_mut(&mut self, name: &str) -> Option<&mut usize> {
                match name {
                    $(stringify!($field) => Some(&mut self.$field),)*
                    _ => None,
                }
            }
        }
    };
}

named!(
    max_bytes,
    max_records,
    max_lines,
    max_user_agents,
    max_directive_length,
    max_name_length,
    max_value_length,
    max_wildcards
);

impl Limits {
    /// The defaults: bytes and fields are limited, counts are not.
    pub const DEFAULT: Self = Self {
        max_bytes: 512_000,
        max_directive_length: 32,
        max_name_length: 200,
        max_value_length: 2000,
        max_wildcards: 10,
        ..Self::NONE
    };

    /// The limits of ranvis/robots-txt-processor: the defaults, and counts of 1000. A file that exceeds a count loses
    /// rules.
    pub const PROCESSOR: Self = Self { max_records: 1000, max_lines: 1000, max_user_agents: 1000, ..Self::DEFAULT };

    /// No limits. Time and memory then grow in proportion to the input.
    pub const NONE: Self = Self {
        max_bytes: usize::MAX,
        max_records: usize::MAX,
        max_lines: usize::MAX,
        max_user_agents: usize::MAX,
        max_directive_length: usize::MAX,
        max_name_length: usize::MAX,
        max_value_length: usize::MAX,
        max_wildcards: usize::MAX,
    };

    /// Its `max_bytes`, and no other limit. For verdicts: they depend on the whole file, and no other program
    /// reads the records that they are made from.
    ///
    /// ```
    /// use robosieve::settings::Limits;
    /// let limits = Limits::default().for_verdicts();
    /// assert_eq!((limits.max_bytes, limits.max_wildcards), (512_000, usize::MAX));
    /// ```
    #[must_use]
    pub const fn for_verdicts(self) -> Self {
        Self { max_bytes: self.max_bytes, ..Self::NONE }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// What happens to a rule that exceeds a limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
#[non_exhaustive]
pub enum OverLimit {
    /// The rule is dropped. The report says whether this permits more or less.
    #[default]
    Drop,
    /// A Disallow is shortened so that it forbids more. Allow rules that could then win over it are dropped, so the
    /// result allows only what the file allows. If shortening a rule cannot do this, the whole record becomes
    /// `Disallow: /`.
    Widen,
    /// Filtering fails with [`Refused`](crate::settings::Refused), and the caller decides.
    Refuse,
}

names!(OverLimit, "an action for rules over a limit", { Drop => "drop", Widen => "widen", Refuse => "refuse" });
