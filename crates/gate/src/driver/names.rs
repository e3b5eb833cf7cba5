//! Look-ups of host names.
//!
//! Invariant: a look-up ends in time, and the number of look-ups that hang is limited.

use std::collections::HashMap;
use std::net::{IpAddr, ToSocketAddrs as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// Looks up the addresses of a host.
pub trait Resolver: Send + Sync {
    /// The addresses of the host name, in the order in which they are tried, within that time. The port is the one of
    /// the connection, for resolvers whose addresses depend on it.
    ///
    /// # Errors
    /// Returns the reason as text for people.
    fn resolve(&self, host: &str, port: u16, within: Duration) -> Result<Vec<IpAddr>, String>;
}

/// The system's look-up. It can't be cancelled, so it runs in a separate thread. When the time is over the thread
/// keeps running alone. At most [`SystemResolver::MOST_AT_ONCE`] look-ups run at a time.
#[derive(Clone, Debug, Default)]
pub struct SystemResolver {
    under_way: Arc<AtomicUsize>,
}

type Found = Result<Vec<IpAddr>, String>;

impl SystemResolver {
    /// The most look-ups that run at a time, including those that timed out.
    pub const MOST_AT_ONCE: usize = 64;

    /// Runs a look-up that may hang.
    fn run(&self, within: Duration, look_up: impl FnOnce() -> Found + Send + 'static) -> Found {
        let place = Place::take(&self.under_way).ok_or("too many look-ups of host names are running")?;
        let (sender, receiver) = mpsc::sync_channel(1);
        let spawned = thread::Builder::new().name("look-up".into()).spawn(move || {
            let found = look_up();
            drop(place);
            // The receiver is gone if it took too long.
            let _ = sender.send(found);
        });
        spawned.map_err(|error| error.to_string())?;
        receiver.recv_timeout(within).unwrap_or_else(|_| Err("the look-up of the host name timed out".into()))
    }
}

impl Resolver for SystemResolver {
    fn resolve(&self, host: &str, _: u16, within: Duration) -> Result<Vec<IpAddr>, String> {
        let host = host.to_owned();
        self.run(within, move || {
            let found = (host.as_str(), 0).to_socket_addrs().map_err(|error| error.to_string())?;
            Ok(found.map(|socket| socket.ip()).collect())
        })
    }
}

/// Some host names with fixed addresses. All others are looked up by the system. An address guard applies to both.
#[derive(Clone, Debug, Default)]
pub struct FixedNames {
    addresses: HashMap<(String, u16), Vec<IpAddr>>,
    system: SystemResolver,
}

impl FixedNames {
    /// Adds an address for a host name and port. Several are tried in the order in which they were added.
    #[must_use]
    pub fn with(mut self, host: &str, port: u16, address: IpAddr) -> Self {
        let addresses = self.addresses.entry((host.to_ascii_lowercase(), port)).or_default();
        if !addresses.contains(&address) {
            addresses.push(address);
        }
        self
    }
}

impl Resolver for FixedNames {
    fn resolve(&self, host: &str, port: u16, within: Duration) -> Result<Vec<IpAddr>, String> {
        match self.addresses.get(&(host.to_ascii_lowercase(), port)) {
            Some(addresses) => Ok(addresses.clone()),
            None => self.system.resolve(host, port, within),
        }
    }
}

/// One of the places for running look-ups.
struct Place(Arc<AtomicUsize>);

impl Place {
    fn take(count: &Arc<AtomicUsize>) -> Option<Self> {
        let more = |taken: usize| (taken < SystemResolver::MOST_AT_ONCE).then(|| taken.saturating_add(1));
        count.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).ok()?;
        Some(Self(Arc::clone(count)))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// [cmd.network]
    #[test]
    fn fixed_names_are_not_looked_up() {
        let (one, two) = (IpAddr::from([192, 0, 2, 1]), IpAddr::from([192, 0, 2, 2]));
        let names = FixedNames::default().with("A.example", 80, two).with("a.example", 80, one);
        let names = names.with("a.example", 80, two).with("a.example", 443, one);
        let look_up = |port| names.resolve("a.example", port, Duration::ZERO);
        assert_eq!((look_up(80), look_up(443)), (Ok(vec![two, one]), Ok(vec![one])));
        assert!(look_up(8080).is_err());
    }

    /// A look-up that hangs times out. When too many hang, no more begin until one has ended: [retrieve.time-outs]
    #[test]
    fn look_ups_are_bounded() {
        let resolver = SystemResolver::default();
        let (release, released) = mpsc::channel::<()>();
        let released = Arc::new(std::sync::Mutex::new(released));
        for _ in 0..SystemResolver::MOST_AT_ONCE {
            let released = Arc::clone(&released);
            let found = resolver.run(Duration::from_millis(1), move || {
                let _ = released.lock().unwrap().recv();
                Ok(Vec::new())
            });
            assert!(found.unwrap_err().contains("timed out"));
        }
        let more = || resolver.run(Duration::from_secs(10), || Ok(Vec::new()));
        assert!(more().unwrap_err().contains("too many"));
        release.send(()).unwrap();
        let began = std::time::Instant::now();
        while more().is_err() {
            assert!(began.elapsed() < Duration::from_secs(10), "the place is not free again");
        }
        drop(release);
    }
}
