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
#[path = "tests/token.rs"]
mod tests;
