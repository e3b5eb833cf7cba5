//! The client of the table's test.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::time::Duration;

use robosieve_gate::net::{Client, Names};
use robosieve_gate::retrieve::{AddressGuard, Fetched, Request, Retrieval, RetrievalLimits, Validators};
use robosieve_gate::{CrawlerIdentity, Fetch, Origin};

/// A retrieval that asks nobody but this machine. The two seconds between rounds are left out.
pub(super) fn retrieve(origin: &Origin, names: BTreeMap<String, Vec<IpAddr>>, is_slow: bool) -> Retrieval {
    let identity = CrawlerIdentity::new("TestBot/1.0 (+https://example.com/bot)").unwrap();
    let names = names.into_iter().fold(Names::default(), |all, (name, addresses)| {
        addresses.into_iter().fold(all, |all, address| all.with(&name, origin.port(), address))
    });
    // Long enough for a busy machine, unless it is waited for.
    let time = Duration::from_millis(if is_slow { 1_500 } else { 10_000 });
    let guard = AddressGuard::global_only().allowing("127.0.0.1/32".parse().unwrap());
    let limits =
        RetrievalLimits { round_wait: Duration::ZERO, head: time, silence: time, ..RetrievalLimits::default() };
    crate::alone::retrieve(&Client::new(&identity).names(names), origin, limits, &guard, Validators::default())
}

pub(super) fn etag(retrieval: &Retrieval) -> Option<String> {
    retrieval.validators.etag().map(str::to_owned)
}

pub(super) fn last_modified(retrieval: &Retrieval) -> Option<String> {
    retrieval.validators.last_modified().map(str::to_owned)
}

/// A client is used in tasks that any thread may run: [retrieve.driver]
#[test]
fn its_work_can_be_sent() {
    fn sent(client: &Client, request: Request) -> impl Future<Output = Fetched> + Send {
        client.fetch(request)
    }
    let _ = sent;
}
