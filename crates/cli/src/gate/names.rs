//! Names with addresses of the caller's choice.
//!
//! Invariant: what `--resolve` names is not looked up; several `--resolve` of one host add up, in their order; the addresses
//! pass the guard like any.

use std::net::IpAddr;
use std::time::Duration;

use robosieve_gate::{Resolver, SystemResolver};

use super::values::Entry;

pub(super) struct Names {
    entries: Vec<Entry>,
    system: SystemResolver,
}

impl Names {
    pub(super) fn new(entries: &[Entry]) -> Self {
        Self { entries: entries.to_vec(), system: SystemResolver::default() }
    }
}

impl Resolver for Names {
    fn resolve(&self, host: &str, port: u16, within: Duration) -> Result<Vec<IpAddr>, String> {
        let mut named: Vec<IpAddr> = Vec::new();
        let entries = self.entries.iter().filter(|entry| entry.host == host && entry.port == port);
        for address in entries.flat_map(|entry| &entry.addresses) {
            if !named.contains(address) {
                named.push(*address);
            }
        }
        if named.is_empty() { self.system.resolve(host, port, within) } else { Ok(named) }
    }
}
