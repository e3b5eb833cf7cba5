//! Bytes -> logical lines: the one description of the syntax, and the only module that sees nom.
//!
//! Invariant: any bytes are a sequence of lines. Each line is empty, a field, or something else; no byte is lost, and no byte
//! is read as part of two lines. Names and values borrow from the input; a value is copied only where a continuation joins
//! two lines. Each function stands below the rule that it reads:
//!
//! ```text
//! file         = *( line EOL ) [ line ]
//! line         = *WS [ field / other ] *WS [ comment ]
//! field        = name *WS ":" *WS value / word 1*WS word        ; the second where the first word is a known name
//! name         = word / spaced-name
//! word         = 1*( ALPHA / DIGIT / "-" )
//! spaced-name  = word 1*WS word                                 ; where it is one of the two-word names
//! text         = *( %x00-09 / %x0B-0C / %x0E-22 / %x24-FF )     ; anything but CR, LF and "#"
//! comment      = "#" *( %x00-09 / %x0B-0C / %x0E-FF )
//! continuation = EOL 1*WS line                                  ; [line.fold] says which lines continue which
//! WS           = SP / HTAB
//! EOL          = CRLF / LF / CR
//! ```
//!
//! [`fast`](crate::syntax::fast) has shortcuts for the usual lines. They read what this module reads.

use alloc::borrow::Cow;

use nom::branch::alt;
use nom::bytes::complete::{tag, take_till, take_till1, take_while, take_while1};
use nom::combinator::{all_consuming, map, opt, recognize, rest, verify};
use nom::sequence::{delimited, separated_pair};
use nom::{IResult, Parser};

use crate::closed;
use crate::syntax::bytes::{self, special};
use crate::syntax::names::{self, Recognised, Vocabulary, Words};

/// A parser with an empty error: a line that it cannot read is not an error here.
type Parsed<'a, T> = IResult<&'a [u8], T, ()>;

/// How bytes become lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub struct LineForm {
    /// Which lines there are.
    pub style: LineStyle,
    /// Whether a line that begins with blanks continues the one before (PROCESSOR "line continuation").
    pub fold: bool,
    /// Whether blanks at the end of a value stay, where no comment follows (PROCESSOR `keepTrailingSpaces`).
    pub keep_trailing_spaces: bool,
}

impl Default for LineForm {
    fn default() -> Self {
        Self { style: LineStyle::Standard, fold: true, keep_trailing_spaces: false }
    }
}

/// Which definition of a line is used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
#[non_exhaustive]
pub enum LineStyle {
    /// RFC 9309's.
    #[default]
    Standard,
    /// Google's parser's: a line ends at a NUL or after 16,663 bytes; the name is whatever stands before the first colon;
    /// all that C calls space is trimmed.
    Google,
}

/// The bytes that Google's parser keeps of a line: eight times the longest URL of a browser (2,083), less one for its NUL.
pub(crate) const GOOGLE_LINE: usize = 2_083 * 8 - 1;

/// A logical line.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Line<'a> {
    /// The number of its first physical line, from 1.
    pub(crate) number: u32,
    pub(crate) content: Content<'a>,
    /// Whether a continuation was joined to it.
    pub(crate) folded: bool,
    /// Whether its end was left out ([`LineStyle::Google`] only).
    pub(crate) cut: bool,
    /// The comment behind its text, without the `#`, if no blank stands before that.
    pub(crate) close_comment: Option<&'a [u8]>,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Content<'a> {
    /// Nothing, or only blanks.
    Empty,
    /// Only a comment.
    Comment,
    Field(Field<'a>),
    /// Not a field: the bytes before the comment, without the blanks around them.
    Other(&'a [u8]),
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Field<'a> {
    pub(crate) name: &'a [u8],
    /// What the name means; none where no table knows it.
    pub(crate) meaning: Option<Recognised>,
    pub(crate) value: Cow<'a, [u8]>,
    /// The normalisation that the bytes of the value need, if it is a path; see [`bytes::special_in`].
    pub(crate) special: u8,
    /// Whether the file has the colon.
    pub(crate) has_colon: bool,
}

/// The parts of a line, before its field is read.
struct Physical<'a> {
    /// The number of blanks before the text.
    indent: usize,
    /// The bytes before the comment, without the blanks around them.
    text: &'a [u8],
    /// The same, with the blanks at its end where those are kept.
    kept: &'a [u8],
    has_comment: bool,
    /// See [`Line::close_comment`].
    close_comment: Option<&'a [u8]>,
}

impl Physical<'_> {
    const CLOSED: Self =
        Self { indent: 0, text: b"Disallow: /", kept: b"Disallow: /", has_comment: false, close_comment: None };
}

