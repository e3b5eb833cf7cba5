//! The text: its form, that it is canonical, parses back to the same rules, and repeats nothing; in both forms.
#![no_main]

use libfuzzer_sys::fuzz_target;
use robosieve_fuzz::Input;
use robosieve_fuzz::properties::{harmless, text};

fuzz_target!(|input: Input| {
    text::form(&input.file, &input.choices);
    text::idempotent(&input.file, &input.choices);
    text::reads_back(&input.file, &input.choices);
    text::says_once(&input.file, &input.choices);
    harmless::output(&input.file, &input.choices);
});
