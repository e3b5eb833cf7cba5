//! Strings that are no URL.

use robosieve::records::UrlPath;
use robosieve::settings::{Dialect, PathForm};
use robosieve::verdict::SiteAccess;
use robosieve::{Sieve, Verdict};

const NONE: [&str; 17] = [
    "",
    " ",
    "cart",
    "cart/1",
    "shop.example/cart",
    "shop.example",
    "mailto:a@b",
    "https://",
    "https:///a",
    "http:/a",
    "https:a",
    "javascript:alert(1)",
    "data:text/plain,a",
    "#top",
    "*",
    "file:///etc",
    "://x/y",
];

/// [url.none]
#[test]
fn what_is_no_url_is_not_allowed() {
    for file in ["", "User-agent: *\nAllow: /\n", "User-agent: *\nDisallow: /cart\n"] {
        let tester = Sieve::new(["MyBot"]).tester(file.as_bytes()).unwrap();
        for url in NONE {
            let verdict = tester.test(url);
            assert_eq!((verdict, verdict.allowed()), (Verdict::NotAUrl, false), "{url:?}");
            assert!(!tester.is_allowed(url), "{url:?}");
            assert_eq!(verdict.to_string(), "disallowed: it is no URL");
            assert!(!UrlPath::of(url.as_bytes(), PathForm::default()).is_of_url(), "{url:?}");
        }
        for access in [SiteAccess::AllowAll, SiteAccess::DisallowAll] {
            assert!(!tester.clone().with_access(access).is_allowed("cart"));
        }
    }
}

/// [url.none]
#[test]
fn google_takes_any_string() {
    let sieve = Sieve::new(["MyBot"]).options(Dialect::Google);
    let tester = sieve.tester(b"").unwrap();
    assert!(NONE.iter().all(|url| tester.is_allowed(url)));
}

#[cfg(feature = "url")]
/// [url.parsed]
#[test]
fn a_parsed_url_is_the_same_url() {
    use robosieve::values::HttpUrl;
    for text in
        ["https://Shop.example:443/a b?x=%7e", "http://me:secret@h.example:8080", "https://b\u{fc}cher.example/\u{e9}"]
    {
        let parsed = url::Url::parse(text).unwrap();
        assert_eq!(HttpUrl::try_from(&parsed).unwrap(), HttpUrl::read(parsed.as_str()).unwrap());
    }
    for text in ["mailto:a@b.example", "file:///etc", "data:,a", "ftp://h.example/"] {
        assert!(HttpUrl::try_from(&url::Url::parse(text).unwrap()).is_err(), "{text}");
    }
}
