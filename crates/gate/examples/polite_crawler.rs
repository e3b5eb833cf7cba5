//! A polite little crawler over tokio, with the gate's own async client.
//!
//! It fetches the pages of a site on loopback, follows their links, obeys robots.txt, and slows down when the site says
//! so: `cargo run -p robosieve-gate --example polite_crawler`
#![allow(missing_docs, unreachable_pub, clippy::arithmetic_side_effects)]

mod polite;

use std::error::Error;

use robosieve_gate::retrieve::AddressGuard;
use robosieve_gate::{AsyncGate, Client, CrawlerIdentity, GateCore, MemoryStore};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let site = polite::Site::default();
    let start = site.start().await?;
    let identity = CrawlerIdentity::from_header(polite::USER_AGENT)?;
    let core = GateCore::new(MemoryStore::default(), identity.agents()).with_pacing(polite::pacing());
    // Only for this site on loopback. By default, only global addresses are requested.
    let client = Client::new(&identity).guard(AddressGuard::global_only().allowing("127.0.0.1/32".parse()?));
    let gate = AsyncGate::over(client, core);
    let counts = polite::crawl(&gate, &start).await?;
    Ok(site.judge(counts)?)
}