/// The logical lines of a file, first to last.
pub(crate) struct Lines<'a, 'v> {
    pub(super) rest: &'a [u8],
    pub(super) next_number: u32,
    pub(super) form: LineForm,
    pub(super) vocabulary: &'v Vocabulary,
    /// Whether [`fast`](crate::syntax::fast) may read the usual lines.
    pub(super) shortcuts: bool,
}

impl<'a, 'v> Lines<'a, 'v> {
    pub(crate) fn new(input: &'a [u8], form: LineForm, vocabulary: &'v Vocabulary, shortcuts: bool) -> Self {
        Self { rest: input, next_number: 1, form, vocabulary, shortcuts }
    }

    /// The number of the first physical line.
    pub(crate) fn numbered_from(self, next_number: u32) -> Self {
        Self { next_number, ..self }
    }

    /// Whether the next line, if it is indented, may continue a line before it.
    pub(crate) fn next_may_continue(&self) -> bool {
        match self.content(&self.physical().1) {
            Content::Other(_) => true,
            Content::Field(field) => is_url(&field),
            Content::Empty | Content::Comment => false,
        }
    }

    /// How many bytes are not read yet.
    pub(crate) const fn ahead(&self) -> usize {
        self.rest.len()
    }

    /// The number of the next physical line.
    pub(crate) const fn next_number(&self) -> u32 {
        self.next_number
    }

    /// The next line.
    fn by_grammar(&mut self) -> Line<'a> {
        let number = self.next_number;
        if self.form.style == LineStyle::Google {
            let (rest, line) = google_line(self.rest, self.vocabulary);
            self.take(rest);
            return Line { number, ..line };
        }
        let (rest, first) = self.physical();
        self.take(rest);
        let may_be_continued = may_continue(self.rest, self.form) && !first.has_comment && !first.text.is_empty();
        let (content, folded) = match self.content(&first) {
            Content::Field(field) if may_be_continued => self.continued(field, first.indent),
            Content::Other(text) if may_be_continued => match self.colon_below(&first) {
                Some((field, true)) => (Content::Field(field), true),
                Some((field, false)) => (self.continued(field, first.indent).0, true),
                None => (Content::Other(text), false),
            },
            content => (content, false),
        };
        Line { number, content, folded, cut: false, close_comment: first.close_comment }
    }

    /// Reads a physical line.
    fn physical(&self) -> (&'a [u8], Physical<'a>) {
        // Any bytes are a line.
        closed::expect(line(self.rest, self.form.keep_trailing_spaces).ok(), || (&[], Physical::CLOSED))
    }

    /// `[ field / other ]`
    fn content(&self, line: &Physical<'a>) -> Content<'a> {
        if line.text.is_empty() {
            return if line.has_comment { Content::Comment } else { Content::Empty };
        }
        field(line, self.vocabulary).map_or(Content::Other(line.text), |(_, field)| Content::Field(field))
    }

    /// `continuation`: joins the lines that continue a field, and says whether there was one. Cost: each line is read once.
    #[cold]
    fn continued(&mut self, mut field: Field<'a>, indent: usize) -> (Content<'a>, bool) {
        let words = self.vocabulary.words(field.meaning);
        let mut folded = false;
        // Only a list goes on behind a value.
        while (words == Words::List || field.value.is_empty())
            && let Some((rest, next)) = self.deeper_than(indent)
        {
            let is_alone = !next.text.iter().copied().any(bytes::is_blank);
            let joins = match (self.content(&next), words) {
                (Content::Other(_), Words::List | Words::Several) => true,
                (Content::Other(_), Words::One) => is_alone,
                // A URL is no field, though `https:` looks like a name.
                (Content::Field(next), _) => field.value.is_empty() && is_alone && is_url(&next),
                (Content::Empty | Content::Comment, _) => false,
            };
            if !joins {
                break;
            }
            folded = true;
            field.value = join(field.value, next.kept);
            self.take(rest);
            if next.has_comment {
                break;
            }
        }
        if folded {
            field.special = bytes::special_in(&field.value);
        }
        (Content::Field(field), folded)
    }

    /// A field whose name stands alone on a line, and whose colon begins the next line; and whether a comment ends that line.
    fn colon_below(&mut self, first: &Physical<'a>) -> Option<(Field<'a>, bool)> {
        let is_below = bytes::trim_start(self.rest, bytes::is_blank).starts_with(b":");
        if !is_below || first.text.len() > self.vocabulary.longest_name() {
            return None;
        }
        let (_, name) = all_consuming(name).parse_complete(first.text).ok()?;
        let (rest, next) = self.deeper_than(first.indent)?;
        let value = next.kept.strip_prefix(b":")?;
        self.take(rest);
        let value = bytes::trim_start(value, bytes::is_blank);
        Some((Field::new(name, self.vocabulary.recognise(name), value, true), next.has_comment))
    }

    /// The next line and what follows it, if the line is indented deeper.
    fn deeper_than(&self, indent: usize) -> Option<(&'a [u8], Physical<'a>)> {
        let (_, blanks) = blanks(self.rest).ok()?;
        (blanks.len() > indent).then(|| self.physical())
    }

    /// Continues behind a line.
    #[inline]
    pub(super) fn take(&mut self, rest: &'a [u8]) {
        self.rest = rest;
        self.next_number = self.next_number.saturating_add(1);
    }
}

