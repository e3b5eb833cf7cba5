//! How requests are paced: bounds, options, what a site requests, and which sites share a lane.
//!
//! Invariant: every interval is within the bounds, whatever a site requests.

use std::net::{IpAddr, Ipv6Addr};
use std::time::Duration;

use robosieve::policy::RecordSet;
use robosieve::value::{AgentValues, RequestRate, VisitTime};
use url::Host;

use crate::moment::Moment;
use crate::origin::{Origin, inner};

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
    /// Sites of one address, that of the server that answered for robots.txt; of IPv6, of one /64. Until that is known,
    /// the host counts.
    Address,
}

impl PaceBy {
    /// The lane of an origin whose server has this address. A final dot of a host name does not count.
    ///
    /// ```
    /// use robosieve_gate::Origin;
    /// use robosieve_gate::pace::PaceBy;
    /// let origin = Origin::of("http://www.example.co.uk.:8080/")?;
    /// assert_eq!(PaceBy::Host.lane(&origin, None), "www.example.co.uk");
    /// assert_eq!(PaceBy::RegisteredDomain.lane(&origin, None), "example.co.uk");
    /// assert_eq!(PaceBy::Address.lane(&origin, Some([192, 0, 2, 1].into())), "192.0.2.1");
    /// # Ok::<(), robosieve_gate::origin::OriginError>(())
    /// ```
    #[must_use]
    pub fn lane(self, origin: &Origin, address: Option<IpAddr>) -> String {
        match (self, origin.host(), address) {
            (Self::Address, _, Some(address)) => network_of(address),
            (Self::RegisteredDomain, Host::Domain(name), _) => {
                let name = undotted(name);
                psl::domain_str(name).unwrap_or(name).to_owned()
            }
            (_, host, _) => host_name(host),
        }
    }
}

/// The name of a host's own lane.
pub(crate) fn host_name(host: &Host<String>) -> String {
    match host {
        Host::Domain(name) => undotted(name).to_owned(),
        host => host.to_string(),
    }
}

fn undotted(name: &str) -> &str {
    name.strip_suffix('.').unwrap_or(name)
}

/// Whom an address belongs to: an IPv4 address, also in an IPv6 one; of IPv6 its /64, which every host of it can use as
/// it likes (RFC 4291 2.5.4).
pub(crate) fn network_of(address: IpAddr) -> String {
    match inner(address) {
        IpAddr::V4(address) => address.to_string(),
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            format!("{}/64", Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0))
        }
    }
}

/// How requests are paced. An upper bound below its lower bound, or below the default, counts as equal to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Pacing {
    /// The interval between two requests if the site requests none. Our choice: 1 second.
    pub default: Duration,
    /// The minimum, even if the site requests less. Our choice: 100 milliseconds.
    pub min: Duration,
    /// The maximum, even if the site requests more. Our choice: 5 minutes, so that no site delays a crawl for days.
    pub max: Duration,
    /// What becomes of a site that asks for a longer interval than [`Pacing::max`].
    pub over_max: OverMax,
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
    /// the request is not made, and the answer is [`Answer::NotNow`](crate::Answer::NotNow).
    pub robots_txt_wait: Duration,
    /// The interval between two requests for robots.txt to one address (of IPv6: one /64), for all names that lead
    /// there. Our choice: 100 milliseconds; many sites share an address. Zero: none. With [`PaceBy::Address`], the
    /// interval of pages counts.
    pub address_gap: Duration,
    /// The most retrievals of robots.txt that run or wait for their slot at the same time in one lane: 8, and eight
    /// times as many at one address. Our choice.
    pub robots_txt_in_flight: u32,
    /// The longest hold that a `Retry-After` can cause. Our choice: 24 hours.
    pub max_pause: Duration,
    /// Whether the interval is counted from the end of a request, which the caller must report with
    /// [`GateCore::observe`](crate::GateCore::observe). Then only one request of a lane runs at a time.
    pub from_end: bool,
    /// The most requests of a lane that run at the same time. The caller must report each end.
    pub max_in_flight: Option<u32>,
    /// How long a request counts as running if its end is never reported. Our choice: 5 minutes.
    pub lease: Duration,
    /// The most bytes a second, on average over pages whose size the caller reports.
    pub bytes_per_second: Option<u64>,
    /// The most lanes in memory with a slot in the future. Our choice: 100,000, which take 46 MB, or 77 MB if each is of
    /// another domain. A registered domain has a sixteenth of them at most, and so has a network (an IPv4 address, a /48
    /// of IPv6).
    pub max_hosts: usize,
}

