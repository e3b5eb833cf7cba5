//! An automaton that matches a pattern with a path byte by byte.
//!
//! Invariant: the state is one number. Each literal between stars is taken at its leftmost place, as in `glob`. After
//! a byte that does not match, the automaton continues from the longest prefix of the literal that can still be right
//! (Knuth, Morris and Pratt). So after the last byte of a path it accepts exactly the paths that the pattern matches.

use alloc::vec::Vec;

use robosieve::parts::Literals;

/// How far a pattern has read: an offset into its literals, [`DEAD`] or [`DONE`].
pub(crate) type State = u32;

/// The pattern matches no path that begins with these bytes.
pub(crate) const DEAD: State = State::MAX;
/// The pattern matches every path that begins with these bytes.
pub(crate) const DONE: State = State::MAX - 1;

/// A pattern, prepared for reading paths.
#[derive(Clone, Debug)]
pub(crate) struct Automaton<'p> {
    literals: &'p Literals<'p>,
    /// For each offset, the state to continue from if the next byte is not the one at this offset. Within the first
    /// literal it is [`DEAD`]. At the start of another literal it is the offset itself.
    fallback: Vec<State>,
}

impl<'p> Automaton<'p> {
    /// Builds the automaton. Cost: the length of the pattern. None if the pattern is longer than a state can count.
    pub(crate) fn new(literals: &'p Literals<'p>) -> Option<Self> {
        let length = u32::try_from(literals.bytes.len()).ok().filter(|length| *length < DONE)?;
        let front = u32::try_from(literals.literal_prefix().len()).ok()?;
        let mut fallback = Vec::with_capacity(literals.bytes.len().saturating_add(1));
        fallback.resize(literals.literal_prefix().len().saturating_add(1), DEAD);
        let mut automaton = Self { literals, fallback };
        for at in front..length {
            let next = automaton.fallback_behind(at);
            automaton.fallback.push(next);
        }
        for at in front..length {
            automaton.shorten(at);
        }
        Some(automaton)
    }

    /// The fallback of the offset after `at`: the longest prefix of the literal that is also a suffix of the bytes
    /// read so far.
    fn fallback_behind(&self, at: State) -> State {
        match self.byte(at) {
            // A literal begins.
            Some(b'*') | None => at.saturating_add(1),
            Some(byte) => match self.fallback_of(at) {
                // This is the literal's first byte.
                start if start == at => start,
                start => self.read(start, byte),
            },
        }
    }

    /// If the byte at the fallback is the same, it does not match either. Skipping it keeps the chains of fallbacks
    /// short.
    fn shorten(&mut self, at: State) {
        let next = self.fallback_of(at);
        if next < at && self.byte(next) == self.byte(at) {
            let further = self.fallback_of(next);
            if let Some(fallback) = self.fallback.get_mut(at as usize) {
                *fallback = further;
            }
        }
    }

    /// The first state.
    pub(crate) fn start(&self) -> State {
        self.behind_stars(0)
    }

    /// The state after one more byte.
    pub(crate) fn step(&self, state: State, byte: u8) -> State {
        if state >= DONE { state } else { self.behind_stars(self.read(state, byte)) }
    }

    fn read(&self, mut state: State, byte: u8) -> State {
        loop {
            if byte != b'*' && self.byte(state) == Some(byte) {
                return state.saturating_add(1);
            }
            match self.fallback_of(state) {
                same if same == state => return state,
                DEAD => return DEAD,
                shorter => state = shorter,
            }
        }
    }

    /// The bytes that lead to a different state than all other bytes do. There are few: at most the logarithm of the
    /// literal's length.
    pub(crate) fn expected(&self, state: State) -> impl Iterator<Item = u8> + '_ {
        let first = (state < DONE).then_some(state);
        let shorter = |at: &State| Some(self.fallback_of(*at)).filter(|next| next != at && *next != DEAD);
        core::iter::successors(first, shorter).filter_map(|at| self.byte(at))
    }

    /// Whether the pattern matches a path that ends here.
    pub(crate) fn accepts(&self, state: State) -> bool {
        state == DONE || state < DONE && state as usize == self.literals.bytes.len()
    }

    /// Whether all bytes except one lead to [`DEAD`].
    pub(crate) fn is_in_front(&self, state: State) -> bool {
        state < DONE && self.fallback_of(state) == DEAD
    }

    /// The number of bytes and stars of the pattern that are still to be read.
    pub(crate) fn wants(&self, state: State) -> usize {
        if state >= DONE { 0 } else { self.literals.bytes.len().saturating_sub(state as usize) }
    }

    /// Skips stars, and marks the end of a pattern without an anchor as [`DONE`].
    fn behind_stars(&self, mut state: State) -> State {
        while self.byte(state) == Some(b'*') {
            state = state.saturating_add(1);
        }
        if state < DONE && !self.literals.anchored && self.wants(state) == 0 { DONE } else { state }
    }

    fn byte(&self, state: State) -> Option<u8> {
        self.literals.bytes.get(state as usize).copied()
    }

    fn fallback_of(&self, state: State) -> State {
        self.fallback.get(state as usize).copied().unwrap_or(DEAD)
    }
}

#[cfg(test)]
#[allow(clippy::arithmetic_side_effects)]
mod tests {
    use alloc::vec::Vec;

    use super::*;
    use robosieve::parts::matches;
    use robosieve::settings::PathForm;

    /// All texts of these bytes, up to a length.
    fn texts(bytes: &[u8], length: u32) -> impl Iterator<Item = Vec<u8>> {
        let count = bytes.len();
        (0..=length).flat_map(move |length| {
            (0..count.pow(length)).map(move |number| {
                (0..length).filter_map(|place| bytes.get(number / count.pow(place) % count).copied()).collect()
            })
        })
    }

    #[test]
    fn an_automaton_accepts_what_the_pattern_matches() {
        let paths: Vec<Vec<u8>> = texts(b"ab", 7).collect();
        for pattern in texts(b"ab*", 6).flat_map(|pattern| [pattern.clone(), [&pattern[..], b"$"].concat()]) {
            let literals = Literals::of(&pattern, PathForm::default());
            let automaton = Automaton::new(&literals).unwrap_or_else(|| unreachable!("a short pattern"));
            for path in &paths {
                let state = path.iter().fold(automaton.start(), |state, byte| automaton.step(state, *byte));
                let expected = matches(&literals, path);
                assert_eq!(automaton.accepts(state), expected, "{pattern:?} {path:?}");
                // All bytes that are not expected lead to the same state.
                let other = automaton.step(state, b'x');
                for byte in *b"ab" {
                    let is_expected = automaton.expected(state).any(|expected| expected == byte);
                    assert!(is_expected || automaton.step(state, byte) == other, "{pattern:?} {path:?} {byte}");
                }
            }
        }
    }
}
