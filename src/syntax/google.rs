//! A line, read as Google's parser reads it.
//!
//! Invariant: any bytes are a sequence of lines; no byte is read as part of two lines. Line ends and the meaning of
//! names are those of [`grammar`](crate::syntax::grammar), and nothing else: Google's parser has no continuation, and
//! another idea of names, blanks and the end of a line.

use crate::syntax::bytes;
use crate::syntax::grammar::{Content, Physical, Syntax, eol, google_field, split};

/// The bytes that Google's parser keeps of a line: eight times the longest URL of a browser (2,083), less one for its
/// NUL.
pub(crate) const GOOGLE_LINE: usize = 2_083 * 8 - 1;

/// What follows the line, the line, and whether its end was left out.
#[inline(never)]
pub(super) fn line<'a>(i: &'a [u8], syntax: Syntax<'_>) -> (&'a [u8], Physical<'a>, bool) {
    let (rest, whole) = split(i, memchr::memchr2(b'\r', b'\n', i));
    let rest = eol(rest).map_or(rest, |(rest, ())| rest);
    let kept = bytes::part(whole, 0..whole.len().min(GOOGLE_LINE));
    let (_, kept) = split(kept, memchr::memchr(0, kept));
    let (comment, text) = split(kept, memchr::memchr(b'#', kept));
    let trimmed = bytes::trim(text, bytes::is_c_space);
    let content = match google_field(trimmed, syntax) {
        Ok((_, field)) => Content::Field(field),
        Err(_) if trimmed.is_empty() && comment.is_empty() => Content::Empty,
        Err(_) if trimmed.is_empty() => Content::Comment,
        Err(_) => Content::Other(trimmed),
    };
    (rest, Physical { content, indent: 0, text, comment: comment.get(1..) }, kept.len() < whole.len())
}
