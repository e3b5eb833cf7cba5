//! Files and the standard input -> octets.
//!
//! Invariant: at most `max_bytes` and [`BEYOND`] octets more are read, however long the input is.

use std::fs::File;
use std::io::{self, IsTerminal, Read};
use std::path::{Path, PathBuf};

use crate::exit::Failure;
use crate::text;

/// A file that was read.
#[derive(Debug)]
pub(crate) struct Input {
    /// As messages have it.
    pub(crate) name: String,
    pub(crate) octets: Vec<u8>,
}

impl Input {
    /// A file that says nothing, since the status that it came with says all.
    pub(crate) fn not_to_be_had(path: &Path) -> Self {
        Self { name: text::name_of(path), octets: Vec::new() }
    }
}

/// Whether the path stands for the standard input.
pub(crate) fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// The files to read: the standard input where none is named, unless that is a terminal.
pub(crate) fn or_stdin(files: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    if files.is_empty() {
        refuse_terminal("a robots.txt FILE")?;
        return Ok(vec![PathBuf::from("-")]);
    }
    if files.iter().filter(|file| is_stdin(file)).count() > 1 {
        return Err(Failure::Usage("`-` stands for the standard input, which can be read once: name it once".into()));
    }
    Ok(files.to_vec())
}

/// Nobody types a file in by mistake.
pub(crate) fn refuse_terminal(what: &str) -> Result<(), Failure> {
    if io::stdin().is_terminal() {
        return Err(Failure::Usage(format!(
            "name {what}, or pipe it in: the standard input is a terminal (`-` reads from it all the same)"
        )));
    }
    Ok(())
}

/// Reads a file, or the standard input for `-`.
pub(crate) fn read(path: &Path, max_bytes: usize) -> Result<Input, Failure> {
    if is_stdin(path) {
        let octets = read_within(io::stdin().lock(), max_bytes).map_err(|error| Failure::stdin(&error))?;
        return Ok(Input { name: "-".into(), octets });
    }
    let failed = |error: io::Error| Failure::file(path, &error, what_to_do(&error));
    let file = File::open(path).map_err(failed)?;
    if file.metadata().is_ok_and(|found| found.is_dir()) {
        let name = text::name_of(path);
        return Err(Failure::Io(format!("{name}: is a directory; name a file in it, as in {name}/robots.txt")));
    }
    let octets = read_within(file, max_bytes).map_err(failed)?;
    Ok(Input { name: text::name_of(path), octets })
}

fn what_to_do(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::NotFound => "check the path, or use `-` for the standard input",
        io::ErrorKind::PermissionDenied => "you need the right to read it",
        _ => "check that it is a file that can be read",
    }
}

/// What is read beyond `max_bytes`, so that the library sees whether there was more: a byte order mark of three octets before
/// it does not count, nor a CRLF behind it, and one octet more is a loss.
pub(crate) const BEYOND: usize = 6;

pub(crate) fn read_within(reader: impl Read, max_bytes: usize) -> io::Result<Vec<u8>> {
    let most = u64::try_from(max_bytes.saturating_add(BEYOND)).unwrap_or(u64::MAX);
    let mut octets = Vec::new();
    reader.take(most).read_to_end(&mut octets)?;
    Ok(octets)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_endless_input_is_read_to_the_limit() {
        assert_eq!(read_within(io::repeat(b'a'), 100).map(|octets| octets.len()).ok(), Some(106));
        assert_eq!(read_within(&b"abc"[..], usize::MAX).ok().as_deref(), Some(&b"abc"[..]));
    }
}
