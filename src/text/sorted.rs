//! Indexes of byte strings, in order of the bytes.
//!
//! Invariant: the order is total: by heads, then by first bytes, then as a function says, then by index. Strings are
//! sorted as numbers made of their first bytes and their index. Only strings with the same first bytes are compared as
//! text.

use alloc::vec::Vec;
use core::cmp::Ordering;

use crate::syntax::bytes;

const INDEX_BITS: u32 = 32;
/// The bytes that fit into a number next to the index.
const FRONT: usize = 12;

/// The indexes of these byte strings, none of which has a byte below a blank, sorted by their heads: the first string
/// of each pair. Of those with one head, those without a second string come first. `compare` compares two that begin
/// alike.
pub(crate) fn sorted<'s>(
    strings: impl Iterator<Item = (&'s [u8], &'s [u8])>,
    mut compare: impl FnMut(u32, u32) -> Ordering,
) -> Vec<u128> {
    let mut keys: Vec<u128> = strings.zip(0_u32..).map(|((head, rest), index)| key(head, rest, index)).collect();
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

/// The bytes after the first, which is a slash in all heads but the empty one. Between head and rest stands a byte that
/// is less than theirs. Missing bytes are zeros. So a head is less than its continuations.
#[inline]
fn key(head: &[u8], rest: &[u8], index: u32) -> u128 {
    const MARK: u128 = 1 << (u128::BITS - u8::BITS);
    // The empty head comes first, whatever its rest.
    let Some((_, head)) = head.split_first() else { return u128::from(index) };
    let mut number = bytes::leading(head);
    if head.len() < FRONT && !rest.is_empty() {
        let behind = MARK | bytes::leading(rest) >> u8::BITS;
        number |= behind >> head.len().saturating_mul(8);
    }
    number >> INDEX_BITS << INDEX_BITS | u128::from(index)
}

/// Whether the bytes begin with these. What is sorted mostly differs late, so the end of `start` is compared first. Calls
/// nothing for short ones.
#[inline]
pub(crate) fn begins_with(bytes: &[u8], start: &[u8]) -> bool {
    let Some(bytes) = bytes.get(..start.len()) else { return false };
    match (bytes.last_chunk::<8>(), start.last_chunk::<8>()) {
        (Some(end), Some(end_of_start)) => {
            end == end_of_start
                && bytes.first_chunk::<8>() == start.first_chunk::<8>()
                && (start.len() <= 16 || bytes == start)
        }
        _ => match (bytes.last_chunk::<4>(), start.last_chunk::<4>()) {
            (Some(end), Some(end_of_start)) => {
                end == end_of_start && bytes.first_chunk::<4>() == start.first_chunk::<4>()
            }
            _ => bytes.iter().zip(start).all(|(byte, other)| byte == other),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// [text.order]
    #[test]
    fn keys_sort_as_heads_do() {
        let bytes = b"/abcabcabcabcabcabcabc";
        let heads = (1..bytes.len()).filter_map(|end| bytes.get(..end));
        let pairs: Vec<(&[u8], &[u8])> = heads
            .flat_map(|head| [&b""[..], b"*", b"*a", b"*b"].map(|rest| (head, rest)))
            .chain([(&b"/b"[..], &b""[..]), (b"", b"*a"), (b"", b"*b")])
            .collect();
        for left in &pairs {
            for right in &pairs {
                let keys = (key(left.0, left.1, 0), key(right.0, right.1, 0));
                let is_tie = keys.0 == keys.1;
                assert!(
                    is_tie || left.0 == right.0 || keys.0.cmp(&keys.1) == left.0.cmp(right.0),
                    "{left:?} {right:?}"
                );
                // The mark and two bytes after it need space.
                let is_long = left.0.len() + 2 > FRONT && right.0.len() + 2 > FRONT;
                let is_first = left.0.is_empty() || right.0.is_empty();
                assert!(!is_tie || is_long || is_first || left == right, "{left:?} {right:?}");
            }
        }
    }
    /// [text.order]
    #[test]
    fn beginnings_of_each_length_are_found() {
        let bytes = b"/abcdefghijklmnopqrstuvwxyz";
        for end in 0..=bytes.len() {
            let start = bytes.get(..end).unwrap_or_default();
            assert!(begins_with(bytes, start) && begins_with(start, start));
            assert!(end == bytes.len() || !begins_with(start, bytes));
            for at in 0..end {
                let mut other = start.to_vec();
                other.iter_mut().skip(at).take(1).for_each(|byte| *byte ^= 1);
                assert!(!begins_with(bytes, &other), "{end} {at}");
            }
        }
    }
}
