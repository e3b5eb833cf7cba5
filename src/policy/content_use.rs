//! What content may be used for: the values of Content-Usage and Content-Signal.
//!
//! Invariant: a value of Content-Usage is read as the drafts of the IETF's AI preferences say: a path, and a dictionary
//! of RFC 9651. A value of Content-Signal is read as Cloudflare documents it. What is printed is read as the same value.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use crate::path::form::PathForm;
use crate::path::pattern::{PathPattern, UrlPath};
use crate::policy::value::{printable, push_printable};
use crate::syntax::bytes;
use crate::syntax::dictionary::{Member, Members, Strictness};

/// The permitted uses of content: `search=yes, ai-train=no`, for some paths (`/blog train-ai=n`) or for all.
///
/// ```
/// use robosieve::value::ContentUse;
/// let usage = ContentUse::read_usage("/b train-ai=n;p=1, search").unwrap();
/// assert_eq!((usage.path.as_str(), usage.of("train-ai").unwrap().is_allowed()), ("/b", Some(false)));
/// assert_eq!(usage.of("search").unwrap().is_allowed(), None);
/// assert_eq!(usage.to_string(), "/b train-ai=n;p=1, search");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct ContentUse {
    /// The pattern of the paths that it holds for; empty for all paths.
    pub path: String,
    /// The uses, in the order of the line.
    pub uses: Vec<Use>,
}

/// A use of content, and what the line says of it: `train-ai=n`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Use {
    /// Its name, in lower case.
    pub name: String,
    /// Its value. Empty for a name alone, which says nothing.
    pub value: String,
    /// Its parameters, as `;p=1`. No parameter has a meaning yet.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "String::is_empty"))]
    pub parameters: String,
}

impl Use {
    /// Whether the content may be used so. None if the value says neither.
    #[must_use]
    pub fn is_allowed(&self) -> Option<bool> {
        match self.value.as_str() {
            "y" | "yes" => Some(true),
            "n" | "no" => Some(false),
            _ => None,
        }
    }
}

impl fmt::Display for Use {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.value.is_empty() { "" } else { "=" };
        write!(f, "{}{sign}{}{}", self.name, self.value, self.parameters)
    }
}

impl ContentUse {
    /// Reads a value of Content-Usage: `[path] dictionary`.
    #[must_use]
    pub fn read_usage(value: impl AsRef<[u8]>) -> Option<Self> {
        let (path, list) = parts(value.as_ref());
        let mut out = Vec::new();
        let members = members(list, Strictness::Strict, &mut out)?;
        let text = |range| String::from_utf8(bytes::part(&out, range).to_vec()).unwrap_or_default();
        let of = |Member { name, value, parameters }| Use {
            name: text(name),
            value: text(value),
            parameters: text(parameters),
        };
        let uses = members.into_iter().map(of).collect();
        Some(Self { path: printable(pattern(path).as_bytes()), uses })
    }

    /// Reads a value of Content-Signal: `[path] use "=" word *("," use "=" word)`.
    #[must_use]
    pub fn read_signal(value: impl AsRef<[u8]>) -> Option<Self> {
        let (path, list) = parts(value.as_ref());
        let mut uses = Vec::new();
        for item in signals(list) {
            let (name, word) = item?;
            let lower = |text| printable(text).to_ascii_lowercase();
            uses.push(Use { name: lower(name), value: lower(word), parameters: String::new() });
        }
        if uses.is_empty() { None } else { Some(Self { path: printable(path), uses }) }
    }

    /// What it says of a use. Of two equal names the last counts (RFC 9651 4.2.2).
    #[must_use]
    pub fn of(&self, name: &str) -> Option<&Use> {
        self.uses.iter().rev().find(|one| one.name == name)
    }

    /// The length of its path if the path matches a URL: of several values, those with the longest path hold.
    pub(crate) fn rank(&self, path: &UrlPath<'_>) -> Option<usize> {
        if self.path.is_empty() {
            return Some(0);
        }
        let pattern = pattern(self.path.as_bytes());
        pattern.matches(path).then(|| pattern.len())
    }
}

/// Appends the canonical spelling of a value of Content-Usage.
pub(crate) fn spell_usage(value: &[u8], strictness: Strictness, out: &mut Vec<u8>) -> Option<()> {
    let (path, list) = parts(value);
    if !path.is_empty() {
        out.extend_from_slice(pattern(path).as_bytes());
        out.push(b' ');
    }
    members(list, strictness, out).map(|_| ())
}

/// Appends the canonical spelling of a value of Content-Signal.
pub(crate) fn spell_signal(value: &[u8], out: &mut Vec<u8>) -> Option<()> {
    let (path, list) = parts(value);
    push_printable(out, path);
    let mut is_first = true;
    for item in signals(list) {
        let (name, word) = item?;
        match core::mem::take(&mut is_first) {
            true if path.is_empty() => {}
            true => out.push(b' '),
            false => out.extend_from_slice(b", "),
        }
        let start = out.len();
        push_printable(out, name);
        out.push(b'=');
        push_printable(out, word);
        out.iter_mut().skip(start).for_each(u8::make_ascii_lowercase);
    }
    (!is_first).then_some(())
}

/// The path, and the list.
fn parts(value: &[u8]) -> (&[u8], &[u8]) {
    match value.first() {
        Some(b'/') => bytes::split_while(value, |byte| !bytes::is_blank(byte)),
        _ => (&[], value),
    }
}

/// The path of a line, as that of a rule.
fn pattern(path: &[u8]) -> PathPattern<'_> {
    PathPattern::new(path, PathForm::default())
}

/// The members of a dictionary that has at least one. Appends its canonical spelling.
fn members(list: &[u8], strictness: Strictness, out: &mut Vec<u8>) -> Option<Vec<Member>> {
    let mut found = Vec::new();
    let mut members = Members::new(list, strictness, out);
    while let Some(member) = members.next_member().ok()? {
        found.push(member);
    }
    (!found.is_empty()).then_some(found)
}

/// The name and the word of each signal in a list; None for what is no signal.
fn signals(list: &[u8]) -> impl Iterator<Item = Option<(&[u8], &[u8])>> {
    let items = list.split(|&byte| byte == b',').map(|item| bytes::trim(item, bytes::is_blank));
    items.filter(|item| !item.is_empty()).map(|item| {
        let (name, word) = bytes::split_once(item, b'=')?;
        let (name, word) = (bytes::trim(name, bytes::is_blank), bytes::trim(word, bytes::is_blank));
        let is_valid = !name.is_empty() && !word.is_empty() && name.iter().copied().all(bytes::is_wide_token);
        is_valid.then_some((name, word))
    })
}

impl fmt::Display for ContentUse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.path)?;
        for (at, one) in self.uses.iter().enumerate() {
            let between = match at {
                0 if self.path.is_empty() => "",
                0 => " ",
                _ => ", ",
            };
            write!(f, "{between}{one}")?;
        }
        Ok(())
    }
}
