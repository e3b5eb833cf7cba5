//! The path of a URL, as rules are matched with it.
//!
//! Invariant: a [`UrlPath`] is only built by normalising, in the way of the patterns of its form. What is no URL of a site
//! is said to be none.

use alloc::borrow::Cow;
use core::fmt;

use bstr::{BStr, ByteSlice};

use super::{Role, standardised};
use crate::path::glob::{self, PathForm};
use crate::syntax::bytes;
use crate::syntax::grammar::Style;

/// The part of a URL that rules are matched with: its path and query, normalised.
///
/// ```
/// use robosieve::parts::UrlPath;
/// use robosieve::settings::PathForm;
/// let path = |url: &'static str| UrlPath::of(url.as_bytes(), PathForm::default()).text().to_string();
/// assert_eq!(path("https://example.com/a%7eb?c#d"), "/a~b?c");
/// assert_eq!(path("//example.com"), "/");
/// assert_eq!(path("/a b*"), "/a%20b%2A");
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct UrlPath<'a> {
    /// In the standard encoding, each literal `*` or `$` is one unit: see [`literal`].
    pub(super) compared: Cow<'a, [u8]>,
    pub(super) form: PathForm,
    is_of_url: bool,
}

impl<'a> UrlPath<'a> {
    /// Takes the path and the query from a URL. The URL may be absolute, begin with `//host`, or be a path. A fragment
    /// is dropped. Borrows from the URL where it is normal.
    #[must_use]
    pub fn of(url: &'a [u8], form: PathForm) -> Self {
        // Most URLs here are normal paths: one check is enough.
        let is_path = url.first() == Some(&b'/') && url.get(1) != Some(&b'/');
        if is_path && bytes::flags_in(url).is_none() {
            return Self { compared: Cow::Borrowed(url), form, is_of_url: true };
        }
        let path = path_and_query(url);
        let compared = match form.encoding {
            // [google.url-nul]
            Style::Google => {
                let end = memchr::memchr(0, &path).unwrap_or(path.len());
                bytes::front(path, end)
            }
            Style::Standard => {
                let flags = bytes::flags_in(&path);
                standardised(path, flags, Role::Path)
            }
        };
        Self { compared, form, is_of_url: form.encoding == Style::Google || names_a_page(url) }
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
            Style::Standard => glob::written(&self.compared),
            Style::Google => Cow::Borrowed(&*self.compared),
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

impl fmt::Debug for UrlPath<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UrlPath").field("text", &self.text()).field("form", &self.form).finish()
    }
}

/// `[url.none]`: whether it begins as a path, `//host` or a query, or has a scheme and a host.
fn names_a_page(url: &[u8]) -> bool {
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

/// `[url.path]`: the path, its parameters and the query: from the first `/`, `?` or `;` after the authority, with a
/// slash added in front if there is none. Google's parser, and so most crawlers, split a URL in this way.
fn path_and_query(url: &[u8]) -> Cow<'_, [u8]> {
    let whole = match memchr::memchr(b'#', url) {
        Some(fragment) => bytes::part(url, 0..fragment),
        None => url,
    };
    let authority = match url {
        [b'/', b'/', ..] => after_scheme(url, 2),
        _ => after_scheme(url, 0),
    };
    let found = whole.get(authority..).unwrap_or_default();
    match memchr::memchr3(b'/', b'?', b';', found).and_then(|path| found.get(path..)) {
        Some(path) if path.first() == Some(&b'/') => Cow::Borrowed(path),
        Some(path) => Cow::Owned([b"/", path].concat()),
        None => Cow::Borrowed(b"/"),
    }
}

/// Where the authority starts: after `://`, unless a path begins before it.
fn after_scheme(url: &[u8], start: usize) -> usize {
    let rest = url.get(start..).unwrap_or_default();
    // The first slash may belong to the scheme's `://`.
    let is_scheme = |end: &usize| memchr::memchr3(b'/', b'?', b';', bytes::part(rest, 0..*end)).is_none();
    match scheme_end(rest).filter(is_scheme) {
        Some(end) => start.saturating_add(end).saturating_add(SCHEME_END.len()),
        None => start,
    }
}
