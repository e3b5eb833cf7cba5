//! Pseudo-random numbers that are the same on every machine.
//!
//! Invariant: the sequence never changes. The committed instruction counts depend on it.

/// `SplitMix64` by Steele, Lea and Flood.
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Default for Rng {
    fn default() -> Self {
        Self(9309)
    }
}

impl Rng {
    /// A number below `end`; 0 where that is 0.
    pub fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^= mixed >> 31;
        usize::try_from(mixed % u64::try_from(end).unwrap_or(u64::MAX).max(1)).unwrap_or(0)
    }

    /// True with a probability of `wanted` in `of`.
    pub fn chance(&mut self, wanted: usize, of: usize) -> bool {
        self.below(of) < wanted
    }

    /// One element of the list.
    pub fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from.get(self.below(from.len())).copied().unwrap_or_default()
    }
}
