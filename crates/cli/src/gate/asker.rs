//! Builds a gate from flags.
//!
//! Invariant: all commands use these functions, so a flag means the same everywhere. Without a flag, the gate's default
//! applies.

use std::env;
use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use robosieve_explain::Groups;
use robosieve_gate::decide::{Lifetimes, Reader};
use robosieve_gate::keep::{self, SharedStore, StoreError};
use robosieve_gate::net::Names;
use robosieve_gate::pace::{PaceBy, Pacing};
use robosieve_gate::retrieve::{
    AddressGuard, AsyncRetriever, OwnHeaders, Proxies, Retrieval, RetrievalLimits, TimeOuts, Turns, Validators,
};
use robosieve_gate::{AsyncGate, Client, CrawlerIdentity, GateCore, MemoryStore, Origin};
use tokio::runtime::{self, Runtime};
use tracing_subscriber::filter::LevelFilter;
use url::Host;

use super::args::{AskArgs, NetArgs, PaceArgs, PolicyArgs, StoreArgs};
use super::identity::Identity;
use crate::exit::{self, Failure};
use crate::report::tell_known;
use crate::{input, text};

/// The most bytes of a file of certificates. Our choice: 16 MiB. All of Mozilla's take 200,000.
const MAX_PEM: usize = 16 << 20;

/// A gate that requests robots.txt over the network.
pub(super) type Asker = AsyncGate<Requests>;

/// Builds the gate, and prints the crawler's identity unless `is_quiet`.
pub(super) fn gate(
    who: &Identity,
    AskArgs { net, policy, pace }: &AskArgs,
    kept: &StoreArgs,
    is_quiet: bool,
) -> Result<Asker, Failure> {
    let requests = Requests { driver: net.driver(&who.sent)?, has_hinted: Arc::new(is_quiet.into()) };
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
    }
    let core = GateCore::new(store, groups.agents.clone())
        .with_reader(policy.reader(groups))
        .with_policy(policy.policy)
        .with_lifetimes(policy.lifetimes())
        .with_pacing(pace.pacing()?)
        .ignoring(policy.ignored()?);
    Ok(AsyncGate::over(requests, core))
}

/// The runtime of a command. Shut it down without waiting: a look-up that hangs would be waited for.
pub(super) fn runtime() -> Result<Runtime, Failure> {
    let built = runtime::Builder::new_multi_thread().enable_all().build();
    built.map_err(|error| Failure::Io(format!("no place to wait for the network: {error}")))
}

/// Writes the gate's events to the standard error from now on, if that is asked for. Their texts are harmless. The
/// environment does not count: what a command does is in its command line.
pub(super) fn log(level: Option<LevelFilter>) {
    if let Some(level) = level {
        let events = tracing_subscriber::fmt().with_max_level(level).with_ansi(false).with_target(false);
        // It is the first one of this process.
        let _ = events.with_writer(|| Events).try_init();
    }
}

/// Writes each event as a message of the program.
struct Events;

