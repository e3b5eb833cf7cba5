//! No byte of a file becomes markup of a page or a picture.
#![no_main]
#![allow(missing_docs)]

use libfuzzer_sys::fuzz_target;

#[path = "../../crates/explain/tests/properties/markup.rs"]
mod markup;

fuzz_target!(|bytes: &[u8]| {
    markup::of_a_file(&String::from_utf8_lossy(bytes), bytes);
});
