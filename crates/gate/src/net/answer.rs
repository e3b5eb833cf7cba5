//! A response whose body is being read.
//!
//! Invariant: a head and a body end within the limits, in bytes and in time. What came of a body that breaks off is kept.

use std::error::Error;
use std::time::Duration;

use http_body_util::BodyExt as _;
use hyper::body::{Body, Bytes};
use hyper::ext::ReasonPhrase;
use hyper::header::CONTENT_LENGTH;
use hyper::{Response, Version};
use tokio::time::{Instant, timeout_at};

use crate::net::trouble::{Whose, in_words, whose};
use crate::retrieve::fetched::Fetched;
use crate::retrieve::limits::RetrievalLimits;

/// The most bytes of a response's head. Our choice.
pub(super) const MAX_HEAD: usize = 65_536;

/// The most header lines of a response. Our choice.
pub(super) const MAX_LINES: usize = 128;

/// The end of a step that begins now, within the end of all.
pub(super) fn within(end: Instant, most: Duration) -> Instant {
    Instant::now().checked_add(most).map_or(end, |step| step.min(end))
}

/// Reads the body of a response, if it is that of a success, and one byte more than the limit at most.
pub(super) async fn read<B>(response: Response<B>, limits: &RetrievalLimits, end: Instant) -> Fetched
where
    B: Body<Data = Bytes, Error: Error + 'static> + Unpin,
{
    let (parts, mut body) = response.into_parts();
    let own = parts.extensions.get::<ReasonPhrase>().map(|reason| reason.as_bytes().len());
    let reason = own.unwrap_or_else(|| parts.status.canonical_reason().map_or(0, str::len));
    let sizes = parts.headers.iter().map(|(name, value)| [name.as_str().len(), value.len(), ": \r\n".len()]);
    let start = ["HTTP/1.1 200 \r\n".len(), reason, "\r\n".len()];
    // The client's own bound depends on the pieces in which a head comes.
    if sizes.flatten().chain(start).fold(0, usize::saturating_add) > MAX_HEAD {
        return Fetched::failed("the response's head is too long");
    }
    // The client has checked the length.
    let lines = parts.headers.iter().filter(|(name, _)| *name != CONTENT_LENGTH);
    let lines = lines.map(|(name, value)| (name.as_str(), value.as_bytes()));
    let came = Fetched::new(parts.status.as_u16(), "").headers(lines).by_http_10(parts.version == Version::HTTP_10);
    let most = came.wants(limits.max_bytes);
    let end = within(end, limits.body);
    let mut read = Vec::new();
    while read.len() < most {
        match timeout_at(within(end, limits.silence), body.frame()).await {
            Err(_) => return came.with_body(read).because("timed out".into()),
            Ok(None) => break,
            Ok(Some(Err(error))) if whose(&error) != Whose::Site => return Fetched::not_asked(in_words(&error)),
            Ok(Some(Err(error))) => return came.with_body(read).because(in_words(&error)),
            Ok(Some(Ok(frame))) => {
                let bytes = frame.into_data().unwrap_or_default();
                let room = most.saturating_sub(read.len());
                read.extend_from_slice(bytes.get(..room).unwrap_or(&bytes));
            }
        }
    }
    came.with_body(read)
}
