//! Finds the first place of a rule's literal in a path.
//!
//! Invariant: a search looks at each byte of the path a few times, for every path and literal. A file can have more
//! than ten thousand rules, so a search that compares the whole literal at each place would take seconds.

use memchr::arch::all::packedpair::HeuristicFrequencyRank;
use memchr::memmem;

/// In paths up to this length, comparing at each place is faster than preparing a better search. A literal that is
/// half as long as the path is compared at as many places, so each byte of the path is compared at most 16 times.
const SHORT_PATH: usize = 64;
/// A longer literal is searched for by [`memmem`], in time linear in path and literal. For a shorter one, [`memmem`]
/// compares the literal wherever two of its bytes occur at the right distance.
const SHORT_LITERAL: usize = 64;
/// If at most one in this many bytes of the path equals some byte of the literal, [`memmem`] compares at no more
/// places than that. Otherwise reading each byte once is faster. Our choice, measured.
const RARE: usize = 8;

/// A path that literals are searched for in. Counts its bytes when that is first needed.
pub(crate) struct Searched<'p> {
    path: &'p [u8],
    counts: Option<Counts>,
}

impl<'p> Searched<'p> {
    pub(crate) const fn new(path: &'p [u8]) -> Self {
        Self { path, counts: None }
    }

    /// The part of `rest` after the leftmost place of the literal. `rest` is the end of the path.
    #[inline]
    pub(crate) fn after_first<'a>(&mut self, rest: &'a [u8], literal: &[u8]) -> Option<&'a [u8]> {
        let Some((&first, _)) = literal.split_first() else { return Some(rest) };
        // Preparing a search reads the whole literal, even if little of the path is left.
        if literal.len() > rest.len() {
            return None;
        }
        let at = if rest.len() <= SHORT_PATH {
            return after_in_short(rest, first, literal);
        } else if literal.len() == 1 {
            memchr::memchr(first, rest)
        } else if literal.len() <= SHORT_LITERAL {
            self.find_short(rest, literal)
        } else {
            memmem::find(rest, literal)
        };
        at.and_then(|at| rest.get(at.saturating_add(literal.len())..))
    }

    fn find_short(&mut self, rest: &[u8], literal: &[u8]) -> Option<usize> {
        let path = self.path;
        let counts = self.counts.get_or_insert_with(|| Counts::of(path));
        let rarest = literal.iter().map(|&byte| counts.of_byte(byte)).min().unwrap_or(0);
        if rarest == 0 {
            return None;
        }
        if rarest > rest.len() / RARE {
            return find_by_bits(rest, literal);
        }
        memmem::FinderBuilder::new().build_forward_with_ranker(&*counts, literal).find(rest)
    }
}

/// How often each byte is in a path.
struct Counts {
    /// 65,535 also represents all higher counts.
    counts: [u16; 256],
    /// The number of all bytes.
    all: usize,
}

impl Counts {
    fn of(path: &[u8]) -> Self {
        let mut counts = [0_u16; 256];
        for &byte in path {
            if let Some(count) = counts.get_mut(usize::from(byte)) {
                *count = count.saturating_add(1);
            }
        }
        Self { counts, all: path.len() }
    }

    fn of_byte(&self, byte: u8) -> usize {
        self.counts.get(usize::from(byte)).copied().map_or(0, usize::from)
    }
}

/// Makes a search look for those bytes of the literal that are rare in this path.
impl HeuristicFrequencyRank for &Counts {
    fn rank(&self, byte: u8) -> u8 {
        let part = self.of_byte(byte).saturating_mul(255).checked_div(self.all);
        part.and_then(|part| u8::try_from(part).ok()).unwrap_or(u8::MAX)
    }
}

fn after_in_short<'a>(mut rest: &'a [u8], first: u8, literal: &[u8]) -> Option<&'a [u8]> {
    loop {
        let at = rest.iter().position(|&byte| byte == first)?;
        rest = rest.get(at..)?;
        if let Some(after) = rest.strip_prefix(literal) {
            return Some(after);
        }
        rest = rest.get(1..)?;
    }
}

/// Reads each byte once. Bit *n* of the state says whether the last bytes are the first *n* + 1 bytes of the literal,
/// which has at most [`SHORT_LITERAL`] bytes.
fn find_by_bits(path: &[u8], literal: &[u8]) -> Option<usize> {
    let mut places = [0_u64; 256];
    let mut bit = 1_u64;
    let mut last = 0;
    for &byte in literal {
        if let Some(places) = places.get_mut(usize::from(byte)) {
            *places |= bit;
        }
        last = bit;
        bit <<= 1;
    }
    let mut state = 0_u64;
    let ends = |byte: &u8| {
        state = (state << 1 | 1) & places.get(usize::from(*byte)).copied().unwrap_or(0);
        state & last != 0
    };
    let end = path.iter().position(ends)?;
    Some(end.saturating_add(1).saturating_sub(literal.len()))
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;

    /// Finds the same place as a comparison at each place, for many paths and literals.
    #[test]
    fn the_leftmost_place_is_found() {
        let naive = |path: &[u8], literal: &[u8]| path.windows(literal.len()).position(|window| window == literal);
        let mut state = 1_u32;
        let mut next = |below: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 16) % below
        };
        let (mut found, mut missed) = (0, 0);
        for round in 0..4_000_u32 {
            let letters = 1 + round % 4;
            let mut random = |length: u32| -> Vec<u8> {
                (0..length).map(|_| b'a' + u8::try_from(next(letters)).unwrap_or(0)).collect()
            };
            let path = random(round % 300);
            let literal = match round % 3 {
                0 => random(1 + round % 70),
                1 => bytes_of(&path, round),
                _ => [&bytes_of(&path, round)[..], b"e"].concat(),
            };
            if literal.is_empty() {
                continue;
            }
            let expected = naive(&path, &literal).and_then(|at| path.get(at + literal.len()..));
            assert_eq!(Searched::new(&path).after_first(&path, &literal), expected, "{literal:?} in {path:?}");
            if path.len() > SHORT_PATH && literal.len() <= SHORT_LITERAL {
                assert_eq!(find_by_bits(&path, &literal), naive(&path, &literal), "{literal:?} in {path:?}");
            }
            if expected.is_some() { found += 1 } else { missed += 1 }
        }
        assert!(found > 500 && missed > 500, "{found} and {missed}");
    }

    /// A part of the path.
    fn bytes_of(path: &[u8], round: u32) -> Vec<u8> {
        let (start, length) = (round % 100, round % 80);
        path.iter()
            .skip(usize::try_from(start).unwrap_or(0))
            .take(usize::try_from(length).unwrap_or(0).saturating_add(1))
            .copied()
            .collect()
    }

    /// A byte that occurs more often than a count can represent is common, not rare.
    #[test]
    fn counts_do_not_overflow() {
        let path = [&b"a".repeat(70_000)[..], b"ab"].concat();
        let mut searched = Searched::new(&path);
        assert_eq!(searched.after_first(&path, b"aab"), Some(&b""[..]));
        assert_eq!(searched.after_first(&path, b"aac"), None);
    }
}
