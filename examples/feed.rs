//! Feeds another tester, here the crate `robotstxt`, with one plain group: `cargo run --example feed -- MyBot FILE URL`

use std::{env, error::Error, fs};

use robosieve::Sieve;
use robosieve::settings::TextForm;
use robotstxt::DefaultMatcher;

fn main() -> Result<(), Box<dyn Error>> {
    let [agent, file, url] = <[String; 3]>::try_from(env::args().skip(1).collect::<Vec<_>>())
        .map_err(|_| "usage: feed AGENT FILE URL, with a whole URL")?;
    let bytes = fs::read(file)?;
    let sieved = Sieve::new([&agent]).with(|options| options.form = TextForm::Portable).filter(&bytes)?;
    // The text has one group, `User-agent: *`, made for this agent.
    let allowed = DefaultMatcher::default().one_agent_allowed_by_robots(sieved.text(), "*", &url);
    println!("{}\t{url}", if allowed { "allowed" } else { "disallowed" });
    Ok(())
}
