//! Tests of `places`.
#![allow(clippy::arithmetic_side_effects, clippy::unwrap_used)]

use std::time::Duration;

use super::*;

/// At N-1 and N there is a place, at N + 1 there is none until one is free, and nothing stays:
/// [retrieve.places]
#[test]
fn places_at_an_address() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let (here, there): (IpAddr, IpAddr) = ("192.0.2.1".parse().unwrap(), "192.0.2.2".parse().unwrap());
    let places = Arc::new(Places::default());
    let take = async |address, host: &str| {
        let url = Url::parse(&format!("http://{host}/robots.txt")).unwrap();
        places.take(address, &url, Instant::now() + Duration::from_millis(20)).await
    };
    runtime.block_on(async {
        let mut taken = Vec::new();
        for number in 0..OF_A_DOMAIN {
            taken.push(take(here, &format!("{number}.one.example")).await.unwrap());
        }
        assert!(take(here, "x.one.example").await.is_none());
        assert!(take(there, "x.one.example").await.is_some());
        for number in OF_A_DOMAIN..AT_AN_ADDRESS {
            taken.push(take(here, &format!("site{number}.example")).await.unwrap());
        }
        assert!(take(here, "last.example").await.is_none());
        assert!(take(here, "192.0.2.1").await.is_none());
        taken.pop();
        taken.push(take(here, "192.0.2.1").await.unwrap());
        drop(taken);
        assert!(places.lock().is_empty());
    });
}
