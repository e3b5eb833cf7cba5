//! Groups -> canonical text.

pub(crate) mod heads;
pub(crate) mod lines;
pub(crate) mod minimise;
#[cfg(test)]
#[allow(clippy::indexing_slicing, clippy::arithmetic_side_effects, clippy::unwrap_used)]
mod naive;
pub(crate) mod newline;
pub(crate) mod plain;
mod plainer;
pub(crate) mod sorted;
pub(crate) mod stars;
pub(crate) mod write;
