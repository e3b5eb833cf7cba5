//! Scans of bytes, by vectors where the processor has them.
//!
//! Invariant: each scan has a scalar twin with the same answers; the tests below and the fuzz target `vectors` compare
//! both. No other file knows about vectors.

#![allow(clippy::inline_always, reason = "a function with vectors is fast only inside one that is compiled for them")]

use crate::syntax::bytes::{self, Flags};

/// A scan implementation, by vectors or without. All return the same results.
///
/// Functions that scan are inlined into [`Work::run`], which is compiled once for each way.
pub(crate) trait Scan: Copy {
    /// The number of bytes at the front that a URL's path and query can contain, and their flags of [`Flags`].
    fn path(self, bytes: &[u8]) -> (usize, Flags);

    /// Where the first line ends: the number of bytes before the first CR or LF.
    fn line_end(self, bytes: &[u8]) -> usize;

    /// The number of bytes before the first CR, LF or `#`.
    fn text_end(self, bytes: &[u8]) -> usize;

    /// The lines that begin in a block. `ends_before` says whether a line ends before the block, and then whether one
    /// ends with it.
    fn line_starts(self, block: &[u8; BLOCK], ends_before: &mut bool) -> LineStarts;
}

/// The number of bytes in a block.
pub(crate) const BLOCK: usize = 32;

/// The lines of a block whose first byte is a blank, or a letter that a name begins with; a bit for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LineStarts {
    /// `u`, in any case, and blanks.
    of_agents: u64,
    /// `a` and `d`, too.
    of_groups: u64,
}

impl LineStarts {
    /// With a bit for each byte that ends a line, and for those that the names begin with.
    #[inline(always)]
    fn new(ends: u64, agents: u64, rules: u64, ends_before: &mut bool) -> Self {
        let starts = ends << 1 | u64::from(*ends_before);
        *ends_before = ends >> 31 == 1;
        Self { of_agents: starts & agents, of_groups: starts & (agents | rules) }
    }

    /// The next of them: of those of agents, or of all.
    #[inline(always)]
    pub(crate) fn next(&mut self, all: bool) -> Option<usize> {
        let bits = if all { self.of_groups } else { self.of_agents };
        let lowest = bits & bits.wrapping_neg();
        let later = !(lowest | lowest.wrapping_sub(1));
        (self.of_agents, self.of_groups) = (self.of_agents & later, self.of_groups & later);
        (bits != 0).then_some(bits.trailing_zeros() as usize)
    }
}

/// Work that scans bytes.
pub(crate) trait Work {
    type Output;

    fn run<S: Scan>(self, scan: S) -> Self::Output;
}

