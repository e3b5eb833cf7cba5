//! What a client of the caller's own got for one request: a status, headers and a body, as they came.
//!
//! Invariant: a body is read as its headers say, and what is not known to be whole is cut. A redirect by itself is no
//! answer.

use std::net::IpAddr;

use crate::retrieve::address::AddressGuard;
use crate::retrieve::coding::Coding;
use crate::retrieve::head::Head;
use crate::retrieve::retrieval::Cut;

/// The response to one request for robots.txt, or the failure to get one.
///
/// Give all headers as they came, and the body as the headers say. The client follows no redirect: a status of 3xx with
/// a `Location` is followed by the gate, and is no answer by itself.
///
/// ```
/// use robosieve_gate::Origin;
/// use robosieve_gate::retrieve::{Fetched, Outcome};
/// let origin = Origin::of("https://example.com/")?;
/// assert_eq!(Fetched::new(404, "").retrieval(&origin).outcome, Outcome::NoRules);
/// let busy = Fetched::new(503, "").header("Retry-After", b"120").retrieval(&origin);
/// assert_eq!((busy.outcome, busy.retry_after.map(|after| after.as_secs())), (Outcome::Unreachable, Some(120)));
/// let moved = Fetched::new(301, "").header("Location", b"https://www.example.com/robots.txt");
/// assert_eq!(moved.retrieval(&origin).outcome, Outcome::Unreachable);
/// assert_eq!(Fetched::failed("connection refused").retrieval(&origin).status, None);
/// assert_eq!(Fetched::not_asked("no file descriptor").retrieval(&origin).outcome, Outcome::NotAsked);
/// # Ok::<(), robosieve_gate::origin::OriginError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Fetched {
    came: Result<Response, String>,
    address: Option<IpAddr>,
    /// Why the body is not whole.
    broken_off: Option<String>,
    is_decoded: bool,
    is_http_10: bool,
    was_asked: bool,
}

/// The same, judged as far as it can be without the requests before it.
#[derive(Clone, Debug)]
pub(crate) enum Came {
    /// A response with its decoded body, which is empty unless the status is 2xx, and what cut that.
    Response {
        head: Head,
        body: Vec<u8>,
        cut: Option<(Cut, String)>,
    },
    Failed(String),
    NotAsked(String),
}

#[derive(Clone, Debug)]
struct Response {
    head: Head,
    /// The values of all `Content-Encoding` and `Transfer-Encoding` lines.
    content: Vec<Vec<u8>>,
    transfer: Vec<Vec<u8>>,
    length: Option<u64>,
    body: Vec<u8>,
}

impl Fetched {
    /// A response with this status and body.
    #[must_use]
    pub fn new(status: u16, body: impl Into<Vec<u8>>) -> Self {
        let (content, transfer) = (Vec::new(), Vec::new());
        let response = Response { head: Head::new(status), content, transfer, length: None, body: body.into() };
        let (is_decoded, is_http_10, was_asked) = (false, false, true);
        Self { came: Ok(response), address: None, broken_off: None, is_decoded, is_http_10, was_asked }
    }

    /// No response: the reason, for people.
    #[must_use]
    pub fn failed(why: impl Into<String>) -> Self {
        Self { came: Err(why.into()), ..Self::new(0, "") }
    }

    /// The site was not asked, because of trouble on our side: no file descriptor, no name server, no route. The
    /// reason, for people. This says nothing about the site, so nothing is stored.
    #[must_use]
    pub fn not_asked(why: impl Into<String>) -> Self {
        Self { was_asked: false, ..Self::failed(why) }
    }

