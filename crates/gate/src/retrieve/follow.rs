//! One retrieval: a request, then one for each redirect, and what they come to. It opens no socket and reads no clock.
//!
//! Invariant: whatever servers answer, a retrieval ends after `max_redirects` + 1 requests or at its deadline. Each URL is
//! checked by the guard before anybody connects. The result belongs to the origin of the first request.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::Duration;

use robosieve::printable::harmless_at_most;
use url::{Host, Url};

use crate::moment::Moment;
use crate::origin::{Origin, is_localhost};
use crate::retrieve::address::AddressGuard;
use crate::retrieve::fetched::{Came, Fetched};
use crate::retrieve::head::Head;
use crate::retrieve::limits::RetrievalLimits;
use crate::retrieve::retrieval::{Attempt, AttemptEnd, Cut, Outcome, Retrieval};
use crate::retrieve::retriever::Request;
use crate::retrieve::validators::Validators;

/// What comes next in a retrieval.
#[derive(Debug)]
pub enum Then {
    /// Make this request, follow no redirect, and call [`Follow::came`] with the response.
    Request(Box<Follow>, Request),
    /// Nothing: this is the result.
    Done(Box<Retrieval>),
}

/// A retrieval under way. It judges what came, and says what to request next.
///
/// ```
/// use robosieve_gate::{Moment, Origin};
/// use robosieve_gate::retrieve::{AddressGuard, Fetched, Follow, Outcome, RetrievalLimits, Then, Validators};
///
/// let (origin, guard) = (Origin::of("http://example.com/a")?, AddressGuard::global_only());
/// let now = Moment::now();
/// let mut then = Follow::begin(&origin, RetrievalLimits::default(), &guard, Validators::default(), now);
/// let retrieval = loop {
///     match then {
///         // Here a client makes the request.
///         Then::Request(follow, request) => {
///             assert_eq!(request.url.path(), "/robots.txt");
///             then = follow.came(Fetched::new(404, ""), now);
///         }
///         Then::Done(retrieval) => break retrieval,
///     }
/// };
/// assert_eq!(retrieval.outcome, Outcome::NoRules);
/// # Ok::<(), robosieve_gate::origin::OriginError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Follow {
    origin: Origin,
    limits: RetrievalLimits,
    guard: AddressGuard,
    held: Validators,
    began: Moment,
    deadline: Moment,
    waited: Duration,
    redirects: Vec<Url>,
    attempts: Vec<Attempt>,
}

/// Why a redirect is not followed.
enum NoTarget {
    /// It names no place that may be asked.
    Nowhere,
    /// Clients differ in how they read it.
    Unclear,
}

impl Follow {
    /// Begins the retrieval of an origin's robots.txt, for a caller who holds a copy with these validators.
    #[must_use]
    pub fn begin(
        origin: &Origin,
        limits: RetrievalLimits,
        guard: &AddressGuard,
        held: Validators,
        now: Moment,
    ) -> Then {
        let (origin, guard, redirects, attempts) = (origin.clone(), guard.clone(), Vec::new(), Vec::new());
        let (deadline, waited) = (now.after(limits.budget), Duration::ZERO);
        let url = Url::parse(&origin.robots_txt());
        let follow = Self { origin, limits, guard, held, began: now, deadline, waited, redirects, attempts };
        match url {
            Ok(url) => follow.request(url, now),
            Err(error) => follow.without_answer(None, &AttemptEnd::Failed, &error.to_string(), now),
        }
    }

    /// Says that the next request waits for its slot. That takes nothing of the site's time.
    pub fn wait(&mut self, request: &mut Request, time: Duration) {
        self.deadline = self.deadline.after(time);
        self.waited = self.waited.saturating_add(time);
        request.until = self.deadline;
    }

    /// How long its requests have waited for their slots.
    pub(crate) const fn waited(&self) -> Duration {
        self.waited
    }

    /// The time since it began.
    pub(crate) fn after(&self, now: Moment) -> Duration {
        now.since(self.began)
    }

    /// Ends the retrieval, because its next request has no slot before that time. This says nothing about the site.
    #[must_use]
    pub fn put_off(mut self, until: Moment, now: Moment) -> Retrieval {
        self.note(None, AttemptEnd::NotAsked(format!("no slot before {until}")));
        Retrieval { not_before: Some(until), ..self.retrieval(Outcome::NotAsked, now) }
    }

