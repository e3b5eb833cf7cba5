//! What content may be used for: the values of Content-Usage and Content-Signal.
//!
//! Invariant: a value of Content-Usage is read as the drafts of the IETF's AI preferences say: a path, and a dictionary
//! of RFC 9651. A value of Content-Signal is read as Cloudflare documents it. What is printed is read as the same value.
//! Neither a spelling nor a repair says yes where the line as written does not.

use alloc::borrow::Cow;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use crate::error::names;
use crate::path::glob::PathForm;
use crate::path::pattern::{PathPattern, UrlPath};

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

    fn of_signal(item: (&[u8], &[u8])) -> Self {
        let (name, value) = spelled(item);
        Self {
            name: bytes::percent_encoded(&name),
            value: bytes::percent_encoded(&value),
            parameters: String::new(),
            is_signal: true,
        }
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
    /// Reads a value of Content-Usage or Content-Signal; None for one of another directive.
    #[must_use]
    pub fn read(directive: Directive, value: impl AsRef<[u8]>) -> Option<Self> {
        match directive {
            Directive::ContentUsage => Self::read_usage(value),
            Directive::ContentSignal => Self::read_signal(value),
            _ => None,
        }
    }

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
        Some(Self { path: bytes::percent_encoded(pattern(path).as_bytes()), uses })
    }

    /// Reads a value of Content-Signal: `[path] use "=" word *("," use "=" word)`.
    #[must_use]
    pub fn read_signal(value: impl AsRef<[u8]>) -> Option<Self> {
        let (path, list) = parts(value.as_ref());
        let mut uses = Vec::new();
        for item in signals(list) {
            uses.push(Use::of_signal(item?));
        }
        if uses.is_empty() { None } else { Some(Self { path: bytes::percent_encoded(path), uses }) }
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
        pattern.matches_path(path).then(|| pattern.len())
    }
}

/// What remains of a line for an agent that it is not written for: what restricts.
pub(crate) fn restricting(directive: Directive, value: &[u8]) -> Option<String> {
    ContentUse::read(directive, value).and_then(ContentUse::restricting).map(|meant| meant.to_string())
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
    push_signals(path, signals(list), out)
}

/// Appends signals after their path, one by one: a list can be as long as a file. None if an item is no signal, or if there
/// is none.
fn push_signals<'v>(
    path: &[u8],
    items: impl Iterator<Item = Option<(&'v [u8], &'v [u8])>>,
    out: &mut Vec<u8>,
) -> Option<()> {
    bytes::push_percent_encoded(out, path);
    let (first, others): (&[u8], &[u8]) = (if path.is_empty() { b"" } else { b" " }, b", ");
    let mut is_empty = true;
    for (before, item) in core::iter::once(first).chain(core::iter::repeat(others)).zip(items) {
        let (name, word) = spelled(item?);
        is_empty = false;
        out.extend_from_slice(before);
        bytes::push_percent_encoded(out, &name);
        out.push(b'=');
        bytes::push_percent_encoded(out, &word);
    }
    (!is_empty).then_some(())
}

/// The list in which each word for no is `no`. If an item is no signal, only what restricts is left. None if there is
/// nothing to repair.
pub(crate) fn repaired_signal(value: &[u8]) -> Option<Vec<u8>> {
    let (path, list) = parts(value);
    let strict: Option<Vec<_>> = signals(list).collect();
    let is_other_word = |(_, word): &(&[u8], &[u8])| is_no(word) && !word.eq_ignore_ascii_case(b"no");
    if strict.as_ref().is_some_and(|items| !items.iter().any(is_other_word)) {
        return None;
    }
    let items = strict.unwrap_or_else(|| loose(list).filter(|item| Use::of_signal(*item).restricts()).collect());
    let mut meant = Vec::new();
    push_signals(path, items.into_iter().map(Some), &mut meant).map(|()| meant)
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
    items.filter(|item| !item.is_empty()).map(one_signal)
}

/// The name and the word of a signal.
fn one_signal(item: &[u8]) -> Option<(&[u8], &[u8])> {
    let (name, word) = bytes::split_once(item, b'=')?;
    let (name, word) = (bytes::trim(name, bytes::is_blank), bytes::trim(word, bytes::is_blank));
    let is_name = !name.is_empty() && name.iter().copied().all(bytes::is_wide_token);
    (is_name && !word.is_empty() && !word.iter().copied().any(is_between)).then_some((name, word))
}

/// Whether a byte is one that people write in the place of a comma.
fn is_between(byte: u8) -> bool {
    bytes::is_blank(byte) || byte == b';'
}

