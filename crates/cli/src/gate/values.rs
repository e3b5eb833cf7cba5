//! Values of flags that are no plain words: seconds, networks, rulings, addresses of names.
//!
//! Invariant: what is not of its form is refused with an example of what is.

use std::net::IpAddr;
use std::time::Duration;

use ipnet::{IpNet, Ipv6Net};
use robosieve_gate::{Class, Ruling};
use url::Host;

/// `2`, `0.5`.
pub(super) fn seconds(text: &str) -> Result<Duration, String> {
    // Thirty years; what is more is a slip.
    let number = text.parse::<f64>().ok().filter(|number| (0.0..=1e9).contains(number));
    number
        .and_then(|number| Duration::try_from_secs_f64(number).ok())
        .ok_or_else(|| "write a number of seconds, for example 2.5".into())
}

/// The same, for what must take some time.
pub(super) fn some_seconds(text: &str) -> Result<Duration, String> {
    let found = seconds(text)?;
    if found < Duration::from_millis(1) { Err("write a number of seconds, at least 0.001".into()) } else { Ok(found) }
}

/// `10.0.0.0/8`, or one address.
pub(super) fn network(text: &str) -> Result<IpNet, String> {
    let found = text.parse::<IpNet>().ok().or_else(|| text.parse::<IpAddr>().ok().map(IpNet::from));
    found.ok_or_else(|| "write a network, for example 10.0.0.0/8 or fd00::/8, or one address".into())
}

/// `too-many-requests=unreachable`.
pub(super) fn ruling_on_class(text: &str) -> Result<(Class, Ruling), String> {
    let (class, ruling) = text.split_once('=').ok_or("write it as CLASS=RULING, as in forbidden=deny")?;
    let found = Class::of_name(class).ok_or_else(|| {
        let known = Class::ALL.map(Class::as_str).join(", ");
        format!("unknown response class {class:?}; the classes are {known}")
    })?;
    Ok((found, self::ruling(ruling)?))
}

/// `deny`.
pub(super) fn ruling(text: &str) -> Result<Ruling, String> {
    Ruling::of_name(text).ok_or_else(|| "a ruling is rules, allow, deny, unreachable or not-now".into())
}

/// The addresses of a name for one port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) host: String,
    pub(super) port: u16,
    pub(super) addresses: Vec<IpAddr>,
}

/// `example.com:443:127.0.0.1`, as curl has it.
pub(super) fn entry(text: &str) -> Result<Entry, String> {
    let form = || "write it as HOST:PORT:ADDRESS, as in example.com:443:192.0.2.1".to_owned();
    let (host, rest) = text.split_once(':').ok_or_else(form)?;
    let (port, addresses) = rest.split_once(':').ok_or_else(form)?;
    let Ok(Host::Domain(host)) = Host::parse(host) else {
        return Err(format!("{host:?} is not a host name: an address in a URL needs no lookup"));
    };
    let address = |text: &str| text.trim_start_matches('[').trim_end_matches(']').parse().ok();
    let addresses = addresses.split(',').map(address).collect::<Option<Vec<IpAddr>>>().ok_or_else(form)?;
    Ok(Entry { host, port: port.parse().map_err(|_| form())?, addresses })
}

/// Amazon's, Google's, Oracle's, Scaleway's, Linode's and Alibaba's.
const METADATA: [&str; 6] = [
    "fd00:ec2::/32",
    "fd20:ce::254/128",
    "fd00:c1::a9fe:a9fe/128",
    "fd00:42::42/128",
    "fd00:a9fe:a9fe::1/128",
    "fd00:100::100:200/128",
];

