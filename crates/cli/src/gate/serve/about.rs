//! What the service says of itself: its `OpenAPI` document, and the gate's counts in Prometheus' text form.
//!
//! Invariant: the document is `schema/openapi.json` with the schemas of `schema/robosieve.json` in it, so that it needs no
//! other file. `tests/openapi/run` compares it with what the service does. A metric whose label is `kind` counts things of
//! which each has one kind. Sums and what is counted next to the kinds are metrics of their own.

use hyper::StatusCode;
use hyper::header::CONTENT_TYPE;
use robosieve_gate::ask::Metrics;
use serde_json::Value;

use super::super::http::messages::{self, Reply, with};
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

/// The counts that are no kinds.
const OWN: [&str; 6] = ["waits", "waits_ms", "attempts", "redirects", "bytes", "took_ms"];

pub(super) fn metrics(metrics: &Metrics) -> Reply {
    let reply = messages::json(StatusCode::OK, text(metrics).into_bytes());
    with(reply, CONTENT_TYPE, "text/plain; version=0.0.4")
}

fn text(metrics: &Metrics) -> String {
    let counts = serde_json::to_value(metrics).unwrap_or_default();
    let mut text = String::new();
    for (group, counts) in counts.as_object().into_iter().flatten() {
        let counts = counts.as_object().into_iter().flatten().filter(|(_, count)| count.is_u64());
        let (own, kinds): (Vec<_>, Vec<_>) = counts.partition(|(name, _)| OWN.contains(&name.as_str()));
        text.extend([format!("# TYPE robosieve_{group} counter\n")]);
        text.extend(kinds.iter().map(|(kind, count)| format!("robosieve_{group}{{kind=\"{kind}\"}} {count}\n")));
        text.extend(own.iter().map(|(name, count)| {
            let name = format!("robosieve_{group}_{name}");
            format!("# TYPE {name} counter\n{name} {count}\n")
        }));
    }
    text
}
