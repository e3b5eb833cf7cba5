//! The client of the table's tests.

use std::net::IpAddr;
use std::time::Duration;

use robosieve_gate::net::{Client, Names};
use robosieve_gate::retrieve::{AddressGuard, Fetched, Request, Retrieval, RetrievalLimits, Validators};
use robosieve_gate::{CrawlerIdentity, Fetch, Origin};

/// A client that looks up these names only.
pub(super) fn of(names: impl Iterator<Item = (String, IpAddr)>, port: u16) -> Client {
    let names = names.fold(Names::default(), |all, (name, address)| all.with(&name, port, address));
    Client::new(&CrawlerIdentity::new("TestBot").unwrap()).names(names)
}

/// A retrieval that asks nobody but this machine. The two seconds between rounds are left out.
pub(super) fn retrieve(client: &impl Fetch, origin: &Origin, is_slow: bool) -> Retrieval {
    // Long enough for a busy machine, unless it is waited for.
    let time = Duration::from_millis(if is_slow { 1_500 } else { 10_000 });
    let guard = AddressGuard::global_only().allowing("127.0.0.1/32".parse().unwrap());
    let limits =
        RetrievalLimits { round_wait: Duration::ZERO, head: time, silence: time, ..RetrievalLimits::default() };
    crate::alone::retrieve(client, origin, limits, &guard, Validators::default())
}

/// A client is used in tasks that any thread may run: [retrieve.driver]
#[test]
fn its_work_can_be_sent() {
    fn sent(client: &Client, request: Request) -> impl Future<Output = Fetched> + Send {
        client.fetch(request)
    }
    let _ = sent;
}
