//! Tables for spreadsheets and databases (RFC 4180, with LF).
//!
//! Invariant: a row has as many fields as it was given, with any contents, and no field is a formula.

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

/// What makes a field a formula of a spreadsheet, if it comes before something.
const FORMULA: [char; 6] = ['=', '+', '-', '@', '\t', '\r'];

/// Writes a row.
///
/// # Errors
/// If it cannot be written.
pub fn row<F: AsRef<str>>(out: &mut impl Write, fields: impl IntoIterator<Item = F>) -> io::Result<()> {
    for (place, text) in fields.into_iter().enumerate() {
        if place > 0 {
            out.write_all(b",")?;
        }
        field(out, text.as_ref())?;
    }
    out.write_all(b"\n")
}

/// Writes a field. If a spreadsheet would run it as a formula, with a `'` first.
///
/// # Errors
/// If it cannot be written.
///
/// ```
/// let mut out = Vec::new();
/// robosieve_batch::csv::field(&mut out, "=cmd,1")?;
/// assert_eq!(out, b"\"'=cmd,1\"");
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn field(out: &mut impl Write, text: &str) -> io::Result<()> {
    let guard = if text.starts_with(FORMULA) && text.len() > 1 { "'" } else { "" };
    if text.contains(['"', ',', '\n', '\r']) {
        write!(out, "\"{guard}{}\"", text.replace('"', "\"\""))
    } else {
        out.write_all(guard.as_bytes())?;
        out.write_all(text.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// [batch.csv]
    #[test]
    fn no_field_is_a_formula() {
        let written = |fields: &[&str]| {
            let mut out = Vec::new();
            let done = row(&mut out, fields).is_ok();
            String::from_utf8(out).ok().filter(|_| done).unwrap_or_default()
        };
        for first in FORMULA {
            let text = format!("{first}cmd|' /C calc'!A0");
            assert!(written(&[&text]).trim_start_matches('"').starts_with(&format!("'{first}")), "{text:?}");
        }
        assert_eq!(written(&["=1,2", "-1", "+\"", "@\n"]), "\"'=1,2\",'-1,\"'+\"\"\",\"'@\n\"\n");
        assert_eq!(written(&["", "-", "a=1", " =1", "'=1", "1-2"]), ",-,a=1, =1,'=1,1-2\n");
    }
}
