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

use crate::net::trouble::lacks_something;

/// What a look-up found. The texts are for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// The addresses, in the order in which they are tried.
    Addresses(Vec<IpAddr>),
    /// A name server says that there is no such name, or that it has no address.
    NoSuchName(String),
    /// Nobody said so: no name server answered, or none could be asked.
    NotAsked(String),
}

/// The names of a client: those with fixed addresses, and all others, which the system looks up.
///
/// ```
/// use robosieve_gate::net::Names;
/// let names = Names::default().with("intranet.example", 443, "10.0.0.7".parse()?);
/// # Ok::<(), std::net::AddrParseError>(())
/// ```
#[derive(Clone, Debug)]
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
    /// The most look-ups that run at a time, including those that timed out. Our choice: 256, half of tokio's threads for
    /// blocking work. A mute name server holds a look-up for 5 to 30 seconds.
    pub const MOST_AT_ONCE: usize = 256;

    /// Adds an address of a host and port, which is not looked up then. The guard checks it like any other.
    #[must_use]
    pub fn with(mut self, host: &str, port: u16, address: IpAddr) -> Self {
        let addresses = self.fixed.entry((host.to_ascii_lowercase(), port)).or_default();
        if !addresses.contains(&address) {
            addresses.push(address);
        }
        self
    }

    pub(super) async fn look_up(&self, host: &str, port: u16, end: Instant) -> Found {
        if let Some(addresses) = self.fixed.get(&(host.to_ascii_lowercase(), port)) {
            return Found::Addresses(addresses.clone());
        }
        let host = host.to_owned();
        self.run(end, move || {
            if let Some(why) = lacks_descriptors() {
                return Found::NotAsked(why);
            }
            match (host.as_str(), 0).to_socket_addrs() {
                Ok(found) => Found::Addresses(found.map(|socket| socket.ip()).collect()),
                // Without descriptors, glibc says that there is no such name.
                Err(error) => lacks_descriptors().map_or_else(|| of_system(&error), Found::NotAsked),
            }
        })
        .await
    }

    /// Runs a look-up that may hang. It can't be cancelled: when its time is over it goes on alone, and keeps its place.
    async fn run(&self, end: Instant, look_up: impl FnOnce() -> Found + Send + 'static) -> Found {
        let Ok(Ok(place)) = timeout_at(end, Arc::clone(&self.places).acquire_owned()).await else {
            return Found::NotAsked("too many look-ups of host names hang".into());
        };
        let work = tokio::task::spawn_blocking(move || {
            let found = look_up();
            drop(place);
            found
        });
        match timeout_at(end, work).await {
            Ok(Ok(found)) => found,
            Ok(Err(error)) => Found::NotAsked(format!("no look-up: {error}")),
            Err(_) => Found::NotAsked("no name server answered in time".into()),
        }
    }
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

fn of_system(error: &io::Error) -> Found {
    let why = error.to_string();
    let text = why.to_ascii_lowercase();
    // The text may be in another language on Windows: 11001 is "host not found", 11004 is "no data".
    let is_denial =
        matches!(error.raw_os_error(), Some(11_001 | 11_004)) || DENIALS.iter().any(|known| text.contains(known));
    // A name that can't be looked up at all is the site's: it is too long, for example.
    if (is_denial || error.kind() == ErrorKind::InvalidInput) && !lacks_something(error) {
        Found::NoSuchName(why)
    } else {
        Found::NotAsked(why)
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
                    Found::Addresses(Vec::new())
                };
                let found = names.run(within(1), hang).await;
                let Found::NotAsked(why) = found else { panic!("{found:?}") };
                assert!(why.contains("in time"), "{why}");
            }
            let more = |end| names.run(end, || Found::Addresses(Vec::new()));
            let full = more(within(20)).await;
            assert!(matches!(&full, Found::NotAsked(why) if why.contains("too many")), "{full:?}");
            release.send(()).unwrap();
            assert_eq!(more(within(10_000)).await, Found::Addresses(Vec::new()), "the place that became free");
            drop(release);
        });
    }

    /// Only a denial by a name server is the site's: [retrieve.own-trouble]
    #[test]
    fn denials_are_told_from_silence() {
        let of = |text: &str| of_system(&io::Error::other(format!("failed to lookup address information: {text}")));
        for text in ["Name or service not known", "No address associated with hostname", "Name does not resolve"] {
            assert!(matches!(of(text), Found::NoSuchName(_)), "{text}");
        }
        for text in ["Temporary failure in name resolution", "Non-recoverable failure in name resolution", "Try again"]
        {
            assert!(matches!(of(text), Found::NotAsked(_)), "{text}");
        }
        assert!(matches!(of_system(&io::Error::from_raw_os_error(24)), Found::NotAsked(_)));
    }
}
