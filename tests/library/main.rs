//! The tests of the library, in one program. `cargo test --test library order::` runs those of `order.rs`.
//!
//! Invariant: a test here needs no process of its own. Those that count instructions and bytes (`growth`, `heap`), and need
//! files from elsewhere (`wild`) are programs of their own.
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
mod portable;
mod properties;
mod report;
mod spec;
mod suspects;
mod value_agents;
mod values;
mod whole;
mod wide;
mod words;

// What is true for any file. The fuzz targets call it too.
#[path = "../properties/mod.rs"]
mod checked;
// The files of `corpus/`. The tests of the other crates read them too.
#[path = "../families/corpus.rs"]
mod files;

use std::num::NonZeroU32;

use robosieve::settings::Limits;
use robosieve::{Options, Sieve, Sieved};

/// The result for `MyBot` with these options.
#[track_caller]
fn sieved(options: impl Into<Options>, input: &(impl AsRef<[u8]> + ?Sized)) -> Sieved<'_> {
    Sieve::new(["MyBot"]).options(options).filter(input.as_ref()).unwrap()
}

/// The text for `MyBot` with these options.
#[track_caller]
fn text_with(options: impl Into<Options>, input: &(impl AsRef<[u8]> + ?Sized)) -> String {
    sieved(options, input).text().to_owned()
}

/// The default options with other limits.
fn limited(limits: Limits) -> Options {
    Options { limits, ..Options::default() }
}

/// Pseudo-random numbers, the same each time.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % bound
    }
}

/// The line with this number, as findings and rules have it.
const fn at(line: u32) -> Option<NonZeroU32> {
    NonZeroU32::new(line)
}

/// The number of a line; 0 for none.
fn number(line: Option<NonZeroU32>) -> u32 {
    line.map_or(0, NonZeroU32::get)
}
