//! The same polite little crawler, with an HTTP client of its own: one closure retrieves robots.txt.
//!
//! `cargo run -p robosieve-gate --features async --example polite_closure`
#![allow(missing_docs, unreachable_pub, clippy::arithmetic_side_effects)]

mod polite;

use std::error::Error;

use robosieve_gate::retrieve::{AddressGuard, FetchWith, Fetched, Request};
use robosieve_gate::{AsyncGate, CrawlerIdentity, GateCore, MemoryStore};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let site = polite::Site::default();
    let start = site.start().await?;
    let identity = CrawlerIdentity::from_header(polite::USER_AGENT)?;
    let core = GateCore::new(MemoryStore::default(), identity.agents()).with_pacing(polite::pacing());
    let fetch = |request: Request| async move {
        match polite::get(request.url.as_str()).await {
            Ok((status, _, body)) => Fetched::new(status, body),
            Err(error) => Fetched::failed(error.to_string()),
        }
    };
    // The site of this example is on loopback.
    let fetch = FetchWith::new(fetch).guard(AddressGuard::global_only().allowing_private());
    let gate = AsyncGate::over(fetch, core);
    let counts = polite::crawl(&gate, &start).await?;
    Ok(site.judge(counts)?)
}
