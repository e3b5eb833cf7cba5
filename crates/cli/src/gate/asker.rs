//! Flags -> a gate, ready to ask.
//!
//! Invariant: every command asks through one of these, so that a flag means the same everywhere; what the flags leave open is the gate's
//! default.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use robosieve::Agents;
use robosieve_gate::{
    AddressGuard, Answer, AttemptEnd, CrawlerIdentity, Driver, Findings, Gate, GateError, Lifetimes, MemoryStore,
    Moment, Origin, PaceBy, Pacing, Policy, Reader, Retrieval, RetrievalLimits, Retriever, SiteStore, SqliteStore,
    StoreError, TimeOuts,
};

use super::args::{NetArgs, PaceArgs, PolicyArgs};
use super::identity::Identity;
use super::names::Names;
use super::values;
use crate::exit::{self, Failure};
use crate::{input, text};

/// Bytes of a file of root certificates. Our choice: 16 MiB; all of Mozilla's take 200,000.
const MAX_PEM: usize = 16 << 20;

type Store = Box<dyn SiteStore + Send + Sync>;

/// A gate, and what it has done.
pub(super) struct Asker {
    gate: Gate<Timed, Store>,
}

impl Asker {
    pub(super) fn new(
        who: &Identity,
        (net, policy, pace): (&NetArgs, &PolicyArgs, &PaceArgs),
        max_wait: Duration,
        store: Option<&Path>,
    ) -> Result<Self, Failure> {
        let pacing = pace.pacing(max_wait)?;
        let timed = Timed {
            driver: net.driver(who.sent.clone())?,
            times: pacing.adaptive.is_some(),
            took: Mutex::default(),
            asked: AtomicU64::new(0),
            hinted: AtomicBool::new(false),
        };
        let store: Store = match store {
            Some(path) => Box::new(SqliteStore::open(path).map_err(|error| failed(&error))?),
            None => Box::new(MemoryStore::default()),
        };
        let gate = Gate::new(timed, store, who.agents.clone())
            .reader(policy.reader(who.agents.clone()))
            .policy(policy.policy())
            .lifetimes(policy.lifetimes())
            .pacing(pacing);
        Ok(Self { gate })
    }

    /// Learns what holds for the URL's site, which is a retrieval where that is due.
    pub(super) fn learn(&self, url: &str) -> Result<(), GateError> {
        self.gate.permits(url, Moment::now())?;
        let took = Origin::of(url).ok().and_then(|origin| self.gate.retriever().lock().remove(&origin));
        match took {
            Some(took) => self.gate.observe(url, took, Moment::now()),
            None => Ok(()),
        }
    }

    /// May it be fetched? Takes the host's next slot.
    pub(super) fn check(&self, url: &str, now: Moment) -> Result<Answer, GateError> {
        self.gate.check(url, now)
    }

    /// What was found in the file that answers for the URL's site, if one does.
    pub(super) fn findings(&self, url: &str) -> Result<Option<Arc<Findings>>, GateError> {
        Origin::of(url).map_or(Ok(None), |origin| self.gate.findings(&origin, Moment::now()))
    }

    /// May it still be fetched? Takes no slot.
    pub(super) fn permits(&self, url: &str) -> Result<Answer, GateError> {
        self.gate.permits(url, Moment::now())
    }

    /// Says nothing on the standard error from now on.
    pub(super) fn hush(&self) {
        self.gate.retriever().hinted.store(true, Ordering::Relaxed);
    }

    /// How many sites have been asked.
    pub(super) fn retrievals(&self) -> u64 {
        self.gate.retriever().asked.load(Ordering::Relaxed)
    }
}

/// A driver that keeps the time, and count.
struct Timed {
    driver: Driver,
    /// Whether times are wanted.
    times: bool,
    /// Of retrievals that nobody has asked for yet: as many as run at a time.
    took: Mutex<HashMap<Origin, Duration>>,
    asked: AtomicU64,
    /// Whether a refused address was reported. It is reported only once.
    hinted: AtomicBool,
}

