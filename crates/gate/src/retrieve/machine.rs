//! The retrieval as a state machine: it takes events and returns the next step.
//!
//! Invariant: it uses no socket and no clock. Any event may come in any state at any time. An event that does not fit
//! changes nothing. After the time budget, any event ends the retrieval.

use std::mem;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::Duration;

use robosieve::printable::harmless_at_most;
use url::Url;

use crate::moment::Moment;
use crate::origin::{Origin, is_localhost};
use crate::retrieve::address::AddressGuard;
use crate::retrieve::head::Head;
use crate::retrieve::hop::Hop;
use crate::retrieve::limits::RetrievalLimits;
use crate::retrieve::retrieval::{Attempt, AttemptEnd, Cut, Outcome, Retrieval};
use crate::retrieve::retriever::{Request, Turn};
use crate::retrieve::validators::Validators;

/// The next step.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Step {
    /// Look up the addresses of this host. Answer with [`Event::Resolved`] or [`Event::NotResolved`].
    Resolve {
        /// The name, in ASCII.
        host: String,
        /// The port of the connection.
        port: u16,
    },
    /// Connect to this address and to no other, and GET the URL without following redirects. Use TLS with the host's
    /// name if the URL is https. Answer with [`Event::Head`] or [`Event::Failed`].
    Connect {
        /// The one address to connect to.
        address: SocketAddr,
        /// The URL to request. It has the host.
        url: Url,
        /// What to send as `If-None-Match` and `If-Modified-Since`. Empty if the request is not conditional.
        held: Validators,
    },
    /// Read more of the body. Answer with [`Event::Chunk`], [`Event::End`] or [`Event::BrokenOff`].
    Read,
    /// Wait until then. Answer with [`Event::Time`].
    Wait {
        /// Until when.
        until: Moment,
    },
    /// The retrieval has ended. Get it with [`Machine::into_retrieval`]. Close the connection if it is still open.
    Done,
}

