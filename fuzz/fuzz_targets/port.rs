//! Google's dialect against a port of Google's parser that others wrote.

#![no_main]

use libfuzzer_sys::fuzz_target;
use robosieve_fuzz::Input;
use robosieve_fuzz::properties::port;

fuzz_target!(|input: Input| {
    port::agrees(&input.file, &input.choices);
});
