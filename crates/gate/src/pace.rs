//! The pace of requests: the next free slot of each host.
//!
//! Invariant: two slots of a host are never closer than the interval requested with the first of them, with any number
//! of threads. A host is removed only if its slot is in the past and removing it changes nothing. So the limit on hosts
//! never shortens an interval.
//!
//! This is the cell rate algorithm with a burst of one. It is our own code. The crate `governor` fixes the interval
//! when a limiter is made, but a site's interval changes with its file and its response times. It reads a clock of its
//! own, or one for all threads. It refuses a request that is too early, but here the caller gets a slot in the future,
//! so a caller that waits need not compete again.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use robosieve::RecordSet;
use robosieve::value::{AgentValues, RequestRate, VisitTime};
use url::Host;

use crate::moment::Moment;
use crate::origin::Origin;

/// Which sites share a pace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PaceBy {
    /// Sites of one host, with any scheme and port.
    #[default]
    Host,
    /// Sites of one registered domain: `a.example.co.uk` and `b.example.co.uk`, by the public suffix list. An address
    /// has a separate pace, and so has a name that is itself a public suffix.
    RegisteredDomain,
}

impl PaceBy {
    /// The key of an origin's pace.
    ///
    /// ```
    /// use robosieve_gate::{Origin, PaceBy};
    /// let origin = Origin::of("http://www.example.co.uk:8080/")?;
    /// assert_eq!(PaceBy::Host.key(&origin), "www.example.co.uk");
    /// assert_eq!(PaceBy::RegisteredDomain.key(&origin), "example.co.uk");
    /// # Ok::<(), robosieve_gate::OriginError>(())
    /// ```
    #[must_use]
    pub fn key(self, origin: &Origin) -> String {
        match (self, origin.host()) {
            (Self::RegisteredDomain, Host::Domain(name)) => psl::domain_str(name).unwrap_or(name).to_owned(),
            (_, host) => host.to_string(),
        }
    }
}

/// How requests are paced. An upper bound below its lower bound counts as equal to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Pacing {
    /// The interval between two requests if the site requests none. Our choice: 1 second.
    pub default: Duration,
    /// The minimum, even if the site requests less. Our choice: 100 milliseconds.
    pub min: Duration,
    /// The maximum, even if the site requests more. Our choice: 5 minutes, so that no site delays a crawl for days.
    pub max: Duration,
    /// Whether the site's crawl delay and request rates are ignored. The default, the bounds and the response times
    /// still count.
    pub ignore_crawl_delay: bool,
    /// Which sites share a pace.
    pub by: PaceBy,
    /// If set: an interval is at least this multiple of the host's recent response time.
    pub adaptive: Option<u32>,
    /// The longest wait. A request that would have to wait longer gets no slot. Our choice: 1 hour.
    pub max_wait: Duration,
    /// The most hosts with a slot in the future. Our choice: 100,000, which take some 30 MB.
    pub max_hosts: usize,
}

impl Default for Pacing {
    fn default() -> Self {
        Self {
            default: Duration::from_secs(1),
            min: Duration::from_millis(100),
            max: Duration::from_secs(300),
            ignore_crawl_delay: false,
            by: PaceBy::Host,
            adaptive: None,
            max_wait: Duration::from_secs(3_600),
            max_hosts: 100_000,
        }
    }
}

impl Pacing {
    /// The interval for a site that requests this.
    #[must_use]
    pub fn interval(&self, asked: &Asked, now: Moment) -> Duration {
        let asked = if self.ignore_crawl_delay { None } else { asked.interval(now) };
        self.bounded(asked.unwrap_or(self.default))
    }

    fn bounded(&self, interval: Duration) -> Duration {
        interval.min(self.max).max(self.min)
    }
}

/// The pace that a site requests.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    /// Its `Crawl-delay`.
    pub crawl_delay: Option<Duration>,
    /// Its `Request-rate`s.
    pub rates: Vec<RequestRate>,
}

impl Asked {
    /// Reads the requested pace from the groups of a text.
    #[must_use]
    pub fn by(records: &RecordSet<'_>) -> Self {
        let values: Vec<_> = records.records().map(|record| record.shared_values()).collect();
        let delays = values.iter().filter_map(AgentValues::crawl_delay);
        Self {
            crawl_delay: delays.map(|delay| delay.as_duration()).max(),
            rates: values.iter().flat_map(AgentValues::request_rates).collect(),
        }
    }

    /// The longest interval requested at that time of the day. It satisfies all the shorter ones. A rate with hours
    /// counts only in those hours.
    #[must_use]
    pub fn interval(&self, now: Moment) -> Option<Duration> {
        let holds = |rate: &&RequestRate| rate.hours.is_none_or(|hours| is_within(hours, now));
        let rates = self.rates.iter().filter(holds).map(RequestRate::per_page);
        rates.chain(self.crawl_delay).max()
    }
}

fn is_within(hours: VisitTime, now: Moment) -> bool {
    let minute = now.as_millis() / 60_000 % 1_440;
    let (from, to) = (u64::from(hours.from), u64::from(hours.to));
    if from <= to { (from..=to).contains(&minute) } else { minute >= from || minute <= to }
}