impl<'a> Iterator for Lines<'a, '_> {
    type Item = Line<'a>;

    #[inline]
    fn next(&mut self) -> Option<Line<'a>> {
        (!self.rest.is_empty()).then(|| self.by_grammar())
    }
}

impl<'a> Field<'a> {
    pub(crate) fn new(name: &'a [u8], meaning: Option<Recognised>, value: &'a [u8], has_colon: bool) -> Self {
        // The value of an unknown name is not a path.
        let special = meaning.map_or(special::ANY, |_| bytes::special_in(value));
        Self { name, meaning, value: Cow::Borrowed(value), special, has_colon }
    }
}

/// `line = *WS text [ comment ] EOL`
fn line(i: &[u8], keep_trailing_spaces: bool) -> Parsed<'_, Physical<'_>> {
    let (i, indent) = blanks(i)?;
    let (i, whole) = text(i)?;
    let (i, comment) = opt(comment).parse_complete(i)?;
    let (i, ()) = eol(i)?;
    let text = bytes::trim_end(whole, bytes::is_blank);
    let kept = if keep_trailing_spaces && comment.is_none() { whole } else { text };
    let close_comment = comment.filter(|_| is_close(whole));
    Ok((i, Physical { indent: indent.len(), text, kept, has_comment: comment.is_some(), close_comment }))
}

/// `field = name *WS ":" *WS value / word 1*WS word`
fn field<'a>(line: &Physical<'a>, vocabulary: &Vocabulary) -> Parsed<'a, Field<'a>> {
    let (behind, name) = name(line.kept)?;
    if let Ok((value, _)) = delimited(blanks, tag(&b":"[..]), blanks).parse_complete(behind) {
        return Ok((&[], Field::new(name, vocabulary.recognise(name), value, true)));
    }
    if !vocabulary.supplies_colon() {
        return Err(nom::Err::Error(()));
    }
    let (_, (name, _, value)) =
        all_consuming((word, blanks1, take_till1(bytes::is_blank))).parse_complete(line.text)?;
    match vocabulary.recognise(name) {
        Some(meaning) => Ok((&[], Field::new(name, Some(meaning), value, false))),
        None => Err(nom::Err::Error(())),
    }
}

/// `name = word / spaced-name`
fn name(i: &[u8]) -> Parsed<'_, &[u8]> {
    let (behind, word) = word(i)?;
    // Few words are followed by a blank.
    if behind.first().copied().is_some_and(bytes::is_blank) {
        return spaced_name(i).or(Ok((behind, word)));
    }
    Ok((behind, word))
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
fn blanks(i: &[u8]) -> Parsed<'_, &[u8]> {
    take_while(bytes::is_blank)(i)
}

