//! Writes results to the standard output, or to a file that is replaced atomically.

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

/// Replaces the content of the file with `bytes`.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    files::replace(path, bytes).map_err(|error| match error.kind() {
        io::ErrorKind::IsADirectory => {
            Failure::Io(format!("{}: is a directory; name a file in it", text::name_of(path)))
        }
        _ => Failure::file(path, &error, "check that its directory exists and can be written"),
    })
}

/// Prints a JSON object for a file, on a line: its name, and what was found. Holds only a little of it in memory.
pub(crate) fn print_json_of_file(file: &str, found: &impl Serialize) -> Result<(), Failure> {
    let mut out = stdout();
    write_json_of_file(&mut out, file, found).and_then(|()| out.flush()).map_err(|error| Failure::stdout(&error))
}

/// Writes such an object.
pub(crate) fn write_json_of_file(out: &mut impl Write, file: &str, found: &impl Serialize) -> io::Result<()> {
    #[derive(Serialize)]
    struct Line<'f, T> {
        v: u8,
        file: &'f str,
        #[serde(flatten)]
        found: &'f T,
    }
    json::write(out, &Line { v: 1, file, found })?;
    out.write_all(b"\n")
}
