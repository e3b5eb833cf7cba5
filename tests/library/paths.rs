//! Patterns and paths alone: how bytes are normalised, what matches, and what is not copied.

use robosieve::path::{PathForm, PathPattern, UrlPath};
use robosieve::settings::Dialect;

fn standard() -> PathForm {
    PathForm::default()
}

fn google() -> PathForm {
    Dialect::Google.options().paths
}

#[track_caller]
fn reads(value: &str, form: PathForm, expected: &str) {
    let pattern = PathPattern::new(value.as_bytes(), form);
    assert_eq!(pattern.as_bstr(), expected, "{value}");
    assert_eq!(PathPattern::new(expected.as_bytes(), form), pattern, "{value}: reading it again");
    assert_eq!((pattern.len(), pattern.is_empty()), (expected.len(), expected.is_empty()), "{value}");
}

/// [path.encode] [path.decode] [path.stars]
#[test]
fn a_pattern_has_one_spelling() {
    for (value, expected) in [
        ("", ""),
        ("/", "/"),
        ("a", "/a"),
        ("%61", "/a"),
        ("*a", "*a"),
        ("$a", "$a"),
        ("/a**b", "/a**b"),
        ("/****", "/****"),
        ("/a*b*c", "/a*b*c"),
        ("/%2a*%2A", "/%2A*%2A"),
        ("/%24$$", "/%24$$"),
        ("/%2f%3a", "/%2F%3A"),
        ("/%7e%41%2d%5F", "/~A-_"),
        ("/a b\"<\u{e9}", "/a%20b%22%3C%C3%A9"),
        // Sequences that are not escapes are kept, and no new escape is formed.
        ("/%", "/%"),
        ("/%4", "/%4"),
        ("/%zz", "/%zz"),
        ("/%%34%31", "/%%341"),
        ("/%4%31", "/%4%31"),
        ("/%%41", "/%%41"),
        ("/%z%41", "/%zA"),
        ("/%4z%41", "/%4zA"),
        ("/%%7a", "/%z"),
        ("/4%31", "/41"),
        ("/%4%7a", "/%4z"),
    ] {
        reads(value, standard(), expected);
    }
}

/// With an option, escaped stars are read as stars. They count in both cases. [path.decode-wildcard] [path.literal]
/// [limit.wildcards]
#[test]
fn escaped_stars_can_be_decoded() {
    let decoding = PathForm { decode_wildcard: true, ..standard() };
    for (value, expected) in [
        ("/a%2ab", "/a*b"),
        ("/a%2Ab", "/a*b"),
        ("/%2a%2A*", "/***"),
        ("/*%2a", "/**"),
        ("/%24%2a", "/%24*"),
        ("/%2ab%2F", "/*b%2F"),
    ] {
        reads(value, decoding, expected);
    }
    let count = |value: &str, form: PathForm| PathPattern::new(value.as_bytes(), form).wildcards(form);
    let raw_only = PathForm { escaped_wildcard: false, ..standard() };
    assert_eq!((count("/*a%2ab%2", standard()), count("/*a%2ab%2", raw_only)), (2, 1));
    assert_eq!((count("/a%24b", standard()), count("/a", standard())), (0, 0));
    assert_eq!((count("/*a%2ab%2", decoding), count("/%2aa%2A", decoding)), (2, 2));
    // A run counts once, or as its stars if that is more.
    assert_eq!((count("/**a**", standard()), count("/**a***", google()), count("/*%2a", decoding)), (2, 3, 2));
}

/// [google.path]
#[test]
fn google_keeps_most_bytes() {
    for (value, expected) in [
        ("a", "a"),
        ("/a**b", "/a**b"),
        ("/%7e%aa", "/%7E%AA"),
        ("/a b", "/a b"),
        ("/\u{e9}", "/%C3%A9"),
        ("/%", "/%"),
        ("/%%34%31", "/%%34%31"),
    ] {
        reads(value, google(), expected);
    }
}

