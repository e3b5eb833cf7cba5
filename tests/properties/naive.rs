//! A second matcher, as slow and plain as the rules in SPEC.md read, to hold the real one against.
//!
//! Invariant: nothing here calls the library to normalise or to match; every octet of pattern and path is compared with
//! every other if need be.

use robosieve::{PathEncoding, PathForm, PathPattern, Precedence, Reading, Rule, RuleKind, Selection, Tester, UrlPath};

use super::{Choices, urls};

/// A rule as it is written: its kind and its value.
pub type Written = (RuleKind, Vec<u8>);

/// `[url.path]`, `[path.encode]`, `[path.decode]`, `[path.stars]`, `[path.match]`: the tester answers as the naive one does,
/// for the rules of a file.
pub fn agrees(input: &[u8], choices: &Choices) {
    let set = choices.parser().parse(input);
    let interest = choices.interest();
    let selection = Selection::of(&set, &interest);
    let spelled = |rule: &Rule<'_>| (rule.kind(), rule.pattern().as_bytes().to_vec());
    let rules: Vec<Written> = selection.rules().map(spelled).collect();
    // A cell for each octet of a pattern and each of a path: files of many long rules would take too long.
    let octets: usize = rules.iter().map(|rule| rule.1.len()).sum();
    if octets > 4_000 {
        return;
    }
    let tester = Tester::of(&selection, set.reading());
    compare(&tester, &rules, set.reading(), &urls::for_set(&set));
}

/// The same for rules as they are written, which come to the tester by way of a file; and for each pattern by itself.
pub fn agrees_on(written: &[Written], choices: &Choices, more_urls: &[Vec<u8>]) {
    let mut file = b"User-agent: *\n".to_vec();
    for (kind, value) in written {
        file.extend_from_slice(&[kind.as_str().as_bytes(), b":", value, b"\n"].concat());
    }
    let choices = choices.unlimited();
    let set = choices.parser().parse(&file);
    let read: usize =
        set.records().map(|record| record.rules().iter().filter(|rule| !rule.pattern().is_empty()).count()).sum();
    let said = written.iter().filter(|(_, value)| !value.is_empty()).count();
    assert_eq!(read, said, "rules were lost");
    let mut urls = urls::for_set(&set);
    urls.extend_from_slice(more_urls);
    let tester = Tester::new(&set, &Choices::reader());
    compare(&tester, written, set.reading(), &urls);
    let form = set.reading().paths;
    let paths: Vec<_> = urls.iter().map(|url| (normal_path(url, form), UrlPath::of(url, form))).collect();
    for (_, value) in written {
        let (naive, pattern) = (normal_pattern(value, form), PathPattern::new(value, form));
        for (path, url_path) in &paths {
            let expected = naive_match(&naive, path, form);
            assert_eq!(pattern.matches(url_path), expected, "{pattern:?} on {:?}", String::from_utf8_lossy(path));
        }
    }
}

fn compare(tester: &Tester<'_>, rules: &[Written], reading: &Reading, urls: &[Vec<u8>]) {
    let rules = in_order(rules, reading);
    for url in urls {
        let (expected, found) = (naive_verdict(&rules, url, reading), tester.test(url));
        assert_eq!(found.allowed(), expected, "{:?}: {found:?}", String::from_utf8_lossy(url));
    }
}

/// A rule made ready: its kind, its pattern, and the rank of that.
type Ready = (RuleKind, Vec<u8>, usize);

/// All patterns in the order in which they decide.
fn in_order(rules: &[Written], reading: &Reading) -> Vec<Ready> {
    let mut ready = Vec::new();
    for (kind, value) in rules {
        let pattern = normal_pattern(value, reading.paths);
        if pattern.is_empty() {
            continue;
        }
        ready.push((*kind, pattern.clone(), pattern.len()));
        if reading.index_html && *kind == RuleKind::Allow {
            let slash = pattern.iter().rposition(|&octet| octet == b'/');
            if let Some(slash) = slash.filter(|&at| pattern[at..].starts_with(b"/index.htm")) {
                let directory = [&pattern[..slash], b"/$"].concat();
                ready.push((*kind, directory.clone(), directory.len()));
            }
        }
    }
    if reading.precedence == Precedence::LongestMatch {
        ready.sort_by_key(|rule| (std::cmp::Reverse(rule.2), rule.0 == RuleKind::Disallow));
    }
    ready
}

fn naive_verdict(rules: &[Ready], url: &[u8], reading: &Reading) -> bool {
    let path = normal_path(url, reading.paths);
    if reading.robots_txt_allowed && path == b"/robots.txt" {
        return true;
    }
    let decides = rules.iter().find(|rule| naive_match(&rule.1, &path, reading.paths));
    decides.is_none_or(|rule| rule.0 == RuleKind::Allow)
}

