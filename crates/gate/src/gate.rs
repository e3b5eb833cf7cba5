//! The gate: retrieves a site's robots.txt when it is due, remembers the site, paces its requests, and answers.
//!
//! Invariant: a site that is remembered and not due is answered without a retrieval. Only one retrieval of an origin
//! runs at a time, with any number of callers. The caller always gives the time.

use std::sync::Arc;
use std::time::Duration;

use quick_cache::sync::Cache;
use robosieve::Agents;
use robosieve::value::HttpUrl;
use robosieve::verdict::{SiteAccess, VerdictReason};
use url::Url;

use crate::answer::{Answer, GateError, Why};
use crate::findings::Findings;
use crate::flight::Flights;
use crate::known::{Known, Weight};
use crate::lifetimes::Lifetimes;
use crate::moment::Moment;
use crate::origin::{Origin, OriginError};
use crate::pace::{Asked, NoSlot, Pace, Pacing};
use crate::policy::Policy;
use crate::printable::shown;
use crate::reader::Reader;
use crate::retriever::Retriever;
use crate::site::{SiteRecord, Snapshot, Standing};
use crate::site_report::SiteReport;
use crate::store::SiteStore;

/// Answers whether a URL may be fetched now, and retrieves robots.txt if that is needed.
///
/// One gate serves any number of threads. The gate has the pace and the testers in memory. The store has what is
/// remembered, and several programs may share it. Cost of an answer: under two microseconds for a known site with few
/// rules; otherwise a read from the store and parsing the text; otherwise a retrieval, which takes minutes if a site
/// hangs.
///
/// ```
/// use std::time::Duration;
/// use robosieve::Agents;
/// use robosieve_gate::{Answer, Gate, MemoryStore, Moment, Origin, Outcome, Retrieval, Retriever};
///
/// struct Always(&'static str);
/// impl Retriever for Always {
///     fn retrieve(&self, origin: &Origin) -> Retrieval {
///         Retrieval {
///             origin: origin.clone(),
///             outcome: Outcome::Rules,
///             cut: None,
///             status: Some(200),
///             body: self.0.into(),
///             redirects: vec![],
///             fresh_for: None,
///             retry_after: None,
///             attempts: vec![],
///             began: Moment::default(),
///             ended: Moment::default(),
///         }
///     }
/// }
///
/// let file = Always("User-agent: MyBot\nDisallow: /private\nCrawl-delay: 5\n");
/// let gate = Gate::new(file, MemoryStore::default(), Agents::new(["MyBot"]));
/// let now = Moment::now();
/// assert_eq!(gate.check("https://example.com/a", now)?, Answer::Allowed { wait: Duration::ZERO });
/// assert_eq!(gate.check("https://example.com/b", now)?, Answer::Allowed { wait: Duration::from_secs(5) });
/// let denied = gate.check("https://example.com/private/c", now)?;
/// assert_eq!(denied, Answer::Denied { rule: "Disallow: /private".into(), line: 2 });
/// # Ok::<(), robosieve_gate::GateError>(())
/// ```
#[derive(Debug)]
pub struct Gate<R, S> {
    retriever: R,
    store: S,
    reader: Reader,
    policy: Policy,
    lifetimes: Lifetimes,
    pace: Pace,
    ready: Cache<Origin, Arc<Known>, Weight>,
    flights: Flights,
}

impl<R, S> Gate<R, S> {
    /// 128 MiB: the memory for sites whose testers are ready. Our choice: some 10,000 sites of the usual size.
    pub const READY_BYTES: u64 = 128 << 20;

    /// Creates a gate for a crawler with these product tokens, in order of preference. [`Policy`], [`Lifetimes`] and
    /// [`Pacing`] have their defaults, which follow the standard.
    #[must_use]
    pub fn new(retriever: R, store: S, agents: Agents) -> Self {
        Self {
            retriever,
            store,
            reader: Reader::new(agents),
            policy: Policy::default(),
            lifetimes: Lifetimes::default(),
            pace: Pace::default(),
            ready: Cache::with_weighter(10_000, Self::READY_BYTES, Weight),
            flights: Flights::default(),
        }
    }

    /// Sets the reader.
    #[must_use]
    pub fn reader(self, reader: Reader) -> Self {
        Self { reader, ready: Cache::with_weighter(10_000, Self::READY_BYTES, Weight), ..self }
    }

    /// Sets the policy: your own, or a [`Preset`](crate::Preset).
    #[must_use]
    pub fn policy(self, policy: impl Into<Policy>) -> Self {
        Self { policy: policy.into(), ..self }
    }

    /// Sets the lifetimes.
    #[must_use]
    pub fn lifetimes(self, lifetimes: Lifetimes) -> Self {
        Self { lifetimes, ..self }
    }

    /// Sets the pacing.
    #[must_use]
    pub fn pacing(self, pacing: Pacing) -> Self {
        Self { pace: Pace::new(pacing), ..self }
    }

    /// Sets the memory for sites whose testers are ready, in bytes, instead of [`Gate::READY_BYTES`].
    #[must_use]
    pub fn ready_bytes(self, bytes: u64) -> Self {
        Self { ready: Cache::with_weighter(10_000, bytes, Weight), ..self }
    }

