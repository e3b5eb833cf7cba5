//! Tables for spreadsheets and databases (RFC 4180, with LF).
//!
//! Invariant: a row has as many fields as it was given, with any contents.

use std::borrow::Cow;
use std::io::{self, Write};

use robosieve_explain::Answer;

/// The columns of an answer.
pub const ANSWER: [&str; 6] = ["allowed", "line", "rule", "reason", "answered_by", "agent"];

/// The fields of an answer; empty ones if there is none.
#[must_use]
pub fn answer(answer: Option<&Answer>) -> [Cow<'_, str>; 6] {
    let Some(answer) = answer else { return Default::default() };
    let rule = answer.rule.as_ref().map(|rule| format!("{}: {}", rule.kind, rule.pattern)).unwrap_or_default();
    [
        if answer.allowed { "true" } else { "false" }.into(),
        answer.line.map(|line| line.to_string()).unwrap_or_default().into(),
        rule.into(),
        answer.reason.into(),
        answer.who.answered_by().into(),
        answer.who.agent().unwrap_or_default().into(),
    ]
}

/// Writes a row.
///
/// # Errors
/// If it cannot be written.
pub fn row<F: AsRef<str>>(out: &mut impl Write, fields: impl IntoIterator<Item = F>) -> io::Result<()> {
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
