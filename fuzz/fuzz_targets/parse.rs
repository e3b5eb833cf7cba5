//! Parses any bytes, each input in one dialect, with limits or tight ones. There are no choices in the input, so that
//! inputs of the corpus can be seeds as they are.

#![no_main]

use libfuzzer_sys::fuzz_target;
use robosieve::Options;
use robosieve::settings::{Dialect, Limits};
use robosieve_fuzz::properties::{Choices, Property, lines, parsing, text};
use robosieve_fuzz::turn;

const TIGHT: Limits =
    Limits { max_records: 3, max_lines: 4, max_user_agents: 4, max_value_length: 20, ..Limits::DEFAULT };

/// Properties that cost much: one of them for each input.
const DEAR: &[Property] = &[parsing::owned, parsing::without_vectors, lines::cover, lines::agree, text::idempotent];

fuzz_target!(|file: &[u8]| {
    let way = turn(file, 6 * DEAR.len());
    let dialect = [Dialect::Standard, Dialect::Google, Dialect::Processor][way % 3];
    let limits = if way % 6 < 3 { dialect.options().limits } else { TIGHT };
    let choices = Choices::new(Options { limits, ..dialect.options() }, &["MyBot", "Googlebot"]);
    parsing::is_total(file, &choices);
    text::form(file, &choices);
    DEAR[way / 6](file, &choices);
});
