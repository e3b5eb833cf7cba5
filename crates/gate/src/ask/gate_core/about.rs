//! What a core says of a site, besides its answers: reports, sitemaps, findings. And how a site is forgotten.
//!
//! Invariant: as for the core, nothing here retrieves anything.

use std::sync::Arc;
use std::time::Duration;

use robosieve::value::HttpUrl;
use robosieve::verdict::SiteAccess;
use url::Url;

use super::{Cleared, GateCore, Next, seen};
use crate::ask::answer::GateError;
use crate::ask::flight::Learnt;
use crate::ask::known::Known;
use crate::decide::findings::Findings;
use crate::decide::site::{SiteRecord, Snapshot, Standing};
use crate::decide::site_report::SiteReport;
use crate::moment::Moment;
use crate::origin::Origin;
use crate::retrieve::retrieval::Attempt;

/// What an answer is based on.
#[derive(Clone, Debug, Default)]
pub struct Reasons {
    /// What was found in the file that decided, if there is one: its rules answer, or its errors made the policy answer.
    pub findings: Option<Arc<Findings>>,
    /// Why the site could not be learnt of: the attempts of its last retrieval, if that failed.
    pub attempts: Arc<[Attempt]>,
    /// Whether the certificates of the host are not checked
    /// ([`HostSettings::insecure`](crate::ask::HostSettings::insecure)).
    pub insecure: bool,
}

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
        self.about(origin, now, held, |known, now| {
            self.report_on(origin, self.terms.of(origin).reader.key(), known.record.clone(), now)
        })
    }

    /// The report on what is remembered of a site, for this gate's reader. Retrieves nothing.
    ///
    /// # Errors
    /// If the store fails.
    pub fn report(&self, origin: &Origin, now: Moment) -> Result<Option<SiteReport>, GateError> {
        let record = self.stored(origin)?;
        // Of an ignored site something is known: that it is ignored.
        let record = record.or_else(|| self.ignores_robots_txt(origin).then(SiteRecord::default));
        let held_until = seen(self.lanes().held(origin.host(), now))?;
        Ok(record.map(|record| {
            let report = self.report_on(origin, self.terms.of(origin).reader.key(), record, now);
            SiteReport { held_until, ..report }
        }))
    }

    /// The report on a record of any reader, with the settings for its host.
    #[must_use]
    pub fn report_on(&self, origin: &Origin, reader: &str, record: SiteRecord, now: Moment) -> SiteReport {
        let terms = self.terms.of(origin);
        let record = record.within(&terms.lifetimes);
        let report = SiteReport::of(origin, reader, &record, now, &terms.policy, &terms.lifetimes);
        let report = SiteReport { insecure: terms.is_insecure, ..report };
        if terms.ignores_robots_txt { report.of_ignored() } else { report }
    }

    /// Whether a question about the site can be answered without a retrieval.
    ///
    /// # Errors
    /// If the store fails.
    pub fn is_cached(&self, origin: &Origin, now: Moment) -> Result<bool, GateError> {
        let terms = self.terms.of(origin);
        if terms.ignores_robots_txt || self.ready_and_good(origin, now).is_some() {
            return Ok(true);
        }
        let record = self.stored(origin)?;
        Ok(record.is_some_and(|record| !record.is_due(now, &terms.policy, &terms.lifetimes)))
    }

    /// Whether a question about a URL would retrieve its robots.txt now. What the store has is made ready.
    pub(crate) fn needs_retrieval(&self, url: &str, now: Moment) -> Result<bool, GateError> {
        let Ok(url) = Url::parse(url) else { return Ok(false) };
        let Ok(origin) = &Origin::of_url(&url) else { return Ok(false) };
        let terms = self.terms.of(origin);
        let is_held = || self.troubles.get(origin).is_some_and(|trouble| now < trouble.until);
        if terms.ignores_robots_txt || self.ready_and_good(origin, now).is_some() || is_held() {
            return Ok(false);
        }
        let stored = self.stored(origin)?.filter(|record| !record.is_due(now, &terms.policy, &terms.lifetimes));
        let Some(stored) = stored else { return Ok(true) };
        self.make_ready(origin, stored);
        Ok(false)
    }

    /// Forgets a site with its failures, lifts the hold of its host, and returns whether there was something. Other
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
        let was_stored = self.store.remove(origin, self.terms.of(origin).reader.key())?;
        let was_known = self.ready.remove(origin).is_some() || was_stored;
        drop(flight);
        let was_held = seen(self.lanes().lift(origin.host(), self.now()))?;
        self.troubles.remove(origin);
        Ok(Cleared::Done(was_known || was_held))
    }

    /// Forgets all sites and lifts all holds, also those of other readers in the same store. Retrievals that are running
    /// are still stored.
    ///
    /// # Errors
    /// If the store fails.
    pub fn clear_all(&self) -> Result<(), GateError> {
        self.store.clear()?;
        self.ready.clear();
        self.troubles.clear();
        seen(self.lanes().lift_all())
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
            let said = self.said(origin, known, now);
            said.map(|snapshot| self.terms.of(origin).reader.records(&snapshot.text).sitemaps()).unwrap_or_default()
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
        self.about(origin, now, held, |known, now| self.said(origin, known, now).and(known.asked.crawl_delay))
    }

    /// What an answer is based on. Retrieves nothing.
    ///
    /// # Errors
    /// If the store fails.
    pub fn reasons(&self, origin: &Origin, now: Moment) -> Result<Reasons, GateError> {
        let terms = self.terms.of(origin);
        let reasons = Reasons { insecure: terms.is_insecure, ..Reasons::default() };
        if terms.ignores_robots_txt {
            return Ok(reasons);
        }
        let known = match self.ready.get(origin) {
            Some(known) => known,
            None => match self.stored(origin)? {
                Some(record) => self.make_ready(origin, record),
                None => return Ok(reasons),
            },
        };
        let is_said = matches!(known.record.standing(now, &terms.policy, &terms.lifetimes), Standing::Said { .. });
        let is_failing = known.record.failures > 0;
        let attempts = if is_failing { Arc::clone(&known.record.attempts) } else { Arc::default() };
        Ok(Reasons { findings: known.findings.clone().filter(|_| is_said), attempts, ..reasons })
    }

    /// The snapshot, if its rules are valid now.
    pub(super) fn said<'k>(&self, origin: &Origin, known: &'k Known, now: Moment) -> Option<&'k Snapshot> {
        let terms = self.terms.of(origin);
        match known.record.standing(now, &terms.policy, &terms.lifetimes) {
            Standing::Said { snapshot, .. } if snapshot.access == SiteAccess::Rules => Some(snapshot),
            _ => None,
        }
    }
}
