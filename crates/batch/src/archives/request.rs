//! A file, with information about it: a line of NDJSON, or a record of an archive.

use std::borrow::Cow;

use super::record::Record;
use crate::requests::{self, Request};
use robosieve_ask::Problem;

/// A response from any source.
pub(crate) struct Response<'b> {
    pub(crate) status: Option<u16>,
    pub(crate) location: Option<String>,
    pub(crate) truncated: Option<&'static str>,
    /// The body, or why it is damaged.
    pub(crate) body: Result<Cow<'b, [u8]>, String>,
}

/// Reads a line. Copies its information about the file to the record, even if the line is not valid.
///
/// # Errors
/// `bad-json`, `bad-request` and `bad-option`.
pub(crate) fn read(line: &[u8], record: &mut Record) -> Result<Response<'static>, Problem> {
    let mut request = requests::read::<Request<'_>>(line).inspect_err(|_| record.set_id(requests::id_of(line)))?;
    record.set_id(request.id);
    (record.url, record.time, record.status) = (request.url.take(), request.time.take(), request.status);
    requests::expect_version(request.v)?;
    request.expect_record()?;
    // Without a file there must be a status that explains why.
    let file = match request.take_source()? {
        None if request.status.is_some() => Vec::new(),
        source => requests::whole(source)?,
    };
    // The caller may say that the file is not whole.
    let truncated = request.truncated.unwrap_or_default().then_some("unspecified");
    Ok(Response { status: record.status, location: request.location, truncated, body: Ok(file.into()) })
}