/// The best way of this processor. Detected once, since detecting takes longer than reading a short file.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(
    all(target_arch = "wasm32", not(target_feature = "simd128")),
    expect(dead_code, reason = "there is one way")
)]
pub(crate) struct Ways(#[cfg(feature = "std")] Option<fearless_simd::Level>);

impl Ways {
    /// The best way of this processor.
    pub(crate) fn detect() -> Self {
        Self(
            #[cfg(feature = "std")]
            Some(fearless_simd::Level::new()),
        )
    }

    /// No vectors.
    #[cfg(any(test, feature = "testing"))]
    pub(crate) const fn scalar() -> Self {
        Self(
            #[cfg(feature = "std")]
            None,
        )
    }

    /// Does the work in this way.
    #[inline]
    #[allow(clippy::unused_self, reason = "elsewhere there is one way")]
    pub(crate) fn run<W: Work>(self, work: W) -> W::Output {
        #[cfg(all(feature = "std", any(target_arch = "x86", target_arch = "x86_64")))]
        if let Some(simd) = self.0.and_then(fearless_simd::Level::as_avx2) {
            return wide::run(simd, work);
        }
        #[cfg(all(feature = "std", target_arch = "aarch64"))]
        if let Some(simd) = self.0.and_then(fearless_simd::Level::as_neon) {
            return wide::run(simd, work);
        }
        // In WebAssembly, the compiler must know that there are vectors: nothing can be detected.
        #[cfg(all(feature = "std", target_arch = "wasm32", target_feature = "simd128"))]
        if let Some(simd) = self.0.and_then(fearless_simd::Level::as_wasm_simd128) {
            return wide::run(simd, work);
        }
        work.run(Scalar)
    }
}

/// Without vectors.
#[derive(Clone, Copy)]
pub(crate) struct Scalar;

impl Scan for Scalar {
    #[inline(always)]
    fn path(self, bytes: &[u8]) -> (usize, Flags) {
        scalar_path(bytes)
    }

    #[inline(always)]
    fn line_end(self, bytes: &[u8]) -> usize {
        memchr::memchr2(b'\r', b'\n', bytes).unwrap_or(bytes.len())
    }

    #[inline(always)]
    fn text_end(self, bytes: &[u8]) -> usize {
        memchr::memchr3(b'#', b'\r', b'\n', bytes).unwrap_or(bytes.len())
    }

    #[inline(always)]
    fn line_starts(self, block: &[u8; BLOCK], ends_before: &mut bool) -> LineStarts {
        let bits =
            |found: fn(u8) -> bool| block.iter().rev().fold(0_u64, |bits, byte| bits << 1 | u64::from(found(*byte)));
        let ends = bits(bytes::is_line_end);
        let agents = bits(|byte| matches!(byte, b'u' | b'U') || bytes::is_blank(byte));
        LineStarts::new(ends, agents, bits(|byte| matches!(byte | 0x20, b'a' | b'd')), ends_before)
    }
}

/// [`Scan::path`] byte by byte.
#[inline]
fn scalar_path(bytes: &[u8]) -> (usize, Flags) {
    let mut flags = Flags::NONE;
    let ends = |byte: &u8| {
        let of_byte = bytes::flags_of(*byte);
        let is_end = of_byte.has(Flags::RAW | Flags::HIGH);
        if !is_end {
            flags = flags | of_byte;
        }
        is_end
    };
    let length = bytes.iter().position(ends).unwrap_or(bytes.len());
    (length, flags)
}

/// The bytes at the front that a URL's path and query can contain, and their flags. In most lines this is the whole
/// value.
#[inline(always)]
pub(crate) fn leading_path(bytes: &[u8], scan: impl Scan) -> (&[u8], Flags) {
    let (length, flags) = scan.path(bytes);
    (bytes::part(bytes, 0..length), flags)
}

#[cfg(all(
    feature = "std",
    any(
        target_arch = "x86",
        target_arch = "x86_64",
        target_arch = "aarch64",
        all(target_arch = "wasm32", target_feature = "simd128")
    )
))]
mod wide {
    //! Vectors of 32 bytes. The last bytes of a file, which fill no vector, are scanned without.

    use fearless_simd::{Simd, SimdBase, SimdInt, SimdMask, mask8x32, u8x32};

    use super::{BLOCK, LineStarts, Scan, Work, scalar_path};
    use crate::syntax::bytes::{self, Flags};

    /// Runs the work in a function that the compiler may use the processor's vectors in.
    #[inline]
    pub(super) fn run<S: Simd, W: Work>(simd: S, work: W) -> W::Output {
        simd.vectorize(
            #[inline(always)]
            || work.run(Vectors(simd)),
        )
    }

    #[derive(Clone, Copy)]
    struct Vectors<S>(S);

