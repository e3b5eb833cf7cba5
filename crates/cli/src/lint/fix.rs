//! `lint --fix` and `lint --diff`: applies the edits that lints offer.
//!
//! Invariant: a file is fixed whole or not at all, and only by a text that obeys the law of advice ([lint.law]). A file
//! of which only a part was read is never fixed.

use std::fmt::Write as _;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use robosieve_explain::{Fixed, Fixes, LintFilter, Linter};
use similar::TextDiff;

use crate::args::LintArgs;
use crate::exit::{self, Code, Failure};
use crate::input::{self, Input};
use crate::output;
use crate::text::{counted_len, name_of};

/// Replaces the files, or prints what would change. None if the files are to be looked at afterwards.
pub(super) fn run(
    args: &LintArgs,
    files: &[PathBuf],
    (linter, filter): (&Linter, &LintFilter),
    max_bytes: usize,
) -> Result<Option<Code>, Failure> {
    let which = if args.unsafe_fixes { Fixes::All } else { Fixes::Safe };
    let mut code = Code::Fine;
    for path in files {
        let done = input::read_whole(path, max_bytes).and_then(|input| {
            let fixed = linter.fix(&input.bytes, filter, which);
            if args.diff {
                return print_patch(path, &input, &fixed);
            }
            if input::is_stdin(path) {
                output::print(&fixed.bytes)?;
            } else if fixed.bytes != input.bytes {
                fix(path, &input, &fixed.bytes, max_bytes)?;
            }
            tell(&input.name, &fixed, which);
            Ok(Code::Fine)
        });
        code = match done {
            Ok(found) => code.and(found),
            Err(failure) => code.after(Err(failure))?,
        };
    }
    let is_done = args.diff || files.iter().any(|path| input::is_stdin(path)) || code != Code::Fine;
    Ok(is_done.then_some(code))
}

/// What was done, on the standard error.
fn tell(name: &str, fixed: &Fixed, which: Fixes) {
    if let Some(what) = &fixed.looks_like {
        return exit::tell(&format!(
            "{name}: not changed: it looks like {what}, and not like a robots.txt file (--force fixes it)"
        ));
    }
    let applied = counted_len(fixed.applied, "fix", "fixes");
    let left = match (fixed.left, which) {
        (0, _) => String::new(),
        (left, Fixes::Safe) => {
            format!(
                "; {} something; --diff --unsafe-fixes shows what",
                counted_len(left, "other changes", "others change")
            )
        }
        (left, Fixes::All) => format!("; {} not applied", counted_len(left, "other", "others")),
    };
    exit::tell(&format!("{name}: {applied} applied{left}"));
}

/// Prints a unified diff. The exit code is 1 if there is any.
fn print_patch(file: &Path, input: &Input, fixed: &Fixed) -> Result<Code, Failure> {
    if input.bytes == fixed.bytes {
        return Ok(Code::Fine);
    }
    // The lines of a patch end with a line feed.
    let has_lone = |bytes: &[u8]| bytes.windows(2).any(|two| two.first() == Some(&b'\r') && two.last() != Some(&b'\n'));
    if has_lone(&input.bytes) || input.bytes.ends_with(b"\r") {
        let name = &input.name;
        return Err(Failure::Io(format!(
            "{name}: no patch can have its line ends (a carriage return alone): use --fix"
        )));
    }
    let diff = TextDiff::from_lines(&input.bytes[..], &fixed.bytes[..]);
    let mut patch = Vec::new();
    diff.unified_diff()
        .header(&in_patch("a", file), &in_patch("b", file))
        .to_writer(&mut patch)
        .map_err(|error| Failure::stdout(&error))?;
    let code = Code::Disallowed.known();
    output::print(&patch)?;
    Ok(code)
}

/// The name of a file as patch(1) and git read it: quoted if it has other signs, and with a tab after it if it has a
/// blank.
fn in_patch(side: &str, path: &Path) -> String {
    let (name, bytes) = (name_of(path), path.as_os_str().as_encoded_bytes());
    if name.as_bytes() == bytes && !bytes.iter().any(|byte| b"\"\\".contains(byte)) {
        let end = if name.contains(' ') { "\t" } else { "" };
        return format!("{side}/{name}{end}");
    }
    let mut quoted = format!("\"{side}/");
    for &byte in bytes {
        match byte {
            b'"' | b'\\' => quoted.extend(['\\', char::from(byte)]),
            b' '..=b'~' => quoted.push(char::from(byte)),
            // Writing to memory does not fail.
            _ => drop(write!(quoted, "\\{byte:03o}")),
        }
    }
    quoted + "\""
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
