//! Bytes -> logical lines. The only module that sees nom.
//!
//! Invariant: any octets are a sequence of lines, and each line is empty, a field or something else; no octet is lost or
//! read as part of two lines. A field's name and value borrow from the input, but for a value that a continuation had to
//! join. Each function stands under the rule it reads, in the ABNF of SPEC.md:
//!
//! ```text
//! file         = *( line EOL ) [ line ]
//! line         = *WS [ field / other ] *WS [ comment ]
//! field        = name *WS ":" *WS value / word 1*WS word        ; the second where the first word is a known name
//! name         = word / spaced-name
//! word         = 1*( ALPHA / DIGIT / "-" )
//! spaced-name  = "user" 1*WS "agent" [ "s" ] / "crawl" 1*WS "delay" / "site" 1*WS "map"
//! value        = *( %x00-09 / %x0B-0C / %x0E-22 / %x24-FF )     ; anything but CR, LF and "#"
//! comment      = "#" *( %x00-09 / %x0B-0C / %x0E-FF )
//! continuation = EOL 1*WS line                                  ; [line.fold] says of which lines, and by which
//! WS           = SP / HTAB
//! EOL          = CRLF / LF / CR
//! ```

use alloc::borrow::Cow;

use bstr::ByteSlice;
use nom::branch::alt;
use nom::bytes::complete::{tag, take_while, take_while1};
use nom::combinator::{opt, recognize};
use nom::sequence::delimited;
use nom::{IResult, Parser};

use crate::directive::{Directive, Vocabulary, Words};
use crate::octets::{self, OctetSet, asks};

/// A parser that fails without a word: a line it cannot read is no error here.
type Parsed<'a, T> = IResult<&'a [u8], T, ()>;

/// How octets become lines.
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

/// Whose idea of a line it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub enum LineStyle {
    /// RFC 9309's.
    #[default]
    Standard,
    /// Google's parser's: cut at a NUL and behind 16,663 octets, split at the first colon whatever stands before it,
    /// trimmed of all that C calls space.
    Google,
}

/// What Google's parser keeps of a line: eight times the longest URL of a browser (2,083), less one for its NUL.
pub(crate) const GOOGLE_LINE: usize = 2_083 * 8 - 1;

/// A logical line.
#[derive(Debug)]
pub(crate) struct Line<'a> {
    /// Of its first part, from 1.
    pub(crate) number: u32,
    pub(crate) content: Content<'a>,
    /// Whether a continuation was joined to it.
    pub(crate) folded: bool,
    /// Whether its end was left out ([`LineStyle::Google`] only).
    pub(crate) cut: bool,
}

#[derive(Debug)]
pub(crate) enum Content<'a> {
    /// Nothing but blanks and a comment.
    Empty,
    Field(Field<'a>),
    /// Not a field.
    Other,
}

/// A field with one of the names that nearly all have, spelled right, and nothing else on its line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CommonField<'a> {
    /// Of its line.
    pub(crate) number: u32,
    pub(crate) directive: Directive,
    pub(crate) value: &'a [u8],
    /// What the octets of the value ask for, if it is a path; see [`octets::asked_by`].
    pub(crate) asked: u8,
}

#[derive(Debug)]
pub(crate) struct Field<'a> {
    pub(crate) name: &'a [u8],
    pub(crate) value: Cow<'a, [u8]>,
    /// Whether the colon stood in the file.
    pub(crate) has_colon: bool,
}

/// A line of the file, before continuations are joined.
struct Physical<'a> {
    content: Content<'a>,
    /// Blanks before the text.
    indent: usize,
    /// The octets before the comment, without blanks around them.
    text: &'a [u8],
    /// The same, with the blanks at its end where those are kept.
    kept: &'a [u8],
    has_comment: bool,
}

impl Physical<'_> {
    const EMPTY: Self = Self { content: Content::Empty, indent: 0, text: &[], kept: &[], has_comment: false };
}

/// The logical lines of a file, first to last.
pub(crate) struct Lines<'a, 'v> {
    rest: &'a [u8],
    next_number: u32,
    form: LineForm,
    vocabulary: &'v Vocabulary,
}

