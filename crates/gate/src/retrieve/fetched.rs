//! What a client got for one request: a status, headers and a body, as they came.
//!
//! Invariant: a body is read as its headers say, and what is not known to be whole is cut. A redirect by itself is no
//! answer.

use std::net::IpAddr;

use crate::retrieve::coding::Coding;
use crate::retrieve::head::Head;
use crate::retrieve::{AddressGuard, Cut, Outcome};

/// The response to one request for robots.txt, or the failure to get one.
///
/// Give all headers as they came, and the body as the headers say. The client follows no redirect: a status of 3xx with
/// a `Location` is followed by the gate, and is no answer by itself.
#[derive(Clone, Debug)]
#[must_use]
pub struct Fetched {
    came: Result<(Head, Vec<u8>), NoResponse>,
    address: Option<IpAddr>,
    /// Why the body is not whole.
    pub(crate) broken_off: Option<String>,
    is_decoded: bool,
}

/// Why there is no response: a failure of the site ([`Outcome::Unreachable`]), or trouble of ours
/// ([`Outcome::NotAsked`]), with its reason for people.
pub(crate) type NoResponse = (Outcome, String);

/// A response with its decoded body, which is empty unless the status is 2xx, and what cut that.
pub(crate) type Response = (Head, Vec<u8>, Option<(Cut, String)>);

impl Fetched {
    /// A response with this status and body.
    pub fn new(status: u16, body: impl Into<Vec<u8>>) -> Self {
        Self::of(Ok((Head::new(status), body.into())))
    }

    /// No response: the reason, for people.
    pub fn failed(why: impl Into<String>) -> Self {
        Self::of(Err((Outcome::Unreachable, why.into())))
    }

    /// The site was not asked, because of trouble on our side: no file descriptor, no name server, no route. The
    /// reason, for people. This says nothing about the site, so nothing is stored.
    pub fn not_asked(why: impl Into<String>) -> Self {
        Self::of(Err((Outcome::NotAsked, why.into())))
    }

    pub(crate) const fn of(came: Result<(Head, Vec<u8>), NoResponse>) -> Self {
        Self { came, address: None, broken_off: None, is_decoded: false }
    }

    /// Adds a header line. These count: `Location`, `Content-Encoding`, `Transfer-Encoding`, `Content-Length`,
    /// `Cache-Control`, `Expires`, `Age`, `Date`, `Retry-After`, `ETag` and `Last-Modified`.
    pub fn header(mut self, name: &str, value: &[u8]) -> Self {
        if let Ok((head, _)) = &mut self.came {
            head.add(name, value);
        }
        self
    }

    /// Adds header lines.
    pub fn headers<'h>(self, lines: impl IntoIterator<Item = (&'h str, &'h [u8])>) -> Self {
        lines.into_iter().fold(self, |fetched, (name, value)| fetched.header(name, value))
    }

    /// Says that the body is not complete: the connection broke, or the client stopped reading.
    pub fn broken_off(self) -> Self {
        Self { broken_off: Some("its body is not whole".into()), ..self }
    }

    /// Says that the client has undone the `Content-Encoding`, although it still shows the header, as browsers' `fetch`
    /// does.
    pub fn decoded(self) -> Self {
        Self { is_decoded: true, ..self }
    }

    /// Says which address the client was connected to. The guard checks it.
    pub fn from_address(self, address: IpAddr) -> Self {
        Self { address: Some(address), ..self }
    }

    /// What it comes to, with a body of at most `max` bytes.
    pub(crate) fn came(self, max: usize, guard: &AddressGuard) -> Result<Response, NoResponse> {
        if let Some(why) = self.address.and_then(|address| guard.refusal(address)) {
            return Err((Outcome::NotAsked, why));
        }
        let (head, body) = self.came?;
        if head.is_refused() {
            return Err((Outcome::Unreachable, "a malformed header line, or more than 128".to_owned()));
        }
        let length = head.length().map_err(|why| (Outcome::Unreachable, why.to_owned()))?;
        if !head.is_success() {
            return Ok((head, Vec::new(), None));
        }
        // A client that undoes a coding may show the length of what was coded.
        let is_short = !self.is_decoded && length > u64::try_from(body.len()).ok();
        let (body, cut) = Coding::of(&head, self.is_decoded).undone(body, max);
        let broken_off = is_short.then(|| "shorter than its length".to_owned()).or(self.broken_off);
        let cut = match cut {
            // The end of what we may have comes before the end of what came.
            Some((Cut::AtCap, _)) => cut,
            _ => broken_off.map(|why| (Cut::Early, why)).or(cut),
        };
        Ok((head, body, cut))
    }
}

/// What our own client asks.
#[cfg(feature = "driver")]
impl Fetched {
    /// The status, if there was a response.
    pub(crate) fn status(&self) -> Option<u16> {
        self.came.as_ref().ok().map(|(head, _)| head.status)
    }

    /// Whether the site was asked.
    pub(crate) fn was_asked(&self) -> bool {
        self.came.as_ref().map_or_else(|(outcome, _)| *outcome != Outcome::NotAsked, |_| true)
    }
}
