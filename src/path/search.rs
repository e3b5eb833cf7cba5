//! Where a literal of a rule is first found in a path.
//!
//! Invariant: a search looks at each byte of the path a few times, whatever the path and the literal are made of. The rules of
//! one file are ten thousand and more, so a search that compares the literal wherever it may begin would cost seconds.

use memchr::arch::all::packedpair::HeuristicFrequencyRank;
use memchr::memmem;

/// In fewer bytes, looking at each place is faster than getting ready for anything better: a literal of half the path is looked
/// at in as many places, so each byte of the path 16 times at most.
const SHORT_PATH: usize = 64;
/// A longer literal is searched for by [`memmem`] in time linear in path and literal. A shorter one it compares wherever two bytes
/// of the literal stand as they do in it.
const SHORT_LITERAL: usize = 64;
/// If a byte of the literal is in one of so many places of the path, or in fewer, [`memmem`] compares no more often than that.
/// House, measured: else reading each byte once costs less.
const RARE: usize = 8;

/// A path that literals are searched for in. Knows how often each byte is in it, once that is asked for.
pub(crate) struct Searched<'p> {
    path: &'p [u8],
    counts: Option<Counts>,
}

impl<'p> Searched<'p> {
    pub(crate) const fn new(path: &'p [u8]) -> Self {
        Self { path, counts: None }
    }

    /// The whole path.
    pub(crate) const fn path(&self) -> &'p [u8] {
        self.path
    }

    /// What of `rest`, the end of the path, follows the leftmost place of the literal.
    #[inline]
    pub(crate) fn behind_first<'a>(&mut self, rest: &'a [u8], literal: &[u8]) -> Option<&'a [u8]> {
        let Some((&first, _)) = literal.split_first() else { return Some(rest) };
        // Getting ready would look at each byte of a literal, however short what is left of the path.
        if literal.len() > rest.len() {
            return None;
        }
        let at = if rest.len() <= SHORT_PATH {
            return behind_in_short(rest, first, literal);
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
    /// 65,535 stands for more too.
    counts: [u16; 256],
    /// Of all bytes.
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

/// So that a search looks for those bytes of the literal that are rare in this path.
impl HeuristicFrequencyRank for &Counts {
    fn rank(&self, byte: u8) -> u8 {
        let part = self.of_byte(byte).saturating_mul(255).checked_div(self.all);
        part.and_then(|part| u8::try_from(part).ok()).unwrap_or(u8::MAX)
    }
}

fn behind_in_short<'a>(mut rest: &'a [u8], first: u8, literal: &[u8]) -> Option<&'a [u8]> {
    loop {
        let at = rest.iter().position(|&byte| byte == first)?;
        rest = rest.get(at..)?;
        if let Some(behind) = rest.strip_prefix(literal) {
            return Some(behind);
        }
        rest = rest.get(1..)?;
    }
}

/// Reads each byte once: bit *n* of the state says whether the bytes read last are the first *n* + 1 of the literal, which has
/// [`SHORT_LITERAL`] at most.
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

    /// Whatever a path and a literal are made of, the leftmost place is found, as by comparing at each.
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
            assert_eq!(Searched::new(&path).behind_first(&path, &literal), expected, "{literal:?} in {path:?}");
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

    /// A byte that stands in more places than a count holds is common, not rare.
    #[test]
    fn counts_do_not_overflow() {
        let path = [&b"a".repeat(70_000)[..], b"ab"].concat();
        let mut searched = Searched::new(&path);
        assert_eq!(searched.behind_first(&path, b"aab"), Some(&b""[..]));
        assert_eq!(searched.behind_first(&path, b"aac"), None);
    }
}
