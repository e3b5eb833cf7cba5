//! A store's row or lane may have any values: it is read, or unknown, and opens nothing.
#![no_main]

use libfuzzer_sys::fuzz_target;
use robosieve_fuzz::bytes::Bytes;
use robosieve_fuzz::choices::{self, Choices};

#[path = "../../crates/gate/tests/properties/rows.rs"]
mod rows;

thread_local! {
    static STORE: rows::Store = rows::Store::new();
}

fuzz_target!(|bytes: &[u8]| {
    let mut chosen = Bytes::new(bytes);
    STORE.with(|store| {
        if chosen.below(4) == 0 {
            store.any_lane(&mut chosen);
        } else {
            store.any_row(&mut chosen);
        }
    });
});
