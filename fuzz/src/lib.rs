//! The code that fuzz targets share: the properties, and inputs made of the fuzzer's bytes.
//!
//! Invariant: a target is a few lines that check some properties for an input. The properties are those of the tests.

pub mod document;
pub mod input;
#[path = "../../tests/properties/mod.rs"]
pub mod properties;

pub use input::{Input, NaiveInput};
