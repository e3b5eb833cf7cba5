//! Marks at lines of files, for those who show them there: commands of a GitHub workflow, and SARIF 2.1.0.
//!
//! Invariant: nothing of a file ends a command or begins another one. A SARIF log has one run, with the rules that its
//! results name: each result is written at once, and the rules after them.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde_json::{Value, json};

use crate::json;

const URI: &str = env!("CARGO_PKG_REPOSITORY");
const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// A command that marks a place: `error`, the properties of the place, a title and what to show.
pub(crate) fn github(level: &str, file: &str, place: &str, title: &str, message: &str) -> String {
    let (file, title) = (property(file), property(title));
    format!("::{level} file={file}{place},title={title}::{}\n", data(message))
}

/// The text after `::` of a command.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// The value of a property of a command.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

/// A SARIF log that is being written: the rules so far. Each result has one.
#[derive(Debug, Default)]
pub(crate) struct Sarif {
    rules: BTreeMap<String, Value>,
}

impl Sarif {
    /// What comes before a result, or before the end of a log without one.
    fn begin(&self, out: &mut impl Write) -> io::Result<()> {
        if !self.rules.is_empty() {
            return out.write_all(b",");
        }
        let run = "\"runs\":[{\"columnKind\":\"unicodeCodePoints\",\"results\":[";
        write!(out, "{{\"$schema\":\"{SCHEMA}\",\"version\":\"2.1.0\",{run}")
    }

    /// A result, with its rule and what the rule is about.
    pub(crate) fn add(&mut self, out: &mut impl Write, rule: &str, what: &str, result: &Value) -> io::Result<()> {
        self.begin(out)?;
        let made = || json!({"id": rule, "helpUri": URI, "shortDescription": {"text": what}});
        self.rules.entry(rule.to_owned()).or_insert_with(made);
        json::write(out, result)
    }

    /// All after the last result.
    pub(crate) fn end(&self, out: &mut impl Write) -> io::Result<()> {
        if self.rules.is_empty() {
            self.begin(out)?;
        }
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

/// A file's name as a relative reference.
pub(crate) fn uri(file: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/!$&'()*+,;=@".contains(&byte);
    let byte = |byte: u8| if is_plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") };
    file.bytes().map(byte).collect()
}
