//! The gate for threads: it retrieves a site's robots.txt when it is due, and blocks meanwhile.
//!
//! Invariant: all decisions are the core's. This adds a retriever, and waiting.

use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use robosieve::agent::Agents;
use robosieve::value::HttpUrl;

use crate::ask::answer::{Answer, GateError};
use crate::ask::flight::Learnt;
use crate::ask::gate_core::{Cleared, GateCore, Next};
use crate::decide::site_report::SiteReport;
use crate::keep::SharedStore;
use crate::moment::Moment;
use crate::origin::Origin;
use crate::retrieve::retriever::Retriever;

/// Answers whether a URL may be fetched now, and retrieves robots.txt if that is needed.
///
/// One gate serves any number of threads. The gate has the pace and the testers in memory. The store has what is
/// remembered, and several programs may share it. Cost of an answer: under two microseconds for a known site with few
/// rules; otherwise a read from the store and parsing the text; otherwise a retrieval, which takes minutes if a site
/// hangs.
///
/// ```
/// use std::time::Duration;
/// use robosieve::agent::Agents;
/// use robosieve_gate::{Answer, Gate, MemoryStore, Moment, Origin};
/// use robosieve_gate::retrieve::{Outcome, Retrieval, Retriever};
///
/// struct Always(&'static str);
/// impl Retriever for Always {
///     fn retrieve(&self, origin: &Origin) -> Retrieval {
///         Retrieval::of(origin.clone(), Outcome::Rules, Some(200), self.0, Moment::now())
///     }
/// }
///
/// let file = Always("User-agent: MyBot\nDisallow: /private\nCrawl-delay: 5\n");
/// let gate = Gate::new(file, MemoryStore::default(), Agents::new(["MyBot"]));
/// let now = Moment::now();
/// // The request for robots.txt counts, so the first page waits too.
/// assert_eq!(gate.check("https://example.com/a", now)?, Answer::Allowed { wait: Duration::from_secs(5), ignored: false, shortened: None });
/// assert_eq!(gate.check("https://example.com/b", now)?, Answer::Allowed { wait: Duration::from_secs(10), ignored: false, shortened: None });
/// let denied = gate.check("https://example.com/private/c", now)?;
/// assert_eq!(denied, Answer::Denied { rule: "Disallow: /private".into(), line: 2 });
/// # Ok::<(), robosieve_gate::GateError>(())
/// ```
#[derive(Debug)]
pub struct Gate<R> {
    retriever: R,
    core: Arc<GateCore>,
}

impl<R> Gate<R> {
    /// Creates a gate for a crawler with these product tokens, with defaults: as [`GateCore::new`].
    #[must_use]
    pub fn new(retriever: R, store: impl Into<SharedStore>, agents: Agents) -> Self {
        Self::over(retriever, GateCore::new(store, agents))
    }

    /// Creates a gate over a core, on which the rest is set.
    #[must_use]
    pub fn over(retriever: R, core: impl Into<Arc<GateCore>>) -> Self {
        Self { retriever, core: core.into() }
    }

    /// The core.
    #[must_use]
    pub fn core(&self) -> &GateCore {
        &self.core
    }

    /// The retriever.
    #[must_use]
    pub const fn retriever(&self) -> &R {
        &self.retriever
    }
}

/// What needs no retrieval is the core's: reports, how pages ended, the time.
impl<R> Deref for Gate<R> {
    type Target = GateCore;

    fn deref(&self) -> &GateCore {
        &self.core
    }
}

impl<R: Retriever> Gate<R> {
    /// May this URL be fetched now? [`Answer::Allowed`] takes the host's next slot.
    ///
    /// # Errors
    /// If the URL is not absolute or not http or https, or if the store fails.
    pub fn check(&self, url: &str, now: Moment) -> Result<Answer, GateError> {
        self.until_known(now, |now, held| self.core.ask_with(url, now, held))
    }

