//! Makes text for people from foreign bytes. The commands, the pages, the gate and the bindings print nothing else.
//!
//! Invariant: two inputs of [`escape`] never give the same text, and a text has no control, no sign that changes the
//! direction of text, and nothing that cannot be seen. So it begins no new line and does not control a terminal.
//! Letters of every script stay as they are.
#![cfg_attr(docsrs, feature(doc_cfg))]
#![no_std]

extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

use alloc::borrow::{Cow, ToOwned as _};
use alloc::format;
use alloc::string::String;
use core::fmt::Write as _;

/// Runs the example in README.md as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// The text for these bytes: what is not shown, and each `\`, is escaped.
///
/// A character is shown if it is a visible one that [`is_shown`] accepts. Of all others, and of bytes that are not
/// UTF-8, each byte becomes `\xNN`. A backslash becomes two. So the bytes can be read back from the text.
///
/// ```
/// use robosieve_printable::escape;
///
/// assert_eq!(escape("/категория/".as_bytes()), "/категория/");
/// assert_eq!(escape("a\u{202e}b\n".as_bytes()), "a\\xE2\\x80\\xAEb\\x0A");
/// assert_eq!((escape(b"\xff"), escape(b"\\xFF")), ("\\xFF".into(), "\\\\xFF".into()));
/// ```
#[must_use]
pub fn escape(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len());
    push(&mut out, bytes, "\\\\");
    out
}

/// [`escape`] for a text that is made of words of ours and of foreign parts, which are escaped already: a `\` stays.
///
/// It is the net under all that is printed. Copies nothing if there is nothing to escape.
///
/// ```
/// use robosieve_printable::{escape, harmless};
///
/// let line = format!("{}: is a directory", escape(b"a\n\\"));
/// assert_eq!(harmless(&line), line);
/// assert_eq!(harmless("a\nb"), "a\\x0Ab");
/// ```
#[must_use]
pub fn harmless<T: AsRef<[u8]> + ?Sized>(text: &T) -> Cow<'_, str> {
    let bytes = text.as_ref();
    let is_plain = bytes.iter().all(|byte| matches!(byte, b' '..=b'~'));
    if let (true, Ok(text)) = (is_plain, core::str::from_utf8(bytes)) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(bytes.len());
    push(&mut out, bytes, "\\");
    Cow::Owned(out)
}

/// A [`harmless`] text, cut to at most `most` bytes. No character and no escape is cut.
#[must_use]
pub fn harmless_at_most(text: &str, most: usize) -> String {
    let text = harmless(text);
    let mut end: usize = 0;
    while let Some(rest) = text.get(end..).filter(|rest| !rest.is_empty()) {
        let length = match rest.get(..2) {
            Some("\\\\") => 2,
            Some("\\x") => 4,
            _ => rest.chars().next().map_or(1, char::len_utf8),
        };
        if end.saturating_add(length) > most {
            break;
        }
        end = end.saturating_add(length);
    }
    text.get(..end).unwrap_or(&text).to_owned()
}

/// A [`harmless`] text. Replaces the end of one of more than `most` bytes with its length.
#[must_use]
pub fn harmless_short(text: &str, most: usize) -> String {
    if text.len() <= most {
        return harmless(text).into_owned();
    }
    format!("{}... ({} bytes)", harmless_at_most(text, most), text.len())
}

/// The bytes of a line that people are shown at most. More would only fill the screen.
const SHOWN: usize = 160;

/// Escapes the bytes of a line. Replaces the end of a very long one with its length.
#[must_use]
pub fn escape_short(bytes: &[u8]) -> String {
    escape_at_most(bytes, SHOWN)
}

/// Escapes the first `most` bytes, or up to three fewer, so that no character is cut. If there are more, the number of
/// all bytes follows.
#[must_use]
pub fn escape_at_most(bytes: &[u8], most: usize) -> String {
    if bytes.len() <= most {
        return escape(bytes);
    }
    format!("{}... ({} bytes)", escape(front(bytes, most)), bytes.len())
}

