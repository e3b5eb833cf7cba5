//! The text in Google's dialect, read by the same, answers as the file does whatever a client can send.

#![no_main]

use libfuzzer_sys::fuzz_target;
use robosieve::{Dialect, Options};
use robosieve_fuzz::Input;
use robosieve_fuzz::properties::{text, verdicts};

fuzz_target!(|input: Input| {
    let mut choices = input.choices;
    choices.options = Options { keep_unknown: choices.options.keep_unknown, ..Dialect::Google.options() };
    verdicts::exact(&input.file, &choices);
    verdicts::exact_for_all_agents(&input.file, &choices);
    text::idempotent(&input.file, &choices);
});
