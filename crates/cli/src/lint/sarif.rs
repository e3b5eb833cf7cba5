//! Lints as SARIF 2.1.0, which code hosts and editors read.
//!
//! Invariant: one run, with the rules that its results name.

use std::collections::BTreeMap;

use robosieve_explain::{Lint, LintKind, Linted, Severity};
use serde_json::{Value, json};

/// A log of all files.
#[derive(Default)]
pub(super) struct Log {
    rules: BTreeMap<LintKind, Value>,
    results: Vec<Value>,
}

impl Log {
    /// Adds the lints of a file.
    pub(super) fn add(&mut self, file: &str, linted: &Linted<'_>) {
        for lint in linted.lints() {
            let rule = || json!({"id": lint.kind, "helpUri": URI, "shortDescription": {"text": lint.message}});
            self.rules.entry(lint.kind).or_insert_with(rule);
            let last = lint.fix.as_ref().map_or(lint.line, |fix| fix.edit.last);
            self.results.push(result(file, lint, linted.line(lint.line), linted.line(last)));
        }
    }
}

impl serde::Serialize for Log {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let rules: Vec<&Value> = self.rules.values().collect();
        let driver = json!({
            "name": "robosieve",
            "version": env!("CARGO_PKG_VERSION"),
            "informationUri": URI,
            "rules": rules,
        });
        let run = json!({"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": self.results});
        json!({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}).serialize(serializer)
    }
}

const URI: &str = env!("CARGO_PKG_REPOSITORY");
const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// A lint of a line. `last` is the last physical line that it is about.
fn result(file: &str, lint: &Lint, source: &[u8], last: &[u8]) -> Value {
    let last = String::from_utf8_lossy(last).chars().count().saturating_add(1);
    let level = match lint.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    };
    let (start, end) = characters(lint, source);
    let artifact = json!({"uri": uri(file)});
    let region = json!({"startLine": lint.line, "startColumn": start, "endColumn": end});
    let mut text = format!("{} [{}]", lint.message, lint.clause);
    if !lint.help.is_empty() {
        text = format!("{text}. What to do: {}", lint.help);
    }
    let place = json!({"physicalLocation": {"artifactLocation": artifact, "region": region}});
    let mut result = json!({"ruleId": lint.kind, "level": level, "message": {"text": text}, "locations": [place]});
    // An editor applies a fix with one click.
    if let Some(fix) = lint.fix.as_ref().filter(|fix| fix.is_safe) {
        let edit = &fix.edit;
        let (region, text) = if edit.lines.is_empty() {
            let next = edit.last.saturating_add(1);
            (json!({"startLine": edit.first, "startColumn": 1, "endLine": next, "endColumn": 1}), String::new())
        } else {
            let region = json!({"startLine": edit.first, "startColumn": 1, "endLine": edit.last, "endColumn": last});
            (region, edit.lines.join("\n"))
        };
        let replacement = json!({"deletedRegion": region, "insertedContent": {"text": text}});
        let change = json!({"artifactLocation": {"uri": uri(file)}, "replacements": [replacement]});
        let fix = json!({"description": {"text": lint.help}, "artifactChanges": [change]});
        if let Some(fields) = result.as_object_mut() {
            fields.insert("fixes".into(), json!([fix]));
        }
    }
    result
}

/// The columns of a lint in characters, from 1: that of the first, and that behind the last.
pub(super) fn characters(lint: &Lint, source: &[u8]) -> (usize, usize) {
    let bytes = lint.columns.bytes();
    let count = |end: usize| {
        let front = source.get(..end).unwrap_or(source);
        String::from_utf8_lossy(front).chars().count().saturating_add(1)
    };
    (count(bytes.start), count(bytes.end))
}

/// A file's name as a relative reference.
fn uri(file: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/!$&'()*+,;=@".contains(&byte);
    let byte = |byte: u8| if is_plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") };
    file.bytes().map(byte).collect()
}
