//! Look-ups that are remembered, and names whose addresses the caller sets.
//!
//! Invariant: what was looked up is used for a fixed time and not longer, and the guard checks it at each use. The
//! number of names is limited. Whoever asks for a name that is being looked up waits for that look-up. A name that is set
//! for a port is not looked up for it.

use std::collections::HashMap;
use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use quick_cache::sync::{Cache, GuardResult};

use crate::net::names::{Found, LookUpError, Resolver, SystemResolver};

/// A resolver that remembers what another one found.
///
/// The system's resolver does not say for how long its answers are valid, so all are used for the same time.
///
/// ```
/// use std::time::Duration;
/// use robosieve_gate::net::{CachedNames, SystemResolver};
/// let names = CachedNames::new(SystemResolver::default()).time(Duration::from_secs(10));
/// # let _ = names;
/// ```
#[derive(Clone)]
pub struct CachedNames<R = SystemResolver> {
    resolver: R,
    known: Arc<Cache<(String, u16), Known>>,
    time: Duration,
}

#[derive(Clone)]
struct Known {
    found: Found,
    until: Instant,
}

impl CachedNames {
    /// 60 seconds: for so long, the addresses of a name are used. Our choice: browsers do the same.
    pub const TIME: Duration = Duration::from_secs(60);
    /// 1 second: for so long, a failure is used. Those that wait for the look-up get it too.
    pub const TIME_OF_FAILURES: Duration = Duration::from_secs(1);
    /// 10,000: the most names. Our choice: a megabyte or two, and 15 at most.
    pub const MOST: usize = 10_000;
    /// 64: the most addresses of a name that is remembered. Our choice: a name server could fill the memory with more.
    pub const ADDRESSES: usize = 64;
    /// 255: the most bytes of a name that is remembered. No longer name exists (RFC 1035 2.3.4).
    pub const LONGEST: usize = 255;
}

impl<R: Resolver> CachedNames<R> {
    /// Remembers what this resolver finds.
    #[must_use]
    pub fn new(resolver: R) -> Self {
        Self { resolver, known: Arc::new(Cache::new(CachedNames::MOST)), time: CachedNames::TIME }
    }

    /// Sets for how long the addresses of a name are used, instead of [`CachedNames::TIME`]. With zero, nothing is
    /// remembered.
    #[must_use]
    pub fn time(self, time: Duration) -> Self {
        Self { time, ..self }
    }

    /// The number of names that are remembered.
    #[must_use]
    pub fn len(&self) -> usize {
        self.known.len()
    }

    /// Whether none is.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    fn key(&self, host: &str, port: u16) -> (String, u16) {
        (host.to_ascii_lowercase(), if self.resolver.depends_on_port() { port } else { 0 })
    }

    fn look_up(&self, host: &str, port: u16, within: Duration) -> Known {
        let found = self.resolver.resolve(host, port, within);
        let time = if found.is_ok() { self.time } else { CachedNames::TIME_OF_FAILURES.min(self.time) };
        let now = Instant::now();
        Known { found, until: now.checked_add(time).unwrap_or(now) }
    }
}

impl<R: Resolver> Resolver for CachedNames<R> {
    fn resolve(&self, host: &str, port: u16, within: Duration) -> Found {
        if self.time.is_zero() || host.len() > CachedNames::LONGEST {
            return self.resolver.resolve(host, port, within);
        }
        let (key, began) = (self.key(host, port), Instant::now());
        loop {
            let left = within.saturating_sub(began.elapsed());
            match self.known.get_value_or_guard(&key, Some(left)) {
                GuardResult::Value(known) if Instant::now() < known.until => return known.found,
                GuardResult::Value(_) => {
                    self.known.remove_if(&key, |known| known.until <= Instant::now());
                }
                GuardResult::Guard(guard) => {
                    let known = self.look_up(host, port, left);
                    if known.found.as_ref().is_ok_and(|found| found.len() > CachedNames::ADDRESSES) {
                        return known.found;
                    }
                    // It is gone if somebody has removed it meanwhile.
                    let _ = guard.insert(known.clone());
                    return known.found;
                }
                GuardResult::Timeout => {
                    return Err(LookUpError::NotAsked("no name server answered in time".into()));
                }
            }
        }
    }

