//! Lints as a table for spreadsheets and databases (RFC 4180, with LF).
//!
//! Invariant: a row for each lint, with as many fields as the head has.

use std::io::{self, Write};

use robosieve_explain::{HeardLints, Linted};

use super::characters::Characters;

/// The names of the columns.
pub(super) fn head(out: &mut impl Write) -> io::Result<()> {
    out.write_all(b"file,line,column,severity,kind,message\n")
}

/// The rows of a file.
pub(super) fn rows(out: &mut impl Write, file: &str, linted: &Linted<'_>, heard: &HeardLints<'_>) -> io::Result<()> {
    let mut characters = Characters::default();
    let file = quoted(file);
    for lint in &heard.counted.lints {
        let (column, _) = characters.of(lint, linted);
        let (line, severity, kind, message) = (lint.line, lint.severity, lint.kind, quoted(&lint.message));
        writeln!(out, "{file},{line},{column},{severity},{kind},{message}")?;
    }
    Ok(())
}

/// A field. In quotes, if it has a sign of the table itself.
fn quoted(text: &str) -> String {
    if text.contains(['"', ',', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() }
}
