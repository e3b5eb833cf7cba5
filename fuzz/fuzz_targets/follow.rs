//! A retrieval takes any responses, at any time, and keeps its limits.
#![no_main]

use libfuzzer_sys::fuzz_target;
use robosieve_fuzz::Bytes;
use robosieve_fuzz::choices;

#[path = "../../crates/gate/tests/properties/follow.rs"]
mod follow;

fuzz_target!(|bytes: &[u8]| {
    follow::any_responses(&mut Bytes::new(bytes));
});
