//! Builds a gate from flags.
//!
//! Invariant: all commands use these functions, so a flag means the same everywhere. Without a flag, the gate's default
//! applies.

use std::env;
use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use robosieve_explain::Groups;
use robosieve_gate::decide::{Lifetimes, Policy, Reader};
use robosieve_gate::keep::{self, SharedStore, StoreError};
use robosieve_gate::net::FixedNames;
use robosieve_gate::pace::{PaceBy, Pacing};
use robosieve_gate::retrieve::{
    AddressGuard, AtOnce, Attempt, AttemptEnd, Connections, Outcome, OwnHeaders, Proxies, Retrieval, RetrievalLimits,
    Retriever, TimeOuts, Turns, Validators,
};
use robosieve_gate::{CrawlerIdentity, Driver, Gate, GateCore, MemoryStore, Origin, SqliteStore};
use tracing_subscriber::filter::LevelFilter;

use super::args::{AskArgs, NetArgs, PaceArgs, PolicyArgs, StoreArgs};
use super::identity::Identity;
use super::overrides::{self, MAX_PEM};
use crate::exit::{self, Failure};
use crate::report::tell_known;
use crate::{input, text};

/// A gate that requests robots.txt over the network.
pub(super) type Asker = Arc<Gate<Requests>>;

/// Builds the gate, and prints the crawler's identity unless `is_quiet`.
pub(super) fn gate(
    who: &Identity,
    AskArgs { net, policy, .. }: &AskArgs,
    pacing: Pacing,
    kept: &StoreArgs,
    is_quiet: bool,
) -> Result<Asker, Failure> {
    let overrides = policy.overrides()?;
    let driver =
        net.driver(who.sent.clone(), |all| overrides::connections(policy.overrides.as_deref(), &overrides, all))?;
    let requests = Requests {
        driver,
        count: AtomicU64::new(0),
        retrieved: AtomicU64::new(0),
        has_hinted: AtomicBool::new(is_quiet),
    };
    // Without a store nobody could look up the line of a stored text, so the lines are the file's own.
    let keeps_raw = kept.keep_raw || kept.store.is_none();
    let store: SharedStore = match &kept.store {
        Some(name) => keep::open(name).map_err(|error| failed(&error))?,
        None => MemoryStore::default().into(),
    };
    let groups = &who.groups;
    if !is_quiet {
        tell_who(who);
        net.tell_proxies()?;
        if !groups.fallback {
            exit::tell("the groups for `*` apply here all the same: the gate keeps out who is in doubt");
        }
        policy.warn(&overrides);
        store.warning().iter().for_each(|warning| exit::tell(&format!("the store: {warning}")));
    }
    let core = GateCore::new(store, groups.agents.clone())
        .with_reader(policy.reader(groups).keeping_raw(keeps_raw))
        .with_policy(policy.policy())
        .with_lifetimes(policy.lifetimes())
        .with_pacing(pacing)
        .with_overrides(overrides);
    Ok(Arc::new(Gate::over(requests, core)))
}

/// Writes the gate's events to the standard error from now on, if that is asked for. Their texts are harmless. The
/// environment does not count: what a command does is in its command line.
pub(super) fn log(level: Option<LevelFilter>, is_json: bool) {
    if let Some(level) = level {
        let events = tracing_subscriber::fmt().with_max_level(level).with_ansi(false).with_target(false);
        let events = events.with_writer(move || Events { is_json });
        // It is the first one of this process.
        let _ = if is_json { events.json().flatten_event(true).try_init() } else { events.try_init() };
    }
}

/// Writes each event as a message of the program, or as a line of JSON.
struct Events {
    is_json: bool,
}

