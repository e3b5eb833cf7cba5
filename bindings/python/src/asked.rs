//! A tester that was made for the agents that a caller asked for.
//!
//! Invariant: its verdicts are those of the command's `test`. It is made anew for each list of agents, and never changes.

use robosieve::records::{Parser, RecordSet, Selection};
use robosieve::settings::{OverLimit, Refused};
use robosieve::{Options, Tester};
use robosieve_explain::{Groups, Who};

/// A tester, and whose group it answers from.
pub(crate) struct Asked<'a> {
    pub(crate) tester: Tester<'a>,
    pub(crate) who: Who,
}

impl<'a> Asked<'a> {
    /// Selects the groups of these agents. Fails if the options refuse the file.
    pub(crate) fn new(set: &RecordSet<'a>, groups: &Groups) -> Result<Self, Refused> {
        let groups = &*groups.within(set);
        if set.options().over_limit != OverLimit::Drop {
            Selection::of(set, groups).check()?;
        }
        let tester = Tester::new(set, groups);
        Ok(Self { who: Who::new(tester.answered_by(), groups), tester })
    }

    /// Parses a file for these agents only.
    pub(crate) fn of_file(body: &'a [u8], options: &Options, groups: &Groups) -> Result<Self, Refused> {
        Self::new(&Parser::new(options.clone()).for_agents(groups.interest().clone()).parse(body), groups)
    }

    /// The same, with its own copy of what it borrowed.
    pub(crate) fn into_owned(self) -> Asked<'static> {
        Asked { tester: self.tester.into_owned(), who: self.who }
    }
}

/// Whether a verdict may take so long that other threads should go on. To release the interpreter and to take it again
/// costs as much as a usual verdict.
pub(crate) const fn is_long(file: &[u8], url: &[u8]) -> bool {
    const LONG_FILE: usize = 20_000;
    const LONG_URL: usize = 1_000;
    file.len() > LONG_FILE || url.len() > LONG_URL
}
