//! The tables of `data/`.
//!
//! Invariant: a row has as many fields as its reader names, separated by tabs. All other lines are comments.

/// The rows of a table.
pub(crate) fn rows<const N: usize>(table: &'static str) -> impl Iterator<Item = [&'static str; N]> {
    table.lines().filter_map(|line| line.split('\t').collect::<Vec<_>>().try_into().ok())
}