impl Write for Events {
    fn write(&mut self, event: &[u8]) -> io::Result<usize> {
        let line = event.trim_ascii_end();
        if self.is_json {
            exit::print_json(&String::from_utf8_lossy(line));
        } else {
            exit::tell(&text::escape(line));
        }
        Ok(event.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A driver that counts its requests. It also tells, once, how to allow a refused address.
pub(super) struct Requests {
    driver: Driver,
    count: AtomicU64,
    retrieved: AtomicU64,
    has_hinted: AtomicBool,
}

impl Requests {
    /// The number of requests, in words.
    pub(super) fn words(&self) -> String {
        match self.count.load(Ordering::Relaxed) {
            0 => "no robots.txt requested".into(),
            count => {
                let (sites, retrieved) =
                    (text::counted(count, "site", "sites"), self.retrieved.load(Ordering::Relaxed));
                format!("robots.txt requested from {sites}, {retrieved} retrieved")
            }
        }
    }

    fn hint(&self, retrieval: &Retrieval) {
        if let Some(hint) = allowing(retrieval)
            && !self.has_hinted.swap(true, Ordering::Relaxed)
        {
            exit::tell(&hint);
        }
    }
}

impl Retriever for Requests {
    fn wait(&self, time: Duration) {
        self.driver.wait(time);
    }

    fn retrieve(&self, origin: &Origin) -> Retrieval {
        self.retrieve_in_turn(origin, &Validators::default(), &AtOnce)
    }

    fn retrieve_in_turn(&self, origin: &Origin, held: &Validators, turns: &dyn Turns) -> Retrieval {
        let retrieval = self.driver.retrieve_in_turn(origin, held, turns);
        if retrieval.attempts.iter().any(is_made) {
            self.count.fetch_add(1, Ordering::Relaxed);
        }
        if matches!(retrieval.outcome, Outcome::Rules | Outcome::Truncated) {
            self.retrieved.fetch_add(1, Ordering::Relaxed);
        }
        self.hint(&retrieval);
        retrieval
    }
}

/// Which flag allows the address that the guard refused.
pub(super) fn allowing(retrieval: &Retrieval) -> Option<String> {
    let why = retrieval.trouble().filter(|why| why.starts_with(AddressGuard::REFUSED))?;
    let option = if why.contains(": port ") { "--allow-port" } else { "--allow-private or --allow-net" };
    Some(format!("{}: {why}; {option} allows it", retrieval.origin))
}

/// Whether a server was asked: not if the attempt was put off or refused here, or if there is no such name.
fn is_made(attempt: &Attempt) -> bool {
    match &attempt.end {
        AttemptEnd::Status(_) | AttemptEnd::NoAnswer { .. } => true,
        AttemptEnd::Failed(_) => attempt.address.is_some(),
        AttemptEnd::NotAsked(_) => false,
    }
}

/// Prints the crawler's identity before the first request.
pub(super) fn tell_who(who: &Identity) {
    let names: Vec<String> = who.groups.agents.iter().map(|agent| text::escape(agent.as_bstr())).collect();
    exit::tell(&format!(
        "User-Agent {} (rules for {})",
        who.sent,
        if names.is_empty() { "all".into() } else { names.join(", ") }
    ));
    who.groups.read_as_note().iter().for_each(|note| exit::tell(note));
    tell_known(&who.groups);
}

/// Opens a store that exists: opening any other file would create it. A file that can't be written can be read.
pub(super) fn existing_store(path: &Path, is_read: bool) -> Result<SharedStore, Failure> {
    if path.to_str().is_some_and(|name| name.contains("://")) {
        return keep::open(path).map_err(|error| failed(&error));
    }
    if let Err(error) = fs::metadata(path) {
        return Err(Failure::file(path, &error, "name a store that `robosieve check --store FILE` has made"));
    }
    let opened = match SqliteStore::open(path) {
        Err(StoreError::Open { .. }) if is_read => SqliteStore::open_to_read(path),
        opened => opened,
    };
    opened.map(SharedStore::from).map_err(|error| failed(&error))
}

/// The error for a store that cannot be used.
pub(super) fn failed(error: &StoreError) -> Failure {
    Failure::Io(error.to_string())
}

impl NetArgs {
    /// A driver, with what is different for single hosts.
    pub(super) fn driver(
        &self,
        identity: CrawlerIdentity,
        hosts: impl FnOnce(Connections) -> Result<Connections, Failure>,
    ) -> Result<Driver, Failure> {
        let connections = hosts(self.connections()?)?;
        let (times, limits) = (TimeOuts::DEFAULT, RetrievalLimits::DEFAULT);
        let guard = AddressGuard::global_only();
        let guard = if self.allow_private { guard.allowing_private() } else { guard };
        let guard = self.allow_net.iter().copied().fold(guard, AddressGuard::allowing);
        let guard = self.allow_port.iter().copied().fold(guard, AddressGuard::allowing_port);
        let names = self.resolve.iter().flat_map(|entry| entry.addresses.iter().map(move |&to| (entry, to)));
        let names = names.fold(FixedNames::default(), |names, (entry, to)| names.with(&entry.host, entry.port, to));
        let driver = Driver::new(identity)
            .guard(guard)
            .limits(RetrievalLimits {
                budget: self.timeout.unwrap_or(limits.budget),
                max_redirects: self.max_redirects.unwrap_or(limits.max_redirects),
                ..limits
            })
            .time_outs(TimeOuts { connect: self.connect_timeout.unwrap_or(times.connect), ..times })
            .resolver(names);
        let driver = driver.connections(connections).map_err(|error| Failure::Io(format!("client-cert: {error}")))?;
        self.root_cert.iter().try_fold(driver, |driver, path| with_roots(driver, path))
    }
}

impl NetArgs {
    /// The connections to all hosts.
    fn connections(&self) -> Result<Connections, Failure> {
        let headers = self.header.iter().try_fold(OwnHeaders::default(), |all, line| {
            // The value may be a secret.
            let name = line.split_once(':').map_or("", |(name, _)| name);
            let is_name = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
            let shown = if is_name && !name.is_empty() { format!(" {name}") } else { String::new() };
            all.with_line(line).map_err(|error| Failure::Usage(format!("--header{shown}: {error}")))
        })?;
        let all = Connections::default().headers(headers);
        let all = all.map_err(|error| Failure::Usage(format!("--header: {error}")))?;
        Ok(all.proxies(self.proxies()?))
    }

    fn proxies(&self) -> Result<Proxies, Failure> {
        match &self.proxy {
            // Read here, since the command line's own errors show the value, which may have a password.
            Some(proxy) => match proxy.parse() {
                Ok(proxy) => Ok(Proxies::all(proxy)),
                Err(error) => Err(Failure::Usage(format!("--proxy: {error}"))),
            },
            // A value that is no text is no proxy's, and is refused.
            None if self.proxy_from_env => {
                Proxies::of_environment(|name| env::var_os(name).map(|value| value.to_string_lossy().into_owned()))
                    .map_err(|error| Failure::Usage(format!("--proxy-from-env: {error}")))
            }
            None => Ok(Proxies::default()),
        }
    }

    /// Says which proxies are used, and what can't be checked then.
    pub(super) fn tell_proxies(&self) -> Result<(), Failure> {
        let proxies = self.proxies()?;
        if self.proxy_from_env && proxies.iter().next().is_none() {
            exit::tell("the environment names no proxy");
        }
        for proxy in proxies.iter() {
            let unchecked = if proxy.lets_names_be_checked() {
                ""
            } else {
                ": it looks names up itself, so only addresses in URLs are checked, and --resolve does not count"
            };
            exit::tell(&format!("through the proxy {proxy}{unchecked}"));
        }
        Ok(())
    }
}

fn with_roots(driver: Driver, path: &Path) -> Result<Driver, Failure> {
    let pem = input::read_whole(path, MAX_PEM)?;
    // Otherwise some certificates would silently not be trusted.
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
        let lifetimes = Lifetimes {
            cache: own.cache.min(cache_max),
            cache_min: own.cache_min.min(cache_max),
            cache_max,
            retry: self.retry.unwrap_or(own.retry),
            max_failures: self.max_failures.or(own.max_failures),
            ..own
        };
        let lifetimes = self.recheck_after.map_or(lifetimes, |time| lifetimes.recheck_after(time));
        self.give_up_after.map_or(lifetimes, |failures| lifetimes.give_up_after(failures))
    }

    pub(super) fn reader(&self, groups: &Groups) -> Reader {
        let dialect = self.dialect.unwrap_or_default();
        let joins = groups.options(dialect.options()).union_of_agents;
        Reader::new(groups.agents.clone()).dialect_joining(dialect, joins).naming(!groups.fallback)
    }
}

impl PaceArgs {
    pub(super) fn pacing(&self, max_wait: Duration) -> Result<Pacing, Failure> {
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
            over_max: self.over_max_delay,
            ignore_crawl_delay: self.ignore_crawl_delay,
            by: match (self.per_domain, self.per_address) {
                (true, _) => PaceBy::RegisteredDomain,
                (_, true) => PaceBy::Address,
                _ => PaceBy::Host,
            },
            address_gap: self.address_gap.unwrap_or(own.address_gap),
            adaptive: self.adaptive,
            max_wait: self.max_wait.unwrap_or(max_wait),
            ..own
        })
    }
}
