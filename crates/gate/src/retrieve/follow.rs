//! One retrieval: a request, then one for each redirect, and what they come to. It opens no socket and reads no clock.
//!
//! Invariant: a retrieval, from any server, ends after `max_redirects` + 1 requests or at its deadline. Each URL is
//! checked by the guard before anybody connects. The result belongs to the origin of the first request.
#![allow(clippy::missing_errors_doc, reason = "the end of a retrieval is no error")]

use std::net::Ipv4Addr;
use std::time::Duration;

use robosieve_printable::harmless_at_most;
use url::{Host, Url};

use crate::moment::Moment;
use crate::origin::{Origin, is_localhost};
use crate::retrieve::head::{Head, MAX_VALUE};
use crate::retrieve::{AddressGuard, Cut, Fetched, Outcome, Retrieval, Validators};

/// Limits of one retrieval. Any value is valid. Smaller values end a retrieval sooner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RetrievalLimits {
    /// Bytes of the decoded body. The rest is not read. RFC 9309 2.5 requires at least 500 KiB, and the library reads
    /// the same amount.
    pub max_bytes: usize,
    /// Redirects followed in a row. RFC 9309 2.3.1.2 requires at least five.
    pub max_redirects: usize,
    /// Addresses of a host that are tried. Further ones are ignored.
    pub max_addresses: usize,
    /// The number of extra rounds over all addresses of a host, after all have failed: one in the IBM crawler's
    /// documentation.
    pub extra_rounds: u32,
    /// The wait before an extra round: two seconds in the IBM crawler's documentation.
    pub round_wait: Duration,
    /// Time for the whole retrieval, with redirects and waits. It may end a step below earlier.
    pub budget: Duration,
    /// Time for the look-up of a host name.
    pub resolve: Duration,
    /// Time for connecting, with the TLS handshake, and for the talk with a proxy.
    pub connect: Duration,
    /// Time for the response's head, counted from the request.
    pub head: Duration,
    /// Time for the whole body, counted from the head.
    pub body: Duration,
    /// Time for one read of the body. A server that is silent for longer is given up.
    pub silence: Duration,
}

impl Default for RetrievalLimits {
    fn default() -> Self {
        Self {
            max_bytes: 512_000,
            max_redirects: 5,
            max_addresses: 16,
            extra_rounds: 1,
            round_wait: Duration::from_secs(2),
            budget: Duration::from_secs(60),
            resolve: Duration::from_secs(10),
            connect: Duration::from_secs(10),
            head: Duration::from_secs(15),
            body: Duration::from_secs(30),
            silence: Duration::from_secs(10),
        }
    }
}

/// A request that a client is to make. It follows no redirect.
///
/// A client that looks names up itself connects to no address that the guard refuses ([`AddressGuard::refusal`]).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// What is requested.
    pub url: Url,
    /// What makes it conditional: `If-None-Match` and `If-Modified-Since`. Empty if nothing does.
    pub held: Validators,
    /// The number of redirects before it: 0 for the request to the site itself.
    pub hop: usize,
    /// How long it may take.
    pub time: Duration,
    /// The limits of the retrieval.
    pub limits: RetrievalLimits,
    /// Which addresses may be connected to.
    pub guard: AddressGuard,
}

/// A retrieval goes on with a request, or has ended.
pub type Then = Result<Box<Follow>, Box<Retrieval>>;

/// A retrieval under way: its next request, and the judge of what comes of it.
#[derive(Clone, Debug)]
#[must_use]
pub struct Follow {
    request: Request,
    deadline: Moment,
    /// What it has come to so far.
    pub(crate) so_far: Retrieval,
}

impl Follow {
    /// Begins the retrieval of an origin's robots.txt, for a caller who holds a copy with these validators.
    pub fn begin(
        origin: &Origin,
        limits: RetrievalLimits,
        guard: &AddressGuard,
        held: Validators,
        now: Moment,
    ) -> Then {
        let so_far = Retrieval::of(origin.clone(), Outcome::Unreachable, None, "", now);
        let url = match Url::parse(&origin.robots_txt()) {
            Ok(url) => url,
            Err(error) => return Err(Box::new(Retrieval { error: Some(short(&error.to_string())), ..so_far })),
        };
        let request = Request { url, held, hop: 0, time: limits.budget, limits, guard: guard.clone() };
        Self { request, deadline: now.after(limits.budget), so_far }.checked(now)
    }

    /// The next request: make it, follow no redirect, and call [`Follow::came`] with the response.
    pub const fn request(&self) -> &Request {
        &self.request
    }

    /// Says that the next request waits for its slot. That takes nothing of the site's time.
    pub fn wait(&mut self, time: Duration) {
        self.deadline = self.deadline.after(time);
        self.so_far.waited = self.so_far.waited.saturating_add(time);
    }

    /// Ends the retrieval, because its next request has no slot before that time. This says nothing about the site.
    pub fn put_off(self, until: Moment, now: Moment) -> Retrieval {
        let error = Some(format!("no slot before {until}"));
        Retrieval { not_before: Some(until), error, ..self.retrieval(Outcome::NotAsked, now) }
    }

