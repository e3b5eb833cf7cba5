//! Runs the command as users do: arguments and octets in; text, JSON and an exit code out.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::format_collect,
    clippy::panic,
    clippy::arithmetic_side_effects,
    clippy::naive_bytecount,
    reason = "a test may fail"
)]

mod batch;
mod batch_resume;
mod batch_warc;
mod common;
mod diff;
mod explain;
#[path = "../../../tests/families/mod.rs"]
mod families;
mod filter;
mod harmless;
mod inspect;
mod ndjson;
mod shell;
mod terminal;
mod test;
