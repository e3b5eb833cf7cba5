//! Floors: work that every parser has to do.
//!
//! Invariant: each floor does less than a parser must do, all of it with memchr or memcpy.

use memchr::{memchr, memchr2};

/// Copies the file.
pub fn copy(file: &[u8], into: &mut Vec<u8>) -> usize {
    into.clear();
    into.extend_from_slice(file);
    into.len()
}

/// Finds the line ends.
#[must_use]
pub fn split(file: &[u8]) -> usize {
    lines(file).map(<[u8]>::len).sum()
}

/// Finds the line ends, where each line's comment begins, and the colon before that.
#[must_use]
pub fn tokens(file: &[u8]) -> usize {
    let colon = |line: &[u8]| {
        let end = memchr(b'#', line).unwrap_or(line.len());
        line.get(..end).and_then(|field| memchr(b':', field)).unwrap_or(end)
    };
    lines(file).map(colon).sum()
}

fn lines(mut rest: &[u8]) -> impl Iterator<Item = &[u8]> {
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let end = memchr2(b'\n', b'\r', rest).unwrap_or(rest.len());
        let (line, tail) = rest.split_at_checked(end)?;
        rest = tail.get(1..).unwrap_or_default();
        Some(line)
    })
}
