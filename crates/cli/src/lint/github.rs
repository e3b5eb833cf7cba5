//! Lints as commands of a GitHub workflow, which shows them beside the changed lines.
//!
//! Invariant: nothing of the file can end a command or begin another one.

use std::fmt::Write as _;

use robosieve_explain::{Linted, Severity};

/// One command a lint.
pub(super) fn commands(file: &str, linted: &Linted<'_>) -> String {
    let mut out = String::new();
    for lint in linted.lints() {
        let command = match lint.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "notice",
        };
        let (start, end) = super::sarif::characters(lint, linted.line(lint.line));
        let mut message = format!("{} [{}]", lint.message, lint.clause);
        if !lint.help.is_empty() {
            let _ = write!(message, "\n{}", lint.help);
        }
        if let Some(fix) = &lint.fix {
            let _ = write!(message, " ({}):\n{}", fix.words(), fix.edit.lines.join("\n"));
        }
        let _ = writeln!(
            out,
            "::{command} file={},line={},col={start},endColumn={end},title={}::{}",
            property(file),
            lint.line,
            lint.kind,
            data(&message)
        );
    }
    out
}

/// The text behind `::`.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// The value of a property.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
