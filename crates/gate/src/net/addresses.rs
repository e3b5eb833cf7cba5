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
    let found = match &url.host() {
        // It gets no name of its own computer: a guard that refuses such addresses would not see it.
        Some(Host::Domain(name))
            if !is_localhost(name) && proxy.is_some_and(|proxy| !proxy.lets_names_be_checked()) =>
        {
            return Ok(vec![To::ByProxy]);
        }
        Some(host) => names.look_up(host, port, end).await?,
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
    let found = names.look_up(&proxy.host, proxy.port, end).await.map_err(|(_, why)| why)?;
    Ok(found.into_iter().map(|to| SocketAddr::new(to, proxy.port)).collect())
}

#[cfg(test)]
#[allow(clippy::arithmetic_side_effects, clippy::unwrap_used)]
mod tests {
    use std::net::Ipv4Addr;
    use std::time::Duration;

    use super::*;

    /// Each address once, in order, and no more than the limit: at N-1, N and N+1. What the guard refuses counts, too:
    /// [retrieve.addresses] [retrieve.limits] [retrieve.address-guard]
    #[test]
    fn the_first_addresses_count() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let (url, guard) = (Url::parse("http://a.test/robots.txt").unwrap(), AddressGuard::anything());
        let nth = |number: usize| IpAddr::from(Ipv4Addr::new(93, 184, 215, u8::try_from(number).unwrap()));
        for (count, expected) in [(15, 15), (16, 16), (17, 16)] {
            // Each is there twice, once as IPv6.
            let all = (0..count).flat_map(|number| match nth(number) {
                IpAddr::V4(address) => [address.to_ipv6_mapped().into(), address.into()],
                IpAddr::V6(address) => [address.into(); 2],
            });
            let names = all.fold(Names::default(), |names, address| names.with("a.test", 80, address));
            let found = runtime.block_on(async {
                let end = Instant::now() + Duration::from_secs(1);
                of(&url, None, (&names, &guard, 16), end).await.unwrap()
            });
            let places: Vec<To> = (0..expected).map(|number| To::Address((nth(number), 80).into())).collect();
            assert_eq!(found, places, "{count}");
        }
    }
}
