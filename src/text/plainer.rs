//! Plainer spellings of a pattern.
//!
//! Invariant: each spelling matches the same paths as the pattern, for all readers.

use alloc::borrow::Cow;
use alloc::vec::Vec;

use crate::syntax::bytes::{self, special};

/// Whether there are [`plainer`] patterns.
#[inline]
pub(super) fn may_be_plainer(pattern: &[u8], special: u8) -> bool {
    special::has(special, special::STAR)
        && (special::has(special, special::STAR_RUN)
            || matches!(pattern, [b'*', next, ..] if *next != b'/')
            || matches!(pattern, [.., b'*'] | [.., b'*', b'$']))
}

/// Plainer patterns that match the same paths: first with all changes, then with each alone.
pub(super) fn plainer(pattern: &[u8]) -> impl Iterator<Item = Vec<u8>> {
    let steps = [one_star, without_needless_anchor, without_last_star, with_slash];
    let all = steps.iter().fold(Cow::Borrowed(pattern), |text, step| step(&text).map_or(text, Cow::Owned));
    let first = match all {
        Cow::Owned(text) => Some(text),
        Cow::Borrowed(_) => None,
    };
    let is_changed = first.is_some();
    first.into_iter().chain(steps.into_iter().filter(move |_| is_changed).filter_map(move |step| step(pattern)))
}

/// `**` -> `*`
fn one_star(pattern: &[u8]) -> Option<Vec<u8>> {
    if !bytes::star_runs(pattern).1 {
        return None;
    }
    let mut text = pattern.to_vec();
    text.dedup_by(|next, previous| *next == b'*' && *previous == b'*');
    Some(text)
}

/// `X*$` -> `X*`
fn without_needless_anchor(pattern: &[u8]) -> Option<Vec<u8>> {
    pattern.ends_with(b"*$").then(|| bytes::part(pattern, 0..pattern.len().saturating_sub(1)).to_vec())
}

/// `X*` -> `X`, but not where X is nothing, nor where a byte `$` would become an anchor.
fn without_last_star(pattern: &[u8]) -> Option<Vec<u8>> {
    let front = pattern.strip_suffix(b"*")?;
    (!front.is_empty() && !front.ends_with(b"$")).then(|| front.to_vec())
}

/// `*` -> `/` and `*x` -> `/*x`: every path begins with a slash.
fn with_slash(pattern: &[u8]) -> Option<Vec<u8>> {
    match pattern {
        b"*" => Some(b"/".to_vec()),
        [b'*', b'*' | b'/', ..] => None,
        [b'*', ..] => Some([b"/", pattern].concat()),
        _ => None,
    }
}
