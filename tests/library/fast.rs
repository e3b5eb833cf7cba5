//! The fast tests, in one program. `cargo mutants` builds and runs it for each change that it makes. `cargo test`
//! runs them as a part of `library`.
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

mod behaviour;
mod bytes;
#[allow(dead_code, reason = "`library` uses all of it")]
mod common;
mod corpus;
mod dialects;
mod doors;
#[allow(dead_code, reason = "`library` uses all of it")]
#[path = "../families/corpus.rs"]
mod files;
mod limits;
mod lines;
mod minimal;
mod names;
mod order;
mod paths;
mod report;
mod sets;
mod spec;
mod values;
mod words;
