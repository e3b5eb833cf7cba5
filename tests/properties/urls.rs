//! URLs to test: some fixed ones, and some that the rules of a file suggest.
//!
//! Invariant: all of them are paths of bytes that a client can send (RFC 3986, no blanks, no controls, nothing
//! outside ASCII). So every dialect has an answer to them.

use robosieve::records::RecordSet;

const FIXED: &str = "/ /robots.txt /robots.txt?x /a /a/b/c.html?q=1&r=/x /index.html /dir/ /dir/index.html /%2A /$ /* \
    /a%2Fb /%41%7e /%e3%83%84 /% /%4 /zzzz /? /;p";

/// At most this many rules suggest URLs.
const RULES: usize = 48;
/// Longer URLs are cut.
const LONGEST: usize = 2_500;

/// The fixed URLs, and those that some rules of a set suggest. These are spread evenly over all rules.
pub fn for_set(set: &RecordSet<'_>) -> Vec<Vec<u8>> {
    let patterns: Vec<&[u8]> =
        set.records().flat_map(|record| record.rules()).map(|rule| rule.pattern().as_bytes()).collect();
    let mut urls: Vec<Vec<u8>> = FIXED.split(' ').map(|url| url.as_bytes().to_vec()).collect();
    let step = patterns.len().div_ceil(RULES).max(1);
    let mut previous: &[u8] = b"/";
    for pattern in patterns.iter().step_by(step) {
        suggest(pattern, &mut urls);
        urls.extend([met(pattern, previous), met(previous, pattern)]);
        previous = pattern;
    }
    for url in &mut urls {
        make_sendable(url);
    }
    urls.sort_unstable();
    urls.dedup();
    urls
}

fn suggest(pattern: &[u8], urls: &mut Vec<Vec<u8>>) {
    let (plain, _) =
        pattern.split_last().filter(|(last, _)| **last == b'$').map_or((pattern, 0), |(_, front)| (front, 1));
    let nothing = with_stars(plain, b"");
    let byte = with_stars(plain, b"x");
    let path = with_stars(plain, b"a/b");
    let directory = nothing.iter().rposition(|&byte| byte == b'/').map_or(1, |at| at + 1);
    urls.push(nothing[..directory.min(nothing.len())].to_vec());
    urls.push(nothing[..nothing.len() - nothing.len().min(1)].to_vec());
    for suffix in [&b"x"[..], b"/", b"?q", b"$"] {
        urls.push([&nothing, suffix].concat());
        urls.push([&byte, suffix].concat());
    }
    urls.push(escaped_anew(&nothing));
    urls.push(nothing.to_ascii_lowercase());
    urls.extend([nothing, byte, path]);
}

fn with_stars(pattern: &[u8], filling: &[u8]) -> Vec<u8> {
    pattern.split(|&byte| byte == b'*').collect::<Vec<_>>().join(filling)
}

/// A path that both may match: the stars of one are filled with the rest of the other.
fn met(pattern: &[u8], other: &[u8]) -> Vec<u8> {
    let common = pattern.iter().zip(other).take_while(|(left, right)| left == right).count();
    let beyond = with_stars(&other[common..], b"");
    let mut path = with_stars(pattern, &beyond);
    if !pattern.contains(&b'*') {
        path.extend_from_slice(&beyond);
    }
    path.retain(|&byte| byte != b'$');
    path
}

/// Another spelling of the same path: some letters are escaped, with lower-case hex digits.
fn escaped_anew(path: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    for (at, &byte) in path.iter().enumerate() {
        let in_escape = path[at.saturating_sub(2)..at].contains(&b'%');
        if byte.is_ascii_alphabetic() && !in_escape && at % 2 == 0 {
            out.extend_from_slice(format!("%{byte:02x}").as_bytes());
        } else {
            out.push(byte);
        }
    }
    out
}

/// Changes it to a path that a client can send.
fn make_sendable(url: &mut Vec<u8>) {
    url.truncate(LONGEST);
    let sendable = |byte: &u8| byte.is_ascii_alphanumeric() || b"-._~:/?[]@!$&'()*+,;=%".contains(byte);
    url.retain(sendable);
    if url.first() != Some(&b'/') {
        url.insert(0, b'/');
    }
    // Two slashes would begin a host.
    if url.get(1) == Some(&b'/') {
        url.splice(0..0, *b"/x");
    }
}
