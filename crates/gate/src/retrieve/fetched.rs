//! What a client of the caller's own got for one request: a status, headers and a body, as they came.
//!
//! Invariant: it means what the same response means to the machine. The machine itself judges it. A redirect is no
//! answer, and a body is read as its headers say.

use std::io::{self, Read as _};
use std::net::IpAddr;

use crate::moment::Moment;
use crate::origin::Origin;
use crate::retrieve::address::AddressGuard;
use crate::retrieve::coding::{Coding, is_damage};
use crate::retrieve::head::Head;
use crate::retrieve::limits::RetrievalLimits;
use crate::retrieve::machine::{Event, Machine, Step};
use crate::retrieve::retrieval::Retrieval;

/// The response to one request for robots.txt, or the failure to get one.
///
/// Give all headers as they came, and the body as the headers say. The client follows no redirect: a status of 3xx with
/// a `Location` is followed by [`FetchWith`](crate::retrieve::FetchWith), and is no answer by itself.
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
    is_broken_off: bool,
    is_decoded: bool,
    was_asked: bool,
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
        Self { came: Ok(response), address: None, is_broken_off: false, is_decoded: false, was_asked: true }
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
                _ => {
                    let head = std::mem::replace(&mut response.head, Head::new(0));
                    response.head = head.header(name, value);
                }
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
        Self { is_broken_off: true, ..self }
    }

    /// Says that the client has undone the `Content-Encoding`, although it still shows the header, as browsers' `fetch`
    /// does.
    #[must_use]
    pub fn decoded(self) -> Self {
        Self { is_decoded: true, ..self }
    }

    /// Says which address the client was connected to. The guard checks it, and the pace by address counts it.
    #[must_use]
    pub fn from_address(self, address: IpAddr) -> Self {
        Self { address: Some(address), ..self }
    }

    /// Reports this to a machine that waits for a response.
    pub(crate) fn report(self, machine: &mut Machine, now: Moment) {
        if let Some(address) = self.address {
            machine.on(Event::ConnectedTo(address), now);
        }
        let response = match self.came {
            Ok(response) => response,
            Err(why) if self.was_asked => return machine.on(Event::Failed(&why), now),
            Err(why) => return machine.on(Event::NotAsked(&why), now),
        };
        let Response { head, content, transfer, length, body } = response;
        machine.on(Event::Head(head), now);
        let lines = |lines: &[Vec<u8>]| lines.to_vec();
        let (content, transfer) = (if self.is_decoded { Vec::new() } else { lines(&content) }, lines(&transfer));
        let coding = Coding::of(content.iter().map(Vec::as_slice), transfer.iter().map(Vec::as_slice), false);
        // A client that undoes a coding may show the length of what was coded.
        let is_short = !self.is_decoded && length > u64::try_from(body.len()).ok();
        let fed = feed(machine, coding, &body, now);
        if machine.step() != Step::Read {
            return;
        }
        match fed {
            Ok(()) if is_short => machine.on(Event::BrokenOff("shorter than its length"), now),
            Ok(()) if self.is_broken_off => machine.on(Event::BrokenOff("its body is not whole"), now),
            Ok(()) => machine.on(Event::End, now),
            Err(error) => machine.on(of_decoder(&error, &error.to_string()), now),
        }
    }

    /// The retrieval that this response makes by itself, with default limits. A redirect with a target is no answer. It
    /// took no time; set [`Retrieval::began`] and [`Retrieval::ended`] for the pace to know how long the server took.
    #[must_use]
    pub fn retrieval(self, origin: &Origin) -> Retrieval {
        let limits = RetrievalLimits { extra_rounds: 0, ..RetrievalLimits::default() };
        // The site is the caller's choice, and so is the address.
        let now = Moment::now();
        let mut machine = Machine::new(origin.clone(), limits, AddressGuard::anything(), now);
        machine.on(Event::ByClient, now);
        self.report(&mut machine, now);
        let is_redirect = matches!(machine.step(), Step::Resolve { .. } | Step::Connect { .. });
        machine.on(Event::ByClient, now);
        if is_redirect {
            machine.on(Event::Failed("a redirect that the client did not follow"), now);
        }
        machine.into_retrieval(now)
    }
}

/// Gives a machine a body that came, decoded, as long as it reads.
pub(crate) fn feed(machine: &mut Machine, coding: Coding, body: &[u8], now: Moment) -> io::Result<()> {
    let mut decoded = coding.decoded(body, machine.limits().max_bytes);
    let mut buffer = vec![0; BUFFER];
    while machine.step() == Step::Read {
        match decoded.read(&mut buffer)? {
            0 => break,
            count => machine.on(Event::Chunk(buffer.get(..count).unwrap_or_default()), now),
        }
    }
    Ok(())
}

/// What an error of a decoder means.
pub(crate) fn of_decoder<'w>(error: &io::Error, why: &'w str) -> Event<'w> {
    if is_damage(error) { Event::Damaged(why) } else { Event::BrokenOff(why) }
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

/// Size of the buffer for decoded bytes.
const BUFFER: usize = 16_384;