impl<'a, 'v> Lines<'a, 'v> {
    pub(crate) fn new(input: &'a [u8], form: LineForm, vocabulary: &'v Vocabulary) -> Self {
        Self { rest: input, next_number: 1, form, vocabulary }
    }

    /// `line = *WS [ field / other ] *WS [ comment ] EOL`
    #[inline]
    fn physical(&self, input: &'a [u8]) -> (&'a [u8], Physical<'a>) {
        let (margin, start) = octets::split_while(input, octets::is_blank);
        let margin = margin.len();
        let keep = self.form.keep_trailing_spaces;
        let as_field = |i| field_line(i, keep);
        let as_other = |i| other_line(i, keep, self.vocabulary);
        let line = match start.first() {
            Some(&octet) if octets::is_name(octet) => alt((as_field, as_other)).parse_complete(start),
            None | Some(b'#' | b'\r' | b'\n') => empty_line(start),
            Some(_) => as_other(start),
        };
        match line {
            Ok((rest, line)) => (rest, Physical { indent: margin, ..line }),
            // `other_line` takes anything, so this is not reached; were it, the file would end here.
            Err(_) => (&[], Physical::EMPTY),
        }
    }

    /// Passes over lines that begin with none of these octets, blanks apart. A line that may be continued stays, with those
    /// that may continue it: read alone, one of them could be taken for a field.
    pub(crate) fn skip_to(&mut self, starts: &OctetSet) {
        let mut rest = self.rest;
        loop {
            let text = octets::trim_start(rest, |octet| matches!(octet, b' ' | b'\t' | 0x0B | 0x0C));
            match text.first() {
                None => break,
                Some(&octet) if starts.contains(octet) => break,
                Some(_) => {}
            }
            let (end, _) = split(text, memchr::memchr2(b'\r', b'\n', text));
            let next = eol(end).map_or(end, |(next, ())| next);
            let is_nothing = matches!(text.first(), Some(b'#' | b'\r' | b'\n'));
            if self.form.fold && !is_nothing && next.first().is_some_and(|&octet| octets::is_blank(octet)) {
                break;
            }
            rest = next;
            self.next_number = self.next_number.saturating_add(1);
        }
        self.rest = rest;
    }

