//! Look-ups of host names.
//!
//! Invariant: a look-up ends in time, and the number of look-ups that hang is limited. Only a name server's word that
//! there is no such name or address is a failure of the site.

use std::fmt;
use std::io;
use std::net::{IpAddr, Ipv4Addr, ToSocketAddrs as _, UdpSocket};
use std::sync::mpsc;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::net::trouble::lacks_something;

/// Why a look-up found no address. The texts are for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LookUpError {
    /// A name server says that there is no such name, or that it has no address.
    NoSuchName(String),
    /// Nobody said so: no name server answered, or none could be asked.
    NotAsked(String),
}

impl fmt::Display for LookUpError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSuchName(why) | Self::NotAsked(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for LookUpError {}

/// Looks up the addresses of a host.
pub trait Resolver: Send + Sync {
    /// The addresses of the host name, in the order in which they are tried, within that time. The port is the one of
    /// the connection, for resolvers whose addresses depend on it.
    ///
    /// # Errors
    /// If there is no such name ([`LookUpError::NoSuchName`]), or if that can't be found out
    /// ([`LookUpError::NotAsked`]).
    fn resolve(&self, host: &str, port: u16, within: Duration) -> Result<Vec<IpAddr>, LookUpError>;

    /// The addresses, if they are known without a look-up. By default, none are.
    fn known(&self, host: &str, port: u16) -> Option<Vec<IpAddr>> {
        let _ = (host, port);
        None
    }

    /// Whether the addresses of a name depend on the port. By default, they may.
    fn depends_on_port(&self) -> bool {
        true
    }
}

/// The system's look-up. It can't be cancelled, so it runs in a separate thread. When the time is over the thread
/// keeps running alone. At most [`SystemResolver::MOST_AT_ONCE`] look-ups run at a time; further ones wait for a place.
#[derive(Clone, Debug, Default)]
pub struct SystemResolver {
    room: Arc<Room>,
}

pub(crate) type Found = Result<Vec<IpAddr>, LookUpError>;

impl SystemResolver {
    /// The most look-ups that run at a time, including those that timed out. Our choice: 256. A mute name server holds
    /// a look-up for 5 to 30 seconds.
    pub const MOST_AT_ONCE: usize = 256;

    /// Runs a look-up that may hang.
    fn run(&self, within: Duration, look_up: impl FnOnce() -> Found + Send + 'static) -> Found {
        let ours = |why: &str| LookUpError::NotAsked(why.into());
        let began = Instant::now();
        let place = Place::take(&self.room, within).ok_or_else(|| ours("too many look-ups of host names hang"))?;
        let (sender, receiver) = mpsc::sync_channel(1);
        let spawned = thread::Builder::new().name("look-up".into()).spawn(move || {
            let found = look_up();
            drop(place);
            // The receiver is gone if it took too long.
            let _ = sender.send(found);
        });
        spawned.map_err(|error| ours(&format!("no thread for the look-up of the host name: {error}")))?;
        let left = within.saturating_sub(began.elapsed());
        receiver.recv_timeout(left).unwrap_or_else(|_| Err(ours("no name server answered in time")))
    }
}

impl Resolver for SystemResolver {
    fn resolve(&self, host: &str, _: u16, within: Duration) -> Found {
        let host = host.to_owned();
        self.run(within, move || {
            expect_descriptors()?;
            match (host.as_str(), 0).to_socket_addrs() {
                Ok(found) => Ok(found.map(|socket| socket.ip()).collect()),
                // Without descriptors, glibc says that there is no such name.
                Err(error) => expect_descriptors().and(Err(of_system(&error))),
            }
        })
    }

    fn depends_on_port(&self) -> bool {
        false
    }
}

/// Checks that a look-up has the descriptors that it needs: for its files, and for a socket of each address family.
fn expect_descriptors() -> Result<(), LookUpError> {
    let sockets: io::Result<Vec<UdpSocket>> = (0..4).map(|_| UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))).collect();
    match sockets {
        Err(error) if lacks_something(&error) => Err(LookUpError::NotAsked(format!("no look-up: {error}"))),
        _ => Ok(()),
    }
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

