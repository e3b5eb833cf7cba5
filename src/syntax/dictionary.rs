//! Dictionaries of RFC 9651 (structured fields): `train-ai=n, search;p="a b"`.
//!
//! Invariant: what is written is a dictionary of RFC 9651, and reading it again writes the same bytes. Each byte is read
//! once, without recursion.

use alloc::vec::Vec;
use core::ops::Range;

use crate::syntax::bytes;

/// How strictly a dictionary is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Strictness {
    /// What RFC 9651 4.2.2 says.
    Strict,
    /// Also reads members whose meaning is plain: names in upper case, blanks around `=`, a blank in the place of a comma
    /// after a value, and empty members.
    Generous,
}

/// Where the parts of a member are in the output. A name without a value has an empty one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Member {
    pub(crate) name: Range<usize>,
    pub(crate) value: Range<usize>,
    pub(crate) parameters: Range<usize>,
}

/// Reads the members of a dictionary, and appends them to the output as RFC 9651 writes them.
pub(crate) struct Members<'v, 'o> {
    rest: &'v [u8],
    pub(crate) out: &'o mut Vec<u8>,
    strictness: Strictness,
    has_member: bool,
    /// Whether the last member has a value.
    has_value: bool,
}

impl<'v, 'o> Members<'v, 'o> {
    pub(crate) fn new(list: &'v [u8], strictness: Strictness, out: &'o mut Vec<u8>) -> Self {
        Self { rest: bytes::trim(list, bytes::is_blank), out, strictness, has_member: false, has_value: false }
    }

    /// The next member; None at the end. `Err` if the rest is no dictionary.
    pub(crate) fn next_member(&mut self) -> Result<Option<Member>, ()> {
        let is_strict = self.strictness == Strictness::Strict;
        let is_apart = self.skip_between();
        if self.rest.is_empty() {
            return if is_strict && is_apart { Err(()) } else { Ok(None) };
        }
        if self.has_member && !is_apart || is_strict && !self.has_member && is_apart {
            return Err(());
        }
        if self.has_member {
            self.out.extend_from_slice(b", ");
        }
        self.has_member = true;
        self.member().map(Some).ok_or(())
    }

    /// Skips what is between two members, and says whether it is: a comma. Read generously, any number of commas, or a
    /// blank after a value.
    fn skip_between(&mut self) -> bool {
        if self.strictness == Strictness::Generous {
            let (between, rest) = bytes::split_while(self.rest, |byte| bytes::is_blank(byte) || byte == b',');
            self.rest = rest;
            return between.contains(&b',') || self.has_value && !between.is_empty();
        }
        self.skip_blanks();
        let Some(rest) = self.rest.strip_prefix(b",") else { return false };
        self.rest = rest;
        self.skip_blanks();
        true
    }

    /// `member = key ( parameters / "=" ( item / inner-list ) )`
    fn member(&mut self) -> Option<Member> {
        let start = self.out.len();
        self.name()?;
        let name = start..self.out.len();
        let after = bytes::split_while(self.rest, bytes::is_blank).1;
        if self.strictness == Strictness::Generous && after.first() == Some(&b'=') {
            self.rest = after;
        }
        let mut value = self.out.len()..self.out.len();
        self.has_value = false;
        if let Some(rest) = self.rest.strip_prefix(b"=") {
            self.has_value = true;
            self.rest = rest;
            if self.strictness == Strictness::Generous {
                self.skip_blanks();
            }
            self.out.push(b'=');
            value.start = self.out.len();
            if self.rest.first() == Some(&b'(') { self.inner_list() } else { self.bare_item() }?;
            value = self.spelled(value.start);
        }
        let start = self.out.len();
        self.parameters()?;
        Some(Member { name, value, parameters: start..self.out.len() })
    }

    /// The value that was written from here on. A true Boolean is written without a value.
    fn spelled(&mut self, start: usize) -> Range<usize> {
        if self.out.get(start..) == Some(b"?1") {
            self.out.truncate(start.saturating_sub(1));
        }
        start.min(self.out.len())..self.out.len()
    }

    /// `key = ( lcalpha / "*" ) *( lcalpha / DIGIT / "_" / "-" / "." / "*" )`
    fn name(&mut self) -> Option<()> {
        let is_loose = self.strictness == Strictness::Generous;
        let is_letter = |byte: u8| byte.is_ascii_lowercase() || is_loose && byte.is_ascii_uppercase();
        let is_name = |byte: u8| is_letter(byte) || byte.is_ascii_digit() || matches!(byte, b'_' | b'-' | b'.' | b'*');
        let (name, rest) = bytes::split_while(self.rest, is_name);
        if !name.first().is_some_and(|&first| is_letter(first) || first == b'*') {
            return None;
        }
        self.out.extend(name.iter().map(u8::to_ascii_lowercase));
        self.rest = rest;
        Some(())
    }

