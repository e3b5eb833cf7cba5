//! A second matcher, slow and simple, that follows the rules in SPEC.md. The real one is compared with it.
//!
//! Invariant: nothing here calls the library to normalise or to match. Every byte of a pattern is compared with every
//! byte of a path if needed.

use robosieve::records::{Rule, RuleKind, Selection};
use robosieve::settings::{PathForm, Precedence, Style};
use robosieve::{Options, Tester};

use super::{Choices, urls};

/// A rule as it is written: its kind and its value.
pub type Written = (RuleKind, Vec<u8>);

/// `[url.path]`, `[path.encode]`, `[path.decode]`, `[path.literal]`, `[path.stars]`, `[path.match]`: the tester gives
/// the same answers as the naive one, for the rules of a file.
pub fn agrees(input: &[u8], choices: &Choices) {
    let set = choices.parser().parse(input);
    let interest = choices.interest();
    let selection = Selection::of(&set, &interest);
    let spelled = |rule: &Rule<'_>| (rule.kind(), rule.pattern().as_bytes().to_vec());
    let rules: Vec<Written> = selection.rules().map(spelled).collect();
    // Each byte of a pattern and each byte of a path needs a cell, so files with many long rules would take too long.
    let bytes: usize = rules.iter().map(|rule| rule.1.len()).sum();
    if bytes > 4_000 {
        return;
    }
    let tester = Tester::of(&selection);
    compare(&tester, &rules, set.options(), &urls::for_set(&set));
}

/// The tester and the naive one answer these URLs, which are paths, by these rules.
pub fn compare(tester: &Tester<'_>, rules: &[Written], options: &Options, urls: &[Vec<u8>]) {
    let rules = in_order(rules, options);
    for url in urls {
        let (expected, found) = (naive_verdict(&rules, url, options), tester.test(url));
        assert_eq!(found.allowed(), expected, "{:?}: {found:?}", String::from_utf8_lossy(url));
    }
}

/// A prepared rule: its kind, its pattern, and the rank of the pattern.
type Ready = (RuleKind, Vec<u8>, usize);

/// All patterns in order of precedence.
fn in_order(rules: &[Written], options: &Options) -> Vec<Ready> {
    let mut ready = Vec::new();
    for (kind, value) in rules {
        let pattern = normal_pattern(value, options.paths);
        if pattern.is_empty() {
            continue;
        }
        ready.push((*kind, pattern.clone(), pattern.len()));
        if options.index_html && *kind == RuleKind::Allow {
            let slash = pattern.iter().rposition(|&byte| byte == b'/');
            if let Some(slash) = slash.filter(|&at| pattern[at..].starts_with(b"/index.htm")) {
                let directory = [&pattern[..slash], b"/$"].concat();
                ready.push((*kind, directory.clone(), directory.len()));
            }
        }
    }
    if options.precedence == Precedence::LongestMatch {
        ready.sort_by_key(|rule| (std::cmp::Reverse(rule.2), rule.0 == RuleKind::Disallow));
    }
    ready
}

fn naive_verdict(rules: &[Ready], url: &[u8], options: &Options) -> bool {
    let path = normal_path(url, options.paths);
    if options.robots_txt_allowed && path == b"/robots.txt" {
        return true;
    }
    let decides = rules.iter().find(|rule| naive_match(&rule.1, &path, options.paths));
    decides.is_none_or(|rule| rule.0 == RuleKind::Allow)
}

/// Whether a normal pattern matches a normal path. Tracks, byte by byte of the pattern, which places of the path it
/// can have reached.
pub fn naive_match(pattern: &[u8], path: &[u8], form: PathForm) -> bool {
    if pattern.is_empty() {
        return false;
    }
    let anchored = pattern.last() == Some(&b'$');
    let body = if anchored { &pattern[..pattern.len() - 1] } else { pattern };
    let path = symbols(path, form, Symbol::Byte);
    let body = symbols(body, form, |byte| if byte == b'*' { Symbol::AnyRun } else { Symbol::Byte(byte) });
    // reached[at]: the pattern so far matches path[..at].
    let mut reached: Vec<bool> = (0..=path.len()).map(|at| at == 0).collect();
    for symbol in body {
        let Some(first) = reached.iter().position(|&is| is) else { return false };
        if symbol == Symbol::AnyRun {
            reached[first..].fill(true);
        } else {
            for at in (first..path.len()).rev() {
                reached[at + 1] = reached[at] && path[at] == symbol;
            }
            reached[first] = false;
        }
    }
    if anchored { reached[path.len()] } else { reached.contains(&true) }
}

