//! Path patterns and URL paths: their normalisation, and matching.
//!
//! Invariant: a [`PathPattern`] and a [`UrlPath`] are only built by normalising, in the same way for both. Normalising
//! a normal value changes nothing. A match reads each byte of a long path at most 8 times (no backtracking).

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use bstr::{BStr, ByteSlice};

use crate::error::ConfigError;
use crate::path::form::{PathEncoding, PathForm};
use crate::path::glob::{self, Literals};
use crate::path::literal;
use crate::syntax::bytes::{self, special};

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
    pub(crate) special: u8,
    pub(crate) slash_added: bool,
    /// Whether bytes below 0x80 were encoded: blanks, controls and others that a URL cannot contain.
    pub(crate) encoded: bool,
}

impl PathRepairs {
    /// Of a value whose special bytes are all wildcards or escapes of bytes outside ASCII in upper case: it is normal in
    /// all forms.
    #[inline(never)]
    fn of_wildcards(value: &[u8], special: u8) -> Self {
        let has_star = special::has(special, special::STAR);
        let (runs, has_run) = if has_star { bytes::star_runs(value) } else { (0, false) };
        let wildcards = with_run(runs, value, has_run);
        let special = special | if has_run { special::STAR_RUN } else { 0 };
        Self { wildcards, special, slash_added: false, encoded: false }
    }
}

impl<'a> PathPattern<'a> {
    /// Normalises the value of a rule. Cost: reads each byte once. Allocates nothing if the value is already normal, as
    /// nearly all are.
    #[inline]
    pub(crate) fn read(value: Cow<'a, [u8]>, form: PathForm) -> (Self, PathRepairs) {
        let special = bytes::special_in(&value);
        Self::read_asking(value, special, form)
    }

    /// The same, if the special bytes of the value are known.
    #[inline]
    pub(crate) fn read_asking(value: Cow<'a, [u8]>, special: u8, form: PathForm) -> (Self, PathRepairs) {
        if special == 0 && value.first() == Some(&b'/') {
            return (Self(value), PathRepairs::default());
        }
        // Most values with special bytes have wildcards, and nothing to repair.
        if special & !special::WILDCARDS == 0 && !needs_slash(&value, form) {
            let repairs = PathRepairs::of_wildcards(&value, special);
            return (Self(value), repairs);
        }
        Self::normalise(value, special, form)
    }

    /// Normalises a value that has these special bytes.
    #[inline(never)]
    fn normalise(value: Cow<'a, [u8]>, special: u8, form: PathForm) -> (Self, PathRepairs) {
        // An escape may have become a star.
        let may_have_stars = if form.decode_wildcard { special | special::STAR } else { special };
        let is_of_url = !special::has(special, special::RAW | special::HIGH);
        if is_of_url && !needs_slash(&value, form) && escapes(&value).all(is_of_high) {
            let repairs = PathRepairs::of_wildcards(&value, may_have_stars);
            return (Self(value), repairs);
        }
        let is_standard = form.encoding == PathEncoding::Standard;
        let value = match form.encoding {
            PathEncoding::Google
                if !special::has(special, special::PERCENT) && !special::has(special, special::HIGH) =>
            {
                value
            }
            PathEncoding::Google => Cow::Owned(google_escapes(&value)),
            PathEncoding::Standard if form.decode_wildcard => standardised(value, special, Role::DecodedPattern),
            PathEncoding::Standard => standardised(value, special, Role::Pattern),
        };
        let slash_added = needs_slash(&value, form);
        let pattern = Self(if slash_added { Cow::Owned([b"/", &*value].concat()) } else { value });
        let (wildcards, has_run) = wildcards(&pattern.0, may_have_stars, form);
        let encoded = is_standard && special::has(special, special::RAW);
        let special = may_have_stars | if has_run { special::STAR_RUN } else { 0 };
        (pattern, PathRepairs { wildcards, special, slash_added, encoded })
    }

    /// The pattern that matches every path.
    pub(crate) const EVERYTHING: Self = Self(Cow::Borrowed(b"/"));

