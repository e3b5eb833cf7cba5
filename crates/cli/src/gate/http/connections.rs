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

use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::time::{sleep, timeout};

use super::replies::Reply;

/// The bytes of a request's head, with single blanks. Our choice.
pub(in super::super) const MAX_HEAD: usize = 64 << 10;
/// The time in which a head comes, and in which a body does.
pub(in super::super) const PATIENCE: Duration = Duration::from_secs(10);

/// The bytes that are read of a head before it is counted.
const MAX_BUFFER: usize = MAX_HEAD << 1;
/// The time for which a connection takes requests. Then the next one is its last, so that others get their turn.
const KEPT: Duration = Duration::from_secs(60);
/// The time for a check, and for the last response of a connection. Longer than the default `--timeout`.
pub(in super::super) const PATIENCE_IN_ALL: Duration = Duration::from_secs(120);

/// What answers requests.
pub(in super::super) trait Service: Send + Sync + 'static {
    fn answer(&self, request: Request<Incoming>) -> impl Future<Output = Reply> + Send;
}

/// Serves until the task is ended. One connection more than there are permits waits in the system's queue.
pub(in super::super) async fn accept(
    listener: TcpListener,
    service: Arc<impl Service>,
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
    service: Arc<impl Service>,
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
        // Such as of a client in a pipe.
        .half_close(true)
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