    /// Takes in what the last request came to.
    #[must_use]
    pub fn came(mut self, fetched: Fetched, now: Moment) -> Then {
        let address = fetched.address();
        let (head, body, cut) = match fetched.came(self.limits.max_bytes, &self.guard) {
            Came::Response { head, body, cut } => (head, body, cut),
            Came::Failed(why) => return self.without_answer(address, &AttemptEnd::Failed, &why, now),
            Came::NotAsked(why) => return self.without_answer(address, &AttemptEnd::NotAsked, &why, now),
        };
        let status = head.status();
        let is_conditional = self.redirects.is_empty() && !self.held.is_empty();
        let (outcome, why) = match status {
            ..=199 => {
                let why = format!("status {status} is not a final response");
                return self.without_answer(address, &AttemptEnd::Failed, &why, now);
            }
            200..=299 => return self.success(address, &head, (body, cut), now),
            300..=303 | 307 | 308 => match self.target(&head) {
                Ok(url) => {
                    self.note(address, AttemptEnd::Status(status));
                    return self.redirected(url, now);
                }
                Err(NoTarget::Nowhere) => (Outcome::Unavailable, None),
                Err(NoTarget::Unclear) => (Outcome::Unreachable, Some("its Location has a byte outside ASCII")),
            },
            304 if is_conditional => (Outcome::Unchanged, None),
            304 => (Outcome::Unreachable, Some("nobody asked whether anything changed")),
            500.. => (Outcome::Unreachable, None),
            400 | 404 | 410 => (Outcome::NoRules, None),
            // What they refuse is the form of our request, and not the crawler (RFC 9110 15.5.13 to 15.5.18, RFC 6585 5).
            412..=417 | 431 => (Outcome::Unreachable, Some("it refuses how it was asked")),
            _ => (Outcome::Unavailable, None),
        };
        let end = match why {
            Some(why) => AttemptEnd::NoAnswer { status, why: why.into() },
            None => AttemptEnd::Status(status),
        };
        self.note(address, end);
        Then::Done(Box::new(self.answered(outcome, &head, now)))
    }

    /// The request for a URL, if the guard admits it. A client checks the addresses of a name itself.
    fn request(self, url: Url, now: Moment) -> Then {
        let port = url.port_or_known_default().unwrap_or_default();
        if !self.guard.admits_port(port) {
            let why = format!("{}port {port} is neither 80, 443 nor above 1023", AddressGuard::REFUSED);
            return self.without_answer(None, &AttemptEnd::NotAsked, &why, now);
        }
        let address = match url.host() {
            Some(Host::Ipv4(address)) => Some(address.into()),
            Some(Host::Ipv6(address)) => Some(address.into()),
            // RFC 6761 6.3: such names are never looked up by anybody else.
            Some(Host::Domain(name)) if is_localhost(name) => Some(Ipv4Addr::LOCALHOST.into()),
            _ => None,
        };
        if let Some((address, why)) = address.and_then(|address| Some((address, self.guard.refusal(address)?))) {
            return self.without_answer(Some(address), &AttemptEnd::NotAsked, &why, now);
        }
        let held = if self.redirects.is_empty() { self.held.clone() } else { Validators::default() };
        let (hop, after) = (self.redirects.len(), now.since(self.began));
        let request = Request { url, address: None, held, hop, after, until: self.deadline };
        Then::Request(Box::new(self), request)
    }

    fn redirected(mut self, mut url: Url, now: Moment) -> Then {
        // The server that redirects must not choose our credentials.
        url.set_fragment(None);
        let _ = (url.set_username(""), url.set_password(None));
        self.redirects.push(url.clone());
        if now >= self.deadline {
            let why = "the time for the whole retrieval is over";
            return self.without_answer(None, &AttemptEnd::Failed, why, now);
        }
        self.request(url, now)
    }

    /// The target of a redirect that may be followed.
    fn target(&self, head: &Head) -> Result<Url, NoTarget> {
        if head.has_bad_location() {
            return Err(NoTarget::Unclear);
        }
        let max = self.limits.max_header;
        let is_room = self.redirects.len() < self.limits.max_redirects;
        let text = head.location(max).filter(|_| is_room).ok_or(NoTarget::Nowhere)?;
        let first = Url::parse(&self.origin.robots_txt()).ok();
        let url = self.redirects.last().cloned().or(first).and_then(|from| from.join(text).ok());
        // Percent-encoding may make the URL longer.
        let is_usable = |url: &Url| matches!(url.scheme(), "http" | "https") && url.as_str().len() <= max;
        url.filter(is_usable).ok_or(NoTarget::Nowhere)
    }

