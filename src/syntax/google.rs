//! A line, read as Google's parser reads it.
//!
//! Invariant: any bytes are a sequence of lines; no byte is read as part of two lines. Line ends and the meaning of
//! names are those of [`grammar`](crate::syntax::grammar), and nothing else: Google's parser has no continuation, and
//! another idea of names, blanks and the end of a line.

use crate::syntax::bytes;
use crate::syntax::grammar::{Content, Field, Name, Physical, Syntax, eol, split};

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
    let content = match field(trimmed, syntax) {
        Some(field) => Content::Field(field),
        None if trimmed.is_empty() && comment.is_empty() => Content::Empty,
        None if trimmed.is_empty() => Content::Comment,
        None => Content::Other(trimmed),
    };
    (rest, Physical { content, indent: 0, text, comment: comment.get(1..) }, kept.len() < whole.len())
}

/// `google-field = 1*( any but ":" ) ":" value / 1*( any but WS ) 1*WS 1*( any but WS )`
fn field<'a>(text: &'a [u8], syntax: Syntax<'_>) -> Option<Field<'a>> {
    let with_colon = bytes::split_once(text, b':');
    let (name, value) = with_colon.or_else(|| {
        let (name, rest) = bytes::split_while(text, |byte| !bytes::is_blank(byte));
        let value = bytes::trim_start(rest, bytes::is_blank);
        (!value.is_empty() && !value.iter().copied().any(bytes::is_blank)).then_some((name, value))
    })?;
    let (name, value) = (bytes::trim(name, bytes::is_c_space), bytes::trim(value, bytes::is_c_space));
    (!name.is_empty()).then(|| Field::new(Name::new(name, syntax, with_colon.is_some()), value))
}
