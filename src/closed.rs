//! Replacements for values that can be missing only because of a bug.
//!
//! Invariant: each replacement disallows everything. A fallback that leaves out rules, empties a text or skips a part
//! of a file would allow too much if a bug ever reached it. So each fallback that no input reaches is here, and it
//! panics in a debug build. Expressions that can be total are total, and need no fallback.

/// The file, or the text, that disallows everything for all agents.
pub const TEXT: &str = "User-agent: *\nDisallow: /\n";

/// Returns the value. If a bug lost it, returns the closed replacement.
#[inline]
#[track_caller]
pub fn expect<T>(value: Option<T>, closed: impl FnOnce() -> T) -> T {
    match value {
        Some(value) => value,
        None => because_of_a_bug(closed),
    }
}

/// Returns the closed replacement. Only a bug leads here.
#[cold]
#[track_caller]
pub fn because_of_a_bug<T>(closed: impl FnOnce() -> T) -> T {
    debug_assert!(false, "a bug: no input should lead here; the release build disallows everything");
    closed()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_stays() {
        assert_eq!(expect(Some("rules"), || TEXT), "rules");
    }

    /// A debug build reports the bug; a release build disallows everything.
    #[test]
    #[cfg_attr(debug_assertions, should_panic(expected = "no input should lead here"))]
    fn a_lost_value_closes() {
        assert_eq!(expect(None, || TEXT), TEXT);
        let tester = crate::Sieve::new(["MyBot"]).tester(TEXT.as_bytes());
        assert!(tester.is_ok_and(|tester| !tester.is_allowed("/")));
    }
}
