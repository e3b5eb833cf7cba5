//! URLs that are asked about.
//!
//! Invariant: they are made from a file's own lines, without any parser under test, and are paths of printable ASCII that
//! begin with a slash: the form that every tester takes and none has to repair.

use std::fmt::Write as _;

use crate::rng::Rng;

/// Paths for a file: for each of some of its rules one that it should match and one that it should just miss, and two that
/// no rule was asked about.
#[must_use]
pub fn of_file(file: &[u8], rules: usize, rng: &mut Rng) -> Vec<String> {
    let values: Vec<&[u8]> = file.split(|octet| matches!(octet, b'\n' | b'\r')).filter_map(rule_value).collect();
    let step = (values.len() / rules.max(1)).max(1);
    let mut urls = vec!["/".into(), "/news/2024/05/some-article.html?page=2".into()];
    for value in values.iter().step_by(step).take(rules) {
        let hit = hit(value);
        urls.push(miss(&hit, rng));
        urls.push(hit);
    }
    urls
}

/// What stands behind `Allow:` or `Disallow:`, if the line is a rule.
fn rule_value(line: &[u8]) -> Option<&[u8]> {
    let line = line.trim_ascii();
    let colon = line.iter().position(|octet| *octet == b':')?;
    let (name, value) = line.split_at_checked(colon)?;
    let name = name.trim_ascii();
    if !name.eq_ignore_ascii_case(b"disallow") && !name.eq_ignore_ascii_case(b"allow") {
        return None;
    }
    let value = value.get(1..)?;
    let end = value.iter().position(|octet| *octet == b'#').unwrap_or(value.len());
    let value = value.get(..end)?.trim_ascii();
    (!value.is_empty()).then_some(value)
}

/// A path that the pattern matches: stars become text, an open end goes on.
fn hit(value: &[u8]) -> String {
    let mut path = String::from(if value.first() == Some(&b'/') { "" } else { "/" });
    for octet in value {
        match octet {
            b'*' => path.push_str("any"),
            b'$' => {}
            b'!'..=b'~' if *octet != b'#' => path.push(char::from(*octet)),
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

/// The same with another letter somewhere behind the slash.
fn miss(hit: &str, rng: &mut Rng) -> String {
    let mut octets = hit.as_bytes().to_vec();
    let place = 1 + rng.below(octets.len().saturating_sub(1));
    match octets.get_mut(place) {
        Some(octet) if octet.is_ascii_alphabetic() => *octet = if *octet == b'q' { b'x' } else { b'q' },
        _ => octets.insert(place.min(octets.len()), b'q'),
    }
    String::from_utf8(octets).unwrap_or_default()
}
