//! The part of crates/bench/README.md that this program writes.
//!
//! Invariant: nothing outside the two marks changes. If the marks are missing or in the wrong order, nothing is
//! written.

/// The mark at the beginning of the part.
pub const BEGIN: &str = "<!-- bench:begin -->";
/// The mark at its end.
pub const END: &str = "<!-- bench:end -->";

/// Replaces the part between the marks; `None` if the marks are missing.
#[must_use]
pub fn replaced(text: &str, part: &str) -> Option<String> {
    let (front, rest) = text.split_once(BEGIN)?;
    let (_, back) = rest.split_once(END)?;
    Some(format!("{front}{BEGIN}\n{}\n{END}{back}", part.trim()))
}
