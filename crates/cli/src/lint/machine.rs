//! Lints for machines: JSON, commands of a GitHub workflow, SARIF 2.1.0, and a table.
//!
//! Invariant: nothing of a file ends a command or begins another one, and a row has as many fields as the head. A SARIF
//! log has one run, with the rules that its results name: each result is written at once, and the rules after them.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, BufWriter, StdoutLock, Write};

use robosieve_batch::csv;
use robosieve_explain::{HeardLints, Lint, LintKind, Linted, Severity};
use serde_json::{Value, json};

use super::Printer;
use super::characters::Characters;
use crate::args::LintForm;
use crate::{json, output};

const URI: &str = env!("CARGO_PKG_REPOSITORY");
const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// The lints of all files, in one of the forms.
pub(super) struct Machine {
    form: LintForm,
    out: BufWriter<StdoutLock<'static>>,
    /// The rules of a SARIF log.
    rules: BTreeMap<LintKind, Value>,
}

impl Machine {
    pub(super) fn new(form: LintForm) -> Self {
        Self { form, out: output::stdout(), rules: BTreeMap::new() }
    }
}

impl Printer for Machine {
    fn begin(&mut self) -> io::Result<()> {
        match self.form {
            LintForm::Csv => self.out.write_all(b"file,line,column,severity,kind,message\n"),
            LintForm::Sarif => {
                let run = "\"runs\":[{\"columnKind\":\"unicodeCodePoints\",\"results\":[";
                write!(self.out, "{{\"$schema\":\"{SCHEMA}\",\"version\":\"2.1.0\",{run}")
            }
            LintForm::Human | LintForm::Json | LintForm::Github => Ok(()),
        }
    }

    fn file(&mut self, file: &str, linted: &Linted<'_>, heard: &HeardLints<'_>) -> io::Result<()> {
        let mut characters = Characters::default();
        let file = match self.form {
            LintForm::Json => return output::write_json_of_file(&mut self.out, file, heard),
            LintForm::Github => property(file),
            LintForm::Sarif => uri(file),
            LintForm::Human | LintForm::Csv => file.to_owned(),
        };
        for lint in &heard.counted.lints {
            let (start, end) = characters.of(lint, linted);
            if self.form == LintForm::Csv {
                let (line, column) = (lint.line.to_string(), start.to_string());
                let fields = [&*file, &line, &column, lint.severity.as_str(), lint.kind.as_str(), &lint.message];
                csv::row(&mut self.out, fields)?;
            } else if self.form == LintForm::Github {
                let command = if lint.severity == Severity::Note { "notice" } else { lint.severity.as_str() };
                let (line, kind, message) = (lint.line, lint.kind, data(&message(lint)));
                let place = format!("file={file},line={line},col={start},endColumn={end}");
                writeln!(self.out, "::{command} {place},title={kind}::{message}")?;
            } else {
                self.out.write_all(if self.rules.is_empty() { b"" } else { b"," })?;
                let rule = || json!({"id": lint.kind, "helpUri": URI, "shortDescription": {"text": lint.message}});
                self.rules.entry(lint.kind).or_insert_with(rule);
                let region = json!({"startLine": lint.line, "startColumn": start, "endColumn": end});
                json::write(&mut self.out, &result(&file, lint, &region, fix(&file, lint, linted, &mut characters)))?;
            }
        }
        Ok(())
    }

    fn end(&mut self) -> io::Result<()> {
        if self.form == LintForm::Sarif {
            let rules: Vec<&Value> = self.rules.values().collect();
            let driver = json!({
                "name": "robosieve",
                "version": env!("CARGO_PKG_VERSION"),
                "informationUri": URI,
                "rules": rules,
            });
            self.out.write_all(b"],\"tool\":{\"driver\":")?;
            json::write(&mut self.out, &driver)?;
            self.out.write_all(b"}}]}\n")?;
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
        let _ = write!(message, " ({}):\n{}", fix.words(), fix.edit.lines.join("\n"));
    }
    message
}

/// The text after `::` of a command.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// The value of a property of a command.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

/// A result of a SARIF log.
fn result(file: &str, lint: &Lint, region: &Value, fix: Option<Value>) -> Value {
    let mut text = format!("{} [{}]", lint.message, lint.clause);
    if !lint.help.is_empty() {
        text = format!("{text}. What to do: {}", lint.help);
    }
    let (place, level) = (json!({"artifactLocation": {"uri": file}, "region": region}), lint.severity.as_str());
    let place = json!({"physicalLocation": place});
    let mut result = json!({"ruleId": lint.kind, "level": level, "message": {"text": text}, "locations": [place]});
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
    let change = json!({"artifactLocation": {"uri": file}, "replacements": [replacement]});
    Some(json!({"description": {"text": lint.help}, "artifactChanges": [change]}))
}

/// A file's name as a relative reference.
fn uri(file: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/!$&'()*+,;=@".contains(&byte);
    let byte = |byte: u8| if is_plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") };
    file.bytes().map(byte).collect()
}