/// An event: the result of a step.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// The host has these addresses.
    Resolved(&'a [IpAddr]),
    /// The host name has no address, says a name server: the reason, for people.
    NotResolved(&'a str),
    /// The client looks the name up itself, and tries its addresses in one step.
    ByClient,
    /// The address that such a client was connected to. The guard checks it.
    ConnectedTo(IpAddr),
    /// The step was not carried out, because of trouble on our side: no file descriptor, no name server. The reason,
    /// for people.
    NotAsked(&'a str),
    /// The address can't be reached from here: no route, or no address of its kind. The reason, for people.
    NoRoute(&'a str),
    /// No response: no connection, no TLS, no valid head, or a time-out. The reason, for people.
    Failed(&'a str),
    /// The head of the final response.
    Head(Head),
    /// The next bytes of the body, decoded.
    Chunk(&'a [u8]),
    /// The body is complete.
    End,
    /// The body ended too early: the reason, for people.
    BrokenOff(&'a str),
    /// The body could not be decoded, or has a wrong checksum, so any byte before may be wrong: the reason, for people.
    Damaged(&'a str),
    /// The turn of the next request, before it is made: after a wait, which costs none of the budget; or not soon,
    /// which ends the retrieval.
    Turn(Turn),
    /// Only time has passed.
    Time,
}

/// One retrieval of a site's robots.txt.
///
/// The driver carries out what [`Machine::step`] returns and reports the result with [`Machine::on`], until the step is
/// [`Step::Done`]:
///
/// ```
/// use robosieve_gate::{Moment, Origin};
/// use robosieve_gate::retrieve::{AddressGuard, Event, Head, Machine, Outcome, RetrievalLimits, Step};
///
/// let (mut now, origin) = (Moment::from_millis(0), Origin::of("http://example.com/a")?);
/// let mut machine = Machine::new(origin, RetrievalLimits::default(), AddressGuard::global_only(), now);
/// assert!(matches!(machine.step(), Step::Resolve { host, .. } if host == "example.com"));
/// machine.on(Event::Resolved(&["93.184.215.14".parse()?]), now);
/// assert!(matches!(machine.step(), Step::Connect { url, .. } if url.path() == "/robots.txt"));
/// machine.on(Event::Failed("connection refused"), now);
/// let Step::Wait { until } = machine.step() else { panic!() };
/// now = until;
/// machine.on(Event::Time, now);
/// assert!(matches!(machine.step(), Step::Connect { .. }));
/// machine.on(Event::Head(Head::new(404)), now);
/// assert_eq!(machine.step(), Step::Done);
/// let retrieval = machine.into_retrieval(now);
/// assert_eq!(retrieval.outcome, Outcome::NoRules);
/// assert_eq!(retrieval.attempts.len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// It stores at most `max_bytes` bytes of body and a record of every attempt: at most `(max_redirects + 1) *
/// max_addresses * (extra_rounds + 1)`.
#[derive(Clone, Debug)]
pub struct Machine {
    origin: Origin,
    limits: RetrievalLimits,
    guard: AddressGuard,
    began: Moment,
    deadline: Moment,
    /// The time that requests waited for their turns.
    waited: Duration,
    held: Validators,
    hop: Option<Hop>,
    redirects: Vec<String>,
    attempts: Vec<Attempt>,
    state: State,
}

#[derive(Clone, Debug)]
enum State {
    Resolving,
    Connecting(SocketAddr),
    Reading { address: SocketAddr, head: Box<Head>, body: Vec<u8> },
    Waiting(Moment),
    Done(Box<Retrieval>),
}

impl Machine {
    /// Starts the retrieval of this origin's robots.txt.
    #[must_use]
    pub fn new(origin: Origin, limits: RetrievalLimits, guard: AddressGuard, now: Moment) -> Self {
        let hop = Url::parse(&origin.robots_txt()).ok().and_then(Hop::new);
        let mut machine = Self {
            origin,
            limits,
            guard,
            began: now,
            deadline: now.after(limits.budget),
            waited: Duration::ZERO,
            held: Validators::default(),
            hop: None,
            redirects: Vec::new(),
            attempts: Vec::new(),
            state: State::Resolving,
        };
        machine.state = match hop {
            Some(hop) => machine.enter(hop, now),
            None => machine.unresolved("the origin has no URL", now),
        };
        machine
    }

    /// Makes the first request conditional: the caller holds a copy of the file that has these validators. A redirect's
    /// target is requested without a condition.
    #[must_use]
    pub fn conditional(self, held: Validators) -> Self {
        Self { held, ..self }
    }

    /// The end of the time budget. No step should take longer.
    #[must_use]
    pub const fn deadline(&self) -> Moment {
        self.deadline
    }

    /// The request that [`Step::Connect`] is about to make, for [`Turns::turn`](crate::retrieve::Turns::turn); `None`
    /// at another step.
    #[must_use]
    pub fn request(&self, now: Moment) -> Option<Request> {
        let (State::Connecting(address), Some(hop)) = (&self.state, &self.hop) else { return None };
        let address = Some(address.ip()).filter(|address| *address != UNKNOWN);
        let (url, held) = (hop.url().clone(), self.conditions().clone());
        Some(Request { url, address, held, hop: self.redirects.len(), after: now.since(self.began) })
    }

    /// The URL whose host is looked up or connected to.
    #[cfg(feature = "driver")]
    pub(crate) fn url(&self) -> Option<&Url> {
        self.hop.as_ref().map(Hop::url)
    }

    /// The limits.
    #[must_use]
    pub const fn limits(&self) -> &RetrievalLimits {
        &self.limits
    }

    /// The next step.
    #[must_use]
    pub fn step(&self) -> Step {
        match (&self.state, &self.hop) {
            (State::Resolving, Some(hop)) => {
                Step::Resolve { host: hop.host().unwrap_or_default().into(), port: hop.port() }
            }
            (State::Connecting(address), Some(hop)) => {
                Step::Connect { address: *address, url: hop.url().clone(), held: self.conditions().clone() }
            }
            (State::Reading { .. }, _) => Step::Read,
            (State::Waiting(until), _) => Step::Wait { until: *until },
            (State::Resolving | State::Connecting(_), None) | (State::Done(_), _) => Step::Done,
        }
    }

    /// Takes an event and its moment. A moment before an earlier one is not an error. It only makes the budget last
    /// longer.
    pub fn on(&mut self, event: Event<'_>, now: Moment) {
        let state = mem::replace(&mut self.state, State::Resolving);
        self.state = match (state, event) {
            (done @ State::Done(_), _) => done,
            (State::Connecting(address), Event::Turn(turn)) => self.turned(address, turn, now),
            (state, _) if now >= self.deadline => self.out_of_time(state, now),
            (State::Resolving, Event::Resolved(found)) => self.resolved(found, now),
            (State::Resolving, Event::NotResolved(why)) => self.unresolved(why, now),
            (State::Resolving, Event::ByClient) => self.by_client(now),
            (State::Connecting(address), Event::ConnectedTo(to)) => self.connected(address, to, now),
            (State::Resolving, Event::NotAsked(why) | Event::NoRoute(why)) => self.not_asked(None, why, now),
            (State::Connecting(address), Event::Failed(why)) => self.failed(address, why, now),
            (State::Connecting(address), Event::NotAsked(why)) => self.not_tried(address, why, false, now),
            (State::Connecting(address), Event::NoRoute(why)) => self.not_tried(address, why, true, now),
            (State::Reading { address, .. }, Event::NotAsked(why) | Event::NoRoute(why)) => {
                self.not_asked(Some(address), why, now)
            }
            (State::Connecting(address), Event::Head(head)) => self.answered(address, head, now),
            (State::Reading { address, head, body }, Event::Chunk(bytes)) => self.read(address, head, body, bytes, now),
            (State::Reading { address, head, body }, Event::End) => {
                self.note(address, AttemptEnd::Status(head.status()));
                match head.status() {
                    PARTIAL_CONTENT => self.truncated(Cut::Early, &head, body, now),
                    _ => self.done(Outcome::Rules, Some(&head), body, now),
                }
            }
            (State::Reading { address, head, body }, Event::BrokenOff(why)) => self.cut(address, &head, body, why, now),
            (State::Reading { address, head, .. }, Event::Damaged(why)) => {
                self.cut(address, &head, Vec::new(), why, now)
            }
            (State::Waiting(until), _) if now >= until => self.next_address(now),
            (state, _) => state,
        };
    }

    /// The result. A retrieval that has not ended is ended as if its time were over.
    #[must_use]
    pub fn into_retrieval(mut self, now: Moment) -> Retrieval {
        let mut state = mem::replace(&mut self.state, State::Resolving);
        loop {
            match state {
                State::Done(retrieval) => return *retrieval,
                unfinished => state = self.out_of_time(unfinished, now),
            }
        }
    }

    /// The result of a retrieval that could not begin, because of trouble on our side.
    #[cfg(feature = "driver")]
    pub(crate) fn not_begun(mut self, why: &str, now: Moment) -> Retrieval {
        self.state = self.not_asked(None, why, now);
        self.into_retrieval(now)
    }

    /// Begins with a host.
    fn enter(&mut self, hop: Hop, now: Moment) -> State {
        let host = match hop.host() {
            // RFC 6761 6.3: such names are never looked up by anybody else.
            Ok(name) if is_localhost(name) && self.guard.admits(LOCALHOST).is_err() => Err(LOCALHOST),
            host => host.map(|_| ()),
        };
        let port = hop.port();
        self.hop = Some(hop);
        if !self.guard.admits_port(port) {
            return self.refused_port(port, now);
        }
        match host {
            Ok(()) => State::Resolving,
            Err(address) => self.resolved(&[address], now),
        }
    }

    fn resolved(&mut self, found: &[IpAddr], now: Moment) -> State {
        let max = self.limits.max_addresses;
        let refused = self.hop.as_mut().map(|hop| hop.admit(found, &self.guard, max)).unwrap_or_default();
        let nothing_found = refused.is_empty() && !self.hop.as_ref().is_some_and(Hop::has_addresses);
        for (address, kind) in refused {
            self.note_trouble(address, &kind.refusal(address.ip()), true);
        }
        if nothing_found { self.unresolved("the host name has no address", now) } else { self.next_address(now) }
    }

    fn by_client(&mut self, now: Moment) -> State {
        if let Some(hop) = self.hop.as_mut() {
            hop.add_unchecked(UNKNOWN);
        }
        self.next_address(now)
    }

    fn connected(&mut self, asked: SocketAddr, to: IpAddr, now: Moment) -> State {
        let address = SocketAddr::new(to.to_canonical(), asked.port());
        match self.guard.admits(address.ip()) {
            Ok(()) => State::Connecting(address),
            Err(kind) => self.not_tried(address, &kind.refusal(address.ip()), true, now),
        }
    }

    /// The IBM crawler's documentation, 1: a host without an address is unreachable at once.
    fn unresolved(&mut self, why: &str, now: Moment) -> State {
        self.attempts.push(Attempt { address: None, end: AttemptEnd::Failed(harmless_at_most(why, MAX_REASON)) });
        self.done(Outcome::Unreachable, None, Vec::new(), now)
    }

    fn refused_port(&mut self, port: u16, now: Moment) -> State {
        let why = format!("{}port {port} is neither 80, 443 nor above 1023", AddressGuard::REFUSED);
        self.not_asked(None, &why, now)
    }

    /// Ends the retrieval: what comes next can't be done on our side.
    fn not_asked(&mut self, address: Option<SocketAddr>, why: &str, now: Moment) -> State {
        self.attempts.push(Attempt { address, end: AttemptEnd::NotAsked(harmless_at_most(why, MAX_REASON)) });
        self.done(Outcome::NotAsked, None, Vec::new(), now)
    }

    /// Trouble of ours with one address: no way to it, which the guard may not give either, or want of something.
    fn not_tried(&mut self, address: SocketAddr, why: &str, is_way: bool, now: Moment) -> State {
        self.note_trouble(address, why, is_way);
        self.next_address(now)
    }

    fn note_trouble(&mut self, address: SocketAddr, why: &str, is_way: bool) {
        self.note(address, AttemptEnd::NotAsked(harmless_at_most(why, MAX_REASON)));
        if let Some(hop) = self.hop.as_mut() {
            hop.troubles.add(is_way);
        }
    }

    /// The condition of the next request.
    const fn conditions(&self) -> &Validators {
        if self.redirects.is_empty() { &self.held } else { &Validators::NONE }
    }

    fn next_address(&mut self, now: Moment) -> State {
        let Some(hop) = self.hop.as_mut() else { return self.unreachable(now) };
        if let Some(address) = hop.next_address() {
            return State::Connecting(address);
        }
        let until = now.after(self.limits.round_wait);
        if until < self.deadline && hop.next_round(self.limits.extra_rounds) {
            return State::Waiting(until);
        }
        self.unreachable(now)
    }

    /// A wait for a turn is ours: it takes nothing of the site's time.
    fn turned(&mut self, address: SocketAddr, turn: Turn, now: Moment) -> State {
        match turn {
            Turn::Now => State::Connecting(address),
            Turn::Again(wait) if self.waited.saturating_add(wait) > self.limits.budget.saturating_add(WAITS) => {
                self.note(address, AttemptEnd::Failed("its requests wait too long for their turns".into()));
                self.unreachable(now)
            }
            Turn::Again(wait) => {
                self.deadline = self.deadline.after(wait);
                self.waited = self.waited.saturating_add(wait);
                State::Connecting(address)
            }
            Turn::NotBefore(until) => {
                let why = format!("no slot for {} before {until}", address.ip());
                self.note(address, AttemptEnd::NotAsked(why));
                let retrieval = self.end(Outcome::NotAsked, None, Vec::new(), now);
                State::Done(Box::new(Retrieval { not_before: Some(until), ..retrieval }))
            }
        }
    }

    fn failed(&mut self, address: SocketAddr, why: &str, now: Moment) -> State {
        self.note(address, AttemptEnd::Failed(harmless_at_most(why, MAX_REASON)));
        if let Some(hop) = self.hop.as_mut() {
            hop.troubles.site_failed = true;
        }
        self.next_address(now)
    }

    fn answered(&mut self, address: SocketAddr, head: Head, now: Moment) -> State {
        let status = head.status();
        match status {
            ..=199 => return self.failed(address, &format!("status {status} is not a final response"), now),
            200..=299 => return State::Reading { address, head: Box::new(head), body: Vec::new() },
            300..=303 | 307 | 308 if head.has_bad_location() => {
                return self.no_answer(address, "its Location has a byte outside ASCII", head, now);
            }
            304 if self.conditions().is_empty() => {
                return self.no_answer(address, "nobody asked whether anything changed", head, now);
            }
            _ => self.note(address, AttemptEnd::Status(status)),
        }
        match status {
            300..=303 | 307 | 308 => self.redirected(&head, now),
            304 => self.done(Outcome::Unchanged, Some(&head), Vec::new(), now),
            500.. => self.bad(head, now),
            400 | 404 | 410 => self.done(Outcome::NoRules, Some(&head), Vec::new(), now),
            _ => self.done(Outcome::Unavailable, Some(&head), Vec::new(), now),
        }
    }

    /// A response below 500 that is no answer, as 500 is none.
    fn no_answer(&mut self, address: SocketAddr, why: &str, head: Head, now: Moment) -> State {
        self.note(address, AttemptEnd::NoAnswer { status: head.status(), why: why.into() });
        self.bad(head, now)
    }

    /// A response that counts as a bad connection.
    fn bad(&mut self, head: Head, now: Moment) -> State {
        if let Some(hop) = self.hop.as_mut() {
            hop.bad = Some(head);
        }
        self.next_address(now)
    }

    fn redirected(&mut self, head: &Head, now: Moment) -> State {
        let room = self.redirects.len() < self.limits.max_redirects;
        match self.target(head).filter(|_| room) {
            Some(hop) => {
                self.redirects.push(hop.url().as_str().into());
                self.enter(hop, now)
            }
            None => self.done(Outcome::Unavailable, Some(head), Vec::new(), now),
        }
    }

    fn target(&self, head: &Head) -> Option<Hop> {
        let max = self.limits.max_header;
        let target = self.hop.as_ref()?.url().join(head.location(max)?).ok()?;
        // Percent-encoding may make the URL longer.
        Hop::new(target).filter(|hop| hop.url().as_str().len() <= max)
    }

    fn read(&mut self, address: SocketAddr, head: Box<Head>, mut body: Vec<u8>, bytes: &[u8], now: Moment) -> State {
        let room = self.limits.max_bytes.saturating_sub(body.len());
        body.extend_from_slice(bytes.get(..room).unwrap_or(bytes));
        if bytes.len() <= room {
            return State::Reading { address, head, body };
        }
        self.note(address, AttemptEnd::Status(head.status()));
        let cut = if head.status() == PARTIAL_CONTENT { Cut::Early } else { Cut::AtCap };
        self.truncated(cut, &head, body, now)
    }

    fn cut(&mut self, address: SocketAddr, head: &Head, body: Vec<u8>, why: &str, now: Moment) -> State {
        let why = harmless_at_most(&format!("status {}, then: {why}", head.status()), MAX_REASON);
        self.note(address, AttemptEnd::Failed(why));
        self.truncated(Cut::Early, head, body, now)
    }

    fn out_of_time(&mut self, state: State, now: Moment) -> State {
        const WHY: &str = "the time for the whole retrieval is over";
        match state {
            State::Done(_) => state,
            State::Reading { address, head, body } => self.cut(address, &head, body, WHY, now),
            // The look-up takes our time, not the site's.
            State::Resolving => self.not_asked(None, WHY, now),
            State::Connecting(address) => {
                self.note(address, AttemptEnd::Failed(WHY.into()));
                self.unreachable(now)
            }
            State::Waiting(_) => self.unreachable(now),
        }
    }

    /// Ends the retrieval: no address of the host gave a status below 500.
    fn unreachable(&mut self, now: Moment) -> State {
        let bad = self.hop.as_mut().and_then(|hop| hop.bad.take());
        let is_ours = bad.is_none() && self.hop.as_ref().is_some_and(|hop| hop.troubles.are_ours());
        let outcome = if is_ours { Outcome::NotAsked } else { Outcome::Unreachable };
        self.done(outcome, bad.as_ref(), Vec::new(), now)
    }

    fn note(&mut self, address: SocketAddr, end: AttemptEnd) {
        let address = Some(address).filter(|address| address.ip() != UNKNOWN);
        self.attempts.push(Attempt { address, end });
    }

    fn truncated(&mut self, cut: Cut, head: &Head, body: Vec<u8>, now: Moment) -> State {
        let retrieval = self.end(Outcome::Truncated, Some(head), body, now);
        State::Done(Box::new(Retrieval { cut: Some(cut), ..retrieval }))
    }

    fn done(&mut self, outcome: Outcome, head: Option<&Head>, body: Vec<u8>, now: Moment) -> State {
        State::Done(Box::new(self.end(outcome, head, body, now)))
    }

    fn end(&mut self, outcome: Outcome, head: Option<&Head>, body: Vec<u8>, now: Moment) -> Retrieval {
        let max = self.limits.max_header;
        let answered = !matches!(outcome, Outcome::Unreachable | Outcome::NotAsked);
        let read = matches!(outcome, Outcome::Rules | Outcome::Truncated | Outcome::Unchanged);
        let is_whole = matches!(outcome, Outcome::Rules | Outcome::Unchanged) && self.redirects.is_empty();
        Retrieval {
            origin: self.origin.clone(),
            outcome,
            cut: None,
            status: head.map(Head::status),
            body,
            redirects: mem::take(&mut self.redirects),
            fresh_for: head.filter(|_| answered).and_then(|head| head.fresh_for(max, now)),
            retry_after: head
                .filter(|head| !read || matches!(head.status(), 202 | 204 | 205))
                .and_then(|head| head.retry_after(max, now))
                .map(|after| after.min(self.limits.max_retry_after)),
            validators: head.filter(|_| is_whole).map(|head| head.validators(max)).unwrap_or_default(),
            attempts: mem::take(&mut self.attempts),
            not_before: None,
            waited: self.waited,
            began: self.began,
            ended: now,
        }
    }
}

const LOCALHOST: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

/// So much longer than its budget the requests of a retrieval may wait for their turns. Our choice: 10 seconds.
const WAITS: Duration = Duration::from_secs(10);

/// The address of a host that only the client knows.
pub(crate) const UNKNOWN: IpAddr = IpAddr::V4(Ipv4Addr::UNSPECIFIED);

/// The server says that this is only a part (RFC 9110 15.3.7), although the request was for the whole file.
const PARTIAL_CONTENT: u16 = 206;

/// The most bytes of a reason. Our choice: it is for people, and a server must not fill it with a megabyte.
const MAX_REASON: usize = 200;
