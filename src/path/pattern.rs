//! Path patterns: how they are normalised, and matched with the paths of URLs.
//!
//! Invariant: a [`PathPattern`] and a [`UrlPath`] are only built by normalising, in the same way for both. Normalising
//! a normal value changes nothing. A match reads each byte of a long path at most 8 times (no backtracking).

mod url;

use alloc::borrow::Cow;
use alloc::vec::Vec;
use core::fmt;

use bstr::{BStr, ByteSlice};

use crate::path::glob::{self, Literals, PathForm};
use crate::syntax::bytes::{self, Flags};
use crate::syntax::grammar::Style;

pub use self::url::UrlPath;

/// A normalised pattern: literal bytes, `*` for any run of bytes, and `$` at the very end for the end of the path. Runs
/// of `*` stay as they are in the rule, since each `*` counts for the rank. Empty for an empty rule.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PathPattern<'a>(Cow<'a, [u8]>);

/// What normalising had to repair.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct PathRepairs {
    /// The number of wildcards, as [`PathPattern::wildcards`] counts them.
    pub(crate) wildcards: usize,
    /// The special bytes that the pattern may contain.
    pub(crate) flags: Flags,
    pub(crate) slash_added: bool,
    /// Whether bytes below 0x80 were encoded: blanks, controls and others that a URL cannot contain.
    pub(crate) encoded: bool,
}

impl PathRepairs {
    /// Of a normal pattern with these special bytes, where nothing was repaired.
    #[inline(never)]
    fn of_normal(pattern: &[u8], flags: Flags, form: PathForm) -> Self {
        let (runs, has_run) = if flags.has(Flags::STAR) { bytes::star_runs(pattern) } else { (0, false) };
        let counts_escaped = flags.has(Flags::PERCENT) && form.escaped_wildcard;
        let is_escaped = |rest: &&[u8]| rest.starts_with(b"%2A");
        let escaped = if counts_escaped { escapes(pattern).filter(is_escaped).count() } else { 0 };
        // The length of the longest run, if there is one and that is more.
        let longest = || pattern.split(|byte| *byte != b'*').map(<[u8]>::len).max().unwrap_or_default();
        let wildcards = runs.saturating_add(escaped).max(if has_run { longest() } else { 0 });
        let flags = flags | if has_run { Flags::STAR_RUN } else { Flags::NONE };
        Self { wildcards, flags, slash_added: false, encoded: false }
    }
}

impl<'a> PathPattern<'a> {
    /// Normalises the value of a rule. Cost: reads each byte once. Allocates nothing if the value is already normal, as
    /// nearly all are.
    #[inline]
    pub(crate) fn read(value: Cow<'a, [u8]>, form: PathForm) -> (Self, PathRepairs) {
        let flags = bytes::flags_in(&value);
        Self::read_asking(value, flags, form)
    }

    /// Normalises a value whose special bytes are known.
    #[inline]
    pub(crate) fn read_asking(value: Cow<'a, [u8]>, flags: Flags, form: PathForm) -> (Self, PathRepairs) {
        if flags.is_none() && value.first() == Some(&b'/') {
            return (Self(value), PathRepairs::default());
        }
        // Most values with special bytes have wildcards, and nothing to repair.
        if flags.without(Flags::WILDCARDS).is_none() && !needs_slash(&value, form) {
            let repairs = PathRepairs::of_normal(&value, flags, form);
            return (Self(value), repairs);
        }
        Self::normalise(value, flags, form)
    }

    /// Normalises a value that has these special bytes.
    #[inline(never)]
    fn normalise(value: Cow<'a, [u8]>, flags: Flags, form: PathForm) -> (Self, PathRepairs) {
        // An escape may have become a star.
        let may_have_stars = if form.decode_wildcard { flags | Flags::STAR } else { flags };
        let is_of_url = !flags.has(Flags::RAW | Flags::HIGH);
        if is_of_url && !needs_slash(&value, form) && escapes(&value).all(is_of_high) {
            // None of its escapes is one of a star.
            let repairs = PathRepairs::of_normal(&value, may_have_stars, PathForm { escaped_wildcard: false, ..form });
            return (Self(value), repairs);
        }
        let is_standard = form.encoding == Style::Standard;
        let value = match form.encoding {
            Style::Google if !flags.has(Flags::PERCENT) && !flags.has(Flags::HIGH) => value,
            Style::Google => Cow::Owned(google_escapes(&value)),
            Style::Standard if form.decode_wildcard => standardised(value, flags, Role::DecodedPattern),
            Style::Standard => standardised(value, flags, Role::Pattern),
        };
        let slash_added = needs_slash(&value, form);
        let pattern = Self(if slash_added { Cow::Owned([b"/", &*value].concat()) } else { value });
        let encoded = is_standard && flags.has(Flags::RAW);
        let repairs = PathRepairs::of_normal(&pattern.0, may_have_stars, form);
        (pattern, PathRepairs { slash_added, encoded, ..repairs })
    }

    /// The pattern that matches every path.
    pub(crate) const EVERYTHING: Self = Self(Cow::Borrowed(b"/"));