/// Loopback and the private networks of RFC 1918 and RFC 4193, less those of the latter in which clouds' machines find their
/// metadata services. Link-local addresses are not among them for the same reason.
pub(super) fn private_networks() -> Vec<IpNet> {
    let mut networks: Vec<IpNet> = ["127.0.0.0/8", "::1/128", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16"]
        .iter()
        .filter_map(|text| text.parse().ok())
        .collect();
    let mut unique_local: Vec<Ipv6Net> = "fc00::/7".parse().into_iter().collect();
    for hole in METADATA.iter().filter_map(|text| text.parse().ok()) {
        let without =
            |network: Ipv6Net| if network.contains(&hole) { all_but(network, hole).collect() } else { vec![network] };
        unique_local = unique_local.into_iter().flat_map(without).collect();
    }
    networks.extend(unique_local.into_iter().map(IpNet::V6));
    networks
}

/// The networks that make up `all` without `hole`: at each step into the hole the half that it is not in.
fn all_but(all: Ipv6Net, hole: Ipv6Net) -> impl Iterator<Item = Ipv6Net> {
    let longer = all.prefix_len().saturating_add(1)..=hole.prefix_len();
    longer.filter_map(move |length| {
        let bit = 1_u128.checked_shl(128_u32.checked_sub(length.into())?)?;
        let other = u128::from(hole.network()) ^ bit;
        Some(Ipv6Net::new(other.into(), length).ok()?.trunc())
    })
}

/// Whether an address is in one of the networks; for the tests.
#[cfg(test)]
fn holds(networks: &[IpNet], address: &str) -> bool {
    address.parse::<IpAddr>().is_ok_and(|address| networks.iter().any(|network| network.contains(&address)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn private_networks_have_no_metadata_services() {
        let networks = private_networks();
        for inside in [
            "127.0.0.1",
            "::1",
            "10.1.2.3",
            "172.31.0.1",
            "192.168.1.1",
            "fd00::1",
            "fc00::1",
            "fdff::1",
            "fd00:ec1::254",
            "fd00:ec3::1",
            "fd20:ce::253",
            "fd00:42::43",
        ] {
            assert!(holds(&networks, inside), "{inside}");
        }
        for outside in [
            "169.254.169.254",
            "fe80::1",
            "fd00:ec2::254",
            "fd00:ec2:ffff::1",
            "fd20:ce::254",
            "fd00:c1::a9fe:a9fe",
            "fd00:42::42",
            "fd00:a9fe:a9fe::1",
            "fd00:100::100:200",
            "100.100.100.200",
            "0.0.0.0",
            "172.32.0.1",
            "fe00::1",
        ] {
            assert!(!holds(&networks, outside), "{outside}");
        }
        assert!(networks.iter().all(|network| matches!(network, IpNet::V4(_)) || network.prefix_len() > 7));
    }

    #[test]
    fn values_are_read_or_refused() {
        assert_eq!(seconds("2.5"), Ok(Duration::from_millis(2_500)));
        for wrong in ["", "-1", "NaN", "inf", "1e30", "2s"] {
            assert!(seconds(wrong).is_err(), "{wrong}");
        }
        assert!(some_seconds("0").is_err());
        for (text, fine, some) in [
            ("0", true, false),
            ("-0", true, false),
            ("0.000999", true, false),
            ("0.001", true, true),
            ("1e-400", true, false),
            ("1", true, true),
            ("999999999", true, true),
            ("1000000000", true, true),
            ("1e9", true, true),
            ("1000000000.001", false, false),
            ("1000000001", false, false),
            ("1.7976931348623157e308", false, false),
        ] {
            assert_eq!((seconds(text).is_ok(), some_seconds(text).is_ok()), (fine, some), "{text}");
        }
        assert!(network("10.0.0.0/33").is_err() && network("127.0.0.1").is_ok());
        assert_eq!(ruling_on_class("forbidden=deny").map(|found| found.0), Ok(Class::Forbidden));
        assert!(ruling_on_class("forbidden=maybe").is_err() && ruling_on_class("nothing=deny").is_err());
        let found =
            entry("Example.com:443:[::1],127.0.0.1").map(|entry| (entry.host, entry.port, entry.addresses.len()));
        assert_eq!(found, Ok(("example.com".into(), 443, 2)));
        for wrong in ["a", "a:1", "a:b:127.0.0.1", "a:99999:127.0.0.1", "127.0.0.1:80:127.0.0.1", "a:80:b"] {
            assert!(entry(wrong).is_err(), "{wrong}");
        }
    }
}
