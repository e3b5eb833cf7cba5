//! Every choice of reading a file, in one place.
//!
//! Invariant: an option is a field here and is documented here; what of it outlives parsing is the [`Reading`] that a record
//! set carries. Nothing is decided in this module.

use crate::agent::AgentForm;
use crate::directive::Vocabulary;
use crate::grammar::{GOOGLE_LINE, LineForm, LineStyle};
use crate::limits::{Limits, OverLimit};
use crate::pattern::PathForm;
use crate::record::{Precedence, Reading};
use crate::report::Report;

/// Every choice of reading a file. [`Dialect`](crate::Dialect) has bundles of them; the default is the standard's.
#[derive(Clone, Debug, PartialEq, Eq)]
// Each is a choice of its own, by a name that users know.
#[allow(clippy::struct_excessive_bools)]
pub struct Options {
    /// How much is read and kept.
    pub limits: Limits,
    /// What happens to rules over a limit.
    pub over_limit: OverLimit,
    /// How octets become lines.
    pub lines: LineForm,
    /// Which names are understood.
    pub vocabulary: Vocabulary,
    /// How agents are matched.
    pub agents: AgentForm,
    /// Whether the records of all agents asked for count together.
    pub union_of_agents: bool,
    /// How paths are read.
    pub paths: PathForm,
    /// Which rule decides.
    pub precedence: Precedence,
    /// Whether `/robots.txt` may always be fetched.
    pub robots_txt_allowed: bool,
    /// Whether `Allow: /dir/index.html` allows `/dir/` too.
    pub index_html: bool,
    /// Whether any field ends a run of user-agent lines, instead of Allow and Disallow only (PROCESSOR).
    pub any_line_ends_run: bool,
    /// Whether lines with an unknown directive are kept.
    pub keep_unknown: bool,
    /// How many findings a report keeps in detail.
    pub max_details: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            limits: Limits::default(),
            over_limit: OverLimit::default(),
            lines: LineForm::default(),
            vocabulary: Vocabulary::default(),
            agents: AgentForm::default(),
            union_of_agents: false,
            paths: PathForm::default(),
            precedence: Precedence::default(),
            robots_txt_allowed: true,
            index_html: false,
            any_line_ends_run: false,
            keep_unknown: false,
            max_details: Report::DEFAULT_DETAILS,
        }
    }
}

impl Options {
    pub(crate) fn reading(&self) -> Reading {
        Reading {
            agents: self.agents,
            union_of_agents: self.union_of_agents,
            paths: self.paths,
            precedence: self.precedence,
            robots_txt_allowed: self.robots_txt_allowed,
            index_html: self.index_html,
            over_limit: self.over_limit,
            max_lines: self.limits.max_lines,
            max_value_length: self.limits.max_value_length,
            max_text: self.limits.max_bytes,
            max_text_line: match self.lines.style {
                LineStyle::Standard => usize::MAX,
                LineStyle::Google => GOOGLE_LINE,
            },
        }
    }
}
