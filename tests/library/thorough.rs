//! The slow tests of the library, in one program: properties on every file of the corpus, on all small files, and at
//! every limit.
#![allow(
    clippy::arithmetic_side_effects,
    clippy::expect_used,
    clippy::format_collect,
    clippy::indexing_slicing,
    clippy::naive_bytecount,
    clippy::panic,
    clippy::string_slice,
    clippy::unwrap_used,
    reason = "a test may fail"
)]

#[allow(dead_code, reason = "`library` uses all of it")]
mod common;
mod every_limit;
mod index;
mod portable;
mod properties;
#[allow(dead_code, reason = "`library` uses all of it")]
mod words;

// The functions that `properties` and `every_limit` call. The fuzz targets call them too.
#[path = "../properties/mod.rs"]
mod checked;

#[path = "../families/corpus.rs"]
mod files;
