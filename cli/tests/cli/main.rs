//! Runs the command as users do: arguments and octets in; text, JSON and an exit code out.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, reason = "a test may fail")]

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
