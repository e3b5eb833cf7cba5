//! The client of the table's test.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::time::Duration;

use robosieve_gate::net::{Client, Names};
use robosieve_gate::retrieve::{
    AddressGuard, Fetched, Follow, Request, Retrieval, RetrievalLimits, Then, TimeOuts, Validators,
};
use robosieve_gate::{CrawlerIdentity, Moment, Origin};

/// A retrieval that asks nobody but this machine. The two seconds between rounds are left out.
pub(super) fn retrieve(origin: &Origin, names: BTreeMap<String, Vec<IpAddr>>, is_slow: bool) -> Retrieval {
    let identity = CrawlerIdentity::new("TestBot", "1.0", "https://example.com/bot").unwrap();
    let names = names.into_iter().fold(Names::default(), |all, (name, addresses)| {
        addresses.into_iter().fold(all, |all, address| all.with(&name, origin.port(), address))
    });
    // Long enough for a busy machine, unless it is waited for.
    let time = Duration::from_millis(if is_slow { 1_500 } else { 10_000 });
    let guard = AddressGuard::global_only().allowing("127.0.0.1/32".parse().unwrap());
    let limits = RetrievalLimits { round_wait: Duration::ZERO, ..RetrievalLimits::default() };
    let client = Client::new(&identity)
        .guard(guard.clone())
        .limits(limits)
        .time_outs(TimeOuts { head: time, silence: time, connect: Duration::from_secs(10), ..TimeOuts::default() })
        .names(names);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let now = Moment::now;
        let mut then = Follow::begin(origin, limits, &guard, Validators::default(), now());
        loop {
            match then {
                Then::Request(follow, request) => then = follow.came(client.fetch(&request, now()).await, now()),
                Then::Done(retrieval) => return *retrieval,
            }
        }
    })
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
    fn sent<'c>(client: &'c Client, request: &'c Request) -> impl Future<Output = Fetched> + Send + 'c {
        client.fetch(request, Moment::now())
    }
    let _ = sent;
}
