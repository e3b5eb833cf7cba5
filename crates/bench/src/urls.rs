//! The URLs that are tested.
//!
//! Invariant: they are made from a file's own lines, without any parser under test. They are paths of printable ASCII
//! that begin with a slash: every tester accepts this form and none has to normalise it.

use std::fmt::Write as _;

use crate::rng::Rng;

/// A file, and its URLs: with a host, and the path alone.
pub struct Case<'a> {
    /// Its bytes.
    pub file: &'a [u8],
    /// Its URLs.
    pub urls: Vec<String>,
}

/// The host of the URLs.
pub const HOST: &str = "https://site.example";

impl Case<'_> {
    /// The paths, for parsers that take no URL.
    pub fn paths(&self, count: usize) -> impl Iterator<Item = &str> {
        self.urls.iter().take(count).filter_map(|url| url.get(HOST.len()..))
    }
}

/// Paths for a file: for some of its rules, one path that should match and one that should just miss it. Two more
/// belong to no rule.
#[must_use]
pub fn of_file(file: &[u8], rules: usize, rng: &mut Rng) -> Vec<String> {
    let values: Vec<&[u8]> = file.split(|byte| matches!(byte, b'\n' | b'\r')).filter_map(rule_value).collect();
    let step = (values.len() / rules.max(1)).max(1);
    let mut urls = vec!["/".into(), "/news/2024/05/some-article.html?page=2".into()];
    for value in values.iter().step_by(step).take(rules) {
        let hit = hit(value);
        urls.push(miss(&hit, rng));
        urls.push(hit);
    }
    urls
}

/// The value of `Allow:` or `Disallow:`, if the line is a rule.
fn rule_value(line: &[u8]) -> Option<&[u8]> {
    let line = line.trim_ascii();
    let colon = line.iter().position(|byte| *byte == b':')?;
    let (name, value) = line.split_at_checked(colon)?;
    let name = name.trim_ascii();
    if !name.eq_ignore_ascii_case(b"disallow") && !name.eq_ignore_ascii_case(b"allow") {
        return None;
    }
    let value = value.get(1..)?;
    let end = value.iter().position(|byte| *byte == b'#').unwrap_or(value.len());
    let value = value.get(..end)?.trim_ascii();
    (!value.is_empty()).then_some(value)
}

/// A path that the pattern matches: wildcards become text, and an open end gets more text.
fn hit(value: &[u8]) -> String {
    let mut path = String::from(if value.first() == Some(&b'/') { "" } else { "/" });
    for byte in value {
        match byte {
            b'*' => path.push_str("any"),
            b'$' => {}
            b'!'..=b'~' if *byte != b'#' => path.push(char::from(*byte)),
            other => {
                // Writing to a string does not fail.
                let _ = write!(path, "%{other:02X}");
            }
        }
    }
    if value.last() != Some(&b'$') {
        path.push_str("page-1");
    }
    path
}

/// The same path with another letter somewhere after the slash.
fn miss(hit: &str, rng: &mut Rng) -> String {
    let mut bytes = hit.as_bytes().to_vec();
    let place = 1 + rng.below(bytes.len().saturating_sub(1));
    match bytes.get_mut(place) {
        Some(byte) if byte.is_ascii_alphabetic() => *byte = if *byte == b'q' { b'x' } else { b'q' },
        _ => bytes.insert(place.min(bytes.len()), b'q'),
    }
    String::from_utf8(bytes).unwrap_or_default()
}
