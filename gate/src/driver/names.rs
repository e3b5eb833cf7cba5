//! Looking up names.
//!
//! Invariant: a look-up ends in time, and those that hang are bounded in number.

use std::net::{IpAddr, ToSocketAddrs as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// Looks up the addresses of a host.
pub trait Resolver: Send + Sync {
    /// The addresses of the name, in the order in which they are to be tried, within that time. The port is the one that will be
    /// connected to, for those who have other addresses for each.
    ///
    /// # Errors
    /// Why there are none, for people.
    fn resolve(&self, host: &str, port: u16, within: Duration) -> Result<Vec<IpAddr>, String>;
}

/// The system's own look-up. It can't be broken off, so it runs in a thread of its own, which is left behind when the time is
/// over; no more than [`SystemResolver::MOST_AT_ONCE`] run at a time.
#[derive(Clone, Debug, Default)]
pub struct SystemResolver {
    under_way: Arc<AtomicUsize>,
}

type Found = Result<Vec<IpAddr>, String>;

impl SystemResolver {
    /// Look-ups that run at a time, those left behind included.
    pub const MOST_AT_ONCE: usize = 64;

    /// Runs a look-up that may hang.
    fn run(&self, within: Duration, look_up: impl FnOnce() -> Found + Send + 'static) -> Found {
        let place = Place::take(&self.under_way).ok_or("too many look-ups of names are under way")?;
        let (sender, receiver) = mpsc::sync_channel(1);
        let spawned = thread::Builder::new().name("look-up".into()).spawn(move || {
            let found = look_up();
            drop(place);
            // Nobody listens any more if it took too long.
            let _ = sender.send(found);
        });
        spawned.map_err(|error| error.to_string())?;
        receiver.recv_timeout(within).unwrap_or_else(|_| Err("the look-up of the name timed out".into()))
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

/// One of the look-ups that may be under way.
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

    /// A look-up that hangs is left behind in time, and so many of them are that no more begin until one has ended:
    /// [retrieve.time-outs]
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
