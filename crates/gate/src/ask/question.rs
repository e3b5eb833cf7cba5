//! A question about a URL: what is known of its site answers it, or what has to happen first comes out.
//!
//! Invariant: a site that is remembered and not due is answered at once. Only one retrieval of an origin runs at a
//! time, among all programs of a store.
#![allow(clippy::result_large_err, reason = "what is no answer yet is no error")]

use std::sync::Arc;

use crate::ask::flight::Flight;
use crate::ask::known::{Known, judge};
#[cfg(feature = "tracing")]
use crate::ask::trace;
use crate::ask::{Answer, Ask, Core, Errand, Next};
use crate::error::Error;
use crate::keep::Claim;
use crate::moment::Moment;
use crate::origin::{self, Origin};
use crate::pace::Asked;
use crate::retrieve::Validators;

impl Core {
    /// Asks about a URL. What is no URL, or a store that fails, is an answer too.
    pub fn ask(self: &Arc<Self>, url: &str, ask: Ask, now: Moment) -> Next {
        let failed = |error| Next::Answer(Answer::of_error(&error, now.after(Self::HOLD_OFF)));
        let next = self.find(url, ask, now).unwrap_or_else(failed);
        if let Next::Answer(answer) = &next {
            self.counts.answer(answer);
            #[cfg(feature = "tracing")]
            trace::answered(url, answer);
        }
        next
    }

    fn find(self: &Arc<Self>, url: &str, ask: Ask, now: Moment) -> Result<Next, Error> {
        let url = origin::parse(url)?;
        let origin = Origin::of_url(&url)?;
        if self.ignores_robots_txt(&origin) {
            let answer = self.slot(&origin, &Asked::default(), ask, now)?.where_ignored();
            return Ok(Next::Answer(answer.about(&url, None)));
        }
        let known = match self.look(&origin, now)? {
            Ok(known) => known,
            Err(Next::Answer(answer)) => return Ok(Next::Answer(answer.about(&url, None))),
            Err(next) => return Ok(next),
        };
        // It may be fetched under any rules.
        let is_robots_txt = url.path() == "/robots.txt" && url.query().is_none();
        let judged = if is_robots_txt { Ok((None, &known.asked)) } else { judge(&self.settings, &known, &url, now) };
        let answer = match judged {
            Err(refusal) => refusal,
            Ok((snapshot, asked)) => {
                let answer = self.slot(&origin, asked, ask, now)?;
                let asks = self.settings.pacing.over_max(asked, now).filter(|_| !is_robots_txt);
                let class = known.record.last.map(|last| last.class);
                let answer = answer.where_asked(asks);
                snapshot.map_or(answer.clone(), |snapshot| answer.where_open(snapshot, class))
            }
        };
        Ok(Next::Answer(answer.about(&url, Some(&known.record))))
    }

    /// The site, if it is known and not due; or what has to happen first.
    fn look(self: &Arc<Self>, origin: &Origin, now: Moment) -> Result<Result<Arc<Known>, Next>, Error> {
        if let Some(known) = self.ready_and_good(origin, now) {
            return Ok(Ok(known));
        }
        match self.troubles.get(origin).filter(|(until, _)| now < *until) {
            Some((_, Some(answer))) => return Ok(Err(Next::Answer(answer.at(now)))),
            Some((until, None)) => return Ok(Err(Next::Again(until))),
            None => {}
        }
        let Some(mut flight) = self.flights.begin(origin) else {
            return Ok(Err(Next::Again(now.after(Self::LOOK_AGAIN))));
        };
        // Another flight may have ended in between.
        if let Some(known) = self.ready_and_good(origin, now) {
            return Ok(Ok(known));
        }
        let mut stored = self.stored(origin)?.unwrap_or_default();
        if self.is_due(&stored, now) {
            let Some(claim) = self.store.claim(origin, self.settings.reader.key())? else {
                let until = now.after(Claim::LOOK_AGAIN);
                self.troubles.insert(origin.clone(), (until, None));
                return Ok(Err(Next::Again(until)));
            };
            if claim.is_shared() {
                // Another program may have retrieved it before this claim.
                stored = self.stored(origin)?.unwrap_or_default();
            }
            flight.claim = Some(claim);
        }
        if self.is_due(&stored, now) {
            return self.depart(flight, stored.held(&self.settings.policy), now).map(Err);
        }
        Ok(Ok(self.keep_ready(origin, Known::new(stored, &self.settings.reader))))
    }

    /// The retrieval of a flight, if its first request has a slot soon. A site without one is held until then.
    fn depart(self: &Arc<Self>, flight: Flight, held: Validators, now: Moment) -> Result<Next, Error> {
        match self.slot_for_robots_txt(&flight.origin, now)? {
            Ok(at) => Ok(Errand::begin(self, flight, held, at)),
            Err((until, why)) => Ok(Next::Answer(self.put_off_until(&flight.origin, until, why, now))),
        }
    }

    /// Begins a retrieval, even if the site is known. An answer says why there is none.
    #[cfg(feature = "async")]
    pub(super) fn retrieve(self: &Arc<Self>, origin: &Origin, now: Moment) -> Next {
        let Some(mut flight) = self.flights.begin(origin) else { return Next::Again(now.after(Self::LOOK_AGAIN)) };
        let departed = self.store.claim(origin, self.settings.reader.key()).and_then(|claim| {
            if claim.is_none() {
                return Ok(Next::Again(now.after(Claim::LOOK_AGAIN)));
            }
            flight.claim = claim;
            self.depart(flight, Validators::default(), now)
        });
        departed.unwrap_or_else(|error| Next::Answer(Answer::of_error(&error, now.after(Self::HOLD_OFF))))
    }
}
