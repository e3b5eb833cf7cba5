//! Groups -> canonical text, and the comparison of two such texts.

pub(crate) mod diff;
pub(crate) mod lines;
pub(crate) mod minimise;
pub(crate) mod stars;
pub(crate) mod write;

pub use write::{Newline, TextOptions};
