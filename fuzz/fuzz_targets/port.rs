//! Compares Google's dialect with an independent port of Google's parser.

#![no_main]

use libfuzzer_sys::fuzz_target;
use robosieve_fuzz::Input;
use robosieve_fuzz::properties::port;

fuzz_target!(|input: Input| {
    port::agrees(&input.file, &input.choices);
});
