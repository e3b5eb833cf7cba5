//! Compares the first lines of a file with the file, and with the rest of it.

#![no_main]

use libfuzzer_sys::fuzz_target;
use robosieve_fuzz::Input;
use robosieve_fuzz::properties::changes;

fuzz_target!(|input: Input| {
    changes::proven(&input.file, &input.choices);
});
