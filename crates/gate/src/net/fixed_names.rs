//! Host names whose addresses the caller sets.
//!
//! Invariant: a name that is set for a port is not looked up for it. All others are.

use std::collections::HashMap;
use std::net::IpAddr;
use std::time::Duration;

use crate::net::cached_names::CachedNames;
use crate::net::names::{Found, Resolver, SystemResolver};

/// Some host names with fixed addresses. All others are looked up by the system, and remembered ([`CachedNames`]). An
/// address guard applies to both.
#[derive(Clone, Debug)]
pub struct FixedNames {
    addresses: HashMap<(String, u16), Vec<IpAddr>>,
    system: CachedNames,
}

impl Default for FixedNames {
    fn default() -> Self {
        Self { addresses: HashMap::new(), system: CachedNames::new(SystemResolver::default()) }
    }
}

impl FixedNames {
    /// Adds an address for a host name and port. Several are tried in the order in which they were added.
    #[must_use]
    pub fn with(mut self, host: &str, port: u16, address: IpAddr) -> Self {
        let addresses = self.addresses.entry((host.to_ascii_lowercase(), port)).or_default();
        if !addresses.contains(&address) {
            addresses.push(address);
        }
        self
    }
}

impl Resolver for FixedNames {
    fn resolve(&self, host: &str, port: u16, within: Duration) -> Found {
        match self.addresses.get(&(host.to_ascii_lowercase(), port)) {
            Some(addresses) => Ok(addresses.clone()),
            None => self.system.resolve(host, port, within),
        }
    }

    fn known(&self, host: &str, port: u16) -> Option<Vec<IpAddr>> {
        let fixed = self.addresses.get(&(host.to_ascii_lowercase(), port)).cloned();
        fixed.or_else(|| self.system.known(host, port))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// [cmd.network]
    #[test]
    fn fixed_names_are_not_looked_up() {
        let (one, two) = (IpAddr::from([192, 0, 2, 1]), IpAddr::from([192, 0, 2, 2]));
        let names = FixedNames::default().with("A.example", 80, two).with("a.example", 80, one);
        let names = names.with("a.example", 80, two).with("a.example", 443, one);
        let look_up = |port| names.resolve("a.example", port, Duration::ZERO);
        assert_eq!((look_up(80), look_up(443)), (Ok(vec![two, one]), Ok(vec![one])));
        assert!(look_up(8080).is_err());
    }
}