    /// The pattern as bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The normalised bytes, as they are held.
    pub(crate) const fn as_cow(&self) -> &Cow<'a, [u8]> {
        &self.0
    }

    /// The pattern as text, for display.
    #[must_use]
    pub fn as_bstr(&self) -> &BStr {
        self.0.as_bstr()
    }

    /// The length in bytes: the rank among matching rules.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether it is the pattern of an empty rule, which matches nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The number of wildcards, as a limit counts them: the runs of `*`, and escaped ones if the form counts them; or the
    /// length of the longest run, if that is more.
    #[must_use]
    pub fn wildcards(&self, form: PathForm) -> usize {
        PathRepairs::of_normal(&self.0, bytes::flags_in(&self.0), form).wildcards
    }

    /// Whether a text can contain the pattern: it can match a path, and it is printable ASCII without blanks and `#`.
    #[must_use]
    pub fn is_writable(&self) -> bool {
        self.can_match() && self.0.iter().all(|&byte| matches!(byte, b'!'..=b'~') && byte != b'#')
    }

    /// Whether it can match any path. All paths begin with a slash.
    #[doc(hidden)]
    #[must_use]
    #[inline]
    pub fn can_match(&self) -> bool {
        matches!(self.0.first(), Some(b'/' | b'*'))
    }

    /// A shorter pattern within the limits that matches everything that this one does. It is cut before a `*`, or else
    /// anywhere outside an escape.
    pub(crate) fn widened(&self, max_length: usize, max_wildcards: usize, form: PathForm) -> Self {
        let mut cut = 0;
        let mut stars = 0_usize;
        let mut previous = 0;
        let mut at = 0_usize;
        while let Some(&byte) = self.0.get(at) {
            let rest = self.0.get(at..).unwrap_or_default();
            let escape = bytes::escape_at(rest);
            let starts_run = byte == b'*' && previous != b'*';
            let is_star = starts_run || form.escaped_wildcard && escape == Some(b'*');
            stars = stars.saturating_add(usize::from(is_star));
            let run = if starts_run { rest.iter().take_while(|byte| **byte == b'*').count() } else { 0 };
            let next = at.saturating_add(if escape.is_some() { 3 } else { 1 });
            if stars.max(run) > max_wildcards || next > max_length {
                break;
            }
            if byte != b'*' {
                cut = next;
            }
            previous = byte;
            at = next;
        }
        let front = bytes::part(&self.0, 0..cut);
        // A `$` at the end would anchor the pattern, and an empty pattern would match nothing.
        let front = bytes::trim_end(front, |byte| byte == b'$');
        if front.is_empty() { Self::EVERYTHING } else { Self(Cow::Owned(front.to_vec())) }
    }

    /// Whether the pattern matches the path and query of a URL. Cost: reads each byte of a long path at most 8 times, and the bytes of the
    /// pattern.
    ///
    /// ```
    /// use robosieve::records::PathPattern;
    /// use robosieve::settings::PathForm;
    /// let pattern = PathPattern::new(b"/*.php$", PathForm::default());
    /// assert!(pattern.matches("https://example.com/a/b.php", PathForm::default()));
    /// assert!(!pattern.matches("https://example.com/b.php?x", PathForm::default()));
    /// ```
    #[must_use]
    pub fn matches(&self, url: impl AsRef<[u8]>, form: PathForm) -> bool {
        self.matches_path(&UrlPath::of(url.as_ref(), form))
    }

    /// Whether the pattern matches the path of a URL.
    #[doc(hidden)]
    #[must_use]
    pub fn matches_path(&self, path: &UrlPath<'_>) -> bool {
        !self.is_empty() && glob::matches(&Literals::of(&self.0, path.form), &path.compared)
    }

    /// The pattern of a rule with this value.
    #[must_use]
    pub fn new(value: &'a [u8], form: PathForm) -> Self {
        Self::read(Cow::Borrowed(value), form).0
    }

    pub(crate) fn into_bytes(self) -> Cow<'a, [u8]> {
        self.0
    }

    pub(crate) fn into_owned(self) -> PathPattern<'static> {
        PathPattern(Cow::Owned(self.0.into_owned()))
    }
}

impl fmt::Debug for PathPattern<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_bstr(), f)
    }
}

/// The rest of `bytes` from each `%` on.
fn escapes(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = bytes;
    core::iter::from_fn(move || {
        // Where one is, others often follow it at once.
        if rest.first() != Some(&b'%') {
            rest = rest.get(memchr::memchr(b'%', rest)?..)?;
        }
        let found = rest;
        rest = match rest {
            [_, high, low, after @ ..] if *high != b'%' && *low != b'%' => after,
            _ => rest.get(1..)?,
        };
        Some(found)
    })
}

/// `[path.slash]`: whether a value needs a slash at the front in this form. An empty value does not, nor does one that
/// begins with `*` or `$`.
fn needs_slash(value: &[u8], form: PathForm) -> bool {
    form.complement_leading_slash && !matches!(value.first(), None | Some(b'/' | b'*' | b'$'))
}

