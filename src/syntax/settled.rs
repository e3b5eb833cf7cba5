//! How much of the front of a file can be read before the rest of it is known.
//!
//! Invariant: the lines of the settled front, and then those of the rest, are the lines of the file. So no line end and
//! no line with its continuations is divided.

use crate::syntax::bytes;
use crate::syntax::grammar::Syntax;
use crate::syntax::logical::{Lines, may_continue};

/// The length of the front, whatever bytes follow. The bytes begin with a line that continues no other. Cost: reads
/// lines from the end on, until one is found that begins a logical line.
pub(crate) fn settled(bytes: &[u8], syntax: Syntax<'_>) -> usize {
    let mut front = bytes;
    while let Some(end) = memchr::memrchr2(b'\r', b'\n', front) {
        let (front_and_end, rest) = bytes::split_at(bytes, end.saturating_add(1));
        front = bytes::part(bytes, 0..end);
        let is_crlf = front_and_end.ends_with(b"\r") && rest.starts_with(b"\n");
        let above = if front_and_end.ends_with(b"\r\n") { front.strip_suffix(b"\r") } else { None };
        if !rest.is_empty() && !is_crlf && !may_join(above.unwrap_or(front), rest, syntax) {
            return front_and_end.len();
        }
    }
    0
}

/// The length of the front of a file whose end is missing that can be read, whatever bytes are missing: whole lines,
/// without those at the end that another could continue. Cost: reads the lines at the end.
pub(crate) fn certain(bytes: &[u8], syntax: Syntax<'_>) -> usize {
    let after_end = |bytes: &[u8]| memchr::memrchr2(b'\r', b'\n', bytes).map_or(0, |end| end.saturating_add(1));
    let mut length = after_end(bytes);
    let (_, rest) = bytes::split_at(bytes, length);
    // What begins the last line shows whether it may be a continuation. A blank is what one begins with.
    if !rest.is_empty() && !may_continue(rest, syntax.form) {
        return length;
    }
    while may_continue(b" ", syntax.form) && length > 0 {
        let start = after_end(without_end(bytes::part(bytes, 0..length)));
        if !Lines::new(bytes::part(bytes, start..length), syntax).next_may_be_continued() {
            break;
        }
        length = start;
        let (above, rest) = bytes::split_at(bytes, start);
        // The line above is whole, unless this one may continue it.
        if !may_join(without_end(above), rest, syntax) {
            break;
        }
    }
    length
}

/// The bytes without the line end after them.
fn without_end(bytes: &[u8]) -> &[u8] {
    let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    bytes.strip_suffix(b"\r").unwrap_or(bytes)
}

/// Whether the first line of `rest` may continue the last line of `front`, or is not there as a whole.
fn may_join(front: &[u8], rest: &[u8], syntax: Syntax<'_>) -> bool {
    if !may_continue(rest, syntax.form) {
        return false;
    }
    let above = memchr::memrchr2(b'\r', b'\n', front).map_or(0, |end| end.saturating_add(1));
    let (_, above) = bytes::split_at(front, above);
    // Nothing continues an empty line or a line with a comment.
    let is_closed = above.contains(&b'#') || above.iter().copied().all(bytes::is_blank);
    let is_whole = memchr::memchr2(b'\r', b'\n', rest).is_some();
    !is_closed && (!is_whole || Lines::new(rest, syntax).next_may_continue())
}
