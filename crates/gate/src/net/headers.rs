//! The headers of each request for robots.txt: the crawler's, and those that its operator adds.
//!
//! Invariant: what is added is none that the client sends itself, and none that would change what an answer means. Each
//! name is added once. No message has a value: it may be a secret.

use hyper::header::{ACCEPT, ACCEPT_ENCODING, HeaderMap, HeaderName, HeaderValue, USER_AGENT};

use crate::error::Error;
use crate::retrieve::CrawlerIdentity;
use crate::retrieve::coding::ACCEPTED;

/// The most headers that are added. Our choice.
pub(super) const MAX: usize = 32;
/// The most bytes of their names and values. Many servers refuse a head of more than 8,192 bytes.
pub(super) const MAX_BYTES: usize = 8_000;

/// The headers of the client; those that make a request conditional or partial, whose answers would look like others;
/// and those that are for a connection or a proxy.
const RESERVED: &str = "accept-encoding connection content-length expect host http2-settings if-match if-modified-since \
    if-none-match if-range if-unmodified-since keep-alive proxy-authorization proxy-connection range te trailer \
    transfer-encoding upgrade user-agent";

/// The headers of a crawler.
pub(super) fn of(identity: &CrawlerIdentity) -> HeaderMap {
    let mut headers = HeaderMap::new();
    headers.insert(ACCEPT, HeaderValue::from_static("text/plain, */*;q=0.5"));
    headers.insert(ACCEPT_ENCODING, HeaderValue::from_static(ACCEPTED));
    // An identity is printable ASCII.
    headers.extend(HeaderValue::from_str(identity.header()).ok().map(|value| (USER_AGENT, value)));
    headers
}

/// Adds one that is written as `Name: value`.
pub(super) fn add(headers: &mut HeaderMap, line: &str) -> Result<(), Error> {
    let (name, value) = line.split_once(':').ok_or_else(|| Error::setting("write a header as Name: value"))?;
    let wrong_name = |_| Error::setting("a header's name is made of letters, digits and -");
    let name = name.parse::<HeaderName>().map_err(wrong_name)?;
    let value = value.trim_matches(' ');
    let is_printable = value.trim() == value && value.bytes().all(|byte| (b' '..=b'~').contains(&byte));
    let mut parsed = HeaderValue::from_str(value).map_err(|_| Error::setting(UNPRINTABLE))?;
    // So are those that were added before.
    parsed.set_sensitive(true);
    let added: Vec<_> = headers.iter().filter(|(_, value)| value.is_sensitive()).collect();
    let bytes = added.iter().map(|(name, value)| name.as_str().len().saturating_add(value.len()));
    let bytes = bytes.fold(name.as_str().len().saturating_add(value.len()), usize::saturating_add);
    let why = match () {
        () if !is_printable => UNPRINTABLE,
        () if RESERVED.split(' ').any(|known| known == name.as_str()) => {
            "this header is set by the program, or would change what the answer means"
        }
        () if matches!(name.as_str(), "authorization" | "cookie") => "Authorization and Cookie would go to every host",
        () if added.iter().any(|(known, _)| **known == name) => {
            "this header is there already; upper case does not count"
        }
        () if added.len() >= MAX => "more than 32 headers",
        () if bytes > MAX_BYTES => "the headers are longer than 8000 bytes",
        () => {
            headers.insert(name, parsed);
            return Ok(());
        }
    };
    Err(Error::setting(why))
}

const UNPRINTABLE: &str = "a header's value is printable ASCII with no blanks at its ends";
