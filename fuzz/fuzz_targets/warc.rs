//! Any octets are an archive: the reader of `robosieve batch` ends, gives no more than it is allowed, and gives the same
//! however the octets come.
#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../../cli/tests/properties/archives.rs"]
mod archives;
#[path = "../../cli/src/batch/warc.rs"]
#[allow(dead_code, reason = "the command uses the rest")]
mod warc;
#[path = "../../cli/src/batch/window.rs"]
#[allow(dead_code, reason = "the command uses the rest")]
mod window;

fuzz_target!(|input: (u8, u8, &[u8])| {
    let (max_block, step, octets) = input;
    archives::the_same_however_it_comes(octets, usize::from(max_block), usize::from(step) + 1);
});
