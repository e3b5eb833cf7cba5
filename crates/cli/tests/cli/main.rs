//! Runs the command as users do: arguments and bytes in; text, JSON and an exit code out.
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

mod apart;
#[cfg(feature = "batch")]
mod batch;
#[cfg(feature = "batch")]
mod batch_answers;
#[cfg(feature = "batch")]
mod batch_inputs;
#[cfg(feature = "batch")]
mod batch_resume;
#[cfg(feature = "batch")]
mod batch_warc;
#[cfg(feature = "batch")]
mod census;
#[cfg(feature = "gate")]
mod check;
mod common;
mod diff;
#[cfg(feature = "gate")]
mod doors;
mod explain;
#[path = "../../../../tests/families/mod.rs"]
mod families;
#[cfg(feature = "gate")]
mod fetch;
mod filter;
mod forged;
#[cfg(feature = "gate")]
mod forged_gate;
mod harmless;
mod input;
mod inspect;
mod limits;
mod lint;
mod named;
mod names;
mod ndjson;
#[cfg(feature = "gate")]
mod page;
#[cfg(all(unix, feature = "batch"))]
mod places;
mod readme;
mod requests;
#[cfg(feature = "gate")]
mod serve;
#[cfg(feature = "gate")]
mod serving;
mod shell;
#[cfg(feature = "signals")]
mod signals;
#[cfg(feature = "batch")]
mod statuses;
mod suspect;
#[cfg(feature = "gate")]
mod switches;
mod test;
mod values;
