//! The core of the gate: its settings, its store, its memory, and the slots of requests.
//!
//! Invariant: nothing here waits for a network or reads a clock, and no lock is held while a retrieval runs. A slot is
//! taken from the store, in one step.

use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use quick_cache::sync::Cache;
use robosieve::Agents;
use url::{Host, Url};

use crate::ask::flight::Flights;
use crate::ask::known::{Known, Ready, ready};
use crate::ask::{Answer, Counts};
use crate::decide::{Lifetimes, Policy, Reader, SiteRecord};
use crate::error::Error;
use crate::keep::SharedStore;
use crate::moment::Moment;
use crate::origin::Origin;
use crate::pace::{Asked, Names, PaceBy, Pacing, Page, Slot, Taken, hold_of, host_name};
use crate::retrieve::{AddressGuard, RetrievalLimits};

/// The settings of a gate.
///
/// ```
/// use std::time::Duration;
/// use robosieve::Agents;
/// use robosieve_gate::Settings;
/// use robosieve_gate::decide::Preset;
///
/// let mut settings = Settings::new(Agents::new(["MyBot"]));
/// settings.policy = Preset::Strict.into();
/// settings.lifetimes.retry = Duration::from_secs(600);
/// settings.ignored.push(url::Host::parse("intranet.example").unwrap());
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Settings {
    /// The crawler's agents, in order of preference, and how files are read.
    pub reader: Reader,
    /// What answers mean.
    pub policy: Policy,
    /// How long they are valid, and when a failed site is asked again.
    pub lifetimes: Lifetimes,
    /// How requests are paced.
    pub pacing: Pacing,
    /// The limits of a retrieval.
    pub limits: RetrievalLimits,
    /// Which addresses and ports may be asked.
    pub guard: AddressGuard,
    /// The hosts whose robots.txt is ignored and not requested: everything is allowed, at the pace of the others. For
    /// hosts whose owner has agreed.
    pub ignored: Vec<Host<String>>,
    /// The memory for sites whose testers are ready, in bytes. Our choice: 128 MiB, for some 8,000 sites of the usual
    /// size.
    pub ready_bytes: u64,
}

impl Settings {
    /// The defaults for a crawler with these product tokens, in order of preference.
    pub fn new(agents: Agents) -> Self {
        Self {
            reader: Reader::new(agents),
            policy: Policy::default(),
            lifetimes: Lifetimes::default(),
            pacing: Pacing::default(),
            limits: RetrievalLimits::default(),
            guard: AddressGuard::global_only(),
            ignored: Vec::new(),
            ready_bytes: 128 << 20,
        }
    }
}

impl Default for Settings {
    /// For a crawler without a name: the rules for all.
    fn default() -> Self {
        Self::new(Agents::default())
    }
}

/// What is asked about a URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ask {
    /// May it be fetched at all? Takes no slot, and the wait is zero.
    Permission,
    /// May it be fetched? Takes the next slot of its host, which is at the end of the answer's wait.
    Slot,
    /// May it be fetched now? Takes a slot only if it is free at this moment; otherwise the answer is `wait`. So a
    /// crawler that was held up causes no burst, and one that is killed loses no slot.
    Start,
}

/// The gate without a network and without a clock. [`Gate`](crate::Gate) stands on it; use it directly if your crawler
/// has a client or a runtime of its own.
///
/// ```
/// use std::sync::Arc;
/// use robosieve::Agents;
/// use robosieve_gate::retrieve::Fetched;
/// use robosieve_gate::{Ask, Core, MemoryStore, Moment, Next, Settings};
///
/// let core = Arc::new(Core::new(Settings::new(Agents::new(["MyBot"])), MemoryStore::default()));
/// let (url, now) = ("https://example.com/private/a", Moment::now());
/// let mut next = core.ask(url, Ask::Permission, now);
/// let answer = loop {
///     next = match next {
///         Next::Answer(answer) => break answer,
///         // Here your code waits until the errand starts, and your client requests this.
///         Next::Fetch(errand) => {
///             assert_eq!(errand.request().url.as_str(), "https://example.com/robots.txt");
///             errand.came(Fetched::new(200, "User-agent: *\nDisallow: /private\n"), now)
///         }
///         // And here it waits until that time.
///         Next::Again(_) => core.ask(url, Ask::Permission, now),
///     }
/// };
/// assert_eq!(answer.to_string(), "denied by line 2, Disallow: /private");
/// ```
pub struct Core {
    pub(super) settings: Settings,
    /// The hosts whose robots.txt is ignored, without a final dot.
    ignored: HashSet<String>,
    names: Names,
    pub(super) store: SharedStore,
    pub(super) ready: Ready,
    pub(super) flights: Arc<Flights>,
    /// The sites that are not asked before a moment: with the answer, or none if another program retrieves it.
    pub(super) troubles: Cache<Origin, (Moment, Option<Answer>)>,
    pub(super) counts: Counts,
}