    fn success(
        mut self,
        address: Option<IpAddr>,
        head: &Head,
        (body, cut): (Vec<u8>, Option<(Cut, String)>),
        now: Moment,
    ) -> Then {
        let status = head.status();
        let (cut, end) = match cut {
            // Only a part of the file, although all of it was asked for (RFC 9110 15.3.7).
            _ if status == 206 => (Some(Cut::Early), AttemptEnd::Status(status)),
            Some((Cut::Early, why)) => {
                (Some(Cut::Early), AttemptEnd::Failed(short(&format!("status {status}, then: {why}"))))
            }
            cut => (cut.map(|(cut, _)| cut), AttemptEnd::Status(status)),
        };
        self.note(address, end);
        let outcome = if cut.is_some() { Outcome::Truncated } else { Outcome::Rules };
        Then::Done(Box::new(Retrieval { cut, body, ..self.answered(outcome, head, now) }))
    }

    /// Ends the retrieval with a failure of the site, or with trouble of ours.
    fn without_answer(
        mut self,
        address: Option<IpAddr>,
        end: &dyn Fn(String) -> AttemptEnd,
        why: &str,
        now: Moment,
    ) -> Then {
        let end = end(short(why));
        let is_ours = matches!(end, AttemptEnd::NotAsked(_));
        self.note(address, end);
        Then::Done(Box::new(self.retrieval(if is_ours { Outcome::NotAsked } else { Outcome::Unreachable }, now)))
    }

    fn note(&mut self, address: Option<IpAddr>, end: AttemptEnd) {
        let port =
            self.redirects.last().map_or(self.origin.port(), |url| url.port_or_known_default().unwrap_or_default());
        self.attempts
            .push(Attempt { address: address.map(|address| SocketAddr::new(address.to_canonical(), port)), end });
    }

    /// A result with what this head says of the file and of the next request.
    fn answered(self, outcome: Outcome, head: &Head, now: Moment) -> Retrieval {
        let max = self.limits.max_header;
        let is_read = matches!(outcome, Outcome::Rules | Outcome::Truncated | Outcome::Unchanged);
        let is_whole = is_read && outcome != Outcome::Truncated && self.redirects.is_empty();
        let retry_after = head.retry_after(max, now).map(|after| after.min(self.limits.max_retry_after));
        Retrieval {
            status: Some(head.status()),
            fresh_for: head.fresh_for(max, now).filter(|_| outcome != Outcome::Unreachable),
            retry_after: retry_after.filter(|_| !is_read || matches!(head.status(), 202 | 204 | 205)),
            validators: if is_whole { head.validators(max) } else { Validators::default() },
            ..self.retrieval(outcome, now)
        }
    }

    fn retrieval(self, outcome: Outcome, now: Moment) -> Retrieval {
        let redirects = self.redirects.iter().map(ToString::to_string).collect();
        let (began, waited, attempts) = (self.began, self.waited, self.attempts);
        Retrieval { redirects, attempts, waited, began, ..Retrieval::of(self.origin, outcome, None, Vec::new(), now) }
    }
}

impl Fetched {
    /// The retrieval that this response makes by itself, with default limits. A redirect with a target is no answer. It
    /// took no time; set [`Retrieval::began`] and [`Retrieval::ended`] for the pace to know how long the server took.
    #[must_use]
    pub fn retrieval(self, origin: &Origin) -> Retrieval {
        let limits = RetrievalLimits { extra_rounds: 0, ..RetrievalLimits::default() };
        // The site is the caller's choice, and so is the address.
        let now = Moment::now();
        let mut then = Follow::begin(origin, limits, &AddressGuard::anything(), Validators::default(), now);
        let mut came = Some(self);
        loop {
            match then {
                Then::Done(retrieval) => return *retrieval,
                Then::Request(follow, _) => {
                    let fetched = came.take();
                    let fetched = fetched.unwrap_or_else(|| Self::failed("a redirect that the client did not follow"));
                    then = follow.came(fetched, now);
                }
            }
        }
    }
}

/// A reason, harmless and short.
fn short(why: &str) -> String {
    harmless_at_most(why, MAX_REASON)
}

/// The most bytes of a reason. Our choice: it is for people, and a server must not fill it with a megabyte.
const MAX_REASON: usize = 200;
