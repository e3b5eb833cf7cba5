//! Filtering: compares the verdicts and values of the text with those of the file, for some agents and for all.

#![no_main]

use libfuzzer_sys::fuzz_target;
use robosieve_fuzz::Input;
use robosieve_fuzz::properties::verdicts;

fuzz_target!(|input: Input| {
    verdicts::exact(&input.file, &input.choices);
    verdicts::exact_for_all_agents(&input.file, &input.choices);
    verdicts::values_for_all_agents(&input.file, &input.choices);
});
