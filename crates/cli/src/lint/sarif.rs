//! Lints as SARIF 2.1.0, which code hosts and editors read.
//!
//! Invariant: one run, with the rules that its results name. Each result is written at once, and the rules after them.

use std::collections::BTreeMap;
use std::io::{self, Write};

use robosieve_explain::{HeardLints, Lint, LintKind, Linted, Severity};
use serde_json::{Value, json};

use super::characters::Characters;
use crate::json;

/// A log of all files.
#[derive(Default)]
pub(super) struct Log {
    rules: BTreeMap<LintKind, Value>,
    has_results: bool,
}

const URI: &str = env!("CARGO_PKG_REPOSITORY");
const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

impl Log {
    /// All before the results.
    pub(super) fn begin(out: &mut impl Write) -> io::Result<()> {
        let run = "\"runs\":[{\"columnKind\":\"unicodeCodePoints\",\"results\":[";
        write!(out, "{{\"$schema\":\"{SCHEMA}\",\"version\":\"2.1.0\",{run}")
    }

    /// The results of a file.
    pub(super) fn add(
        &mut self,
        out: &mut impl Write,
        file: &str,
        linted: &Linted<'_>,
        heard: &HeardLints<'_>,
    ) -> io::Result<()> {
        let mut characters = Characters::default();
        let file = uri(file);
        for lint in &heard.counted.lints {
            let rule = || json!({"id": lint.kind, "helpUri": URI, "shortDescription": {"text": lint.message}});
            self.rules.entry(lint.kind).or_insert_with(rule);
            if self.has_results {
                out.write_all(b",")?;
            }
            self.has_results = true;
            json::write(out, &result(&file, lint, linted, &mut characters))?;
        }
        Ok(())
    }

    /// All after the results.
    pub(super) fn end(&self, out: &mut impl Write) -> io::Result<()> {
        let rules: Vec<&Value> = self.rules.values().collect();
        let driver = json!({
            "name": "robosieve",
            "version": env!("CARGO_PKG_VERSION"),
            "informationUri": URI,
            "rules": rules,
        });
        out.write_all(b"],\"tool\":{\"driver\":")?;
        json::write(out, &driver)?;
        out.write_all(b"}}]}\n")
    }
}

fn result(file: &str, lint: &Lint, linted: &Linted<'_>, characters: &mut Characters) -> Value {
    let level = match lint.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    };
    let (start, end) = characters.of(lint, linted);
    let region = json!({"startLine": lint.line, "startColumn": start, "endColumn": end});
    let mut text = format!("{} [{}]", lint.message, lint.clause);
    if !lint.help.is_empty() {
        text = format!("{text}. What to do: {}", lint.help);
    }
    let place = json!({"physicalLocation": {"artifactLocation": {"uri": file}, "region": region}});
    let mut result = json!({"ruleId": lint.kind, "level": level, "message": {"text": text}, "locations": [place]});
    if let (Some(fix), Some(fields)) = (fix(file, lint, linted, characters), result.as_object_mut()) {
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
