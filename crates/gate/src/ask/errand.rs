//! What a question leads to, and a retrieval whose requests the caller makes, one step at a time.
//!
//! Invariant: each request has its slot, which is reserved when the request is known. Dropped before its end, it gives
//! the right to retrieve to the next caller.

use std::sync::Arc;
use std::time::Duration;

use crate::ask::flight::Flight;
use crate::ask::{Answer, Core};
use crate::moment::Moment;
use crate::retrieve::{Fetched, Follow, Request, Retrieval, Validators};

/// So long the requests of a retrieval may wait for their slots. Our choice: 70 seconds.
pub(super) const LONGEST_WAIT: Duration = Duration::from_secs(70);

/// What a question leads to.
#[derive(Debug)]
#[must_use]
pub enum Next {
    /// The answer.
    Answer(Answer),
    /// The site's robots.txt is due, and the caller is the one to retrieve it. At the end, ask again.
    Fetch(Errand),
    /// Ask again then: it has just been learnt, or somebody else retrieves it, in this program or another.
    Again(Moment),
}

impl Next {
    /// The same as an answer, for faces in other languages, with the retrieval that the caller makes, if it is one.
    pub fn answer(self, now: Moment) -> (Answer, Option<Errand>) {
        match self {
            Self::Answer(answer) => (answer, None),
            Self::Again(until) => (Answer::again(until.since(now)), None),
            Self::Fetch(errand) => (Answer::fetch(errand.request(), errand.starts_at().since(now)), Some(errand)),
        }
    }
}

/// The next request of a retrieval, which the caller makes.
/// [`Core`] shows how.
#[derive(Debug)]
pub struct Errand {
    core: Arc<Core>,
    flight: Flight,
    follow: Box<Follow>,
    at: Moment,
}

impl Errand {
    /// Begins the retrieval that a flight is for, whose first request has this slot.
    pub(super) fn begin(core: &Arc<Core>, flight: Flight, held: Validators, at: Moment) -> Next {
        let settings = core.settings();
        match Follow::begin(&flight.origin, settings.limits, &settings.guard, held, at) {
            Ok(follow) => Next::Fetch(Self { core: Arc::clone(core), flight, follow, at }),
            Err(mut retrieval) => core.learn_of(&flight, &mut retrieval, at),
        }
    }

    /// The request to make. Follow no redirect.
    pub const fn request(&self) -> &Request {
        self.follow.request()
    }

    /// When to make it: it has its slot then. Wait until that moment.
    pub const fn starts_at(&self) -> Moment {
        self.at
    }

    /// Takes in what the request came to. What is next: the request after a redirect; or, when the core has learnt what
    /// came, to ask again; or an answer, if the site could not be asked.
    pub fn came(self, fetched: Fetched, now: Moment) -> Next {
        self.step(fetched, now).1
    }

    /// The same; at the end with what was retrieved.
    pub(super) fn step(self, fetched: Fetched, now: Moment) -> (Option<Retrieval>, Next) {
        // No request is made before its slot.
        let slot = now.max(self.at);
        let Self { core, flight, follow, .. } = self;
        let mut retrieval = match follow.came(fetched, slot) {
            Err(retrieval) => *retrieval,
            Ok(mut follow) => match core.slot_of(&follow.request().url, slot) {
                Ok(at) if follow.so_far.waited.saturating_add(at.since(slot)) <= LONGEST_WAIT => {
                    follow.wait(at.since(slot));
                    return (None, Next::Fetch(Self { core, flight, follow, at }));
                }
                Ok(until) | Err(until) => follow.put_off(until, slot),
            },
        };
        let next = core.learn_of(&flight, &mut retrieval, now);
        (Some(retrieval), next)
    }
}
