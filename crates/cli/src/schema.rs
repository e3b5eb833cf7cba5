//! `schema`: prints the JSON Schema of an output.
//!
//! Invariant: schemas are in `schema/robosieve.json`, or a census makes them of its columns. `tests/schema/check.py` compares
//! them with what is printed.

use std::collections::BTreeSet;

use clap::builder::PossibleValuesParser;
use serde_json::{Map, Value};

use crate::exit::{Code, Failure};
use crate::output;

/// The schemas that are written by hand.
pub(crate) const SCHEMAS: &str = include_str!("../schema/robosieve.json");

pub(crate) fn run(name: Option<&str>) -> Result<Code, Failure> {
    let mut document = document();
    let printed = match name {
        None => outputs(&document).iter().fold(String::new(), |all, (name, what)| all + &format!("{name:<16}{what}\n")),
        Some(name) => {
            keep(&mut document, name);
            let pretty = serde_json::to_string_pretty(&document);
            format!("{}\n", pretty.map_err(|error| Failure::Io(error.to_string()))?)
        }
    };
    output::print(printed.as_bytes())?;
    Ok(Code::Fine)
}

/// Takes the names of the outputs.
pub(crate) fn names() -> PossibleValuesParser {
    let document = document();
    PossibleValuesParser::new(outputs(&document).iter().map(|(name, _)| (*name).to_owned()).collect::<Vec<_>>())
}

/// All schemas. A test reads them, so they are no other than an object.
fn document() -> Map<String, Value> {
    let document = serde_json::from_str(SCHEMAS).unwrap_or_default();
    #[cfg(feature = "batch")]
    let document = with_census(document);
    document
}

/// The same with the schemas of a census.
#[cfg(feature = "batch")]
fn with_census(mut document: Map<String, Value>) -> Map<String, Value> {
    if let Some(Value::Object(all)) = document.get_mut("$defs") {
        all.extend(robosieve_census::schemas().map(|(name, schema)| (name.to_owned(), schema)));
    }
    document
}

/// Makes a document the schema of one output, with the definitions that it leads to.
fn keep(document: &mut Map<String, Value>, name: &str) {
    let mut reached = BTreeSet::new();
    if let Some(Value::Object(all)) = document.get_mut("$defs") {
        let mut new = vec![name.to_owned()];
        while let Some(name) = new.pop() {
            if let Some(definition) = all.get(&name)
                && reached.insert(name)
            {
                references(definition, &mut new);
            }
        }
        all.retain(|name, _| reached.contains(name));
        let what = all.get(name).and_then(|one| one.get("description")).cloned();
        document.extend(what.map(|what| ("title".to_owned(), what)));
    }
    document.insert("$ref".into(), format!("#/$defs/{name}").into());
}

/// Adds the names of the definitions that a schema refers to.
fn references(schema: &Value, names: &mut Vec<String>) {
    match schema {
        Value::Object(fields) => {
            let to = fields.get("$ref").and_then(Value::as_str).and_then(|to| to.strip_prefix("#/$defs/"));
            names.extend(to.map(str::to_owned));
            fields.values().for_each(|one| references(one, names));
        }
        Value::Array(all) => all.iter().for_each(|one| references(one, names)),
        _ => {}
    }
}

/// The outputs with a schema, and what prints each. Only they are described by a command.
fn outputs(document: &Map<String, Value>) -> Vec<(&str, &str)> {
    let definitions = document.get("$defs").and_then(Value::as_object).into_iter().flatten();
    let described =
        definitions.filter_map(|(name, schema)| Some((name.as_str(), schema.get("description")?.as_str()?)));
    described.filter(|(_, what)| what.starts_with('`')).collect()
}
