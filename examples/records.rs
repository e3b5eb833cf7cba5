//! Counts the rules of each group of a file on the standard input, without the whole file in memory:
//! `curl -s https://example.com/robots.txt | cargo run --release --example records`

use std::error::Error;
use std::io::{self, BufRead};
use std::iter;

use robosieve::policy::Parser;
use robosieve::settings::{Limits, Options};

fn main() -> Result<(), Box<dyn Error>> {
    let parser = Parser::new(Options { limits: Limits::NONE, ..Options::default() });
    let (mut input, mut error) = (io::stdin().lock(), None);
    let chunks = iter::from_fn(|| {
        let read = input.fill_buf().map(<[u8]>::to_vec).map_err(|failed| error = Some(failed)).ok()?;
        input.consume(read.len());
        (!read.is_empty()).then_some(read)
    });
    for set in parser.records_from(chunks) {
        for record in set.records() {
            let agents: Vec<_> = record.agents().iter().map(|agent| agent.name().as_bstr().to_string()).collect();
            println!("{}\t{} rules", agents.join(", "), record.rules().len());
        }
    }
    error.map_or(Ok(()), |error| Err(error.into()))
}
