//! One host of a retrieval: its URL, its addresses, and the progress of the rounds.
//!
//! Invariant: it has only addresses that the guard admits, each once, or one that only the caller's client knows. It
//! returns each address once a round.

use std::net::{IpAddr, SocketAddr};

use url::{Host, Url};

use crate::retrieve::address::{AddressGuard, AddressKind};
use crate::retrieve::head::Head;

#[derive(Clone, Debug)]
pub(crate) struct Hop {
    url: Url,
    port: u16,
    addresses: Vec<SocketAddr>,
    tried: usize,
    rounds: u32,
    /// The last response that counted as a bad connection.
    pub(crate) bad: Option<Head>,
    pub(crate) troubles: Troubles,
}

/// Why no address of a host has answered.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Troubles {
    /// An address failed on the site's side.
    pub(crate) site_failed: bool,
    /// An address was not tried, for want of something on our side.
    was_not_tried: bool,
    /// An address has no route from here, or was refused by the guard.
    has_no_way: bool,
}

impl Troubles {
    pub(crate) const fn add(&mut self, is_way: bool) {
        if is_way {
            self.has_no_way = true;
        } else {
            self.was_not_tried = true;
        }
    }

    /// Whether the site can't be blamed. Without IPv6 here, the site's IPv4 addresses still count.
    pub(crate) const fn are_ours(self) -> bool {
        self.was_not_tried || (self.has_no_way && !self.site_failed)
    }
}

impl Hop {
    /// Creates a hop to this URL; `None` if it is not http or https, or has no host. Drops the user, password and
    /// fragment: the server that redirects must not choose our credentials.
    pub(crate) fn new(mut url: Url) -> Option<Self> {
        if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none_or(str::is_empty) {
            return None;
        }
        url.set_fragment(None);
        url.set_username("").ok()?;
        url.set_password(None).ok()?;
        let port = url.port_or_known_default()?;
        Some(Self { url, port, addresses: Vec::new(), tried: 0, rounds: 0, bad: None, troubles: Troubles::default() })
    }

    pub(crate) const fn url(&self) -> &Url {
        &self.url
    }

    pub(crate) const fn port(&self) -> u16 {
        self.port
    }

    /// The host name to resolve, or the IP address in the URL.
    pub(crate) fn host(&self) -> Result<&str, IpAddr> {
        match self.url.host() {
            Some(Host::Ipv4(address)) => Err(address.into()),
            Some(Host::Ipv6(address)) => Err(address.into()),
            Some(Host::Domain(name)) => Ok(name),
            None => Ok(""),
        }
    }

    /// Stores the first `max` addresses that the guard admits, and returns the refused ones.
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

    /// Adds an address that the guard has not seen.
    pub(crate) fn add_unchecked(&mut self, address: IpAddr) {
        self.addresses.push(SocketAddr::new(address, self.port));
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

    /// Begins another round and returns true, if the limits allow one.
    pub(crate) fn next_round(&mut self, extra_rounds: u32) -> bool {
        let more = self.has_addresses() && self.rounds < extra_rounds;
        if more {
            self.rounds = self.rounds.saturating_add(1);
            self.tried = 0;
        }
        more
    }
}