fn of_system(error: &io::Error) -> LookUpError {
    let why = error.to_string();
    let text = why.to_ascii_lowercase();
    // The text may be in another language on Windows: 11001 is "host not found", 11004 is "no data".
    let is_denial =
        matches!(error.raw_os_error(), Some(11_001 | 11_004)) || DENIALS.iter().any(|known| text.contains(known));
    // A name that can't be looked up at all is the site's: it is too long, for example.
    let is_bad_name = error.kind() == io::ErrorKind::InvalidInput;
    if (is_denial || is_bad_name) && !lacks_something(error) {
        LookUpError::NoSuchName(why)
    } else {
        LookUpError::NotAsked(why)
    }
}

/// The places for look-ups.
#[derive(Debug, Default)]
struct Room {
    taken: Mutex<usize>,
    bell: Condvar,
}

/// One of the places for running look-ups.
struct Place(Arc<Room>);

impl Place {
    /// Takes a place as soon as there is one, but within that time.
    fn take(room: &Arc<Room>, within: Duration) -> Option<Self> {
        let taken = room.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let is_full = |taken: &mut usize| *taken >= SystemResolver::MOST_AT_ONCE;
        let waited = room.bell.wait_timeout_while(taken, within, is_full);
        let mut taken = waited.unwrap_or_else(PoisonError::into_inner).0;
        if is_full(&mut taken) {
            return None;
        }
        *taken = taken.saturating_add(1);
        drop(taken);
        Some(Self(Arc::clone(room)))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut taken = self.0.taken.lock().unwrap_or_else(PoisonError::into_inner);
        *taken = taken.saturating_sub(1);
        drop(taken);
        self.0.bell.notify_one();
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// A look-up that hangs times out, and is our trouble. When too many hang, the next one waits for a place:
    /// [retrieve.time-outs] [retrieve.own-trouble]
    #[test]
    fn look_ups_are_bounded() {
        let resolver = SystemResolver::default();
        let (release, released) = mpsc::channel::<()>();
        let released = Arc::new(Mutex::new(released));
        for _ in 0..SystemResolver::MOST_AT_ONCE {
            let released = Arc::clone(&released);
            let found = resolver.run(Duration::from_millis(1), move || {
                let _ = released.lock().unwrap().recv();
                Ok(Vec::new())
            });
            assert!(matches!(found, Err(LookUpError::NotAsked(why)) if why.contains("in time")));
        }
        let more = |within| resolver.run(within, || Ok(Vec::new()));
        let full = more(Duration::from_millis(20));
        assert!(matches!(&full, Err(LookUpError::NotAsked(why)) if why.contains("too many")), "{full:?}");
        let waits = thread::scope(|scope| {
            let waits = scope.spawn(|| more(Duration::from_secs(10)));
            thread::sleep(Duration::from_millis(20));
            release.send(()).unwrap();
            waits.join().unwrap()
        });
        assert_eq!(waits, Ok(Vec::new()), "it got the place that became free");
        drop(release);
    }

    /// With 128 names that hang, the others are looked up: [retrieve.own-trouble]
    #[test]
    fn mute_names_take_no_room_of_others() {
        let resolver = SystemResolver::default();
        let (_release, released) = mpsc::channel::<()>();
        let released = Arc::new(Mutex::new(released));
        for _ in 0..128 {
            let released = Arc::clone(&released);
            let hang = move || {
                released.lock().map_or(Ok(Vec::new()), |end| end.recv().map_or(Ok(Vec::new()), |()| Ok(Vec::new())))
            };
            assert!(resolver.run(Duration::from_millis(1), hang).is_err());
        }
        for _ in 0..100 {
            assert_eq!(resolver.run(Duration::from_secs(10), || Ok(Vec::new())), Ok(Vec::new()));
        }
    }

    /// Only a denial by a name server is the site's: [retrieve.own-trouble]
    #[test]
    fn denials_are_told_from_silence() {
        let of = |text: &str| of_system(&io::Error::other(format!("failed to lookup address information: {text}")));
        for text in ["Name or service not known", "No address associated with hostname", "Name does not resolve"] {
            assert!(matches!(of(text), LookUpError::NoSuchName(_)), "{text}");
        }
        for text in ["Temporary failure in name resolution", "Non-recoverable failure in name resolution", "Try again"]
        {
            assert!(matches!(of(text), LookUpError::NotAsked(_)), "{text}");
        }
        assert!(matches!(of_system(&io::Error::from_raw_os_error(24)), LookUpError::NotAsked(_)));
    }
}
