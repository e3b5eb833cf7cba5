//! What the stores in servers have in common: how a server is used, its clock, its lanes, and a record as a value.
//!
//! Invariant: nothing here knows which server it is.

pub(super) mod clock;
pub(super) mod lanes;
pub(super) mod pool;
pub(super) mod value;

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::moment::Moment;

pub(super) const SITE_LIFE: Duration = Duration::from_secs(40 * 24 * 60 * 60);
pub(super) const FLIGHT_LEASE: Duration = Duration::from_secs(120);
pub(super) const LOOK_AGAIN: Duration = Duration::from_millis(250);

/// A text that no other claim has.
pub(super) fn token() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let random = std::hash::BuildHasher::hash_one(&std::hash::RandomState::new(), count);
    format!("{}-{count}-{random:016x}-{}", std::process::id(), Moment::now().as_millis())
}
