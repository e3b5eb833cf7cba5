//! What content may be used for: the values of Content-Usage and Content-Signal.
//!
//! Invariant: a value of Content-Usage is read as the drafts of the IETF's AI preferences say: a path, and a dictionary
//! of RFC 9651. A value of Content-Signal is read as Cloudflare documents it. What is printed is read as the same value.
//! Neither a spelling nor a repair says yes where the line as written does not.

use alloc::borrow::Cow;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use crate::path::form::PathForm;
use crate::path::pattern::{PathPattern, UrlPath};
use crate::policy::labels::Label;
use crate::policy::value::{printable, push_printable};
use crate::syntax::bytes;
use crate::syntax::dictionary::{Member, Members, Strictness};
use crate::syntax::names::Directive;

/// The permitted uses of content: `search=yes, ai-train=no`, for some paths (`/blog train-ai=n`) or for all.
///
/// ```
/// use robosieve::values::ContentUse;
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
    /// Its name.
    pub name: String,
    /// Its value. Empty for a name alone, which says nothing.
    pub value: String,
    /// Its parameters, as `;p=1`. No parameter has a meaning yet.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "String::is_empty"))]
    pub parameters: String,
    /// Whether it is one of Content-Signal.
    #[cfg_attr(feature = "serde", serde(skip))]
    is_signal: bool,
}

impl Use {
    /// Whether the content may be used so. None if the value says neither.
    #[must_use]
    pub fn is_allowed(&self) -> Option<bool> {
        match (self.value.as_str(), self.is_signal) {
            ("y", false) | ("yes", true) => Some(true),
            ("n", false) | ("no", true) => Some(false),
            _ => None,
        }
    }

    /// Its label, if it has a meaning.
    #[must_use]
    pub fn label(&self) -> Option<&'static Label> {
        let directive = if self.is_signal { Directive::ContentSignal } else { Directive::ContentUsage };
        Label::find(directive, &self.name)
    }

    /// The place of its value among those of its label: 0 is the strictest. None if it says nothing.
    #[must_use]
    pub fn rank(&self) -> Option<usize> {
        self.label().and_then(|label| label.rank(&self.value))
    }

    /// Whether it says that content may be used less than everything.
    fn restricts(&self) -> bool {
        let is_less =
            |label: &Label| label.rank(&self.value).is_some_and(|rank| rank.saturating_add(1) < label.values.len());
        self.is_allowed() == Some(false) || self.label().is_some_and(is_less)
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
            is_signal: false,
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
            let (name, word) = spelled(item?);
            let (name, value) = (printable(&name), printable(&word));
            uses.push(Use { name, value, parameters: String::new(), is_signal: true });
        }
        if uses.is_empty() { None } else { Some(Self { path: printable(path), uses }) }
    }

    /// What it says of a use. Of two equal names the last counts (RFC 9651 4.2.2).
    #[must_use]
    pub fn of(&self, name: &str) -> Option<&Use> {
        self.uses.iter().rev().find(|one| one.name == name)
    }

    /// What it says that restricts. None if it restricts nothing.
    pub(crate) fn restricting(mut self) -> Option<Self> {
        self.uses.retain(Use::restricts);
        (!self.uses.is_empty()).then_some(self)
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

/// What remains of a line for an agent that it is not written for: what restricts.
pub(crate) fn restricting(directive: Directive, value: &[u8]) -> Option<String> {
    let read = match directive {
        Directive::ContentUsage => ContentUse::read_usage(value),
        Directive::ContentSignal => ContentUse::read_signal(value),
        _ => None,
    };
    read.and_then(ContentUse::restricting).map(|meant| meant.to_string())
}

/// Appends the canonical spelling of a value of Content-Usage.
pub(crate) fn spell_usage(value: &[u8], out: &mut Vec<u8>) -> Option<()> {
    let list = spell_path(value, out);
    members(list, Strictness::Strict, out).map(|_| ())
}

/// Appends the path of a value of Content-Usage. Returns the list.
fn spell_path<'v>(value: &'v [u8], out: &mut Vec<u8>) -> &'v [u8] {
    let (path, list) = parts(value);
    if !path.is_empty() {
        out.extend_from_slice(pattern(path).as_bytes());
        out.push(b' ');
    }
    list
}

