//! Connections: so many at a time, each for many requests, and none for ever.
//!
//! Invariant: a head comes within [`PATIENCE`], and a connection that waits for one longer ends. A connection takes
//! requests for [`KEPT`] and ends [`PATIENCE_IN_ALL`] later, also if its client reads nothing. Who has not yet sent a
//! request that the service knows has one of few places, for a second if all of them are taken; a request that it does
//! not know is the last one of its connection.

use std::convert::Infallible;
use std::future::{pending, poll_fn};
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;
use std::time::Duration;

use hyper::Request;
use hyper::body::Incoming;
use hyper::header::CONNECTION;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::time::{sleep, timeout};

use super::messages::{PATIENCE, Reply, with};

/// The bytes of a request's head, with single blanks. Our choice.
pub(in super::super) const MAX_HEAD: usize = 64 << 10;

/// The bytes that are read of a head before it is counted.
const MAX_BUFFER: usize = MAX_HEAD << 1;
/// The time for which a connection takes requests. Then the next one is its last, so that others get their turn.
const KEPT: Duration = Duration::from_secs(60);
/// The part of the places that strangers have at most: a quarter. Our choice.
const STRANGERS: usize = 4;
/// The time that a stranger has if others wait for a place. A program sends its head at once.
const PATIENCE_IF_FULL: Duration = Duration::from_secs(1);
/// The time for a check, and for the last response of a connection. Longer than the default `--timeout`.
pub(in super::super) const PATIENCE_IN_ALL: Duration = Duration::from_secs(120);

/// What answers requests.
pub(in super::super) trait Service: Send + Sync + 'static {
    fn answer(&self, request: Request<Incoming>) -> impl Future<Output = Reply> + Send;

    /// Whether the request is of someone who may use the service.
    fn knows(&self, _: &Request<Incoming>) -> bool {
        true
    }
}

/// The places for connections.
#[derive(Clone)]
pub(in super::super) struct Places {
    all: Arc<Semaphore>,
    strangers: Arc<Semaphore>,
    most: u32,
}

impl Places {
    pub(in super::super) fn new(most: u32) -> Self {
        let of = |places: usize| Arc::new(Semaphore::new(places.max(1)));
        Self { all: of(most as usize), strangers: of(most as usize / STRANGERS), most }
    }

    /// Waits until no connection has a place.
    pub(in super::super) async fn empty(&self) {
        let _ = self.all.acquire_many(self.most).await;
    }

    /// Waits for a place of each kind.
    async fn one(&self) -> Option<Place> {
        let all = Arc::clone(&self.all).acquire_owned().await.ok()?;
        let stranger = Arc::clone(&self.strangers).acquire_owned().await.ok()?;
        Some(Place { _all: all, stranger: Mutex::new(Some(stranger)), strangers: Arc::clone(&self.strangers) })
    }
}

/// The place of a connection, until it is dropped.
struct Place {
    _all: OwnedSemaphorePermit,
    /// Until a request is known.
    stranger: Mutex<Option<OwnedSemaphorePermit>>,
    strangers: Arc<Semaphore>,
}

impl Place {
    fn stranger(&self) -> MutexGuard<'_, Option<OwnedSemaphorePermit>> {
        self.stranger.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until a stranger has had its time, and another one waits for its place.
    async fn is_wanted(&self) {
        loop {
            sleep(PATIENCE_IF_FULL).await;
            if self.stranger().is_none() {
                return pending().await;
            }
            if self.strangers.available_permits() == 0 {
                return;
            }
        }
    }
}

/// Serves until the task is ended. One connection more than there are places waits in the system's queue.
pub(in super::super) async fn accept(
    listener: TcpListener,
    service: Arc<impl Service>,
    places: Places,
    stopped: watch::Receiver<bool>,
) {
    while let Some(place) = places.one().await {
        match listener.accept().await {
            Ok((stream, _)) => drop(tokio::spawn(serve(Arc::clone(&service), stream, place, stopped.clone()))),
            // There may be too many open files: they become fewer.
            Err(_) => sleep(Duration::from_millis(50)).await,
        }
    }
}

async fn serve(service: Arc<impl Service>, stream: TcpStream, place: Place, mut stopped: watch::Receiver<bool>) {
    // An answer is one packet, which waits for no other.
    let _ = stream.set_nodelay(true);
    let place = Arc::new(place);
    let answer = service_fn(|request| {
        let (service, place) = (Arc::clone(&service), Arc::clone(&place));
        async move {
            let is_known = service.knows(&request);
            if is_known {
                *place.stranger() = None;
            }
            let reply = service.answer(request).await;
            Ok::<_, Infallible>(if is_known { reply } else { with(reply, CONNECTION, "close") })
        }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        // Such as of a client in a pipe.
        .half_close(true)
        .header_read_timeout(PATIENCE)
        .max_buf_size(MAX_BUFFER)
        .serve_connection(TokioIo::new(stream), answer);
    let mut connection = pin!(connection);
    let mut last = pin!(timeout(KEPT, stopped.changed()));
    let mut wanted = pin!(place.is_wanted());
    let has_ended = poll_fn(|context| match connection.as_mut().poll(context) {
        Poll::Ready(_) => Poll::Ready(true),
        Poll::Pending if wanted.as_mut().poll(context).is_ready() => Poll::Ready(true),
        Poll::Pending => last.as_mut().poll(context).map(|_| false),
    })
    .await;
    if !has_ended {
        connection.as_mut().graceful_shutdown();
        // The other end may have gone.
        let _ = timeout(PATIENCE_IN_ALL, connection).await;
    }
}
