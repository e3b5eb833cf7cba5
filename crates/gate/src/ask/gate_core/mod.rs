//! The core of the gate: one step that never waits for a network, and what it learns from retrievals.
//!
//! Invariant: no method retrieves anything or waits for a retrieval, and no lock is held while one runs. A site that is
//! remembered and not due is answered at once. Only one [`Flight`] of an origin exists at a time. The caller always
//! gives the time.

mod about;
mod judge;
mod learn;
mod settings;

use std::collections::HashSet;
use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use quick_cache::sync::Cache;
use url::Url;

use self::judge::{judge, where_shortened};
use crate::ask::answer::{Answer, GateError, Why};
use crate::ask::counts::Counts;
use crate::ask::flight::{Flight, Flights, Learnt, Pending};
use crate::ask::known::{Known, Ready};
#[cfg(feature = "tracing")]
use crate::ask::trace;
use crate::decide::lifetimes::Lifetimes;
use crate::decide::policy::Policy;
use crate::decide::reader::Reader;
use crate::decide::site::SiteRecord;
use crate::keep::{Claim, SharedStore};
use crate::moment::{Moment, RunClock};
use crate::origin::{Origin, OriginError};
use crate::pace::lane::{Slot, Taken};
use crate::pace::names::{Names, hold_of};
use crate::pace::pacing::{Asked, PaceBy, Pacing, Page};
use crate::retrieve::address::AddressGuard;
use crate::retrieve::head::Head;
use crate::retrieve::limits::RetrievalLimits;
use crate::store_error::StoreError;

/// What a question leads to.
#[derive(Debug)]
pub enum Next<T> {
    /// The answer.
    Answer(T),
    /// The site's robots.txt is due, and the caller is the one to retrieve it: at [`Flight::starts_at`], if that is
    /// set. Give the result to [`GateCore::learn`], drop the flight, and ask again.
    Retrieve(Flight),
    /// Somebody else retrieves it. Wait, then ask again.
    Wait(Pending),
    /// Another program that shares the store retrieves it. Ask again then.
    Again(Moment),
}

/// The result of [`GateCore::clear`].
#[derive(Debug)]
pub enum Cleared {
    /// The site is forgotten: whether it was known.
    Done(bool),
    /// A retrieval of the site is under way. Wait, then call again.
    Wait(Pending),
}

/// The gate without a network: [`GateCore::ask`] and [`GateCore::learn`].
///
/// The gates for threads ([`Gate`](crate::Gate)) and for async code (`AsyncGate`) stand on it. Use it directly if your
/// crawler has a client or a runtime of its own.
///
/// ```
/// use robosieve::agent::Agents;
/// use robosieve_gate::{Answer, GateCore, MemoryStore, Moment, Next};
/// use robosieve_gate::retrieve::Fetched;
///
/// let core = GateCore::new(MemoryStore::default(), Agents::new(["MyBot"]));
/// let (url, now) = ("https://example.com/private/a", Moment::now());
/// let answer = loop {
///     match core.ask(url, now)? {
///         Next::Answer(answer) => break answer,
///         Next::Wait(pending) => pending.wait(), // or `pending.await`
///         Next::Again(_) => std::thread::sleep(std::time::Duration::from_millis(250)),
///         Next::Retrieve(flight) => {
///             // Here your client requests `flight.origin().robots_txt()`.
///             let came = Fetched::new(200, "User-agent: *\nDisallow: /private\n");
///             core.learn(flight.origin(), came.retrieval(flight.origin()), now)?;
///         }
///     }
/// };
/// assert_eq!(answer, Answer::Denied { rule: "Disallow: /private".into(), line: 2 });
/// # Ok::<(), robosieve_gate::GateError>(())
/// ```
pub struct GateCore {
    store: SharedStore,
    reader: Arc<Reader>,
    policy: Policy,
    lifetimes: Lifetimes,
    pacing: Pacing,
    names: Names,
    /// The hosts whose robots.txt is ignored, without a final dot.
    ignored: HashSet<String>,
    limits: RetrievalLimits,
    guard: AddressGuard,
    ready: Ready,
    flights: Arc<Flights>,
    /// The sites that could not be asked, and until when that is taken for granted.
    troubles: Cache<Origin, Trouble>,
    /// Read at the first question: some targets of WebAssembly have no clock, and give the time with each call.
    clock: OnceLock<RunClock>,
    counts: Counts,
}