impl fmt::Debug for Core {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Core").field("settings", &self.settings).finish_non_exhaustive()
    }
}

/// What counts as no interval only looks at a lane.
const LEAST: Duration = Duration::from_millis(1);

impl Core {
    /// 10 seconds: after trouble on our side, a site is not asked again for so long. Our choice.
    pub const HOLD_OFF: Duration = Duration::from_secs(10);

    /// 50 milliseconds: after it, those that wait for a retrieval of this program look again. Our choice.
    pub const LOOK_AGAIN: Duration = Duration::from_millis(50);

    /// A site that was put off is not asked again for so long.
    const LEAST_PAUSE: Duration = Duration::from_millis(100);

    /// Creates a gate over a store. A clone of a store is the same store, for another gate.
    pub fn new(settings: Settings, store: impl Into<SharedStore>) -> Self {
        Self {
            ignored: settings.ignored.iter().map(host_name).collect(),
            names: Names::default(),
            store: store.into(),
            ready: ready(settings.ready_bytes),
            flights: Arc::default(),
            troubles: Cache::new(10_000),
            counts: Counts::default(),
            settings,
        }
    }

    /// How it asks and reads.
    pub const fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The store.
    pub const fn store(&self) -> &SharedStore {
        &self.store
    }

    /// What this core did since it was made.
    pub const fn counts(&self) -> &Counts {
        &self.counts
    }

    /// Says to all who ask about the site that it has no slot before that.
    pub(super) fn put_off_until(&self, origin: &Origin, until: Moment, why: &'static str, now: Moment) -> Answer {
        // Later than now, so that whoever asks again gets an answer.
        let until = until.max(now.after(Self::LEAST_PAUSE));
        self.put_off(origin, until, Answer::not_before(until, why, now))
    }

    /// Gives this answer to all who ask about the site before it may be asked.
    pub(super) fn put_off(&self, origin: &Origin, until: Moment, answer: Answer) -> Answer {
        self.troubles.insert(origin.clone(), (until, Some(answer.clone())));
        answer
    }

    /// Allowed, with the slot that is asked for; or not now.
    pub(super) fn slot(&self, origin: &Origin, asked: &Asked, ask: Ask, now: Moment) -> Result<Answer, Error> {
        let (within, why) = match ask {
            Ask::Permission => return Ok(Answer::go(Duration::ZERO)),
            Ask::Slot => (self.settings.pacing.max_wait, "queue"),
            Ask::Start => (Duration::ZERO, "pace"),
        };
        let interval = self.settings.pacing.interval(asked, now).max(LEAST);
        let taken = self.take(origin, Slot { interval, within }, now)?;
        if taken.is_yours {
            return Ok(Answer::go(taken.wait));
        }
        let why = if taken.held.is_zero() { why } else { "held" };
        Ok(Answer::not_before(now.after(taken.wait), why, now))
    }

    pub(super) fn take(&self, origin: &Origin, slot: Slot, now: Moment) -> Result<Taken, Error> {
        if self.settings.pacing.by == PaceBy::RegisteredDomain {
            // A hold is its host's own, and the lane is others' too.
            let held = self.held(origin, now)?;
            if !held.is_zero() {
                return Ok(Taken { is_yours: false, wait: held, held });
            }
        }
        self.store.take(&self.lane_of(origin), &self.settings.pacing, slot, now)
    }

    /// How long an origin's host holds its requests.
    pub(super) fn held(&self, origin: &Origin, now: Moment) -> Result<Duration, Error> {
        let look = Slot { interval: Duration::ZERO, within: Duration::ZERO };
        Ok(self.store.take(&self.lane_of_hold(origin), &self.settings.pacing, look, now)?.held)
    }

    fn lane_of(&self, origin: &Origin) -> String {
        self.names.lane(origin, self.settings.pacing.by)
    }

