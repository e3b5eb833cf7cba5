//! Lints as commands of a GitHub workflow, which shows them next to the changed lines.
//!
//! Invariant: nothing of the file can end a command or begin another one.

use std::fmt::Write as _;
use std::io::{self, Write};

use robosieve_explain::{HeardLints, Lint, Linted, Severity};

use super::characters::Characters;

/// One command a lint.
pub(super) fn commands(
    out: &mut impl Write,
    file: &str,
    linted: &Linted<'_>,
    heard: &HeardLints<'_>,
) -> io::Result<()> {
    let mut characters = Characters::default();
    let file = property(file);
    for lint in &heard.counted.lints {
        let command = match lint.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "notice",
        };
        let (start, end) = characters.of(lint, linted);
        let (line, kind, message) = (lint.line, lint.kind, data(&message(lint)));
        writeln!(out, "::{command} file={file},line={line},col={start},endColumn={end},title={kind}::{message}")?;
    }
    Ok(())
}

/// What is the matter, what to do, and what to write instead.
fn message(lint: &Lint) -> String {
    let mut message = format!("{} [{}]", lint.message, lint.clause);
    if !lint.help.is_empty() {
        let _ = write!(message, "\n{}", lint.help);
    }
    if let Some(fix) = &lint.fix {
        let _ = write!(message, " ({}):\n{}", fix.words(), fix.edit.lines.join("\n"));
    }
    message
}

/// The text after `::`.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// The value of a property.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