    /// `[line.fold]`: joins the lines that continue a field. Each is looked at once, and so is the field's name.
    #[cold]
    fn fold(&mut self, first: Physical<'a>) -> (Content<'a>, bool) {
        let indent = first.indent;
        let mut folded = false;
        let mut field = match first.content {
            Content::Field(field) => field,
            Content::Other => match self.colon_below(&first) {
                Some(field) => {
                    folded = true;
                    field
                }
                None => return (Content::Other, false),
            },
            Content::Empty => return (Content::Empty, false),
        };
        let words = self.vocabulary.words(field.name);
        while let Some((rest, next)) = self.deeper_than(indent) {
            let is_alone = !next.text.iter().copied().any(octets::is_blank);
            let joins = match (&next.content, words) {
                (Content::Other, Words::List) => true,
                (Content::Other, Words::Several) => field.value.is_empty(),
                (Content::Other, Words::One) => field.value.is_empty() && is_alone,
                // A URL is no field, though `https:` looks like a name.
                (Content::Field(next), _) => field.value.is_empty() && is_alone && is_url(next),
                _ => false,
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
        (Content::Field(field), folded)
    }

    /// A field whose name stands alone on a line, and whose colon begins the next.
    fn colon_below(&mut self, first: &Physical<'a>) -> Option<Field<'a>> {
        let may_be_name = first.text.len() <= self.vocabulary.longest_name();
        if !may_be_name || !name(first.text).is_ok_and(|it| it.0.is_empty()) {
            return None;
        }
        let (rest, next) = self.deeper_than(first.indent)?;
        let value = next.kept.strip_prefix(b":").filter(|_| matches!(next.content, Content::Other))?;
        self.take(rest);
        let value = Cow::Borrowed(octets::trim_start(value, octets::is_blank));
        Some(Field { name: first.text, value, has_colon: true })
    }

    /// The next line, if it is indented deeper, and what is behind it.
    fn deeper_than(&self, indent: usize) -> Option<(&'a [u8], Physical<'a>)> {
        self.rest.first().filter(|&&octet| octets::is_blank(octet))?;
        let (rest, next) = self.physical(self.rest);
        (next.indent > indent).then_some((rest, next))
    }

    /// Passes over empty lines and comments, and reads the field behind them if it is a common one, as nearly all are.
    #[inline]
    pub(crate) fn common(&mut self) -> Option<CommonField<'a>> {
        let is_standard = self.form.style == LineStyle::Standard;
        while !self.rest.is_empty()
            && let Ok((rest, line)) = empty_line(self.rest)
            && (is_standard || !line.has_comment)
        {
            self.take(rest);
        }
        let (rest, (directive, value, asked)) = common_field(self.rest, self.form.keep_trailing_spaces).ok()?;
        // Without NUL and what only one of them trims there is nothing that the styles differ in.
        let is_alike = is_standard || !asks::has(asked, asks::RAW);
        if !is_alike || !self.stands_alone(rest) {
            return None;
        }
        let number = self.next_number;
        self.take(rest);
        Some(CommonField { number, directive, value, asked })
    }

    /// Reads rules of the plainest kind for as long as one follows the other, empty lines apart: name, colon, path, and what
    /// the octets of the path ask for. Most of what a file has to say is read here. `keep` says whether it took the rule;
    /// one that it left, and what is behind it, stays to be read.
    #[inline]
    pub(crate) fn plain_rules(&mut self, mut keep: impl FnMut(CommonField<'a>) -> bool) {
        let (mut rest, mut number) = (self.rest, self.next_number);
        loop {
            while let [b'\r', b'\n', behind @ ..] | [b'\r' | b'\n', behind @ ..] = rest {
                (rest, number) = (behind, number.saturating_add(1));
            }
            let Ok((next, (directive, value, asked))) = plain_rule(rest) else { break };
            let is_continued = self.form.fold && next.first().is_some_and(|&octet| octets::is_blank(octet));
            if is_continued || !keep(CommonField { number, directive, value, asked }) {
                break;
            }
            (rest, number) = (next, number.saturating_add(1));
        }
        (self.rest, self.next_number) = (rest, number);
    }

    /// Whether the line that ends before `rest` is a logical line of its own.
    #[inline]
    fn stands_alone(&self, rest: &[u8]) -> bool {
        match self.form.style {
            LineStyle::Standard => !self.form.fold || !rest.first().is_some_and(|&octet| octets::is_blank(octet)),
            // Whole lines have their end with them.
            LineStyle::Google => self.rest.len().saturating_sub(rest.len()) <= GOOGLE_LINE,
        }
    }

    /// Goes on behind a line.
    #[inline]
    fn take(&mut self, rest: &'a [u8]) {
        self.rest = rest;
        self.next_number = self.next_number.saturating_add(1);
    }
}

impl<'a> Iterator for Lines<'a, '_> {
    type Item = Line<'a>;

    #[inline]
    fn next(&mut self) -> Option<Line<'a>> {
        if self.rest.is_empty() {
            return None;
        }
        let number = self.next_number;
        self.next_number = number.saturating_add(1);
        if self.form.style == LineStyle::Google {
            let (rest, (content, cut)) = google_line(self.rest);
            self.rest = rest;
            return Some(Line { number, content, folded: false, cut });
        }
        if let Ok((rest, ())) = foreign_line(self.rest) {
            self.rest = rest;
            return Some(Line { number, content: Content::Other, folded: false, cut: false });
        }
        let (rest, first) = self.physical(self.rest);
        self.rest = rest;
        let may_continue = self.form.fold
            && rest.first().is_some_and(|&octet| octets::is_blank(octet))
            && !first.has_comment
            && !matches!(first.content, Content::Empty);
        let (content, folded) = if may_continue { self.fold(first) } else { (first.content, false) };
        Some(Line { number, content, folded, cut: false })
    }
}

/// `common-field = ( "disallow" / "allow" / "user-agent" / "sitemap" ) ":" *WS value *WS EOL`, in one pass: nearly all lines
/// are one, and of those nearly all have a value of which a URL can hold each octet.
#[inline]
fn common_field(i: &[u8], keep_trailing_spaces: bool) -> Parsed<'_, (Directive, &[u8], u8)> {
    let Some((directive, rest)) = common_name(i) else { return Err(nom::Err::Error(())) };
    let rest = octets::trim_start(rest, octets::is_blank);
    let (path, asked) = octets::leading_path(rest);
    let (behind, _) = split(rest, Some(path.len()));
    if let Ok((next, ())) = eol(behind) {
        return Ok((next, (directive, path, asked)));
    }
    let (behind, _) = value(behind)?;
    let (next, ()) = eol(behind)?;
    let whole = octets::part(rest, 0..rest.len().saturating_sub(behind.len()));
    let value = if keep_trailing_spaces { whole } else { octets::trim_end(whole, octets::is_blank) };
    Ok((next, (directive, value, octets::asked_by(value))))
}