    /// Adds a header line. These count: `Location`, `Content-Encoding`, `Transfer-Encoding`, `Content-Length`,
    /// `Cache-Control`, `Expires`, `Age`, `Date`, `Retry-After`, `ETag` and `Last-Modified`.
    #[must_use]
    pub fn header(mut self, name: &str, value: &[u8]) -> Self {
        if let Ok(response) = &mut self.came {
            let value = value.trim_ascii();
            match name.to_ascii_lowercase().as_str() {
                "content-encoding" => response.content.push(value.to_vec()),
                "transfer-encoding" => response.transfer.push(value.to_vec()),
                "content-length" => match length(response.length, value) {
                    Some(length) => response.length = Some(length),
                    None => self.came = Err("the Content-Length is no number, or is two".into()),
                },
                _ => response.head.add(name, value),
            }
        }
        self
    }

    /// Adds header lines.
    #[must_use]
    pub fn headers<'h>(self, lines: impl IntoIterator<Item = (&'h str, &'h [u8])>) -> Self {
        lines.into_iter().fold(self, |fetched, (name, value)| fetched.header(name, value))
    }

    /// Says that the body is not complete: the connection broke, or the client stopped reading.
    #[must_use]
    pub fn broken_off(self) -> Self {
        self.because("its body is not whole".into())
    }

    /// The same, with the reason.
    pub(crate) fn because(self, why: String) -> Self {
        Self { broken_off: Some(why), ..self }
    }

    /// Says that the response came in HTTP/1.0, in which no transfer coding is undone.
    #[cfg(feature = "driver")]
    pub(crate) fn by_http_10(self, is_http_10: bool) -> Self {
        Self { is_http_10, ..self }
    }

    /// Says that the client has undone the `Content-Encoding`, although it still shows the header, as browsers' `fetch`
    /// does.
    #[must_use]
    pub fn decoded(self) -> Self {
        Self { is_decoded: true, ..self }
    }

    /// Says which address the client was connected to. The guard checks it.
    #[must_use]
    pub fn from_address(self, address: IpAddr) -> Self {
        Self { address: Some(address), ..self }
    }

    /// The status, if there was a response.
    #[cfg(feature = "driver")]
    pub(crate) fn status(&self) -> Option<u16> {
        self.came.as_ref().ok().map(|response| response.head.status())
    }

    /// Whether the site was asked.
    #[cfg(feature = "driver")]
    pub(crate) const fn was_asked(&self) -> bool {
        self.was_asked
    }

    /// What it comes to, with a body of at most `max` bytes.
    pub(crate) fn came(self, max: usize, guard: &AddressGuard) -> Came {
        if let Some(why) = self.address.and_then(|address| guard.refusal(address)) {
            return Came::NotAsked(why);
        }
        let Response { head, content, transfer, length, body } = match self.came {
            Ok(response) => response,
            Err(why) if self.was_asked => return Came::Failed(why),
            Err(why) => return Came::NotAsked(why),
        };
        if !(200..=299).contains(&head.status()) {
            return Came::Response { head, body: Vec::new(), cut: None };
        }
        let content = if self.is_decoded { Vec::new() } else { content };
        let lines = (content.iter().map(Vec::as_slice), transfer.iter().map(Vec::as_slice));
        // A client that undoes a coding may show the length of what was coded.
        let is_short = !self.is_decoded && length > u64::try_from(body.len()).ok();
        let (body, cut) = Coding::of(lines.0, lines.1, self.is_http_10).undone(body, max);
        let broken_off = is_short.then(|| "shorter than its length".to_owned()).or(self.broken_off);
        let cut = match cut {
            // The end of what we may have comes before the end of what came.
            Some((Cut::AtCap, _)) => cut,
            _ => broken_off.map(|why| (Cut::Early, why)).or(cut),
        };
        Came::Response { head, body, cut }
    }
}

/// A length in this line that is the one `known` from the lines before, if there was any. RFC 9110 8.6: digits, or several
/// of the same value. As the driver reads it: no sign, and no other digits.
fn length(known: Option<u64>, line: &[u8]) -> Option<u64> {
    line.split(|&byte| byte == b',').map(<[u8]>::trim_ascii).try_fold(known, |known, digits| {
        let is_number = !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
        let number = str::from_utf8(digits).ok().filter(|_| is_number)?.parse().ok()?;
        known.is_none_or(|known| known == number).then_some(Some(number))
    })?
}
