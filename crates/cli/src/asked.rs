//! Reads a file that questions are asked about, and warns about what makes the answers doubtful.
//!
//! Invariant: a refused file is an error, so no question is answered from it.

use std::path::Path;

use robosieve::Report;

use crate::exit::Failure;
use crate::input::{self, Input};
use crate::report;
use crate::who::{Who, tell_documented};
use robosieve_ask::Plan;

/// Reads the file and its report. `is_quiet` leaves out the warnings.
pub(crate) fn read(path: &Path, plan: &Plan, is_quiet: bool) -> Result<(Input, Report), Failure> {
    let input = input::read(path, plan.max_bytes())?;
    let (tester, found) = plan.tester(&input.bytes).map_err(|refused| Failure::refused(&input.name, refused))?;
    if !is_quiet {
        input.warn_if_empty();
        tell_documented(&input.name, &Who::new(tester.answered_by(), &plan.groups));
        report::tell_doubts(
            &input.name,
            &found,
            "results may differ; see `robosieve inspect`",
            "; see `robosieve lint`",
        );
    }
    Ok((input, found))
}
