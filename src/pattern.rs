//! Path patterns and the paths they are matched with: how both are normalised, and when one matches the other.
//!
//! Invariant: a [`PathPattern`] and a [`UrlPath`] are built by normalising only, the same way for both; normalising what is
//! normal changes nothing; a match looks at each octet of the path 36 times at most (no backtracking).

use alloc::borrow::Cow;
use alloc::vec::Vec;
use core::fmt;

use bstr::{BStr, ByteSlice};

use crate::glob::{self, Literals};
use crate::octets::{self, asks};

/// How octets of paths are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub enum PathEncoding {
    /// RFC 9309 2.2.2: what a URL cannot hold is encoded, encoded unreserved octets are decoded, hex is in upper case.
    #[default]
    Standard,
    /// As Google's parser does: octets of 0x80 and above are encoded and hex is put in upper case, in rules only; a URL is
    /// taken as it comes.
    Google,
}

/// How values of Allow and Disallow, and paths of URLs, become what is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub struct PathForm {
    /// How octets are read.
    pub encoding: PathEncoding,
    /// A path that begins with none of `/`, `*` and `$` gets a slash (PROCESSOR `complementLeadingSlash`).
    pub complement_leading_slash: bool,
    /// `%2A` counts as a star against `max_wildcards`, for testers that take it for one (PROCESSOR `escapedWildcard` of
    /// the filter).
    pub escaped_wildcard: bool,
    /// `%2A` of a rule becomes a star (PROCESSOR `escapedWildcard` of the tester); not in Google's encoding.
    pub decode_wildcard: bool,
}

impl Default for PathForm {
    fn default() -> Self {
        Self {
            encoding: PathEncoding::Standard,
            complement_leading_slash: true,
            escaped_wildcard: true,
            decode_wildcard: false,
        }
    }
}

/// A normalised pattern: octets to find as they are, `*` for any run of octets, and `$` at the very end for the end of the
/// path. Empty for an empty rule.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PathPattern<'a>(Cow<'a, [u8]>);

/// What normalising had to mend.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct PathRepairs {
    /// How many stars are left, as [`PathPattern::wildcards`] counts them.
    pub(crate) wildcards: usize,
    pub(crate) slash_added: bool,
    /// Octets below 0x80 were encoded: blanks, controls and others that no URL holds raw.
    pub(crate) encoded: bool,
}

impl<'a> PathPattern<'a> {
    /// Normalises the value of a rule. Cost: each octet is looked at once, and nothing is allocated where the value is
    /// normal already, as nearly all are.
    #[inline]
    pub(crate) fn read(value: Cow<'a, [u8]>, form: PathForm) -> (Self, PathRepairs) {
        let asked = octets::asked_by(&value);
        Self::read_asking(value, asked, form)
    }

    /// The same, where it is known what the octets ask for.
    #[inline]
    pub(crate) fn read_asking(value: Cow<'a, [u8]>, asked: u8, form: PathForm) -> (Self, PathRepairs) {
        if asked == 0 && value.first() == Some(&b'/') {
            return (Self(value), PathRepairs::default());
        }
        Self::normalise(value, asked, form)
    }

    /// `asked` is what the octets of the value ask for.
    fn normalise(value: Cow<'a, [u8]>, asked: u8, form: PathForm) -> (Self, PathRepairs) {
        let is_standard = form.encoding == PathEncoding::Standard;
        let value = match form.encoding {
            PathEncoding::Google if !asks::has(asked, asks::PERCENT) && !asks::has(asked, asks::HIGH) => value,
            PathEncoding::Google => Cow::Owned(google_escapes(&value)),
            PathEncoding::Standard => standardised(value, asked, form.decode_wildcard, Stars::Collapsed),
        };
        let slash_added = form.complement_leading_slash && lacks_slash(&value);
        let pattern = Self(if slash_added { Cow::Owned([b"/", &*value].concat()) } else { value });
        // An escape may have become a star.
        let may_have_stars = if form.decode_wildcard { asked | asks::STAR } else { asked };
        let wildcards = wildcards(&pattern.0, may_have_stars, form);
        let encoded = is_standard && asks::has(asked, asks::RAW);
        (pattern, PathRepairs { wildcards, slash_added, encoded })
    }

