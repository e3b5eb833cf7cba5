//! The code that fuzz targets share: the properties, and inputs made of the fuzzer's bytes.
//!
//! Invariant: a target is a few lines that check some properties for an input. The properties are those of the tests.

pub mod archive;
#[path = "../../crates/gate/tests/properties/choices.rs"]
pub mod choices;
pub mod document;
pub mod input;
#[path = "../../tests/properties/mod.rs"]
pub mod properties;

use arbitrary::Unstructured;

use crate::choices::Choices;
pub use input::Input;

/// Which of `count` ways an input is checked in: always the same for the same bytes. A target whose checks cost much
/// makes one of them for each input, so that it reads more inputs in the same time.
#[must_use]
pub fn turn(input: &[u8], count: usize) -> usize {
    let step = |hash: u32, &byte: &u8| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    // The upper bits of FNV-1a depend on all bytes.
    (input.iter().fold(0x811c_9dc5, step) >> 12) as usize % count.max(1)
}

/// The choices of properties, made of the bytes that are left. After the last one, each choice is the first.
pub struct Bytes<'a>(Unstructured<'a>);

impl<'a> Bytes<'a> {
    /// An input of the fuzzer.
    #[must_use]
    pub fn new(input: &'a [u8]) -> Self {
        Self(Unstructured::new(input))
    }
}

impl Choices for Bytes<'_> {
    fn below(&mut self, bound: usize) -> usize {
        self.0.int_in_range(0..=bound - 1).unwrap_or_default()
    }
}
