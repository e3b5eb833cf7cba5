//! What a core can say of sites, and how it forgets them. Nothing is retrieved here.
//!
//! Invariant: a site that is forgotten is retrieved again before anything of it is fetched.
#![allow(clippy::missing_errors_doc, reason = "each fails if the store does")]

use std::time::Duration;

use crate::ask::Core;
use crate::decide::{SiteRecord, SiteReport, Standing};
use crate::error::Error;
use crate::moment::Moment;
use crate::origin::Origin;

impl Core {
    /// The report on what is remembered of a site, for this gate's reader.
    pub fn report(&self, origin: &Origin, now: Moment) -> Result<Option<SiteReport>, Error> {
        let record = self.stored(origin)?;
        // Of an ignored site something is known: that it is ignored.
        let record = record.or_else(|| self.ignores_robots_txt(origin).then(SiteRecord::default));
        let held = self.held(origin, now)?;
        Ok(record.map(|record| self.report_on(origin, self.settings.reader.key(), record, held, now)))
    }

    /// The same for each reader that the store has the site for.
    pub fn reports(&self, origin: &Origin, now: Moment) -> Result<Vec<SiteReport>, Error> {
        let held = self.held(origin, now)?;
        let mut reports = Vec::new();
        self.store.for_each(&mut |found, reader, record| {
            if found == origin {
                reports.push(self.report_on(origin, reader, record, held, now));
            }
        })?;
        Ok(reports)
    }

    /// The report on a record, while the host holds its requests for so long.
    fn report_on(&self, origin: &Origin, reader: &str, record: SiteRecord, held: Duration, now: Moment) -> SiteReport {
        let (policy, lifetimes) = (&self.settings.policy, &self.settings.lifetimes);
        let report = SiteReport::of(origin, reader, &record.within(lifetimes), now, policy, lifetimes);
        let report = SiteReport { held_until: (!held.is_zero()).then(|| now.after(held)), ..report };
        if !self.ignores_robots_txt(origin) {
            return report;
        }
        // What is kept of it does not count.
        SiteReport { standing: Standing::Ignored, is_due: false, next_attempt: None, ..report }
    }

    /// Whether a question about the site can be answered without a retrieval.
    pub fn is_cached(&self, origin: &Origin, now: Moment) -> Result<bool, Error> {
        if self.ignores_robots_txt(origin) || self.ready_and_good(origin, now).is_some() {
            return Ok(true);
        }
        Ok(self.stored(origin)?.is_some_and(|record| !self.is_due(&record, now)))
    }

    /// Forgets a site with its failures, for all readers, lifts the hold of its host, and returns whether there was
    /// something. Other programs that share the store notice this when the site is due. What a retrieval brings that is
    /// under way is forgotten, too.
    pub fn clear(&self, origin: &Origin, now: Moment) -> Result<bool, Error> {
        self.flights.forget(Some(origin));
        let was_stored = self.store.remove(Some(origin))? > 0;
        let was_known = self.ready.remove(origin).is_some() || was_stored;
        self.troubles.remove(origin);
        let was_held = self.lift(origin, now)?;
        Ok(was_known || was_held)
    }

    /// The same for all sites.
    pub fn clear_all(&self, now: Moment) -> Result<(), Error> {
        self.flights.forget(None);
        let mut origins = Vec::new();
        self.store.for_each(&mut |origin, _, _| origins.push(origin.clone()))?;
        self.store.remove(None)?;
        self.ready.clear();
        self.troubles.clear();
        origins.dedup();
        origins.iter().try_for_each(|origin| self.lift(origin, now).map(drop))
    }
}
