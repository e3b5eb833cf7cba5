//! A line of bytes -> what stands on it: the one description of the syntax. Every line is read by these functions, which
//! have nom's types, or by those of [`google`].
//!
//! Invariant: any bytes are a sequence of lines. Each line is empty, a field, or something else; no byte is lost, and no
//! byte is read as part of two lines. Names and values borrow from the input. Each function stands below the rule that
//! it reads:
//!
//! ```text
//! file         = *( line EOL ) [ line ]
//! line         = *WS [ field / other ] [ comment ]
//! field        = name *WS ":" *WS value / word 1*WS text        ; the second where the text is one more word, and the
//!                                                               ; first word is a known name
//! name         = word / spaced-name                             ; [limit.directive-length]
//! word         = 1*( ALPHA / DIGIT / "-" )
//! spaced-name  = word 1*WS word                                 ; where it is one of the two-word names
//! value        = text                                           ; [limit.name-length], [limit.value-length]
//! other        = text                                           ; where the line is no field
//! text         = *( %x00-09 / %x0B-0C / %x0E-22 / %x24-FF )     ; anything but CR, LF and "#"; without *WS at its end
//! comment      = "#" *( %x00-09 / %x0B-0C / %x0E-FF )
//! continuation = EOL 1*WS line                                  ; [`logical`] says which lines continue which
//! WS           = SP / HTAB
//! EOL          = CRLF / LF / CR
//! ```
//!
//! Four names are nearly all names. `usual_name` reads them before `name` does, and reads them in the same way. The long
//! parts of a line are read by a [`Scan`]. The alternatives of `line` are not written
//! with nom's `alt`: it is not inlined into a function that is compiled for vectors.
//!
//! [`google`]: crate::syntax::google
//! [`logical`]: crate::syntax::logical

#![allow(clippy::inline_always, reason = "a function with vectors is fast only inside one that is compiled for them")]
#![allow(clippy::unnecessary_wraps, reason = "all parsers have one type")]

use nom::bytes::complete::{tag, take_till1, take_while1};
use nom::combinator::{all_consuming, peek, recognize, verify};
use nom::sequence::{delimited, preceded, terminated};
use nom::{IResult, Parser};

use crate::closed;
use crate::limits::Limits;
use crate::syntax::bytes::{self, Flags};
use crate::syntax::fast::{Scan, leading_path};
use crate::syntax::names::{self, Directive, Recognised, Vocabulary};

/// A parser with an empty error: a line that it cannot read is not an error here.
pub(super) type Parsed<'a, T> = IResult<&'a [u8], T, ()>;

/// Whose way of reading is followed: of lines, of agents, or of paths. The option that has it says what differs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
#[non_exhaustive]
pub enum Style {
    /// That of RFC 9309.
    #[default]
    Standard,
    /// That of Google's parser.
    Google,
}

/// What the meaning of a line depends on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Syntax<'v> {
    /// Which lines there are.
    pub(crate) style: Style,
    /// Whether a line that begins with blanks continues the one before.
    pub(crate) fold: bool,
    /// Whether blanks at the end of a value stay, where no comment follows.
    pub(crate) keep_trailing_spaces: bool,
    pub(crate) vocabulary: &'v Vocabulary,
    /// How long a name may be. The other parts of a field are measured when a value is normal, so that no text exceeds them.
    pub(crate) limits: &'v Limits,
    /// For tests: without, `any_name` reads all names.
    #[cfg(test)]
    pub(crate) reads_usual_names: bool,
}

/// What stands on a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Content<'a> {
    /// Nothing, or only blanks.
    Empty,
    /// Only a comment.
    Comment,
    Field(Field<'a>),
    /// Not a field: the bytes before the comment, without the blanks around them.
    Other(&'a [u8]),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Field<'a> {
    pub(crate) name: Name<'a>,
    pub(crate) value: &'a [u8],
    /// The normalisation that the bytes of the value need, if it is a path; see [`bytes::flags_in`].
    pub(crate) flags: Flags,
}

/// The name of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Name<'a> {
    pub(crate) bytes: &'a [u8],
    /// What the name means; none where no table knows it.
    pub(crate) meaning: Option<Recognised>,
    /// Whether it is within its bound.
    pub(crate) fits: bool,
    /// Whether the file has the colon.
    pub(crate) has_colon: bool,
}

impl<'a> Field<'a> {
    pub(super) fn new(name: Name<'a>, value: &'a [u8]) -> Self {
        // The value of an unknown name is not a path.
        let flags = name.meaning.map_or(Flags::ANY, |_| bytes::flags_in(value));
        Self { name, value, flags }
    }
}

/// A physical line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Physical<'a> {
    pub(crate) content: Content<'a>,
    /// The number of blanks before the text.
    pub(super) indent: usize,
    /// The bytes between these blanks and the comment or line end.
    pub(super) text: &'a [u8],
    /// What follows the `#`.
    pub(super) comment: Option<&'a [u8]>,
}

