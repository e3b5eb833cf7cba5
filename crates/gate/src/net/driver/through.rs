//! A connection that goes through a proxy.
//!
//! Invariant: nothing is sent to a server before the proxy has said that the connection goes through. What failed
//! before that is the site's trouble only if the proxy says so.

use std::io::{Read as _, Write as _};
use std::sync::{Arc, Mutex, PoisonError};

use ureq::Error;
use ureq::unversioned::transport::{ConnectionDetails, Connector, Transport, TransportAdapter};

use super::trouble::Trouble;
use crate::net::tunnel::{NoWay, Target, Tunnel};
use crate::retrieve::proxy::Proxy;

/// Makes each connection one through a proxy, if there is one.
#[derive(Debug)]
pub(super) struct Through {
    way: Option<(Proxy, Target)>,
    outcome: Outcome,
}

/// How far it came.
#[derive(Clone, Debug, Default)]
pub(super) struct Outcome(Arc<Mutex<Stage>>);

#[derive(Debug, Default)]
enum Stage {
    /// Directly to the server, or through the proxy.
    #[default]
    Open,
    /// The proxy has not answered.
    Before(Proxy),
    Failed(NoWay),
}

impl Outcome {
    fn set(&self, stage: Stage) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = stage;
    }

    /// Whose trouble an error of a request is.
    pub(super) fn trouble(&self, direct: &dyn Fn(&Error) -> Trouble, error: &Error) -> Trouble {
        match &*self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            Stage::Open => direct(error),
            Stage::Before(proxy) => Trouble::Own(format!("proxy {proxy}: {error}")),
            Stage::Failed(NoWay::Site(why)) => Trouble::Site(NoWay::Site(why.clone()).to_string()),
            Stage::Failed(why @ NoWay::Ours(_)) => Trouble::Own(why.to_string()),
        }
    }
}

impl Through {
    pub(super) fn new(way: Option<(Proxy, Target)>) -> Self {
        let outcome = Outcome::default();
        if let Some((proxy, _)) = &way {
            outcome.set(Stage::Before(proxy.clone()));
        }
        Self { way, outcome }
    }

    pub(super) fn outcome(&self) -> Outcome {
        self.outcome.clone()
    }

    fn failed(&self, why: NoWay) -> Error {
        let error = Error::Io(why.clone().into());
        self.outcome.set(Stage::Failed(why));
        error
    }
}

impl<In: Transport> Connector<In> for Through {
    type Out = In;

    fn connect(&self, details: &ConnectionDetails<'_>, chained: Option<In>) -> Result<Option<In>, Error> {
        let Some((proxy, target)) = &self.way else { return Ok(chained) };
        let Some(transport) = chained else { return Ok(None) };
        let mut tunnel = Tunnel::new(proxy, target.clone()).map_err(|why| self.failed(why))?;
        let mut stream = TransportAdapter::new(transport, Arc::clone(&details.current_time));
        stream.set_timeout(details.timeout);
        let mut byte = [0];
        while !tunnel.is_done() {
            stream.write_all(&tunnel.take_to_send())?;
            if stream.read(&mut byte)? == 0 {
                return Err(self.failed(Tunnel::ended()));
            }
            tunnel.on(byte[0]).map_err(|why| self.failed(why))?;
        }
        self.outcome.set(Stage::Open);
        Ok(Some(stream.into_inner()))
    }
}
