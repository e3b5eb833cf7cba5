//! Sites whose record could not be stored, and when that is tried again.
//!
//! Invariant: at most [`MOST`] are remembered. The pause of each doubles with each failure. A look at a site costs
//! nothing while all are stored.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::moment::Moment;
use crate::origin::Origin;

/// The most sites. Our choice. Others are stored with their next file.
const MOST: usize = 10_000;

/// The first pause, and the longest one. Our choice.
const FIRST: Duration = Duration::from_secs(10);
const LONGEST: Duration = Duration::from_secs(300);

#[derive(Debug, Default)]
pub(super) struct Unsaved {
    are_some: AtomicBool,
    sites: Mutex<HashMap<Origin, (Moment, Duration)>>,
}

impl Unsaved {
    /// Whether it is time to store a site's record again.
    pub(super) fn is_due(&self, origin: &Origin, now: Moment) -> bool {
        self.are_some.load(Ordering::Relaxed)
            && self.with(|sites| sites.get(origin).is_some_and(|(next, _)| *next <= now))
    }

    pub(super) fn failed(&self, origin: &Origin, now: Moment) {
        self.with(|sites| {
            let pause = sites.get(origin).map_or(FIRST, |(_, pause)| pause.saturating_mul(2).min(LONGEST));
            if sites.len() < MOST || sites.contains_key(origin) {
                sites.insert(origin.clone(), (now.after(pause), pause));
            }
        });
    }

    pub(super) fn saved(&self, origin: &Origin) {
        self.with(|sites| sites.remove(origin));
    }

    fn with<T>(&self, change: impl FnOnce(&mut HashMap<Origin, (Moment, Duration)>) -> T) -> T {
        let mut sites = self.sites.lock().unwrap_or_else(PoisonError::into_inner);
        let result = change(&mut sites);
        self.are_some.store(!sites.is_empty(), Ordering::Relaxed);
        result
    }
}
