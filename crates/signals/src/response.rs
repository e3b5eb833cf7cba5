//! The lines of a response's head, as a file has them: what `curl -D` writes, or `curl -i` and a body after it.
//!
//! Invariant: a status line begins a response only at the start, or after a blank line. What is no header line is kept
//! as such, so that it can be reported. The time is linear in the text.

use std::borrow::Cow;

/// A line of the file, and the name and the value in it. None: it is no header line.
pub(crate) struct Line<'t> {
    pub(crate) number: usize,
    pub(crate) text: &'t [u8],
    pub(crate) field: Option<(&'t [u8], Cow<'t, [u8]>)>,
}

/// The lines of the last response, and the number of the first line of its body. The others are redirects.
pub(crate) fn lines(text: &[u8]) -> (Vec<Line<'_>>, Option<usize>) {
    let mut found: Vec<Line<'_>> = Vec::new();
    // Whether a response may begin, and whether one has.
    let (mut may_begin, mut has_begun) = (true, false);
    for (number, text) in (1..).zip(physical(text)) {
        if text.is_empty() {
            may_begin = true;
        } else if may_begin && is_status(text) {
            found.clear();
            (may_begin, has_begun) = (false, true);
        } else if may_begin && has_begun {
            return (found, Some(number));
        } else {
            (may_begin, has_begun) = (false, true);
            add(number, text, &mut found);
        }
    }
    (found, None)
}

fn add<'t>(number: usize, text: &'t [u8], found: &mut Vec<Line<'t>>) {
    let is_more = text.starts_with(b" ") || text.starts_with(b"\t");
    if let Some((_, value)) = found.last_mut().and_then(|line| line.field.as_mut()).filter(|_| is_more) {
        value.to_mut().push(b' ');
        value.to_mut().extend_from_slice(text.trim_ascii());
        return;
    }
    let colon = text.iter().position(|byte| *byte == b':');
    let field = colon.and_then(|colon| Some((text.get(..colon)?, text.get(colon.saturating_add(1)..)?)));
    let field = field.filter(|(name, _)| is_name(name)).map(|(name, value)| (name, Cow::Borrowed(value)));
    found.push(Line { number, text, field });
}

/// The lines. Each of CRLF, LF and CR ends one, and so does a CRLF with a CR too many.
fn physical(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|byte| *byte == b'\n').flat_map(|line| {
        let end = line.iter().rposition(|byte| *byte != b'\r').map_or(0, |last| last.saturating_add(1));
        line.get(..end).unwrap_or_default().split(|byte| *byte == b'\r')
    })
}

/// `HTTP/1.1 200 OK`, `HTTP/2 200`.
fn is_status(line: &[u8]) -> bool {
    let (front, rest) = line.split_at_checked(5).unwrap_or_default();
    let mut words = rest.split(|byte| *byte == b' ').filter(|word| !word.is_empty());
    let is_number = |word: Option<&[u8]>, more: &[u8]| {
        word.is_some_and(|word| word.iter().all(|byte| byte.is_ascii_digit() || more.contains(byte)))
    };
    front.eq_ignore_ascii_case(b"HTTP/") && is_number(words.next(), b".") && is_number(words.next(), b"")
}

/// Media types that say nothing: browsers look into the body (WHATWG MIME Sniffing, 7).
const UNKNOWN: [&[u8]; 3] = [b"unknown/unknown", b"application/unknown", b"*/*"];

/// Whether a value of Content-Type leaves it open that the body is HTML. Python and JavaScript decide the same of what
/// their clients have.
pub(crate) fn may_be_html(value: &[u8]) -> bool {
    // Lines with one name are one list (RFC 9110 5.3).
    value.split(|byte| *byte == b',').any(|one| {
        let kind = one.split(|byte| *byte == b';').next().unwrap_or_default().trim_ascii().to_ascii_lowercase();
        kind.windows(4).any(|part| part == b"html") || !kind.contains(&b'/') || UNKNOWN.contains(&&*kind)
    })
}

/// Whether a text can be the name of a header (RFC 9110 5.6.2). Blanks before the colon are left out by some servers'
/// readers, and here.
pub(crate) fn is_name(name: &[u8]) -> bool {
    let name = name.trim_ascii_end();
    !name.is_empty() && name.iter().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(byte))
}

/// The text in an encoding that has ASCII for ASCII: all names and words that count are ASCII. UTF-16 is known by its
/// mark, as browsers do.
pub(crate) fn ascii_based(text: &[u8]) -> Cow<'_, [u8]> {
    let of = |unit: fn([u8; 2]) -> u16, bytes: &[u8]| {
        let units = bytes.as_chunks::<2>().0.iter().map(|pair| unit(*pair));
        char::decode_utf16(units).map(|one| one.unwrap_or(char::REPLACEMENT_CHARACTER)).collect::<String>()
    };
    match text {
        [0xFF, 0xFE, rest @ ..] => Cow::Owned(of(u16::from_le_bytes, rest).into_bytes()),
        [0xFE, 0xFF, rest @ ..] => Cow::Owned(of(u16::from_be_bytes, rest).into_bytes()),
        [0xEF, 0xBB, 0xBF, rest @ ..] => Cow::Borrowed(rest),
        _ => Cow::Borrowed(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// [signals.html]
    #[test]
    fn a_type_is_html_unless_it_says_another() {
        for value in [
            "text/html",
            "Text/HTML ;charset=x",
            "application/xhtml+xml",
            "application/vnd.wap.xhtml+xml",
            "text/html, text/html",
            "text/plain, text/html",
            "text/plain; charset=x, text/html",
            "html",
            "",
            " ",
            "; charset=utf-8",
            "text/plain,",
            "*/*",
            "unknown/unknown",
            "Application/Unknown",
        ] {
            assert!(may_be_html(value.as_bytes()), "{value}");
        }
        for value in ["text/plain", "image/png; a=html", "application/pdf, text/css", "application/unknown2"] {
            assert!(!may_be_html(value.as_bytes()), "{value}");
        }
    }
}
