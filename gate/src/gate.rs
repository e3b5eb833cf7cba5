//! The gate: qualifies a site, remembers it, paces the requests to it, and answers.
//!
//! Invariant: what is remembered and not due is answered without a retrieval, and one origin is retrieved once at a time, however many
//! ask. The time is the caller's, everywhere.

use std::sync::Arc;
use std::time::Duration;

use quick_cache::sync::Cache;
use robosieve::{Access, Agents, HttpUrl, Reason};
use url::Url;

use crate::answer::{Answer, GateError, Why};
use crate::flight::Flights;
use crate::known::{Known, Weight};
use crate::lifetimes::Lifetimes;
use crate::moment::Moment;
use crate::origin::{Origin, OriginError};
use crate::pace::{Asked, NoSlot, Pace, Pacing};
use crate::policy::Policy;
use crate::printable::printable;
use crate::reader::Reader;
use crate::retriever::Retriever;
use crate::site::{SiteRecord, Snapshot, Standing};
use crate::site_report::SiteReport;
use crate::store::SiteStore;

/// Answers whether a URL may be fetched now, and retrieves what it needs to know for that.
///
/// One gate serves any number of threads. Pace and readied testers belong to the gate; what is remembered belongs to the store, which
/// several programs may share. Cost of an answer: under two microseconds where the site is known and its rules are few; else a read from
/// the store and of the text; else a retrieval, and that is minutes where a site hangs.
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
    /// 128 MiB: how much room there is for sites made ready to answer. House: some 10,000 sites of the usual size.
    pub const READY_OCTETS: u64 = 128 << 20;

    /// A gate for a crawler with these product tokens, the preferred first, by the standard: [`Policy`], [`Lifetimes`] and [`Pacing`]
    /// are the defaults.
    #[must_use]
    pub fn new(retriever: R, store: S, agents: Agents) -> Self {
        Self {
            retriever,
            store,
            reader: Reader::new(agents),
            policy: Policy::default(),
            lifetimes: Lifetimes::default(),
            pace: Pace::default(),
            ready: Cache::with_weighter(10_000, Self::READY_OCTETS, Weight),
            flights: Flights::default(),
        }
    }

    /// Another way of reading.
    #[must_use]
    pub fn reader(self, reader: Reader) -> Self {
        Self { reader, ready: Cache::with_weighter(10_000, Self::READY_OCTETS, Weight), ..self }
    }

    /// Another policy: one's own, or a [`Preset`](crate::Preset).
    #[must_use]
    pub fn policy(self, policy: impl Into<Policy>) -> Self {
        Self { policy: policy.into(), ..self }
    }

    /// Other lifetimes.
    #[must_use]
    pub fn lifetimes(self, lifetimes: Lifetimes) -> Self {
        Self { lifetimes, ..self }
    }

    /// Another pace.
    #[must_use]
    pub fn pacing(self, pacing: Pacing) -> Self {
        Self { pace: Pace::new(pacing), ..self }
    }

    /// Room for so many octets of sites made ready to answer, instead of [`Gate::READY_OCTETS`].
    #[must_use]
    pub fn ready_octets(self, octets: u64) -> Self {
        Self { ready: Cache::with_weighter(10_000, octets, Weight), ..self }
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

    /// Tells in which time a URL was answered, for [`Pacing::adaptive`].
    ///
    /// # Errors
    /// If the URL has no robots.txt.
    pub fn observe(&self, url: &str, took: Duration, now: Moment) -> Result<(), GateError> {
        self.pace.observe(&Origin::of(url)?, took, now);
        Ok(())
    }
}

impl<R: Retriever, S: SiteStore> Gate<R, S> {
    /// May this URL be fetched now? An answer that allows it takes the host's next slot.
    ///
    /// # Errors
    /// If the URL is not an absolute one of http or https, or the store fails.
    pub fn check(&self, url: &str, now: Moment) -> Result<Answer, GateError> {
        self.answer(url, now, |origin, asked, now| match self.pace.take(origin, asked, now) {
            Ok(wait) => Answer::Allowed { wait },
            Err(NoSlot { until, is_crowded: true }) => Answer::NotNow { until, why: Why::Crowded },
            Err(NoSlot { until, is_crowded: false }) => Answer::NotNow { until, why: Why::Queue },
        })
    }

