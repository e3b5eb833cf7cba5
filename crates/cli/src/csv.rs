//! Tables for spreadsheets and databases (RFC 4180, with LF).
//!
//! Invariant: a row has as many fields as it was given, with any contents.

use std::io::{self, Write};

/// Writes a row.
pub(crate) fn row<F: AsRef<str>>(out: &mut impl Write, fields: impl IntoIterator<Item = F>) -> io::Result<()> {
    for (place, field) in fields.into_iter().enumerate() {
        let (before, text) = (if place > 0 { "," } else { "" }, field.as_ref());
        if text.contains(['"', ',', '\n', '\r']) {
            write!(out, "{before}\"{}\"", text.replace('"', "\"\""))?;
        } else {
            write!(out, "{before}{text}")?;
        }
    }
    out.write_all(b"\n")
}