/// Patterns and paths that are already normal are borrowed: [bounds.parse] [bounds.verdict]
#[test]
fn normal_paths_are_not_copied() {
    let is_borrowed = |value: &str, bytes: &[u8]| core::ptr::eq(value.as_bytes(), bytes);
    for value in ["/", "/a", "/a*b", "*", "/a$", "/a*b*c$", "/x?y=z&", "/a**b"] {
        for form in [standard(), google()] {
            assert!(is_borrowed(value, PathPattern::new(value.as_bytes(), form).as_bytes()), "{value}");
        }
    }
    for (value, normal) in [("/%2F", true), ("/a%20b*c%25", true), ("/%2A**", true), ("/%2f", false), ("/%41", false)] {
        let pattern = PathPattern::new(value.as_bytes(), standard());
        assert_eq!(is_borrowed(value, pattern.as_bytes()), normal, "{value}");
    }
    for value in ["/a b", "a"] {
        assert!(is_borrowed(value, PathPattern::new(value.as_bytes(), google()).as_bytes()), "{value}");
        assert!(!is_borrowed(value, PathPattern::new(value.as_bytes(), standard()).as_bytes()), "{value}");
    }
    for url in ["/", "/a", "/a?b=c", "//host/a", "https://host/a", "https://host/a/b?c#d", "/a;b#c"] {
        let path = UrlPath::of(url.as_bytes(), standard());
        let text = path.text();
        assert!(url.as_bytes().as_ptr_range().contains(&text.as_ptr()), "{url}");
        assert!(text.as_ptr_range().end <= url.as_bytes().as_ptr_range().end, "{url}");
    }
    let starred = UrlPath::of(b"/a*b", google());
    assert_eq!(starred.text().to_string(), "/a*b");
}

/// [path.match] [path.stars] [path.anchor] [path.literal] [path.empty]
#[test]
fn a_pattern_matches_without_a_tester() {
    let matches = |pattern: &str, url: &str| {
        PathPattern::new(pattern.as_bytes(), standard()).matches(&UrlPath::of(url.as_bytes(), standard()))
    };
    for (pattern, yes, no) in [
        ("", "", "/"),
        ("/", "/ /a /?a", ""),
        ("/a", "/a /ab /a/b /a?b", "/ /b /A"),
        ("/a$", "/a", "/ab /a/ /a?"),
        ("/$", "/", "/a"),
        ("*", "/ /a", ""),
        ("*a", "/a /ba /b/a/c", "/ /b"),
        ("/*.php$", "/.php /a.php /a/b.php.php", "/a.php?b /php"),
        ("/a*b*c", "/abc /axbxcx /abbcc", "/acb /ab /bac"),
        ("/a*$", "/a /ab", "/b"),
        ("/a*a$", "/aa /aba", "/a /ab"),
        ("/%2A", "/* /%2a", "/a"),
        ("/a$b", "/a$b /a%24b", "/a"),
        ("/a%24", "/a$ /a%24b", "/a"),
        ("/%7e", "/~ /%7E", "/%"),
    ] {
        let urls = |list: &'static str| list.split(' ').filter(|url| !url.is_empty());
        for url in urls(yes) {
            assert!(matches(pattern, url), "{pattern} matches {url}");
        }
        for url in urls(no) {
            assert!(!matches(pattern, url), "{pattern} does not match {url}");
        }
    }
}

/// [url.path]
#[test]
fn a_path_begins_after_the_authority() {
    for (url, path) in [
        ("http://e.com:80/a", "/a"),
        ("e.com:80/a", "/a"),
        ("e.com/http://x/a", "/http://x/a"),
        ("?a://b/c", "/?a://b/c"),
        (";a://b/c", "/;a://b/c"),
        ("//e.com?a://b/c", "/?a://b/c"),
        ("//e.com//a", "//a"),
        ("//a://b/c", "/c"),
        ("a:b://c/d", "/d"),
        ("a:/b://c/d", "/b://c/d"),
        ("http:/e.com/a", "/e.com/a"),
        ("http:e.com", "/"),
        ("://a/b", "/b"),
        ("http://", "/"),
        ("/", "/"),
        ("//", "/"),
        ("/#a", "/"),
        ("http://e.com#/a", "/"),
        ("http://e.com/#?", "/"),
        ("http#://e.com/a", "/"),
    ] {
        assert_eq!(UrlPath::of(url.as_bytes(), standard()).text().to_string(), path, "{url}");
        assert_eq!(UrlPath::of(url.as_bytes(), google()).text().to_string(), path, "{url}");
    }
}

/// [text.unwritable]
#[test]
fn a_text_can_contain_what_a_url_can() {
    for (value, writable) in [
        ("/a", true),
        ("*a", true),
        ("/a|{}\"<>\\^`~!", true),
        ("a", false),
        ("$", false),
        ("/a b", false),
        ("/a\tb", false),
        ("/a\u{1b}", false),
        ("/\u{7f}", false),
        ("/a#", false),
        ("", false),
    ] {
        assert_eq!(PathPattern::new(value.as_bytes(), google()).is_writable(), writable, "{value}");
    }
}

