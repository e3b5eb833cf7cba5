//! The work that the search of a diff may do.
//!
//! Invariant: steps are taken from the work before they are done, so a search ends when its work is used up.

/// The work is used up.
pub(crate) struct Over;

/// Takes steps from the remaining work.
pub(crate) fn spend(work: &mut usize, steps: usize) -> Result<(), Over> {
    let rest = work.checked_sub(steps);
    *work = rest.unwrap_or(0);
    rest.map(|_| ()).ok_or(Over)
}

/// Runs a function with a part of the work. Puts back what the function did not use.
pub(crate) fn with_part<T>(work: &mut usize, most: usize, run: impl FnOnce(&mut usize) -> T) -> T {
    let mut part = most.min(*work);
    *work = work.saturating_sub(part);
    let done = run(&mut part);
    *work = work.saturating_add(part);
    done
}
