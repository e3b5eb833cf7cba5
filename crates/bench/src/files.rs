//! The files, and the URLs that each is asked.
//!
//! Invariant: no file is longer than 512,000 bytes, the most that parsers read, so every parser reads the whole file.
//! URLs are made from a file's own lines, without any parser under test: paths of printable ASCII that begin with a
//! slash, which every tester accepts and none has to normalise.

use std::fmt::Write as _;
use std::path::Path;
use std::{fs, io};

use crate::generated::{self, MOST_BYTES, Rng};

/// The host of the URLs.
pub const HOST: &str = "https://site.example";

/// A file with its URLs.
#[derive(Clone, Debug)]
pub struct Case {
    /// Its bytes.
    pub file: Vec<u8>,
    /// URLs: two that belong to no rule, and for two rules one that should match and one that should just miss it.
    pub urls: Vec<String>,
}

impl Case {
    /// The paths of the first URLs, for parsers that take no URL.
    pub fn paths(&self, count: usize) -> impl Iterator<Item = &str> {
        self.urls.iter().take(count).filter_map(|url| url.get(HOST.len()..))
    }
}

/// The files of a folder in the order of their names, or this many generated ones.
///
/// # Errors
/// If the folder can't be read or has no files.
pub fn cases(folder: Option<&Path>, count: usize) -> io::Result<Vec<Case>> {
    let files = match folder {
        None => generated::files(count),
        Some(folder) => {
            let mut paths: Vec<_> = fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>()?;
            paths.retain(|path| path.is_file());
            paths.sort();
            paths.iter().map(fs::read).collect::<io::Result<Vec<_>>>()?
        }
    };
    if files.is_empty() {
        return Err(io::Error::other("the folder has no files"));
    }
    let mut rng = Rng::default();
    Ok(files.into_iter().map(cut).map(|file| Case { urls: urls(&file, &mut rng), file }).collect())
}

/// Cuts a file at the last line end within the limit.
fn cut(mut file: Vec<u8>) -> Vec<u8> {
    if file.len() > MOST_BYTES {
        file.truncate(MOST_BYTES);
        let end = file.iter().rposition(|byte| matches!(byte, b'\n' | b'\r')).map_or(MOST_BYTES, |end| end + 1);
        file.truncate(end);
    }
    file
}

fn urls(file: &[u8], rng: &mut Rng) -> Vec<String> {
    let values: Vec<&[u8]> = file.split(|byte| matches!(byte, b'\n' | b'\r')).filter_map(rule_value).collect();
    let mut paths = vec!["/".to_owned(), "/news/2024/05/some-article.html?page=2".to_owned()];
    for value in values.iter().step_by((values.len() / 2).max(1)).take(2) {
        let hit = hit(value);
        paths.push(miss(&hit, rng));
        paths.push(hit);
    }
    paths.iter().map(|path| format!("{HOST}{path}")).collect()
}

/// The value of `Allow:` or `Disallow:`, if the line is a rule.
fn rule_value(line: &[u8]) -> Option<&[u8]> {
    let colon = line.iter().position(|byte| *byte == b':')?;
    let (name, value) = line.split_at_checked(colon)?;
    let is_rule = [&b"disallow"[..], b"allow"].iter().any(|known| name.trim_ascii().eq_ignore_ascii_case(known));
    let value = value.get(1..)?.split(|byte| *byte == b'#').next()?.trim_ascii();
    (is_rule && !value.is_empty()).then_some(value)
}

/// A path that the pattern matches: wildcards become text, and an open end gets more text.
fn hit(value: &[u8]) -> String {
    let mut path = String::from(if value.first() == Some(&b'/') { "" } else { "/" });
    for byte in value {
        match byte {
            b'*' => path.push_str("any"),
            b'$' => {}
            b'!'..=b'~' => path.push(char::from(*byte)),
            // Writing to a string does not fail.
            other => drop(write!(path, "%{other:02X}")),
        }
    }
    path.push_str(if value.last() == Some(&b'$') { "" } else { "page-1" });
    path
}

/// The same path with another letter somewhere after the slash.
fn miss(hit: &str, rng: &mut Rng) -> String {
    let place = 1 + rng.below(hit.len().saturating_sub(1));
    let other = if hit.as_bytes().get(place) == Some(&b'q') { "x" } else { "q" };
    let (before, after) = hit.split_at_checked(place).unwrap_or((hit, ""));
    format!("{before}{other}{}", after.get(1..).unwrap_or_default())
}