/// The unit of comparison.
#[derive(Clone, Copy, PartialEq)]
enum Symbol {
    Byte(u8),
    /// `[path.literal]`: a literal star or dollar, raw or encoded.
    Literal(u8),
    AnyRun,
}

/// Splits a normal pattern or path into symbols.
fn symbols(bytes: &[u8], form: PathForm, raw: fn(u8) -> Symbol) -> Vec<Symbol> {
    if form.encoding == Style::Google {
        return bytes.iter().map(|&byte| raw(byte)).collect();
    }
    let mut symbols = Vec::new();
    for unit in units(bytes) {
        match unit {
            Unit::Escape(byte @ (b'*' | b'$')) | Unit::Raw(byte @ b'$') => symbols.push(Symbol::Literal(byte)),
            Unit::Raw(byte) => symbols.push(raw(byte)),
            Unit::Escape(byte) => symbols.extend(format!("%{byte:02X}").bytes().map(Symbol::Byte)),
        }
    }
    symbols
}

/// `[path.*]` for the value of a rule.
pub fn normal_pattern(value: &[u8], form: PathForm) -> Vec<u8> {
    let mut pattern = Vec::new();
    for unit in units(value) {
        match (form.encoding, unit) {
            (Style::Standard, Unit::Escape(b'*')) if form.decode_wildcard => pattern.push(b'*'),
            (Style::Standard, unit) => push_standard(&mut pattern, unit, false),
            (Style::Google, Unit::Raw(byte)) if byte.is_ascii() => pattern.push(byte),
            (Style::Google, Unit::Raw(byte) | Unit::Escape(byte)) => push_escape(&mut pattern, byte),
            (encoding, _) => unimplemented!("{encoding:?}"),
        }
    }
    let lacks_slash = !matches!(pattern.first(), None | Some(b'/' | b'*' | b'$'));
    if form.complement_leading_slash && lacks_slash {
        pattern.insert(0, b'/');
    }
    pattern
}

/// `[url.path]`, `[google.url-nul]`, `[path.*]` for a URL that is a path, with or without a fragment.
pub fn normal_path(url: &[u8], form: PathForm) -> Vec<u8> {
    assert!(url.starts_with(b"/") && !url.starts_with(b"//"), "not a path");
    let path = url.split(|&byte| byte == b'#').next().unwrap();
    match form.encoding {
        // `[google.url-nul]`
        Style::Google => path.split(|&byte| byte == 0).next().unwrap().to_vec(),
        Style::Standard => {
            let mut out = Vec::new();
            for unit in units(path) {
                push_standard(&mut out, unit, true);
            }
            out
        }
        encoding => unimplemented!("{encoding:?}"),
    }
}

#[derive(Clone, Copy)]
enum Unit {
    Raw(u8),
    Escape(u8),
}

fn units(mut bytes: &[u8]) -> Vec<Unit> {
    let mut units = Vec::new();
    while let Some((&first, tail)) = bytes.split_first() {
        let hex = tail.get(..2).filter(|hex| hex.iter().all(u8::is_ascii_hexdigit));
        if let Some(hex) = hex.filter(|_| first == b'%') {
            units.push(Unit::Escape(u8::from_str_radix(std::str::from_utf8(hex).unwrap(), 16).unwrap()));
            bytes = &tail[2..];
        } else {
            units.push(Unit::Raw(first));
            bytes = tail;
        }
    }
    units
}

fn push_standard(out: &mut Vec<u8>, unit: Unit, in_path: bool) {
    match unit {
        Unit::Escape(byte) if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) => {
            out.push(byte);
            // A byte that would form an escape with a stray percent sign stays escaped.
            if byte.is_ascii_hexdigit() && ends_in_new_escape(out) {
                out.pop();
                push_escape(out, byte);
            }
        }
        Unit::Raw(byte @ (b'*' | b'$')) if in_path => push_escape(out, byte),
        Unit::Raw(byte) if byte.is_ascii_alphanumeric() || b"-._~:/?[]@!$&'()*+,;=%".contains(&byte) => {
            out.push(byte);
        }
        Unit::Raw(byte) | Unit::Escape(byte) => push_escape(out, byte),
    }
}

/// Whether the last byte is a hexadecimal digit in first or second place after a percent sign.
fn ends_in_new_escape(out: &[u8]) -> bool {
    let after = out.len().saturating_sub(3);
    match &out[after..] {
        [_, b'%', _] | [b'%', _] => true,
        [b'%', high, _] => high.is_ascii_hexdigit(),
        _ => false,
    }
}

fn push_escape(out: &mut Vec<u8>, byte: u8) {
    out.extend_from_slice(format!("%{byte:02X}").as_bytes());
}
