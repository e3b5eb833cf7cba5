//! Parses any bytes in each dialect. There are no choices in the input, so that files of the corpus can be seeds as
//! they are.

#![no_main]

use libfuzzer_sys::fuzz_target;
use robosieve::{Dialect, Limits, Options};
use robosieve_fuzz::properties::{Choices, lines, parsing, text};

const TIGHT: Limits =
    Limits { max_records: 3, max_lines: 4, max_user_agents: 4, max_value_length: 20, ..Limits::DEFAULT };

fuzz_target!(|file: &[u8]| {
    for dialect in [Dialect::Standard, Dialect::Google, Dialect::Processor] {
        for limits in [dialect.options().limits, TIGHT] {
            let choices = Choices::new(Options { limits, ..dialect.options() }, &["MyBot", "Googlebot"]);
            parsing::is_total(file, &choices);
            parsing::record_by_record(file, &choices);
            parsing::in_chunks(file, &choices);
            parsing::owned(file, &choices);
            lines::cover(file, &choices);
            lines::agree(file, &choices);
            text::form(file, &choices);
            text::idempotent(file, &choices);
        }
    }
});
