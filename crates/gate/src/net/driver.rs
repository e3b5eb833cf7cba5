//! The driver: carries out the machine's steps with real host names, sockets, TLS and time.
//!
//! Invariant: it connects to the address that the machine gives, and to no other. It reports every failure to the
//! machine and returns no error itself. It reads the time from its clock alone, so a test can set it. Async code awaits
//! it; code that blocks runs the same in a runtime of its own.

use std::fmt;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use tokio::runtime::{Builder, Handle};
use url::{Host, Url};

use crate::moment::{Moment, RunClock};
use crate::net::cached_names::CachedNames;
use crate::net::exchange::{Answer, Bounds, Exchange, Way};
use crate::net::names::{Found, LookUpError, Resolver, SystemResolver};
use crate::net::tls::CertificateError;
use crate::net::trouble::{in_words, of_request};
use crate::net::tunnel::{NoWay, Target};
use crate::origin::{Origin, is_localhost};
use crate::retrieve::address::AddressGuard;
use crate::retrieve::drive::{AskForTurn, Client, Shared, drive};
use crate::retrieve::identity::CrawlerIdentity;
use crate::retrieve::limits::{RetrievalLimits, TimeOuts};
use crate::retrieve::machine::{Event, Machine, Step};
use crate::retrieve::own_headers::OwnHeaders;
use crate::retrieve::proxy::{Proxies, Proxy};
use crate::retrieve::retrieval::Retrieval;
use crate::retrieve::retriever::{AsyncRetriever, AtOnce, Retriever, Turns};
use crate::retrieve::validators::Validators;

/// A wait that ends by itself.
pub type Sleep<'c> = Pin<Box<dyn Future<Output = ()> + Send + 'c>>;

/// Tells the time, and waits. The system's is [`RunClock`].
pub trait Clock: Send + Sync {
    /// The current time.
    fn now(&self) -> Moment;

    /// Waits until that time, in tokio.
    fn sleep_until(&self, until: Moment) -> Sleep<'_>;
}

impl Clock for RunClock {
    fn now(&self) -> Moment {
        Self::now(self)
    }

    fn sleep_until(&self, until: Moment) -> Sleep<'_> {
        // Tokio's own begins when it is made, which may be outside of a runtime.
        Box::pin(async move { tokio::time::sleep(until.since(self.now())).await })
    }
}

/// Retrieves robots.txt files over the network, in async code over tokio ([`AsyncRetriever`]) and in code that blocks
/// ([`Retriever`]).
///
/// It uses no proxy unless one is set ([`Driver::proxies`]), no cookies and no connection pool. It accepts gzip.
/// One driver serves any number of threads and tasks; clones share one TLS configuration.
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
            clock: Arc::new(RunClock::default()),
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

    /// Sets the resolver, instead of the system's with [`CachedNames`]. It may block: it is asked in tokio's threads
    /// for blocking work, if it does not know the name. The guard checks its addresses like any others.
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

    /// Sets headers of your own, which are sent with each request.
    #[must_use]
    pub fn headers(mut self, headers: OwnHeaders) -> Self {
        self.exchange.headers = headers;
        self
    }

    /// Sets the proxies. Without them, every host is connected to directly.
    #[must_use]
    pub fn proxies(mut self, proxies: Proxies) -> Self {
        self.exchange.proxies = proxies;
        self
    }

    /// The proxy for a URL, if it looks the URL's name up. It gets no name of its own computer: a guard that refuses
    /// such addresses would not see it.
    fn looks_up(&self, url: &Url) -> Option<&Proxy> {
        let is_local = is_localhost(url.domain()?);
        self.exchange.proxies.of(url).filter(|proxy| !is_local && !proxy.lets_names_be_checked())
    }

    fn machine(&self, origin: &Origin, held: &Validators) -> Machine {
        let machine = Machine::new(origin.clone(), self.limits, self.guard.clone(), self.clock.now());
        machine.conditional(held.clone())
    }

    async fn drive(&self, origin: &Origin, held: &Validators, turns: impl AskForTurn) -> Retrieval {
        let machine = self.machine(origin, held);
        drive(machine, Running { driver: self, answer: None }, turns).await
    }

    /// Looks a host up, in a thread for blocking work if it is not known.
    async fn look_up(&self, host: String, port: u16, within: Duration) -> Found {
        if let Some(addresses) = self.resolver.known(&host, port) {
            return Ok(addresses);
        }
        let resolver = Arc::clone(&self.resolver);
        let work = tokio::task::spawn_blocking(move || resolver.resolve(&host, port, within));
        work.await.unwrap_or_else(|error| Err(LookUpError::NotAsked(format!("its thread ended: {error}"))))
    }

    /// The time left for a step: at most `most`, and within the budget.
    fn within(&self, machine: &Machine, most: Duration) -> Duration {
        machine.deadline().since(self.clock.now()).min(most)
    }

    /// How a server is connected to. A proxy is looked up like any host.
    async fn way(&self, machine: &Machine, address: SocketAddr, url: &Url) -> io::Result<Way<'_>> {
        let target = Target::of(address, url);
        let proxy = self.exchange.proxies.of(url);
        let addresses = match proxy.map(|proxy| (proxy, &proxy.host)) {
            None => Vec::new(),
            Some((_, Host::Ipv4(address))) => vec![IpAddr::V4(*address)],
            Some((_, Host::Ipv6(address))) => vec![IpAddr::V6(*address)],
            Some((proxy, Host::Domain(name))) => {
                let within = self.within(machine, self.time_outs.resolve);
                let found = self.look_up(name.clone(), proxy.port, within).await;
                found.map_err(|why| NoWay::Ours(format!("{proxy}: {why}")))?
            }
        };
        Ok(Way { addresses, proxy, target })
    }
}