/// `plain-rule = ( "disallow" / "allow" ) ":" [ SP ] "/" *url-octet EOL`
#[inline]
fn plain_rule(i: &[u8]) -> Parsed<'_, (Directive, &[u8], u8)> {
    const NONE: nom::Err<()> = nom::Err::Error(());
    let (directive, rest) = common_name(i).ok_or(NONE)?;
    let rest = rest.strip_prefix(b" ").unwrap_or(rest);
    if !directive.is_rule() || rest.first() != Some(&b'/') {
        return Err(NONE);
    }
    let (path, asked) = octets::leading_path(rest);
    let (behind, _) = split(rest, Some(path.len()));
    let (next, ()) = eol(behind)?;
    Ok((next, (directive, path, asked)))
}

/// The four names that nearly all lines have, with their colon, and what they mean.
#[inline]
fn common_name(i: &[u8]) -> Option<(Directive, &[u8])> {
    const DISALLOW: u64 = lower_case(*b"disallow");
    const USER_AGE: u64 = lower_case(*b"user-age");
    const SITEMAP: u64 = lower_case(*b"sitemap:");
    const ALLOW: u64 = lower_case(*b"allow\0\0\0");
    const FIVE: u64 = u64::from_ne_bytes([0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0]);
    let letters = lower_case(*i.first_chunk()?);
    let (directive, length) = match letters {
        DISALLOW => (Directive::Disallow, 8),
        USER_AGE if matches!(i, [_, _, _, _, b'-', _, _, _, b'N' | b'n', b'T' | b't', ..]) => {
            (Directive::UserAgent, 10)
        }
        SITEMAP => (Directive::Sitemap, 7),
        _ if letters & FIVE == ALLOW & FIVE => (Directive::Allow, 5),
        _ => return None,
    };
    i.get(length..)?.strip_prefix(b":").map(|rest| (directive, rest))
}

/// Eight letters at once: their cases differ in bit 0x20, and no other octet becomes a letter by it. Other octets may become
/// each other.
#[inline]
const fn lower_case(letters: [u8; 8]) -> u64 {
    u64::from_ne_bytes(letters) | u64::from_ne_bytes([0x20; 8])
}

fn is_url(field: &Field<'_>) -> bool {
    let scheme_is = |known: &[u8]| field.name.eq_ignore_ascii_case(known);
    field.has_colon && field.value.starts_with(b"//") && (scheme_is(b"http") || scheme_is(b"https"))
}

/// A line break and the blanks behind it are one blank, as in the header fields of RFC 822, and nothing below an empty value.
fn join<'a>(value: Cow<'a, [u8]>, text: &'a [u8]) -> Cow<'a, [u8]> {
    if value.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut joined = value.into_owned();
    joined.push(b' ');
    joined.extend_from_slice(text);
    Cow::Owned(joined)
}

