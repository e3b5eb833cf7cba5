//! The tests of this crate's interface, in one program. `cargo test -p robosieve-batch --test batch digests::` runs those
//! of one file.
#![allow(
    missing_docs,
    clippy::arithmetic_side_effects,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test may fail"
)]

// The fuzz targets call it, too.
mod archives;
mod common;
#[path = "../../../../tests/families/corpus.rs"]
mod corpus;
mod damaged;
mod digests;
mod places;
mod properties;
mod runs;
mod stopped;
mod wacz;
