//! A gate that requests sites with the driver.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use robosieve::agent::Agents;
use robosieve_gate::keep::SharedStore;
use robosieve_gate::net::{Clock, LookUpError, Resolver, Sleep};
use robosieve_gate::retrieve::{AddressGuard, RetrievalLimits};
use robosieve_gate::{CrawlerIdentity, Driver, Gate, GateCore, Moment};

pub(crate) const HOUR: u64 = 3_600;
pub(crate) const MINUTE: u64 = 60;

pub(crate) fn at(seconds: u64) -> Moment {
    Moment::from_millis(4_102_444_800_000 + seconds * 1_000)
}

pub(crate) const RULES: &str = "User-agent: *\nDisallow: /private\n";

/// A clock that does not sleep the two seconds between rounds.
#[derive(Clone, Default)]
struct Skipping(Arc<Mutex<Duration>>);

impl Clock for Skipping {
    fn now(&self) -> Moment {
        at(0).after(*self.0.lock().unwrap())
    }

    fn sleep_until(&self, until: Moment) -> Sleep<'_> {
        let wait = until.since(self.now());
        *self.0.lock().unwrap() += wait;
        Box::pin(std::future::ready(()))
    }
}

struct Names(BTreeMap<&'static str, Ipv4Addr>);

impl Resolver for Names {
    fn resolve(&self, host: &str, _: u16, _: Duration) -> Result<Vec<IpAddr>, LookUpError> {
        self.0
            .get(host)
            .map(|&address| vec![address.into()])
            .ok_or_else(|| LookUpError::NoSuchName("no such name".into()))
    }
}

pub(crate) fn driver(limits: RetrievalLimits) -> Driver {
    let names = ["a.test", "b.test"].map(|name| (name, Ipv4Addr::LOCALHOST)).into();
    Driver::new(CrawlerIdentity::new("MyBot", "1.0", "https://example.com/bot").unwrap())
        .guard(AddressGuard::global_only().allowing("127.0.0.0/8".parse().unwrap()))
        .clock(Skipping::default())
        .resolver(Names(names))
        .limits(limits)
}

pub(crate) fn core(store: impl Into<SharedStore>) -> GateCore {
    GateCore::new(store, Agents::new(["MyBot"]))
}

pub(crate) fn gate(store: impl Into<SharedStore>) -> Gate<Driver> {
    gate_over(core(store))
}

pub(crate) fn gate_over(core: GateCore) -> Gate<Driver> {
    Gate::over(driver(RetrievalLimits::default()), core)
}
