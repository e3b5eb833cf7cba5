//! The output is harmless to readers, logs and terminals.

#![no_main]

use libfuzzer_sys::fuzz_target;
use robosieve_fuzz::Input;
use robosieve_fuzz::properties::{harmless, text};

fuzz_target!(|input: Input| {
    harmless::output(&input.file, &input.choices);
    text::form(&input.file, &input.choices);
});
