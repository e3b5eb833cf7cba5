//! Connections: so many at a time, each for many requests, and none for ever.
//!
//! Invariant: a head comes within [`PATIENCE`], and a connection that waits for one longer ends. A stranger is who has
//! not yet sent a request that the service knows. If all places are taken, the oldest stranger's connection is closed;
//! if there is none, the new one is.

use std::collections::BTreeMap;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::{Extension, Router};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, watch};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

/// The bytes of a request's head, with single blanks. Our choice.
pub(in super::super) const MAX_HEAD: usize = 64 << 10;
/// The time in which a head comes, and in which a body does.
pub(in super::super) const PATIENCE: Duration = Duration::from_secs(10);
/// The time for the last response of a connection, when the command is ended.
pub(in super::super) const PATIENCE_AT_END: Duration = Duration::from_secs(5);

/// The places for connections.
#[derive(Default)]
struct Places {
    /// The number of the next connection.
    next: u64,
    open: usize,
    /// What closes the connections of strangers, the oldest first.
    strangers: BTreeMap<u64, Arc<Notify>>,
}

/// The place of a connection, until it is dropped.
pub(in super::super) struct Place {
    places: Arc<Mutex<Places>>,
    number: u64,
    closed: Arc<Notify>,
}

impl Place {
    /// Takes a place, from a stranger if all are taken.
    fn take(places: &Arc<Mutex<Places>>, most: usize) -> Option<Self> {
        let mut all = lock(places);
        if all.open >= most {
            let (_, oldest) = all.strangers.pop_first()?;
            oldest.notify_one();
        }
        let (number, closed) = (all.next, Arc::new(Notify::new()));
        all.next = number.saturating_add(1);
        all.open = all.open.saturating_add(1);
        all.strangers.insert(number, Arc::clone(&closed));
        Some(Self { places: Arc::clone(places), number, closed })
    }

    /// A request of it is of someone who may use the service.
    pub(in super::super) fn is_known(&self) {
        lock(&self.places).strangers.remove(&self.number);
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut all = lock(&self.places);
        all.open = all.open.saturating_sub(1);
        all.strangers.remove(&self.number);
    }
}

fn lock(places: &Mutex<Places>) -> MutexGuard<'_, Places> {
    places.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Serves at most so many connections, until the command is ended; then what runs may end.
pub(in super::super) async fn serve(
    listener: TcpListener,
    router: Router,
    most: usize,
    mut end: watch::Receiver<bool>,
) {
    let (places, ended, mut running) = (Arc::default(), end.clone(), JoinSet::new());
    loop {
        let stream = tokio::select! {
            stream = listener.accept() => stream,
            Some(_) = running.join_next() => continue,
            _ = end.changed() => break,
        };
        match stream {
            Ok((stream, _)) => {
                if let Some(place) = Place::take(&places, most) {
                    running.spawn(connection(stream, router.clone(), place, ended.clone()));
                }
            }
            // There may be too many open files: they become fewer.
            Err(_) => sleep(Duration::from_millis(50)).await,
        }
    }
    let all_end = async { while running.join_next().await.is_some() {} };
    let _ = timeout(PATIENCE_AT_END, all_end).await;
}

async fn connection(stream: TcpStream, router: Router, place: Place, mut end: watch::Receiver<bool>) {
    // An answer is one packet, which waits for no other.
    let _ = stream.set_nodelay(true);
    let place = Arc::new(place);
    let closed = Arc::clone(&place.closed);
    let service = TowerToHyperService::new(router.layer(Extension(Arc::clone(&place))));
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        // Such as of a client in a pipe.
        .half_close(true)
        .header_read_timeout(PATIENCE)
        .max_buf_size(MAX_HEAD << 1)
        .serve_connection(TokioIo::new(stream), service);
    let mut connection = pin!(connection);
    tokio::select! {
        _ = connection.as_mut() => {}
        () = closed.notified() => {}
        _ = end.changed() => {
            connection.as_mut().graceful_shutdown();
            // The other end may have gone.
            let _ = timeout(PATIENCE_AT_END, connection).await;
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may fail")]
mod tests {
    use super::*;

    // [serve.strangers] N-1, N and N+1: the oldest stranger goes first, who is known stays, and if all are known the new
    // one gets no place.
    #[test]
    fn the_oldest_stranger_goes_first() {
        let places = Arc::default();
        let known = Place::take(&places, 3).unwrap();
        known.is_known();
        let (old, new) = (Place::take(&places, 3).unwrap(), Place::take(&places, 3).unwrap());
        assert_eq!(lock(&places).open, 3);
        assert_eq!(lock(&places).strangers.len(), 2);
        let third = Place::take(&places, 3).unwrap();
        assert_eq!(lock(&places).strangers.keys().copied().collect::<Vec<_>>(), [new.number, third.number]);
        drop(old);
        new.is_known();
        third.is_known();
        assert!(Place::take(&places, 3).is_none());
        drop(third);
        assert!(Place::take(&places, 3).is_some());
    }
}
