//! The text in Google's dialect, parsed in the same dialect, gives the same answers as the file for every URL that a
//! client can send.

#![no_main]

use libfuzzer_sys::fuzz_target;
use robosieve::settings::{Dialect, Options};
use robosieve_fuzz::Input;
use robosieve_fuzz::properties::{text, verdicts};

fuzz_target!(|input: Input| {
    let mut choices = input.choices;
    choices.options = Options { keep_unknown: choices.options.keep_unknown, ..Dialect::Google.options() };
    verdicts::exact(&input.file, &choices);
    verdicts::exact_for_all_agents(&input.file, &choices);
    text::idempotent(&input.file, &choices);
});
