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
            self.results.push(result(file, lint, linted.line(lint.line)));
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

fn result(file: &str, lint: &Lint, source: &[u8]) -> Value {
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
    if !lint.replacement.is_empty() {
        let last = String::from_utf8_lossy(source).chars().count().saturating_add(1);
        let whole = json!({"startLine": lint.line, "startColumn": 1, "endColumn": last});
        let replacement = json!({"deletedRegion": whole, "insertedContent": {"text": lint.replacement.join("\n")}});
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
