//! Whose group a tester uses, and what is said if it is not the one that the name alone says.
//!
//! Invariant: whoever asks for a known crawler learns on the standard error that its owner documents another group, and
//! which flag reads the name alone.

#[cfg(any(feature = "batch", feature = "gate"))]
use robosieve_explain::Groups;
pub(crate) use robosieve_explain::Who;

use crate::exit;

/// What to do about it.
const PLAIN: &str = "--plain-names reads the name alone";

/// Says that another group of the file applies than by the name alone. The file's name is escaped already.
pub(crate) fn tell_documented(file: &str, who: &Who) {
    if let Some(note) = who.note() {
        exit::tell(&format!("{file}: {note}; {PLAIN}"));
    }
}

/// Says that other groups can apply than by the name alone, before any file is read.
#[cfg(any(feature = "batch", feature = "gate"))]
pub(crate) fn tell_known(groups: &Groups) {
    if let Some(note) = groups.note() {
        exit::tell(&format!("{note}; {PLAIN}"));
    }
}

/// Says for which of many agents other groups apply than by their names alone. All names are escaped already.
pub(crate) fn tell_all(file: &str, documented: impl IntoIterator<Item = String>) {
    /// The number of names that are listed. Our choice.
    const MOST: usize = 10;
    let mut names: Vec<String> = documented.into_iter().collect();
    names.dedup();
    let more = names.len().saturating_sub(MOST);
    names.truncate(MOST);
    if names.is_empty() {
        return;
    }
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let names = names.join(", ");
    exit::tell(&format!("{file}: groups as their owners document it, for {names}{more}; {PLAIN}"));
}
