//! Nothing that comes out can hurt a reader, a log or a terminal.

#![no_main]

use libfuzzer_sys::fuzz_target;
use robosieve_fuzz::Input;
use robosieve_fuzz::properties::{harmless, text};

fuzz_target!(|input: Input| {
    harmless::output(&input.file, &input.choices);
    text::form(&input.file, &input.choices);
});
