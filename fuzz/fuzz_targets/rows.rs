//! A store's row or lane may have any values: it is read, or unknown, and opens nothing.
#![no_main]

use libfuzzer_sys::fuzz_target;
use robosieve_fuzz::bytes::Bytes;

#[path = "../../crates/gate/tests/properties/choices.rs"]
mod choices;
#[path = "../../crates/gate/tests/properties/rows.rs"]
mod rows;

struct Chosen<'a>(Bytes<'a>);

impl choices::Choices for Chosen<'_> {
    fn below(&mut self, bound: usize) -> usize {
        self.0.below(bound)
    }
}

thread_local! {
    static STORE: rows::Store = rows::Store::new();
}

fuzz_target!(|bytes: &[u8]| {
    let mut chosen = Chosen(Bytes::new(bytes));
    STORE.with(|store| {
        if chosen.0.below(4) == 0 {
            store.any_lane(&mut chosen);
        } else {
            store.any_row(&mut chosen);
        }
    });
});
