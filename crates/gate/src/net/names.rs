//! Look-ups of host names: the system's, or addresses that were fixed.
//!
//! Invariant: a look-up ends in time, and the number of look-ups that hang is limited. Only a name server's word that
//! there is no such name or address is a failure of the site.

use std::collections::HashMap;
use std::io::{self, ErrorKind};
use std::net::{IpAddr, Ipv4Addr, ToSocketAddrs as _, UdpSocket};
use std::sync::Arc;

use tokio::sync::Semaphore;
use tokio::time::{Instant, timeout_at};
use url::Host;

use crate::net::trouble::lacks_something;
use crate::retrieve::{NoResponse, Outcome};

/// The addresses in the order in which they are tried. A name server's word that there is no such name or address is
/// the site's failure.
pub(super) type Found = Result<Vec<IpAddr>, NoResponse>;

/// The names of a client: those with fixed addresses, and all others, which the system looks up.
#[derive(Clone, Debug)]
#[must_use]
pub struct Names {
    fixed: HashMap<(String, u16), Vec<IpAddr>>,
    /// Places for look-ups.
    places: Arc<Semaphore>,
}

impl Default for Names {
    fn default() -> Self {
        Self { fixed: HashMap::new(), places: Arc::new(Semaphore::new(Self::MOST_AT_ONCE)) }
    }
}

impl Names {
    /// The most look-ups that run at a time, including those that timed out. Our choice: 256, half of tokio's threads
    /// for blocking work. A mute name server holds a look-up for 5 to 30 seconds.
    pub const MOST_AT_ONCE: usize = 256;

    /// Adds an address of a host and port, which is not looked up then. The guard checks it like any other.
    pub fn with(mut self, host: &str, port: u16, address: IpAddr) -> Self {
        let addresses = self.fixed.entry((host.to_ascii_lowercase(), port)).or_default();
        if !addresses.contains(&address) {
            addresses.push(address);
        }
        self
    }

    pub(super) async fn look_up(&self, host: &Host<impl AsRef<str>>, port: u16, end: Instant) -> Found {
        let host = match host {
            Host::Ipv4(address) => return Ok(vec![(*address).into()]),
            Host::Ipv6(address) => return Ok(vec![(*address).into()]),
            Host::Domain(name) => name.as_ref().to_owned(),
        };
        if let Some(addresses) = self.fixed.get(&(host.to_ascii_lowercase(), port)) {
            return Ok(addresses.clone());
        }
        self.run(end, move || {
            if let Some(why) = lacks_descriptors() {
                return Err(ours(why));
            }
            match (host.as_str(), 0).to_socket_addrs() {
                Ok(found) => Ok(found.map(|socket| socket.ip()).collect()),
                // Without descriptors, glibc says that there is no such name.
                Err(error) => Err(lacks_descriptors().map_or_else(|| of_system(&error), ours)),
            }
        })
        .await
    }

    /// Runs a look-up that may hang. It can't be cancelled: when its time is over it goes on alone, and keeps its
    /// place.
    async fn run(&self, end: Instant, look_up: impl FnOnce() -> Found + Send + 'static) -> Found {
        let Ok(Ok(place)) = timeout_at(end, Arc::clone(&self.places).acquire_owned()).await else {
            return Err(ours("too many look-ups of host names hang".into()));
        };
        let work = tokio::task::spawn_blocking(move || {
            let found = look_up();
            drop(place);
            found
        });
        match timeout_at(end, work).await {
            Ok(Ok(found)) => found,
            Ok(Err(error)) => Err(ours(format!("no look-up: {error}"))),
            Err(_) => Err(ours("no name server answered in time".into())),
        }
    }
}

/// Nobody said anything about the name: no name server answered, or none could be asked.
const fn ours(why: String) -> NoResponse {
    (Outcome::NotAsked, why)
}

/// Whether a look-up lacks the descriptors that it needs: for its files, and for a socket of each address family.
fn lacks_descriptors() -> Option<String> {
    let sockets: io::Result<Vec<UdpSocket>> = (0..4).map(|_| UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))).collect();
    sockets.err().filter(lacks_something).map(|error| format!("no look-up: {error}"))
}

/// What the system's resolvers say if a name server has denied the name: glibc, musl, macOS, Windows. The standard
/// library passes on nothing but the text. Any other text is trouble of ours: a time-out, SERVFAIL, no descriptor.
const DENIALS: [&str; 7] = [
    "name or service not known",
    "no address associated with hostname",
    "name does not resolve",
    "name has no usable address",
    "nodename nor servname provided",
    "no such host is known",
    "the requested name is valid, but no data",
];

fn of_system(error: &io::Error) -> NoResponse {
    let why = error.to_string();
    let text = why.to_ascii_lowercase();
    // The text may be in another language on Windows: 11001 is "host not found", 11004 is "no data".
    let is_denial =
        matches!(error.raw_os_error(), Some(11_001 | 11_004)) || DENIALS.iter().any(|known| text.contains(known));
    // A name that can't be looked up at all is the site's: it is too long, for example.
    if (is_denial || error.kind() == ErrorKind::InvalidInput) && !lacks_something(error) {
        (Outcome::Unreachable, why)
    } else {
        ours(why)
    }
}

#[cfg(test)]
#[allow(clippy::arithmetic_side_effects, clippy::panic, clippy::unwrap_used)]
mod tests {
    use std::sync::{Mutex, mpsc};
    use std::time::Duration;

    use super::*;

    /// A look-up that hangs times out, and is our trouble. When too many hang, the next one waits for a place:
    /// [retrieve.time-outs] [retrieve.own-trouble]
    #[test]
    fn look_ups_are_bounded() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let names = Names::default();
        let (release, released) = mpsc::channel::<()>();
        let released = Arc::new(Mutex::new(released));
        let within = |milliseconds| Instant::now() + Duration::from_millis(milliseconds);
        runtime.block_on(async {
            for _ in 0..Names::MOST_AT_ONCE {
                let released = Arc::clone(&released);
                let hang = move || {
                    let _ = released.lock().unwrap().recv();
                    Ok(Vec::new())
                };
                let found = names.run(within(1), hang).await;
                let Err((Outcome::NotAsked, why)) = found else { panic!("{found:?}") };
                assert!(why.contains("in time"), "{why}");
            }
            let more = |end| names.run(end, || Ok(Vec::new()));
            let full = more(within(20)).await;
            assert!(matches!(&full, Err((Outcome::NotAsked, why)) if why.contains("too many")), "{full:?}");
            release.send(()).unwrap();
            assert_eq!(more(within(10_000)).await, Ok(Vec::new()), "the place that became free");
            drop(release);
        });
    }

    /// Only a denial by a name server is the site's: [retrieve.own-trouble]
    #[test]
    fn denials_are_told_from_silence() {
        let of = |text: &str| of_system(&io::Error::other(format!("failed to lookup address information: {text}")));
        for text in ["Name or service not known", "No address associated with hostname", "Name does not resolve"] {
            assert!(of(text).0 == Outcome::Unreachable, "{text}");
        }
        for text in ["Temporary failure in name resolution", "Non-recoverable failure in name resolution", "Try again"]
        {
            assert!(of(text).0 == Outcome::NotAsked, "{text}");
        }
        assert!(of_system(&io::Error::from_raw_os_error(24)).0 == Outcome::NotAsked);
    }
}
