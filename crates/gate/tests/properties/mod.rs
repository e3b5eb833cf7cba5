//! Properties of the gate: each holds for all choices. The tests make them at random, the fuzzer makes them of its
//! bytes.
//!
//! Invariant: a property asks for its choices one after another, and ends, however they come.

#[allow(unreachable_pub, reason = "it is also a module of the fuzz targets' library")]
pub(crate) mod choices;
pub(crate) mod follow;
#[cfg(feature = "sqlite")]
pub(crate) mod rows;

use choices::Choices;

/// `SplitMix64`: the same sequence each time.
pub(crate) struct Random(pub(crate) u64);

impl Choices for Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^= mixed >> 31;
        usize::try_from(mixed % bound as u64).unwrap_or_default()
    }
}
