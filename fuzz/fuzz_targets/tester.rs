//! All ways to the same answer: in one pass, record by record, for some agents only, with owned data; for a path, and in any URL; the
//! naive matcher on a file's rules; and in Google's dialect a port of Google's parser.
#![no_main]

use libfuzzer_sys::fuzz_target;
use robosieve_fuzz::Input;
use robosieve_fuzz::properties::{naive, parsing, port, verdicts};

fuzz_target!(|input: Input| {
    parsing::is_total(&input.file, &input.choices);
    parsing::directed(&input.file, &input.choices);
    parsing::owned(&input.file, &input.choices);
    naive::agrees(&input.file, &input.choices);
    verdicts::pass(&input.file, &input.choices);
    verdicts::urls_of_any_kind(&input.file, &input.choices);
    port::agrees(&input.file, &input.choices);
});
