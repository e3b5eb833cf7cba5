//! The output is within the limits, refusing and dropping agree, and reports stay small.

#![no_main]

use libfuzzer_sys::fuzz_target;
use robosieve_fuzz::Input;
use robosieve_fuzz::properties::limits;

fuzz_target!(|input: Input| {
    limits::hold_in_the_text(&input.file, &input.choices);
    limits::report_is_bounded(&input.file, &input.choices);
    limits::refusing(&input.file, &input.choices);
});
