//! The side of a connection that reads, which counts the bytes received.
//!
//! Invariant: no response takes more bytes on the wire than the meter allows, before TLS, framing and coding are
//! decoded.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, ReadBuf};

/// A reader with a meter.
pub(super) struct Metered<T> {
    inner: T,
    left: usize,
}

impl<T> Metered<T> {
    pub(super) const fn new(inner: T, most: usize) -> Self {
        Self { inner, left: most }
    }
}

impl<T: AsyncRead + Unpin> AsyncRead for Metered<T> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let too_many = || io::Error::other("the response takes too many bytes");
        if self.left == 0 {
            return Poll::Ready(Err(too_many()));
        }
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.inner).poll_read(cx, buffer))?;
        let came = buffer.filled().len().saturating_sub(before);
        self.left = self.left.checked_sub(came).ok_or_else(too_many)?;
        Poll::Ready(Ok(()))
    }
}
