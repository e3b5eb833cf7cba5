//! The part of the README that this program writes.
//!
//! Invariant: nothing outside the two marks changes; without both marks, in order, nothing is written.

/// Where the part begins.
pub const BEGIN: &str = "<!-- bench:begin -->";
/// Where it ends.
pub const END: &str = "<!-- bench:end -->";

/// The text with another part between the marks; none, if the marks are not there.
#[must_use]
pub fn replaced(text: &str, part: &str) -> Option<String> {
    let (front, rest) = text.split_once(BEGIN)?;
    let (_, back) = rest.split_once(END)?;
    Some(format!("{front}{BEGIN}\n{}\n{END}{back}", part.trim()))
}
