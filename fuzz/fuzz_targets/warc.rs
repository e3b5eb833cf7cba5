//! The reader of WARC archives accepts any bytes. It ends, stays within its limits, and the result does not depend on
//! how the bytes arrive. Archives are made by structure, and then broken.
#![no_main]

use libfuzzer_sys::fuzz_target;
use robosieve_fuzz::archive::Archive;

#[path = "../../crates/batch/tests/batch/archives.rs"]
mod archives;

fuzz_target!(|archive: Archive| {
    archives::the_same_however_it_comes(&archive.bytes, archive.max_block, archive.step);
    archives::records_are_the_same(&archive.bytes, archive.step);
});
