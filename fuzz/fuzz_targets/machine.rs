//! The retrieval machine takes any events, with any heads, in any order, at any time, and keeps its limits.
#![no_main]

use libfuzzer_sys::fuzz_target;
use robosieve_fuzz::bytes::Bytes;

#[path = "../../crates/gate/tests/properties/choices.rs"]
mod choices;
#[path = "../../crates/gate/tests/properties/machine.rs"]
mod machine;

struct Chosen<'a>(Bytes<'a>);

impl choices::Choices for Chosen<'_> {
    fn below(&mut self, bound: usize) -> usize {
        self.0.below(bound)
    }
}

fuzz_target!(|bytes: &[u8]| {
    machine::any_events(&mut Chosen(Bytes::new(bytes)));
});