/// The role of a value: it decides how `*` and `$` are treated.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    /// The pattern of a rule: they stay as they are.
    Pattern,
    /// The pattern of a rule in which an escaped `*` becomes a wildcard.
    DecodedPattern,
    /// A path that is matched with patterns: they are literals, raw or encoded.
    Path,
    /// A URL that is written: they stay as they are.
    Url,
}

/// Normalises the path and query of a URL that is written.
pub(crate) fn normalised_url(path: &[u8]) -> Cow<'_, [u8]> {
    standardised(Cow::Borrowed(path), bytes::flags_in(path), Role::Url)
}

/// Whether the path and query, which have these special bytes, are already normal.
pub(crate) fn is_normal_url(path: &[u8], flags: Flags) -> bool {
    is_normal(path, flags, Role::Url)
}

/// Normalises a value with these special bytes. A normal value stays as it is.
#[inline]
fn standardised(value: Cow<'_, [u8]>, flags: Flags, role: Role) -> Cow<'_, [u8]> {
    if is_normal(&value, flags, role) { value } else { Cow::Owned(standard(&value, role)) }
}

/// Whether normalising would not change a value with these special bytes.
#[inline]
fn is_normal(value: &[u8], flags: Flags, role: Role) -> bool {
    let has = |this| flags.has(this);
    let has_literal = role == Role::Path && (has(Flags::STAR) || has(Flags::DOLLAR));
    let keeps_bytes = !has(Flags::RAW) && !has(Flags::HIGH) && !has_literal;
    keeps_bytes && (!has(Flags::PERCENT) || escapes(value).all(|rest| is_normal_escape(rest, role)))
}

/// Whether the escape at the front stays as it is.
#[inline]
fn is_normal_escape(rest: &[u8], role: Role) -> bool {
    // Most escapes are of bytes outside ASCII.
    if is_of_high(rest) {
        return true;
    }
    match (rest, bytes::escape_at(rest)) {
        ([_, high, low, ..], Some(escaped)) => {
            let is_lower = high.is_ascii_lowercase() || low.is_ascii_lowercase();
            let changes = match role {
                Role::Pattern | Role::Url => false,
                Role::DecodedPattern => escaped == b'*',
                Role::Path => matches!(escaped, b'*' | b'$'),
            };
            !is_lower && !changes && !bytes::is_unreserved(escaped)
        }
        _ => true,
    }
}

/// Whether the escape at the front is of a byte outside ASCII, in upper case.
#[inline]
fn is_of_high(rest: &[u8]) -> bool {
    matches!(rest, [_, b'8' | b'9' | b'A'..=b'F', b'0'..=b'9' | b'A'..=b'F', ..])
}

/// `[path.encode]`, `[path.decode]`, `[path.literal]`.
fn standard(value: &[u8], role: Role) -> Vec<u8> {
    let mut out = Vec::with_capacity(value.len().saturating_add(16));
    let stays = |byte| bytes::is_url_byte(byte) && !(role == Role::Path && matches!(byte, b'*' | b'$'));
    let mut rest = value;
    loop {
        // Bytes that stay are copied together, up to the next `%` or another byte.
        let (plain, after) = bytes::split_while(rest, |byte| byte != b'%' && stays(byte));
        out.extend_from_slice(plain);
        let Some((&byte, tail)) = after.split_first() else { break };
        rest = after;
        let Some(escaped) = bytes::escape_at(rest) else {
            match byte {
                b'*' | b'$' if role == Role::Path => out.push(glob::unit(byte)),
                _ if bytes::is_url_byte(byte) => out.push(byte),
                _ => bytes::push_escape(&mut out, byte),
            }
            rest = tail;
            continue;
        };
        rest = rest.get(3..).unwrap_or_default();
        match (escaped, role) {
            (b'*', Role::DecodedPattern) => out.push(b'*'),
            (b'*' | b'$', Role::Path) => out.push(glob::unit(escaped)),
            _ if bytes::is_unreserved(escaped) && !completes_escape(&out, escaped) => out.push(escaped),
            _ => bytes::push_escape(&mut out, escaped),
        }
    }
    out
}

/// Whether this byte, appended to `out`, would complete an escape that was not in the input: `%%34%31` must not become
/// `%41`.
fn completes_escape(out: &[u8], byte: u8) -> bool {
    if !bytes::is_hex(byte) {
        return false;
    }
    match out {
        [.., b'%', high] if bytes::is_hex(*high) => true,
        [.., b'%'] => true,
        _ => false,
    }
}

/// Normalises the value of a rule as Google's parser does.
fn google_escapes(value: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(value.len().saturating_add(16));
    let mut rest = value;
    while let Some((&byte, tail)) = rest.split_first() {
        if let Some(escaped) = bytes::escape_at(rest) {
            bytes::push_escape(&mut out, escaped);
            rest = rest.get(3..).unwrap_or_default();
            continue;
        }
        if byte.is_ascii() {
            out.push(byte);
        } else {
            bytes::push_escape(&mut out, byte);
        }
        rest = tail;
    }
    out
}