impl Timed {
    fn lock(&self) -> MutexGuard<'_, HashMap<Origin, Duration>> {
        self.took.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Timed {
    fn hint(&self, retrieval: &Retrieval) {
        let refused = retrieval.attempts.iter().find_map(|attempt| match &attempt.end {
            AttemptEnd::Failed(why) if why.starts_with("refused: ") => Some((attempt.address?, why)),
            AttemptEnd::Failed(_) | AttemptEnd::Status(_) => None,
        });
        if let Some((address, why)) = refused
            && !self.hinted.swap(true, Ordering::Relaxed)
        {
            let origin = &retrieval.origin;
            exit::tell(&format!("{origin}: {address} was {why}; --allow-private or --allow-net allows such addresses"));
        }
    }
}

impl Retriever for Timed {
    fn retrieve(&self, origin: &Origin) -> Retrieval {
        let retrieval = self.driver.retrieve(origin);
        self.asked.fetch_add(1, Ordering::Relaxed);
        self.hint(&retrieval);
        if self.times && retrieval.status.is_some() {
            self.lock().insert(origin.clone(), retrieval.ended.since(retrieval.began));
        }
        retrieval
    }
}

/// Prints the crawler's identity before the first request.
pub(super) fn tell_who(who: &Identity) {
    let names: Vec<String> = who.agents.iter().map(|agent| text::escape(agent.as_bstr())).collect();
    exit::tell(&format!(
        "User-Agent {} (rules for {})",
        who.sent,
        if names.is_empty() { "all".into() } else { names.join(", ") }
    ));
}

/// A store that is there; one that is not would be made by opening it.
pub(super) fn existing_store(path: &Path) -> Result<SqliteStore, Failure> {
    if let Err(error) = fs::metadata(path) {
        return Err(Failure::file(path, &error, "name a store that `robosieve check --store FILE` has made"));
    }
    SqliteStore::open(path).map_err(|error| failed(&error))
}

/// A store that can't be used.
pub(super) fn failed(error: &StoreError) -> Failure {
    Failure::Io(error.to_string())
}

impl NetArgs {
    pub(super) fn driver(&self, identity: CrawlerIdentity) -> Result<Driver, Failure> {
        let (times, limits) = (TimeOuts::DEFAULT, RetrievalLimits::DEFAULT);
        let guard = if self.allow_private { values::private_networks() } else { Vec::new() };
        let guard =
            guard.into_iter().chain(self.allow_net.clone()).fold(AddressGuard::global_only(), AddressGuard::allowing);
        let driver = Driver::new(identity)
            .guard(guard)
            .limits(RetrievalLimits {
                budget: self.timeout.unwrap_or(limits.budget),
                max_redirects: self.max_redirects.unwrap_or(limits.max_redirects),
                ..limits
            })
            .time_outs(TimeOuts { connect: self.connect_timeout.unwrap_or(times.connect), ..times })
            .resolver(Names::new(&self.resolve));
        self.root_cert.iter().try_fold(driver, |driver, path| with_roots(driver, path))
    }
}

fn with_roots(driver: Driver, path: &Path) -> Result<Driver, Failure> {
    let pem = input::read(path, MAX_PEM)?;
    // What is cut would be certificates that are silently not trusted.
    if pem.bytes.len() > MAX_PEM {
        let name = pem.name;
        return Err(Failure::Io(format!("{name}: is longer than {MAX_PEM} bytes; name a file of root certificates")));
    }
    driver.root_certificates(&pem.bytes).map_err(|error| Failure::Io(format!("{}: {error}", pem.name)))
}

impl PolicyArgs {
    pub(super) fn policy(&self) -> Policy {
        let preset = Policy::from(self.policy);
        let set = self.policy_set.iter().fold(preset, |policy, &(class, ruling)| policy.with(class, ruling));
        let set = self.policy_errors.map_or(set.clone(), |ruling| set.with_errors(ruling));
        if self.policy_open_after_outage { set.open_after_outage() } else { set }
    }

    pub(super) fn lifetimes(&self) -> Lifetimes {
        let own = Lifetimes::default();
        let cache_max = self.cache_max.unwrap_or(own.cache_max);
        Lifetimes {
            cache: own.cache.min(cache_max),
            cache_min: own.cache_min.min(cache_max),
            cache_max,
            retry: self.retry.unwrap_or(own.retry),
            max_failures: self.max_failures.or(own.max_failures),
            ..own
        }
    }

    pub(super) fn reader(&self, agents: Agents) -> Reader {
        Reader::new(agents).dialect(self.dialect.unwrap_or_default())
    }
}

impl PaceArgs {
    fn pacing(&self, max_wait: Duration) -> Result<Pacing, Failure> {
        let own = Pacing::default();
        let (min, max) = (self.min_delay.unwrap_or(own.min), self.max_delay.unwrap_or(own.max));
        if min > max {
            let (min, max) = (min.as_secs_f64(), max.as_secs_f64());
            return Err(Failure::Usage(format!(
                "the shortest delay, {min} s, is longer than the longest, {max} s: set --min-delay and --max-delay"
            )));
        }
        Ok(Pacing {
            default: self.delay.unwrap_or(own.default),
            min,
            max,
            ignore_crawl_delay: self.ignore_crawl_delay,
            by: if self.per_domain { PaceBy::RegisteredDomain } else { PaceBy::Host },
            adaptive: self.adaptive,
            max_wait: self.max_wait.unwrap_or(max_wait),
            ..own
        })
    }
}
