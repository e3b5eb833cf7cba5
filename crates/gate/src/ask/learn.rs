//! What a core learns from retrievals.
//!
//! Invariant: a failure never replaces what was known, and trouble of ours changes nothing. What was retrieved is kept
//! even if it can't be stored.

use crate::ask::flight::Flight;
use crate::ask::known::Known;
#[cfg(feature = "tracing")]
use crate::ask::trace;
use crate::ask::{Answer, Core, Next};
use crate::decide::{Class, SiteRecord};
use crate::error::Error;
use crate::moment::Moment;
use crate::origin::Origin;
use crate::pace::{Page, Slot, host_name};
use crate::retrieve::{Outcome, Retrieval};

impl Core {
    /// What comes after a retrieval that ended now: its answer if the site could not be asked, or the store fails;
    /// otherwise to ask again.
    pub(super) fn learn_of(&self, flight: &Flight, retrieval: &mut Retrieval, now: Moment) -> Next {
        // What was forgotten meanwhile does not come back.
        if !flight.counts() {
            return Next::Again(now);
        }
        let answer = match self.take_in(retrieval, now) {
            Ok(None) => return Next::Again(now),
            Ok(Some(answer)) => answer,
            Err(error) => Answer::of_error(&error, now.after(Self::HOLD_OFF)),
        };
        self.counts.answer(&answer);
        Next::Answer(answer)
    }

    /// Takes in a file that the caller has from elsewhere: it replaces what was known of its origin. `now` is when the
    /// retrieval ended, by the caller's clock.
    ///
    /// # Errors
    /// If the store fails; the core keeps what was retrieved nevertheless.
    pub fn learn(&self, mut retrieval: Retrieval, now: Moment) -> Result<(), Error> {
        self.take_in(&mut retrieval, now).map(drop)
    }

    fn take_in(&self, retrieval: &mut Retrieval, now: Moment) -> Result<Option<Answer>, Error> {
        let origin = retrieval.origin.clone();
        // The client may have used another clock. The core uses its caller's.
        let took = retrieval.ended.since(retrieval.began);
        (retrieval.began, retrieval.ended) = (now.before(took), now);
        self.counts.retrieval(retrieval);
        #[cfg(feature = "tracing")]
        trace::retrieved(retrieval);
        if let Some(until) = retrieval.not_before {
            return Ok(Some(self.put_off_until(&origin, until, "pace", now)));
        }
        if retrieval.outcome == Outcome::NotAsked {
            let (why, until) = (retrieval.trouble().unwrap_or("no reason given"), now.after(Self::HOLD_OFF));
            return Ok(Some(self.put_off(&origin, until, Answer::not_asked(why, until))));
        }
        let (stored, trouble) = match self.stored(&origin) {
            Ok(stored) => (stored.unwrap_or_default(), None),
            // An answer counts without what was known before. After a failure, that decides.
            Err(error) if self.is_answer(retrieval) => (SiteRecord::default(), Some(error)),
            Err(error) => return Err(error),
        };
        let settings = &self.settings;
        let record = stored.after(retrieval, settings.reader.read(retrieval), &settings.policy, &settings.lifetimes);
        let mut known = Known::new(record, &settings.reader);
        // It is valid until pages could start, or none ever would.
        let pages = now.after(settings.pacing.interval(&known.asked, now).saturating_mul(2));
        if known.record.failures == 0 {
            known.record.next_attempt = known.record.next_attempt.max(pages);
        }
        let known = self.keep_ready(&origin, known);
        let counted = self.observe_request(&origin, &known, retrieval, now);
        if let Some(error) = trouble {
            return Err(error);
        }
        self.store.put(&origin, settings.reader.key(), &known.record)?;
        counted.map(|()| None)
    }

    /// How a request for robots.txt ended says something about its server.
    fn observe_request(&self, origin: &Origin, known: &Known, retrieval: &Retrieval, now: Moment) -> Result<(), Error> {
        // What another host said to a URL that this one chose is about neither.
        let target = retrieval.redirects.last().and_then(|url| Origin::of(url).ok());
        if target.is_some_and(|target| host_name(target.host()) != host_name(origin.host())) {
            return Ok(());
        }
        // Its slot had the usual interval, since nothing was known.
        let pacing = &self.settings.pacing;
        let more = pacing.interval(&known.asked, now).saturating_sub(pacing.default.max(pacing.min));
        if retrieval.status.is_some() && !more.is_zero() {
            self.take(origin, Slot { interval: more, within: pacing.max_wait }, now)?;
        }
        let (status, retry_after, took) = (retrieval.status, retrieval.retry_after, Some(retrieval.took()));
        self.observe_page(origin, &Page { status, retry_after, took }, now)
    }

    /// Whether a retrieval replaces anything that was known.
    fn is_answer(&self, retrieval: &Retrieval) -> bool {
        let ruling = self.settings.policy.ruling(Class::of(retrieval), false);
        retrieval.outcome != Outcome::Unchanged && ruling.access().is_some()
    }
}
