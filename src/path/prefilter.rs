//! A set of the 32-byte windows of a long path. If it lacks the window of a literal, the path cannot contain the
//! literal.
//!
//! Invariant: if a path contains a literal, its set contains the literal's window. The reverse is only likely. Reads
//! each byte of path and literals at most twice.

use alloc::vec::Vec;

/// Bytes of a window. Our choice: windows of this length rarely match by chance.
const WIDTH: usize = 32;
/// The shortest path for which a set is faster than searching. Our choice, measured.
const LONG_PATH: usize = 256;
/// Bits of the table for each byte of the path, and its maximum size: 128 KiB.
const BITS_FOR_BYTE: usize = 16;
const MOST_BITS: usize = 1 << 20;
/// The factor of the hash: an odd number that spreads bytes over all bits.
const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;

/// The hash of a 32-byte window of a literal.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Window(u64);

impl Window {
    /// The window with most changes among the literals, which are separated by `*`. None if all literals are shorter.
    pub(crate) fn of(literals: &[u8]) -> Option<Self> {
        let best = literals.split(|&byte| byte == b'*').filter_map(most_varied).max_by_key(|(changes, _)| *changes);
        best.map(|(_, window)| Self(hash(window)))
    }
}

/// The window of the literal with most bytes that differ from the next one, and the number of these.
fn most_varied(literal: &[u8]) -> Option<(usize, &[u8])> {
    let first = literal.get(..WIDTH)?;
    let differ = |at: usize| literal.get(at) != literal.get(at.wrapping_add(1));
    let mut changes = (0..WIDTH.wrapping_sub(1)).filter(|at| differ(*at)).count();
    let mut best = (changes, first);
    for (start, window) in literal.windows(WIDTH).enumerate().skip(1) {
        // One pair enters at the end, and one leaves at the front.
        changes = changes.wrapping_add(usize::from(differ(start.wrapping_add(WIDTH).wrapping_sub(2))));
        changes = changes.wrapping_sub(usize::from(differ(start.wrapping_sub(1))));
        if changes > best.0 {
            best = (changes, window);
        }
    }
    Some(best)
}

fn hash(window: &[u8]) -> u64 {
    window.iter().fold(0, |hash, byte| take_in(hash, *byte))
}

const fn take_in(hash: u64, byte: u8) -> u64 {
    hash.wrapping_mul(FACTOR).wrapping_add(byte as u64).wrapping_add(1)
}

/// The windows of a path.
#[derive(Debug)]
pub(crate) struct WindowSet {
    /// The table. Empty if the path is too short.
    bits: Vec<u64>,
    /// How far to shift a hash to get its place.
    shift: u32,
}

impl WindowSet {
    pub(crate) fn of(path: &[u8]) -> Self {
        let Some((first, rest)) = path.split_at_checked(WIDTH).filter(|_| path.len() >= LONG_PATH) else {
            return Self { bits: Vec::new(), shift: 0 };
        };
        let size = path.len().saturating_mul(BITS_FOR_BYTE).min(MOST_BITS).next_power_of_two();
        let mut windows =
            Self { bits: alloc::vec![0; size / 64], shift: u64::BITS.wrapping_sub(size.trailing_zeros()) };
        let leaving = (1..WIDTH).fold(1_u64, |power, _| power.wrapping_mul(FACTOR));
        let mut window = hash(first);
        windows.insert(window);
        for (out, byte) in path.iter().zip(rest) {
            let left = window.wrapping_sub(u64::from(*out).wrapping_add(1).wrapping_mul(leaving));
            window = take_in(left, *byte);
            windows.insert(window);
        }
        windows
    }

    fn place(&self, window: u64) -> (usize, u64) {
        let place = window.wrapping_mul(FACTOR) >> self.shift;
        (usize::try_from(place >> 6).unwrap_or(usize::MAX), 1 << (place & 63))
    }

    fn insert(&mut self, window: u64) {
        let (word, bit) = self.place(window);
        if let Some(bits) = self.bits.get_mut(word) {
            *bits |= bit;
        }
    }

    /// Whether the path may contain the window; false if it surely does not.
    pub(crate) fn may_hold(&self, window: Window) -> bool {
        let (word, bit) = self.place(window.0);
        self.bits.is_empty() || self.bits.get(word).is_some_and(|bits| bits & bit != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_windows_of_a_path_are_found() {
        let path: Vec<u8> =
            (0..2000_u32).map(|at| b'a' + u8::try_from(at.wrapping_mul(at) / 7 % 5).unwrap_or(0)).collect();
        let windows = WindowSet::of(&path);
        for window in path.windows(40) {
            assert!(Window::of(window).is_some_and(|window| windows.may_hold(window)));
        }
        let other = Window::of(b"abcdeabcdeabcdeabcdeabcdeabcdeabcdeabcde");
        assert!(other.is_some_and(|window| !windows.may_hold(window)));
        assert!(other.is_some_and(|window| WindowSet::of(&[b'a'; LONG_PATH - 1]).may_hold(window)));
        assert!(other.is_some_and(|window| !WindowSet::of(&[b'a'; LONG_PATH]).may_hold(window)));
        assert!(Window::of(&[b'a'; WIDTH - 1]).is_none());
        assert!(Window::of(&[b'a'; WIDTH]).is_some());
    }

    #[test]
    fn the_most_varied_window_is_taken() {
        let literal = [&[b'a'; 90][..], b"bcb", &[b'a'; 99]].concat();
        let window = most_varied(&literal).map(|(changes, window)| (changes, window.contains(&b'c')));
        assert_eq!(window, Some((4, true)));
    }
}