impl<'a> Physical<'a> {
    /// For a bug.
    fn closed() -> Self {
        let text = b"Disallow: /";
        let meaning = Some(Recognised { directive: Directive::Disallow, misspelled: false });
        let name = Name { bytes: b"Disallow", meaning, fits: true, has_colon: true };
        let content = Content::Field(Field { name, value: b"/", flags: Flags::NONE });
        Self { indent: 0, text, content, comment: None }
    }

    /// The comment, if no blank comes before its `#`.
    #[inline]
    pub(crate) fn touching_comment(&self) -> Option<&'a [u8]> {
        self.comment.filter(|_| ends_without_blank(self.text))
    }
}

/// `line = *WS [ field / other ] [ comment ]`, and its line end: `then` gets what follows the line, and the line.
///
/// It is called in each alternative, so that the compiler knows there which one it is.
#[inline(always)]
pub(super) fn line<'a, T>(
    i: &'a [u8],
    syntax: Syntax<'_>,
    scan: impl Scan,
    then: impl FnOnce(&'a [u8], Physical<'a>) -> T,
) -> T {
    let (i, blanks) = blanks(i).unwrap_or((i, &[]));
    let content = nothing(i);
    if content.is_ok() {
        return ended(i, blanks, content, scan, then);
    }
    let content = field(usual_name(i, syntax), syntax, scan);
    if content.is_ok() {
        return ended(i, blanks, content, scan, then);
    }
    let content = field(any_name(i, syntax), syntax, scan);
    if content.is_ok() {
        return ended(i, blanks, content, scan, then);
    }
    ended(i, blanks, other(i, scan), scan, then)
}

/// A line whose content has been read: `then` gets what follows it, and the line.
#[inline(always)]
fn ended<'a, T>(
    start: &'a [u8],
    blanks: &[u8],
    content: Parsed<'a, Content<'a>>,
    scan: impl Scan,
    then: impl FnOnce(&'a [u8], Physical<'a>) -> T,
) -> T {
    let (rest, line) = match end(start, blanks, content, scan) {
        Ok(line) => line,
        // Any bytes are a line.
        Err(_) => closed::because_of_a_bug(|| (&[][..], Physical::closed())),
    };
    then(rest, line)
}

/// `[ comment ] EOL`, after the content of a line that begins at `start`
#[inline(always)]
fn end<'a>(
    start: &'a [u8],
    blanks: &[u8],
    content: Parsed<'a, Content<'a>>,
    scan: impl Scan,
) -> Parsed<'a, Physical<'a>> {
    let (end, content) = content?;
    let text = bytes::part(start, 0..start.len().wrapping_sub(end.len()));
    let (end, comment) = comment(end, scan)?;
    let (rest, ()) = eol(end)?;
    Ok((rest, Physical { content, indent: blanks.len(), text, comment }))
}

/// The end of a line, or a comment
#[inline(always)]
fn nothing(i: &[u8]) -> Parsed<'_, Content<'_>> {
    match i.first() {
        None | Some(b'\r' | b'\n') => Ok((i, Content::Empty)),
        Some(b'#') => Ok((i, Content::Comment)),
        _ => Err(nom::Err::Error(())),
    }
}

/// `field = name *WS ":" *WS value / word 1*WS text`, of which all before the value has been read
#[inline(always)]
fn field<'a>(name: Parsed<'a, Name<'a>>, syntax: Syntax<'_>, scan: impl Scan) -> Parsed<'a, Content<'a>> {
    let (i, name) = name?;
    let (i, (value, flags)) = value(i, name, syntax, scan)?;
    Ok((i, Content::Field(Field { name, value, flags })))
}

