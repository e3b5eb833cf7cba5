//! A connection whose unexpected end is an error.
//!
//! Invariant: a connection reset, or TLS without a closing alert, never counts as the end of a body without a length.
//! The client would accept both as the end (RFC 9112 9.8 says that such a body is incomplete).

use std::io::{self, ErrorKind};

use ureq::Error;
use ureq::unversioned::transport::{Buffers, ConnectionDetails, Connector, NextTimeout, Transport};

/// Wraps each connection in an [`Ending`].
#[derive(Debug)]
pub(super) struct Ends;

impl<In: Transport> Connector<In> for Ends {
    type Out = Ending<In>;

    fn connect(&self, _: &ConnectionDetails<'_>, chained: Option<In>) -> Result<Option<Self::Out>, Error> {
        Ok(chained.map(Ending))
    }
}

/// A connection that turns an unexpected end into an error.
#[derive(Debug)]
pub(super) struct Ending<T>(T);

impl<T: Transport> Transport for Ending<T> {
    fn buffers(&mut self) -> &mut dyn Buffers {
        self.0.buffers()
    }

    fn transmit_output(&mut self, amount: usize, timeout: NextTimeout) -> Result<(), Error> {
        self.0.transmit_output(amount, timeout)
    }

    fn await_input(&mut self, timeout: NextTimeout) -> Result<bool, Error> {
        self.0.await_input(timeout).map_err(|error| match error {
            Error::Io(why) => Error::Io(unmistakable(why)),
            other => other,
        })
    }

    fn is_open(&mut self) -> bool {
        self.0.is_open()
    }

    fn is_tls(&self) -> bool {
        self.0.is_tls()
    }
}

fn unmistakable(why: io::Error) -> io::Error {
    match why.kind() {
        ErrorKind::UnexpectedEof | ErrorKind::ConnectionAborted | ErrorKind::ConnectionReset => io::Error::other(why),
        _ => why,
    }
}
