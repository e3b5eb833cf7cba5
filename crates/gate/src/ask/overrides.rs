//! What is different for single hosts: the settings of a crawler's operator, by host name.
//!
//! Invariant: each host is named once. Only a host that is named itself can have its robots.txt ignored.

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;
#[cfg(feature = "driver")]
use std::path::Path;
use std::path::PathBuf;
use std::time::Duration;

use robosieve::printable::escape;
use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, Visitor};

use crate::by_host::{ByHost, is_wide, key_of};
use crate::decide::lifetimes::Lifetimes;
use crate::decide::policy::{Class, Policy, Preset, Ruling};
use crate::origin::Origin;
use crate::pace::pacing::{OverMax, Pacing};
#[cfg(feature = "driver")]
use crate::retrieve::connections::{ClientCertificate, Connections, HostConnection};
use crate::retrieve::own_headers::OwnHeaders;

/// The settings of a host. What is not set is as for all hosts.
///
/// In a file the names are in kebab case, as those of the command's flags. Times are seconds.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct HostSettings {
    /// Whether robots.txt is ignored: it is not requested, and everything may be fetched. The pace still applies.
    pub ignore_robots_txt: bool,
    /// The product tokens whose rules apply, in order of preference. The `User-Agent` stays the crawler's own.
    #[serde(deserialize_with = "tokens")]
    pub agents: Option<Vec<String>>,
    /// A preset, instead of the whole policy for all hosts.
    pub policy: Option<Preset>,
    /// Other rulings for classes of responses.
    pub policy_set: BTreeMap<Class, Ruling>,
    /// The time after which robots.txt is requested again, whatever the site says: [`Lifetimes::recheck_after`].
    #[serde(deserialize_with = "time")]
    pub recheck_after: Option<Duration>,
    /// The time before the next attempt after a failure: [`Lifetimes::retry`].
    #[serde(deserialize_with = "time")]
    pub retry: Option<Duration>,
    /// The number of failures after which the site is requested rarely: [`Lifetimes::max_failures`].
    #[serde(deserialize_with = "some_number")]
    pub max_failures: Option<u32>,
    /// The number of failures after which the site is never requested again: [`Lifetimes::give_up_after`].
    #[serde(deserialize_with = "some_number")]
    pub give_up_after: Option<u32>,
    /// The interval if the site requests none: [`Pacing::default`].
    #[serde(deserialize_with = "time")]
    pub delay: Option<Duration>,
    /// The shortest interval: [`Pacing::min`].
    #[serde(deserialize_with = "time")]
    pub min_delay: Option<Duration>,
    /// The longest interval that the site can request: [`Pacing::max`].
    #[serde(deserialize_with = "time")]
    pub max_delay: Option<Duration>,
    /// What becomes of a host whose site asks for a longer one: [`Pacing::over_max`].
    pub over_max_delay: Option<OverMax>,
    /// Whether the crawl delay and the request rates of the site are ignored: [`Pacing::ignore_crawl_delay`].
    pub ignore_crawl_delay: Option<bool>,
    /// Headers for requests to the host, by name:
    /// [`HostConnection::headers`](crate::retrieve::HostConnection::headers).
    pub headers: OwnHeaders,
    /// Whether the certificates of the host are not checked:
    /// [`HostConnection::insecure`](crate::retrieve::HostConnection::insecure).
    pub insecure: bool,
    /// A file with the crawler's certificate for the host, in PEM:
    /// [`HostConnection::certificate`](crate::retrieve::HostConnection::certificate).
    pub client_cert: Option<PathBuf>,
    /// A file with the certificate's key, if it is not in the same file.
    pub client_key: Option<PathBuf>,
}

impl HostSettings {
    /// The policy for the host.
    pub(crate) fn policy(&self, base: &Policy) -> Policy {
        let base = self.policy.map_or_else(|| base.clone(), Policy::from);
        self.policy_set.iter().fold(base, |policy, (&class, &ruling)| policy.with(class, ruling))
    }

    /// The lifetimes for the host.
    pub(crate) fn lifetimes(&self, base: Lifetimes) -> Lifetimes {
        let base = self.recheck_after.map_or(base, |time| base.recheck_after(time));
        let max_failures = self.max_failures.or(base.max_failures);
        let base = Lifetimes { retry: self.retry.unwrap_or(base.retry), max_failures, ..base };
        self.give_up_after.map_or(base, |failures| base.give_up_after(failures))
    }