    /// `parameters = *( ";" *SP key [ "=" bare-item ] )`
    fn parameters(&mut self) -> Option<()> {
        while let Some(rest) = self.rest.strip_prefix(b";") {
            self.rest = rest;
            self.skip_blanks();
            self.out.push(b';');
            self.name()?;
            if let Some(rest) = self.rest.strip_prefix(b"=") {
                self.rest = rest;
                self.out.push(b'=');
                let start = self.out.len();
                self.bare_item()?;
                self.spelled(start);
            }
        }
        Some(())
    }

    /// `inner-list = "(" *SP [ item *( 1*SP item ) *SP ] ")" parameters`
    fn inner_list(&mut self) -> Option<()> {
        self.copy(1)?;
        self.skip_blanks();
        let mut is_first = true;
        while self.rest.first()? != &b')' {
            if !is_first {
                self.out.push(b' ');
            }
            is_first = false;
            self.bare_item()?;
            self.parameters()?;
            let after = self.rest;
            self.skip_blanks();
            if self.rest.first()? != &b')' && after.len() == self.rest.len() {
                return None;
            }
        }
        self.copy(1)
    }

    /// `bare-item = integer / decimal / string / token / binary / boolean / date / display-string`
    fn bare_item(&mut self) -> Option<()> {
        match self.rest {
            [b'"', ..] => self.string(1),
            [b'%', b'"', ..] => self.display_string(),
            [b':', rest @ ..] => {
                let is_base64 = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
                let (text, end) = bytes::split_while(rest, is_base64);
                if end.first() == Some(&b':') { self.copy(text.len().saturating_add(2)) } else { None }
            }
            [b'?', b'0' | b'1', ..] => self.copy(2),
            [b'@', rest @ ..] => number(rest, false).and_then(|length| self.copy(length.saturating_add(1))),
            [b'-' | b'0'..=b'9', ..] => number(self.rest, true).and_then(|length| self.copy(length)),
            [b'A'..=b'Z' | b'a'..=b'z' | b'*', ..] => {
                let (token, _) = bytes::split_while(self.rest, is_token);
                self.copy(token.len())
            }
            _ => None,
        }
    }

    /// `string = DQUOTE *( unescaped / "\" ( DQUOTE / "\" ) ) DQUOTE`, after `before` bytes.
    fn string(&mut self, before: usize) -> Option<()> {
        let mut length = before;
        loop {
            length = match self.rest.get(length..)? {
                [b'"', ..] => return self.copy(length.saturating_add(1)),
                [b'\\', b'"' | b'\\', ..] => length.saturating_add(2),
                [b' '..=b'[' | b']'..=b'~', ..] => length.saturating_add(1),
                _ => return None,
            };
        }
    }

    /// `display-string = "%" DQUOTE *( unescaped / "%" 2lc-hexdig ) DQUOTE`. Its bytes are UTF-8.
    fn display_string(&mut self) -> Option<()> {
        let mut length = 2_usize;
        let mut text = Vec::new();
        loop {
            let rest = self.rest.get(length..)?;
            let step = match rest {
                [b'"', ..] => break,
                [b'%', high, low, ..] if ![high, low].iter().any(|byte| byte.is_ascii_uppercase()) => {
                    text.push(bytes::escape_at(rest)?);
                    3
                }
                [byte @ (b' '..=b'$' | b'&'..=b'~'), ..] => {
                    text.push(*byte);
                    1
                }
                _ => return None,
            };
            length = length.saturating_add(step);
        }
        core::str::from_utf8(&text).ok()?;
        self.copy(length.saturating_add(1))
    }

    /// Copies bytes from the front of the rest.
    fn copy(&mut self, length: usize) -> Option<()> {
        let (front, rest) = self.rest.split_at_checked(length)?;
        self.out.extend_from_slice(front);
        self.rest = rest;
        Some(())
    }

    fn skip_blanks(&mut self) {
        (_, self.rest) = bytes::split_while(self.rest, bytes::is_blank);
    }
}

/// The length of an integer of at most 15 digits, or of a decimal of at most 12 digits, a point, and 1 to 3 digits.
fn number(text: &[u8], may_be_decimal: bool) -> Option<usize> {
    let sign = usize::from(text.first() == Some(&b'-'));
    let (whole, rest) = bytes::split_while(text.get(sign..)?, |byte| byte.is_ascii_digit());
    let length = sign.saturating_add(whole.len());
    match rest.strip_prefix(b".").filter(|_| may_be_decimal) {
        Some(rest) => {
            let (fraction, _) = bytes::split_while(rest, |byte| byte.is_ascii_digit());
            let is_decimal = matches!(whole.len(), 1..=12) && matches!(fraction.len(), 1..=3);
            is_decimal.then(|| length.saturating_add(1).saturating_add(fraction.len()))
        }
        None => matches!(whole.len(), 1..=15).then_some(length),
    }
}

/// A byte of a token after the first: `tchar`, `:` or `/`.
fn is_token(byte: u8) -> bool {
    let is_sign = matches!(byte, b'!' | b'#'..=b'\'' | b'*' | b'+' | b'-'..=b'/' | b':' | b'^'..=b'`' | b'|' | b'~');
    byte.is_ascii_alphanumeric() || is_sign
}