/// The dictionary in which each word for no is `n`. If a value is no dictionary, only these members are left of it, since
/// such a value says nothing, and a repair never says yes. None if there is nothing to repair.
pub(crate) fn repaired_usage(value: &[u8]) -> Option<Vec<u8>> {
    let (mut meant, mut out) = (Vec::new(), Vec::new());
    let list = spell_path(value, &mut meant);
    let strict = members(list, Strictness::Strict, &mut out);
    let is_valid = strict.is_some();
    let members = strict.or_else(|| {
        out.clear();
        members(list, Strictness::Generous, &mut out)
    })?;
    let part = |range: &core::ops::Range<usize>| bytes::part(&out, range.clone());
    let is_other_word = |member: &Member| is_no(part(&member.value)) && part(&member.value) != b"n";
    if is_valid && !members.iter().any(is_other_word) {
        return None;
    }
    let kept = members.iter().filter(|member| is_valid || is_no(part(&member.value)));
    let mut has_member = false;
    for Member { name, value, parameters } in kept {
        if core::mem::replace(&mut has_member, true) {
            meant.extend_from_slice(b", ");
        }
        meant.extend_from_slice(part(name));
        let value = if is_no(part(value)) { b"n" } else { part(value) };
        if !value.is_empty() {
            meant.push(b'=');
            meant.extend_from_slice(value);
        }
        meant.extend_from_slice(part(parameters));
    }
    has_member.then_some(meant)
}

/// Appends the canonical spelling of a value of Content-Signal.
pub(crate) fn spell_signal(value: &[u8], out: &mut Vec<u8>) -> Option<()> {
    let (path, list) = parts(value);
    push_printable(out, path);
    let mut is_first = true;
    for item in signals(list) {
        let (name, word) = spelled(item?);
        match core::mem::take(&mut is_first) {
            true if path.is_empty() => {}
            true => out.push(b' '),
            false => out.extend_from_slice(b", "),
        }
        push_printable(out, &name);
        out.push(b'=');
        push_printable(out, &word);
    }
    (!is_first).then_some(())
}

/// The list in which each word for no is `no`. If an item is no signal, only these items are left. None if there is
/// nothing to repair.
pub(crate) fn repaired_signal(value: &[u8]) -> Option<Vec<u8>> {
    let (path, list) = parts(value);
    let is_valid = signals(list).all(|item| item.is_some());
    let is_other_word = |(_, word): (&[u8], &[u8])| is_no(word) && !word.eq_ignore_ascii_case(b"no");
    if is_valid && !signals(list).flatten().any(is_other_word) {
        return None;
    }
    let mut meant = path.to_vec();
    let mut has_item = false;
    for (name, word) in signals(list).flatten().filter(|item| is_valid || is_no(item.1)).map(spelled) {
        let before: &[u8] = match core::mem::replace(&mut has_item, true) {
            false if path.is_empty() => b"",
            false => b" ",
            true => b", ",
        };
        meant.extend_from_slice(&[before, &name, b"=", &word].concat());
    }
    has_item.then_some(meant)
}

/// The words that people write for no. No word is read as yes.
fn is_no(word: &[u8]) -> bool {
    [&b"n"[..], b"no", b"false", b"0"].iter().any(|known| word.eq_ignore_ascii_case(known))
}

/// The spelling of a signal: in lower case if it is the strictest. Others mean what they say, byte by byte.
fn spelled<'v>((name, word): (&'v [u8], &'v [u8])) -> (Cow<'v, [u8]>, Cow<'v, [u8]>) {
    let lower = |text: &'v [u8]| {
        if text.iter().any(u8::is_ascii_uppercase) {
            Cow::Owned(text.to_ascii_lowercase())
        } else {
            Cow::Borrowed(text)
        }
    };
    if is_no(word) {
        return (lower(name), Cow::Borrowed(b"no"));
    }
    let is_strictest = || {
        let of_name =
            Label::current(Directive::ContentSignal).find(|label| name.eq_ignore_ascii_case(label.name.as_bytes()));
        of_name.and_then(|label| label.values.first()).is_some_and(|first| word.eq_ignore_ascii_case(first.as_bytes()))
    };
    let has_case = [name, word].iter().any(|text| text.iter().any(u8::is_ascii_uppercase));
    if has_case && is_strictest() { (lower(name), lower(word)) } else { (Cow::Borrowed(name), Cow::Borrowed(word)) }
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
