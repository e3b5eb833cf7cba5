//! A gate that requests sites with the client.

use std::net::Ipv4Addr;
use std::time::Duration;

use robosieve::agent::Agents;
use robosieve_gate::keep::SharedStore;
use robosieve_gate::net::Names;
use robosieve_gate::retrieve::{AddressGuard, RetrievalLimits};
use robosieve_gate::{Client, CrawlerIdentity, Gate, GateCore, Moment};

use crate::together::site::Site;

pub(crate) const HOUR: u64 = 3_600;
pub(crate) const MINUTE: u64 = 60;

pub(crate) fn at(seconds: u64) -> Moment {
    Moment::from_millis(4_102_444_800_000 + seconds * 1_000)
}

pub(crate) const RULES: &str = "User-agent: *\nDisallow: /private\n";

/// The two seconds between rounds are left out.
fn client(sites: &[&Site]) -> Client {
    let entries = sites.iter().flat_map(|site| ["a.test", "b.test"].map(|name| (name, site.port)));
    let names = entries.fold(Names::default(), |all, (name, port)| all.with(name, port, Ipv4Addr::LOCALHOST.into()));
    Client::new(&CrawlerIdentity::new("MyBot", "1.0", "https://example.com/bot").unwrap())
        .guard(AddressGuard::global_only().allowing("127.0.0.0/8".parse().unwrap()))
        .names(names)
        .limits(RetrievalLimits { round_wait: Duration::ZERO, ..RetrievalLimits::default() })
}

pub(crate) fn core(store: impl Into<SharedStore>) -> GateCore {
    GateCore::new(store, Agents::new(["MyBot"]))
}

/// A gate that finds these sites as `a.test` and `b.test`.
pub(crate) fn gate(sites: &[&Site], store: impl Into<SharedStore>) -> Gate<Client> {
    gate_over(sites, core(store))
}

pub(crate) fn gate_over(sites: &[&Site], core: GateCore) -> Gate<Client> {
    Gate::over(client(sites), core)
}
