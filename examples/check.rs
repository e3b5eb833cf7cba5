//! May this crawler fetch these URLs? `cargo run --example check -- MyBot examples/robots.txt /cart /cart/help`

use std::{env, error::Error, fs};

use robosieve::Sieve;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let (agent, file) = arguments.next().zip(arguments.next()).ok_or("usage: check AGENT FILE URL...")?;
    let bytes = fs::read(file)?;
    let tester = Sieve::new([agent]).tester(&bytes)?;
    for url in arguments {
        println!("{url}\t{}", tester.test(&url));
    }
    Ok(())
}