/// `usual-name *WS ":" *WS`, where `usual-name = "disallow" / "allow" / "user-agent" / "sitemap"`
///
/// Reads what `any_name` reads. Letters are compared eight at a time.
#[inline(always)]
fn usual_name<'a>(i: &'a [u8], syntax: Syntax<'_>) -> Parsed<'a, Name<'a>> {
    const DISALLOW: u64 = lower_case(*b"disallow");
    const USER_AGE: u64 = lower_case(*b"user-age");
    const SITEMAP: u64 = lower_case(*b"sitemap:");
    const ALLOW: u64 = lower_case(*b"allow\0\0\0");
    const FIVE: u64 = u64::from_ne_bytes([0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0]);
    let no = Err(nom::Err::Error(()));
    #[cfg(test)]
    if !syntax.reads_usual_names {
        return no;
    }
    let Some(letters) = i.first_chunk().map(|letters| lower_case(*letters)) else { return no };
    let (directive, length) = match letters {
        DISALLOW => (Directive::Disallow, 8),
        USER_AGE if matches!(i, [_, _, _, _, b'-', _, _, _, b'N' | b'n', b'T' | b't', ..]) => {
            (Directive::UserAgent, 10)
        }
        SITEMAP => (Directive::Sitemap, 7),
        _ if letters & FIVE == ALLOW & FIVE => (Directive::Allow, 5),
        _ => return no,
    };
    let (bytes, rest) = bytes::split_at(i, length);
    let Some(rest) = rest.strip_prefix(b":") else { return no };
    let (rest, _) = blanks(rest)?;
    let meaning = Some(Recognised { directive, misspelled: false });
    Ok((rest, Name { bytes, meaning, fits: length <= syntax.limits.max_directive_length, has_colon: true }))
}

/// Sets bit 0x20 of eight bytes. Upper case becomes lower case, and no other byte becomes a letter.
#[inline]
const fn lower_case(letters: [u8; 8]) -> u64 {
    u64::from_ne_bytes(letters) | u64::from_ne_bytes([0x20; 8])
}

/// `name *WS ":" *WS / word 1*WS`
#[inline(always)]
fn any_name<'a>(i: &'a [u8], syntax: Syntax<'_>) -> Parsed<'a, Name<'a>> {
    // Markup begins with another byte.
    if i.first().copied().is_some_and(bytes::is_name) { known_or_unknown(i, syntax) } else { Err(nom::Err::Error(())) }
}

/// Reads a line that begins with a word. Not inlined: few lines have another name than a usual one.
#[inline(never)]
fn known_or_unknown<'a>(i: &'a [u8], syntax: Syntax<'_>) -> Parsed<'a, Name<'a>> {
    let (after, bytes) = name(i)?;
    if let Ok((rest, _)) = delimited(blanks, tag(&b":"[..]), blanks).parse_complete(after) {
        return Ok((rest, Name::new(bytes, syntax, true)));
    }
    if !syntax.vocabulary.supplies_colon() {
        return Err(nom::Err::Error(()));
    }
    let one_word =
        |i| terminated(take_till1(|byte| bytes::is_blank(byte) || is_end(byte)), end_of_text).parse_complete(i);
    let (rest, bytes) = terminated(terminated(word, blanks1), peek(one_word)).parse_complete(i)?;
    let name = Name::new(bytes, syntax, false);
    if name.meaning.is_some() { Ok((rest, name)) } else { Err(nom::Err::Error(())) }
}

impl<'a> Name<'a> {
    pub(super) fn new(bytes: &'a [u8], syntax: Syntax<'_>, has_colon: bool) -> Self {
        let meaning = syntax.vocabulary.recognise(bytes);
        let misspelled = meaning.filter(|it| it.misspelled);
        // A text has the right spelling.
        let length = misspelled.and_then(|it| it.directive.name()).map_or(bytes.len(), str::len);
        Self { bytes, meaning, fits: length <= syntax.limits.max_directive_length, has_colon }
    }

    /// Whether it means what one of the usual names means.
    #[inline(always)]
    pub(super) fn is_usual(&self) -> bool {
        const USUAL: [Directive; 4] = [Directive::Disallow, Directive::Allow, Directive::UserAgent, Directive::Sitemap];
        self.meaning.is_some_and(|it| USUAL.contains(&it.directive))
    }
}

/// `name = word / spaced-name`
pub(super) fn name(i: &[u8]) -> Parsed<'_, &[u8]> {
    let (after, word) = word(i)?;
    // Few words are followed by a blank.
    if after.first().copied().is_some_and(bytes::is_blank) {
        return spaced_name(i).or(Ok((after, word)));
    }
    Ok((after, word))
}

/// `spaced-name = word 1*WS word`, where it is one of the two-word names
fn spaced_name(i: &[u8]) -> Parsed<'_, &[u8]> {
    let two_words = recognize((word, blanks1, word));
    verify(two_words, |name: &[u8]| names::is_spaced_name(name)).parse_complete(i)
}

/// `word = 1*( ALPHA / DIGIT / "-" )`
fn word(i: &[u8]) -> Parsed<'_, &[u8]> {
    take_while1(bytes::is_name)(i)
}

/// `*WS`
#[inline(always)]
pub(super) fn blanks(i: &[u8]) -> Parsed<'_, &[u8]> {
    // Most lines have no blank, and most values one.
    match i {
        [byte, ..] if *byte > b' ' => return Ok((i, &[])),
        [b' ', rest @ ..] if rest.first().is_some_and(|byte| *byte > b' ') => {
            return Ok((rest, bytes::part(i, 0..1)));
        }
        [b'\n', ..] => return Ok((i, &[])),
        _ => {}
    }
    let rest = bytes::trim_blanks(i);
    Ok((rest, bytes::part(i, 0..i.len().wrapping_sub(rest.len()))))
}