/// A line that is no field, and that nothing can make one: it begins with no octet of a name, as those of markup, or is a word
/// and no more, and is not continued.
#[inline]
fn foreign_line(i: &[u8]) -> Parsed<'_, ()> {
    let text = octets::trim_start(i, octets::is_blank);
    match text.first() {
        None | Some(b'#' | b'\r' | b'\n') => Err(nom::Err::Error(())),
        Some(&octet) if octets::is_name(octet) => {
            let (next, ()) = eol(word(text)?.0)?;
            let is_continued = next.first().is_some_and(|&octet| octets::is_blank(octet));
            if is_continued { Err(nom::Err::Error(())) } else { Ok((next, ())) }
        }
        Some(_) => eol(split(text, memchr::memchr2(b'\r', b'\n', text)).0),
    }
}

/// `line = [ comment ] EOL`
#[inline]
fn empty_line(i: &[u8]) -> Parsed<'_, Physical<'_>> {
    if !matches!(i.first(), None | Some(b'#' | b'\r' | b'\n')) {
        return Err(nom::Err::Error(()));
    }
    let (rest, text) = opt(comment).parse_complete(i)?;
    let (rest, ()) = eol(rest)?;
    Ok((rest, Physical { has_comment: text.is_some(), ..Physical::EMPTY }))
}

/// `line = name *WS ":" *WS value *WS [ comment ] EOL`
#[inline]
fn field_line(i: &[u8], keep_trailing_spaces: bool) -> Parsed<'_, Physical<'_>> {
    let (rest, name) = name(i)?;
    let (rest, _) = delimited(blanks, tag(&b":"[..]), blanks).parse_complete(rest)?;
    let (rest, value) = value(rest)?;
    let (rest, comment) = opt(comment).parse_complete(rest)?;
    let (rest, ()) = eol(rest)?;
    let has_comment = comment.is_some();
    let trimmed = octets::trim_end(value, octets::is_blank);
    let kept = if keep_trailing_spaces && !has_comment { value } else { trimmed };
    let content = Content::Field(Field { name, value: Cow::Borrowed(kept), has_colon: true });
    Ok((rest, Physical { content, indent: 0, text: span(i, trimmed), kept: span(i, kept), has_comment }))
}

/// `line = [ word 1*WS word / other ] *WS [ comment ] EOL`
fn other_line<'a>(i: &'a [u8], keep_trailing_spaces: bool, vocabulary: &Vocabulary) -> Parsed<'a, Physical<'a>> {
    let (rest, whole) = value(i)?;
    let (rest, comment) = opt(comment).parse_complete(rest)?;
    let (rest, ()) = eol(rest)?;
    let has_comment = comment.is_some();
    let text = octets::trim_end(whole, octets::is_blank);
    let kept = if keep_trailing_spaces && !has_comment { whole } else { text };
    let content = match two_words(text) {
        Ok((_, (name, value))) if vocabulary.supplies_colon() && vocabulary.recognise(name).is_some() => {
            Content::Field(Field { name, value: Cow::Borrowed(value), has_colon: false })
        }
        _ => Content::Other,
    };
    Ok((rest, Physical { content, indent: 0, text, kept, has_comment }))
}

/// `name = word / spaced-name`
#[inline]
fn name(i: &[u8]) -> Parsed<'_, &[u8]> {
    let (rest, first) = word(i)?;
    // Nearly every name is a word and a colon.
    if rest.starts_with(b":") {
        return Ok((rest, first));
    }
    alt((spaced_name, word)).parse_complete(i)
}

/// `spaced-name = "user" 1*WS "agent" [ "s" ] / "crawl" 1*WS "delay" / "site" 1*WS "map"`
#[cold]
fn spaced_name(i: &[u8]) -> Parsed<'_, &[u8]> {
    const PAIRS: [(&[u8], &[u8]); 4] =
        [(b"user", b"agent"), (b"user", b"agents"), (b"crawl", b"delay"), (b"site", b"map")];
    if !matches!(i.first(), Some(b'U' | b'u' | b'C' | b'c' | b'S' | b's')) {
        return Err(nom::Err::Error(()));
    }
    let (_, (first, _, second)) = (word, blanks1, word).parse_complete(i)?;
    if PAIRS.iter().any(|pair| first.eq_ignore_ascii_case(pair.0) && second.eq_ignore_ascii_case(pair.1)) {
        recognize((word, blanks1, word)).parse_complete(i)
    } else {
        Err(nom::Err::Error(()))
    }
}

