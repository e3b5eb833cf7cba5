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

use self::judge::{judge, within_max};
use crate::ask::answer::{Answer, GateError, Why};
use crate::ask::counts::Counts;
use crate::ask::flight::{Flight, Flights, Learnt, Pending};
use crate::ask::known::{Known, Ready};
use crate::ask::queues::Queues;
#[cfg(feature = "tracing")]
use crate::ask::trace;
use crate::decide::lifetimes::Lifetimes;
use crate::decide::policy::Policy;
use crate::decide::reader::Reader;
use crate::decide::site::SiteRecord;
use crate::keep::SharedStore;
use crate::moment::{Moment, RunClock};
use crate::origin::{Origin, OriginError};
use crate::pace::lanes::{LaneError, Lanes};
use crate::pace::pacing::{Asked, Page};
use crate::pace::slots::{NoSlot, Pace};
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
    pace: Pace,
    /// The hosts whose robots.txt is ignored, without a final dot.
    ignored: HashSet<String>,
    limits: RetrievalLimits,
    guard: AddressGuard,
    ready: Ready,
    flights: Arc<Flights>,
    queues: Arc<Queues>,
    /// The sites that could not be asked, and until when that is taken for granted.
    troubles: Cache<Origin, Trouble>,
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
    /// The time of this run, by the store's clock: see [`RunClock`].
    #[must_use]
    pub fn now(&self) -> Moment {
        self.clock.get_or_init(|| self.store.clock()).now()
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
        self.answer((url, now, held), |pace, (origin, lane), asked, now| {
            let lanes = self.store.lanes();
            let wait = pace.at(lanes, now).expect_unheld(origin).and_then(|()| pace.take(lanes, lane, asked, now));
            slot(wait.map(|wait| Answer::Allowed { wait, ignored: false, shortened: None }), Why::Queue)
        })
    }

    pub(crate) fn start_with(&self, url: &str, now: Moment, held: Option<Learnt>) -> Result<Next<Answer>, GateError> {
        self.answer((url, now, held), |pace, (origin, lane), asked, now| {
            let lanes = self.store.lanes();
            let unheld = pace.at(lanes, now).expect_unheld(origin);
            let started = unheld.and_then(|()| pace.start(lanes, lane, asked, now));
            slot(started.map(|()| AT_ONCE), Why::Pace)
        })
    }

    pub(crate) fn permission_with(
        &self,
        url: &str,
        now: Moment,
        held: Option<Learnt>,
    ) -> Result<Next<Answer>, GateError> {
        self.answer((url, now, held), |_, _, _, _| Ok(AT_ONCE))
    }

    fn answer(
        &self,
        (url, now, held): (&str, Moment, Option<Learnt>),
        allowed: impl FnOnce(&Pace, (&Origin, &str), &Asked, Moment) -> Result<Answer, GateError>,
    ) -> Result<Next<Answer>, GateError> {
        let found = self.find_answer(url, now, held, allowed);
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

    fn find_answer(
        &self,
        url: &str,
        now: Moment,
        held: Option<Learnt>,
        allowed: impl FnOnce(&Pace, (&Origin, &str), &Asked, Moment) -> Result<Answer, GateError>,
    ) -> Result<Next<Answer>, GateError> {
        let url = Url::parse(url).map_err(|_| OriginError::NoUrl)?;
        let origin = Origin::of_url(&url)?;
        let pace = &self.pace;
        if self.ignores_robots_txt(&origin) {
            let answer = allowed(pace, (&origin, &pace.lane_of(&origin, None)), &Asked::default(), now)?;
            return Ok(Next::Answer(answer.where_ignored()));
        }
        let (known, now) = match self.look(&origin, now, held)? {
            Look::Known(known, now) => (known, now),
            Look::Retrieve(flight) => return Ok(Next::Retrieve(flight)),
            Look::Wait(pending) => return Ok(Next::Wait(pending)),
            Look::Again(until) => return Ok(Next::Again(until)),
            Look::Held(until, why) => return Ok(Next::Answer(Answer::NotNow { until, why })),
        };
        let lane = || pace.lane_of(&origin, known.address);
        if is_robots_txt(&url) {
            return allowed(pace, (&origin, &lane()), &known.asked, now).map(Next::Answer);
        }
        let paced = |asked: &Asked| {
            let until = known.record.next_attempt;
            within_max(pace.pacing(), asked, (until, now), || allowed(pace, (&origin, &lane()), asked, now))
        };
        judge((&self.policy, &self.lifetimes), &known, &url, now, paced).map(Next::Answer)
    }

    /// Takes in how a request for a page ended: see [`Page`]. Report each request if
    /// [`Pacing::from_end`](crate::pace::Pacing::from_end) or
    /// [`Pacing::max_in_flight`](crate::pace::Pacing::max_in_flight) is set.
    ///
    /// # Errors
    /// If the URL is not one that can have a robots.txt, or if the store fails.
    pub fn observe(&self, url: &str, page: &Page, now: Moment) -> Result<(), GateError> {
        let origin = Origin::of(url)?;
        let page = Page { took: page.took.min(Page::LONGEST), bytes: page.bytes.min(Page::MOST_BYTES), ..*page };
        let (lane, lanes) = (self.lane_of(&origin)?, self.store.lanes());
        changed(self.pace.at(lanes, now).hold((&origin, &lane), &page))?;
        changed(self.pace.observe(lanes, &lane, &page, now))
    }

    /// The same, from the head of the page's response: its status, and its `Retry-After` in seconds or as a date. The
    /// request took so long, and brought so many bytes.
    ///
    /// # Errors
    /// As for [`GateCore::observe`].
    pub fn observe_head(
        &self,
        url: &str,
        head: &Head,
        (took, bytes): (Duration, u64),
        now: Moment,
    ) -> Result<(), GateError> {
        let page = Page { took, bytes, status: Some(head.status()), retry_after: head.retry_after_from(now) };
        self.observe(url, &page, now)
    }

    /// Gives back the slot of a request that was not made. The slot is the moment of the question plus the wait of the
    /// answer. It is free again if no later one was taken.
    ///
    /// # Errors
    /// As for [`GateCore::observe`].
    pub fn give_back(&self, url: &str, slot: Moment, now: Moment) -> Result<(), GateError> {
        let origin = Origin::of(url)?;
        let lane = self.lane_of(&origin)?;
        changed(self.pace.give_back(self.store.lanes(), &lane, slot, now))
    }

    /// The lane of an origin. Retrieves nothing.
    ///
    /// # Errors
    /// If the store fails.
    pub fn lane_of(&self, origin: &Origin) -> Result<String, GateError> {
        let address = self.ready.get(origin).and_then(|known| known.address);
        Ok(self.pace.lane_of(origin, address))
    }

    /// When the next request of each lane can start, now or later, for a frontier that chooses among hosts: the lanes
    /// are those of [`GateCore::lane_of`]. Takes no slot and retrieves nothing.
    ///
    /// # Errors
    /// If the store fails.
    pub fn next_free<'l>(
        &self,
        lanes: impl IntoIterator<Item = &'l str>,
        now: Moment,
    ) -> Result<Vec<Moment>, GateError> {
        match self.pace.next_free(self.store.lanes(), lanes, now) {
            Ok(free) => Ok(free),
            Err(NoSlot::Store(error)) => Err(error.into()),
            Err(other) => Err(StoreError::Failed(other.to_string()).into()),
        }
    }

    /// The interval between two requests to a site, as far as it is known. Retrieves nothing.
    #[must_use]
    pub fn interval(&self, origin: &Origin, now: Moment) -> Duration {
        self.pace.pacing().interval(&self.asked_by(origin), now)
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
            match self.store.claim(origin, self.reader.key())? {
                Ok(claim) => {
                    if claim.is_shared() {
                        // Another program may have retrieved it before this claim.
                        stored = self.stored(origin)?.unwrap_or_default();
                    }
                    flight = flight.claiming(claim);
                }
                Err(wait) => {
                    let (until, cause) = (now.after(wait), Cause::Elsewhere);
                    self.troubles.insert(origin.clone(), Trouble { until, cause });
                    return Ok(Look::Again(until));
                }
            }
        }
        if stored.is_due(now, &self.policy, &self.lifetimes) {
            return self.turn(flight.holding(stored.held(&self.policy)), &stored, now);
        }
        let known = self.make_ready(origin, stored);
        // For those that began to wait meanwhile.
        self.flights.tell(origin, (Arc::clone(&known), now));
        Ok(Look::Known(known, now))
    }

    /// The flight with a slot of its lane, if one is free soon. A site without one is held until then.
    fn turn(&self, flight: Flight, stored: &SiteRecord, now: Moment) -> Result<Look, GateError> {
        let origin = flight.origin();
        let pace = &self.pace;
        // What was said last is the best guess at what will be.
        let known = self.ready.get(origin).and_then(|known| known.address);
        let (lane, asked) = (pace.lane_of(origin, known.or_else(|| stored.answered_by())), self.asked_by(origin));
        let here = pace.at(self.store.lanes(), now);
        let gap = pace.pacing().interval(&asked, now);
        let (free, why) = match self.queues.enter(&lane, pace.pacing().robots_txt_in_flight) {
            None => (now.after(gap), Why::Pace),
            Some(own) => match here.expect_unheld(origin).and_then(|()| here.turn(&lane, &asked)) {
                Ok(Ok(slot)) => return Ok(Look::Retrieve(flight.starting(lane, slot, own))),
                Err(NoSlot::Crowded(free)) => (free, Why::Crowded),
                Ok(Err(free)) | Err(NoSlot::Later(free) | NoSlot::InFlight(free)) => (free, Why::Pace),
                Err(NoSlot::Store(error)) => return Err(error.into()),
            },
        };
        let until = self.queues.promise(&lane, free, gap, now);
        self.troubles.insert(origin.clone(), Trouble { until, cause: Cause::Lane(why) });
        Ok(Look::Held(until, why))
    }

    /// How long a caller waits for another program's retrieval at most: as long as one of its own may take. `until` is
    /// when it would look again.
    pub(crate) fn expect_end(&self, began: Moment, until: Moment) -> Result<(), GateError> {
        let waits = self.pace().pacing().robots_txt_wait.saturating_mul(2);
        if until <= began.after(self.limits.budget.saturating_add(waits)) {
            return Ok(());
        }
        Err(GateError::NotAsked { why: "another program retrieves its robots.txt, and does not end".into(), until })
    }

    /// The lanes of the store, or those in memory.
    fn lanes(&self) -> &dyn Lanes {
        self.pace.kept(self.store.lanes())
    }

    /// What is known of the pace that a site requests.
    pub(crate) fn asked_by(&self, origin: &Origin) -> Asked {
        self.ready.get(origin).map(|known| known.asked.clone()).unwrap_or_default()
    }

    pub(crate) const fn queues(&self) -> &Arc<Queues> {
        &self.queues
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

/// The answer to a request for a slot.
fn slot(taken: Result<Answer, NoSlot>, later: Why) -> Result<Answer, GateError> {
    let (until, why) = match taken {
        Ok(answer) => return Ok(answer),
        Err(NoSlot::Later(until)) => (until, later),
        Err(NoSlot::InFlight(until)) => (until, Why::InFlight),
        Err(NoSlot::Crowded(until)) => (until, Why::Crowded),
        Err(NoSlot::Store(error)) => return Err(error.into()),
    };
    Ok(Answer::NotNow { until, why })
}

/// The same for a lane that was read, or whose hold was lifted.
fn seen<T: Default>(result: Result<T, LaneError>) -> Result<T, GateError> {
    match result {
        Ok(seen) => Ok(seen),
        Err(LaneError::Store(error)) => Err(error.into()),
        Err(LaneError::Crowded(_)) => Ok(T::default()),
    }
}

/// The result of a change of a lane that takes no slot. Without room for another lane there is nothing to change.
fn changed(result: Result<(), NoSlot>) -> Result<(), GateError> {
    match result {
        Err(NoSlot::Store(error)) => Err(error.into()),
        _ => Ok(()),
    }
}
