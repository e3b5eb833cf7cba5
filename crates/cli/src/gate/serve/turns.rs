//! Turns: how many checks run at a time, in all and of one host.
//!
//! Invariant: a host that does not answer holds [`MAX_CHECKS_OF_HOST`] of the checks, so the others can go on. A host
//! is remembered as long as someone has its turn or waits for it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;
use url::Url;

/// Checks at a time, of known sites and of others each. Our choice.
pub(super) const MAX_CHECKS: usize = 64;
/// Checks of one host at a time, of both again. Our choice: as many as may wait for one robots.txt.
pub(super) const MAX_CHECKS_OF_HOST: usize = 8;
/// How long a check waits for its turn. One of a known site takes a millisecond.
const PATIENCE: Duration = Duration::from_secs(1);

type Hosts = Mutex<HashMap<String, Arc<Semaphore>>>;

pub(super) struct Turns {
    hosts: Arc<Hosts>,
    all: Arc<Semaphore>,
}

/// A turn, until it is dropped.
pub(super) struct Turn {
    _of_host: OfHost,
    _of_all: OwnedSemaphorePermit,
}

impl Turns {
    pub(super) fn new() -> Self {
        Self { hosts: Arc::default(), all: Arc::new(Semaphore::new(MAX_CHECKS)) }
    }

    /// The turn of a check, or what too many checks run of.
    pub(super) async fn of(&self, url: &str) -> Result<Turn, &'static str> {
        let mut of_host = OfHost::new(&self.hosts, host(url));
        // First the host's, so that who waits for that holds nothing.
        let busy = "as many checks of this host run as may at a time";
        of_host.permit = Some(soon(&of_host.turns).await.ok_or(busy)?);
        let of_all = soon(&self.all).await.ok_or("as many checks run as may at a time")?;
        Ok(Turn { _of_host: of_host, _of_all: of_all })
    }
}

async fn soon(turns: &Arc<Semaphore>) -> Option<OwnedSemaphorePermit> {
    timeout(PATIENCE, Arc::clone(turns).acquire_owned()).await.ok()?.ok()
}

/// The host of a URL. All that have none, and so no robots.txt, are one.
pub(super) fn host(url: &str) -> String {
    Url::parse(url).ok().and_then(|url| url.host_str().map(str::to_owned)).unwrap_or_default()
}

/// The turns of a host.
struct OfHost {
    hosts: Arc<Hosts>,
    host: String,
    turns: Arc<Semaphore>,
    permit: Option<OwnedSemaphorePermit>,
}

impl OfHost {
    fn new(hosts: &Arc<Hosts>, host: String) -> Self {
        let mut all = hosts.lock().unwrap_or_else(PoisonError::into_inner);
        let turns = all.entry(host.clone()).or_insert_with(|| Arc::new(Semaphore::new(MAX_CHECKS_OF_HOST)));
        Self { hosts: Arc::clone(hosts), host, turns: Arc::clone(turns), permit: None }
    }
}

impl Drop for OfHost {
    fn drop(&mut self) {
        let mut all = self.hosts.lock().unwrap_or_else(PoisonError::into_inner);
        drop(self.permit.take());
        // The map's and this one.
        if Arc::strong_count(&self.turns) == 2 {
            all.remove(&self.host);
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may fail")]
mod tests {
    use super::*;

    fn now<T>(future: impl Future<Output = T>) -> T {
        tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(future)
    }

    // [serve.turns] N-1, N and N+1 of a host and in all; hosts without turns are forgotten.
    #[test]
    fn a_host_has_a_part_of_the_turns() {
        now(async {
            let turns = Turns::new();
            let mut held = Vec::new();
            for host in 0..MAX_CHECKS / MAX_CHECKS_OF_HOST {
                let url = format!("http://{host}.example/");
                for _ in 0..MAX_CHECKS_OF_HOST {
                    held.push(turns.of(&url).await.ok().unwrap());
                }
                assert!(turns.of(&url).await.err().unwrap().contains("this host"));
            }
            assert_eq!(held.len(), MAX_CHECKS);
            assert!(turns.of("http://other.example/").await.is_err());
            held.pop();
            let last = turns.of("http://other.example/").await;
            assert!(last.is_ok());
            assert_eq!(turns.hosts.lock().unwrap().len(), 9);
            drop((held, last));
            assert!(turns.hosts.lock().unwrap().is_empty());
        });
    }
}
