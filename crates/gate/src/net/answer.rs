//! A response whose body is being read.
//!
//! Invariant: a head and a body end within the limits, in bytes and in time. What came of a body that breaks off is
//! kept.

use std::error::Error;
use std::time::Duration;

use http_body_util::BodyExt as _;
use hyper::body::{Body, Bytes};
use hyper::ext::ReasonPhrase;
use hyper::header::CONTENT_LENGTH;
use hyper::{Response, Version};
use tokio::time::{Instant, timeout_at};

use crate::net::trouble::{Whose, in_words, whose};
use crate::retrieve::coding::Coding;
use crate::retrieve::head::Head;
use crate::retrieve::{Fetched, RetrievalLimits};

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
    let mut head = Head::new(parts.status.as_u16());
    head.is_http_10 = parts.version == Version::HTTP_10;
    // The client has checked the length.
    for (name, value) in parts.headers.iter().filter(|(name, _)| *name != CONTENT_LENGTH) {
        head.add(name.as_str(), value.as_bytes());
    }
    let coding = Some(Coding::of(&head, false)).filter(|_| head.is_success());
    let most = coding.and_then(|coding| coding.most(limits.max_bytes)).map_or(0, |most| most.saturating_add(1));
    let (mut read, end) = (Vec::new(), within(end, limits.body));
    let broken_off = loop {
        if read.len() >= most {
            break None;
        }
        match timeout_at(within(end, limits.silence), body.frame()).await {
            Err(_) => break Some("timed out".into()),
            Ok(None) => break None,
            Ok(Some(Err(error))) if whose(&error) != Whose::Site => return Fetched::not_asked(in_words(&error)),
            Ok(Some(Err(error))) => break Some(in_words(&error)),
            Ok(Some(Ok(frame))) => {
                let bytes = frame.into_data().unwrap_or_default();
                let room = most.saturating_sub(read.len());
                read.extend_from_slice(bytes.get(..room).unwrap_or(&bytes));
            }
        }
    };
    let mut came = Fetched::of(Ok((head, read)));
    came.broken_off = broken_off;
    came
}
