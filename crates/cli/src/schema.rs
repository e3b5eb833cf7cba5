//! `schema`: prints the JSON Schema of an output.
//!
//! Invariant: all schemas are in `schema/robosieve.json`. `tests/schema/check.py` compares them with what is printed.

use serde_json::{Map, Value};

use crate::exit::{Code, Failure};
use crate::{output, text};

/// The schemas.
pub(crate) const SCHEMAS: &str = include_str!("../schema/robosieve.json");

pub(crate) fn run(name: Option<&str>) -> Result<Code, Failure> {
    let broken = |error: serde_json::Error| Failure::Io(format!("a schema of this program is broken: {error}"));
    let mut document: Map<String, Value> = serde_json::from_str(SCHEMAS).map_err(broken)?;
    let outputs = outputs(&document);
    let printed = match name {
        None => outputs.iter().fold(String::new(), |all, (name, what)| all + &format!("{name:<16}{what}\n")),
        Some(name) if outputs.iter().any(|(known, _)| *known == name) => {
            document.insert("$ref".into(), format!("#/$defs/{name}").into());
            format!("{}\n", serde_json::to_string_pretty(&document).map_err(broken)?)
        }
        Some(name) => {
            let (name, names) =
                (text::escape(name.as_bytes()), outputs.iter().map(|(name, _)| *name).collect::<Vec<_>>());
            return Err(Failure::Usage(format!("{name} is no output: name one of {}", names.join(", "))));
        }
    };
    output::print(printed.as_bytes())?;
    Ok(Code::Fine)
}

/// The outputs with a schema, and what prints each. Only they are described by a command.
fn outputs(document: &Map<String, Value>) -> Vec<(&str, &str)> {
    let definitions = document.get("$defs").and_then(Value::as_object).into_iter().flatten();
    let described =
        definitions.filter_map(|(name, schema)| Some((name.as_str(), schema.get("description")?.as_str()?)));
    described.filter(|(_, what)| what.starts_with('`')).collect()
}
