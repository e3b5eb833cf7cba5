//! Paths of rules and of URLs: how they are normalised, when one matches the other, and which of many rules does.

pub(crate) mod build;
pub(crate) mod containment;
pub(crate) mod form;
pub(crate) mod glob;
pub(crate) mod index;
pub(crate) mod literal;
pub(crate) mod pattern;
pub(crate) mod search;