    /// The store.
    #[must_use]
    pub const fn store(&self) -> &S {
        &self.store
    }

    /// The retriever.
    #[must_use]
    pub const fn retriever(&self) -> &R {
        &self.retriever
    }

    /// Reports the response time of a URL, for [`Pacing::adaptive`]. The gate itself reports the time of each retrieval
    /// that got a response.
    ///
    /// # Errors
    /// If the URL is not one that can have a robots.txt.
    pub fn observe(&self, url: &str, took: Duration, now: Moment) -> Result<(), GateError> {
        self.pace.observe(&Origin::of(url)?, took, now);
        Ok(())
    }
}

impl<R: Retriever, S: SiteStore> Gate<R, S> {
    /// May this URL be fetched now? [`Answer::Allowed`] takes the host's next slot.
    ///
    /// # Errors
    /// If the URL is not absolute or not http or https, or if the store fails.
    pub fn check(&self, url: &str, now: Moment) -> Result<Answer, GateError> {
        self.answer(url, now, |origin, asked, now| match self.pace.take(origin, asked, now) {
            Ok(wait) => Answer::Allowed { wait },
            Err(NoSlot { until, is_crowded: true }) => Answer::NotNow { until, why: Why::Crowded },
            Err(NoSlot { until, is_crowded: false }) => Answer::NotNow { until, why: Why::Queue },
        })
    }

    /// May this URL be fetched at all? Works like [`Gate::check`] but takes no slot. The wait is always zero.
    ///
    /// # Errors
    /// As for [`Gate::check`].
    pub fn permits(&self, url: &str, now: Moment) -> Result<Answer, GateError> {
        self.answer(url, now, |_, _, _| Answer::Allowed { wait: Duration::ZERO })
    }

    fn answer(
        &self,
        url: &str,
        now: Moment,
        allowed: impl FnOnce(&Origin, &Asked, Moment) -> Answer,
    ) -> Result<Answer, GateError> {
        let url = Url::parse(url).map_err(|_| OriginError::NoUrl)?;
        let origin = Origin::of_url(&url)?;
        if url.path() == "/robots.txt" && url.query().is_none() {
            return Ok(allowed(&origin, &Asked::default(), now));
        }
        let (known, now) = self.known(&origin, now)?;
        let record = &known.record;
        let until = record.next_attempt;
        let (status, class) = record.last.map_or((None, None), |last| (last.status, Some(last.class)));
        let class = class.unwrap_or(crate::Class::NoAnswer);
        let failures = record.failures;
        let not_now = |why| Ok(Answer::NotNow { until, why });
        match record.standing(now, &self.policy, &self.lifetimes) {
            Standing::Said { snapshot, .. } => {
                Ok(denial(&known, snapshot, &url, until).unwrap_or_else(|| allowed(&origin, &known.asked, now)))
            }
            Standing::Meanwhile(true) => Ok(allowed(&origin, &Asked::default(), now)),
            Standing::Meanwhile(false) => Ok(Answer::Closed { status, failures, until }),
            Standing::Unknown | Standing::Unreachable => not_now(Why::Unreachable { class, failures }),
            Standing::Disqualified => not_now(Why::Disqualified { class, failures }),
            Standing::GivenUp => not_now(Why::GivenUp { failures }),
        }
    }

    /// The site, retrieved if it is due, and the current time: the given time plus the time of the retrieval.
    fn known(&self, origin: &Origin, now: Moment) -> Result<(Arc<Known>, Moment), GateError> {
        if let Some(known) = self.ready_and_good(origin, now) {
            return Ok((known, now));
        }
        let known = self.flights.alone(origin, || match self.ready_and_good(origin, now) {
            Some(known) => Ok(known),
            None => self.look_up_or_retrieve(origin, now),
        })?;
        let now = known.record.last.map_or(now, |last| last.at.max(now));
        Ok((known, now))
    }

    fn ready_and_good(&self, origin: &Origin, now: Moment) -> Option<Arc<Known>> {
        self.ready.get(origin).filter(|known| !known.record.is_due(now, &self.policy))
    }

    fn look_up_or_retrieve(&self, origin: &Origin, now: Moment) -> Result<Arc<Known>, GateError> {
        let stored = self.store.get(origin, self.reader.key())?.unwrap_or_default();
        if !stored.is_due(now, &self.policy) {
            return Ok(self.make_ready(origin, stored));
        }
        let mut retrieval = self.retriever.retrieve(origin);
        // The retriever may use another clock. The gate uses its caller's.
        let took = retrieval.ended.since(retrieval.began);
        (retrieval.began, retrieval.ended) = (now, now.after(took));
        if retrieval.status.is_some() {
            self.pace.observe(origin, took, retrieval.ended);
        }
        let contents = self.reader.read(&retrieval);
        let record = stored.after(&retrieval, contents, &self.policy, &self.lifetimes);
        let known = self.make_ready(origin, record);
        self.store.put(origin, self.reader.key(), &known.record)?;
        Ok(known)
    }