impl Write for Events {
    fn write(&mut self, event: &[u8]) -> io::Result<usize> {
        exit::tell(&text::escape(event.trim_ascii_end()));
        Ok(event.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A driver that says, once, how to allow a refused address.
#[derive(Clone)]
pub(super) struct Requests {
    driver: Client,
    has_hinted: Arc<AtomicBool>,
}

impl AsyncRetriever for Requests {
    async fn retrieve_in_turn(&self, origin: &Origin, held: &Validators, turns: Arc<dyn Turns>) -> Retrieval {
        let retrieval = AsyncRetriever::retrieve_in_turn(&self.driver, origin, held, turns).await;
        if let Some(hint) = allowing(&retrieval)
            && !self.has_hinted.swap(true, Ordering::Relaxed)
        {
            exit::tell(&hint);
        }
        retrieval
    }
}

/// Which flag allows the address that the guard refused.
pub(super) fn allowing(retrieval: &Retrieval) -> Option<String> {
    let why = retrieval.trouble().filter(|why| why.starts_with(AddressGuard::REFUSED))?;
    let option = if why.contains(": port ") { "--allow-port" } else { "--allow-private or --allow-net" };
    Some(format!("{}: {why}; {option} allows it", retrieval.origin))
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

/// Opens a store that exists: opening any other file would create it.
pub(super) fn existing_store(path: &Path) -> Result<SharedStore, Failure> {
    let is_url = path.to_str().is_some_and(|name| name.contains("://"));
    if let Err(error) = if is_url { Ok(()) } else { fs::metadata(path).map(drop) } {
        return Err(Failure::file(path, &error, "name a store that `robosieve check --store FILE` has made"));
    }
    keep::open(path).map_err(|error| failed(&error))
}

/// The error for a store that cannot be used.
pub(super) fn failed(error: &StoreError) -> Failure {
    Failure::Io(error.to_string())
}

impl NetArgs {
    /// The driver that makes the requests.
    pub(super) fn driver(&self, identity: &CrawlerIdentity) -> Result<Client, Failure> {
        let (times, limits) = (TimeOuts::DEFAULT, RetrievalLimits::DEFAULT);
        let guard = AddressGuard::global_only();
        let guard = if self.allow_private { guard.allowing_private() } else { guard };
        let guard = self.allow_net.iter().copied().fold(guard, AddressGuard::allowing);
        let guard = self.allow_port.iter().copied().fold(guard, AddressGuard::allowing_port);
        let names = self.resolve.iter().flat_map(|entry| entry.addresses.iter().map(move |&to| (entry, to)));
        let names = names.fold(Names::default(), |names, (entry, to)| names.with(&entry.host, entry.port, to));
        let driver = Client::new(identity)
            .guard(guard)
            .limits(RetrievalLimits {
                budget: self.timeout.unwrap_or(limits.budget),
                max_redirects: self.max_redirects.unwrap_or(limits.max_redirects),
                ..limits
            })
            .time_outs(TimeOuts { connect: self.connect_timeout.unwrap_or(times.connect), ..times })
            .names(names)
            .headers(&self.headers()?)
            .proxies(self.proxies()?);
        self.root_cert.iter().try_fold(driver, |driver, path| with_roots(driver, path))
    }
}

impl NetArgs {
    /// The headers for all hosts.
    fn headers(&self) -> Result<OwnHeaders, Failure> {
        self.header.iter().try_fold(OwnHeaders::default(), |all, line| {
            // The value may be a secret.
            let name = line.split_once(':').map_or("", |(name, _)| name);
            let is_name = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
            let shown = if is_name && !name.is_empty() { format!(" {name}") } else { String::new() };
            all.with_line(line).map_err(|error| Failure::Usage(format!("--header{shown}: {error}")))
        })
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

fn with_roots(driver: Client, path: &Path) -> Result<Client, Failure> {
    let pem = input::read_whole(path, MAX_PEM)?;
    // Otherwise some certificates would silently not be trusted.
    if pem.bytes.len() > MAX_PEM {
        let name = pem.name;
        return Err(Failure::Io(format!("{name}: is longer than {MAX_PEM} bytes; name a file of root certificates")));
    }
    driver.root_certificates(&pem.bytes).map_err(|error| Failure::Io(format!("{}: {error}", pem.name)))
}

impl PolicyArgs {
    /// The hosts whose robots.txt is ignored.
    pub(super) fn ignored(&self) -> Result<Vec<Host>, Failure> {
        let host = |name: &String| {
            let host = Host::parse(name).ok().filter(|_| !name.is_empty() && !name.contains('*'));
            let wrong = || format!("--ignore-robots-txt {}: not a host", text::escape(name.as_bytes()));
            host.ok_or_else(|| Failure::Usage(wrong()))
        };
        self.ignore_robots_txt.iter().map(host).collect()
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

    pub(super) fn reader(&self, groups: &Groups) -> Reader {
        let dialect = self.dialect.unwrap_or_default();
        let joins = groups.options(dialect.options()).union_of_agents;
        Reader::new(groups.agents.clone()).dialect_joining(dialect, joins).naming(!groups.fallback)
    }
}

impl PaceArgs {
    fn pacing(&self) -> Result<Pacing, Failure> {
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
            max_wait: self.max_wait.unwrap_or(own.max_wait),
            ..own
        })
    }
}
