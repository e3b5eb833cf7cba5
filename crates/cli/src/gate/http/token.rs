//! The token that requests must have where others could send some.
//!
//! Invariant: it is compared in a time that depends on its length only, and is never written anywhere.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use axum::http::HeaderMap;
use axum::http::header::AUTHORIZATION;
use subtle::ConstantTimeEq as _;

use crate::exit::Failure;
use crate::text;

/// The characters of a token: fewer can be guessed, more are another file.
const MIN: usize = 16;
const MAX: usize = 4_096;

pub(in super::super) struct Token(Vec<u8>);

impl Token {
    /// The token of a file, without blanks around it.
    pub(in super::super) fn read(path: &Path) -> Result<Self, Failure> {
        let what = "name a file with the token, for example of `openssl rand -hex 32`";
        let mut bytes = Vec::new();
        // One more, and blanks around it.
        let most = u64::try_from(MAX).unwrap_or(u64::MAX).saturating_add(16);
        let read = File::open(path).and_then(|file| file.take(most).read_to_end(&mut bytes));
        read.map_err(|error| Failure::file(path, &error, what))?;
        Self::new(&bytes).ok_or_else(|| {
            let name = text::name_of(path);
            Failure::Usage(format!("--token-file: {name} has no token of {MIN} to {MAX} visible characters; {what}"))
        })
    }

    fn new(bytes: &[u8]) -> Option<Self> {
        let token = bytes.trim_ascii();
        let is_token = (MIN..=MAX).contains(&token.len()) && token.iter().all(u8::is_ascii_graphic);
        is_token.then(|| Self(token.to_vec()))
    }

    /// Whether a request has it, once.
    pub(in super::super) fn is_in(&self, headers: &HeaderMap) -> bool {
        let mut sent = headers.get_all(AUTHORIZATION).iter();
        let (first, second) = (sent.next(), sent.next());
        let value = first.filter(|_| second.is_none()).and_then(|value| value.as_bytes().split_at_checked(7));
        value.is_some_and(|(scheme, token)| {
            scheme.eq_ignore_ascii_case(b"bearer ") && bool::from(token.trim_ascii().ct_eq(&self.0))
        })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may fail")]
mod tests {
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
        for wrong in
            ["Bearer 0123456789abcdee", "Bearer 0123456789abcdef0", "0123456789abcdef", "Basic x", "", "Bearer "]
        {
            assert!(!has(&[wrong]), "{wrong}");
        }
        assert!(!has(&["Bearer 0123456789abcdef", "Bearer 0123456789abcdef"]) && !has(&[]));
    }
}
