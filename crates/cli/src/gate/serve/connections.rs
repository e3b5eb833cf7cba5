//! Connections: so many at a time, each for many requests, and none for ever.
//!
//! Invariant: a head comes within [`PATIENCE`], and a connection that waits for one longer ends. A connection takes
//! requests for [`KEPT`] and ends [`PATIENCE_IN_ALL`] later, also if its client reads nothing.

use std::convert::Infallible;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::time::{sleep, timeout};

use super::guard::{MAX_HEAD, PATIENCE};
use super::service::Service;

/// Connections at a time. One more waits in the system's queue.
pub(super) const MAX_CONNECTIONS: u32 = 256;
/// The bytes that are read of a head before it is counted.
const MAX_BUFFER: usize = MAX_HEAD << 1;
/// The time for which a connection takes requests. Then the next one is its last, so that others get their turn.
const KEPT: Duration = Duration::from_secs(60);
/// The time for a check, and for the last response of a connection. Longer than the default `--timeout`.
pub(super) const PATIENCE_IN_ALL: Duration = Duration::from_secs(120);

pub(super) async fn accept(
    listener: TcpListener,
    service: Arc<Service>,
    connections: Arc<Semaphore>,
    stopped: watch::Receiver<bool>,
) {
    while let Ok(permit) = Arc::clone(&connections).acquire_owned().await {
        match listener.accept().await {
            Ok((stream, _)) => drop(tokio::spawn(serve(Arc::clone(&service), stream, permit, stopped.clone()))),
            // There may be too many open files: they become fewer.
            Err(_) => sleep(Duration::from_millis(50)).await,
        }
    }
}

async fn serve(
    service: Arc<Service>,
    stream: TcpStream,
    permit: OwnedSemaphorePermit,
    mut stopped: watch::Receiver<bool>,
) {
    // An answer is one packet, which waits for no other.
    let _ = stream.set_nodelay(true);
    let answer = service_fn(|request| {
        let service = Arc::clone(&service);
        async move { Ok::<_, Infallible>(service.answer(request).await) }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(PATIENCE)
        .max_buf_size(MAX_BUFFER)
        .serve_connection(TokioIo::new(stream), answer);
    let mut connection = pin!(connection);
    let mut last = pin!(timeout(KEPT, stopped.changed()));
    let has_ended = poll_fn(|context| match connection.as_mut().poll(context) {
        Poll::Ready(_) => Poll::Ready(true),
        Poll::Pending => last.as_mut().poll(context).map(|_| false),
    })
    .await;
    if !has_ended {
        connection.as_mut().graceful_shutdown();
        // The other end may have gone.
        let _ = timeout(PATIENCE_IN_ALL, connection).await;
    }
    drop(permit);
}
