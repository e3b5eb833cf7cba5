//! Filters a stream of files, whose paths come on the standard input, with one sieve:
//! `find FOLDER -name robots.txt | cargo run --release --example stream -- MyBot`

#![allow(clippy::arithmetic_side_effects)] // No stream has 2^64 files.

use std::io::{self, BufRead};
use std::{env, error::Error, fs};

use robosieve::Sieve;

fn main() -> Result<(), Box<dyn Error>> {
    let sieve = Sieve::new([env::args().nth(1).ok_or("usage: stream AGENT < PATHS")?]);
    let (mut files, mut inexact) = (0_u64, 0_u64);
    for path in io::stdin().lock().lines() {
        let bytes = fs::read(path?)?;
        let sieved = sieve.filter(&bytes)?;
        files += 1;
        inexact += u64::from(!sieved.report().is_exact());
        print!("{}", sieved.text());
    }
    eprintln!("{files} files, {inexact} of them lost something to a limit");
    Ok(())
}