    /// The pattern that matches every path.
    pub(crate) const EVERYTHING: Self = Self(Cow::Borrowed(b"/"));

    /// Its text.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Its text, to be shown.
    #[must_use]
    pub fn as_bstr(&self) -> &BStr {
        self.0.as_bstr()
    }

    /// Its length in octets, which is its rank among rules that match.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether it is the pattern of an empty rule, which matches nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many stars it has; escaped ones too if the form counts them.
    #[must_use]
    pub fn wildcards(&self, form: PathForm) -> usize {
        wildcards(&self.0, octets::asked_by(&self.0), form)
    }

    /// Whether a text can hold it so that others read it as it is meant: it begins as a path does, and holds only octets
    /// that a URL can hold raw.
    #[must_use]
    pub fn is_writable(&self) -> bool {
        matches!(self.0.first(), Some(b'/' | b'*')) && self.0.iter().all(|&octet| octets::is_url(octet))
    }

    /// The same, of a pattern that was normalised in this form: the standard's leaves nothing else.
    pub(crate) fn is_writable_in(&self, form: PathForm) -> bool {
        match form.encoding {
            PathEncoding::Standard => matches!(self.0.first(), Some(b'/' | b'*')),
            PathEncoding::Google => self.is_writable(),
        }
    }

    /// A shorter pattern that matches whatever this one does, within the limits: cut before a star, or else anywhere that
    /// is not within an escape.
    pub(crate) fn widened(&self, max_length: usize, max_wildcards: usize, form: PathForm) -> Self {
        let mut cut = 0;
        let mut stars = 0_usize;
        let mut at = 0_usize;
        while let Some(&octet) = self.0.get(at) {
            let rest = self.0.get(at..).unwrap_or_default();
            let escape = octets::escape_at(rest);
            let is_star = octet == b'*' || form.escaped_wildcard && escape == Some(b'*');
            stars = stars.saturating_add(usize::from(is_star));
            let next = at.saturating_add(if escape.is_some() { 3 } else { 1 });
            if stars > max_wildcards || next > max_length {
                break;
            }
            if octet != b'*' {
                cut = next;
            }
            at = next;
        }
        let front = octets::part(&self.0, 0..cut);
        // A cut that ends in `$` would anchor the pattern, and an empty one would match nothing.
        let front = octets::trim_end(front, |octet| octet == b'$');
        if front.is_empty() { Self::EVERYTHING } else { Self(Cow::Owned(front.to_vec())) }
    }

    /// Whether it matches the path. Cost: each octet of the path is looked at 36 times at most, and besides those of the
    /// pattern.
    ///
    /// ```
    /// use robosieve::{PathForm, PathPattern, UrlPath};
    /// let pattern = PathPattern::new(b"/*.php$", PathForm::default());
    /// assert!(pattern.matches(&UrlPath::of(b"https://example.com/a/b.php", PathForm::default())));
    /// assert!(!pattern.matches(&UrlPath::of(b"https://example.com/b.php?x", PathForm::default())));
    /// ```
    #[must_use]
    pub fn matches(&self, path: &UrlPath<'_>) -> bool {
        !self.is_empty() && glob::matches(&Literals::of(&self.0, path.form), &path.octets)
    }

    /// The pattern that a rule of this value has.
    #[must_use]
    pub fn new(value: &'a [u8], form: PathForm) -> Self {
        Self::read(Cow::Borrowed(value), form).0
    }

    pub(crate) fn into_octets(self) -> Cow<'a, [u8]> {
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

/// [`PathPattern::wildcards`] of a normal pattern whose octets ask for this.
#[inline]
fn wildcards(pattern: &[u8], asked: u8, form: PathForm) -> usize {
    let stars = if asks::has(asked, asks::STAR) { octets::stars(pattern) } else { 0 };
    if !asks::has(asked, asks::PERCENT) || !form.escaped_wildcard {
        return stars;
    }
    let escaped = escapes(pattern).filter(|rest| rest.starts_with(b"%2A")).count();
    stars.saturating_add(escaped)
}

/// The rest of `bytes` from each `%` on.
fn escapes(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    memchr::memchr_iter(b'%', bytes).map(|at| bytes.get(at..).unwrap_or_default())
}

/// `[path.slash]`: an empty path stays, and so does one of a star or an anchor.
fn lacks_slash(value: &[u8]) -> bool {
    !matches!(value.first(), None | Some(b'/' | b'*' | b'$'))
}

/// What becomes of stars and dollars.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stars {
    /// Of a pattern: runs of stars are one.
    Collapsed,
    /// Of a path that patterns are matched with.
    Encoded,
    /// Of a URL that is written.
    Kept,
}