    /// May this URL be fetched at all? Works like [`Gate::check`] but takes no slot. The wait is always zero.
    ///
    /// # Errors
    /// As for [`Gate::check`].
    pub fn permits(&self, url: &str, now: Moment) -> Result<Answer, GateError> {
        self.until_known(now, |now, held| self.core.permission_with(url, now, held))
    }

    /// As [`Gate::check`], if that needs no retrieval and waits for none; otherwise `None`, and no slot is taken. It may
    /// wait for the store.
    ///
    /// # Errors
    /// As for [`Gate::check`].
    pub fn check_if_known(&self, url: &str, now: Moment) -> Result<Option<Answer>, GateError> {
        if self.core.needs_retrieval(url, now)? {
            return Ok(None);
        }
        match self.core.ask(url, now)? {
            Next::Answer(answer) => Ok(Some(answer)),
            // It is due since. The flight goes to the next caller.
            Next::Retrieve(_) | Next::Wait(_) | Next::Again(_) => Ok(None),
        }
    }

    /// May this URL be fetched, and now? As [`GateCore::start`].
    ///
    /// # Errors
    /// As for [`Gate::check`].
    pub fn start(&self, url: &str, now: Moment) -> Result<Answer, GateError> {
        self.until_known(now, |now, held| self.core.start_with(url, now, held))
    }

    /// Asks until there is an answer. What has just been learnt is passed on, so there is at most one retrieval.
    fn until_known<T>(
        &self,
        now: Moment,
        ask: impl Fn(Moment, Option<Learnt>) -> Result<Next<T>, GateError>,
    ) -> Result<T, GateError> {
        let (began, mut now, mut held) = (now, now, None);
        loop {
            match ask(now, held)? {
                Next::Answer(answer) => return Ok(answer),
                Next::Wait(pending) => held = pending.wait_for_learnt(),
                Next::Again(until) => {
                    self.core.expect_end(began, until)?;
                    self.retriever.wait(until.since(now));
                    (now, held) = (until, None);
                }
                Next::Retrieve(flight) => {
                    let wait = flight.starts_at().map_or(Duration::ZERO, |slot| slot.since(now));
                    if !wait.is_zero() {
                        self.retriever.wait(wait);
                        now = now.after(wait);
                    }
                    let turns = self.core.turns(&flight, now);
                    let retrieval = self.retriever.retrieve_in_turn(flight.origin(), flight.held(), &*turns);
                    drop(turns);
                    now = now.after(retrieval.ended.since(retrieval.began));
                    self.core.learn(flight.origin(), retrieval, now)?;
                    held = flight.learnt();
                }
            }
        }
    }

    /// Retrieves robots.txt if the site is due, and reports on the site.
    ///
    /// # Errors
    /// If the store fails.
    pub fn qualify(&self, origin: &Origin, now: Moment) -> Result<SiteReport, GateError> {
        self.until_known(now, |now, held| self.core.qualify_with(origin, now, held))
    }

    /// Forgets a site with its failures, and returns whether it was known. Waits for a retrieval that is running.
    ///
    /// # Errors
    /// If the store fails.
    pub fn clear(&self, origin: &Origin) -> Result<bool, GateError> {
        loop {
            match self.core.clear(origin)? {
                Cleared::Done(was_known) => return Ok(was_known),
                Cleared::Wait(pending) => pending.wait(),
            }
        }
    }

    /// The site's sitemaps, after a retrieval if the site is due. Empty if the site has no valid rules.
    ///
    /// # Errors
    /// If the store fails.
    pub fn sitemaps(&self, origin: &Origin, now: Moment) -> Result<Vec<HttpUrl>, GateError> {
        self.until_known(now, |now, held| self.core.sitemaps_with(origin, now, held))
    }

    /// The crawl delay that the site requests from this crawler, after a retrieval if the site is due. `None` if the
    /// site has no valid rules.
    ///
    /// # Errors
    /// If the store fails.
    pub fn crawl_delay(&self, origin: &Origin, now: Moment) -> Result<Option<Duration>, GateError> {
        self.until_known(now, |now, held| self.core.crawl_delay_with(origin, now, held))
    }
}
