//! The blocking driver: carries out the machine's steps with real host names, sockets, TLS and time.
//!
//! Invariant: it connects to the address that the machine gives, and to no other. It reports every failure to the
//! machine and returns no error itself.

mod clock;
mod ends;
mod exchange;
mod meter;
mod through;
mod time_outs;
mod trouble;

use std::fmt;
use std::io::Read;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use url::{Host, Url};

use crate::moment::Moment;
use crate::net::cached_names::CachedNames;
use crate::net::identity::CrawlerIdentity;
use crate::net::names::{LookUpError, Resolver, SystemResolver};
use crate::net::tls::CertificateError;
use crate::net::tunnel::Target;
use crate::origin::Origin;
use crate::retrieve::address::AddressGuard;
use crate::retrieve::coding::is_damage;
use crate::retrieve::connections::Connections;
use crate::retrieve::limits::RetrievalLimits;
use crate::retrieve::machine::{Event, Machine, Step};
use crate::retrieve::retrieval::Retrieval;
use crate::retrieve::retriever::Retriever;
use crate::retrieve::turns::{AtOnce, Turn, Turns};
use crate::retrieve::validators::Validators;

pub use clock::{Clock, SystemClock};
pub use time_outs::TimeOuts;

use exchange::{Exchange, Way};
use trouble::Trouble;

/// Retrieves robots.txt files over the network.
///
/// It uses no proxy unless one is set ([`Connections::proxies`]), no cookies and no connection pool. It accepts gzip.
/// One driver serves any number of threads.
///
/// ```no_run
/// use robosieve_gate::{CrawlerIdentity, Driver, Origin};
/// use robosieve_gate::retrieve::{Outcome, Retriever};
/// let identity = CrawlerIdentity::new("MyBot", "1.0", "https://example.com/bot")?;
/// let retrieval = Driver::new(identity).retrieve(&Origin::of("https://example.com/a/page")?);
/// if retrieval.outcome == Outcome::Rules {
///     println!("{}", String::from_utf8_lossy(&retrieval.body));
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Driver {
    exchange: Exchange,
    limits: RetrievalLimits,
    guard: AddressGuard,
    time_outs: TimeOuts,
    resolver: Arc<dyn Resolver>,
    clock: Arc<dyn Clock>,
}

impl fmt::Debug for Driver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Driver")
            .field("limits", &self.limits)
            .field("guard", &self.guard)
            .field("time_outs", &self.time_outs)
            .finish_non_exhaustive()
    }
}

impl Driver {
    /// Creates a driver with this identity. Defaults: global addresses only, default limits, the system's resolver and
    /// clock, Mozilla's root certificates.
    #[must_use]
    pub fn new(identity: CrawlerIdentity) -> Self {
        Self {
            exchange: Exchange::new(identity),
            limits: RetrievalLimits::default(),
            guard: AddressGuard::global_only(),
            time_outs: TimeOuts::default(),
            resolver: Arc::new(CachedNames::new(SystemResolver::default())),
            clock: Arc::new(SystemClock::default()),
        }
    }

    /// Sets the limits.
    #[must_use]
    pub const fn limits(mut self, limits: RetrievalLimits) -> Self {
        self.limits = limits;
        self
    }

    /// Sets the guard that decides which addresses are allowed.
    #[must_use]
    pub fn guard(mut self, guard: AddressGuard) -> Self {
        self.guard = guard;
        self
    }

    /// Sets the time-outs.
    #[must_use]
    pub const fn time_outs(mut self, time_outs: TimeOuts) -> Self {
        self.time_outs = time_outs;
        self
    }

    /// Sets the resolver, instead of the system's with [`CachedNames`]. The guard checks its addresses like any others.
    #[must_use]
    pub fn resolver(mut self, resolver: impl Resolver + 'static) -> Self {
        self.resolver = Arc::new(resolver);
        self
    }

    /// Sets the clock for reading the time and for waiting.
    #[must_use]
    pub fn clock(mut self, clock: impl Clock + 'static) -> Self {
        self.clock = Arc::new(clock);
        self
    }

    /// Adds root certificates in PEM to Mozilla's: a company's own, or a test's.
    ///
    /// # Errors
    /// If the PEM has no certificate, or one that can't be read.
    pub fn root_certificates(mut self, pem: &[u8]) -> Result<Self, CertificateError> {
        self.exchange.add_roots(pem)?;
        Ok(self)
    }

    /// Sets headers of your own, and what is different for single hosts.
    ///
    /// # Errors
    /// If a certificate or its key can't be read.
    pub fn connections(mut self, connections: Connections) -> Result<Self, CertificateError> {
        self.exchange.connect_as(connections)?;
        Ok(self)
    }

    /// The time left for a step: at most `most`, and within the budget.
    fn within(&self, machine: &Machine, most: Duration) -> Duration {
        machine.deadline().since(self.clock.now()).min(most)
    }