/// The path and query of a URL with its octets normalised: what of it is written.
pub(crate) fn normalised_url(path: &[u8]) -> Cow<'_, [u8]> {
    standardised(Cow::Borrowed(path), octets::asked_by(path), false, Stars::Kept)
}

/// Whether that is what the path and query are already.
pub(crate) fn is_normal_url(path: &[u8]) -> bool {
    is_normal(path, octets::asked_by(path), Stars::Kept)
}

/// Normalises a value whose octets ask for this; one that is normal already stays as it is.
#[inline]
fn standardised(value: Cow<'_, [u8]>, asked: u8, decode_wildcard: bool, stars: Stars) -> Cow<'_, [u8]> {
    if is_normal(&value, asked, stars) { value } else { Cow::Owned(standard(&value, decode_wildcard, stars)) }
}

/// Whether normalising would leave the value, whose octets ask for this, as it is.
#[inline]
fn is_normal(value: &[u8], asked: u8, stars: Stars) -> bool {
    let keeps_stars = match stars {
        Stars::Collapsed => !asks::has(asked, asks::STAR) || !has_star_run(value),
        Stars::Encoded => !asks::has(asked, asks::STAR) && !asks::has(asked, asks::DOLLAR),
        Stars::Kept => true,
    };
    let keeps_octets = !asks::has(asked, asks::RAW) && !asks::has(asked, asks::HIGH);
    keeps_octets && keeps_stars && (!asks::has(asked, asks::PERCENT) || escapes(value).all(is_normal_escape))
}

/// Whether the `%` at the front stays as it is. A star's may have to become one.
fn is_normal_escape(rest: &[u8]) -> bool {
    match (rest, octets::escape_at(rest)) {
        ([_, high, low, ..], Some(escaped)) => {
            let is_lower = high.is_ascii_lowercase() || low.is_ascii_lowercase();
            !is_lower && escaped != b'*' && !octets::is_unreserved(escaped)
        }
        _ => true,
    }
}

/// Whether two stars stand side by side. Without an early end, so that many octets are compared at once.
fn has_star_run(value: &[u8]) -> bool {
    let pairs = value.iter().zip(value.get(1..).unwrap_or_default());
    pairs.fold(0, |found, (left, right)| found | u8::from(*left == b'*' && *right == b'*')) != 0
}

/// `[path.encode]`, `[path.decode]`, `[path.stars]`. In a pattern runs of stars collapse; in a path, `*` and `$` are
/// encoded, so that they match only what is written `%2A` and `%24` in a rule.
fn standard(value: &[u8], decode_wildcard: bool, stars: Stars) -> Vec<u8> {
    let mut out = Vec::with_capacity(value.len().saturating_add(16));
    let mut rest = value;
    while let Some((&octet, tail)) = rest.split_first() {
        let Some(escaped) = octets::escape_at(rest) else {
            match octet {
                b'*' | b'$' if stars == Stars::Encoded => octets::push_escape(&mut out, octet),
                b'*' if stars == Stars::Collapsed && out.last() == Some(&b'*') => {}
                _ if octets::is_url(octet) => out.push(octet),
                _ => octets::push_escape(&mut out, octet),
            }
            rest = tail;
            continue;
        };
        rest = rest.get(3..).unwrap_or_default();
        if escaped == b'*' && decode_wildcard {
            if out.last() != Some(&b'*') {
                out.push(b'*');
            }
        } else if octets::is_unreserved(escaped) && !completes_escape(&out, escaped) {
            out.push(escaped);
        } else {
            octets::push_escape(&mut out, escaped);
        }
    }
    out
}

/// Whether the octet, appended to `out`, would make an escape of a `%` that is none: `%%34%31` must not become `%41`.
fn completes_escape(out: &[u8], octet: u8) -> bool {
    if !octets::is_hex(octet) {
        return false;
    }
    match out {
        [.., b'%', high] if octets::is_hex(*high) => true,
        [.., b'%'] => true,
        _ => false,
    }
}

/// What Google's parser does to the value of a rule.
fn google_escapes(value: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(value.len().saturating_add(16));
    let mut rest = value;
    while let Some((&octet, tail)) = rest.split_first() {
        if let Some(escaped) = octets::escape_at(rest) {
            octets::push_escape(&mut out, escaped);
            rest = rest.get(3..).unwrap_or_default();
            continue;
        }
        if octet.is_ascii() {
            out.push(octet);
        } else {
            octets::push_escape(&mut out, octet);
        }
        rest = tail;
    }
    out
}

/// What of a URL rules are matched with: its path and query, normalised.
///
/// ```
/// use robosieve::{PathForm, UrlPath};
/// let path = |url: &'static str| UrlPath::of(url.as_bytes(), PathForm::default()).as_bstr().to_string();
/// assert_eq!(path("https://example.com/a%7eb?c#d"), "/a~b?c");
/// assert_eq!(path("//example.com"), "/");
/// assert_eq!(path("/a b"), "/a%20b");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UrlPath<'a> {
    octets: Cow<'a, [u8]>,
    form: PathForm,
}

