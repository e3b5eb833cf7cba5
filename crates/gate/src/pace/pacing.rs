//! How requests are paced: bounds, options, what a site requests, and which sites share a lane.
//!
//! Invariant: every interval is within the bounds, for any request of a site. A registered domain has at most [`MOST`]
//! lanes of its hosts, and then one for the rest, so that names cost nothing else than their own domain's pace. A name
//! keeps its lane while it is remembered.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use robosieve::records::RecordSet;
use robosieve::values::{AgentValues, RequestRate, VisitTime};
use url::Host;

use crate::moment::Moment;
use crate::origin::Origin;

/// Which sites share a pace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum PaceBy {
    /// Sites of one host, with any scheme and port. Of one registered domain, 1,000 hosts have a pace of their own, and
    /// all others one together.
    #[default]
    Host,
    /// Sites of one registered domain: `a.example.co.uk` and `b.example.co.uk`, by the public suffix list. An address
    /// has a separate pace, and so has a name that is itself a public suffix.
    RegisteredDomain,
}

/// The name of a host, without its final dot.
pub(crate) fn host_name(host: &Host<String>) -> String {
    match host {
        Host::Domain(name) => name.strip_suffix('.').unwrap_or(name).to_owned(),
        host => host.to_string(),
    }
}

/// The registered domain of a name; of a public suffix, the name. It is not inlined: a crate that it is inlined into
/// compiles the whole list again.
#[inline(never)]
pub(crate) fn domain_of(name: &str) -> &str {
    psl::domain_str(name).unwrap_or(name)
}

/// How requests are paced. An upper bound below its lower bound, or below the default, counts as equal to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
    /// How long a request for robots.txt waits for a slot at most. Our choice: 5 seconds. If none is free until then,
    /// the request is not made, and the answer is to wait.
    pub robots_txt_wait: Duration,
    /// The longest hold that a `Retry-After` can cause. Our choice: 24 hours.
    pub max_pause: Duration,
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
            robots_txt_wait: Duration::from_secs(5),
            max_pause: Duration::from_secs(86_400),
        }
    }
}

impl Pacing {
    /// The interval for a site that requests this. A request for no delay at all counts as none.
    pub fn interval(&self, asked: &Asked, now: Moment) -> Duration {
        self.asked(asked, now).unwrap_or(self.default).min(self.longest()).max(self.min)
    }

    /// What a site asks for, if that is longer than the longest interval that is kept for it.
    pub fn over_max(&self, asked: &Asked, now: Moment) -> Option<Duration> {
        self.asked(asked, now).filter(|asked| *asked > self.longest())
    }

    fn asked(&self, asked: &Asked, now: Moment) -> Option<Duration> {
        let asked = if self.ignore_crawl_delay { None } else { asked.interval(now) };
        asked.filter(|asked| !asked.is_zero())
    }

    /// The longest interval. What the caller has set itself is not shortened.
    pub(crate) fn longest(&self) -> Duration {
        self.max.max(self.default).max(self.min)
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

/// A page that was requested, as its crawler saw it. All of it is feedback for the lane's pace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Page {
    /// The status; `None` without a response. 429 and 503 slow the lane down, others let it recover.
    pub status: Option<u16>,
    /// The `Retry-After`, if there was one. It counts with a 429 or 503.
    pub retry_after: Option<Duration>,
    /// How long the request took, to the end of its body. `None` means that this is not known: then the page lifts no
    /// hold. No time at all lifts one.
    pub took: Option<Duration>,
}

impl Page {
    /// 1 hour: a request that took longer counts as so long. Our choice: no server's answer takes more.
    pub const LONGEST: Duration = Duration::from_secs(3_600);

    /// What lifts a hold: a good page that took no time, which none does.
    pub(crate) const LIFTS: Self = Self { status: Some(200), retry_after: None, took: Some(Duration::ZERO) };
}

/// The most lanes of a registered domain. Our choice.
pub(crate) const MOST: usize = 1_000;

/// The most names that are remembered. Then all are forgotten. Our choice.
const MOST_NAMES: usize = 1_000_000;

#[derive(Debug, Default)]
pub(crate) struct Names(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    of_domain: HashMap<String, HashSet<String>>,
    count: usize,
}

impl Names {
    /// The lane of an origin.
    pub(crate) fn lane(&self, origin: &Origin, by: PaceBy) -> String {
        let name = host_name(origin.host());
        let Host::Domain(_) = origin.host() else { return name };
        let domain = domain_of(&name);
        if by == PaceBy::RegisteredDomain {
            return domain.to_owned();
        }
        if domain == name {
            return name;
        }
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.count >= MOST_NAMES {
            *known = Known::default();
        }
        let hosts = known.of_domain.entry(domain.to_owned()).or_default();
        if hosts.contains(&name) {
            return name;
        }
        if hosts.len() >= MOST {
            return format!("*.{domain}");
        }
        hosts.insert(name.clone());
        known.count = known.count.saturating_add(1);
        name
    }
}

/// The lane of a host's hold, where its requests are in one with others.
pub(crate) fn hold_of(origin: &Origin) -> String {
    format!("hold {}", host_name(origin.host()))
}
