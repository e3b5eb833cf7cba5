//! What a core says of a site, besides its answers: reports, sitemaps. And how a site is forgotten.
//!
//! Invariant: as for the core, nothing here retrieves anything.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use robosieve::value::HttpUrl;
use robosieve::verdict::SiteAccess;
use url::Url;

use super::{Cleared, GateCore, Next};
use crate::ask::answer::GateError;
use crate::ask::flight::Learnt;
use crate::ask::known::Known;
use crate::decide::site::{SiteRecord, Snapshot, Standing};
use crate::decide::site_report::SiteReport;
use crate::moment::Moment;
use crate::origin::Origin;
use crate::retrieve::retrieval::Attempt;

impl GateCore {
    /// The report on a site, after a retrieval if the site is due.
    ///
    /// # Errors
    /// If the store fails.
    pub fn qualify(&self, origin: &Origin, now: Moment) -> Result<Next<SiteReport>, GateError> {
        self.qualify_with(origin, now, None)
    }

    pub(crate) fn qualify_with(
        &self,
        origin: &Origin,
        now: Moment,
        held: Option<Learnt>,
    ) -> Result<Next<SiteReport>, GateError> {
        self.about(origin, now, held, |known, now| self.report_on(origin, self.reader.key(), known.record.clone(), now))
    }

    /// The report on what is remembered of a site, for this gate's reader. Retrieves nothing.
    ///
    /// # Errors
    /// If the store fails.
    pub fn report(&self, origin: &Origin, now: Moment) -> Result<Option<SiteReport>, GateError> {
        let record = self.stored(origin)?;
        // Of an ignored site something is known: that it is ignored.
        let record = record.or_else(|| self.ignores_robots_txt(origin).then(SiteRecord::default));
        let held_until = self.held_until(origin, now)?;
        Ok(record.map(|record| {
            let report = self.report_on(origin, self.reader.key(), record, now);
            SiteReport { held_until, ..report }
        }))
    }

    /// Until when an origin's host takes no requests, as it said with `Retry-After`.
    ///
    /// # Errors
    /// If the store fails.
    pub fn held_until(&self, origin: &Origin, now: Moment) -> Result<Option<Moment>, GateError> {
        let held = self.held(origin, now)?;
        Ok((!held.is_zero()).then(|| now.after(held)))
    }

    /// The report on a record of any reader.
    #[must_use]
    pub fn report_on(&self, origin: &Origin, reader: &str, record: SiteRecord, now: Moment) -> SiteReport {
        let record = record.within(&self.lifetimes);
        let report = SiteReport::of(origin, reader, &record, now, &self.policy, &self.lifetimes);
        if self.ignores_robots_txt(origin) { report.of_ignored() } else { report }
    }

    /// Whether a question about the site can be answered without a retrieval.
    ///
    /// # Errors
    /// If the store fails.
    pub fn is_cached(&self, origin: &Origin, now: Moment) -> Result<bool, GateError> {
        if self.ignores_robots_txt(origin) || self.ready_and_good(origin, now).is_some() {
            return Ok(true);
        }
        let record = self.stored(origin)?;
        Ok(record.is_some_and(|record| !record.is_due(now, &self.policy, &self.lifetimes)))
    }

    /// Whether a question about a URL would retrieve its robots.txt now. What the store has is made ready.
    pub(crate) fn needs_retrieval(&self, url: &str, now: Moment) -> Result<bool, GateError> {
        let Ok(url) = Url::parse(url) else { return Ok(false) };
        let Ok(origin) = &Origin::of_url(&url) else { return Ok(false) };
        let is_held = || self.troubles.get(origin).is_some_and(|trouble| now < trouble.until);
        if self.ignores_robots_txt(origin) || self.ready_and_good(origin, now).is_some() || is_held() {
            return Ok(false);
        }
        let stored = self.stored(origin)?.filter(|record| !record.is_due(now, &self.policy, &self.lifetimes));
        let Some(stored) = stored else { return Ok(true) };
        self.make_ready(origin, stored);
        Ok(false)
    }

