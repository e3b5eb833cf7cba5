//! The retrieval machine takes any events, with any heads, in any order, at any time, and keeps its limits.
#![no_main]

use libfuzzer_sys::fuzz_target;
use robosieve_fuzz::bytes::Bytes;
use robosieve_fuzz::choices;

#[path = "../../crates/gate/tests/properties/machine.rs"]
mod machine;

fuzz_target!(|bytes: &[u8]| {
    machine::any_events(&mut Bytes::new(bytes));
});
