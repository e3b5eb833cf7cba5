//! A connection whose end is an error, unless it was meant.
//!
//! Invariant: a reset, and TLS that stops without its farewell, never pass for the end of a body that has no length: the client
//! would take both for one (RFC 9112 9.8 says that such a body is incomplete).

use std::io::{self, ErrorKind};

use ureq::Error;
use ureq::unversioned::transport::{Buffers, ConnectionDetails, Connector, NextTimeout, Transport};

/// Puts this on top of each connection.
#[derive(Debug)]
pub(super) struct Ends;

impl<In: Transport> Connector<In> for Ends {
    type Out = Ending<In>;

    fn connect(&self, _: &ConnectionDetails<'_>, chained: Option<In>) -> Result<Option<Self::Out>, Error> {
        Ok(chained.map(Ending))
    }
}

/// A connection that tells its ends apart.
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
