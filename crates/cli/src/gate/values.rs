//! Values of flags: seconds, networks, addresses of names.
//!
//! Invariant: a value that is not valid is refused, with an example of one that is.

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use ipnet::IpNet;
use tracing_subscriber::filter::LevelFilter;
use url::Host;

/// `2`, `0.5`.
pub(super) fn seconds(text: &str) -> Result<Duration, String> {
    // Thirty years. More is a mistake.
    let number = text.parse::<f64>().ok().filter(|number| (0.0..=1e9).contains(number));
    number
        .and_then(|number| Duration::try_from_secs_f64(number).ok())
        .ok_or_else(|| "write a number of seconds, for example 2.5".into())
}

/// The same, but more than zero.
pub(super) fn some_seconds(text: &str) -> Result<Duration, String> {
    let found = seconds(text)?;
    if found < Duration::from_millis(1) { Err("write a number of seconds, at least 0.001".into()) } else { Ok(found) }
}

/// `127.0.0.1:8118`.
pub(super) fn listen(text: &str) -> Result<SocketAddr, String> {
    let port = text.trim_start_matches(':').parse::<u16>().map_or(8118, |port| port);
    text.parse().map_err(|_| format!("write an IP address and a port, for example 127.0.0.1:{port} or [::1]:{port}"))
}

/// `10.0.0.0/8`, or one address.
pub(super) fn network(text: &str) -> Result<IpNet, String> {
    let found = text.parse::<IpNet>().ok().or_else(|| text.parse::<IpAddr>().ok().map(IpNet::from));
    found.ok_or_else(|| "write a network, for example 10.0.0.0/8 or fd00::/8, or one address".into())
}

/// `info`.
pub(super) fn level(text: &str) -> Result<LevelFilter, String> {
    match text {
        "warn" => Ok(LevelFilter::WARN),
        "info" => Ok(LevelFilter::INFO),
        "debug" => Ok(LevelFilter::DEBUG),
        _ => Err("write warn, info or debug".into()),
    }
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