    /// Takes in what the last request came to.
    pub fn came(mut self, fetched: Fetched, now: Moment) -> Then {
        self.so_far.requests = self.so_far.requests.saturating_add(1);
        let (head, body, cut) = match fetched.came(self.request.limits.max_bytes, &self.request.guard) {
            Ok(response) => response,
            Err((outcome, why)) => return self.without_answer(outcome, &why, now),
        };
        let status = head.status;
        let (outcome, why) = match status {
            ..=199 => {
                let why = format!("status {status} is not a final response");
                return self.without_answer(Outcome::Unreachable, &why, now);
            }
            200..=299 => return self.success(&head, (body, cut), now),
            // Clients differ in how they read it.
            300..=303 | 307 | 308 if head.has_bad_location() => {
                (Outcome::Unreachable, Some("its Location has a byte outside ASCII"))
            }
            300..=303 | 307 | 308 => match self.target(&head) {
                Some(url) => return self.redirected(url, now),
                None => (Outcome::Unavailable, None),
            },
            304 if !self.request.held.is_empty() => (Outcome::Unchanged, None),
            304 => (Outcome::Unreachable, Some("nobody asked whether anything changed")),
            500.. => (Outcome::Unreachable, None),
            400 | 404 | 410 => (Outcome::NoRules, None),
            // What they refuse is the form of our request, and not the crawler (RFC 9110 15.5.13 to 15.5.18, RFC 6585
            // 5).
            412..=417 | 431 => (Outcome::Unreachable, Some("it refuses how it was asked")),
            _ => (Outcome::Unavailable, None),
        };
        let error = why.map(|why| format!("status {status}, which is no answer: {why}"));
        Err(Box::new(Retrieval { error, ..self.answered(outcome, &head, now) }))
    }

    /// The next request, if the guard admits it. A client checks the addresses of a name itself.
    fn checked(mut self, now: Moment) -> Then {
        let Request { url, guard, .. } = &self.request;
        let port = url.port_or_known_default().unwrap_or_default();
        let address = match url.host() {
            Some(Host::Ipv4(address)) => Some(address.into()),
            Some(Host::Ipv6(address)) => Some(address.into()),
            // RFC 6761 6.3: such names are never looked up by anybody else.
            Some(Host::Domain(name)) if is_localhost(name) => Some(Ipv4Addr::LOCALHOST.into()),
            _ => None,
        };
        let of_port = || format!("{}port {port} is neither 80, 443 nor above 1023", AddressGuard::REFUSED);
        let refusal = (!guard.admits_port(port)).then(of_port);
        if let Some(why) = refusal.or_else(|| guard.refusal(address?)) {
            self.so_far.requests = self.so_far.requests.saturating_add(1);
            return self.without_answer(Outcome::NotAsked, &why, now);
        }
        self.request.time = self.deadline.since(now);
        Ok(Box::new(self))
    }

    fn redirected(mut self, mut url: Url, now: Moment) -> Then {
        // The server that redirects must not choose our credentials.
        url.set_fragment(None);
        let _ = (url.set_username(""), url.set_password(None));
        self.so_far.redirects.push(url.to_string());
        if now >= self.deadline {
            return self.without_answer(Outcome::Unreachable, "the time for the whole retrieval is over", now);
        }
        (self.request.url, self.request.held) = (url, Validators::default());
        self.request.hop = self.so_far.redirects.len();
        self.checked(now)
    }

    /// The target of a redirect that may be followed.
    fn target(&self, head: &Head) -> Option<Url> {
        let text = head.text("location").filter(|_| self.so_far.redirects.len() < self.request.limits.max_redirects)?;
        // Percent-encoding may make the URL longer.
        let is_usable = |url: &Url| matches!(url.scheme(), "http" | "https") && url.as_str().len() <= MAX_VALUE;
        self.request.url.join(text).ok().filter(is_usable)
    }

    fn success(self, head: &Head, (body, cut): (Vec<u8>, Option<(Cut, String)>), now: Moment) -> Then {
        let (status, cut) = (head.status, cut.as_ref());
        let error = match cut {
            Some((Cut::Early, why)) if status != 206 => Some(short(&format!("status {status}, then: {why}"))),
            _ => None,
        };
        // 206: only a part of the file, although all of it was asked for (RFC 9110 15.3.7).
        let cut = if status == 206 { Some(Cut::Early) } else { cut.map(|(cut, _)| *cut) };
        let outcome = if cut.is_some() { Outcome::Truncated } else { Outcome::Rules };
        Err(Box::new(Retrieval { cut, body, error, ..self.answered(outcome, head, now) }))
    }

    /// Ends the retrieval with a failure of the site, or with trouble of ours.
    fn without_answer(self, outcome: Outcome, why: &str, now: Moment) -> Then {
        Err(Box::new(Retrieval { error: Some(short(why)), ..self.retrieval(outcome, now) }))
    }

    /// A result with what this head says of the file and of the next request.
    fn answered(self, outcome: Outcome, head: &Head, now: Moment) -> Retrieval {
        let is_read = matches!(outcome, Outcome::Rules | Outcome::Truncated | Outcome::Unchanged);
        let is_whole = is_read && outcome != Outcome::Truncated && self.so_far.redirects.is_empty();
        Retrieval {
            status: Some(head.status),
            fresh_for: head.fresh_for(now).filter(|_| outcome != Outcome::Unreachable),
            retry_after: head.retry_after(now).filter(|_| !is_read || matches!(head.status, 202 | 204 | 205)),
            validators: if is_whole { head.validators() } else { Validators::default() },
            ..self.retrieval(outcome, now)
        }
    }

    fn retrieval(self, outcome: Outcome, now: Moment) -> Retrieval {
        Retrieval { outcome, ended: now, ..self.so_far }
    }
}

/// A reason, harmless and short.
fn short(why: &str) -> String {
    harmless_at_most(why, MAX_REASON)
}

/// The most bytes of a reason. Our choice: it is for people, and a server must not fill it with a megabyte.
const MAX_REASON: usize = 200;
