//! How fast: the next free slot of each host.
//!
//! Invariant: two slots of a host are never closer than the interval that was asked for with the first of them, however many threads
//! ask. A host is forgotten only when its slot lies in the past and forgetting changes nothing, so that the bound on hosts never makes
//! anyone less polite.
//!
//! This is the cell rate algorithm with a burst of one, and our own: of the kept crates, `governor` fixes a quota when a limiter is
//! made, while a site's interval changes with its file and its response times; it asks a clock of its own, or one for all threads; and
//! it refuses what is early, where this hands out a slot in the future, so that whoever is told to wait need not come back and compete.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use robosieve::{RecordSet, RequestRate, VisitTime};
use url::Host;

use crate::moment::Moment;
use crate::origin::Origin;

/// Which sites share a pace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PaceBy {
    /// Those of one host, whatever the scheme and port.
    #[default]
    Host,
    /// Those under one registered domain: `a.example.co.uk` and `b.example.co.uk`, by the public suffix list. An address, or a name
    /// that is itself a public suffix, stands for itself.
    RegisteredDomain,
}

impl PaceBy {
    /// The name that an origin's pace goes by.
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

/// How requests are paced. An upper bound below its lower one counts as equal to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Pacing {
    /// Between two requests where the site asks for nothing. House: 1 second.
    pub default: Duration,
    /// The least, even if the site asks for less. House: 100 milliseconds.
    pub min: Duration,
    /// The most, even if the site asks for more. House: 5 minutes, so that no site stalls a crawl for days.
    pub max: Duration,
    /// Whether what the site asks for is ignored; the default, the bounds and the response times still count.
    pub ignore_crawl_delay: bool,
    /// Which sites share a pace.
    pub by: PaceBy,
    /// With a number: an interval is at least so many times the time in which the host has answered of late.
    pub adaptive: Option<u32>,
    /// The most that one is told to wait; whoever would have to wait longer gets no slot. House: 1 hour.
    pub max_wait: Duration,
    /// The most hosts with a slot in the future. House: 100,000, some 30 MB.
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
    /// The interval for a site that asks for this.
    #[must_use]
    pub fn interval(&self, asked: &Asked, now: Moment) -> Duration {
        let asked = if self.ignore_crawl_delay { None } else { asked.interval(now) };
        self.bounded(asked.unwrap_or(self.default))
    }

    fn bounded(&self, interval: Duration) -> Duration {
        interval.min(self.max).max(self.min)
    }
}

/// What a site asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    /// Its `Crawl-delay`.
    pub crawl_delay: Option<Duration>,
    /// Its `Request-rate`s.
    pub rates: Vec<RequestRate>,
}

impl Asked {
    /// What the records of a text ask for.
    #[must_use]
    pub fn by(records: &RecordSet<'_>) -> Self {
        let delays = records.records().filter_map(|record| record.crawl_delay());
        Self {
            crawl_delay: delays.map(|delay| delay.as_duration()).max(),
            rates: records.records().flat_map(|record| record.request_rates().collect::<Vec<_>>()).collect(),
        }
    }

    /// The longest interval asked for at that time of the day: who keeps to it keeps to all. Rates that have hours hold in those
    /// only.
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
    /// When there may be one.
    pub until: Moment,
    /// Whether that is because too many hosts have slots, instead of this one too many.
    pub is_crowded: bool,
}

/// Hands out slots.
#[derive(Debug, Default)]
pub struct Pace {
    pacing: Pacing,
    lanes: Mutex<Lanes>,
}

#[derive(Debug, Default)]
struct Lanes {
    by_host: HashMap<Arc<str>, Lane>,
    /// The same, the one that is free first in front.
    by_slot: BTreeSet<(Moment, Arc<str>)>,
}

#[derive(Clone, Copy, Debug)]
struct Lane {
    /// When the next slot is.
    free: Moment,
    /// In which time the host answered, smoothed.
    answers_in: Option<Duration>,
}

impl Pace {
    /// With no host known yet.
    #[must_use]
    pub fn new(pacing: Pacing) -> Self {
        Self { pacing, lanes: Mutex::default() }
    }

    /// How requests are paced.
    #[must_use]
    pub const fn pacing(&self) -> &Pacing {
        &self.pacing
    }

    /// Takes the next slot of a host, and says how long it is until then. Cost: the logarithm of the number of hosts.
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
    /// If the wait would be over [`Pacing::max_wait`], or the host is new and [`Pacing::max_hosts`] have slots in the future.
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

    /// Tells in which time a host answered. Each answer counts for a quarter of what is known, so that one slow page does not stall a
    /// host, nor one fast page free it.
    pub fn observe(&self, origin: &Origin, took: Duration, now: Moment) {
        if self.pacing.adaptive.is_none() {
            return;
        }
        let key = self.pacing.by.key(origin);
        let mut lanes = self.lock();
        let Ok((host, lane)) = lanes.lane(&key, now, self.pacing.max_hosts) else { return };
        let smoothed = lane.answers_in.map_or(took, |known| quarter(known.saturating_mul(3).saturating_add(took)));
        // Known for as long as it may matter, that is, while the slot is not free.
        lanes.set(&host, lane, Lane { free: lane.free, answers_in: Some(smoothed) });
    }

    /// How many hosts are known.
    #[must_use]
    pub fn hosts(&self) -> usize {
        self.lock().by_host.len()
    }

    /// No slot lies beyond these bounds unless the clock was set back since it was given.
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