/// The signals in a list that is none, also with other signs in the place of commas. What begins with something else
/// has no plain meaning.
fn loose(list: &[u8]) -> impl Iterator<Item = (&[u8], &[u8])> {
    let items = list.split(|&byte| byte == b',').flat_map(|item| {
        let pieces = item.split(|&byte| is_between(byte)).filter(|piece| !piece.is_empty());
        let mut found = pieces.map(one_signal).peekable();
        let has_meaning = found.peek().is_some_and(Option::is_some);
        found.filter(move |_| has_meaning)
    });
    items.flatten()
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

// The labels for uses of content. This table is the only place that knows a label. The values of a label are in order,
// the strictest first. A label that was removed stays in the table.

/// A use of content that lines can be asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Purpose {
    /// Training of AI models.
    AiTraining,
    /// Input of AI models.
    AiUse,
    /// Search.
    Search,
    /// How much of the content may be kept and shown, for any use.
    Extent,
}

names!(Purpose, "a use of content", {
    AiTraining => "ai-training",
    AiUse => "ai-use",
    Search => "search",
    Extent => "extent",
});

impl Purpose {
    /// For people.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::AiTraining => "training of AI models",
            Self::AiUse => "input of AI models",
            Self::Search => "search",
            Self::Extent => "extent of use",
        }
    }
}

/// A label of Content-Usage or Content-Signal.
///
/// ```
/// use robosieve::records::Directive;
/// use robosieve::values::{Label, Purpose};
/// let label = Label::find(Directive::ContentUsage, "ai-use").unwrap();
/// assert_eq!(label.purpose, Some(Purpose::AiUse));
/// assert!(Label::find(Directive::ContentUsage, "bots").is_none());
/// assert!(Label::retired(Directive::ContentUsage, "bots").unwrap().is_removed);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Label {
    /// `Content-Usage` or `Content-Signal`.
    pub directive: Directive,
    /// The label, byte by byte: case matters.
    pub name: &'static str,
    /// What it means. None for one that had a meaning of its own.
    pub purpose: Option<Purpose>,
    /// Its values, the strictest first.
    pub values: &'static [&'static str],
    /// Whether a later draft removed it.
    pub is_removed: bool,
}

/// The values of Content-Usage, and of most labels of Content-Signal.
const Y_N: &[&str] = &["n", "y"];
const YES_NO: &[&str] = &["no", "yes"];
const EXTENT: &[&str] = &["immediate", "reference", "full"];

const fn usage(name: &'static str, purpose: Purpose) -> Label {
    Label { directive: Directive::ContentUsage, name, purpose: Some(purpose), values: Y_N, is_removed: false }
}

const fn removed(name: &'static str) -> Label {
    Label { directive: Directive::ContentUsage, name, purpose: None, values: Y_N, is_removed: true }
}

const fn signal(name: &'static str, purpose: Purpose, values: &'static [&'static str]) -> Label {
    Label { directive: Directive::ContentSignal, name, purpose: Some(purpose), values, is_removed: false }
}

const LABELS: &[Label] = &[
    // draft-ietf-aipref-vocab-02 (2025-07-21), -08 (2026-09-14) and -01 (2025-06-19).
    usage("train-ai", Purpose::AiTraining),
    usage("ai-use", Purpose::AiUse),
    usage("search", Purpose::Search),
    // Removed by -02, -03 (2025-09-05), -04 (2025-10-28) and -05 (2025-12-01).
    removed("tdm"),
    removed("ai"),
    removed("genai"),
    removed("inference"),
    removed("all"),
    removed("train-genai"),
    removed("bots"),
    removed("ai-output"),
    // contentsignals.org (2025-09-24; `use` 2026-07-01).
    signal("ai-train", Purpose::AiTraining, YES_NO),
    signal("ai-input", Purpose::AiUse, YES_NO),
    signal("search", Purpose::Search, YES_NO),
    signal("use", Purpose::Extent, EXTENT),
];

impl Label {
    /// All labels, also those that were removed.
    pub fn all() -> impl Iterator<Item = &'static Self> {
        LABELS.iter()
    }

    /// The labels of a directive that have a meaning.
    pub fn current(directive: Directive) -> impl Iterator<Item = &'static Self> {
        Self::all().filter(move |label| label.directive == directive && !label.is_removed)
    }

    /// The label with this name, if it has a meaning.
    #[must_use]
    pub fn find(directive: Directive, name: &str) -> Option<&'static Self> {
        Self::current(directive).find(|label| label.name == name)
    }

    /// The label with this name that a draft removed, if none with a meaning has it.
    #[must_use]
    pub fn retired(directive: Directive, name: &str) -> Option<&'static Self> {
        let is_one = |label: &&Self| label.directive == directive && label.name == name;
        Self::all().find(is_one).filter(|label| label.is_removed)
    }

    /// The place of a value among those of the label: 0 is the strictest. None if it has no meaning.
    #[must_use]
    pub fn rank(&self, value: &str) -> Option<usize> {
        self.values.iter().position(|known| *known == value)
    }
}
