//! Filtering: compares the verdicts and values of the text with those of the file, for some agents and for all. Memory
//! that was used before changes nothing.

#![no_main]

use libfuzzer_sys::fuzz_target;
use robosieve_fuzz::Input;
use robosieve_fuzz::properties::{scratch, verdicts};

fuzz_target!(|input: Input| {
    scratch::same(&input.file, &input.choices);
    verdicts::exact(&input.file, &input.choices);
    verdicts::exact_for_all_agents(&input.file, &input.choices);
    verdicts::values_for_all_agents(&input.file, &input.choices);
});