    /// Forgets a site with its failures, for all readers, lifts the hold of its host, and returns whether there was something. Other
    /// programs that share the store notice this when the site is due. A retrieval that is under way must end first, so
    /// that it can't bring back what is forgotten.
    ///
    /// # Errors
    /// If the store fails.
    pub fn clear(&self, origin: &Origin) -> Result<Cleared, GateError> {
        let flight = match self.flights.begin(origin) {
            Ok(flight) => flight,
            Err(pending) => return Ok(Cleared::Wait(pending)),
        };
        let was_stored = self.store.remove(Some(origin))? > 0;
        let was_known = self.ready.remove(origin).is_some() || was_stored;
        drop(flight);
        let was_held = self.lift(origin, self.now())?;
        self.troubles.remove(origin);
        Ok(Cleared::Done(was_known || was_held))
    }

    /// Forgets all sites, also those of other readers in the same store, and lifts their holds. Retrievals that are running
    /// are still stored.
    ///
    /// # Errors
    /// If the store fails.
    pub fn clear_all(&self) -> Result<(), GateError> {
        let mut origins = Vec::new();
        self.store.for_each(&mut |origin, _, _| {
            origins.push(origin.clone());
            ControlFlow::Continue(())
        })?;
        self.store.remove(None)?;
        self.ready.clear();
        self.troubles.clear();
        origins.dedup();
        let now = self.now();
        Ok(origins.iter().try_for_each(|origin| self.lift(origin, now).map(drop))?)
    }

    /// The site's sitemaps, after a retrieval if the site is due. Empty if the site has no valid rules.
    ///
    /// # Errors
    /// If the store fails.
    pub fn sitemaps(&self, origin: &Origin, now: Moment) -> Result<Next<Vec<HttpUrl>>, GateError> {
        self.sitemaps_with(origin, now, None)
    }

    pub(crate) fn sitemaps_with(
        &self,
        origin: &Origin,
        now: Moment,
        held: Option<Learnt>,
    ) -> Result<Next<Vec<HttpUrl>>, GateError> {
        self.about(origin, now, held, |known, now| {
            let said = self.said(known, now);
            said.map(|snapshot| self.reader.records(&snapshot.text).sitemaps()).unwrap_or_default()
        })
    }

    /// The crawl delay that the site requests from this crawler, after a retrieval if the site is due. `None` if the
    /// site has no valid rules.
    ///
    /// # Errors
    /// If the store fails.
    pub fn crawl_delay(&self, origin: &Origin, now: Moment) -> Result<Next<Option<Duration>>, GateError> {
        self.crawl_delay_with(origin, now, None)
    }

    pub(crate) fn crawl_delay_with(
        &self,
        origin: &Origin,
        now: Moment,
        held: Option<Learnt>,
    ) -> Result<Next<Option<Duration>>, GateError> {
        self.about(origin, now, held, |known, now| self.said(known, now).and(known.asked.crawl_delay))
    }

    /// The attempts of the last retrieval of a site, if that failed. Retrieves nothing.
    ///
    /// # Errors
    /// If the store fails.
    pub fn failed_attempts(&self, origin: &Origin) -> Result<Arc<[Attempt]>, GateError> {
        if self.ignores_robots_txt(origin) {
            return Ok(Arc::default());
        }
        let attempts_of = |record: &SiteRecord| (record.failures > 0).then(|| Arc::clone(&record.attempts));
        let attempts = match self.ready.get(origin) {
            Some(known) => attempts_of(&known.record),
            None => self.stored(origin)?.as_ref().and_then(attempts_of),
        };
        Ok(attempts.unwrap_or_default())
    }

    /// The snapshot, if its rules are valid now.
    pub(super) fn said<'k>(&self, known: &'k Known, now: Moment) -> Option<&'k Snapshot> {
        match known.record.standing(now, &self.policy, &self.lifetimes) {
            Standing::Said { snapshot, .. } if snapshot.access == SiteAccess::Rules => Some(snapshot),
            _ => None,
        }
    }
}
