//! Which runs of 32 octets a long path holds, so that a rule whose long literal it lacks need not be searched for.
//!
//! Invariant: a path that holds a literal holds the literal's gram; the other way round it is likely only. Looks at each
//! octet of path and literals twice at most.

use alloc::vec::Vec;

/// Octets of a gram. House: runs of so many are rarely found by chance, whatever a path is made of.
const WIDTH: usize = 32;
/// Shorter paths are searched as fast. House, measured.
const LONG_PATH: usize = 256;
/// Bits of the table for each octet of the path, and at most in all: 128 KiB.
const BITS_FOR_OCTET: usize = 16;
const MOST_BITS: usize = 1 << 20;
/// Any odd number that spreads octets over all bits.
const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;

/// A run of octets in a literal, as a number.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Gram(u64);

impl Gram {
    /// The most varied one among the literals, which have stars between them; none where all of them are shorter.
    pub(crate) fn of(literals: &[u8]) -> Option<Self> {
        let best = literals.split(|&octet| octet == b'*').filter_map(most_varied).max_by_key(|(changes, _)| *changes);
        best.map(|(_, window)| Self(hash(window)))
    }
}

/// The window of the literal in which an octet differs from the next most often, and how often.
fn most_varied(literal: &[u8]) -> Option<(usize, &[u8])> {
    let first = literal.get(..WIDTH)?;
    let differ = |at: usize| literal.get(at) != literal.get(at.wrapping_add(1));
    let mut changes = (0..WIDTH.wrapping_sub(1)).filter(|at| differ(*at)).count();
    let mut best = (changes, first);
    for (start, window) in literal.windows(WIDTH).enumerate().skip(1) {
        // One pair comes in at the end, and one goes out at the front.
        changes = changes.wrapping_add(usize::from(differ(start.wrapping_add(WIDTH).wrapping_sub(2))));
        changes = changes.wrapping_sub(usize::from(differ(start.wrapping_sub(1))));
        if changes > best.0 {
            best = (changes, window);
        }
    }
    Some(best)
}

fn hash(window: &[u8]) -> u64 {
    window.iter().fold(0, |hash, octet| take_in(hash, *octet))
}

const fn take_in(hash: u64, octet: u8) -> u64 {
    hash.wrapping_mul(FACTOR).wrapping_add(octet as u64).wrapping_add(1)
}

/// The grams of a path.
#[derive(Debug)]
pub(crate) struct Grams {
    /// None, of a path that is too short for them to be worth it.
    bits: Vec<u64>,
    /// How many high bits of a hash tell its place.
    shift: u32,
}

impl Grams {
    pub(crate) fn of(path: &[u8]) -> Self {
        let Some((first, rest)) = path.split_at_checked(WIDTH).filter(|_| path.len() >= LONG_PATH) else {
            return Self { bits: Vec::new(), shift: 0 };
        };
        let size = path.len().saturating_mul(BITS_FOR_OCTET).min(MOST_BITS).next_power_of_two();
        let mut grams = Self { bits: alloc::vec![0; size / 64], shift: u64::BITS.wrapping_sub(size.trailing_zeros()) };
        let leaving = (1..WIDTH).fold(1_u64, |power, _| power.wrapping_mul(FACTOR));
        let mut gram = hash(first);
        grams.insert(gram);
        for (out, octet) in path.iter().zip(rest) {
            let left = gram.wrapping_sub(u64::from(*out).wrapping_add(1).wrapping_mul(leaving));
            gram = take_in(left, *octet);
            grams.insert(gram);
        }
        grams
    }

    fn place(&self, gram: u64) -> (usize, u64) {
        let place = gram.wrapping_mul(FACTOR) >> self.shift;
        (usize::try_from(place >> 6).unwrap_or(usize::MAX), 1 << (place & 63))
    }

    fn insert(&mut self, gram: u64) {
        let (word, bit) = self.place(gram);
        if let Some(bits) = self.bits.get_mut(word) {
            *bits |= bit;
        }
    }

    /// False if the path lacks the gram.
    pub(crate) fn may_hold(&self, gram: Gram) -> bool {
        let (word, bit) = self.place(gram.0);
        self.bits.is_empty() || self.bits.get(word).is_some_and(|bits| bits & bit != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_path_holds_is_found() {
        let path: Vec<u8> =
            (0..2000_u32).map(|at| b'a' + u8::try_from(at.wrapping_mul(at) / 7 % 5).unwrap_or(0)).collect();
        let grams = Grams::of(&path);
        for window in path.windows(40) {
            assert!(Gram::of(window).is_some_and(|gram| grams.may_hold(gram)));
        }
        let other = Gram::of(b"abcdeabcdeabcdeabcdeabcdeabcdeabcdeabcde");
        assert!(other.is_some_and(|gram| !grams.may_hold(gram)));
        assert!(other.is_some_and(|gram| Grams::of(&[b'a'; LONG_PATH - 1]).may_hold(gram)));
        assert!(other.is_some_and(|gram| !Grams::of(&[b'a'; LONG_PATH]).may_hold(gram)));
        assert!(Gram::of(&[b'a'; WIDTH - 1]).is_none());
        assert!(Gram::of(&[b'a'; WIDTH]).is_some());
    }

    #[test]
    fn the_most_varied_window_is_taken() {
        let literal = [&[b'a'; 90][..], b"bcb", &[b'a'; 99]].concat();
        let window = most_varied(&literal).map(|(changes, window)| (changes, window.contains(&b'c')));
        assert_eq!(window, Some((4, true)));
    }
}