/// Why there is no slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoSlot {
    /// When a slot may be free.
    pub until: Moment,
    /// Whether the reason is that too many hosts have slots, not that this host has too many.
    pub is_crowded: bool,
}

/// Gives each request the next free slot of its host.
#[derive(Debug, Default)]
pub struct Pace {
    pacing: Pacing,
    lanes: Mutex<Lanes>,
}

#[derive(Debug, Default)]
struct Lanes {
    by_host: HashMap<Arc<str>, Lane>,
    /// The same hosts, sorted by their next slot.
    by_slot: BTreeSet<(Moment, Arc<str>)>,
}

#[derive(Clone, Copy, Debug)]
struct Lane {
    /// The moment of the next slot.
    free: Moment,
    /// The smoothed response time.
    answers_in: Option<Duration>,
}

impl Pace {
    /// Creates a pace without hosts.
    #[must_use]
    pub fn new(pacing: Pacing) -> Self {
        Self { pacing, lanes: Mutex::default() }
    }

    /// How requests are paced.
    #[must_use]
    pub const fn pacing(&self) -> &Pacing {
        &self.pacing
    }

    /// Takes the next slot of a host, and returns the wait until then. Cost: logarithmic in the number of hosts.
    ///
    /// ```
    /// use std::time::Duration;
    /// use robosieve_gate::{Asked, Moment, Origin, Pace, Pacing};
    /// let pace = Pace::new(Pacing::default());
    /// let (origin, now) = (Origin::of("https://example.com/").unwrap(), Moment::from_millis(0));
    /// assert_eq!(pace.take(&origin, &Asked::default(), now), Ok(Duration::ZERO));
    /// assert_eq!(pace.take(&origin, &Asked::default(), now), Ok(Duration::from_secs(1)));
    /// ```
    ///
    /// # Errors
    /// If the wait would be longer than [`Pacing::max_wait`], or if the host is new and [`Pacing::max_hosts`] have
    /// slots in the future.
    pub fn take(&self, origin: &Origin, asked: &Asked, now: Moment) -> Result<Duration, NoSlot> {
        let key = self.pacing.by.key(origin);
        let asked = self.pacing.interval(asked, now);
        let mut lanes = self.lock();
        let (host, lane) = lanes.lane(&key, now, self.pacing.max_hosts)?;
        let slot = if self.is_believable(lane.free, now) { lane.free.max(now) } else { now };
        let wait = slot.since(now);
        if wait > self.pacing.max_wait {
            return Err(NoSlot { until: slot, is_crowded: false });
        }
        let own = match (self.pacing.adaptive, lane.answers_in) {
            (Some(times), Some(answers_in)) => answers_in.saturating_mul(times),
            _ => Duration::ZERO,
        };
        lanes.set(&host, lane, Lane { free: slot.after(self.pacing.bounded(asked.max(own))), ..lane });
        Ok(wait)
    }

    /// Reports a response time of a host. Each one counts for a quarter of the smoothed time, so one slow page does not
    /// delay a host much, nor does one fast page speed it up much.
    pub fn observe(&self, origin: &Origin, took: Duration, now: Moment) {
        if self.pacing.adaptive.is_none() {
            return;
        }
        let key = self.pacing.by.key(origin);
        let mut lanes = self.lock();
        let Ok((host, lane)) = lanes.lane(&key, now, self.pacing.max_hosts) else { return };
        let smoothed = lane.answers_in.map_or(took, |known| quarter(known.saturating_mul(3).saturating_add(took)));
        // The host is kept as long as this matters, which is until its slot is free.
        lanes.set(&host, lane, Lane { free: lane.free, answers_in: Some(smoothed) });
    }

    /// The number of known hosts.
    #[must_use]
    pub fn hosts(&self) -> usize {
        self.lock().by_host.len()
    }

    /// Whether the slot is within the possible bounds. It is beyond them only if the clock was set back.
    fn is_believable(&self, free: Moment, now: Moment) -> bool {
        free <= now.after(self.pacing.max_wait).after(self.pacing.max.max(self.pacing.min))
    }

    fn lock(&self) -> MutexGuard<'_, Lanes> {
        self.lanes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn quarter(duration: Duration) -> Duration {
    duration.checked_div(4).unwrap_or_default()
}

impl Lanes {
    fn lane(&mut self, key: &str, now: Moment, max_hosts: usize) -> Result<(Arc<str>, Lane), NoSlot> {
        if let Some((host, lane)) = self.by_host.get_key_value(key) {
            return Ok((Arc::clone(host), *lane));
        }
        while self.by_host.len() >= max_hosts.max(1)
            && let Some((free, host)) = self.by_slot.first()
        {
            if *free > now {
                return Err(NoSlot { until: *free, is_crowded: true });
            }
            self.by_host.remove(host);
            self.by_slot.pop_first();
        }
        Ok((Arc::from(key), Lane { free: now, answers_in: None }))
    }

    fn set(&mut self, host: &Arc<str>, before: Lane, lane: Lane) {
        self.by_slot.remove(&(before.free, Arc::clone(host)));
        self.by_slot.insert((lane.free, Arc::clone(host)));
        self.by_host.insert(Arc::clone(host), lane);
    }
}
