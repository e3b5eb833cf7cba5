//! Patterns and paths alone: how bytes are normalised, what matches, and what is not copied.

use robosieve::records::{PathPattern, UrlPath};
use robosieve::settings::{Dialect, PathForm};

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