    /// May this URL be fetched at all? As [`Gate::check`], but takes no slot; the wait is always zero.
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

    /// The site, asked if it is due, and what time it is then: later by the time that the retrieval took.
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
        // Whatever clock the retriever has, this gate's is its callers'.
        let took = retrieval.ended.since(retrieval.began);
        (retrieval.began, retrieval.ended) = (now, now.after(took));
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

    /// Asks the site if it is due, and reports on it.
    ///
    /// # Errors
    /// If the store fails.
    pub fn qualify(&self, origin: &Origin, now: Moment) -> Result<SiteReport, GateError> {
        let (known, now) = self.known(origin, now)?;
        Ok(self.report_on(origin, &known.record, now))
    }

    /// What is remembered of a site, for this gate's reader; nothing is retrieved.
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

    /// Whether a question about the site would be answered without a retrieval.
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

    /// Forgets a site, its failures included, and says whether it was known. Other programs that share the store notice when the site
    /// is due.
    ///
    /// # Errors
    /// If the store fails.
    pub fn clear(&self, origin: &Origin) -> Result<bool, GateError> {
        // In turn with a retrieval, so that one that is under way can't bring back what is cleared.
        self.flights.alone(origin, || {
            let was_stored = self.store.remove(origin, self.reader.key())?;
            Ok(self.ready.remove(origin).is_some() || was_stored)
        })
    }

    /// Forgets all sites, those of other readers in the same store included. Retrievals that are under way are remembered.
    ///
    /// # Errors
    /// If the store fails.
    pub fn clear_all(&self) -> Result<(), GateError> {
        self.store.clear()?;
        self.ready.clear();
        Ok(())
    }

    /// The sitemaps that the site names, asked if it is due; none where its rules do not hold.
    ///
    /// # Errors
    /// If the store fails.
    pub fn sitemaps(&self, origin: &Origin, now: Moment) -> Result<Vec<HttpUrl>, GateError> {
        let (known, now) = self.known(origin, now)?;
        let said = self.said(&known, now);
        Ok(said.map(|snapshot| self.reader.records(&snapshot.text).sitemaps()).unwrap_or_default())
    }

    /// The crawl delay that the site asks of this crawler, asked if it is due; none where its rules do not hold.
    ///
    /// # Errors
    /// If the store fails.
    pub fn crawl_delay(&self, origin: &Origin, now: Moment) -> Result<Option<Duration>, GateError> {
        let (known, now) = self.known(origin, now)?;
        Ok(self.said(&known, now).and(known.asked.crawl_delay))
    }

    /// What the site says, if that holds.
    fn said<'k>(&self, known: &'k Known, now: Moment) -> Option<&'k Snapshot> {
        match known.record.standing(now, &self.policy, &self.lifetimes) {
            Standing::Said { snapshot, .. } if snapshot.access == Access::Rules => Some(snapshot),
            _ => None,
        }
    }
}

/// Why what the site says forbids a URL, if it does.
fn denial(known: &Known, snapshot: &Snapshot, url: &Url, until: Moment) -> Option<Answer> {
    let verdict = known.tester.test(url.as_str().as_bytes());
    if verdict.allowed() {
        return None;
    }
    Some(match verdict.reason() {
        Reason::Rule(rule) => Answer::Denied {
            // A store's text may have been changed by hand.
            rule: printable(&format!("{}: {}", rule.kind().as_str(), rule.pattern().as_bstr())),
            line: rule.line(),
        },
        Reason::NoRule | Reason::RobotsTxt | Reason::Status(_) => {
            Answer::Closed { status: snapshot.status, failures: 0, until }
        }
    })
}
