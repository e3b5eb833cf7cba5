//! Tests of `token`.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use super::*;

// [serve.token] N-1, N and N+1 characters, and characters that no header has.
#[test]
fn a_token_is_long_and_visible() {
    for (length, is_token) in [(15, false), (16, true), (17, true), (4_095, true), (4_096, true), (4_097, false)] {
        assert_eq!(Token::new(format!(" {}\n", "a".repeat(length)).as_bytes()).is_some(), is_token, "{length}");
    }
    assert!(Token::new(b"0123456789 0123456789").is_none());
    assert!(Token::new("0123456789é0123456789".as_bytes()).is_none());
}

// [serve.token]
#[test]
fn a_request_has_the_token_once() {
    let token = Token::new(b"0123456789abcdef").unwrap();
    let has = |values: &[&'static str]| {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(AUTHORIZATION, value.parse().unwrap());
        }
        token.is_in(&headers)
    };
    assert!(has(&["Bearer 0123456789abcdef"]) && has(&["bearer 0123456789abcdef"]));
    for wrong in ["Bearer 0123456789abcdee", "Bearer 0123456789abcdef0", "0123456789abcdef", "Basic x", "", "Bearer "] {
        assert!(!has(&[wrong]), "{wrong}");
    }
    assert!(!has(&["Bearer 0123456789abcdef", "Bearer 0123456789abcdef"]) && !has(&[]));
}
