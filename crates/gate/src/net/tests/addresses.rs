//! Tests of `addresses`.
#![allow(clippy::arithmetic_side_effects, clippy::unwrap_used)]

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