    /// The pacing for the host.
    pub(crate) fn pacing(&self, base: Pacing) -> Pacing {
        Pacing {
            default: self.delay.unwrap_or(base.default),
            min: self.min_delay.unwrap_or(base.min),
            max: self.max_delay.unwrap_or(base.max),
            over_max: self.over_max_delay.unwrap_or(base.over_max),
            ignore_crawl_delay: self.ignore_crawl_delay.unwrap_or(base.ignore_crawl_delay),
            ..base
        }
    }

    fn check(&self, name: &str) -> Result<(), OverrideError> {
        if self.ignore_robots_txt && name.starts_with("*.") {
            return Err(OverrideError::IgnoredMany);
        }
        if (self.insecure || self.client_cert.is_some() || self.headers.has_secrets()) && is_wide(name) {
            return Err(OverrideError::TooWide);
        }
        if self.client_key.is_some() && self.client_cert.is_none() {
            return Err(OverrideError::KeyAlone);
        }
        match (self.min_delay, self.max_delay) {
            (Some(min), Some(max)) if min > max => Err(OverrideError::Delays),
            _ => Ok(()),
        }
    }
}

/// Settings by host.
///
/// A name is a host (`www.example.com`, `192.0.2.1`, `[2001:db8::1]`), with any scheme and port, or `*.example.com`:
/// all hosts below that domain. The most specific name counts, and no other.
///
/// ```
/// use robosieve_gate::Origin;
/// use robosieve_gate::ask::{HostSettings, Overrides};
/// let own = HostSettings { ignore_robots_txt: true, ..HostSettings::default() };
/// let overrides = Overrides::default().with("intranet.example", own)?;
/// assert!(overrides.of(&Origin::of("http://intranet.example:8080/")?).is_some());
/// assert!(overrides.of(&Origin::of("http://www.intranet.example/")?).is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// With serde, it is read from a map `hosts` in any format, for instance TOML:
///
/// ```toml
/// [hosts."www.example.com"]
/// delay = 10
/// recheck-after = 3600
///
/// [hosts]
/// "intranet.example" = { ignore-robots-txt = true, delay = 0.5 }
/// "*.example.net" = { policy = "strict", policy-set = { forbidden = "deny" } }
/// "staging.example" = { headers = { Authorization = "Basic Ym90OmJvdA==" }, insecure = true }
/// "partner.example" = { client-cert = "bot.pem", client-key = "bot.key" }
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Overrides(ByHost<HostSettings>);

/// Why settings can't be set for a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OverrideError {
    /// The name is not a host's.
    Name,
    /// The host has settings already.
    Twice,
    /// Only single hosts can have their robots.txt ignored.
    IgnoredMany,
    /// The certificates of all hosts of a public suffix would not be checked, or they would get a secret or a
    /// certificate.
    TooWide,
    /// A key without a certificate.
    KeyAlone,
    /// The shortest delay is longer than the longest one.
    Delays,
    /// There are [`Overrides::MAX_HOSTS`] already.
    TooMany,
}

impl fmt::Display for OverrideError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Name => {
                "not a host: write a name without scheme, port and path, as in \"www.example.com\", or \"*.example.com\" \
                 for all hosts below a domain"
            }
            Self::Twice => "this host has settings already; upper case and a final dot do not count",
            Self::IgnoredMany => "robots.txt can be ignored for single hosts only: name each host",
            Self::TooWide => {
                "insecure, client-cert, Authorization and Cookie are for a host, or for the hosts of a domain, not for all of a \
                 public suffix"
            }
            Self::KeyAlone => "client-key needs client-cert",
            Self::Delays => "min-delay is longer than max-delay",
            Self::TooMany => return write!(f, "more than {} hosts", Overrides::MAX_HOSTS),
        })
    }
}

impl std::error::Error for OverrideError {}

impl Overrides {
    /// 100,000: the most hosts. Our choice.
    pub const MAX_HOSTS: usize = 100_000;

    /// Adds the settings of a host.
    ///
    /// # Errors
    /// If the name is not a host's or has settings already, or if the settings contradict each other.
    pub fn with(mut self, name: &str, settings: HostSettings) -> Result<Self, OverrideError> {
        self.add(name, settings)?;
        Ok(self)
    }

    fn add(&mut self, name: &str, settings: HostSettings) -> Result<(), OverrideError> {
        let key = key_of(name).ok_or(OverrideError::Name)?;
        settings.check(&key)?;
        if self.0.contains(&key) {
            return Err(OverrideError::Twice);
        }
        if self.0.len() >= Self::MAX_HOSTS {
            return Err(OverrideError::TooMany);
        }
        self.0.insert(key, settings);
        Ok(())
    }

