//! Physical lines -> logical lines: the lines of a file, with their numbers and their continuations.
//!
//! [`Lines::next`] reads each line of each file, and no other function does. A value is copied only where a
//! continuation joins two lines.

#![allow(clippy::inline_always, reason = "a function with vectors is fast only inside one that is compiled for them")]

use alloc::borrow::Cow;
use core::num::NonZeroU32;

use crate::syntax::fast::{Scalar, Scan};
use crate::syntax::grammar::{self, Content, Field, Name, Physical, Style, Syntax};
use crate::syntax::names::Words;
use crate::syntax::{bytes, google};

/// A logical line.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line<'a> {
    /// A physical line that no other continues.
    Single(Physical<'a>),
    /// A field that other lines continue, with the value that they give it.
    Folded(Name<'a>, Cow<'a, [u8]>),
    /// A line of [`Style::Google`], and whether its end was left out.
    Google(Physical<'a>, bool),
}

/// The logical lines of a file, first to last.
#[derive(Clone, Copy)]
pub(crate) struct Lines<'a, 'v> {
    rest: &'a [u8],
    next_number: NonZeroU32,
    syntax: Syntax<'v>,
}

impl<'a, 'v> Lines<'a, 'v> {
    pub(crate) fn new(input: &'a [u8], syntax: Syntax<'v>) -> Self {
        Self { rest: input, next_number: NonZeroU32::MIN, syntax }
    }

    /// Whether the next line, if it is indented, may continue a line before it.
    fn next_may_continue(&self) -> bool {
        match self.physical().1.content {
            Content::Other(_) => true,
            Content::Field(field) => is_url_line(&field),
            Content::Empty | Content::Comment => false,
        }
    }

    /// Whether another line may continue the next one.
    fn next_may_be_continued(&self) -> bool {
        let line = self.physical().1;
        line.comment.is_none() && may_be_continued(&line.content)
    }

    /// How many bytes are not read yet.
    pub(crate) const fn ahead(&self) -> usize {
        self.rest.len()
    }

    /// The number of the next physical line.
    pub(crate) const fn next_number(&self) -> NonZeroU32 {
        self.next_number
    }

    /// Reads the next line. `then` gets it, and the number of its first physical line.
    #[inline(always)]
    pub(crate) fn next<T>(&mut self, scan: impl Scan, then: impl FnOnce(NonZeroU32, Line<'a>) -> T) -> Option<T> {
        if self.rest.is_empty() {
            return None;
        }
        let (number, syntax) = (self.next_number, self.syntax);
        if syntax.style == Style::Google {
            let (rest, line, is_cut) = google::line(self.rest, syntax);
            self.take(rest);
            return Some(then(number, Line::Google(line, is_cut)));
        }
        Some(grammar::line(
            self.rest,
            syntax,
            scan,
            #[inline(always)]
            |rest, line| {
                self.take(rest);
                if may_continue(rest, syntax)
                    && line.comment.is_none()
                    && may_be_continued(&line.content)
                    && let Some((name, value)) = self.fold(line.content, line.indent)
                {
                    return then(number, Line::Folded(name, value));
                }
                then(number, Line::Single(line))
            },
        ))
    }

    /// Reads a physical line.
    fn physical(&self) -> (&'a [u8], Physical<'a>) {
        grammar::line(self.rest, self.syntax, Scalar, |rest, line| (rest, line))
    }

    /// `continuation`: the field that a line and those that continue it make, if any does. The line has no comment.
    #[inline(never)]
    fn fold(&mut self, content: Content<'a>, indent: usize) -> Option<(Name<'a>, Cow<'a, [u8]>)> {
        match content {
            Content::Field(field) => self.continue_value(field.name, field.value, indent),
            Content::Other(text) => {
                let (name, value, has_comment) = self.colon_below(text, indent)?;
                let more = if has_comment { None } else { self.continue_value(name, value, indent) };
                Some(more.unwrap_or((name, Cow::Borrowed(value))))
            }
            Content::Empty | Content::Comment => None,
        }
    }

    /// Joins the lines that continue the value of a field, if there is one. Cost: each line is read once.
    fn continue_value(&mut self, name: Name<'a>, value: &'a [u8], indent: usize) -> Option<(Name<'a>, Cow<'a, [u8]>)> {
        // The value of an unknown name has one word.
        let words = name.meaning.map_or(Words::One, |it| self.syntax.vocabulary.words(it.directive));
        let mut joined = None;
        // Only a list goes on after a value.
        while (words == Words::List || joined.is_none() && value.is_empty())
            && let Some((rest, next)) = self.deeper_than(indent)
        {
            let text = self.kept(&next);
            let is_alone = !bytes::trim_end(text, bytes::is_blank).iter().copied().any(bytes::is_blank);
            let has_value = joined.is_some() || !value.is_empty();
            let joins = match (next.content, words) {
                (Content::Other(_), Words::List | Words::Several) => true,
                (Content::Other(_), Words::One | Words::Path) => is_alone,
                // A URL is no field, though `https:` looks like a name.
                (Content::Field(next), _) => !has_value && is_alone && is_url_line(&next),
                (Content::Empty | Content::Comment, _) => false,
            };
            if !joins {
                break;
            }
            joined = Some(join(joined.unwrap_or(Cow::Borrowed(value)), text));
            self.take(rest);
            if next.comment.is_some() {
                break;
            }
        }
        joined.map(|value| (name, value))
    }

    /// A field whose name stands alone on a line, and whose colon begins the next line; and whether a comment ends that line.
    fn colon_below(&mut self, text: &'a [u8], indent: usize) -> Option<(Name<'a>, &'a [u8], bool)> {
        let is_below = bytes::trim_blanks(self.rest).starts_with(b":");
        if !is_below || text.len() > self.syntax.vocabulary.longest_name() {
            return None;
        }
        let name = grammar::whole(text, grammar::name)?;
        let (rest, next) = self.deeper_than(indent)?;
        let value = self.kept(&next).strip_prefix(b":")?;
        self.take(rest);
        Some((Name::new(name, self.syntax, true), bytes::trim_blanks(value), next.comment.is_some()))
    }

    /// The text of a line, with the blanks at its end where those are kept.
    fn kept(&self, line: &Physical<'a>) -> &'a [u8] {
        let keeps_blanks = self.syntax.keep_trailing_spaces && line.comment.is_none();
        if keeps_blanks { line.text } else { bytes::trim_end(line.text, bytes::is_blank) }
    }

    /// The next line and what follows it, if the line is indented deeper.
    fn deeper_than(&self, indent: usize) -> Option<(&'a [u8], Physical<'a>)> {
        let (_, blanks) = grammar::blanks(self.rest).ok()?;
        (blanks.len() > indent).then(|| self.physical())
    }

    /// Continues after a line.
    #[inline]
    fn take(&mut self, rest: &'a [u8]) {
        self.rest = rest;
        self.next_number = self.next_number.saturating_add(1);
    }
}

/// Whether a line may have others that continue it. Few have, even if all lines are indented.
#[inline(always)]
fn may_be_continued(content: &Content<'_>) -> bool {
    match content {
        Content::Empty | Content::Comment => false,
        Content::Field(field) => field.value.is_empty() || !field.name.is_usual(),
        Content::Other(_) => true,
    }
}

/// Whether the line at the front of `rest` may continue the line before it.
#[inline]
fn may_continue(rest: &[u8], syntax: Syntax<'_>) -> bool {
    syntax.fold && syntax.style == Style::Standard && rest.first().is_some_and(|&byte| bytes::is_blank(byte))
}

/// Whether a field is `http://…` or `https://…`, whose scheme looks like a name.
fn is_url_line(field: &Field<'_>) -> bool {
    let scheme_is = |known: &[u8]| field.name.bytes.eq_ignore_ascii_case(known);
    field.name.has_colon && field.value.starts_with(b"//") && (scheme_is(b"http") || scheme_is(b"https"))
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

/// The length of the front of a file whose end is missing that can be read, for any missing bytes: whole lines,
/// without those at the end that another could continue. Cost: reads the lines at the end.
pub(crate) fn whole_lines(bytes: &[u8], syntax: Syntax<'_>) -> usize {
    let after_end = |bytes: &[u8]| memchr::memrchr2(b'\r', b'\n', bytes).map_or(0, |end| end.saturating_add(1));
    let mut length = after_end(bytes);
    let (_, rest) = bytes::split_at(bytes, length);
    // What begins the last line shows whether it may be a continuation. A blank is what one begins with.
    if !rest.is_empty() && !may_continue(rest, syntax) {
        return length;
    }
    while may_continue(b" ", syntax) && length > 0 {
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
    if !may_continue(rest, syntax) {
        return false;
    }
    let above = memchr::memrchr2(b'\r', b'\n', front).map_or(0, |end| end.saturating_add(1));
    let (_, above) = bytes::split_at(front, above);
    // Nothing continues an empty line or a line with a comment.
    let is_final = above.contains(&b'#') || above.iter().copied().all(bytes::is_blank);
    let is_whole = memchr::memchr2(b'\r', b'\n', rest).is_some();
    !is_final && (!is_whole || Lines::new(rest, syntax).next_may_continue())
}