/// No part of a rule matches a part of a literal star or dollar: [path.literal]
#[test]
fn a_literal_is_one_unit() {
    let matches = |pattern: &str, url: &str, form: PathForm| {
        PathPattern::new(pattern.as_bytes(), form).matches(&UrlPath::of(url.as_bytes(), form))
    };
    for (pattern, yes, no) in [
        ("/*4", "/x4 /$4 /%24%34", "/$ /%24 /* /%2A"),
        ("/*A4*", "/xA4 /*A4", "/*4 /%2A4"),
        ("/*A=", "/xA= /?A=", "/*= /?*="),
        ("*2A$", "/2A", "/* /%2a /x%2A"),
        ("/%2", "/%2F /%2", "/* /$ /%2A /%24"),
        ("/%", "/% /%2F", "/* /$"),
        ("/*%2*", "/x%2", "/x* /x$"),
        ("/%2A", "/* /%2a /*4", "/%2 /$"),
        ("/x*%24$", "/x$ /xy%24", "/x$$y /x%2524"),
        ("/a$b*%2A*c", "/a$b*c /a%24b%2A*c", "/a$bc /a$b%2c"),
    ] {
        for url in yes.split(' ') {
            assert!(matches(pattern, url, standard()), "{pattern} matches {url}");
        }
        for url in no.split(' ') {
            assert!(!matches(pattern, url, standard()), "{pattern} does not match {url}");
        }
    }
    // Google compares bytes.
    assert!(matches("/*4", "/%24", google()) && !matches("/*4", "/$", google()));
    assert!(matches("/%2", "/%2A", google()));
}

/// Hundreds of rules, tested through the tree and its quick checks: [path.literal] [bounds.grams]
#[test]
fn a_literal_is_one_unit_among_many_rules() {
    let filler: String = (0..60).map(|n| char::from(b'a' + n % 23)).collect();
    let file = format!("User-agent: *\nDisallow: /*%24{filler}\nDisallow: /*4{filler}x\nDisallow: /%2A/*24\n");
    let sieved = robosieve::sieve(file.as_bytes(), ["MyBot"]);
    let tester = sieved.tester();
    let long = "/y".repeat(300);
    for (url, allowed) in [
        (format!("/${filler}"), false),
        (format!("{long}%24{filler}"), false),
        (format!("{long}24{filler}"), true),
        (format!("{long}${filler}x"), false),
        (format!("{long}4{filler}x"), false),
        (format!("{long}%2A{filler}x"), true),
        ("/*/x24".into(), false),
        ("/*/x$".into(), true),
        ("/%2A/x%24".into(), true),
    ] {
        assert_eq!(tester.is_allowed(&url), allowed, "{url}");
    }
    // The text decides in the same way, and writing it again changes nothing.
    let again = robosieve::sieve(sieved.text().as_ref(), ["MyBot"]);
    assert_eq!(again.text(), sieved.text());
}

/// [google.url-nul]
#[test]
fn a_path_ends_at_a_nul_in_the_google_dialect() {
    for (url, ours, theirs) in [
        (&b"/a\0b"[..], "/a%00b", "/a"),
        (b"/\0", "/%00", "/"),
        (b"https://h\0st/a?\0b#c", "/a?%00b", "/a?"),
        (b"?a\0b", "/?a%00b", "/?a"),
        (b"/a%00b", "/a%00b", "/a%00b"),
    ] {
        assert_eq!(UrlPath::of(url, standard()).text().to_string(), ours, "{url:?}");
        assert_eq!(UrlPath::of(url, google()).text().to_string(), theirs, "{url:?}");
    }
}

/// Bytes that a query may contain unencoded are not encoded, unlike in an example of the standard: [path.encode]
#[test]
fn reserved_bytes_of_a_query_stay() {
    let raw = "/foo/bar?baz=https://foo.bar";
    let encoded = "/foo/bar?baz=https%3A%2F%2Ffoo.bar";
    for (pattern, other) in [(raw, encoded), (encoded, raw)] {
        reads(pattern, standard(), pattern);
        let pattern = PathPattern::new(pattern.as_bytes(), standard());
        assert!(!pattern.matches(&UrlPath::of(other.as_bytes(), standard())));
        assert!(pattern.matches(&UrlPath::of(pattern.as_bytes(), standard())));
    }
}
