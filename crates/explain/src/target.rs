//! Checks URLs that are to be tested. An error says what to write instead.
//!
//! Invariant: the tester accepts any bytes. This check accepts a path, a query, `//host/path` or a full URL of a scheme
//! that RFC 9309 2.3 names. So a mistake gives an error and not a verdict.

use std::net::Ipv6Addr;

use robosieve_printable::escape_short;

/// The schemes of RFC 9309 2.3.
const SCHEMES: [&str; 3] = ["http", "https", "ftp"];

/// Bytes that no host contains: the URL standard's forbidden host code points that can remain after splitting the URL.
const NOT_IN_HOSTS: &[u8] = b" <>[]\\^|";

/// Checks that the bytes are a URL that can be tested.
///
/// ```
/// use robosieve_explain::target::check;
/// assert!(check(b"/a?b").is_ok() && check(b"https://example.com/a").is_ok());
/// let error = check(b"example.com/a").unwrap_err();
/// assert_eq!(error, "write `/example.com/a` for a path, or `https://example.com/a` for a host");
/// ```
///
/// # Errors
/// If they are not: what is wrong, and what to write instead.
pub fn check(url: &[u8]) -> Result<(), String> {
    match url {
        [] => Err("it is empty: write `/` for the front page".into()),
        [b'/', b'/', rest @ ..] => check_authority(rest),
        [b'/' | b'?', ..] => Ok(()),
        [b'#', ..] => Err(format!("a comment or a fragment has no answer: {FORMS}")),
        _ => match scheme_of(url) {
            Some((scheme, rest)) => check_whole(&scheme, rest),
            None => Err(format!("write `/{0}` for a path, or `https://{0}` for a host", escape_short(url))),
        },
    }
}

const FORMS: &str = "write a path as `/a`, or a URL as `https://example.com/a`";

/// The scheme in lower case, and what follows its colon; none for `host:port`.
fn scheme_of(url: &[u8]) -> Option<(String, &[u8])> {
    let end = url.iter().position(|&byte| byte == b':')?;
    let (scheme, rest) = url.split_at_checked(end)?;
    let is_scheme = scheme.first().is_some_and(u8::is_ascii_alphabetic)
        && scheme.iter().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(byte));
    let rest = rest.get(1..).unwrap_or_default();
    let is_port = rest.first().is_some_and(u8::is_ascii_digit);
    (is_scheme && !is_port).then(|| (String::from_utf8_lossy(scheme).to_ascii_lowercase(), rest))
}

fn check_whole(scheme: &str, rest: &[u8]) -> Result<(), String> {
    if !SCHEMES.contains(&scheme) {
        return Err(format!("robots.txt has no rules for `{scheme}:`: {FORMS}"));
    }
    match rest.strip_prefix(b"//") {
        Some(rest) => check_authority(rest),
        None => Err(format!("`//` and a host have to follow `{scheme}:`, as in `{scheme}://example.com/a`")),
    }
}

/// Checks user, host and port, which end where the path, the query or the fragment begins.
fn check_authority(rest: &[u8]) -> Result<(), String> {
    let authority = rest.split(|byte| b"/?;#".contains(byte)).next().unwrap_or_default();
    let host = authority.rsplit(|&byte| byte == b'@').next().unwrap_or_default();
    let port = if let Some(literal) = host.strip_prefix(b"[") {
        let mut parts = literal.splitn(2, |&byte| byte == b']');
        let address = parts.next().and_then(|address| str::from_utf8(address).ok());
        let is_address = address.is_some_and(|address| address.parse::<Ipv6Addr>().is_ok());
        match parts.next() {
            Some([]) if is_address => &[],
            Some([b':', port @ ..]) if is_address => port,
            _ => return Err("write an IPv6 address in brackets, for example `http://[::1]/a`".into()),
        }
    } else {
        let mut parts = host.splitn(2, |&byte| byte == b':');
        let name = parts.next().unwrap_or_default();
        if name.is_empty() {
            return Err(format!("a host has to follow `//`: {FORMS}"));
        }
        if name.iter().any(|byte| byte.is_ascii_control() || NOT_IN_HOSTS.contains(byte)) {
            return Err(format!("`{}` is not a host: {FORMS}", escape_short(name)));
        }
        parts.next().unwrap_or_default()
    };
    let is_number = |port: &str| port.bytes().all(|byte| byte.is_ascii_digit()) && port.parse::<u16>().is_ok();
    let is_port = port.is_empty() || str::from_utf8(port).is_ok_and(is_number);
    if is_port { Ok(()) } else { Err(format!("`{}` is not a port: write a number up to 65535", escape_short(port))) }
}

#[cfg(test)]
mod tests {
    use super::check;

    /// [cmd.url]
    #[test]
    fn urls_paths_and_queries_pass() {
        let urls = "/|/a b|/a#b|?q|/http://x|//e.com|//e.com/a|//[::1]:80/a|http://e.com|HTTPS://E.com/a?b#c\
            |http://u:p@e.com:8080/a|http://[2001:db8::1]/|https://\u{fc}.de/|ftp://e.com/a|http://e.com?q\
            |http://127.0.0.1:0/|http://e.com:/|http://e.com;x|//e.com:65535";
        for url in urls.split('|') {
            assert_eq!(check(url.as_bytes()), Ok(()), "{url}");
        }
        assert!(check(b"/\xFF").is_ok() && check(b"\xFF").is_err());
    }

    /// [cmd.url]
    #[test]
    fn for_anything_else_the_message_says_what_to_write() {
        for (url, words) in [
            ("", "`/` for the front page"),
            ("# c", "comment"),
            ("#top", "fragment"),
            ("tmp/x", "`/tmp/x` for a path, or `https://tmp/x` for a host"),
            ("e.com", "https://e.com"),
            ("localhost:8000/x", "https://localhost:8000/x"),
            (" /x", "/ /x"),
            ("*", "`/*`"),
            ("mailto:a@b", "`mailto:`"),
            ("javascript:alert(1)", "`javascript:`"),
            ("file:///etc/passwd", "`file:`"),
            ("http:/x", "http://example.com/a"),
            ("http:", "http://example.com/a"),
            ("http:\\\\e.com", "http://example.com/a"),
            ("http://", "host"),
            ("https:///x", "host"),
            ("//", "host"),
            ("///x", "host"),
            ("http://u@/x", "host"),
            ("http://:80/x", "host"),
            ("http://a b/", "`a b` is not a host"),
            ("http://a\nb/", "is not a host"),
            ("http://[::1/", "brackets"),
            ("http://[::1]x/", "brackets"),
            ("http://[e.com]/", "brackets"),
            ("http://a]/", "not a host"),
            ("http://e.com:80a/", "`80a` is not a port"),
            ("http://e.com:65536/", "not a port"),
            ("http://e.com:+80/", "not a port"),
            ("http://[::1]:x/", "not a port"),
        ] {
            let message = check(url.as_bytes()).err().unwrap_or_default();
            assert!(message.contains(words), "{url:?}: {message:?}");
        }
    }
}
