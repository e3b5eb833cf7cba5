//! Bytes -> lines: what the file begins with, names of fields, and the grammar of a line; and host names as ASCII.
//!
//! Imports nothing of the other folders.

pub(crate) mod bytes;
pub(crate) mod dictionary;
#[cfg(test)]
#[allow(clippy::indexing_slicing, clippy::arithmetic_side_effects, clippy::inline_always, clippy::expect_used)]
mod every_line;
pub(crate) mod glued;
pub(crate) mod google;
pub(crate) mod grammar;
pub(crate) mod logical;
pub(crate) mod names;
pub(crate) mod near;
pub(crate) mod preamble;
pub(crate) mod punycode;
pub(crate) mod vector;
pub(crate) mod wide;