/// The first `most` bytes, or up to three fewer: a character that is cut is left out.
#[must_use]
pub fn front(bytes: &[u8], most: usize) -> &[u8] {
    let cut = bytes.get(..most).unwrap_or(bytes);
    let last = cut.utf8_chunks().last().map_or(0, |chunk| chunk.invalid().len());
    let whole = cut.len().saturating_sub(last);
    let is_cut = |from: &[u8]| {
        let next = from.utf8_chunks().next();
        next.is_some_and(|chunk| chunk.valid().chars().next().is_some_and(|first| first.len_utf8() > last))
    };
    match (bytes.get(whole..), cut.get(..whole)) {
        (Some(rest), Some(before)) if last > 0 && is_cut(rest) => before,
        _ => cut,
    }
}

/// The name of a file, escaped. On Windows, with `/` between its parts.
#[cfg(feature = "std")]
#[must_use]
pub fn name_of(path: &std::path::Path) -> String {
    let name = path.as_os_str().as_encoded_bytes();
    if cfg!(windows) {
        return escape(&bstr::ByteSlice::replace(name, "\\", "/"));
    }
    escape(name)
}

/// Whether a character is shown as it is: it can be seen, it takes part in no change of the direction of text, and it
/// is not a part of another letter that has a sign of its own.
///
/// Not shown are controls, signs of format, blanks other than the space, surrogates, what Unicode does not assign,
/// letters and signs without a picture (fillers, variation selectors, the empty Braille pattern), and the marks that
/// any letter can have: with these, one letter has two spellings that look the same, and a pile of them covers the
/// lines above. The marks of a script of its own stay.
///
/// ```
/// use robosieve_printable::is_shown;
///
/// assert!("aя中اहि 🤖“".chars().all(is_shown));
/// assert!(!"\n\u{7f}\u{85}\u{a0}\u{ad}\u{301}\u{200b}\u{202e}\u{2028}\u{2066}\u{3164}\u{feff}".chars().any(is_shown));
/// ```
#[must_use]
pub fn is_shown(character: char) -> bool {
    if character.is_ascii() {
        return matches!(character, ' '..='~');
    }
    // The standard library knows what is printable. It escapes a mark only at the beginning of a text.
    let is_printable = || {
        let mut text = [b'a'; 5];
        let end = character.len_utf8().saturating_add(1);
        let _ = text.get_mut(1..).map(|rest| character.encode_utf8(rest).len());
        let text = text.get(..end).and_then(|text| core::str::from_utf8(text).ok());
        text.is_some_and(|text| text.escape_debug().nth(1) == Some(character))
    };
    !is_unseen(character) && (character.is_alphanumeric() || is_printable())
}

/// Characters that count as letters, marks or signs, and cannot be seen, or only as a part of the letter before.
const fn is_unseen(character: char) -> bool {
    matches!(character,
        // Marks for any letter.
        '\u{300}'..='\u{36f}' | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}' | '\u{20d0}'..='\u{20ff}'
        | '\u{fe20}'..='\u{fe2f}' | '\u{3099}' | '\u{309a}'
        // Parts of Hangul syllables, and fillers.
        | '\u{1100}'..='\u{11ff}' | '\u{a960}'..='\u{a97f}' | '\u{d7b0}'..='\u{d7ff}' | '\u{3164}' | '\u{ffa0}'
        // Variation selectors, vowels without a picture, and the empty Braille pattern.
        | '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}' | '\u{180b}'..='\u{180f}' | '\u{17b4}' | '\u{17b5}'
        | '\u{2800}')
}

/// Adds the text for bytes.
fn push(out: &mut String, bytes: &[u8], backslash: &str) {
    for chunk in bytes.utf8_chunks() {
        for character in chunk.valid().chars() {
            match character {
                '\\' => out.push_str(backslash),
                _ if is_shown(character) => out.push(character),
                _ => push_bytes(out, character.encode_utf8(&mut [0; 4]).as_bytes()),
            }
        }
        push_bytes(out, chunk.invalid());
    }
}

fn push_bytes(out: &mut String, bytes: &[u8]) {
    for byte in bytes {
        // Writing to a string does not fail.
        let _ = write!(out, "\\x{byte:02X}");
    }
}