impl fmt::Debug for GateCore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GateCore").field("policy", &self.policy).finish_non_exhaustive()
    }
}

/// Why a site could not be asked.
#[derive(Clone, Debug)]
struct Trouble {
    until: Moment,
    cause: Cause,
}

#[derive(Clone, Debug)]
enum Cause {
    /// Trouble on our side.
    Ours(Arc<str>),
    /// A lane on the way has no slot before that.
    Lane(Why),
    /// Another program retrieves it.
    Elsewhere,
}

/// What a step found.
enum Look {
    Known(Arc<Known>, Moment),
    /// No slot is free soon: nothing is asked until then.
    Held(Moment, Why),
    Retrieve(Flight),
    Wait(Pending),
    Again(Moment),
}

impl GateCore {
    /// 128 MiB: the memory for sites whose testers are ready. Our choice: some 8,000 sites of the usual size.
    pub const READY_BYTES: u64 = 128 << 20;

    /// A site that was put off is not asked again for so long.
    const LEAST_PAUSE: Duration = Duration::from_millis(100);

    /// 10 seconds: after trouble on our side, a site is not asked again for so long. Our choice.
    pub const HOLD_OFF: Duration = Duration::from_secs(10);
}

impl GateCore {
    /// The time of this run: see [`RunClock`].
    #[must_use]
    pub fn now(&self) -> Moment {
        self.clock.get_or_init(RunClock::default).now()
    }

    /// May this URL be fetched now? [`Answer::Allowed`] takes the host's next slot.
    ///
    /// # Errors
    /// If the URL is not absolute or not http or https, or if the store fails.
    pub fn ask(&self, url: &str, now: Moment) -> Result<Next<Answer>, GateError> {
        self.ask_with(url, now, None)
    }

    /// May this URL be fetched at all? Works like [`GateCore::ask`] but takes no slot. The wait is always zero.
    ///
    /// # Errors
    /// As for [`GateCore::ask`].
    pub fn ask_permission(&self, url: &str, now: Moment) -> Result<Next<Answer>, GateError> {
        self.permission_with(url, now, None)
    }

    /// May this URL be fetched, and now? Works like [`GateCore::ask`], but takes the slot only if it is free at this
    /// moment. Otherwise the answer is [`Answer::NotNow`] with [`Why::Pace`] and the time to ask again. So a crawler
    /// that was held up causes no burst, and a crawler that is killed loses no slot.
    ///
    /// # Errors
    /// As for [`GateCore::ask`].
    pub fn start(&self, url: &str, now: Moment) -> Result<Next<Answer>, GateError> {
        self.start_with(url, now, None)
    }

    pub(crate) fn ask_with(&self, url: &str, now: Moment, held: Option<Learnt>) -> Result<Next<Answer>, GateError> {
        self.answer((url, now, held), Some((self.pacing.max_wait, Why::Queue)))
    }

    pub(crate) fn start_with(&self, url: &str, now: Moment, held: Option<Learnt>) -> Result<Next<Answer>, GateError> {
        self.answer((url, now, held), Some((Duration::ZERO, Why::Pace)))
    }

    pub(crate) fn permission_with(
        &self,
        url: &str,
        now: Moment,
        held: Option<Learnt>,
    ) -> Result<Next<Answer>, GateError> {
        self.answer((url, now, held), None)
    }

    fn answer(
        &self,
        (url, now, held): (&str, Moment, Option<Learnt>),
        within: Option<(Duration, Why)>,
    ) -> Result<Next<Answer>, GateError> {
        let found = self.find_answer(url, now, held, within);
        #[cfg(feature = "tracing")]
        match &found {
            Ok(Next::Answer(answer)) => trace::answered(url, Ok(answer)),
            Err(error) => trace::answered(url, Err(error)),
            Ok(Next::Retrieve(_) | Next::Wait(_) | Next::Again(_)) => {}
        }
        match &found {
            Ok(Next::Answer(answer)) => self.counts.answer(answer),
            Err(error) => self.counts.error(error),
            Ok(Next::Retrieve(_) | Next::Wait(_) | Next::Again(_)) => {}
        }
        found
    }

