//! Shortcuts past the grammar, for the lines that nearly all files are made of.
//!
//! Invariant: a shortcut reads a line as [`grammar`](crate::syntax::grammar) reads it, or leaves it to the grammar. The
//! grammar alone reads every file; a property test and the fuzz targets `parse` and `tester` compare both ways.

#![allow(clippy::inline_always, reason = "a function with vectors is fast only inside one that is compiled for them")]

use alloc::borrow::Cow;

use crate::syntax::bytes::{self, ByteSet, special};
use crate::syntax::grammar::{self, Field, GOOGLE_LINE, LineForm, LineStyle, Lines, may_continue};
use crate::syntax::names::{Directive, Recognised, Vocabulary};
use crate::syntax::vector::{Scan, leading_path};

/// A line that a shortcut reads.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Usual<'a> {
    Field(PlainField<'a>),
    /// A field whose name has no meaning: the line before a comment, and the length of the name.
    Unknown(&'a [u8], usize),
    /// A line that is no field: its text before a comment.
    Other(&'a [u8]),
}

/// A line with one of the four usual names, spelled right, and a value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlainField<'a> {
    pub(crate) directive: Directive,
    pub(crate) value: &'a [u8],
    /// The normalisation that the bytes of the value need; see [`bytes::special_in`].
    pub(crate) special: u8,
}

impl<'a> Lines<'a, '_> {
    /// Skips lines that begin with none of these bytes, blanks apart, where that can be done fast.
    #[inline(always)]
    pub(crate) fn skip_to(&mut self, starts: &ByteSet, scan: impl Scan) {
        if self.shortcuts {
            self.skip(skip_lines(self.rest, starts, self.form, scan));
        }
    }

    #[inline]
    fn skip(&mut self, (rest, lines): (&'a [u8], u32)) {
        self.rest = rest;
        self.next_number = self.next_number.saturating_add(lines);
    }

    /// Skips empty lines and comments.
    #[inline(always)]
    pub(crate) fn skip_empty(&mut self, scan: impl Scan) {
        if self.shortcuts {
            self.skip(skip_empty(self.rest, self.form, scan));
        }
    }

    /// Reads plain rules as long as one follows the other, and as long as `take` takes them. Returns whether there was one.
    #[inline(always)]
    pub(crate) fn plain_rules(&mut self, scan: impl Scan, mut take: impl FnMut(u32, PlainField<'a>) -> bool) -> bool {
        let (mut rest, mut number) = (self.rest, self.next_number);
        while let Some((next, rule)) = plain_rule(rest, scan)
            && !may_continue(next, self.form)
            && take(number, rule)
        {
            (rest, number) = (next, number.saturating_add(1));
        }
        let is_any = rest.len() < self.rest.len();
        (self.rest, self.next_number) = (rest, number);
        is_any
    }

    /// Reads the next line if a shortcut can: a plain or unknown field that nothing continues, or no field. Where it
    /// returns none, [`Lines::next`] reads on.
    #[inline(always)]
    pub(crate) fn usual(&mut self, scan: impl Scan) -> Option<(u32, Usual<'a>)> {
        if !self.shortcuts {
            return None;
        }
        let (rest, line) = match plain_field(self.rest, self.form, scan) {
            Some((rest, field)) if !may_continue(rest, self.form) => (rest, Usual::Field(field)),
            Some(_) => return None,
            None => other_line(self.rest, self.form, self.vocabulary, scan)?,
        };
        let number = self.next_number;
        self.take(rest);
        Some((number, line))
    }
}

impl<'a> From<PlainField<'a>> for Field<'a> {
    #[inline]
    fn from(field: PlainField<'a>) -> Self {
        let PlainField { directive, value, special } = field;
        let meaning = Some(Recognised { directive, misspelled: false });
        Self { name: directive.usual_name(), meaning, value: Cow::Borrowed(value), special, has_colon: true }
    }
}

/// `plain-rule = ( "disallow" / "allow" ) ": " ( "/" / "*" ) *path-byte EOL`
///
/// Nearly all rules have this form. It means the same in all styles.
#[inline(always)]
fn plain_rule(line: &[u8], scan: impl Scan) -> Option<(&[u8], PlainField<'_>)> {
    const DISALLOW: u64 = lower_case(*b"disallow");
    const ALLOW: u64 = lower_case(*b"allow: /");
    const ALLOW_STAR: u64 = lower_case(*b"allow: *");
    let (name, behind) = line.split_first_chunk::<8>()?;
    let (directive, length) = match lower_case(*name) {
        DISALLOW if matches!(behind, [b':', b' ', b'/' | b'*', ..]) => (Directive::Disallow, 10),
        ALLOW | ALLOW_STAR if matches!(name, [.., b':', b' ', b'/' | b'*']) => (Directive::Allow, 7),
        _ => return None,
    };
    let rest = line.get(length..)?;
    let (value, special) = leading_path(rest, scan);
    let (next, ()) = grammar::eol(rest.get(value.len()..)?).ok()?;
    let is_short = line.len().saturating_sub(next.len()) <= GOOGLE_LINE;
    is_short.then_some((next, PlainField { directive, value, special }))
}

/// `plain-field = ( "disallow" / "allow" / "user-agent" / "sitemap" ) ":" *WS value *WS [ WS comment ] EOL`
///
/// Returns what follows the line, and the field. One pass finds the end of the value and the normalisation it needs.
#[inline(always)]
fn plain_field(line: &[u8], form: LineForm, scan: impl Scan) -> Option<(&[u8], PlainField<'_>)> {
    let (directive, rest) = usual_name(line)?;
    let rest = bytes::trim_start(rest, bytes::is_blank);
    let (path, special) = leading_path(rest, scan);
    let behind = rest.get(path.len()..)?;
    let (next, value, special) = if let Ok((next, ())) = grammar::eol(behind) {
        (next, path, special)
    } else {
        let (whole, behind) = bytes::split_at(rest, scan.text_end(rest));
        let has_comment = behind.first() == Some(&b'#');
        // The grammar says more about a comment that follows the value at once, and Google's style about a cut one.
        if has_comment && (form.style != LineStyle::Standard || !whole.last().copied().is_some_and(bytes::is_blank)) {
            return None;
        }
        let (next, ()) = grammar::eol(bytes::split_at(behind, scan.line_end(behind)).1).ok()?;
        let keeps_blanks = form.keep_trailing_spaces && !has_comment;
        let value = if keeps_blanks { whole } else { bytes::trim_end(whole, bytes::is_blank) };
        (next, value, bytes::special_in(value))
    };
    // Only control characters, blanks and long lines mean different things to the two styles.
    let length = line.len().saturating_sub(next.len());
    let same_in_both = !special::has(special, special::RAW) && length <= GOOGLE_LINE;
    let reads_alike = form.style == LineStyle::Standard || same_in_both;
    reads_alike.then_some((next, PlainField { directive, value, special }))
}

/// The four usual names with their colon. Letters are compared eight at a time.
#[inline]
fn usual_name(line: &[u8]) -> Option<(Directive, &[u8])> {
    const DISALLOW: u64 = lower_case(*b"disallow");
    const USER_AGE: u64 = lower_case(*b"user-age");
    const SITEMAP: u64 = lower_case(*b"sitemap:");
    const ALLOW: u64 = lower_case(*b"allow\0\0\0");
    const FIVE: u64 = u64::from_ne_bytes([0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0]);
    let letters = lower_case(*line.first_chunk()?);
    let (directive, length) = match letters {
        DISALLOW => (Directive::Disallow, 8),
        USER_AGE if matches!(line, [_, _, _, _, b'-', _, _, _, b'N' | b'n', b'T' | b't', ..]) => {
            (Directive::UserAgent, 10)
        }
        SITEMAP => (Directive::Sitemap, 7),
        _ if letters & FIVE == ALLOW & FIVE => (Directive::Allow, 5),
        _ => return None,
    };
    line.get(length..)?.strip_prefix(b":").map(|rest| (directive, rest))
}

/// Sets bit 0x20 of eight bytes. Upper case becomes lower case, and no other byte becomes a letter.
#[inline]
const fn lower_case(letters: [u8; 8]) -> u64 {
    u64::from_ne_bytes(letters) | u64::from_ne_bytes([0x20; 8])
}

/// Skips empty lines and comments; returns the rest and the number of skipped lines.
#[inline(always)]
fn skip_empty(file: &[u8], form: LineForm, scan: impl Scan) -> (&[u8], u32) {
    let (mut rest, mut skipped) = (file, 0_u32);
    loop {
        let text = match rest.first() {
            // Most empty lines.
            Some(b'\n') => {
                (rest, skipped) = (bytes::split_at(rest, 1).1, skipped.saturating_add(1));
                continue;
            }
            // Blanks, line ends and the sign of comments are not greater.
            Some(&byte) if byte > b'#' => return (rest, skipped),
            Some(b' ' | b'\t') => bytes::trim_blanks(rest),
            _ => rest,
        };
        let end = match text.first() {
            Some(b'\r' | b'\n') => text,
            // Google's style reports a comment whose end is left out.
            Some(b'#') if form.style == LineStyle::Standard => bytes::split_at(text, scan.line_end(text)).1,
            _ => return (rest, skipped),
        };
        let Ok((next, ())) = grammar::eol(end) else { return (rest, skipped) };
        (rest, skipped) = (next, skipped.saturating_add(1));
    }
}

/// Reads a line of markup or prose, which is no field, or a field with an unknown name; returns the rest and the line.
#[inline(always)]
fn other_line<'a>(
    file: &'a [u8],
    form: LineForm,
    vocabulary: &Vocabulary,
    scan: impl Scan,
) -> Option<(&'a [u8], Usual<'a>)> {
    let text = bytes::trim_blanks(file);
    let &first = text.first()?;
    if form.style != LineStyle::Standard || bytes::is_line_end(first) || first == b'#' {
        return None;
    }
    let start = if bytes::is_name(first) { start_of(text, form, vocabulary)? } else { Start::NoName };
    let (whole, behind) = bytes::split_at(text, scan.text_end(text));
    let end = if behind.first() == Some(&b'#') { bytes::split_at(behind, scan.line_end(behind)).1 } else { behind };
    let (rest, ()) = grammar::eol(end).ok()?;
    let text = bytes::trim_end(whole, bytes::is_blank);
    match start {
        Start::NoName => Some((rest, Usual::Other(text))),
        _ if may_continue(rest, form) => None,
        Start::Word => Some((rest, Usual::Other(text))),
        Start::Unknown(length) => Some((rest, Usual::Unknown(text, length))),
    }
}

