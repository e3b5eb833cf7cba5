//! `lint --fix`: applies the edits that change nothing.
//!
//! Invariant: a file is fixed whole or not at all, and only by a text that changes nothing ([lint.fix]). A file
//! of which only a part was read is never fixed.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use robosieve_explain::{Fixed, Linter};

use crate::exit::{self, Code, Failure};
use crate::input::{self, Input};
use crate::output;
use crate::text::counted_len;

/// Replaces the files. None if the files are to be looked at afterwards.
pub(super) fn run(files: &[PathBuf], linter: &Linter, max_bytes: usize) -> Result<Option<Code>, Failure> {
    let mut code = Code::Fine;
    for path in files {
        let done = input::read_whole(path, max_bytes).and_then(|input| {
            let fixed = linter.fix(&input.bytes);
            if input::is_stdin(path) {
                output::print(&fixed.bytes)?;
            } else if fixed.bytes != input.bytes {
                fix(path, &input, &fixed.bytes, max_bytes)?;
            }
            tell(&input.name, &fixed);
            Ok(Code::Fine)
        });
        code = code.after(done)?;
    }
    let is_done = files.iter().any(|path| input::is_stdin(path)) || code != Code::Fine;
    Ok(is_done.then_some(code))
}

/// What was done, on the standard error.
fn tell(name: &str, fixed: &Fixed) {
    if let Some(what) = &fixed.looks_like {
        return exit::tell(&format!(
            "{name}: not changed: it looks like {what}, and not like a robots.txt file (--force fixes it)"
        ));
    }
    let applied = counted_len(fixed.applied, "fix", "fixes");
    let left = match fixed.left {
        0 => String::new(),
        left => {
            format!("; {} something, and not applied", counted_len(left, "other would change", "others would change"))
        }
    };
    let withheld = match fixed.withheld {
        0 => String::new(),
        more => format!("; {} not tried", counted_len(more, "more was", "more were")),
    };
    exit::tell(&format!("{name}: {applied} applied{left}{withheld}"));
}

/// Fixes a file, if all of it was read as it is.
fn fix(path: &Path, input: &Input, bytes: &[u8], max_bytes: usize) -> Result<(), Failure> {
    let mut raw = Vec::new();
    let limit = u64::try_from(max_bytes).unwrap_or(u64::MAX).saturating_add(1);
    let failed = |error: std::io::Error| Failure::file(path, &error, "check that it can still be read");
    File::open(path).and_then(|file| file.take(limit).read_to_end(&mut raw)).map_err(failed)?;
    if raw != input.bytes {
        return Err(Failure::Io(format!(
            "{}: not replaced: it is packed, or longer than {max_bytes} bytes, or has changed; unpack or shorten it first",
            input.name
        )));
    }
    output::fix(path, bytes)
}
