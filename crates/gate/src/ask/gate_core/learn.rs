//! What a core learns from retrievals.
//!
//! Invariant: a failure never replaces what was known, and trouble of ours changes nothing. What was retrieved is kept
//! even if it can't be stored.

use std::sync::Arc;

use super::{Cause, GateCore, Trouble};
use crate::ask::answer::{GateError, Why};
use crate::ask::known::Known;
#[cfg(feature = "tracing")]
use crate::ask::trace;
use crate::decide::policy::{Class, Policy, Ruling};
use crate::decide::site::SiteRecord;
use crate::moment::Moment;
use crate::origin::Origin;
use crate::pace::lane::Slot;
use crate::pace::pacing::{Page, host_name};
use crate::retrieve::retrieval::{Outcome, Retrieval};

impl GateCore {
    /// Takes in what a retrieval brought. `now` is when it ended, by the caller's clock.
    ///
    /// This also counts without a [`Flight`](crate::ask::Flight): a file that the caller has from elsewhere replaces
    /// what was known.
    ///
    /// # Errors
    /// If the store fails; the core keeps what was retrieved nevertheless. If the site could not be asked; nothing is
    /// learnt then.
    pub fn learn(&self, origin: &Origin, mut retrieval: Retrieval, now: Moment) -> Result<(), GateError> {
        // The retriever may use another clock. The core uses its caller's.
        let took = retrieval.ended.since(retrieval.began);
        (retrieval.began, retrieval.ended) = (now.before(took), now);
        self.counts.retrieval(&retrieval);
        #[cfg(feature = "tracing")]
        trace::retrieved(&retrieval);
        if let Some(until) = retrieval.not_before {
            // Later than now, so that whoever asks again gets an answer.
            let until = until.max(now.after(Self::LEAST_PAUSE));
            self.troubles.insert(origin.clone(), Trouble { until, cause: Cause::Lane(Why::Pace) });
            return Ok(());
        }
        if retrieval.outcome == Outcome::NotAsked {
            let (why, until) = (retrieval.trouble().unwrap_or("no reason given"), now.after(Self::HOLD_OFF));
            self.troubles.insert(origin.clone(), Trouble { until, cause: Cause::Ours(why.into()) });
            return Err(GateError::NotAsked { why: why.into(), until });
        }
        let (stored, trouble) = match self.stored(origin) {
            Ok(stored) => (stored.unwrap_or_default(), None),
            // An answer counts without what was known before. After a failure, that decides.
            Err(error) if is_answer(&retrieval, &self.policy) => (SiteRecord::default(), Some(error)),
            Err(error) => return Err(error),
        };
        let record = stored.after(&retrieval, self.reader.read(&retrieval), &self.policy, &self.lifetimes);
        let mut known = Known::new(record, &self.reader);
        // It is valid until pages could start, or none ever would.
        let pages = retrieval.ended.after(self.pacing.interval(&known.asked, now).saturating_mul(2));
        if known.record.failures == 0 {
            known.record.next_attempt = known.record.next_attempt.max(pages);
        }
        let known = self.keep_ready(origin, known);
        self.flights.tell(origin, (Arc::clone(&known), now));
        let counted = self.observe_request(origin, &known, &retrieval, now);
        if let Some(error) = trouble {
            return Err(error);
        }
        self.store.put(origin, self.reader.key(), &known.record)?;
        counted
    }

    /// How a request for robots.txt ended says something about its server.
    fn observe_request(
        &self,
        origin: &Origin,
        known: &Known,
        retrieval: &Retrieval,
        now: Moment,
    ) -> Result<(), GateError> {
        // What another host said to a URL that this one chose is about neither.
        let target = retrieval.redirects.last().and_then(|url| Origin::of(url).ok());
        if target.is_some_and(|target| host_name(target.host()) != host_name(origin.host())) {
            return Ok(());
        }
        // Its slot had the usual interval, since nothing was known.
        let more = self.pacing.interval(&known.asked, now).saturating_sub(self.pacing.default.max(self.pacing.min));
        if retrieval.status.is_some() && !more.is_zero() {
            self.take(origin, Slot { interval: more, within: self.pacing.max_wait }, now)?;
        }
        let (status, retry_after, took) = (retrieval.status, retrieval.retry_after, Some(retrieval.took()));
        Ok(self.observe_page(origin, &Page { status, retry_after, took }, now)?)
    }
}

/// Whether a retrieval replaces what was known, whatever that is.
fn is_answer(retrieval: &Retrieval, policy: &Policy) -> bool {
    retrieval.outcome != Outcome::Unchanged && matches!(policy.ruling(Class::of(retrieval), false), Ruling::Known(_))
}
