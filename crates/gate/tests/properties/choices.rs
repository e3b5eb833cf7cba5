//! Where a property's choices come from.

/// Any choices, one after another.
pub trait Choices {
    /// A number below `bound`, which is not 0.
    fn below(&mut self, bound: usize) -> usize;

    /// One of several.
    fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }

    /// Any bytes, fewer than `bound`.
    fn bytes(&mut self, bound: usize) -> Vec<u8> {
        (0..self.below(bound)).map(|_| u8::try_from(self.below(256)).unwrap_or_default()).collect()
    }
}
