//! URLs of the command line.
//!
//! Invariant: all URLs are checked before anything is read or answered.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use robosieve_explain::target;

use crate::exit::Failure;
use crate::text;

/// Whether it stands for the URLs of the standard input.
pub(crate) fn is_stdin(url: &OsStr) -> bool {
    url == "-"
}

/// Checks that each can be tested.
pub(crate) fn check<'u>(urls: impl IntoIterator<Item = &'u OsString>) -> Result<(), Failure> {
    for url in urls {
        let Err(message) = target::check(url.as_encoded_bytes()) else { continue };
        let shown = text::escape(url.as_encoded_bytes());
        return Err(Failure::Usage(if Path::new(url).is_file() {
            format!("{shown} is a file, not a URL: name only one robots.txt file, before the URLs")
        } else {
            format!("`{shown}` cannot be tested as a URL: {message}")
        }));
    }
    Ok(())
}
