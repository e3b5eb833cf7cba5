//! Which addresses a request may be made to.
//!
//! Invariant: each address was checked by the guard. A name that only a proxy looks up has none.

use std::net::{IpAddr, SocketAddr};

use tokio::time::Instant;
use url::{Host, Url};

use crate::net::names::Names;
use crate::origin::is_localhost;
use crate::retrieve::{AddressGuard, NoResponse, Outcome, Proxy};

/// Where a request goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum To {
    /// To this address.
    Address(SocketAddr),
    /// To the name in the URL, which the proxy looks up.
    ByProxy,
}

/// The first `max` places for a request, in the order in which they are tried. A look-up ends at `end`.
pub(super) async fn of(
    url: &Url,
    proxy: Option<&Proxy>,
    (names, guard, max): (&Names, &AddressGuard, usize),
    end: Instant,
) -> Result<Vec<To>, NoResponse> {
    let port = url.port_or_known_default().unwrap_or_default();
    let found = match url.host() {
        // It gets no name of its own computer: a guard that refuses such addresses would not see it.
        Some(Host::Domain(name))
            if !is_localhost(name) && proxy.is_some_and(|proxy| !proxy.lets_names_be_checked()) =>
        {
            return Ok(vec![To::ByProxy]);
        }
        Some(Host::Domain(name)) => names.look_up(name, port, end).await?,
        Some(Host::Ipv4(address)) => vec![address.into()],
        Some(Host::Ipv6(address)) => vec![address.into()],
        None => Vec::new(),
    };
    let mut seen: Vec<IpAddr> = Vec::new();
    for address in found.iter().map(IpAddr::to_canonical) {
        if seen.len() < max && !seen.contains(&address) {
            seen.push(address);
        }
    }
    let refusal = seen.iter().find_map(|address| guard.refusal(*address));
    seen.retain(|address| guard.refusal(*address).is_none());
    match (seen.is_empty(), refusal) {
        (true, Some(why)) => Err((Outcome::NotAsked, why)),
        // The IBM crawler's documentation, 1: a host without an address is unreachable at once.
        (true, None) => Err((Outcome::Unreachable, "the host name has no address".into())),
        _ => Ok(seen.into_iter().map(|address| To::Address(SocketAddr::new(address, port))).collect()),
    }
}

/// The addresses of a proxy. It is the operator's, so no guard checks them.
pub(super) async fn of_proxy(proxy: &Proxy, names: &Names, end: Instant) -> Result<Vec<SocketAddr>, String> {
    let found = match &proxy.host {
        Host::Ipv4(address) => vec![(*address).into()],
        Host::Ipv6(address) => vec![(*address).into()],
        Host::Domain(name) => names.look_up(name, proxy.port, end).await.map_err(|(_, why)| why)?,
    };
    Ok(found.into_iter().map(|to| SocketAddr::new(to, proxy.port)).collect())
}

#[cfg(test)]
#[path = "tests/addresses.rs"]
mod tests;