/// Whether a normal pattern matches a normal path: octet by octet of the pattern, the places of the path it can have reached.
fn naive_match(pattern: &[u8], path: &[u8], form: PathForm) -> bool {
    if pattern.is_empty() {
        return false;
    }
    let anchored = pattern.last() == Some(&b'$');
    let body = if anchored { &pattern[..pattern.len() - 1] } else { pattern };
    let body = match form.encoding {
        PathEncoding::Standard => replaced(body, b'$', b"%24"),
        PathEncoding::Google => body.to_vec(),
    };
    // reached[at]: the pattern so far matches path[..at].
    let mut reached: Vec<bool> = (0..=path.len()).map(|at| at == 0).collect();
    for octet in body {
        let Some(first) = reached.iter().position(|&is| is) else { return false };
        if octet == b'*' {
            reached[first..].fill(true);
        } else {
            for at in (first..path.len()).rev() {
                reached[at + 1] = reached[at] && path[at] == octet;
            }
            reached[first] = false;
        }
    }
    if anchored { reached[path.len()] } else { reached.contains(&true) }
}

fn replaced(octets: &[u8], from: u8, to: &[u8]) -> Vec<u8> {
    octets.iter().flat_map(|&octet| if octet == from { to.to_vec() } else { vec![octet] }).collect()
}

/// `[path.*]` for the value of a rule.
fn normal_pattern(value: &[u8], form: PathForm) -> Vec<u8> {
    let mut pattern = Vec::new();
    for unit in units(value) {
        match (form.encoding, unit) {
            (PathEncoding::Standard, Unit::Escape(b'*')) if form.decode_wildcard => push_star(&mut pattern),
            (PathEncoding::Standard, Unit::Raw(b'*')) => push_star(&mut pattern),
            (PathEncoding::Standard, unit) => push_standard(&mut pattern, unit, false),
            (PathEncoding::Google, Unit::Raw(octet)) if octet.is_ascii() => pattern.push(octet),
            (PathEncoding::Google, Unit::Raw(octet) | Unit::Escape(octet)) => push_escape(&mut pattern, octet),
        }
    }
    let lacks_slash = !matches!(pattern.first(), None | Some(b'/' | b'*' | b'$'));
    if form.complement_leading_slash && lacks_slash {
        pattern.insert(0, b'/');
    }
    pattern
}

/// `[url.path]`, `[path.*]` for a URL, which is a path here, with a fragment or without.
fn normal_path(url: &[u8], form: PathForm) -> Vec<u8> {
    assert!(url.starts_with(b"/") && !url.starts_with(b"//"), "not a path");
    let path = url.split(|&octet| octet == b'#').next().unwrap();
    match form.encoding {
        PathEncoding::Google => path.to_vec(),
        PathEncoding::Standard => {
            let mut out = Vec::new();
            for unit in units(path) {
                push_standard(&mut out, unit, true);
            }
            out
        }
    }
}

#[derive(Clone, Copy)]
enum Unit {
    Raw(u8),
    Escape(u8),
}

fn units(mut octets: &[u8]) -> Vec<Unit> {
    let mut units = Vec::new();
    while let Some((&first, tail)) = octets.split_first() {
        let hex = tail.get(..2).filter(|hex| hex.iter().all(u8::is_ascii_hexdigit));
        if let Some(hex) = hex.filter(|_| first == b'%') {
            units.push(Unit::Escape(u8::from_str_radix(std::str::from_utf8(hex).unwrap(), 16).unwrap()));
            octets = &tail[2..];
        } else {
            units.push(Unit::Raw(first));
            octets = tail;
        }
    }
    units
}

fn push_star(out: &mut Vec<u8>) {
    if out.last() != Some(&b'*') {
        out.push(b'*');
    }
}

fn push_standard(out: &mut Vec<u8>, unit: Unit, in_path: bool) {
    match unit {
        Unit::Escape(octet) if octet.is_ascii_alphanumeric() || b"-._~".contains(&octet) => {
            out.push(octet);
            // An octet that would make an escape of a stray percent sign stays escaped.
            if octet.is_ascii_hexdigit() && ends_in_new_escape(out) {
                out.pop();
                push_escape(out, octet);
            }
        }
        Unit::Raw(octet @ (b'*' | b'$')) if in_path => push_escape(out, octet),
        Unit::Raw(octet) if octet.is_ascii_alphanumeric() || b"-._~:/?[]@!$&'()*+,;=%".contains(&octet) => {
            out.push(octet);
        }
        Unit::Raw(octet) | Unit::Escape(octet) => push_escape(out, octet),
    }
}

/// Whether the last octet, a hexadecimal digit, is the first or the second behind a percent sign.
fn ends_in_new_escape(out: &[u8]) -> bool {
    let behind = out.len().saturating_sub(3);
    match &out[behind..] {
        [_, b'%', _] | [b'%', _] => true,
        [b'%', high, _] => high.is_ascii_hexdigit(),
        _ => false,
    }
}

fn push_escape(out: &mut Vec<u8>, octet: u8) {
    out.extend_from_slice(format!("%{octet:02X}").as_bytes());
}