    /// The pattern as bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The same, as it is held.
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
        wildcards(&self.0, bytes::special_in(&self.0), form).0
    }

    /// Whether a text can contain the pattern: it can match a path, and it is printable ASCII without blanks and `#`.
    #[must_use]
    pub fn is_writable(&self) -> bool {
        self.can_match() && self.0.iter().all(|&byte| matches!(byte, b'!'..=b'~') && byte != b'#')
    }

    /// The same, for a pattern that was normalised in this form. The standard form leaves no other bytes.
    pub(crate) fn is_writable_in(&self, form: PathForm) -> bool {
        match form.encoding {
            PathEncoding::Standard => self.can_match(),
            PathEncoding::Google => self.is_writable(),
        }
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

    /// Whether the pattern matches the path. Cost: reads each byte of a long path at most 8 times, and the bytes of the
    /// pattern.
    ///
    /// ```
    /// use robosieve::records::{PathPattern, UrlPath};
    /// use robosieve::settings::PathForm;
    /// let pattern = PathPattern::new(b"/*.php$", PathForm::default());
    /// assert!(pattern.matches(&UrlPath::of(b"https://example.com/a/b.php", PathForm::default())));
    /// assert!(!pattern.matches(&UrlPath::of(b"https://example.com/b.php?x", PathForm::default())));
    /// ```
    #[must_use]
    pub fn matches(&self, path: &UrlPath<'_>) -> bool {
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

/// [`PathPattern::wildcards`] of a normal pattern with these special bytes, and whether it has a run of `*`.
#[inline]
fn wildcards(pattern: &[u8], special: u8, form: PathForm) -> (usize, bool) {
    let (runs, has_long) = if special::has(special, special::STAR) { bytes::star_runs(pattern) } else { (0, false) };
    let counts_escaped = special::has(special, special::PERCENT) && form.escaped_wildcard;
    let is_escaped = |rest: &&[u8]| rest.starts_with(b"%2A");
    let escaped = if counts_escaped { escapes(pattern).filter(is_escaped).count() } else { 0 };
    (with_run(runs.saturating_add(escaped), pattern, has_long), has_long)
}

/// A number of wildcards, or the length of the longest run of `*`, if the pattern has a run and that is more.
fn with_run(wildcards: usize, pattern: &[u8], has_run: bool) -> usize {
    let runs = || pattern.split(|byte| *byte != b'*').map(<[u8]>::len);
    if has_run { runs().max().unwrap_or_default().max(wildcards) } else { wildcards }
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
            [_, high, low, behind @ ..] if *high != b'%' && *low != b'%' => behind,
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
    standardised(Cow::Borrowed(path), bytes::special_in(path), Role::Url)
}

/// Whether the path and query, which have these special bytes, are already normal.
pub(crate) fn is_normal_url(path: &[u8], special: u8) -> bool {
    is_normal(path, special, Role::Url)
}

/// Normalises a value with these special bytes. A normal value stays as it is.
#[inline]
fn standardised(value: Cow<'_, [u8]>, special: u8, role: Role) -> Cow<'_, [u8]> {
    if is_normal(&value, special, role) { value } else { Cow::Owned(standard(&value, role)) }
}

/// Whether normalising would not change a value with these special bytes.
#[inline]
fn is_normal(value: &[u8], special: u8, role: Role) -> bool {
    let has = |this| special::has(special, this);
    let has_literal = role == Role::Path && (has(special::STAR) || has(special::DOLLAR));
    let keeps_bytes = !has(special::RAW) && !has(special::HIGH) && !has_literal;
    keeps_bytes && (!has(special::PERCENT) || escapes(value).all(|rest| is_normal_escape(rest, role)))
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
    let stays = |byte| bytes::is_url(byte) && !(role == Role::Path && matches!(byte, b'*' | b'$'));
    let mut rest = value;
    loop {
        // Bytes that stay are copied together, up to the next `%` or another byte.
        let (plain, behind) = bytes::split_while(rest, |byte| byte != b'%' && stays(byte));
        out.extend_from_slice(plain);
        let Some((&byte, tail)) = behind.split_first() else { break };
        rest = behind;
        let Some(escaped) = bytes::escape_at(rest) else {
            match byte {
                b'*' | b'$' if role == Role::Path => out.push(literal::unit(byte)),
                _ if bytes::is_url(byte) => out.push(byte),
                _ => bytes::push_escape(&mut out, byte),
            }
            rest = tail;
            continue;
        };
        rest = rest.get(3..).unwrap_or_default();
        match (escaped, role) {
            (b'*', Role::DecodedPattern) => out.push(b'*'),
            (b'*' | b'$', Role::Path) => out.push(literal::unit(escaped)),
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

/// The part of a URL that rules are matched with: its path and query, normalised.
///
/// ```
/// use robosieve::records::UrlPath;
/// use robosieve::settings::PathForm;
/// let path = |url: &'static str| UrlPath::of(url.as_bytes(), PathForm::default()).text().to_string();
/// assert_eq!(path("https://example.com/a%7eb?c#d"), "/a~b?c");
/// assert_eq!(path("//example.com"), "/");
/// assert_eq!(path("/a b*"), "/a%20b%2A");
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct UrlPath<'a> {
    /// In the standard encoding, each literal `*` or `$` is one unit: see [`literal`].
    compared: Cow<'a, [u8]>,
    form: PathForm,
    is_of_url: bool,
}

impl<'a> UrlPath<'a> {
    /// Takes the path and the query from a URL. The URL may be absolute, begin with `//host`, or be a path. A fragment
    /// is dropped. Borrows from the URL where it is normal.
    #[must_use]
    pub fn of(url: &'a [u8], form: PathForm) -> Self {
        // Most URLs here are normal paths: one check is enough.
        let is_path = url.first() == Some(&b'/') && url.get(1) != Some(&b'/');
        if is_path && bytes::special_in(url) == 0 {
            return Self { compared: Cow::Borrowed(url), form, is_of_url: true };
        }
        let path = path_and_query(url);
        let compared = match form.encoding {
            PathEncoding::Google => up_to_nul(path),
            PathEncoding::Standard => {
                let special = bytes::special_in(&path);
                standardised(path, special, Role::Path)
            }
        };
        Self { compared, form, is_of_url: form.encoding == PathEncoding::Google || is_url(url) }
    }

    /// Whether it was taken from a URL that a robots.txt file can be about.
    #[must_use]
    pub const fn is_of_url(&self) -> bool {
        self.is_of_url
    }

    /// The path as text. In the standard form, a literal `*` or `$` is encoded, as in a rule.
    #[must_use]
    pub fn text(&self) -> Cow<'_, BStr> {
        let text = match self.form.encoding {
            PathEncoding::Standard => literal::written(&self.compared),
            PathEncoding::Google => Cow::Borrowed(&*self.compared),
        };
        match text {
            Cow::Borrowed(text) => Cow::Borrowed(text.as_bstr()),
            Cow::Owned(text) => Cow::Owned(text.into()),
        }
    }

    /// The bytes that patterns are matched with.
    #[doc(hidden)]
    #[must_use]
    pub fn compared(&self) -> &[u8] {
        &self.compared
    }
}

/// Where a caller's mistake should be an error at once, and no verdict with a reason of its own (`[url.none]`). In the
/// default form.
///
/// ```
/// use robosieve::records::UrlPath;
/// let tester = robosieve::Sieve::new(["MyBot"]).tester(b"User-agent: *\nDisallow: /cart\n").unwrap();
/// assert!(!tester.test_path(&UrlPath::try_from("https://shop.example/cart")?).allowed());
/// assert!(UrlPath::try_from("shop.example/cart").is_err());
/// # Ok::<(), robosieve::settings::ConfigError>(())
/// ```
impl<'a> TryFrom<&'a [u8]> for UrlPath<'a> {
    type Error = ConfigError;

    fn try_from(url: &'a [u8]) -> Result<Self, ConfigError> {
        let path = Self::of(url, PathForm::default());
        if path.is_of_url() { Ok(path) } else { Err(ConfigError::UrlPath(String::from_utf8_lossy(url).into_owned())) }
    }
}

impl<'a> TryFrom<&'a str> for UrlPath<'a> {
    type Error = ConfigError;

    fn try_from(url: &'a str) -> Result<Self, ConfigError> {
        url.as_bytes().try_into()
    }
}

impl fmt::Debug for UrlPath<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UrlPath").field("text", &self.text()).field("form", &self.form).finish()
    }
}

