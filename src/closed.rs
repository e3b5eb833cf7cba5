//! What takes the place of a value that is missing though it cannot be.
//!
//! Invariant: it closes. A fallback that leaves out rules, empties a text or skips a part of a file would open a site if a bug
//! ever reached it. So each fallback that no input reaches is here: it disallows everything, and it fails in a debug build.
//! Where an expression can be total instead, it is, and needs no fallback.

/// The file, and the text, that disallows everything for everyone.
pub const TEXT: &str = "User-agent: *\nDisallow: /\n";

/// The value. Where a bug lost it, what closes.
#[inline]
#[track_caller]
pub fn expect<T>(value: Option<T>, closed: impl FnOnce() -> T) -> T {
    match value {
        Some(value) => value,
        None => because_of_a_bug(closed),
    }
}

/// What closes, where only a bug leads.
#[cold]
#[track_caller]
pub fn because_of_a_bug<T>(closed: impl FnOnce() -> T) -> T {
    debug_assert!(false, "a case that no input reaches; the release build closes the site");
    closed()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_stays() {
        assert_eq!(expect(Some("rules"), || TEXT), "rules");
    }

    /// A debug build tells of the bug, others close.
    #[test]
    #[cfg_attr(debug_assertions, should_panic(expected = "a case that no input reaches"))]
    fn a_lost_value_closes() {
        assert_eq!(expect(None, || TEXT), TEXT);
        assert!(!crate::tester(TEXT.as_bytes(), &["MyBot"]).is_allowed("/"));
    }
}