/// What a line that begins with a word can be.
enum Start {
    /// No field: another byte directly follows the word, or three words stand before any colon. A continuation cannot
    /// make such a line a field.
    NoName,
    /// A word alone.
    Word,
    /// A field whose name has this length, and no meaning.
    Unknown(usize),
}

/// What a line that begins with a word is; None if the grammar has to find out.
#[inline(never)]
fn start_of(text: &[u8], form: LineForm, vocabulary: &Vocabulary) -> Option<Start> {
    let ends_line = |byte: Option<&u8>| matches!(byte, None | Some(b'\r' | b'\n' | b'#' | b':'));
    let (name, behind) = bytes::split_while(text, bytes::is_name);
    match behind.first() {
        Some(b'\r' | b'\n') => Some(Start::Word),
        Some(b':') if !form.keep_trailing_spaces && vocabulary.recognise(name).is_none() => {
            Some(Start::Unknown(name.len()))
        }
        Some(&byte) if bytes::is_blank(byte) => {
            let second = bytes::trim_start(behind, bytes::is_blank);
            let behind = bytes::trim_start(second, |byte| !bytes::is_blank(byte) && !ends_line(Some(&byte)));
            let third = bytes::trim_start(behind, bytes::is_blank);
            let has_three = third.len() < behind.len() && behind.len() < second.len() && !ends_line(third.first());
            has_three.then_some(Start::NoName)
        }
        byte => (!ends_line(byte)).then_some(Start::NoName),
    }
}

/// Skips lines, blanks apart, that begin with none of `starts`; returns the rest and the number of skipped lines.
///
/// A line that may be continued is not skipped: what continues it could look like a field of its own.
#[inline(always)]
fn skip_lines<'a>(file: &'a [u8], starts: &ByteSet, form: LineForm, scan: impl Scan) -> (&'a [u8], u32) {
    let (mut rest, mut skipped) = (file, 0_u32);
    loop {
        let text = bytes::trim_start(rest, |byte| matches!(byte, b' ' | b'\t' | 0x0B | 0x0C));
        if text.first().is_none_or(|&byte| starts.contains(byte)) {
            return (rest, skipped);
        }
        let Ok((next, ())) = grammar::eol(bytes::split_at(text, scan.line_end(text)).1) else { return (rest, skipped) };
        let is_empty = matches!(text.first(), Some(b'#' | b'\r' | b'\n'));
        if !is_empty && may_continue(next, form) {
            return (rest, skipped);
        }
        (rest, skipped) = (next, skipped.saturating_add(1));
    }
}
