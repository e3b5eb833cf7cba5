//! Parses with and without vector instructions. The file is parsed as it is, and again from each of its first bytes on,
//! so that its lines lie differently in the vectors.

#![no_main]

use libfuzzer_sys::fuzz_target;
use robosieve_fuzz::Input;
use robosieve_fuzz::properties::parsing;

fuzz_target!(|input: Input| {
    for start in 0..4 {
        parsing::without_vectors(input.file.get(start..).unwrap_or_default(), &input.choices);
    }
});
