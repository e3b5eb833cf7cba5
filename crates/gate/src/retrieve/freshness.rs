//! How long a response may be kept (RFC 9111, as a private cache).
//!
//! Invariant: a value that can't be read counts as stale, never as fresh. No value overflows.

use std::time::Duration;

/// RFC 9111 1.2.2: greater values are read as this one.
const MOST_SECONDS: u64 = 1 << 31;

/// Parses a number of seconds: digits only.
pub(crate) fn seconds(value: &str) -> Option<Duration> {
    let digits = !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| Duration::from_secs(value.parse().unwrap_or(MOST_SECONDS).min(MOST_SECONDS)))
}

/// The lifetime from `Cache-Control`. `s-maxage` is for shared caches and is ignored.
pub(crate) fn by_cache_control(control: &[u8]) -> Option<Duration> {
    let mut lifetime = None;
    for directive in split_list(control) {
        let (name, value) = split_directive(directive);
        // `no-cache="field"` concerns that header field only (RFC 9111 5.2.2.4).
        if name.eq_ignore_ascii_case(b"no-store") || name.eq_ignore_ascii_case(b"no-cache") && value.is_none() {
            return Some(Duration::ZERO);
        }
        if name.eq_ignore_ascii_case(b"max-age") {
            let value = value.and_then(|value| std::str::from_utf8(value).ok()).and_then(seconds).unwrap_or_default();
            // The shortest of several values: RFC 9111 4.2.1 leaves the choice.
            lifetime = Some(lifetime.map_or(value, |first: Duration| first.min(value)));
        }
    }
    lifetime
}

/// The entries of a comma-separated list. A comma in a quoted string does not separate.
fn split_list(list: &[u8]) -> impl Iterator<Item = &[u8]> {
    let (mut quoted, mut escaped) = (false, false);
    list.split(move |&byte| {
        let separates = byte == b',' && !quoted;
        if escaped {
            escaped = false;
        } else if byte == b'\\' && quoted {
            escaped = true;
        } else if byte == b'"' {
            quoted = !quoted;
        }
        separates
    })
}

fn split_directive(directive: &[u8]) -> (&[u8], Option<&[u8]>) {
    let mut parts = directive.splitn(2, |&byte| byte == b'=');
    let name = parts.next().unwrap_or_default().trim_ascii();
    let value = parts.next().map(<[u8]>::trim_ascii);
    (name, value.map(|value| value.strip_prefix(b"\"").and_then(|rest| rest.strip_suffix(b"\"")).unwrap_or(value)))
}
