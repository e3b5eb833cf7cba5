//! The host of a URL that an archive has, and its registered domain.
//!
//! Invariant: a host has one spelling, however it is written.

use url::Url;

/// The most bytes of a host: RFC 1035 2.3.4, without the lengths of labels.
const MAX_HOST: usize = 253;

/// The host of a URL in one spelling, without the port. The rest of the URL may have any length, the host as many bytes as
/// a host can have. What some readers take for another host has none.
pub(crate) fn host_of(url: &str) -> Option<String> {
    let (scheme, rest) = url.split_once("://")?;
    let authority = rest.split(['/', '?', '#']).next().filter(|part| !part.contains(['\\', '\t', '\n', '\r']))?;
    let is_known = ["http", "https"].iter().any(|known| known.eq_ignore_ascii_case(scheme));
    let url = Url::parse(&format!("{scheme}://{authority}")).ok().filter(|_| is_known)?;
    url.host_str().filter(|host| host.len() <= MAX_HOST).map(str::to_owned)
}

/// The registered domain of a host. None of an address.
pub(crate) fn domain(host: &str) -> Option<String> {
    let is_address = host.starts_with('[') || host.parse::<std::net::Ipv4Addr>().is_ok();
    if is_address { None } else { psl::domain_str(host).map(str::to_owned) }
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
            ("https://[::FFFF:7f00:1]:81/robots.txt", Some("[::ffff:7f00:1]")),
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
            ("https://e.com\\@f.com/robots.txt", None),
            ("https://e.c\tom/robots.txt", None),
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

    #[test]
    fn domains_are_those_of_names() {
        for (host, expected) in [
            ("a.shop.example.co.uk", Some("example.co.uk")),
            ("shop.example", Some("shop.example")),
            ("co.uk", None),
            ("[::1]", None),
            ("127.0.0.1", None),
            ("localhost", None),
        ] {
            assert_eq!(domain(host).as_deref(), expected, "{host}");
        }
    }
}
