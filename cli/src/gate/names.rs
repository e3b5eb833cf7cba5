//! Names with addresses of the caller's choice.
//!
//! Invariant: what `--resolve` names is not looked up; the addresses pass the guard like any.

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
        match self.entries.iter().find(|entry| entry.host == host && entry.port == port) {
            Some(entry) => Ok(entry.addresses.clone()),
            None => self.system.resolve(host, port, within),
        }
    }
}
