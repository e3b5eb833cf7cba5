//! Numbers and lists in words.
//!
//! Invariant: a word is in the singular for one thing only, and a long list says how long it is.

/// `1 record`, `2 records`.
#[must_use]
pub fn counted(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// The same for a length.
#[must_use]
pub fn counted_len(count: usize, one: &str, many: &str) -> String {
    counted(u64::try_from(count).unwrap_or(u64::MAX), one, many)
}

/// The first names of a list, and how many more there are.
///
/// ```
/// assert_eq!(robosieve_explain::listed(&["a", "b", "c"], 2), "a, b and 1 more");
/// ```
#[must_use]
pub fn listed(names: &[impl AsRef<str>], most: usize) -> String {
    let shown = names.iter().take(most).map(AsRef::as_ref).collect::<Vec<_>>().join(", ");
    match names.len().checked_sub(most) {
        Some(more @ 1..) => format!("{shown} and {more} more"),
        _ => shown,
    }
}