/// One retrieval with a driver.
struct Running<'d> {
    driver: &'d Driver,
    answer: Option<Answer>,
}

impl Client for Running<'_> {
    fn now(&self) -> Moment {
        self.driver.clock.now()
    }

    fn sleep_until(&self, until: Moment) -> impl Future<Output = ()> + Send {
        self.driver.clock.sleep_until(until)
    }

    async fn resolve(&self, machine: &mut Machine, host: String, port: u16) {
        if machine.url().is_some_and(|url| self.driver.looks_up(url).is_some()) {
            return machine.on(Event::ByClient, self.now());
        }
        let within = self.driver.within(machine, self.driver.time_outs.resolve);
        match self.driver.look_up(host, port, within).await {
            Ok(addresses) => machine.on(Event::Resolved(&addresses), self.now()),
            Err(LookUpError::NoSuchName(why)) => machine.on(Event::NotResolved(&why), self.now()),
            Err(LookUpError::NotAsked(why)) => machine.on(Event::NotAsked(&why), self.now()),
        }
    }

    async fn request(&mut self, machine: &mut Machine) {
        let Step::Connect { address, url, held } = machine.step() else { return };
        // A connection ends before the next one begins.
        self.answer = None;
        let driver = self.driver;
        let came = match driver.way(machine, address, &url).await {
            Ok(way) => {
                let left = driver.within(machine, Duration::MAX);
                let bounds = Bounds::new(driver.time_outs, left, driver.limits.max_bytes);
                driver.exchange.get(&way, (&url, &held), bounds).await
            }
            Err(error) => Err(error),
        };
        match came {
            Ok(answer) => {
                machine.on(Event::Head(answer.head.clone()), self.now());
                self.answer = Some(answer);
            }
            Err(error) => machine.on(of_request(&error, &in_words(&error)), self.now()),
        }
    }

    async fn read(&mut self, machine: &mut Machine) {
        let clock = &self.driver.clock;
        match &mut self.answer {
            Some(answer) => answer.read(machine, || clock.now()).await,
            None => machine.on(Event::BrokenOff("no body"), clock.now()),
        }
    }
}

impl AsyncRetriever for Driver {
    async fn retrieve_in_turn(&self, origin: &Origin, held: &Validators, turns: Arc<dyn Turns>) -> Retrieval {
        self.drive(origin, held, Shared(turns)).await
    }
}

/// In a runtime of this thread, made for the one retrieval.
impl Retriever for Driver {
    fn wait(&self, time: Duration) {
        // Without a runtime, nothing is lost but a test's clock.
        if block_on(self.clock.sleep_until(self.clock.now().after(time))).is_err() {
            thread::sleep(time);
        }
    }

    fn retrieve(&self, origin: &Origin) -> Retrieval {
        Retriever::retrieve_in_turn(self, origin, &Validators::default(), &AtOnce)
    }

    fn retrieve_in_turn(&self, origin: &Origin, held: &Validators, turns: &dyn Turns) -> Retrieval {
        block_on(self.drive(origin, held, turns)).unwrap_or_else(|error| {
            let machine = self.machine(origin, held);
            machine.not_begun(&format!("no place to wait for the network: {error}"), self.clock.now())
        })
    }
}

/// Runs work in a runtime of its own. Inside another runtime, which has its thread, in a thread of its own.
fn block_on<T: Send>(work: impl Future<Output = T> + Send) -> io::Result<T> {
    let run = || Builder::new_current_thread().enable_all().build().map(|runtime| runtime.block_on(work));
    if Handle::try_current().is_err() {
        return run();
    }
    thread::scope(|scope| {
        let thread = thread::Builder::new().spawn_scoped(scope, run)?;
        thread.join().unwrap_or_else(|_| Err(io::Error::other("its thread ended")))
    })
}