/// `1*WS`
pub(super) fn blanks1(i: &[u8]) -> Parsed<'_, &[u8]> {
    take_while1(bytes::is_blank)(i)
}

/// `value = text`: without the blanks at its end, or with them, and the normalisation that it needs
///
/// Most values are plain paths, so one pass finds their end and their normalisation.
#[inline(always)]
fn value<'a>(i: &'a [u8], name: Name<'_>, syntax: Syntax<'_>, scan: impl Scan) -> Parsed<'a, (&'a [u8], Flags)> {
    // The value of an unknown name is not a path.
    let (path, flags) = if name.meaning.is_some() { leading_path(i, scan) } else { (&[][..], Flags::ANY) };
    let (front, after) = bytes::split_at(i, path.len());
    if after.first().copied().is_none_or(bytes::is_line_end) {
        return Ok((after, (front, flags)));
    }
    let (end, more) = text(after, scan)?;
    let whole = bytes::part(i, 0..path.len().wrapping_add(more.len()));
    let keeps_blanks = syntax.keep_trailing_spaces && name.has_colon && end.first() != Some(&b'#');
    let value = if keeps_blanks { whole } else { trimmed(whole) };
    let (_, unusual) = bytes::split_at(value, path.len());
    Ok((end, (value, flags | bytes::flags_in(unusual))))
}

/// The whole of a text, read by this rule.
pub(super) fn whole<'a, T>(i: &'a [u8], rule: impl Fn(&'a [u8]) -> Parsed<'a, T>) -> Option<T> {
    all_consuming(rule).parse_complete(i).ok().map(|(_, found)| found)
}

/// `other = text`
#[inline(always)]
fn other(i: &[u8], scan: impl Scan) -> Parsed<'_, Content<'_>> {
    let (i, whole) = text(i, scan)?;
    Ok((i, Content::Other(trimmed(whole))))
}

/// `text = *( %x00-09 / %x0B-0C / %x0E-22 / %x24-FF )`
#[inline(always)]
fn text(i: &[u8], scan: impl Scan) -> Parsed<'_, &[u8]> {
    let (text, rest) = bytes::split_at(i, scan.text_end(i));
    Ok((rest, text))
}

/// A text without the blanks at its end
#[inline]
fn trimmed(text: &[u8]) -> &[u8] {
    bytes::trim_end(text, bytes::is_blank)
}

/// Whether a text ends before this byte.
#[inline]
fn is_end(byte: u8) -> bool {
    byte == b'#' || bytes::is_line_end(byte)
}

/// `*WS`, and the end of a text
fn end_of_text(i: &[u8]) -> Parsed<'_, ()> {
    preceded(blanks, nothing).map(|_| ()).parse_complete(i)
}

/// `[ comment ]`, where `comment = "#" *( %x00-09 / %x0B-0C / %x0E-FF )`
#[inline(always)]
fn comment(i: &[u8], scan: impl Scan) -> Parsed<'_, Option<&[u8]>> {
    let Some(i) = i.strip_prefix(b"#") else { return Ok((i, None)) };
    let (comment, rest) = bytes::split_at(i, scan.line_end(i));
    Ok((rest, Some(comment)))
}

/// Whether a comment after these bytes follows them without a blank.
pub(super) fn ends_without_blank(text: &[u8]) -> bool {
    text.last().is_some_and(|&last| !bytes::is_blank(last))
}

/// `EOL = CRLF / LF / CR`, or the end of the file
#[inline]
pub(crate) fn eol(i: &[u8]) -> Parsed<'_, ()> {
    match i {
        [b'\r', b'\n', rest @ ..] | [b'\r' | b'\n', rest @ ..] => Ok((rest, ())),
        [] => Ok((i, ())),
        _ => Err(nom::Err::Error(())),
    }
}

/// The physical line at the front of `i`, with its line end.
pub(crate) fn physical_line(i: &[u8]) -> Parsed<'_, &[u8]> {
    let (rest, line) = split(i, memchr::memchr2(b'\r', b'\n', i));
    eol(rest).map(|(rest, ())| (rest, line))
}

/// The rest from `at` on, and what is before it; all of it where there is no such place.
#[inline]
pub(super) fn split(i: &[u8], at: Option<usize>) -> (&[u8], &[u8]) {
    let (front, rest) = bytes::split_at(i, at.unwrap_or(i.len()));
    (rest, front)
}
