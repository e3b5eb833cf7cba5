//! Values by the name of a host.
//!
//! Invariant: the names are in the URL standard's ASCII form, without a final dot, each once. One entry counts for a
//! host, the one with the most specific name.

use std::collections::HashMap;

use psl::Psl as _;
use url::Host;

/// Values by host.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ByHost<T> {
    by_name: HashMap<String, T>,
    has_domains: bool,
}

impl<T> Default for ByHost<T> {
    fn default() -> Self {
        Self { by_name: HashMap::new(), has_domains: false }
    }
}

impl<T> ByHost<T> {
    /// Sets the value of a name that [`key_of`] returned.
    pub(crate) fn insert(&mut self, key: String, value: T) {
        self.has_domains |= key.starts_with("*.");
        self.by_name.insert(key, value);
    }

    pub(crate) fn remove(&mut self, key: &str) -> Option<T> {
        self.by_name.remove(key)
    }

    pub(crate) fn contains(&self, key: &str) -> bool {
        self.by_name.contains_key(key)
    }

    pub(crate) fn len(&self) -> usize {
        self.by_name.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.by_name.is_empty()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &T)> {
        self.by_name.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// The value that counts for a host.
    pub(crate) fn of(&self, host: &Host<String>) -> Option<&T> {
        self.entry_of(host).map(|(_, value)| value)
    }

    /// The same, with its name.
    pub(crate) fn entry_of(&self, host: &Host<String>) -> Option<(&str, &T)> {
        let of = |name: &str| self.by_name.get_key_value(name).map(|(name, value)| (name.as_str(), value));
        if self.by_name.is_empty() {
            return None;
        }
        let name = spelled(host);
        if let Some(own) = of(&name) {
            return Some(own);
        }
        if !self.has_domains || !matches!(host, Host::Domain(_)) {
            return None;
        }
        let mut domains = name.match_indices('.').filter_map(|(at, _)| Some(format!("*{}", name.get(at..)?)));
        domains.find_map(|name| of(&name))
    }
}

impl<T> FromIterator<(String, T)> for ByHost<T> {
    fn from_iter<I: IntoIterator<Item = (String, T)>>(entries: I) -> Self {
        let mut all = Self::default();
        entries.into_iter().for_each(|(key, value)| all.insert(key, value));
        all
    }
}

/// The key of a name that an operator wrote: a host, or `*.` and a domain.
pub(crate) fn key_of(name: &str) -> Option<String> {
    if let Some(domain) = name.strip_prefix("*.") {
        let below = key_of(domain).filter(|below| !below.starts_with("*."))?;
        return matches!(Host::parse(domain), Ok(Host::Domain(_))).then(|| format!("*.{below}"));
    }
    let host = spelled(&Host::parse(name).ok()?);
    // The URL standard allows a star in a name, but here it is a mistake.
    if host.is_empty() || host.contains('*') { None } else { Some(host) }
}

/// A host without its final dot.
fn spelled(host: &Host<String>) -> String {
    match host {
        Host::Domain(name) => name.strip_suffix('.').unwrap_or(name).to_owned(),
        host => host.to_string(),
    }
}

/// Whether the key is for all hosts of a suffix under which anybody can have a name, such as `*.com`, `*.co.uk` or `*.ck`,
/// whose suffixes are all the names below it.
pub(crate) fn is_wide(key: &str) -> bool {
    let Some(domain) = key.strip_prefix("*.") else { return false };
    let is_suffix = |name: &str| {
        let suffix = psl::List.suffix(name.as_bytes());
        suffix.is_some_and(|suffix| suffix.is_known() && suffix.as_bytes() == name.as_bytes())
    };
    is_suffix(domain) || is_suffix(&format!("x.{domain}"))
}
