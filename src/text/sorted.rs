//! Indexes of byte strings, in order of the bytes.
//!
//! Invariant: the order is total: by bytes, then as a function says, then by index. Strings are sorted as numbers made
//! of their first bytes and their index. Only strings with the same first bytes are compared as text.

use alloc::vec::Vec;
use core::cmp::Ordering;

const INDEX_BITS: u32 = 32;
/// The bytes that fit into a number beside the index.
const FRONT: usize = 12;

/// The indexes of these byte strings, none of which contains a zero byte, sorted. `compare` compares two that begin
/// alike.
pub(crate) fn sorted<'s>(
    strings: impl Iterator<Item = &'s [u8]>,
    mut compare: impl FnMut(u32, u32) -> Ordering,
) -> Vec<u128> {
    let mut keys: Vec<u128> = strings.zip(0_u32..).map(|(string, index)| key(string, index)).collect();
    keys.sort_unstable();
    for alike in keys.chunk_by_mut(|left, right| left >> INDEX_BITS == right >> INDEX_BITS) {
        if let [_, _, ..] = alike {
            alike.sort_unstable_by(|&left, &right| compare(index(left), index(right)).then(left.cmp(&right)));
        }
    }
    keys
}

/// The index in a key.
#[allow(clippy::cast_possible_truncation)]
pub(crate) const fn index(key: u128) -> u32 {
    key as u32
}

/// The bytes behind the first, which is a slash in nearly all. Missing bytes are zeros, so a string is less than its
/// continuations.
#[inline]
fn key(string: &[u8], index: u32) -> u128 {
    let string = string.get(1..).unwrap_or_default();
    if let Some(front) = string.first_chunk::<16>() {
        return u128::from_be_bytes(*front) >> INDEX_BITS << INDEX_BITS | u128::from(index);
    }
    let mut front = [0; 16];
    for (to, byte) in front.iter_mut().zip(string.iter().take(FRONT)) {
        *to = *byte;
    }
    u128::from_be_bytes(front) | u128::from(index)
}
