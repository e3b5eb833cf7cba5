//! What `crates/cli/tests/speed/run` holds `robosieve batch` against: filtering files that are in memory already, and unpacking an
//! archive without looking at it.
//!
//! `in_memory filter FOLDER ROUNDS` filters all files of the folder so many times; `in_memory unpack FILE` unpacks gzip.
#![allow(clippy::unwrap_used, reason = "a measurement that can't be made ends")]

use std::fs::{self, File};
use std::io::{self, BufReader};

use robosieve::Sieve;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["filter", folder, rounds] => filter(folder, rounds.parse().unwrap()),
        ["unpack", file] => unpack(file),
        _ => eprintln!("usage: in_memory filter FOLDER ROUNDS | in_memory unpack FILE"),
    }
}

fn filter(folder: &str, rounds: u32) {
    let files: Vec<Vec<u8>> =
        fs::read_dir(folder).unwrap().map(|entry| fs::read(entry.unwrap().path()).unwrap()).collect();
    let sieve = Sieve::new(["MyBot"]);
    let all = (0..rounds).flat_map(|_| &files);
    let bytes: usize = all.map(|file| std::hint::black_box(sieve.run(file).unwrap().text().as_str().len())).sum();
    println!("{bytes} bytes of text");
}

fn unpack(file: &str) {
    let reader = BufReader::with_capacity(1 << 18, File::open(file).unwrap());
    let bytes = io::copy(&mut flate2::bufread::MultiGzDecoder::new(reader), &mut io::sink()).unwrap();
    println!("{bytes} bytes unpacked");
}