    /// Ignores the robots.txt of a host, and keeps its other settings.
    ///
    /// # Errors
    /// As for [`Overrides::with`].
    pub fn ignoring(mut self, name: &str) -> Result<Self, OverrideError> {
        let key = key_of(name).ok_or(OverrideError::Name)?;
        let known = self.0.remove(&key).unwrap_or_default();
        self.with(name, HostSettings { ignore_robots_txt: true, ..known })
    }

    /// The number of names.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether no host has settings of its own.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The settings of an origin's host.
    #[must_use]
    pub fn of(&self, origin: &Origin) -> Option<&HostSettings> {
        self.0.of(origin.host())
    }

    /// The connections for a driver: those for all hosts, with what is set for each host here. `read` reads the files
    /// of certificates.
    ///
    /// # Errors
    /// If a file can't be read.
    #[cfg(feature = "driver")]
    pub fn connections<E>(
        &self,
        all: Connections,
        mut read: impl FnMut(&Path) -> Result<Vec<u8>, E>,
    ) -> Result<Connections, E> {
        let mut connections = all;
        for (name, own) in self.0.iter() {
            let certificate = match &own.client_cert {
                Some(path) => {
                    let (chain, key) = (read(path)?, own.client_key.as_deref().map(&mut read).transpose()?);
                    Some(ClientCertificate::of_pem(chain.clone(), key.unwrap_or(chain)))
                }
                None => None,
            };
            // Also if nothing is set: then nothing of a domain above it counts.
            connections.set(name, HostConnection { headers: own.headers.clone(), insecure: own.insecure, certificate });
        }
        Ok(connections)
    }

    /// The settings, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &HostSettings)> {
        self.0.iter()
    }
}

impl<'de> Deserialize<'de> for Overrides {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct File {
            #[serde(default)]
            hosts: Hosts,
        }
        table(deserializer).map(|file: File| file.hosts.0)
    }
}

#[derive(Default)]
struct Hosts(Overrides);

/// A name, checked when it is read, so that an error has its place in the file.
#[derive(Deserialize)]
#[serde(try_from = "String")]
struct Name(String);

impl TryFrom<String> for Name {
    type Error = String;

    fn try_from(name: String) -> Result<Self, String> {
        match key_of(&name) {
            Some(_) => Ok(Self(name)),
            None => Err(format!("\"{}\": {}", escape(name.as_bytes()), OverrideError::Name)),
        }
    }
}

impl<'de> Deserialize<'de> for Hosts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Map;
        impl<'de> Visitor<'de> for Map {
            type Value = Hosts;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a table with a table of settings for each host")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Hosts, A::Error> {
                let mut found = Overrides::default();
                while let Some(Name(name)) = map.next_key()? {
                    map.next_value_seed(Entry { name: &name, found: &mut found })?;
                }
                Ok(Hosts(found))
            }
        }
        deserializer.deserialize_map(Map)
    }
}

/// Adds the settings of a host while they are read, so that an error has its place in the file.
struct Entry<'e> {
    name: &'e str,
    found: &'e mut Overrides,
}

impl<'de> DeserializeSeed<'de> for Entry<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        let added = self.found.add(self.name, table(deserializer)?);
        added.map_err(|error| D::Error::custom(format!("\"{}\": {error}", escape(self.name.as_bytes()))))
    }
}

/// Reads what has names, and not a list of values without them, which a derived reader would take too.
fn table<'de, T: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    struct Table<T>(PhantomData<T>);
    impl<'de, T: Deserialize<'de>> Visitor<'de> for Table<T> {
        type Value = T;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a table of settings with their names")
        }

        fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
            T::deserialize(MapAccessDeserializer::new(map))
        }
    }
    deserializer.deserialize_map(Table(PhantomData))
}

/// A number of seconds: a whole number or one with a point.
fn time<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Duration>, D::Error> {
    /// Thirty years. More is a mistake.
    const MOST: f64 = 1e9;
    let seconds = f64::deserialize(deserializer)?;
    let time = Some(seconds).filter(|seconds| (0.0..=MOST).contains(seconds));
    let time = time.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    time.map(Some).ok_or_else(|| D::Error::custom("write a number of seconds, for example 2.5"))
}

/// A number of failures.
fn some_number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u32>, D::Error> {
    match u32::deserialize(deserializer)? {
        0 => Err(D::Error::custom("write a number of failures, at least 1")),
        number => Ok(Some(number)),
    }
}

/// Product tokens, at least one.
fn tokens<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Vec<String>>, D::Error> {
    let names = Vec::<String>::deserialize(deserializer)?;
    if names.is_empty() || names.iter().any(|name| robosieve::agent::ProductToken::new(name).is_err()) {
        return Err(D::Error::custom("write one product token or more, for example [\"MyBot-Image\", \"MyBot\"]"));
    }
    Ok(Some(names))
}
