//! The choices of the gate's properties, made of the fuzzer's bytes.

use arbitrary::Unstructured;

use crate::choices::Choices;

/// The bytes that are left. After the last one, each choice is the first.
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