    fn make_ready(&self, origin: &Origin, record: SiteRecord) -> Arc<Known> {
        let known = Arc::new(Known::new(record, &self.reader));
        self.ready.insert(origin.clone(), Arc::clone(&known));
        known
    }

    /// Retrieves robots.txt if the site is due, and reports on the site.
    ///
    /// # Errors
    /// If the store fails.
    pub fn qualify(&self, origin: &Origin, now: Moment) -> Result<SiteReport, GateError> {
        let (known, now) = self.known(origin, now)?;
        Ok(self.report_on(origin, &known.record, now))
    }

    /// The report on what is remembered of a site, for this gate's reader. Retrieves nothing.
    ///
    /// # Errors
    /// If the store fails.
    pub fn report(&self, origin: &Origin, now: Moment) -> Result<Option<SiteReport>, GateError> {
        let record = self.store.get(origin, self.reader.key())?;
        Ok(record.map(|record| self.report_on(origin, &record, now)))
    }

    fn report_on(&self, origin: &Origin, record: &SiteRecord, now: Moment) -> SiteReport {
        SiteReport::of(origin, self.reader.key(), record, now, &self.policy, &self.lifetimes)
    }

    /// Whether a question about the site can be answered without a retrieval.
    ///
    /// # Errors
    /// If the store fails.
    pub fn is_cached(&self, origin: &Origin, now: Moment) -> Result<bool, GateError> {
        if self.ready_and_good(origin, now).is_some() {
            return Ok(true);
        }
        let record = self.store.get(origin, self.reader.key())?;
        Ok(record.is_some_and(|record| !record.is_due(now, &self.policy)))
    }

    /// Forgets a site with its failures, and returns whether it was known. Other programs that share the store notice
    /// this when the site is due.
    ///
    /// # Errors
    /// If the store fails.
    pub fn clear(&self, origin: &Origin) -> Result<bool, GateError> {
        // Waits for a retrieval that is running, so that it can't bring back what is cleared.
        self.flights.alone(origin, || {
            let was_stored = self.store.remove(origin, self.reader.key())?;
            Ok(self.ready.remove(origin).is_some() || was_stored)
        })
    }

    /// Forgets all sites, also those of other readers in the same store. Retrievals that are running are still stored.
    ///
    /// # Errors
    /// If the store fails.
    pub fn clear_all(&self) -> Result<(), GateError> {
        self.store.clear()?;
        self.ready.clear();
        Ok(())
    }

    /// The site's sitemaps, after a retrieval if the site is due. Empty if the site has no valid rules.
    ///
    /// # Errors
    /// If the store fails.
    pub fn sitemaps(&self, origin: &Origin, now: Moment) -> Result<Vec<HttpUrl>, GateError> {
        let (known, now) = self.known(origin, now)?;
        let said = self.said(&known, now);
        Ok(said.map(|snapshot| self.reader.records(&snapshot.text).sitemaps()).unwrap_or_default())
    }

    /// The crawl delay that the site requests from this crawler, after a retrieval if the site is due. `None` if the
    /// site has no valid rules.
    ///
    /// # Errors
    /// If the store fails.
    pub fn crawl_delay(&self, origin: &Origin, now: Moment) -> Result<Option<Duration>, GateError> {
        let (known, now) = self.known(origin, now)?;
        Ok(self.said(&known, now).and(known.asked.crawl_delay))
    }

    /// The findings in the file that an answer is based on: its rules answer, or its errors made the policy answer.
    /// Retrieves nothing.
    ///
    /// # Errors
    /// If the store fails.
    pub fn findings(&self, origin: &Origin, now: Moment) -> Result<Option<Arc<Findings>>, GateError> {
        let known = match self.ready.get(origin) {
            Some(known) => known,
            None => match self.store.get(origin, self.reader.key())? {
                Some(record) => self.make_ready(origin, record),
                None => return Ok(None),
            },
        };
        let is_said = matches!(known.record.standing(now, &self.policy, &self.lifetimes), Standing::Said { .. });
        Ok(known.findings.clone().filter(|_| is_said))
    }

    /// The snapshot, if its rules are valid now.
    fn said<'k>(&self, known: &'k Known, now: Moment) -> Option<&'k Snapshot> {
        match known.record.standing(now, &self.policy, &self.lifetimes) {
            Standing::Said { snapshot, .. } if snapshot.access == SiteAccess::Rules => Some(snapshot),
            _ => None,
        }
    }
}

/// The answer that denies a URL, if the site's rules or its status disallow it.
fn denial(known: &Known, snapshot: &Snapshot, url: &Url, until: Moment) -> Option<Answer> {
    let verdict = known.tester.test(url.as_str().as_bytes());
    if verdict.allowed() {
        return None;
    }
    Some(match verdict.reason() {
        VerdictReason::Rule(rule) => Answer::Denied {
            // The text in a store may have been changed by hand.
            rule: shown(&format!("{}: {}", rule.kind().as_str(), rule.pattern().as_bstr())),
            line: rule.line(),
        },
        VerdictReason::NoRule | VerdictReason::RobotsTxt | VerdictReason::Status(_) => {
            Answer::Closed { status: snapshot.status, failures: 0, until }
        }
    })
}
