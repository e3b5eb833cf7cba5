//! The reader of WARC archives accepts any bytes. It ends, stays within its limits, and the result does not depend on
//! how the bytes arrive.
#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../../crates/batch/tests/properties/archives.rs"]
mod archives;

fuzz_target!(|input: (u8, u8, &[u8])| {
    let (max_block, step, bytes) = input;
    archives::the_same_however_it_comes(bytes, usize::from(max_block), usize::from(step) + 1);
});
