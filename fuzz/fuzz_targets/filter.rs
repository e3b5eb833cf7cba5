//! Filtering: compares the verdicts and values of the text with those of the file, for some agents and for all. Memory
//! that was used before changes nothing.

#![no_main]

use libfuzzer_sys::fuzz_target;
use robosieve_fuzz::properties::{Property, scratch, verdicts};
use robosieve_fuzz::{Input, turn};

/// Each costs several readings of the file: one of them for each input.
const DEAR: &[Property] =
    &[scratch::same, verdicts::exact, verdicts::exact_for_all_agents, verdicts::values_for_all_agents];

fuzz_target!(|input: Input| DEAR[turn(&input.file, DEAR.len())](&input.file, &input.choices));
