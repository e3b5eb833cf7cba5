//! Writes results to the standard output, or to files.

use std::ffi::OsStr;
use std::io::{self, BufWriter, StdoutLock, Write};
use std::path::Path;

use robosieve_batch::{files, json};
use serde::Serialize;

use crate::exit::Failure;
use crate::text;

/// The standard output, buffered. The caller must flush it.
pub(crate) fn stdout() -> BufWriter<StdoutLock<'static>> {
    BufWriter::with_capacity(1 << 16, io::stdout().lock())
}

/// Writes all bytes to the standard output.
pub(crate) fn print(bytes: &[u8]) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    out.write_all(bytes).and_then(|()| out.flush()).map_err(|error| Failure::stdout(&error))
}

/// Makes the file with this content, or replaces it.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    files::replace(path, bytes).map_err(|error| failed(path, &error))
}

/// The same for a file of a directory that is filled: nothing is written through a link in it.
pub(crate) fn replace_in(directory: &Path, name: &OsStr, bytes: &[u8]) -> Result<(), Failure> {
    files::replace_in(directory, name, bytes).map_err(|error| failed(&directory.join(name), &error))
}

/// Writes new content into a file that is there.
pub(crate) fn fix(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    files::fix(path, bytes).map_err(|error| failed(path, &error))
}

fn failed(path: &Path, error: &io::Error) -> Failure {
    let name = text::name_of(path);
    match error.kind() {
        io::ErrorKind::IsADirectory => Failure::Io(format!("{name}: is a directory; name a file in it")),
        // In words of ours, which say what to do.
        io::ErrorKind::Other => Failure::Io(format!("{name}: {error}")),
        _ => Failure::file(path, error, "check that it, and its directory, can be written"),
    }
}

/// Prints a line of JSON.
pub(crate) fn print_line(value: &impl Serialize) -> Result<(), Failure> {
    let line = json::line(value).map_err(|error| Failure::stdout(&error))?;
    print(&line)
}

/// Prints a JSON object for a file, on a line: its name, and what was found. Holds only a little of it in memory.
pub(crate) fn print_json_of_file(file: &str, found: &impl Serialize) -> Result<(), Failure> {
    let mut out = stdout();
    write_json_of_file(&mut out, file, found).and_then(|()| out.flush()).map_err(|error| Failure::stdout(&error))
}

/// Writes such an object.
pub(crate) fn write_json_of_file(out: &mut impl Write, file: &str, found: &impl Serialize) -> io::Result<()> {
    json::write(out, &Line::of(Named::File(file), found))?;
    out.write_all(b"\n")
}

/// A line of JSON: the file or the URL, and what is said of it.
#[derive(Serialize)]
pub(crate) struct Line<'l, T> {
    v: u8,
    #[serde(flatten)]
    named: Named<'l>,
    #[serde(flatten)]
    said: &'l T,
}

/// What a line is about. Its kind is the name of the field.
#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Named<'l> {
    File(&'l str),
    #[cfg(any(feature = "gate", feature = "signals"))]
    Url(&'l str),
}

impl<'l, T> Line<'l, T> {
    pub(crate) const fn of(named: Named<'l>, said: &'l T) -> Self {
        Self { v: 1, named, said }
    }
}
