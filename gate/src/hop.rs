//! One host of a retrieval: its URL, its addresses, and how far the rounds have come.
//!
//! Invariant: only addresses that the guard admits get in, each once; each is handed out once a round.

use std::net::{IpAddr, SocketAddr};

use url::{Host, Url};

use crate::address::{AddressGuard, AddressKind};
use crate::head::Head;

#[derive(Clone, Debug)]
pub(crate) struct Hop {
    url: Url,
    port: u16,
    addresses: Vec<SocketAddr>,
    tried: usize,
    rounds: u32,
    /// The last answer that counted as a bad connection.
    pub(crate) bad: Option<Head>,
}

impl Hop {
    /// The hop to that URL; none, if it is not http or https, or names no host. A URL's user, password and fragment are left
    /// out: who redirects does not say as whom to ask.
    pub(crate) fn new(mut url: Url) -> Option<Self> {
        if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none_or(str::is_empty) {
            return None;
        }
        url.set_fragment(None);
        url.set_username("").ok()?;
        url.set_password(None).ok()?;
        let port = url.port_or_known_default()?;
        Some(Self { url, port, addresses: Vec::new(), tried: 0, rounds: 0, bad: None })
    }

    pub(crate) const fn url(&self) -> &Url {
        &self.url
    }

    pub(crate) const fn port(&self) -> u16 {
        self.port
    }

    /// The name to resolve, or the address that the URL holds.
    pub(crate) fn host(&self) -> Result<&str, IpAddr> {
        match self.url.host() {
            Some(Host::Ipv4(address)) => Err(address.into()),
            Some(Host::Ipv6(address)) => Err(address.into()),
            Some(Host::Domain(name)) => Ok(name),
            None => Ok(""),
        }
    }

    /// Takes the first `max` addresses, and gives back those that may not be connected to.
    pub(crate) fn admit(
        &mut self,
        found: &[IpAddr],
        guard: &AddressGuard,
        max: usize,
    ) -> Vec<(SocketAddr, AddressKind)> {
        let (mut seen, mut refused) = (Vec::new(), Vec::new());
        for address in found {
            let address = address.to_canonical();
            if seen.len() >= max {
                break;
            }
            if seen.contains(&address) {
                continue;
            }
            seen.push(address);
            let socket = SocketAddr::new(address, self.port);
            match guard.admits(address) {
                Ok(()) => self.addresses.push(socket),
                Err(kind) => refused.push((socket, kind)),
            }
        }
        refused
    }

    pub(crate) const fn has_addresses(&self) -> bool {
        !self.addresses.is_empty()
    }

    /// The next address of this round.
    pub(crate) fn next_address(&mut self) -> Option<SocketAddr> {
        let address = self.addresses.get(self.tried).copied()?;
        self.tried = self.tried.saturating_add(1);
        Some(address)
    }

    /// Begins another round, if there is to be one.
    pub(crate) fn next_round(&mut self, extra_rounds: u32) -> bool {
        let more = self.has_addresses() && self.rounds < extra_rounds;
        if more {
            self.rounds = self.rounds.saturating_add(1);
            self.tried = 0;
        }
        more
    }
}