    fn known(&self, host: &str, port: u16) -> Option<Vec<IpAddr>> {
        let known = self.known.get(&self.key(host, port))?;
        known.found.ok().filter(|_| Instant::now() < known.until)
    }

    fn depends_on_port(&self) -> bool {
        self.resolver.depends_on_port()
    }
}

impl<R> fmt::Debug for CachedNames<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CachedNames")
            .field("names", &self.known.len())
            .field("time", &self.time)
            .finish_non_exhaustive()
    }
}

/// Some host names with fixed addresses. All others are looked up by the system, and remembered ([`CachedNames`]). An
/// address guard applies to both.
#[derive(Clone, Debug)]
pub struct FixedNames {
    addresses: HashMap<(String, u16), Vec<IpAddr>>,
    system: CachedNames,
}

impl Default for FixedNames {
    fn default() -> Self {
        Self { addresses: HashMap::new(), system: CachedNames::new(SystemResolver::default()) }
    }
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
    fn resolve(&self, host: &str, port: u16, within: Duration) -> Found {
        match self.addresses.get(&(host.to_ascii_lowercase(), port)) {
            Some(addresses) => Ok(addresses.clone()),
            None => self.system.resolve(host, port, within),
        }
    }

    fn known(&self, host: &str, port: u16) -> Option<Vec<IpAddr>> {
        let fixed = self.addresses.get(&(host.to_ascii_lowercase(), port)).cloned();
        fixed.or_else(|| self.system.known(host, port))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may fail")]
mod tests {
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread;

    use super::*;

    /// Counts the look-ups; the answer can be changed.
    #[derive(Clone)]
    struct Counted {
        count: Arc<AtomicUsize>,
        answer: Arc<Mutex<Found>>,
        takes: Duration,
        by_port: bool,
    }

    impl Resolver for Counted {
        fn resolve(&self, _: &str, _: u16, _: Duration) -> Found {
            self.count.fetch_add(1, Ordering::SeqCst);
            thread::sleep(self.takes);
            self.answer.lock().unwrap().clone()
        }

        fn depends_on_port(&self) -> bool {
            self.by_port
        }
    }

    fn counted(takes: Duration) -> Counted {
        let answer = Arc::new(Mutex::new(Ok(vec![IpAddr::from([192, 0, 2, 1])])));
        Counted { count: Arc::default(), answer, takes, by_port: false }
    }

    const WITHIN: Duration = Duration::from_secs(10);

    /// A thousand requests of one host, on any port and at once, look its name up once: [retrieve.names]
    #[test]
    fn one_look_up_for_many() {
        let inner = counted(Duration::from_millis(50));
        let names = CachedNames::new(inner.clone());
        thread::scope(|scope| {
            for thread in 0..10_u16 {
                let names = &names;
                scope.spawn(move || {
                    for port in 0..100 {
                        let host = if port % 2 == 0 { "a.test" } else { "A.TEST" };
                        assert_eq!(names.resolve(host, thread * 100 + port, WITHIN).map(|found| found.len()), Ok(1));
                    }
                });
            }
        });
        assert_eq!((inner.count.load(Ordering::SeqCst), names.len()), (1, 1));
        assert_eq!(names.known("a.test", 1), Some(vec![IpAddr::from([192, 0, 2, 1])]));
        // Where addresses depend on the port, each port has its own.
        let inner = Counted { by_port: true, ..counted(Duration::ZERO) };
        let names = CachedNames::new(inner.clone());
        for port in [80, 443, 80] {
            names.resolve("a.test", port, WITHIN).unwrap();
        }
        assert_eq!((inner.count.load(Ordering::SeqCst), names.known("a.test", 81)), (2, None));
    }

    /// After its time a name is looked up again. A failure is used for a second, by those that wait too:
    /// [retrieve.names]
    #[test]
    fn nothing_is_used_for_longer() {
        let inner = counted(Duration::ZERO);
        let names = CachedNames::new(inner.clone()).time(Duration::from_millis(500));
        let ask = || names.resolve("a.test", 80, WITHIN);
        let first = ask();
        *inner.answer.lock().unwrap() = Ok(vec![IpAddr::from([10, 0, 0, 1])]);
        assert_eq!(ask(), first);
        thread::sleep(Duration::from_millis(520));
        assert_eq!(names.known("a.test", 80), None);
        assert_eq!((ask(), inner.count.load(Ordering::SeqCst)), (Ok(vec![IpAddr::from([10, 0, 0, 1])]), 2));
        let failing = counted(Duration::from_millis(50));
        *failing.answer.lock().unwrap() = Err(LookUpError::NotAsked("silence".into()));
        let names = CachedNames::new(failing.clone());
        thread::scope(|scope| {
            let asked: Vec<_> = (0..8).map(|_| scope.spawn(|| names.resolve("a.test", 80, WITHIN))).collect();
            assert!(asked.into_iter().all(|asked| asked.join().unwrap().is_err()));
        });
        assert_eq!((failing.count.load(Ordering::SeqCst), names.known("a.test", 80)), (1, None));
        thread::sleep(CachedNames::TIME_OF_FAILURES);
        assert!(names.resolve("a.test", 80, WITHIN).is_err());
        assert_eq!(failing.count.load(Ordering::SeqCst), 2);
        // Whoever waits for somebody else's look-up does so within its own time.
        let slow = counted(Duration::from_secs(1));
        let names = CachedNames::new(slow);
        thread::scope(|scope| {
            scope.spawn(|| names.resolve("a.test", 80, WITHIN));
            thread::sleep(Duration::from_millis(300));
            assert!(matches!(names.resolve("a.test", 80, Duration::from_millis(20)), Err(LookUpError::NotAsked(_))));
        });
        // Without a time, nothing is remembered.
        let never = counted(Duration::ZERO);
        let names = CachedNames::new(never.clone()).time(Duration::ZERO);
        for _ in 0..3 {
            names.resolve("a.test", 80, WITHIN).unwrap();
        }
        assert_eq!((never.count.load(Ordering::SeqCst), names.is_empty()), (3, true));
    }

    /// The number of names, their length, and the number of their addresses have limits: [retrieve.names]
    #[test]
    fn bounded_names() {
        let names = CachedNames::new(counted(Duration::ZERO));
        for number in 0..20_000 {
            names.resolve(&format!("n{number}.test"), 80, WITHIN).unwrap();
            assert!(names.len() <= CachedNames::MOST, "{number}");
        }
        assert!(names.len() > CachedNames::MOST / 2, "{}", names.len());
        let names = CachedNames::new(counted(Duration::ZERO));
        for (length, count) in [(254, 1), (255, 2), (256, 2)] {
            names.resolve(&"a".repeat(length), 80, WITHIN).unwrap();
            assert_eq!(names.len(), count, "{length}");
        }
        for (count, is_kept) in [(63, true), (64, true), (65, false)] {
            let many = counted(Duration::ZERO);
            *many.answer.lock().unwrap() = Ok(vec![IpAddr::from([192, 0, 2, 1]); count]);
            let names = CachedNames::new(many);
            assert_eq!(names.resolve("a.test", 80, WITHIN).map(|found| found.len()), Ok(count));
            assert_eq!(names.known("a.test", 80).is_some(), is_kept, "{count}");
        }
        assert_eq!(CachedNames::ADDRESSES, 64);
        assert_eq!((CachedNames::MOST, CachedNames::LONGEST, CachedNames::TIME.as_secs()), (10_000, 255, 60));
    }

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
}
