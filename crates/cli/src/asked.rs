//! Questions about URLs, and the file that they are asked about.
//!
//! Invariant: all URLs are checked before anything is read or answered. A refused file is an error, so no question is
//! answered from it.

use std::ffi::OsStr;
use std::path::Path;

use robosieve::report::Report;
use robosieve_ask::Plan;
use robosieve_explain::target;

use crate::exit::Failure;
use crate::input::{self, Input};
use crate::report::{self, tell_documented};
use crate::text;

/// Whether it stands for the URLs of the standard input.
pub(crate) fn is_stdin(url: &OsStr) -> bool {
    url == "-"
}

/// Checks that each can be tested. `form` says where the command takes a file.
pub(crate) fn check<'u>(urls: impl IntoIterator<Item = &'u OsStr>, form: &str) -> Result<(), Failure> {
    for url in urls {
        let Err(message) = target::check(url.as_encoded_bytes()) else { continue };
        let shown = text::escape(url.as_encoded_bytes());
        return Err(Failure::Usage(if Path::new(url).is_file() {
            format!("{shown} is a file, not a URL: {form}")
        } else {
            format!("`{shown}` cannot be tested as a URL: {message}")
        }));
    }
    Ok(())
}

/// Reads the file and its report, and warns about what makes answers doubtful, unless `is_quiet`.
pub(crate) fn read(path: &Path, plan: &Plan, is_quiet: bool) -> Result<(Input, Report), Failure> {
    let input = input::read(path, plan.options.limits.max_bytes)?;
    let asked = input.plan(plan).asked(&input.bytes).map_err(|refused| Failure::refused(&input.name, refused))?;
    let found = asked.report().clone();
    if !is_quiet {
        input.warn_if_empty();
        tell_documented(&input.name, asked.who());
        let consequence = "results may differ; see `robosieve inspect`";
        report::tell_doubts(&input.name, &found, consequence, "; see `robosieve lint`");
    }
    Ok((input, found))
}
