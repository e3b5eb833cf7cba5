//! Reads a file that questions are asked about, and warns about what makes the answers doubtful.
//!
//! Invariant: a refused file is an error, so no question is answered from it.

use std::path::Path;

use robosieve::Report;

use crate::exit::Failure;
use crate::input::{self, Input};
use crate::report;
use crate::who::tell_documented;
use robosieve_ask::Plan;

/// Reads the file and its report. `is_quiet` leaves out the warnings.
pub(crate) fn read(path: &Path, plan: &Plan, is_quiet: bool) -> Result<(Input, Report), Failure> {
    let input = input::read(path, plan.max_bytes())?;
    let asked = input.plan(plan).asked(&input.bytes).map_err(|refused| Failure::refused(&input.name, refused))?;
    let found = asked.report().clone();
    if !is_quiet {
        input.warn_if_empty();
        tell_documented(&input.name, asked.who());
        report::tell_doubts(
            &input.name,
            &found,
            "results may differ; see `robosieve inspect`",
            "; see `robosieve lint`",
        );
    }
    Ok((input, found))
}
