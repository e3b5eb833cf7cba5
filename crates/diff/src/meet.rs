//! Builds paths that two patterns both match.
//!
//! Invariant: each path is as long as all literals of the two patterns, plus a filling for each star. If the fronts
//! or the ends of the patterns contradict each other, there is no path.

use alloc::vec::Vec;

use robosieve::parts::Literals;

/// The literals that a path must contain for a pattern to match it.
struct Parts<'p> {
    front: &'p [u8],
    /// The literals after the first star.
    inner: Vec<&'p [u8]>,
    /// The required end of the path; empty if there is none.
    end: &'p [u8],
    /// Whether the front is the whole path.
    is_whole: bool,
}

impl<'p> Parts<'p> {
    fn of(literals: &'p Literals<'_>) -> Self {
        let front = literals.literal_prefix();
        let after = literals.bytes.get(front.len().saturating_add(1)..);
        let mut inner: Vec<&[u8]> = after.map(|after| after.split(|byte| *byte == b'*').collect()).unwrap_or_default();
        let end = if literals.anchored { inner.pop().unwrap_or_default() } else { &[] };
        Self { front, inner, end, is_whole: literals.anchored && after.is_none() }
    }
}

/// Two paths that both patterns match: the longer front, the inner literals of one pattern, those of the other, and
/// the longer end, joined by the filling. The second path has the inner literals in the opposite order.
pub(crate) fn meetings(one: &Literals<'_>, other: &Literals<'_>, filling: &[u8]) -> Option<[Vec<u8>; 2]> {
    let (one, other) = (Parts::of(one), Parts::of(other));
    let front = match longer(one.front, other.front, <[u8]>::starts_with)? {
        // Every path begins with a slash.
        [] => b"/",
        front => front,
    };
    let end = longer(one.end, other.end, <[u8]>::ends_with)?;
    if one.is_whole || other.is_whole {
        return Some([front.to_vec(), front.to_vec()]);
    }
    let path = |first: &Parts<'_>, second: &Parts<'_>| {
        let inner = first.inner.iter().chain(&second.inner).copied();
        let parts = core::iter::once(front).chain(inner).chain(Some(end).filter(|end| !end.is_empty()));
        parts.collect::<Vec<_>>().join(filling)
    };
    Some([path(&one, &other), path(&other, &one)])
}

/// The longer of the two, if it starts or ends with the other, as `has` checks.
fn longer<'b>(one: &'b [u8], other: &'b [u8], has: fn(&[u8], &[u8]) -> bool) -> Option<&'b [u8]> {
    let (long, short) = if one.len() < other.len() { (other, one) } else { (one, other) };
    has(long, short).then_some(long)
}

#[cfg(test)]
mod tests {
    use super::*;
    use robosieve::parts::matches;
    use robosieve::settings::PathForm;

    #[test]
    fn both_patterns_match_the_paths() {
        let patterns: &[&[u8]] = &[
            b"/", b"/wp-", b"/*.css$", b"/*?", b"/shop", b"/shop$", b"//", b"/a*b*c$", b"/*bc$", b"/**x", b"*", b"/a*",
        ];
        let mut met = 0;
        for one in patterns {
            for other in patterns {
                let (one, other) = (Literals::of(one, PathForm::default()), Literals::of(other, PathForm::default()));
                for filling in [&b""[..], b"x"] {
                    let Some(paths) = meetings(&one, &other, filling) else { continue };
                    // If a pattern is exact, only a test shows whether its path matches both.
                    let is_whole = Parts::of(&one).is_whole || Parts::of(&other).is_whole;
                    met += 1;
                    for path in paths {
                        let both = matches(&one, &path) && matches(&other, &path);
                        assert!(both || is_whole, "{one:?} {other:?} {path:?}");
                    }
                }
            }
        }
        assert!(met > 150, "{met}");
        let css = Literals::of(b"/*.css$", PathForm::default());
        let wordpress = Literals::of(b"/wp-", PathForm::default());
        assert_eq!(meetings(&css, &wordpress, b"x").map(|[path, _]| path), Some(b"/wp-x.css".to_vec()));
        assert_eq!(meetings(&wordpress, &Literals::of(b"/shop", PathForm::default()), b"x"), None);
    }
}
