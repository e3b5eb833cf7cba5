//! Sorts strings of bytes as numbers, which is faster than as text.
//!
//! Invariant: a key holds what comes first in an order, such as the first bytes of a string, then the index of the string.
//! Only strings whose keys differ in nothing but the index are compared. So the order is total.

use alloc::vec::Vec;
use core::cmp::Ordering;

/// Sorts keys. Of those that are the `same` but for their indexes, `compare` decides.
pub(crate) fn sort<K: Copy + Ord>(
    keys: &mut [K],
    same: impl Fn(K, K) -> bool,
    mut compare: impl FnMut(K, K) -> Ordering,
) {
    keys.sort_unstable();
    for run in keys.chunk_by_mut(|left, right| same(*left, *right)) {
        if let [_, _, ..] = run {
            run.sort_unstable_by(|&left, &right| compare(left, right).then_with(|| left.cmp(&right)));
        }
    }
}

const INDEX_BITS: u32 = 32;
/// The bytes of a string that fit into a key of 128 bits, next to its index.
pub(crate) const FRONT: usize = 12;

/// The keys in their order, with their indexes in place of their last 32 bits. `compare` gets two indexes.
pub(crate) fn sorted(keys: impl Iterator<Item = u128>, mut compare: impl FnMut(usize, usize) -> Ordering) -> Vec<u128> {
    let with_index = |(key, index): (u128, u32)| key >> INDEX_BITS << INDEX_BITS | u128::from(index);
    let mut keys: Vec<u128> = keys.zip(0..).map(with_index).collect();
    let same = |left: u128, right: u128| (left ^ right) >> INDEX_BITS == 0;
    sort(&mut keys, same, |left, right| compare(index(left), index(right)));
    keys
}

/// The index in a key of 128 bits.
#[inline]
#[allow(clippy::cast_possible_truncation)]
pub(crate) const fn index(key: u128) -> usize {
    key as u32 as usize
}

/// The first sixteen bytes as a number that sorts as they do. Missing bytes are zeros.
#[inline]
pub(crate) fn leading(bytes: &[u8]) -> u128 {
    let missing = 128_usize.saturating_sub(bytes.len().saturating_mul(8));
    // The two parts may overlap. There they have the same bytes.
    if let Some(all) = bytes.first_chunk::<16>() {
        u128::from_be_bytes(*all)
    } else if let (Some(first), Some(last)) = (bytes.first_chunk::<8>(), bytes.last_chunk::<8>()) {
        u128::from(u64::from_be_bytes(*first)) << 64 | u128::from(u64::from_be_bytes(*last)) << missing
    } else if let (Some(first), Some(last)) = (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        u128::from(u32::from_be_bytes(*first)) << 96 | u128::from(u32::from_be_bytes(*last)) << missing
    } else {
        let number = bytes.iter().fold(0, |number, byte| number << 8 | u128::from(*byte));
        number.checked_shl(u32::try_from(missing).unwrap_or(128)).unwrap_or(0)
    }
}

#[cfg(test)]
#[allow(clippy::indexing_slicing)]
mod tests {
    use super::*;

    #[test]
    fn leading_bytes_sort_as_bytes_do() {
        let text: Vec<u8> = (1..=20).collect();
        for length in 0..=20 {
            let mut padded = [0; 16];
            padded.iter_mut().zip(&text[..length]).for_each(|(to, byte)| *to = *byte);
            assert_eq!(leading(&text[..length]), u128::from_be_bytes(padded), "{length}");
        }
    }
}
