//! The JSON Schemas of what a census writes.
//!
//! Invariant: they are made of the columns, so that none can be forgotten.

use serde_json::{Value, json};

use crate::census::Rows;
use crate::columns::{Column, Type};
use crate::normal::{FileRow, NameRow, PolicyRow, Row, TextRow, VERSION};

/// The schemas of lines and of rows of tables, by name. Those of lines refer to the others as `#/$defs/NAME`.
///
/// ```
/// let schemas = robosieve_census::schemas();
/// assert!(schemas.iter().any(|(name, schema)| *name == "census-text" && schema["properties"]["hash"]["type"] == "string"));
/// ```
#[must_use]
pub fn schemas() -> [(&'static str, Value); 7] {
    [
        ("census", schema("`census --expand`, a line for each file and crawler", Rows::Agents.columns())),
        ("census-files", schema("`census --rows files`, a line for each file", Rows::Files.columns())),
        ("census-normal", lines()),
        ("census-file", schema("A row of `files`", FileRow::COLUMNS.iter())),
        ("census-policy", schema("A row of `policies`", PolicyRow::COLUMNS.iter())),
        ("census-name", schema("A row of `names`", NameRow::COLUMNS.iter())),
        ("census-text", schema("A row of `texts`", TextRow::COLUMNS.iter())),
    ]
}

/// The schema of a line of the normal form.
fn lines() -> Value {
    let list = |of: &str| json!({"type": "array", "items": {"$ref": format!("#/$defs/census-{of}")}});
    json!({
        "description": "`census`, a line for each file, with what it says to whom",
        "type": "object",
        "properties": {
            "v": {"const": VERSION},
            "file": {"$ref": "#/$defs/census-file"},
            "policies": list("policy"),
            "names": list("name"),
            "texts": list("text"),
        },
        "required": ["v", "file", "policies", "names", "texts"],
        "additionalProperties": false,
    })
}

/// The schema of a row with these columns.
fn schema<'c>(what: &str, columns: impl Iterator<Item = &'c Column>) -> Value {
    let (mut properties, mut required) = (serde_json::Map::new(), Vec::new());
    for column in columns {
        let name = |name: &str| if column.nullable { json!([name, "null"]) } else { json!(name) };
        let mut of = match column.holds {
            Type::Text if column.values.is_empty() => json!({"type": name("string")}),
            Type::Text => {
                let null = column.nullable.then_some(Value::Null);
                json!({"enum": column.values.iter().map(|text| json!(text)).chain(null).collect::<Vec<_>>()})
            }
            Type::Count => json!({"type": name("integer"), "minimum": 0}),
            Type::Seconds => json!({"type": name("number"), "minimum": 0}),
            Type::Flag => json!({"type": name("boolean")}),
            Type::List => json!({"type": name("array"), "items": {"type": "string"}}),
            Type::Counts => json!({"type": name("object"), "additionalProperties": {"type": "integer", "minimum": 1}}),
        };
        if let Some(of) = of.as_object_mut() {
            of.insert("description".into(), format!("{} ({})", column.meaning, column.source).into());
        }
        properties.insert(column.name.into(), of);
        required.push(column.name);
    }
    json!({
        "description": what,
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}