    /// An answer about a URL. It takes a slot within that time, if one is needed; otherwise the reason is why not.
    fn find_answer(
        &self,
        url: &str,
        now: Moment,
        held: Option<Learnt>,
        within: Option<(Duration, Why)>,
    ) -> Result<Next<Answer>, GateError> {
        let url = Url::parse(url).map_err(|_| OriginError::NoUrl)?;
        let origin = Origin::of_url(&url)?;
        if self.ignores_robots_txt(&origin) {
            let answer = self.slot(&origin, &Asked::default(), within, now)?;
            return Ok(Next::Answer(answer.where_ignored()));
        }
        let (known, now) = match self.look(&origin, now, held)? {
            Look::Known(known, now) => (known, now),
            Look::Retrieve(flight) => return Ok(Next::Retrieve(flight)),
            Look::Wait(pending) => return Ok(Next::Wait(pending)),
            Look::Again(until) => return Ok(Next::Again(until)),
            Look::Held(until, why) => return Ok(Next::Answer(Answer::NotNow { until, why })),
        };
        if is_robots_txt(&url) {
            return self.slot(&origin, &known.asked, within, now).map(Next::Answer);
        }
        let allowed = |asked: &Asked| {
            let answer = self.slot(&origin, asked, within, now)?;
            Ok(where_shortened(answer, self.pacing.over_max(asked, now)))
        };
        judge((&self.policy, &self.lifetimes), &known, &url, now, allowed).map(Next::Answer)
    }

    /// Allowed, with a slot of the origin's lane; or not now.
    fn slot(
        &self,
        origin: &Origin,
        asked: &Asked,
        within: Option<(Duration, Why)>,
        now: Moment,
    ) -> Result<Answer, GateError> {
        let Some((within, why)) = within else { return Ok(AT_ONCE) };
        let interval = self.pacing.interval(asked, now);
        // Without an interval, a slot is only looked at.
        let taken = self.take(origin, Slot { interval: interval.max(LEAST), within }, now)?;
        Ok(if taken.is_yours {
            Answer::Allowed { wait: taken.wait, ignored: false, shortened: None }
        } else {
            Answer::NotNow { until: now.after(taken.wait), why: if taken.held.is_zero() { why } else { Why::Held } }
        })
    }

    fn take(&self, origin: &Origin, slot: Slot, now: Moment) -> Result<Taken, StoreError> {
        if self.pacing.by == PaceBy::RegisteredDomain {
            // A hold is its host's own, and the lane is others' too.
            let held = self.held(origin, now)?;
            if !held.is_zero() {
                return Ok(Taken { is_yours: false, wait: held, held });
            }
        }
        self.store.take(&self.lane_of(origin), &self.pacing, slot, now)
    }

    /// How long an origin's host holds its requests.
    fn held(&self, origin: &Origin, now: Moment) -> Result<Duration, StoreError> {
        let look = Slot { interval: Duration::ZERO, within: Duration::ZERO };
        Ok(self.store.take(&self.lane_of_hold(origin), &self.pacing, look, now)?.held)
    }

    fn lane_of(&self, origin: &Origin) -> String {
        self.names.lane(origin, self.pacing.by)
    }

    /// The lane where the hold of an origin's host is.
    fn lane_of_hold(&self, origin: &Origin) -> String {
        if self.pacing.by == PaceBy::RegisteredDomain { hold_of(origin) } else { self.lane_of(origin) }
    }

    /// The slot of a request for robots.txt, if one is free soon; otherwise when one is, and why not sooner.
    pub(crate) fn slot_for_robots_txt(
        &self,
        origin: &Origin,
        now: Moment,
    ) -> Result<Result<Moment, (Moment, Why)>, StoreError> {
        let interval = self.interval(origin, now).max(LEAST);
        let taken = self.take(origin, Slot { interval, within: self.pacing.robots_txt_wait }, now)?;
        let (at, why) = (now.after(taken.wait), if taken.held.is_zero() { Why::Pace } else { Why::Held });
        Ok(if taken.is_yours { Ok(at) } else { Err((at, why)) })
    }

