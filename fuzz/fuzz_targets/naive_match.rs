//! Compares normalising and matching with a second matcher that is written from the specification.

#![no_main]

use libfuzzer_sys::fuzz_target;
use robosieve_fuzz::NaiveInput;
use robosieve_fuzz::properties::naive;

fuzz_target!(|input: NaiveInput| {
    naive::agrees_on(&input.rules, &input.choices, &input.urls);
});
