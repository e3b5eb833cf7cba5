//! What fuzz targets share: the properties, and inputs made of whatever bytes the fuzzer has.
//!
//! Invariant: a target is a few lines that hold some properties against an input; the properties are those of the tests.

pub mod document;
pub mod input;
#[path = "../../tests/properties/mod.rs"]
pub mod properties;

pub use input::{Input, NaiveInput};