    /// Lifts the hold of an origin's host, and returns whether there was one. Its pace stays.
    fn lift(&self, origin: &Origin, now: Moment) -> Result<bool, StoreError> {
        let was_held = !self.held(origin, now)?.is_zero();
        if was_held {
            self.store.observe(&self.lane_of_hold(origin), &self.pacing, &Page::LIFTS, now)?;
        }
        Ok(was_held)
    }

    /// Takes in how a request for a page ended: see [`Page`].
    ///
    /// # Errors
    /// If the URL is not one that can have a robots.txt, or if the store fails.
    pub fn observe(&self, url: &str, page: &Page, now: Moment) -> Result<(), GateError> {
        Ok(self.observe_page(&Origin::of(url)?, page, now)?)
    }

    fn observe_page(&self, origin: &Origin, page: &Page, now: Moment) -> Result<(), StoreError> {
        let lane = self.lane_of(origin);
        if self.pacing.by == PaceBy::Host {
            return self.store.observe(&lane, &self.pacing, page, now);
        }
        self.store.observe(&lane, &self.pacing, &Page { retry_after: None, ..*page }, now)?;
        let hold = hold_of(origin);
        // Of a host that nobody asked about there is nothing to keep.
        if matches!(page.status, Some(429 | 503)) && page.retry_after.is_some() && self.ready.get(origin).is_some() {
            let slot = Slot { interval: LEAST, within: Duration::MAX };
            self.store.take(&hold, &self.pacing, slot, now)?;
        }
        self.store.observe(&hold, &self.pacing, page, now)
    }

    /// The same, from the head of the page's response: its status, and its `Retry-After` in seconds or as a date. The
    /// request took so long.
    ///
    /// # Errors
    /// As for [`GateCore::observe`].
    pub fn observe_head(&self, url: &str, head: &Head, took: Duration, now: Moment) -> Result<(), GateError> {
        let page = Page { status: Some(head.status()), retry_after: head.retry_after_from(now), took: Some(took) };
        self.observe(url, &page, now)
    }

    /// The interval between two requests to a site, as far as it is known. Retrieves nothing.
    #[must_use]
    pub fn interval(&self, origin: &Origin, now: Moment) -> Duration {
        self.pacing.interval(&self.asked_by(origin), now)
    }

    /// Answers from what is known of a site, or says what has to happen first.
    fn about<T>(
        &self,
        origin: &Origin,
        now: Moment,
        held: Option<Learnt>,
        answer: impl FnOnce(&Arc<Known>, Moment) -> T,
    ) -> Result<Next<T>, GateError> {
        Ok(match self.look(origin, now, held)? {
            Look::Known(known, now) => Next::Answer(answer(&known, now)),
            Look::Retrieve(flight) => Next::Retrieve(flight),
            Look::Wait(pending) => Next::Wait(pending),
            Look::Again(until) => Next::Again(until),
            Look::Held(until, _) => {
                return Err(GateError::NotAsked { why: "its server's next slot is later".into(), until });
            }
        })
    }