    impl<S: Simd> Vectors<S> {
        /// The number of bytes before the first that is found. The rest of less than 32 bytes is scanned one by one.
        #[inline(always)]
        fn until(self, bytes: &[u8], found: impl Fn(u8x32<S>) -> mask8x32<S>, is_found: impl Fn(u8) -> bool) -> usize {
            let mut rest = bytes;
            while let Some((front, after)) = rest.split_first_chunk::<32>() {
                let bits = found(u8x32::from_slice(self.0, front)).to_bitmask();
                if bits != 0 {
                    let at = bits.trailing_zeros() as usize;
                    return bytes.len().wrapping_sub(rest.len()).wrapping_add(at);
                }
                rest = after;
            }
            let at = rest.iter().position(|byte| is_found(*byte)).unwrap_or(rest.len());
            bytes.len().wrapping_sub(rest.len()).wrapping_add(at)
        }

        #[inline(always)]
        fn of(self, byte: u8) -> u8x32<S> {
            u8x32::splat(self.0, byte)
        }
    }

    impl<S: Simd> Scan for Vectors<S> {
        #[inline(always)]
        #[allow(clippy::arithmetic_side_effects, reason = "vectors wrap")]
        fn path(self, bytes: &[u8]) -> (usize, Flags) {
            let (mut rest, mut flags) = (bytes, Flags::NONE);
            while let Some((front, after)) = rest.split_first_chunk::<32>() {
                let byte = u8x32::from_slice(self.0, front);
                // All that have flags, and `!` and `~`, which have none.
                let outside = (byte - self.of(b'&')).simd_gt(self.of(b'z' - b'&'));
                // `*` and `:` differ in one bit.
                let signs = (byte | self.of(0x10)).simd_eq(self.of(b':')) | byte.simd_eq(self.of(b'`'));
                // `<`, `>`, `\` and `^`.
                let others = (byte | self.of(0x62)).simd_eq(self.of(0x7E));
                let mut bits = (outside | signs | others).to_bitmask();
                while bits != 0 {
                    let at = bits.trailing_zeros() as usize;
                    let of_byte = front.get(at).map_or(Flags::RAW, |byte| bytes::flags_of(*byte));
                    if of_byte.has(Flags::RAW | Flags::HIGH) {
                        return (bytes.len().wrapping_sub(rest.len()).wrapping_add(at), flags);
                    }
                    flags = flags | of_byte;
                    bits &= bits - 1;
                }
                rest = after;
            }
            let (length, of_byte) = scalar_path(rest);
            (bytes.len().wrapping_sub(rest.len()).wrapping_add(length), flags | of_byte)
        }

        #[inline(always)]
        fn line_end(self, bytes: &[u8]) -> usize {
            let ends = |byte: u8x32<S>| byte.simd_eq(self.of(b'\n')) | byte.simd_eq(self.of(b'\r'));
            self.until(bytes, ends, |byte| matches!(byte, b'\r' | b'\n'))
        }

        #[inline(always)]
        fn text_end(self, bytes: &[u8]) -> usize {
            let ends = |byte: u8x32<S>| {
                byte.simd_eq(self.of(b'\n')) | byte.simd_eq(self.of(b'\r')) | byte.simd_eq(self.of(b'#'))
            };
            self.until(bytes, ends, |byte| matches!(byte, b'\r' | b'\n' | b'#'))
        }

        #[inline(always)]
        fn line_starts(self, block: &[u8; BLOCK], ends_before: &mut bool) -> LineStarts {
            let byte = u8x32::from_slice(self.0, block);
            let lower = byte | self.of(0x20);
            let ends = byte.simd_eq(self.of(b'\n')) | byte.simd_eq(self.of(b'\r'));
            let agents = lower.simd_eq(self.of(b'u')) | byte.simd_eq(self.of(b' ')) | byte.simd_eq(self.of(b'\t'));
            let rules = lower.simd_eq(self.of(b'a')) | lower.simd_eq(self.of(b'd'));
            LineStarts::new(ends.to_bitmask(), agents.to_bitmask(), rules.to_bitmask(), ends_before)
        }
    }
}

#[cfg(test)]
#[allow(clippy::indexing_slicing)]
mod tests {
    use super::*;

