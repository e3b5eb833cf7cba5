//! A gate that requests sites with the client.

use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::Duration;

use robosieve::agent::Agents;
use robosieve_gate::decide::{Preset, SiteReport};
use robosieve_gate::keep::SharedStore;
use robosieve_gate::net::Names;
use robosieve_gate::retrieve::AddressGuard;
use robosieve_gate::{Answer, Ask, Client, Core, CrawlerIdentity, Fetch as _, Moment, Next, Origin, Settings};

use crate::alone::run;
use crate::together::site::Site;

pub(crate) const HOUR: u64 = 3_600;
pub(crate) const MINUTE: u64 = 60;

pub(crate) fn at(seconds: u64) -> Moment {
    Moment::from_millis(4_102_444_800_000 + seconds * 1_000)
}

pub(crate) const RULES: &str = "User-agent: *\nDisallow: /private\n";

/// A gate with a client, whose time the tests give.
pub(crate) struct World {
    client: Client,
    pub(crate) core: Arc<Core>,
}

/// A gate that finds these sites as `a.test` and `b.test`. The two seconds between rounds are left out.
pub(crate) fn gate(sites: &[&Site], store: impl Into<SharedStore>) -> World {
    gate_by(sites, store, Preset::default())
}

pub(crate) fn gate_by(sites: &[&Site], store: impl Into<SharedStore>, preset: Preset) -> World {
    let entries = sites.iter().flat_map(|site| ["a.test", "b.test"].map(|name| (name, site.port)));
    let names = entries.fold(Names::default(), |all, (name, port)| all.with(name, port, Ipv4Addr::LOCALHOST.into()));
    let identity = CrawlerIdentity::new("MyBot", "1.0", "https://example.com/bot").unwrap();
    let mut settings = Settings::new(Agents::new(["MyBot"]));
    settings.policy = preset.into();
    settings.guard = AddressGuard::global_only().allowing("127.0.0.0/8".parse().unwrap());
    settings.limits.round_wait = Duration::ZERO;
    World { client: Client::new(&identity).names(names), core: Arc::new(Core::new(settings, store)) }
}

impl World {
    fn ask(&self, url: &str, ask: Ask, mut now: Moment) -> Answer {
        loop {
            match self.core.ask(url, ask, now) {
                Next::Answer(answer) => return answer,
                Next::Again(until) => now = until,
                Next::Fetch(errand) => {
                    now = now.max(errand.starts_at());
                    let mut next = Next::Fetch(errand);
                    while let Next::Fetch(errand) = next {
                        now = now.max(errand.starts_at());
                        let came = run(self.client.fetch(errand.request().clone()));
                        next = errand.came(came, now);
                    }
                    if let Next::Answer(answer) = next {
                        return answer;
                    }
                }
            }
        }
    }

    pub(crate) fn check(&self, url: &str, now: Moment) -> Answer {
        self.ask(url, Ask::Slot, now)
    }

    pub(crate) fn permits(&self, url: &str, now: Moment) -> Answer {
        self.ask(url, Ask::Permission, now)
    }

    pub(crate) fn report(&self, url: &str, now: Moment) -> Option<SiteReport> {
        self.core.report(&Origin::of(url).unwrap(), now).unwrap()
    }
}
