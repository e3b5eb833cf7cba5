//! What a question leads to, and a retrieval whose requests the caller makes, one step at a time.
//!
//! Invariant: each request has its slot, which is reserved when the request is known. Dropped before its end, it gives the
//! right to retrieve to the next caller.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::ask::answer::Answer;
use crate::ask::core::Core;
use crate::ask::flight::Flight;
use crate::moment::Moment;
use crate::origin::Origin;
use crate::retrieve::fetched::Fetched;
use crate::retrieve::follow::{Follow, Request, Then};
use crate::retrieve::retrieval::Retrieval;
use crate::retrieve::validators::Validators;

/// So long the requests of a retrieval may wait for their slots. Our choice: 70 seconds.
pub(super) const LONGEST_WAIT: Duration = Duration::from_secs(70);

/// What a question leads to.
#[derive(Debug)]
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
    #[must_use]
    pub fn answer(self, now: Moment) -> (Answer, Option<Errand>) {
        match self {
            Self::Answer(answer) => (answer, None),
            Self::Again(until) => (Answer::again(until.since(now)), None),
            Self::Fetch(errand) => (Answer::fetch(errand.request(), errand.starts_at().since(now)), Some(errand)),
        }
    }
}

/// The next request of a retrieval, which the caller makes.
///
/// ```
/// use std::sync::Arc;
/// use robosieve_gate::retrieve::Fetched;
/// use robosieve_gate::{Ask, Core, MemoryStore, Moment, Next, Settings};
///
/// let core = Arc::new(Core::new(Settings::default(), MemoryStore::default()));
/// let now = Moment::now();
/// let Next::Fetch(errand) = core.ask("https://example.com/a", Ask::Permission, now) else { panic!() };
/// // Here your client waits until `errand.starts_at()`, and requests this, without following redirects.
/// assert_eq!(errand.request().url.as_str(), "https://example.com/robots.txt");
/// // The next request, or the time to ask again.
/// assert!(matches!(errand.came(Fetched::new(404, ""), now), Next::Again(_)));
/// ```
pub struct Errand {
    core: Arc<Core>,
    flight: Flight,
    follow: Box<Follow>,
    request: Box<Request>,
    at: Moment,
}

/// A retrieval that has ended, with the right to it.
pub(super) type Ended = (Flight, Box<Retrieval>);

impl Errand {
    /// Begins the retrieval that a flight is for, whose first request has this slot.
    pub(super) fn begin(core: &Arc<Core>, flight: Flight, held: Validators, at: Moment) -> Next {
        let settings = core.settings();
        let then = Follow::begin(flight.origin(), settings.limits, &settings.guard, held, at);
        match then {
            Then::Request(follow, request) => Next::Fetch(Self { core: Arc::clone(core), flight, follow, request, at }),
            Then::Done(retrieval) => core.learn_of((flight, retrieval), at),
        }
    }

    /// The origin whose robots.txt is retrieved.
    #[must_use]
    pub fn origin(&self) -> &Origin {
        self.flight.origin()
    }

    /// The request to make. Follow no redirect.
    #[must_use]
    pub fn request(&self) -> &Request {
        &self.request
    }

    /// When to make it: it has its slot then. Wait until that moment.
    #[must_use]
    pub const fn starts_at(&self) -> Moment {
        self.at
    }

    /// Takes in what the request came to. What is next: the request after a redirect; or, when the core has learnt what
    /// came, to ask again; or an answer, if the site could not be asked.
    #[must_use]
    pub fn came(self, fetched: Fetched, now: Moment) -> Next {
        let core = Arc::clone(&self.core);
        match self.judged(fetched, now) {
            Ok(errand) => Next::Fetch(errand),
            Err(ended) => core.learn_of(ended, now),
        }
    }

    /// The next request, or the end of the retrieval, which nobody has learnt yet.
    pub(super) fn judged(self, fetched: Fetched, now: Moment) -> Result<Self, Ended> {
        // No request is made before its slot.
        let now = now.max(self.at);
        let Self { core, flight, follow, .. } = self;
        let (mut follow, request) = match follow.came(fetched, now) {
            Then::Done(retrieval) => return Err((flight, retrieval)),
            Then::Request(follow, request) => (follow, request),
        };
        let slot = Origin::of_url(&request.url).map(|origin| core.slot_for_robots_txt(&origin, now));
        let until = match slot {
            Ok(Ok(Ok(at))) if follow.waited().saturating_add(at.since(now)) <= LONGEST_WAIT => {
                follow.wait(at.since(now));
                return Ok(Self { core, flight, follow, request, at });
            }
            Ok(Ok(Ok(at) | Err((at, _)))) => at,
            // The lane is not known, so nothing is requested.
            Ok(Err(_)) | Err(_) => now.after(Core::HOLD_OFF),
        };
        Err((flight, Box::new(follow.put_off(until, now))))
    }
}

impl fmt::Debug for Errand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Errand").field("url", &self.request.url.as_str()).finish_non_exhaustive()
    }
}
