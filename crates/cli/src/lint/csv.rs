//! Lints as a table.
//!
//! Invariant: a row for each lint, with as many fields as the head has.

use std::io::{self, Write};

use robosieve_batch::csv;
use robosieve_explain::{HeardLints, Linted};

use super::characters::Characters;

/// The names of the columns.
pub(super) fn head(out: &mut impl Write) -> io::Result<()> {
    out.write_all(b"file,line,column,severity,kind,message\n")
}

/// The rows of a file.
pub(super) fn rows(out: &mut impl Write, file: &str, linted: &Linted<'_>, heard: &HeardLints<'_>) -> io::Result<()> {
    let mut characters = Characters::default();
    for lint in &heard.counted.lints {
        let (column, _) = characters.of(lint, linted);
        let (place, column) = (lint.line.to_string(), column.to_string());
        csv::row(out, [file, &place, &column, lint.severity.as_str(), lint.kind.as_str(), &lint.message])?;
    }
    Ok(())
}
