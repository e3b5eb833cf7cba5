//! A connection that counts the bytes received.
//!
//! Invariant: no response takes more bytes on the wire than the meter allows, before TLS, framing and coding are
//! decoded.

use ureq::Error;
use ureq::unversioned::transport::{Buffers, ConnectionDetails, Connector, NextTimeout, Transport};

/// Wraps each connection in a meter.
#[derive(Debug)]
pub(super) struct Meter {
    pub(super) most: usize,
}

impl<In: Transport> Connector<In> for Meter {
    type Out = Metered<In>;

    fn connect(&self, _: &ConnectionDetails<'_>, chained: Option<In>) -> Result<Option<Self::Out>, Error> {
        Ok(chained.map(|inner| Metered { inner, left: self.most }))
    }
}

/// A connection with a meter.
#[derive(Debug)]
pub(super) struct Metered<T> {
    inner: T,
    left: usize,
}

impl<T: Transport> Transport for Metered<T> {
    fn buffers(&mut self) -> &mut dyn Buffers {
        self.inner.buffers()
    }

    fn transmit_output(&mut self, amount: usize, timeout: NextTimeout) -> Result<(), Error> {
        self.inner.transmit_output(amount, timeout)
    }

    fn await_input(&mut self, timeout: NextTimeout) -> Result<bool, Error> {
        if self.left == 0 {
            return Err(too_many());
        }
        let before = self.inner.buffers().input().len();
        let progress = self.inner.await_input(timeout)?;
        let came = self.inner.buffers().input().len().saturating_sub(before);
        self.left = self.left.checked_sub(came).ok_or_else(too_many)?;
        Ok(progress)
    }

    fn is_open(&mut self) -> bool {
        self.inner.is_open()
    }

    fn is_tls(&self) -> bool {
        self.inner.is_tls()
    }
}

fn too_many() -> Error {
    Error::Io(std::io::Error::other("the response takes too many bytes"))
}
