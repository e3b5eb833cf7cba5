use robosieve_gate::CrawlerIdentity;
use robosieve_gate::net::IdentityError;

/// Name, version and URL make the header, and the name is the product token: [retrieve.identity]
#[test]
fn of_parts() {
    let identity = CrawlerIdentity::new("My-Bot_2.x", "1.0-rc+3", "https://example.com/a(b)?compatible;Evil").unwrap();
    assert_eq!(identity.header(), "My-Bot_2.x/1.0-rc+3 (+https://example.com/a%28b%29?compatible;Evil)");
    assert_eq!(identity.token().as_str(), "My-Bot_2.x");
    assert_eq!(identity.agents().iter().count(), 1);
    let wrong = |name, version, url| CrawlerIdentity::new(name, version, url).unwrap_err();
    let url = "https://example.com/";
    for name in ["", "My Bot", "My/Bot", "Böt", "My\r\nBot", "Bot(", "*"] {
        assert_eq!(wrong(name, "1", url), IdentityError::Name, "{name}");
    }
    for version in ["", "1 0", "1\r\nX: y", "1)", "1/2", "é"] {
        assert_eq!(wrong("MyBot", version, url), IdentityError::Version, "{version}");
    }
    for url in ["", "example.com", "ftp://example.com/", "mailto:a@example.com", "/bot"] {
        assert_eq!(wrong("MyBot", "1", url), IdentityError::Url, "{url}");
    }
    let line = CrawlerIdentity::new("MyBot", "1", "https://example.com/\r\nX: y/ é").unwrap();
    assert!(line.header().bytes().all(|byte| (b' '..=b'~').contains(&byte)), "{line}");
}

/// A whole header has the product token: [retrieve.identity]
#[test]
fn of_a_header() {
    for (header, token) in [
        ("MyBot/1.0 (+https://example.com/bot)", "MyBot"),
        ("MyBot", "MyBot"),
        ("Mozilla/5.0 (compatible; DanBot/1.0; +http://www.example.com/about-danbot)", "DanBot"),
    ] {
        let identity = CrawlerIdentity::from_header(header).unwrap();
        assert_eq!((identity.header(), identity.token().as_str()), (header, token));
    }
    for (header, error) in [
        ("", IdentityError::NoProduct),
        ("(+https://example.com)", IdentityError::NoProduct),
        (" MyBot", IdentityError::Header),
        ("MyBot\n", IdentityError::Header),
        ("MyBot\r\nHost: x", IdentityError::Header),
        ("MyBot\0", IdentityError::Header),
        ("MyBot é", IdentityError::Header),
    ] {
        assert_eq!(CrawlerIdentity::from_header(header), Err(error), "{header:?}");
    }
    for (length, good) in [(511, true), (512, true), (513, false)] {
        assert_eq!(CrawlerIdentity::from_header(&"a".repeat(length)).is_ok(), good, "{length}");
    }
}
