//! Widening never permits what the file forbids.

#![no_main]

use libfuzzer_sys::fuzz_target;
use robosieve_fuzz::Input;
use robosieve_fuzz::properties::verdicts;

fuzz_target!(|input: Input| {
    verdicts::widening(&input.file, &input.choices);
    verdicts::widening_for_all_agents(&input.file, &input.choices);
});
