//! What a core learns from retrievals.
//!
//! Invariant: a failure never replaces what was known, and trouble of ours changes nothing. What was retrieved is kept
//! even if it can't be stored.

use std::net::IpAddr;
use std::sync::Arc;

use super::{Cause, GateCore, Trouble, changed};
use crate::ask::answer::{GateError, Why};
use crate::ask::known::Known;
#[cfg(feature = "tracing")]
use crate::ask::trace;
use crate::decide::policy::{Class, Policy, Ruling};
use crate::decide::site::SiteRecord;
use crate::moment::Moment;
use crate::origin::Origin;
use crate::pace::pacing::{Page, host_name};
use crate::retrieve::retrieval::{Attempt, AttemptEnd, Outcome, Retrieval};
use crate::store_error::StoreError;

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
        // A redirect was a request, also one that leads to a lane without a slot, or to a refused address.
        let is_made = retrieval.attempts.iter().any(|attempt| attempt.end.has_response());
        if let Some(until) = retrieval.not_before {
            // Later than now, so that whoever asks again gets an answer.
            let until = until.max(now.after(Self::LEAST_PAUSE));
            self.troubles.insert(origin.clone(), Trouble { until, cause: Cause::Lane(Why::Pace) });
            return if is_made { Ok(()) } else { self.give_back_turn(origin, now) };
        }
        if retrieval.outcome == Outcome::NotAsked {
            let (why, until) = (retrieval.trouble().unwrap_or("no reason given"), now.after(Self::HOLD_OFF));
            self.troubles.insert(origin.clone(), Trouble { until, cause: Cause::Ours(why.into()) });
            if !is_made {
                self.give_back_turn(origin, now)?;
            }
            return Err(GateError::NotAsked { why: why.into(), until });
        }
        let (stored, trouble) = match self.stored(origin) {
            Ok(stored) => (stored.unwrap_or_default(), None),
            // An answer counts without what was known before. After a failure, that decides.
            Err(error) if is_answer(&retrieval, &self.policy) => (SiteRecord::default(), Some(error)),
            Err(error) => return Err(error),
        };
        let record = stored.after(&retrieval, self.reader.read(&retrieval), &self.policy, &self.lifetimes);
        let known = Known { address: address_of(&retrieval), ..Known::new(record, &self.reader) };
        let known = self.keep_ready(origin, known);
        self.flights.tell(origin, (Arc::clone(&known), now));
        let counted = self.count_request(origin, &known, &retrieval, now);
        if let Some(error) = trouble {
            return Err(error);
        }
        if let Err(error) = self.store.put(origin, self.reader.key(), &known.record) {
            return Err(StoreError::NotStored(reason(error)).into());
        }
        counted
    }

    /// A request for robots.txt counts as a request to the server: pages wait after it. If what it brought ends before
    /// they could start, it does not count, or no page would ever start.
    fn count_request(
        &self,
        origin: &Origin,
        known: &Known,
        retrieval: &Retrieval,
        now: Moment,
    ) -> Result<(), GateError> {
        let interval = self.pace.pacing().interval(&known.asked, now);
        if retrieval.status.is_none() || known.record.next_attempt <= retrieval.began.after(interval) {
            return self.give_back_turn(origin, now);
        }
        let (took, retry_after) = (retrieval.took(), retrieval.retry_after);
        let bytes = u64::try_from(retrieval.body.len()).unwrap_or(u64::MAX);
        let page = Page { took, bytes, status: retrieval.status, retry_after };
        let (lane, lanes) = (self.pace.lane_of(origin, known.address), self.store.lanes());
        // What another host said to a URL that this one chose is about neither.
        let target = retrieval.redirects.last().and_then(|url| Origin::of(url).ok());
        let is_others = target.is_some_and(|target| host_name(target.host()) != host_name(origin.host()));
        let own = if is_others { Page { status: Some(200), retry_after: None, ..page } } else { page };
        let began = retrieval.began.after(retrieval.waited);
        let here = self.pace.at(lanes, now);
        changed(here.count(&lane, &known.asked, (began, &own)))?;
        changed(here.hold((origin, &lane), &own))
    }

    /// Gives back the slot of a request for robots.txt that does not count, if it had one.
    fn give_back_turn(&self, origin: &Origin, now: Moment) -> Result<(), GateError> {
        let Some((lane, slot)) = self.flights.take_slot(origin) else { return Ok(()) };
        changed(self.pace.at(self.store.lanes(), now).give_back_turn(&lane, slot))
    }
}

/// Why a store failed, without what it did.
fn reason(error: StoreError) -> String {
    match error {
        StoreError::Failed(why) => why,
        error => error.to_string(),
    }
}

/// Whether a retrieval replaces what was known, whatever that is.
fn is_answer(retrieval: &Retrieval, policy: &Policy) -> bool {
    retrieval.outcome != Outcome::Unchanged && matches!(policy.ruling(Class::of(retrieval), false), Ruling::Known(_))
}

/// The address of the origin's own server. The attempts come in order, so the first one that got a final response was
/// made there, even if it was a redirect.
fn address_of(retrieval: &Retrieval) -> Option<IpAddr> {
    let answered = |attempt: &&Attempt| matches!(attempt.end, AttemptEnd::Status(..=499) | AttemptEnd::NoAnswer { .. });
    let attempt = retrieval.attempts.iter().find(answered).or_else(|| retrieval.attempts.first());
    attempt.and_then(|attempt| attempt.address).map(|address| address.ip())
}
