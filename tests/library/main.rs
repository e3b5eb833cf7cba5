//! The tests of the library, in one program. `cargo test --test library order::` runs those of `order.rs`.
//!
//! Invariant: a test here needs no process of its own. Those that try all small cases (`thorough`), count instructions
//! (`growth`, `heap`), and need files from elsewhere (`wild`) are programs of their own.
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
mod common;
mod content_use;
mod corpus;
mod dialects;
mod doors;
mod headers;
mod incomplete;
mod inputs;
mod limits;
mod lines;
mod matching;
mod minimal;
mod names;
mod one_pass;
mod order;
mod paths;
mod recipe;
mod report;
mod sets;
mod spec;
mod suspects;
mod value_agents;
mod values;
mod whole;
mod wide;
mod words;

// Its files. The tests of the other crates read them too.
#[path = "../families/corpus.rs"]
mod files;