    /// The lane where the hold of an origin's host is.
    fn lane_of_hold(&self, origin: &Origin) -> String {
        if self.settings.pacing.by == PaceBy::RegisteredDomain { hold_of(origin) } else { self.lane_of(origin) }
    }

    /// The slot of a request for robots.txt, if one is free soon; otherwise when one is, and why not sooner.
    pub(super) fn slot_for_robots_txt(
        &self,
        origin: &Origin,
        now: Moment,
    ) -> Result<Result<Moment, (Moment, &'static str)>, Error> {
        let interval = self.interval(origin, now).max(LEAST);
        let taken = self.take(origin, Slot { interval, within: self.settings.pacing.robots_txt_wait }, now)?;
        let (at, why) = (now.after(taken.wait), if taken.held.is_zero() { "pace" } else { "held" });
        Ok(if taken.is_yours { Ok(at) } else { Err((at, why)) })
    }

    /// The slot of the request after a redirect; otherwise when to begin anew.
    pub(super) fn slot_of(&self, url: &Url, now: Moment) -> Result<Moment, Moment> {
        // If the lane is not known, nothing is requested.
        let unknown = |_| now.after(Self::HOLD_OFF);
        let slot = Origin::of_url(url).and_then(|origin| self.slot_for_robots_txt(&origin, now));
        slot.map_err(unknown)?.map_err(|(until, _)| until)
    }

    /// Lifts the hold of an origin's host, and returns whether there was one. Its pace stays.
    pub(super) fn lift(&self, origin: &Origin, now: Moment) -> Result<bool, Error> {
        let was_held = !self.held(origin, now)?.is_zero();
        if was_held {
            self.store.observe(&self.lane_of_hold(origin), &self.settings.pacing, &Page::LIFTS, now)?;
        }
        Ok(was_held)
    }

    /// Takes in how a request for a page ended: see [`Page`].
    ///
    /// # Errors
    /// If the URL is not one that can have a robots.txt, or if the store fails.
    pub fn observe(&self, url: &str, page: &Page, now: Moment) -> Result<(), Error> {
        self.observe_page(&Origin::of(url)?, page, now)
    }

    pub(super) fn observe_page(&self, origin: &Origin, page: &Page, now: Moment) -> Result<(), Error> {
        let (lane, pacing) = (self.lane_of(origin), &self.settings.pacing);
        if pacing.by == PaceBy::Host {
            return self.store.observe(&lane, pacing, page, now);
        }
        self.store.observe(&lane, pacing, &Page { retry_after: None, ..*page }, now)?;
        let hold = hold_of(origin);
        // Of a host that nobody asked about there is nothing to keep.
        if matches!(page.status, Some(429 | 503)) && page.retry_after.is_some() && self.ready.get(origin).is_some() {
            self.store.take(&hold, pacing, Slot { interval: LEAST, within: Duration::MAX }, now)?;
        }
        self.store.observe(&hold, pacing, page, now)
    }

    /// The interval between two requests to a site, as far as it is known. Retrieves nothing.
    pub fn interval(&self, origin: &Origin, now: Moment) -> Duration {
        let asked = self.ready.get(origin).map(|known| known.asked.clone()).unwrap_or_default();
        self.settings.pacing.interval(&asked, now)
    }

    /// Whether the robots.txt of an origin is ignored.
    pub fn ignores_robots_txt(&self, origin: &Origin) -> bool {
        !self.ignored.is_empty() && self.ignored.contains(&host_name(origin.host()))
    }

    pub(super) fn is_due(&self, record: &SiteRecord, now: Moment) -> bool {
        record.is_due(now, &self.settings.policy, &self.settings.lifetimes)
    }

    /// What the store has of a site, within this gate's lifetimes.
    pub(super) fn stored(&self, origin: &Origin) -> Result<Option<SiteRecord>, Error> {
        let record = self.store.get(origin, self.settings.reader.key())?;
        Ok(record.map(|record| record.within(&self.settings.lifetimes)))
    }

    pub(super) fn ready_and_good(&self, origin: &Origin, now: Moment) -> Option<Arc<Known>> {
        self.ready.get(origin).filter(|known| !self.is_due(&known.record, now))
    }

    pub(super) fn keep_ready(&self, origin: &Origin, known: Known) -> Arc<Known> {
        let known = Arc::new(known);
        self.ready.insert(origin.clone(), Arc::clone(&known));
        known
    }
}
