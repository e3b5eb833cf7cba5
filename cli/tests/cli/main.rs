//! Runs the command as users do: arguments and octets in; text, JSON and an exit code out.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, reason = "a test may fail")]

#[cfg(feature = "gate")]
mod check;
mod common;
#[cfg(feature = "gate")]
mod crawl_check;
mod diff;
mod explain;
#[cfg(feature = "gate")]
mod fetch;
mod filter;
mod inspect;
mod ndjson;
#[cfg(feature = "gate")]
mod serving;
mod shell;
mod terminal;
mod test;