    fn resolve(&self, machine: &mut Machine, host: &str, port: u16) {
        if machine.url().is_some_and(|url| self.exchange.connections().looks_up(url).is_some()) {
            return machine.on(Event::ByClient, self.clock.now());
        }
        let found = self.resolver.resolve(host, port, self.within(machine, self.time_outs.resolve));
        let now = self.clock.now();
        match found {
            Ok(addresses) => machine.on(Event::Resolved(&addresses), now),
            Err(LookUpError::NoSuchName(why)) => machine.on(Event::NotResolved(&why), now),
            Err(LookUpError::NotAsked(why)) => machine.on(Event::NotAsked(&why), now),
        }
    }

    /// How the server is connected to. A proxy is looked up like any host, and is the operator's: no guard checks it.
    fn way(&self, machine: &Machine, address: SocketAddr, url: &Url) -> Result<Way, Trouble> {
        let target = Target::of(address, url);
        let Some(proxy) = self.exchange.connections().proxy(url) else {
            return Ok(Way { addresses: vec![address], proxy: None, target });
        };
        let addresses = match &proxy.host {
            Host::Ipv4(address) => vec![IpAddr::V4(*address)],
            Host::Ipv6(address) => vec![IpAddr::V6(*address)],
            Host::Domain(name) => {
                let found = self.resolver.resolve(name, proxy.port, self.within(machine, self.time_outs.resolve));
                found.map_err(|why| Trouble::Own(format!("proxy {proxy}: {why}")))?
            }
        };
        let addresses = addresses.into_iter().map(|address| SocketAddr::new(address, proxy.port)).collect();
        Ok(Way { addresses, proxy: Some(proxy.clone()), target })
    }

    /// Waits for the turn of the next request. Whether it has one.
    fn take_turn(&self, machine: &mut Machine, turns: &dyn Turns) -> bool {
        loop {
            let now = self.clock.now();
            let Some(request) = machine.request(now) else { return false };
            let turn = turns.turn(&request);
            machine.on(Event::Turn(turn), now);
            match turn {
                Turn::Now => return true,
                // It waited too long.
                _ if machine.request(now).is_none() => return false,
                Turn::Again(wait) => self.clock.sleep_until(now.after(wait)),
                Turn::NotBefore(_) => {}
            }
        }
    }

    fn wait(&self, machine: &mut Machine, until: Moment) {
        self.clock.sleep_until(until);
        // A clock that returns too early must not cause an endless loop.
        machine.on(Event::Time, self.clock.now().max(until));
    }
}

impl Retriever for Driver {
    fn wait(&self, time: Duration) {
        self.clock.sleep_until(self.clock.now().after(time));
    }

    fn retrieve(&self, origin: &Origin) -> Retrieval {
        self.retrieve_if_changed(origin, &Validators::default())
    }

    fn retrieve_if_changed(&self, origin: &Origin, copy: &Validators) -> Retrieval {
        self.retrieve_in_turn(origin, copy, &AtOnce)
    }

    fn retrieve_in_turn(&self, origin: &Origin, copy: &Validators, turns: &dyn Turns) -> Retrieval {
        let machine = Machine::new(origin.clone(), self.limits, self.guard.clone(), self.clock.now());
        let mut machine = machine.conditional(copy.clone());
        let mut body: Option<Box<dyn Read>> = None;
        let mut buffer = vec![0; BUFFER];
        loop {
            match machine.step() {
                Step::Resolve { host, port } => self.resolve(&mut machine, &host, port),
                Step::Connect { address, url, held: copy } => {
                    if !self.take_turn(&mut machine, turns) {
                        continue;
                    }
                    let way = self.way(&machine, address, &url);
                    let (within, what) = (self.within(&machine, Duration::MAX), (&url, origin, &copy));
                    let answer =
                        way.and_then(|way| self.exchange.get(&way, what, within, &self.time_outs, &self.limits));
                    let now = self.clock.now();
                    match answer {
                        Ok((head, reader)) => {
                            body = Some(reader);
                            machine.on(Event::Head(head), now);
                        }
                        Err(trouble) => report(&mut machine, &trouble, now),
                    }
                }
                Step::Read => {
                    let read = body.as_mut().map_or(Ok(0), |body| body.read(&mut buffer));
                    let now = self.clock.now();
                    match read {
                        Ok(0) => machine.on(Event::End, now),
                        Ok(count) => match buffer.get(..count) {
                            Some(chunk) => machine.on(Event::Chunk(chunk), now),
                            None => machine.on(Event::BrokenOff("the reader returned a wrong number of bytes"), now),
                        },
                        Err(error) if is_damage(&error) => machine.on(Event::Damaged(&error.to_string()), now),
                        Err(error) => match Trouble::of_read(&error) {
                            Trouble::Site(why) => machine.on(Event::BrokenOff(&why), now),
                            trouble => report(&mut machine, &trouble, now),
                        },
                    }
                }
                Step::Wait { until } => self.wait(&mut machine, until),
                Step::Done => return machine.into_retrieval(self.clock.now()),
            }
        }
    }
}

fn report(machine: &mut Machine, trouble: &Trouble, now: Moment) {
    let event = match trouble {
        Trouble::Site(why) => Event::Failed(why),
        Trouble::Own(why) => Event::NotAsked(why),
        Trouble::NoRoute(why) => Event::NoRoute(why),
    };
    machine.on(event, now);
}

/// Size of the read buffer in bytes.
const BUFFER: usize = 16_384;
