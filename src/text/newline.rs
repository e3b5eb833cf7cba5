//! The line ending of a text.
//!
//! Invariant: a text has only one kind of line ending.

use alloc::vec::Vec;

use crate::choice::names;

/// The line ending of the text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub enum Newline {
    /// LF.
    #[default]
    Lf,
    /// CR LF.
    Crlf,
}

names!(Newline, "a line ending", { Lf => "lf", Crlf => "crlf" });

impl Newline {
    /// The number of bytes of the line ending.
    pub(crate) const fn length(self) -> usize {
        match self {
            Self::Lf => 1,
            Self::Crlf => 2,
        }
    }
}

/// Appends a line ending.
#[inline]
pub(crate) fn push_newline(out: &mut Vec<u8>, newline: Newline) {
    match newline {
        Newline::Lf => out.push(b'\n'),
        Newline::Crlf => out.extend_from_slice(b"\r\n"),
    }
}