/// `[url.none]`: whether it begins as a path, `//host` or a query, or has a scheme and a host.
fn is_url(url: &[u8]) -> bool {
    if let Some(b'/' | b'?') = url.first() {
        return true;
    }
    let Some((scheme, host)) = scheme_end(url).and_then(|end| url.split_at_checked(end)) else { return false };
    let is_scheme = scheme.first().is_some_and(u8::is_ascii_alphabetic)
        && scheme.iter().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(byte));
    let has_host =
        |first: &u8| !matches!(first, b'/' | b'?' | b'#' | b';' | b':' | b'@') && !first.is_ascii_whitespace();
    is_scheme && host.get(SCHEME_END.len()).is_some_and(has_host)
}

const SCHEME_END: &[u8] = b"://";

/// The place of the first `://`. Searching for the colon needs no preparation.
fn scheme_end(url: &[u8]) -> Option<usize> {
    memchr::memchr_iter(b':', url).find(|at| url.get(*at..).is_some_and(|rest| rest.starts_with(SCHEME_END)))
}

/// `[google.url-nul]`: the path before a NUL.
fn up_to_nul(path: Cow<'_, [u8]>) -> Cow<'_, [u8]> {
    match (memchr::memchr(0, &path), path) {
        (Some(nul), Cow::Borrowed(path)) => Cow::Borrowed(bytes::part(path, 0..nul)),
        (Some(nul), Cow::Owned(path)) => Cow::Owned(bytes::part(&path, 0..nul).to_vec()),
        (None, path) => path,
    }
}

/// `[url.path]`: the path, its parameters and the query: from the first `/`, `?` or `;` after the authority, with a
/// slash added in front if there is none. Google's parser, and so most crawlers, split a URL in this way.
fn path_and_query(url: &[u8]) -> Cow<'_, [u8]> {
    let whole = match memchr::memchr(b'#', url) {
        Some(fragment) => bytes::part(url, 0..fragment),
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

/// Where the authority starts: after `://`, unless a path begins before it.
fn behind_scheme(url: &[u8], start: usize) -> usize {
    let rest = url.get(start..).unwrap_or_default();
    // The first slash may belong to the scheme's `://`.
    let is_scheme = |end: &usize| memchr::memchr3(b'/', b'?', b';', bytes::part(rest, 0..*end)).is_none();
    match scheme_end(rest).filter(is_scheme) {
        Some(end) => start.saturating_add(end).saturating_add(SCHEME_END.len()),
        None => start,
    }
}
