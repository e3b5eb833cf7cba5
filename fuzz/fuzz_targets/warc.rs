//! Any octets are an archive: the reader of `robosieve batch` ends, gives no more than it is allowed, and gives the same
//! however the octets come.
#![no_main]

use std::io::Read;

use libfuzzer_sys::fuzz_target;

#[path = "../../cli/src/batch/warc.rs"]
#[allow(dead_code, reason = "the command uses the rest")]
mod warc;
#[path = "../../cli/src/batch/window.rs"]
#[allow(dead_code, reason = "the command uses the rest")]
mod window;

use warc::{Archive, Step};

/// Gives a few octets at a time.
struct Dribble<'o>(&'o [u8], usize);

impl Read for Dribble<'_> {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        let most = into.len().min(self.1);
        self.0.read(&mut into[..most])
    }
}

fn steps(reader: impl Read, max_block: usize) -> Vec<Step> {
    let mut archive = Archive::new(reader, max_block);
    std::iter::from_fn(|| archive.next().expect("memory can be read")).collect()
}

fuzz_target!(|input: (u8, u8, &[u8])| {
    let (max_block, step, octets) = input;
    let max_block = usize::from(max_block);
    let whole = steps(octets, max_block);
    assert!(whole.len() <= octets.len());
    for found in &whole {
        if let Step::Record(record) = found {
            assert!(record.block.len() <= max_block);
        }
    }
    assert_eq!(whole, steps(Dribble(octets, usize::from(step) + 1), max_block));
});