/// `1*WS`
fn blanks1(i: &[u8]) -> Parsed<'_, &[u8]> {
    take_while1(bytes::is_blank)(i)
}

/// `text = *( %x00-09 / %x0B-0C / %x0E-22 / %x24-FF )`
#[allow(clippy::unnecessary_wraps)] // A parser has this type.
fn text(i: &[u8]) -> Parsed<'_, &[u8]> {
    Ok(split(i, memchr::memchr3(b'#', b'\r', b'\n', i)))
}

/// `comment = "#" *( %x00-09 / %x0B-0C / %x0E-FF )`
fn comment(i: &[u8]) -> Parsed<'_, &[u8]> {
    let (i, _) = tag(&b"#"[..])(i)?;
    Ok(split(i, memchr::memchr2(b'\r', b'\n', i)))
}

/// Whether a comment behind these bytes follows them without a blank.
fn is_close(text: &[u8]) -> bool {
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
fn split(i: &[u8], at: Option<usize>) -> (&[u8], &[u8]) {
    let (front, rest) = bytes::split_at(i, at.unwrap_or(i.len()));
    (rest, front)
}

/// Whether the line at the front of `rest` may continue the line before it.
#[inline]
pub(crate) fn may_continue(rest: &[u8], form: LineForm) -> bool {
    form.fold && form.style == LineStyle::Standard && rest.first().is_some_and(|&byte| bytes::is_blank(byte))
}

/// Whether a field is `http://…` or `https://…`, whose scheme looks like a name.
fn is_url(field: &Field<'_>) -> bool {
    let scheme_is = |known: &[u8]| field.name.eq_ignore_ascii_case(known);
    field.has_colon && field.value.starts_with(b"//") && (scheme_is(b"http") || scheme_is(b"https"))
}

/// Joins a continuation to a value with one blank, as RFC 822 does for header fields; an empty value is replaced.
fn join<'a>(value: Cow<'a, [u8]>, text: &'a [u8]) -> Cow<'a, [u8]> {
    if value.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut joined = value.into_owned();
    joined.push(b' ');
    joined.extend_from_slice(text);
    Cow::Owned(joined)
}

/// Reads a line as Google's parser does, without its number.
fn google_line<'a>(i: &'a [u8], vocabulary: &Vocabulary) -> (&'a [u8], Line<'a>) {
    let (rest, whole) = split(i, memchr::memchr2(b'\r', b'\n', i));
    let rest = eol(rest).map_or(rest, |(rest, ())| rest);
    let kept = bytes::part(whole, 0..whole.len().min(GOOGLE_LINE));
    let (_, kept) = split(kept, memchr::memchr(0, kept));
    let (comment, text) = split(kept, memchr::memchr(b'#', kept));
    let close_comment = comment.get(1..).filter(|_| is_close(text));
    let text = bytes::trim(text, bytes::is_c_space);
    let content = match google_field(text, vocabulary) {
        Ok((_, field)) => Content::Field(field),
        Err(_) if text.is_empty() && comment.is_empty() => Content::Empty,
        Err(_) if text.is_empty() => Content::Comment,
        Err(_) => Content::Other(text),
    };
    (rest, Line { number: 0, content, folded: false, cut: kept.len() < whole.len(), close_comment })
}

/// `google-field = 1*( any but ":" ) ":" value / 1*( any but WS ) 1*WS 1*( any but WS )`
fn google_field<'a>(i: &'a [u8], vocabulary: &Vocabulary) -> Parsed<'a, Field<'a>> {
    let with_colon = map(separated_pair(take_till(|byte| byte == b':'), tag(&b":"[..]), rest), |it| (it, true));
    let unblank = || take_till1(bytes::is_blank);
    let without = map(all_consuming(separated_pair(unblank(), blanks1, unblank())), |it| (it, false));
    let (i, ((name, value), has_colon)) = alt((with_colon, without)).parse_complete(i)?;
    let (name, value) = (bytes::trim(name, bytes::is_c_space), bytes::trim(value, bytes::is_c_space));
    if name.is_empty() {
        return Err(nom::Err::Error(()));
    }
    Ok((i, Field::new(name, vocabulary.recognise(name), value, has_colon)))
}
