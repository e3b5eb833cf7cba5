//! Filtering: the text answers as the file, for some agents and for all, in each dialect, and widened forbids no less.
#![no_main]

use libfuzzer_sys::fuzz_target;
use robosieve_fuzz::properties::{Property, verdicts};
use robosieve_fuzz::{Input, turn};

/// Each costs several readings of the file: one of them for each input.
const DEAR: &[Property] = &[
    verdicts::exact,
    verdicts::exact_for_all_agents,
    verdicts::values_for_all_agents,
    verdicts::widening,
    verdicts::widening_for_all_agents,
];

fuzz_target!(|input: Input| DEAR[turn(&input.file, DEAR.len())](&input.file, &input.choices));
