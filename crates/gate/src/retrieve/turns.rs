//! The turn of each request of a retrieval: when it may be made.
//!
//! Invariant: whoever retrieves in turn makes no request before its turn. A request that has none soon is not made, and
//! says nothing about the site.

use std::net::IpAddr;
use std::time::Duration;

use url::Url;

use crate::moment::Moment;
use crate::retrieve::validators::Validators;

/// A request that a retrieval is about to make.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// What is requested.
    pub url: Url,
    /// The address that gets the request; `None` if only the client knows.
    pub address: Option<IpAddr>,
    /// What makes it conditional: `If-None-Match` and `If-Modified-Since`. Empty if nothing does.
    pub held: Validators,
    /// The number of redirects before it: 0 for the request to the site itself.
    pub hop: usize,
    /// The time since the retrieval began.
    pub after: Duration,
}

/// When a request may be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// Now. It has its slots.
    Now,
    /// Not yet, and it has no slot. Ask again after this time.
    Again(Duration),
    /// Not soon: end the retrieval, and begin another one at that moment.
    NotBefore(Moment),
}

/// Gives each request of a retrieval its turn. The gate does, by the lanes of the host and of the address.
pub trait Turns: Send + Sync {
    /// The turn of a request. Ask before each, until it is [`Turn::Now`]; then make the request at once.
    fn turn(&self, request: &Request) -> Turn;

    /// Whether [`Turns::turn`] may wait for a disk or for other programs.
    fn blocks(&self) -> bool {
        false
    }
}

/// All requests at once, for a retrieval that nobody paces.
#[derive(Clone, Copy, Debug, Default)]
pub struct AtOnce;

impl Turns for AtOnce {
    fn turn(&self, _: &Request) -> Turn {
        Turn::Now
    }
}
