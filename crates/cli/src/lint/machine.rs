//! Lints for machines: JSON, commands of a GitHub workflow, and SARIF 2.1.0.
//!
//! Invariant: [`crate::marks`] has the forms of others.

use std::fmt::Write as _;
use std::io::{self, BufWriter, StdoutLock, Write};

use robosieve_explain::{Lint, Linted, Severity};
use serde_json::{Value, json};

use super::Printer;
use super::characters::Characters;
use crate::args::LintForm;
use crate::marks::{self, Sarif};
use crate::output;

/// The lints of all files, in one of the forms.
pub(super) struct Machine {
    form: LintForm,
    out: BufWriter<StdoutLock<'static>>,
    sarif: Sarif,
}

impl Machine {
    pub(super) fn new(form: LintForm) -> Self {
        Self { form, out: output::stdout(), sarif: Sarif::default() }
    }
}

impl Printer for Machine {
    fn file(&mut self, file: &str, linted: &Linted<'_>) -> io::Result<()> {
        let mut characters = Characters::default();
        if self.form == LintForm::Json {
            return output::write_json_of_file(&mut self.out, file, linted);
        }
        for lint in &linted.lints {
            let (start, end) = characters.of(lint, linted);
            if self.form == LintForm::Github {
                let command = if lint.severity == Severity::Note { "notice" } else { lint.severity.as_str() };
                let place = format!(",line={},col={start},endColumn={end}", lint.line);
                let mark = marks::github(command, file, &place, lint.kind.as_str(), &message(lint));
                self.out.write_all(mark.as_bytes())?;
            } else {
                let region = json!({"startLine": lint.line, "startColumn": start, "endColumn": end});
                let result = result(file, lint, &region, fix(file, lint, linted, &mut characters));
                self.sarif.add(&mut self.out, lint.kind.as_str(), &lint.message, &result)?;
            }
        }
        Ok(())
    }

    fn end(&mut self) -> io::Result<()> {
        if self.form == LintForm::Sarif {
            self.sarif.end(&mut self.out)?;
        }
        self.out.flush()
    }
}

/// What is the matter, what to do, and what to write instead.
fn message(lint: &Lint) -> String {
    let mut message = format!("{} [{}]", lint.message, lint.clause);
    if !lint.help.is_empty() {
        let _ = write!(message, "\n{}", lint.help);
    }
    if let Some(fix) = &lint.fix {
        let _ = write!(message, " ({}):\n{}", fix.effect, fix.edit.lines.join("\n"));
    }
    message
}

/// A result of a SARIF log: of which rule, how bad, what is the matter, and where.
fn result(file: &str, lint: &Lint, region: &Value, fix: Option<Value>) -> Value {
    let mut text = format!("{} [{}]", lint.message, lint.clause);
    if !lint.help.is_empty() {
        text = format!("{text}. What to do: {}", lint.help);
    }
    let place = json!({"artifactLocation": {"uri": marks::uri(file)}, "region": region});
    let mut result = json!({
        "ruleId": lint.kind.as_str(),
        "level": lint.severity.as_str(),
        "message": {"text": text},
        "locations": [{"physicalLocation": place}],
    });
    if let (Some(fix), Some(fields)) = (fix, result.as_object_mut()) {
        fields.insert("fixes".into(), json!([fix]));
    }
    result
}

/// What an editor may write instead, with one click: an edit that changes nothing.
fn fix(file: &str, lint: &Lint, linted: &Linted<'_>, characters: &mut Characters) -> Option<Value> {
    let edit = &lint.fix.as_deref().filter(|fix| fix.is_safe)?.edit;
    let (region, text) = if edit.lines.is_empty() {
        let next = edit.last.saturating_add(1);
        (json!({"startLine": edit.first, "startColumn": 1, "endLine": next, "endColumn": 1}), String::new())
    } else {
        let last = characters.last(edit.last, linted);
        let region = json!({"startLine": edit.first, "startColumn": 1, "endLine": edit.last, "endColumn": last});
        (region, edit.lines.join("\n"))
    };
    let replacement = json!({"deletedRegion": region, "insertedContent": {"text": text}});
    let change = json!({"artifactLocation": {"uri": marks::uri(file)}, "replacements": [replacement]});
    Some(json!({"description": {"text": lint.help}, "artifactChanges": [change]}))
}
