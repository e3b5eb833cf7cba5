//! The host and the path of a URL that an archive has.
//!
//! Invariant: a host has one spelling, however it is written.

use std::borrow::Cow;
use std::net::Ipv6Addr;

use robosieve::values::HttpUrl;

/// Whether the URL's path is `/robots.txt`, with or without a query.
pub(super) fn is_robots_txt(url: &str) -> bool {
    let after = url.split_once("://").map_or("", |(_, rest)| rest);
    let path = after.find('/').and_then(|at| after.get(at..)).unwrap_or_default();
    path.split(['?', '#']).next() == Some("/robots.txt")
}

/// The host of a URL in one spelling, without the port. The rest of the URL may have any length, the host as many bytes as
/// a host can have.
///
/// ```
/// use robosieve_batch::host_of;
/// assert_eq!(host_of("https://[0:0:0:0:0:0:0:1]:8080/a").as_deref(), Some("[::1]"));
/// assert_eq!(host_of("https://%65.com/a").as_deref(), Some("e.com"));
/// assert_eq!(host_of("e.com/a"), None);
/// ```
#[must_use]
pub fn host_of(url: &str) -> Option<String> {
    let start = url.find("://")?.saturating_add(3);
    let end = url.get(start..)?.find(['/', '?', '#']).map_or(url.len(), |length| start.saturating_add(length));
    Some(HttpUrl::read(&*spelled(url.get(..end)?)?)?.host().to_owned())
}

/// A URL with its host in one spelling: an IPv6 address in its shortest form, full-width letters as letters, and no
/// escapes. None if an escape is none of a host.
fn spelled(url: &str) -> Option<Cow<'_, str>> {
    let start = url.find("://")?.saturating_add(3);
    let end = url.get(start..)?.find(['/', '?', '#']).map_or(url.len(), |length| start.saturating_add(length));
    let authority = url.get(start..end)?;
    if authority.is_ascii() && !authority.contains(['%', '[']) {
        return Some(Cow::Borrowed(url));
    }
    let host_at = authority.rfind('@').map_or(0, |at| at.saturating_add(1));
    let (user, host) = authority.split_at_checked(host_at)?;
    let host: String = unescaped(host)?.chars().map(narrow).collect();
    // What is left of them is none of a host.
    if host.chars().any(|letter| ('\u{ff01}'..='\u{ff5e}').contains(&letter)) {
        return None;
    }
    let host = match host.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((address, port)) => format!("[{}]{port}", address.parse::<Ipv6Addr>().ok()?),
        None => host,
    };
    Some(Cow::Owned([url.get(..start)?, user, &host, url.get(end..)?].concat()))
}

/// A host without escapes. None if one is cut, or of a byte that would end the host.
fn unescaped(host: &str) -> Option<Cow<'_, str>> {
    let mut pieces = host.split('%');
    let mut bytes = pieces.next()?.as_bytes().to_vec();
    if bytes.len() == host.len() {
        return Some(Cow::Borrowed(host));
    }
    for piece in pieces {
        let digits = piece.get(..2).filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()))?;
        let byte = u8::from_str_radix(digits, 16).ok()?;
        if byte.is_ascii() && !byte.is_ascii_alphanumeric() && !b"-._~".contains(&byte) {
            return None;
        }
        bytes.push(byte);
        bytes.extend_from_slice(piece.get(2..)?.as_bytes());
    }
    String::from_utf8(bytes).ok().map(Cow::Owned)
}

/// A full-width letter, digit, hyphen or dot, and an ideographic full stop, in ASCII (UTS 46).
fn narrow(letter: char) -> char {
    match letter {
        '\u{3002}' | '\u{ff61}' => '.',
        '\u{ff0d}' | '\u{ff0e}' | '\u{ff10}'..='\u{ff19}' | '\u{ff21}'..='\u{ff3a}' | '\u{ff41}'..='\u{ff5a}' => {
            u32::from(letter).checked_sub(0xfee0).and_then(char::from_u32).unwrap_or(letter)
        }
        _ => letter,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In another spelling it would be another host.
    #[test]
    fn a_host_has_one_spelling() {
        for (url, host) in [
            ("https://[0:0:0:0:0:0:0:1]/robots.txt", Some("[::1]")),
            ("https://[0000::0001]:443/robots.txt", Some("[::1]")),
            ("https://[::FFFF:7f00:1]:81/robots.txt", Some("[::ffff:127.0.0.1]")),
            ("https://%65.com/robots.txt", Some("e.com")),
            ("https://%45%2ECOM:443/robots.txt", Some("e.com")),
            ("https://\u{ff25}\u{ff0e}\u{ff43}om/robots.txt", Some("e.com")),
            ("https://%EF%BD%85\u{3002}com/robots.txt", Some("e.com")),
            ("https://b%C3%BCcher.example/robots.txt", Some("xn--bcher-kva.example")),
            ("https://e%2Fcom/robots.txt", None),
            ("https://e%40f.com/robots.txt", None),
            ("https://e%3A80/robots.txt", None),
            ("https://e%.com/robots.txt", None),
            ("https://e%+5.com/robots.txt", None),
            ("https://e%00.com/robots.txt", None),
            ("https://%ff.com/robots.txt", None),
            ("https://[::1/robots.txt", None),
            ("https://[x]/robots.txt", None),
            ("https://e\u{ff0f}com/robots.txt", None),
        ] {
            assert_eq!(host_of(url).as_deref(), host, "{url}");
        }
    }

    /// [batch.bounds]
    #[test]
    fn a_host_stands_between_the_scheme_and_the_rest() {
        let is = |url: &str, host: Option<&str>| assert_eq!(host_of(url).as_deref(), host, "{url}");
        for url in ["http://E.com", "http://e.com:80/a", "http://e.com:/", "http://u@e.com:0080?a", "http://e.com#a/b"]
        {
            is(url, Some("e.com"));
        }
        is("http://[::1]:080/", Some("[::1]"));
        is("http://e.com/\u{fffd} \n", Some("e.com"));
        for url in
            ["", "/a", "dns:e.com", "ftp://e.com/", "http://", "http:///a", "http://\u{fffd}.com/", "http://a b/"]
        {
            is(url, None);
        }
        for length in [2_047, 2_048, 2_049, 60_000] {
            is(&format!("http://e.com/{}", "x".repeat(length - "http://e.com/".len())), Some("e.com"));
        }
        for (length, has_host) in [(252, true), (253, true), (254, false)] {
            let host = format!("{}{}", "x.".repeat(120), "y".repeat(length - 240));
            assert_eq!(host_of(&format!("http://{host}/")).is_some(), has_host, "{length}");
        }
    }
}