/// `word 1*WS word`, and nothing else
fn two_words(i: &[u8]) -> Parsed<'_, (&[u8], &[u8])> {
    let (i, (first, _)) = (word, blanks1).parse_complete(i)?;
    if i.iter().copied().any(octets::is_blank) { Err(nom::Err::Error(())) } else { Ok((&[], (first, i))) }
}

/// `word = 1*( ALPHA / DIGIT / "-" )`
#[inline]
fn word(i: &[u8]) -> Parsed<'_, &[u8]> {
    take_while1(octets::is_name)(i)
}

/// `*WS`
#[inline]
fn blanks(i: &[u8]) -> Parsed<'_, &[u8]> {
    take_while(octets::is_blank)(i)
}

/// `1*WS`
#[inline]
fn blanks1(i: &[u8]) -> Parsed<'_, &[u8]> {
    take_while1(octets::is_blank)(i)
}

/// `value = *( %x00-09 / %x0B-0C / %x0E-22 / %x24-FF )`
#[inline]
#[allow(clippy::unnecessary_wraps)] // As every parser here.
fn value(i: &[u8]) -> Parsed<'_, &[u8]> {
    Ok(split(i, memchr::memchr3(b'#', b'\r', b'\n', i)))
}

/// `comment = "#" *( %x00-09 / %x0B-0C / %x0E-FF )`
#[inline]
fn comment(i: &[u8]) -> Parsed<'_, &[u8]> {
    let (i, _) = tag(&b"#"[..])(i)?;
    Ok(split(i, memchr::memchr2(b'\r', b'\n', i)))
}

/// `EOL = CRLF / LF / CR`, and the end of the file
#[inline]
fn eol(i: &[u8]) -> Parsed<'_, ()> {
    match i {
        [b'\r', b'\n', rest @ ..] | [b'\r' | b'\n', rest @ ..] => Ok((rest, ())),
        [] => Ok((i, ())),
        _ => Err(nom::Err::Error(())),
    }
}

/// The rest from `at` on, and what is before it; all of it where there is no such place.
#[inline]
fn split(i: &[u8], at: Option<usize>) -> (&[u8], &[u8]) {
    let (front, rest) = i.split_at_checked(at.unwrap_or(i.len())).unwrap_or((i, &[]));
    (rest, front)
}

/// From the start of `start` to the end of `end`, which lies in it.
#[inline]
fn span<'a>(start: &'a [u8], end: &[u8]) -> &'a [u8] {
    let from = start.as_ptr() as usize;
    let to = (end.as_ptr() as usize).saturating_add(end.len());
    octets::part(start, 0..to.saturating_sub(from))
}

/// A line as Google's parser takes it; the answer's second part says whether its end was left out.
fn google_line(i: &[u8]) -> (&[u8], (Content<'_>, bool)) {
    let (rest, whole) = split(i, memchr::memchr2(b'\r', b'\n', i));
    let rest = eol(rest).map_or(rest, |(rest, ())| rest);
    let kept = octets::part(whole, 0..whole.len().min(GOOGLE_LINE));
    let (_, kept) = split(kept, memchr::memchr(0, kept));
    let cut = kept.len() < whole.len();
    let (_, text) = split(kept, memchr::memchr(b'#', kept));
    (rest, (google_content(octets::trim(text, octets::is_c_space)), cut))
}

fn google_content(text: &[u8]) -> Content<'_> {
    if text.is_empty() {
        return Content::Empty;
    }
    let (name, value, has_colon) = if let Some((name, value)) = text.split_once_str(":") {
        (name, value, true)
    } else {
        let (name, rest) = octets::split_while(text, |octet| !octets::is_blank(octet));
        let value = octets::trim_start(rest, octets::is_blank);
        if value.is_empty() || value.iter().copied().any(octets::is_blank) {
            return Content::Other;
        }
        (name, value, false)
    };
    let name = octets::trim(name, octets::is_c_space);
    if name.is_empty() {
        return Content::Other;
    }
    let value = Cow::Borrowed(octets::trim(value, octets::is_c_space));
    Content::Field(Field { name, value, has_colon })
}
