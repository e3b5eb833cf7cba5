//! What several of these tests need: texts, and numbers that look random.

use std::num::NonZeroU32;

use robosieve::{Options, Sieve};

/// The text for `MyBot` with these options.
#[track_caller]
pub(crate) fn text_with(options: Options, input: &str) -> String {
    Sieve::new(["MyBot"]).options(options).filter(input.as_bytes()).unwrap().text().to_string()
}

/// Pseudo-random numbers, the same each time.
pub(crate) struct Numbers(pub(crate) u64);

impl Numbers {
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % bound
    }
}

/// The line with this number, as findings and rules have it.
pub(crate) const fn at(line: u32) -> Option<NonZeroU32> {
    NonZeroU32::new(line)
}

/// The number of a line; 0 for none.
pub(crate) fn number(line: Option<NonZeroU32>) -> u32 {
    line.map_or(0, NonZeroU32::get)
}
