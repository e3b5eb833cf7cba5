//! What a robots.txt file may cost: the limits a caller sets, and the budget the parser spends.
//!
//! Invariant: a limit is a field of [`Limits`] with a documented source; it is spent in one place, [`Budget`], and only by
//! the parser. What does not fit costs the one line it stands on, never the rest of the file.

/// How much of a file is read and kept. Each field is the largest number that still passes.
///
/// The defaults are those of ranvis/robots-txt-processor, the PHP filter this design comes from, and RFC 9309's least
/// size for `max_bytes`. They are checked after normalising, so that no output exceeds them.
///
/// ```
/// use robosieve::Limits;
/// let tight = Limits { max_lines: 100, ..Limits::default() };
/// assert_eq!(tight.max_wildcards, 10);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default, deny_unknown_fields))]
pub struct Limits {
    /// Octets of input that are read: 512,000, the "at least 500 kibibytes" of RFC 9309 2.5. The cut falls on a line end. A
    /// text has no more, but for `User-agent: *` and `Disallow: /`, which there is always room for.
    pub max_bytes: usize,
    /// Records (groups) of the file that are read, other agents' included: 1000 (PROCESSOR `maxRecords`).
    pub max_records: usize,
    /// Rules and extension lines kept in one record, and of the lines outside records: 1000 (PROCESSOR `maxLines`).
    pub max_lines: usize,
    /// User-agent lines of the whole file that are read: 1000 (PROCESSOR `maxUserAgents`).
    pub max_user_agents: usize,
    /// Octets of a field name: 32 (PROCESSOR `maxDirectiveLength`). Below 10 no `User-agent` fits.
    pub max_directive_length: usize,
    /// Octets of a user-agent's name: 200 (PROCESSOR `maxNameLength`). Longer ones are dropped, not cut.
    pub max_name_length: usize,
    /// Octets of a value: 2000 (PROCESSOR `maxValueLength`).
    pub max_value_length: usize,
    /// Stars in a path, where a run of stars is one: 10 (PROCESSOR `maxWildcards`).
    pub max_wildcards: usize,
}

impl Limits {
    /// The defaults.
    pub const DEFAULT: Self = Self {
        max_bytes: 512_000,
        max_records: 1000,
        max_lines: 1000,
        max_user_agents: 1000,
        max_directive_length: 32,
        max_name_length: 200,
        max_value_length: 2000,
        max_wildcards: 10,
    };

    /// No limit at all: time and memory then grow with the input, in proportion and no faster.
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
}

impl Default for Limits {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// What happens to a rule that is over a limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "lowercase"))]
pub enum OverLimit {
    /// The rule goes, and the report says which way that changes the policy.
    #[default]
    Drop,
    /// A Disallow is cut so that it forbids more, and what could then win over it goes too: whatever the result allows,
    /// the file allowed. Where no cut can do that, the whole record becomes `Disallow: /`.
    Widen,
    /// Filtering fails with [`Refused`](crate::Refused), and the caller decides.
    Refuse,
}

/// What is left of the limits. Spent by the parser alone.
#[derive(Debug)]
pub(crate) struct Budget {
    limits: Limits,
    records: usize,
    agents: usize,
    lines: usize,
    loose_lines: usize,
}

impl Budget {
    pub(crate) fn new(limits: Limits) -> Self {
        Self {
            records: limits.max_records,
            agents: limits.max_user_agents,
            lines: limits.max_lines,
            loose_lines: limits.max_lines,
            limits,
        }
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.limits
    }

    /// A new record begins: it has all its lines before it.
    pub(crate) fn record(&mut self) -> bool {
        self.lines = self.limits.max_lines;
        spend(&mut self.records)
    }

    pub(crate) fn agent(&mut self) -> bool {
        spend(&mut self.agents)
    }

    /// A line of the record that is open.
    pub(crate) fn line(&mut self) -> bool {
        spend(&mut self.lines)
    }

    /// A line that belongs to the file.
    pub(crate) fn loose_line(&mut self) -> bool {
        spend(&mut self.loose_lines)
    }
}

fn spend(left: &mut usize) -> bool {
    match left.checked_sub(1) {
        Some(rest) => {
            *left = rest;
            true
        }
        None => false,
    }
}
