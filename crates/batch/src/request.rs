//! Reads a line of NDJSON: a file, with information about it.

use serde::Deserialize;

use crate::json::{self, Id, Object};
use crate::record::{Problem, Record};

/// The content of a request line.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line<'a> {
    v: Option<u64>,
    #[serde(borrow)]
    id: Option<Id<'a>>,
    robots: Option<String>,
    robots_b64: Option<String>,
    url: Option<String>,
    time: Option<String>,
    status: Option<u16>,
    location: Option<String>,
}

/// Reads only the id, even if the line is not a valid request.
#[derive(Deserialize)]
struct Identified<'a> {
    #[serde(borrow)]
    id: Option<Id<'a>>,
}

/// A file to be filtered.
pub(crate) struct Request {
    pub(crate) file: Vec<u8>,
    pub(crate) location: Option<String>,
}

/// Reads a line. Copies its information about the file to the record, even if the line is not valid.
///
/// # Errors
/// `bad-json` and `bad-request`.
pub(crate) fn read(line: &[u8], record: &mut Record) -> Result<Request, Problem> {
    let found = match serde_json::from_slice::<Object<Line<'_>>>(line) {
        Ok(found) => found.0,
        Err(error) => {
            let identified = serde_json::from_slice::<Object<Identified<'_>>>(line);
            record.set_id(identified.ok().and_then(|it| it.0.id));
            let kind = if error.is_data() { "bad-request" } else { "bad-json" };
            return Err(Problem { kind, message: error.to_string() });
        }
    };
    record.set_id(found.id);
    (record.url, record.time, record.status) = (found.url, found.time, found.status);
    let file = file(found.v, found.status, found.robots, found.robots_b64)
        .map_err(|message| Problem { kind: "bad-request", message })?;
    Ok(Request { file, location: found.location })
}

fn file(v: Option<u64>, status: Option<u16>, text: Option<String>, base64: Option<String>) -> Result<Vec<u8>, String> {
    if v.is_some_and(|v| v != 1) {
        return Err("v is the version of the requests, and has to be 1".into());
    }
    if status.is_some_and(|status| !(100..=999).contains(&status)) {
        return Err("status has to be an HTTP status, from 100 to 999".into());
    }
    match (text, base64) {
        (Some(text), None) => Ok(text.into_bytes()),
        (None, Some(text)) => json::decode(&text).map_err(|error| format!("robots_b64 is no base64: {error}")),
        // Without a file there must be a status that explains why.
        (None, None) if status.is_some() => Ok(Vec::new()),
        (None, None) => Err("the file is missing: give robots, or robots_b64 for bytes".into()),
        (Some(_), Some(_)) => Err("give robots or robots_b64, not both".into()),
    }
}