impl Default for Pacing {
    fn default() -> Self {
        Self {
            default: Duration::from_secs(1),
            min: Duration::from_millis(100),
            max: Duration::from_secs(300),
            over_max: OverMax::Shorten,
            ignore_crawl_delay: false,
            by: PaceBy::Host,
            adaptive: None,
            max_wait: Duration::from_secs(3_600),
            robots_txt_wait: Duration::from_secs(5),
            address_gap: Duration::from_millis(100),
            robots_txt_in_flight: 8,
            max_pause: Duration::from_secs(86_400),
            from_end: false,
            max_in_flight: None,
            lease: Duration::from_secs(300),
            bytes_per_second: None,
            max_hosts: 100_000,
        }
    }
}

impl Pacing {
    /// The interval for a site that requests this. A request for no delay at all counts as none.
    #[must_use]
    pub fn interval(&self, asked: &Asked, now: Moment) -> Duration {
        self.asked(asked, now).unwrap_or(self.default).min(self.longest_asked()).max(self.min)
    }

    /// What a site asks for, if that is longer than the longest interval that is kept for it.
    #[must_use]
    pub fn over_max(&self, asked: &Asked, now: Moment) -> Option<Duration> {
        self.asked(asked, now).filter(|asked| *asked > self.longest())
    }

    fn asked(&self, asked: &Asked, now: Moment) -> Option<Duration> {
        let asked = if self.ignore_crawl_delay { None } else { asked.interval(now) };
        asked.filter(|asked| !asked.is_zero())
    }

    pub(crate) fn bounded(&self, interval: Duration) -> Duration {
        interval.min(self.longest()).max(self.min)
    }

    /// The longest interval. What the caller has set itself is not shortened.
    pub(crate) fn longest(&self) -> Duration {
        self.max.max(self.default).max(self.min)
    }

    /// The longest interval of a site that asks for it.
    pub(crate) fn longest_asked(&self) -> Duration {
        match self.over_max {
            OverMax::HandOver => self.longest().max(self.max_pause),
            OverMax::Shorten | OverMax::Skip => self.longest(),
        }
    }
}

/// What becomes of a site that asks for a longer interval than [`Pacing::max`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OverMax {
    /// Its pages come at the longest interval, and each answer says what the site asks for.
    #[default]
    Shorten,
    /// Its pages are not fetched: [`Why::CrawlDelay`](crate::Why::CrawlDelay).
    Skip,
    /// It is paced as it asks, up to [`Pacing::max_pause`]. A URL whose slot is later than now is handed back with its
    /// time, as [`Why::CrawlDelay`](crate::Why::CrawlDelay), and takes no slot: a frontier keeps it until then.
    HandOver,
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

/// A page that was requested, as its crawler saw it. All of it is feedback for the lane's pace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Page {
    /// How long the request took, to the end of its body. 0 means that this is not known: then the page lifts no
    /// hold.
    pub took: Duration,
    /// The number of bytes that came.
    pub bytes: u64,
    /// The status; `None` without a response. 429 and 503 slow the lane down, others let it recover.
    pub status: Option<u16>,
    /// The `Retry-After`, if there was one. It counts with a 429 or 503.
    pub retry_after: Option<Duration>,
}

impl Page {
    /// 1 hour: a request that took longer counts as so long. Our choice: no server's answer takes more.
    pub const LONGEST: Duration = Duration::from_secs(3_600);

    /// 1 TiB: more bytes count as so many. Our choice.
    pub const MOST_BYTES: u64 = 1 << 40;
}
