//! Reads a line of NDJSON: a file, with information about it.

use serde::Deserialize;

use super::record::Record;
use crate::json::Id;
use crate::problem::Problem;
use crate::requests::{self, RequestSource};

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
    #[serde(default)]
    truncated: bool,
}

/// A file to be filtered.
pub(crate) struct Request {
    pub(crate) file: Vec<u8>,
    pub(crate) location: Option<String>,
    /// Whether the caller says that the file is not whole.
    pub(crate) is_truncated: bool,
}

/// Reads a line. Copies its information about the file to the record, even if the line is not valid.
///
/// # Errors
/// `bad-json` and `bad-request`.
pub(crate) fn read(line: &[u8], record: &mut Record) -> Result<Request, Problem> {
    let line = requests::read::<Line<'_>>(line).map_err(|(id, problem)| {
        record.set_id(id);
        problem
    })?;
    record.set_id(line.id);
    (record.url, record.time, record.status) = (line.url, line.time, line.status);
    requests::expect_version(line.v)?;
    if line.status.is_some_and(|status| !(100..=999).contains(&status)) {
        return Err(Problem::request("status has to be an HTTP status, from 100 to 999"));
    }
    let file = match RequestSource::of(line.robots, line.robots_b64)? {
        Some(RequestSource::Text(text)) => text.into_bytes(),
        Some(source @ RequestSource::Base64(_)) => source.bytes()?.into_owned(),
        // Without a file there must be a status that explains why.
        None if line.status.is_some() => Vec::new(),
        None => return Err(requests::no_source()),
    };
    Ok(Request { file, location: line.location, is_truncated: line.truncated })
}