    /// The site, if it is known and not due. `held` is what the caller's own flight, or the one it waited for, has just
    /// brought: it counts even if it was dropped from memory since.
    fn look(&self, origin: &Origin, now: Moment, held: Option<Learnt>) -> Result<Look, GateError> {
        if self.ignores_robots_txt(origin) {
            return Ok(Look::Known(Arc::new(Known::new(SiteRecord::default(), &self.reader)), now));
        }
        if let Some((known, learnt)) = held {
            return Ok(Look::Known(known, now.max(learnt)));
        }
        if let Some(known) = self.ready_and_good(origin, now) {
            return Ok(Look::Known(known, now));
        }
        match self.troubles.get(origin).filter(|trouble| now < trouble.until) {
            Some(Trouble { until, cause: Cause::Ours(why) }) => {
                return Err(GateError::NotAsked { why: why.to_string(), until });
            }
            Some(Trouble { until, cause: Cause::Lane(why) }) => return Ok(Look::Held(until, why)),
            Some(Trouble { until, cause: Cause::Elsewhere }) => return Ok(Look::Again(until)),
            None => {}
        }
        let flight = match self.flights.begin(origin) {
            Ok(flight) => flight,
            Err(pending) => return Ok(Look::Wait(pending)),
        };
        // Another flight may have ended in between.
        if let Some(known) = self.ready_and_good(origin, now) {
            return Ok(Look::Known(known, now));
        }
        let mut stored = self.stored(origin)?.unwrap_or_default();
        let mut flight = flight;
        if stored.is_due(now, &self.policy, &self.lifetimes) {
            let Some(claim) = self.store.claim(origin, self.reader.key())? else {
                let (until, cause) = (now.after(Claim::LOOK_AGAIN), Cause::Elsewhere);
                self.troubles.insert(origin.clone(), Trouble { until, cause });
                return Ok(Look::Again(until));
            };
            if claim.is_shared() {
                // Another program may have retrieved it before this claim.
                stored = self.stored(origin)?.unwrap_or_default();
            }
            flight = flight.claiming(claim);
        }
        if stored.is_due(now, &self.policy, &self.lifetimes) {
            return self.turn(flight.holding(stored.held(&self.policy)), now);
        }
        let known = self.make_ready(origin, stored);
        // For those that began to wait meanwhile.
        self.flights.tell(origin, (Arc::clone(&known), now));
        Ok(Look::Known(known, now))
    }

    /// The flight with a slot of its lane, if one is free soon. A site without one is held until then.
    fn turn(&self, flight: Flight, now: Moment) -> Result<Look, GateError> {
        match self.slot_for_robots_txt(flight.origin(), now)? {
            Ok(slot) => Ok(Look::Retrieve(flight.starting(slot))),
            Err((until, why)) => {
                let until = until.max(now.after(Self::LEAST_PAUSE));
                self.troubles.insert(flight.origin().clone(), Trouble { until, cause: Cause::Lane(why) });
                Ok(Look::Held(until, why))
            }
        }
    }

    /// How long a caller waits for another program's retrieval at most: as long as one of its own may take. `until` is
    /// when it would look again.
    pub(crate) fn expect_end(&self, began: Moment, until: Moment) -> Result<(), GateError> {
        let waits = self.pacing.robots_txt_wait.saturating_mul(2);
        if until <= began.after(self.limits.budget.saturating_add(waits)) {
            return Ok(());
        }
        Err(GateError::NotAsked { why: "another program retrieves its robots.txt, and does not end".into(), until })
    }

    /// What is known of the pace that a site requests.
    pub(crate) fn asked_by(&self, origin: &Origin) -> Asked {
        self.ready.get(origin).map(|known| known.asked.clone()).unwrap_or_default()
    }

    /// What the store has of a site, within this gate's lifetimes.
    fn stored(&self, origin: &Origin) -> Result<Option<SiteRecord>, GateError> {
        let record = self.store.get(origin, self.reader.key())?;
        Ok(record.map(|record| record.within(&self.lifetimes)))
    }

    fn ready_and_good(&self, origin: &Origin, now: Moment) -> Option<Arc<Known>> {
        self.ready.get(origin).filter(|known| !known.record.is_due(now, &self.policy, &self.lifetimes))
    }

    fn make_ready(&self, origin: &Origin, record: SiteRecord) -> Arc<Known> {
        self.keep_ready(origin, Known::new(record, &self.reader))
    }

    fn keep_ready(&self, origin: &Origin, known: Known) -> Arc<Known> {
        let known = Arc::new(known);
        self.ready.insert(origin.clone(), Arc::clone(&known));
        known
    }
}

/// Whether a URL is that of a robots.txt, which may be fetched whatever the rules are.
fn is_robots_txt(url: &Url) -> bool {
    url.path() == "/robots.txt" && url.query().is_none()
}

/// Allowed, and no wait.
const AT_ONCE: Answer = Answer::Allowed { wait: Duration::ZERO, ignored: false, shortened: None };

/// The least interval: what counts as none only looks at a lane.
const LEAST: Duration = Duration::from_millis(1);
