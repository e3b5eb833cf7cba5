//! Patterns and paths alone: how bytes are normalised, what matches, and what is not copied.

use robosieve::parts::UrlPath;
use robosieve::records::PathPattern;
use robosieve::settings::{Dialect, PathForm};

use crate::checked::naive;

fn standard() -> PathForm {
    PathForm::default()
}

fn google() -> PathForm {
    Dialect::Google.options().paths
}

/// The pattern and the path are spelled as the naive matcher spells them, in each form.
#[track_caller]
fn is_spelled(value: &[u8]) {
    for form in [standard(), PathForm { decode_wildcard: true, ..standard() }, google()] {
        let pattern = PathPattern::new(value, form);
        assert_eq!(pattern.as_bstr(), naive::normal_pattern(value, form), "{form:?}");
        assert_eq!((pattern.len(), pattern.is_empty()), (pattern.as_bytes().len(), value.is_empty()), "{form:?}");
        if !value.starts_with(b"//") {
            assert_eq!(*UrlPath::of(value, form).text(), *naive::normal_path(value, form), "{form:?}");
        }
    }
}

/// The byte alone, among others, and after so many others that eight are read at once. [path.encode] [path.literal]
/// [path.decode-wildcard] [google.path] [google.url-nul]
#[test]
fn a_byte_of_a_path_is_raw_or_encoded() {
    for byte in 0..=u8::MAX {
        for front in ["/", "/a", "/abcdef", "/abcdefg", "/abcdefgh", "/abcdefghijklmnopq"] {
            for after in ["", "/z", "/abcdefghijk"] {
                is_spelled(&[front.as_bytes(), &[byte], after.as_bytes()].concat());
            }
        }
    }
}

/// [path.decode] [google.path]
#[test]
fn an_escape_is_decoded_or_in_upper_case() {
    for high in 0..=u8::MAX {
        (0..=u8::MAX).for_each(|low| is_spelled(&[b'/', b'%', high, low]));
    }
}

/// Escaped stars count with and without the option that decodes them. [path.decode-wildcard] [path.literal]
/// [limit.wildcards]
#[test]
fn stars_are_counted() {
    let decoding = PathForm { decode_wildcard: true, ..standard() };
    let count = |value: &str, form: PathForm| PathPattern::new(value.as_bytes(), form).wildcards(form);
    let raw_only = PathForm { escaped_wildcard: false, ..standard() };
    assert_eq!((count("/*a%2ab%2", standard()), count("/*a%2ab%2", raw_only)), (2, 1));
    assert_eq!((count("/a%24b", standard()), count("/a", standard())), (0, 0));
    assert_eq!((count("/*a%2ab%2", decoding), count("/%2aa%2A", decoding)), (2, 2));
    // A run counts once, or as its stars if that is more.
    assert_eq!((count("/**a**", standard()), count("/**a***", google()), count("/*%2a", decoding)), (2, 3, 2));
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
    let writable = |value: &str| PathPattern::new(value.as_bytes(), google()).is_writable();
    for value in ["/a", "*a", "/a|{}\"<>\\^`~!"] {
        assert!(writable(value), "{value}");
    }
    for value in ["a", "$", "/a b", "/a\tb", "/a\u{1b}", "/\u{7f}", "/a#", ""] {
        assert!(!writable(value), "{value}");
    }
}