impl<'a> UrlPath<'a> {
    /// Takes the path and the query out of a URL, which may be a whole one, begin with `//host`, or be a path already; a
    /// fragment goes.
    #[must_use]
    pub fn of(url: &'a [u8], form: PathForm) -> Self {
        // Most are paths that are normal already: one look is enough.
        let is_path = url.first() == Some(&b'/') && url.get(1) != Some(&b'/');
        if is_path && octets::asked_by(url) == 0 {
            return Self { octets: Cow::Borrowed(url), form };
        }
        let path = path_and_query(url);
        let octets = match form.encoding {
            PathEncoding::Google => path,
            PathEncoding::Standard => {
                let asked = octets::asked_by(&path);
                standardised(path, asked, false, Stars::Encoded)
            }
        };
        Self { octets, form }
    }

    /// It, as rules are matched with it.
    #[must_use]
    pub fn as_bstr(&self) -> &BStr {
        self.octets.as_bstr()
    }

    /// The octets that patterns are matched with.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.octets
    }
}

/// `[url.path]`: the path, its parameters and the query, from the first of `/`, `?` and `;` behind the authority, with a
/// slash before it if it is none. Google's parser, and so the field, takes a URL apart like this.
fn path_and_query(url: &[u8]) -> Cow<'_, [u8]> {
    let whole = match memchr::memchr(b'#', url) {
        Some(fragment) => octets::part(url, 0..fragment),
        None => url,
    };
    let authority = match url {
        [b'/', b'/', ..] => behind_scheme(url, 2),
        _ => behind_scheme(url, 0),
    };
    let found = whole.get(authority..).unwrap_or_default();
    match memchr::memchr3(b'/', b'?', b';', found).and_then(|path| found.get(path..)) {
        Some(path) if path.first() == Some(&b'/') => Cow::Borrowed(path),
        Some(path) => Cow::Owned([b"/", path].concat()),
        None => Cow::Borrowed(b"/"),
    }
}

/// Where the authority begins: behind `://`, unless a path stands before that and says that it is no scheme.
fn behind_scheme(url: &[u8], start: usize) -> usize {
    let rest = url.get(start..).unwrap_or_default();
    let is_scheme_end = |at: &usize| rest.get(*at..).is_some_and(|rest| rest.starts_with(b"://"));
    // The first slash may be the scheme's own.
    let is_scheme = |end: &usize| memchr::memchr3(b'/', b'?', b';', octets::part(rest, 0..*end)).is_none();
    match memchr::memchr_iter(b':', rest).find(is_scheme_end).filter(is_scheme) {
        Some(end) => start.saturating_add(end).saturating_add(3),
        None => start,
    }
}
