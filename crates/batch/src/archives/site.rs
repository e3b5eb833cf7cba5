//! The site of a URL.
//!
//! Invariant: a site is a scheme, a host and a port, and has one robots.txt, whose URL has nothing besides the site and
//! the path `/robots.txt`.

use std::borrow::Cow;
use std::net::Ipv6Addr;

use robosieve::value::HttpUrl;

/// Whether the URL's path is `/robots.txt`, with or without a query.
pub(super) fn is_robots_txt(url: &str) -> bool {
    let after = url.split_once("://").map_or("", |(_, rest)| rest);
    let path = after.find('/').and_then(|at| after.get(at..)).unwrap_or_default();
    path.split(['?', '#']).next() == Some("/robots.txt")
}

/// Whether this is the URL of a site's robots.txt: it has no query, no fragment and no user.
///
/// ```
/// use robosieve_batch::is_of_site;
/// assert!(is_of_site("https://e.com/robots.txt"));
/// assert!(!is_of_site("https://e.com/robots.txt?a") && !is_of_site("https://e.com/robots.txt#/robots.txt"));
/// ```
#[must_use]
pub fn is_of_site(url: &str) -> bool {
    url.ends_with("/robots.txt")
        && !url.contains('#')
        && spelled(url).and_then(|url| HttpUrl::read(&*url)).is_some_and(|read| read == read.robots_txt())
}

/// The site of a URL: its scheme and host, and its port if that is not the usual one. The rest of the URL may have any
/// length, the host as many bytes as a host can have.
///
/// ```
/// use robosieve_batch::site_of;
/// assert_eq!(site_of("https://E.com:443/a?b").as_deref(), Some("https://e.com"));
/// assert_eq!(site_of("e.com/a"), None);
/// ```
#[must_use]
pub fn site_of(url: &str) -> Option<String> {
    let start = url.find("://")?.saturating_add(3);
    let end = url.get(start..)?.find(['/', '?', '#']).map_or(url.len(), |length| start.saturating_add(length));
    let site = HttpUrl::read(&*spelled(url.get(..end)?)?)?.robots_txt();
    let site = site.as_str();
    let bare = site.strip_suffix("/robots.txt").unwrap_or(site);
    // The colons of an IPv6 address are in brackets.
    let Some((name, port)) = bare.rsplit_once(':').filter(|(_, port)| !port.contains([']', '/'])) else {
        return Some(bare.to_owned());
    };
    let usual = if bare.starts_with("https:") { "443" } else { "80" };
    let port = port.trim_start_matches('0');
    Some(if port.is_empty() || port == usual { name.to_owned() } else { format!("{name}:{port}") })
}

/// The host of a URL, in the spelling that [`site_of`] has, without the port.
///
/// ```
/// use robosieve_batch::host_of;
/// assert_eq!(host_of("https://[0:0:0:0:0:0:0:1]:8080/a").as_deref(), Some("[::1]"));
/// assert_eq!(host_of("https://%65.com/a").as_deref(), Some("e.com"));
/// ```
#[must_use]
pub fn host_of(url: &str) -> Option<String> {
    HttpUrl::read(site_of(url)?).map(|site| site.host().to_owned())
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

    /// [batch.sites]
    #[test]
    fn only_robots_txt_itself_is_that_of_a_site() {
        for url in ["http://e.com/robots.txt", "HTTPS://E.com:8080/robots.txt", "http://e.com:/robots.txt"] {
            assert!(is_of_site(url), "{url}");
        }
        for url in [
            "http://e.com/robots.txt?",
            "http://e.com/robots.txt?lang=de",
            "http://e.com/robots.txt#a",
            "http://x@e.com/robots.txt",
            "http://e.com/a/robots.txt",
            "http://e.com//robots.txt",
            "http://e.com/./robots.txt",
            "http://e.com/%72obots.txt",
            "http://e.com/ROBOTS.TXT",
            "http://e.com?/robots.txt",
            "http://e.com#/robots.txt",
            "http://e.com\\a/robots.txt",
            "http:///robots.txt",
            "ftp://e.com/robots.txt",
            "/robots.txt",
            "",
        ] {
            assert!(!is_of_site(url), "{url}");
        }
    }

    /// A newer file of a site in another spelling would be that of another site. [batch.sites]
    #[test]
    fn a_site_has_one_spelling() {
        for (url, site) in [
            ("https://[0:0:0:0:0:0:0:1]/robots.txt", Some("https://[::1]")),
            ("https://[0000::0001]:443/robots.txt", Some("https://[::1]")),
            ("https://[::FFFF:7f00:1]:81/robots.txt", Some("https://[::ffff:127.0.0.1]:81")),
            ("https://%65.com/robots.txt", Some("https://e.com")),
            ("https://%45%2ECOM:443/robots.txt", Some("https://e.com")),
            ("https://\u{ff25}\u{ff0e}\u{ff43}om/robots.txt", Some("https://e.com")),
            ("https://%EF%BD%85\u{3002}com/robots.txt", Some("https://e.com")),
            ("https://b%C3%BCcher.example/robots.txt", Some("https://xn--bcher-kva.example")),
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
            assert_eq!(site_of(url).as_deref(), site, "{url}");
            assert_eq!(is_of_site(url), site.is_some(), "{url}");
            assert_eq!(host_of(url).is_some(), site.is_some(), "{url}");
        }
        assert!(!is_of_site("https://u@%65.com/robots.txt") && !is_of_site("https://%65.com/robots.txt?a"));
    }

    /// [batch.sites] [batch.bounds]
    #[test]
    fn a_site_is_a_scheme_a_host_and_a_port() {
        let is = |url: &str, site: Option<&str>| assert_eq!(site_of(url).as_deref(), site, "{url}");
        for url in ["http://E.com", "http://e.com:80/a", "http://e.com:/", "http://u@e.com:0080?a", "http://e.com#a/b"]
        {
            is(url, Some("http://e.com"));
        }
        is("https://e.com:80/", Some("https://e.com:80"));
        is("https://e.com:0443/", Some("https://e.com"));
        is("http://[::1]/", Some("http://[::1]"));
        is("http://[::1]:080/", Some("http://[::1]"));
        is("http://e.com/\u{fffd} \n", Some("http://e.com"));
        for url in
            ["", "/a", "dns:e.com", "ftp://e.com/", "http://", "http:///a", "http://\u{fffd}.com/", "http://a b/"]
        {
            is(url, None);
        }
        for length in [2_047, 2_048, 2_049, 60_000] {
            is(&format!("http://e.com/{}", "x".repeat(length - "http://e.com/".len())), Some("http://e.com"));
        }
        for (length, has_site) in [(252, true), (253, true), (254, false)] {
            let host = format!("{}{}", "x.".repeat(120), "y".repeat(length - 240));
            assert_eq!(site_of(&format!("http://{host}/")).is_some(), has_site, "{length}");
        }
    }
}
