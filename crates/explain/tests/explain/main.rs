//! The tests of this crate, in one program. `cargo test -p robosieve-explain --test explain lint::` runs those of one
//! file.
//!
//! Invariant: a test here needs no process of its own. Those that count instructions (`cost`) do.
#![allow(
    clippy::arithmetic_side_effects,
    clippy::format_collect,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test may fail"
)]

#[path = "../properties/advice.rs"]
mod advice;
mod compare;
mod crawlers;
#[path = "../../../../tests/families/mod.rs"]
mod families;
mod inspection;
mod law;
mod lint;
mod lint_rules;
mod memory;
mod page;
mod tree;
mod why;
