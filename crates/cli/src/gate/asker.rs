//! Builds a gate from flags.
//!
//! Invariant: all commands use these functions, so a flag means the same everywhere. Without a flag, the gate's default
//! applies.

use std::env;
use std::fs;
use std::io::{self, Write};
use std::path::Path;

use robosieve_explain::Groups;
use robosieve_gate::decide::{Lifetimes, Reader};
use robosieve_gate::keep::{self, SharedStore};
use robosieve_gate::net::Names;
use robosieve_gate::pace::{PaceBy, Pacing};
use robosieve_gate::retrieve::{AddressGuard, Proxies, RetrievalLimits};
use robosieve_gate::{Client, Core, CrawlerIdentity, Error, Gate, MemoryStore, Settings};
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
pub(super) type Asker = Gate<Client>;

/// Builds the gate, and prints the crawler's identity unless `is_quiet`.
pub(super) fn gate(
    who: &Identity,
    AskArgs { net, policy, pace }: &AskArgs,
    kept: &StoreArgs,
    is_quiet: bool,
) -> Result<Asker, Failure> {
    let client = net.client(&who.sent)?;
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
    let mut settings = policy.settings()?;
    (settings.reader, settings.pacing) = (policy.reader(groups), pace.pacing()?);
    (settings.limits, settings.guard) = (net.limits(), net.guard());
    Ok(Gate::new(client, Core::new(settings, store)))
}

/// A gate that remembers nothing from one site to the next but when each server got a request.
pub(super) fn passing(who: &Identity, net: &NetArgs) -> Result<Asker, Failure> {
    let mut settings = Settings::new(who.groups.agents.clone());
    (settings.limits, settings.guard) = (net.limits(), net.guard());
    Ok(Gate::new(net.client(&who.sent)?, Core::new(settings, MemoryStore::default())))
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

/// Which flag allows what the guard refused, by the reason why the site was not asked.
pub(super) fn allowing(why: Option<&str>) -> Option<&'static str> {
    let why = why.filter(|why| why.starts_with(AddressGuard::REFUSED))?;
    Some(if why.contains(": port ") { "--allow-port" } else { "--allow-private or --allow-net" })
}

/// Prints the crawler's identity before the first request.
pub(super) fn tell_who(who: &Identity) {
    let names: Vec<String> = who.groups.agents.iter().map(|agent| text::escape(agent.as_bstr())).collect();
    exit::tell(&format!(
        "User-Agent {} (rules for {})",
        who.sent.header(),
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
pub(super) fn failed(error: &Error) -> Failure {
    Failure::Io(error.to_string())
}

impl NetArgs {
    /// The client that makes the requests.
    pub(super) fn client(&self, identity: &CrawlerIdentity) -> Result<Client, Failure> {
        let names = self.resolve.iter().flat_map(|entry| entry.addresses.iter().map(move |&to| (entry, to)));
        let names = names.fold(Names::default(), |names, (entry, to)| names.with(&entry.host, entry.port, to));
        let client = Client::new(identity).names(names).proxies(self.proxies()?);
        let client = self.header.iter().try_fold(client, |client, line| with_header(client, line))?;
        self.root_cert.iter().try_fold(client, |client, path| with_roots(client, path))
    }

    fn guard(&self) -> AddressGuard {
        let guard = AddressGuard::global_only();
        let guard = if self.allow_private { guard.allowing_private() } else { guard };
        let guard = self.allow_net.iter().copied().fold(guard, AddressGuard::allowing);
        self.allow_port.iter().copied().fold(guard, AddressGuard::allowing_port)
    }

    fn limits(&self) -> RetrievalLimits {
        let own = RetrievalLimits::default();
        RetrievalLimits {
            budget: self.timeout.unwrap_or(own.budget),
            connect: self.connect_timeout.unwrap_or(own.connect),
            max_redirects: self.max_redirects.unwrap_or(own.max_redirects),
            ..own
        }
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

fn with_header(client: Client, line: &str) -> Result<Client, Failure> {
    // The value may be a secret.
    let name = line.split_once(':').map_or("", |(name, _)| name);
    let is_name = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    let shown = if is_name && !name.is_empty() { format!(" {name}") } else { String::new() };
    client.header(line).map_err(|error| Failure::Usage(format!("--header{shown}: {error}")))
}

fn with_roots(client: Client, path: &Path) -> Result<Client, Failure> {
    let pem = input::read_whole(path, MAX_PEM)?;
    // Otherwise some certificates would silently not be trusted.
    if pem.bytes.len() > MAX_PEM {
        let name = pem.name;
        return Err(Failure::Io(format!("{name}: is longer than {MAX_PEM} bytes; name a file of root certificates")));
    }
    client.root_certificates(&pem.bytes).map_err(|error| Failure::Io(format!("{}: {error}", pem.name)))
}

impl PolicyArgs {
    /// The settings for what answers mean, and how long.
    pub(super) fn settings(&self) -> Result<Settings, Failure> {
        let mut settings = Settings::default();
        (settings.policy, settings.lifetimes) = (self.policy.into(), self.lifetimes());
        settings.ignored = self.ignored()?;
        Ok(settings)
    }

    /// The hosts whose robots.txt is ignored.
    fn ignored(&self) -> Result<Vec<Host>, Failure> {
        let host = |name: &String| {
            let host = Host::parse(name).ok().filter(|_| !name.is_empty() && !name.contains('*'));
            let wrong = || format!("--ignore-robots-txt {}: not a host", text::escape(name.as_bytes()));
            host.ok_or_else(|| Failure::Usage(wrong()))
        };
        self.ignore_robots_txt.iter().map(host).collect()
    }

    fn lifetimes(&self) -> Lifetimes {
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

    fn reader(&self, groups: &Groups) -> Reader {
        let dialect = self.dialect.unwrap_or_default();
        let joins = groups.options(dialect.options()).union_of_agents;
        Reader::new(groups.agents.clone()).dialect(dialect, joins).naming(!groups.fallback)
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
