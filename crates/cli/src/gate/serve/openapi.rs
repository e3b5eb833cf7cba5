//! The `OpenAPI` document of the service.
//!
//! Invariant: it is `schema/openapi.json` with the schemas of `schema/robosieve.json` in it, so that it needs no other
//! file. `tests/openapi/run` compares it with what the service does.

use serde_json::Value;

use crate::schema::SCHEMAS;

const DOCUMENT: &str = include_str!("../../../schema/openapi.json");
/// Where the schemas are in the document.
const INSIDE: &str = "#/components/schemas/";

pub(super) fn document() -> serde_json::Result<Vec<u8>> {
    let mut document: Value = serde_json::from_str(&DOCUMENT.replace("robosieve.json#/$defs/", INSIDE))?;
    let mut outputs: Value = serde_json::from_str(&SCHEMAS.replace("#/$defs/", INSIDE))?;
    let outputs = outputs.get_mut("$defs").and_then(Value::as_object_mut);
    let schemas = document.pointer_mut("/components/schemas").and_then(Value::as_object_mut);
    if let (Some(outputs), Some(schemas)) = (outputs, schemas) {
        schemas.append(outputs);
    }
    serde_json::to_vec(&document)
}