    /// All scans of these bytes.
    struct Scans<'b>(&'b [u8]);

    impl<'b> Work for Scans<'b> {
        type Output = (&'b [u8], Flags, usize, usize);

        fn run<S: Scan>(self, scan: S) -> Self::Output {
            let (path, flags) = leading_path(self.0, scan);
            (path, flags, scan.line_end(self.0), scan.text_end(self.0))
        }
    }

    /// [line.vectors]
    #[test]
    fn vectors_and_their_scalar_twins_find_the_same() {
        for byte in 0..=u8::MAX {
            for at in 0..100 {
                for length in [at + 1, 100] {
                    let mut bytes = [b'a'; 100];
                    bytes[at] = byte;
                    let of_byte = bytes::flags_of(byte);
                    let is_end = of_byte.has(Flags::RAW | Flags::HIGH);
                    let bytes = &bytes[..length];
                    let path = if is_end { (&bytes[..at], Flags::NONE) } else { (bytes, of_byte) };
                    let line = if matches!(byte, b'\r' | b'\n') { at } else { length };
                    let text = if byte == b'#' { at } else { line };
                    for ways in [Ways::detect(), Ways::scalar()] {
                        let found = ways.run(Scans(bytes));
                        assert_eq!(found, (path.0, path.1, line, text), "{byte} at {at} of {length}, {ways:?}");
                    }
                }
            }
        }
    }

    /// The places of a block where a line begins, of those of agents and of groups; and whether one ends with it.
    struct Starts<'b>(&'b [u8; BLOCK], bool);

    impl Work for Starts<'_> {
        type Output = ([alloc::vec::Vec<usize>; 2], bool);

        fn run<S: Scan>(self, scan: S) -> Self::Output {
            let mut ends_before = self.1;
            let starts = scan.line_starts(self.0, &mut ends_before);
            let places = |all| {
                let mut starts = starts;
                core::iter::from_fn(move || starts.next(all)).collect()
            };
            ([false, true].map(places), ends_before)
        }
    }

    /// [line.vectors] [verdict.pass]
    #[test]
    fn lines_begin_after_line_ends() {
        for end in [b'\r', b'\n', b'x'] {
            for byte in 0..=u8::MAX {
                for at in 0..BLOCK {
                    let mut block = [b'-'; BLOCK];
                    block[at] = byte;
                    if at > 0 {
                        block[at - 1] = end;
                    }
                    let is_start = end != b'x' || at == 0;
                    let lower = byte.to_ascii_lowercase();
                    let of_agents = is_start && matches!(lower, b'u' | b' ' | b'\t');
                    let of_groups = is_start && matches!(lower, b'u' | b' ' | b'\t' | b'a' | b'd');
                    let places =
                        [of_agents, of_groups].map(|is_one| if is_one { alloc::vec![at] } else { alloc::vec![] });
                    let ends = matches!(block[BLOCK - 1], b'\r' | b'\n');
                    for ways in [Ways::detect(), Ways::scalar()] {
                        assert_eq!(ways.run(Starts(&block, true)), (places.clone(), ends), "{byte} at {at}, {ways:?}");
                    }
                }
            }
        }
    }

    /// [line.vectors]
    #[test]
    fn signs_within_a_path_do_not_end_it() {
        let (star, dollar) = ((b'*', Flags::STAR), (b'$', Flags::DOLLAR));
        for (sign, flag) in [star, dollar, (b'%', Flags::PERCENT), (b':', Flags::COLON), (b'~', Flags::NONE)] {
            for step in 1..70 {
                for end in [1, 31, 32, 33, 63, 64, 65, 99] {
                    let mut bytes = [b'a'; 100];
                    bytes.iter_mut().step_by(step).for_each(|byte| *byte = sign);
                    bytes[end] = b'\n';
                    for ways in [Ways::detect(), Ways::scalar()] {
                        let (path, flags, ..) = ways.run(Scans(&bytes));
                        assert_eq!((path.len(), flags), (end, flag), "{sign} every {step}, {ways:?}");
                    }
                }
            }
        }
    }
}
