//! A server without a network: a retrieval whose requests get any responses, in a time that passes only with them.

use std::net::{IpAddr, Ipv4Addr};
use std::time::Duration;

use robosieve_gate::retrieve::{AddressGuard, Fetched, Follow, Retrieval, RetrievalLimits, Then, Validators};
use robosieve_gate::{Moment, Origin};

/// A response's head, as a test writes it.
#[derive(Clone)]
pub(crate) struct Head(u16, Vec<(String, Vec<u8>)>);

impl Head {
    pub(crate) fn new(status: u16) -> Self {
        Self(status, Vec::new())
    }

    pub(crate) fn header(mut self, name: &str, value: &[u8]) -> Self {
        self.1.push((name.to_owned(), value.to_vec()));
        self
    }
}

/// The behaviour of a server.
pub(crate) enum Reply {
    Fail,
    /// The head, the pieces of the body, and the reason why it ends early, if it does.
    Answer(Head, Vec<Vec<u8>>, Option<&'static str>),
}

pub(crate) fn status(status: u16) -> Reply {
    Reply::Answer(Head::new(status), Vec::new(), None)
}

pub(crate) fn redirect(status: u16, to: &str) -> Reply {
    Reply::Answer(Head::new(status).header("Location", to.as_bytes()), Vec::new(), None)
}

pub(crate) fn rules(text: &str) -> Reply {
    Reply::Answer(Head::new(200), vec![text.as_bytes().to_vec()], None)
}

pub(crate) fn ip(text: &str) -> IpAddr {
    text.parse().unwrap()
}

pub(crate) struct Played {
    pub retrieval: Retrieval,
    /// The URL of each request.
    pub asked: Vec<String>,
}

pub(crate) struct World {
    pub limits: RetrievalLimits,
    pub guard: AddressGuard,
    /// The time of each request.
    pub takes: Duration,
    pub origin: &'static str,
}

pub(crate) const BEGAN: Moment = Moment::from_millis(1_700_000_000_000);

impl Default for World {
    fn default() -> Self {
        Self {
            limits: RetrievalLimits::default(),
            guard: AddressGuard::global_only(),
            takes: Duration::from_millis(10),
            origin: "http://example.com/some/page?q",
        }
    }
}

impl World {
    /// Runs a retrieval: `server` has the reply to the nth request, for this URL.
    pub(crate) fn one(&self, mut server: impl FnMut(usize, IpAddr, &str) -> Reply) -> Played {
        let origin = Origin::of(self.origin).unwrap();
        let (mut now, mut asked) = (BEGAN, Vec::new());
        let mut then = Follow::begin(&origin, self.limits, &self.guard, Validators::default(), now);
        loop {
            match then {
                Then::Request(follow, request) => {
                    now = now.after(self.takes);
                    asked.push(request.url.to_string());
                    let address = Ipv4Addr::new(93, 184, 215, 14).into();
                    let fetched = match server(asked.len() - 1, address, request.url.as_str()) {
                        Reply::Fail => Fetched::failed("connection refused"),
                        Reply::Answer(head, pieces, end) => {
                            let lines = head.1.iter().map(|(name, value)| (name.as_str(), value.as_slice()));
                            let fetched = Fetched::new(head.0, pieces.concat()).headers(lines);
                            if end.is_some() { fetched.broken_off() } else { fetched }
                        }
                    };
                    then = follow.came(fetched.from_address(address), now);
                }
                Then::Done(retrieval) => return Played { retrieval: *retrieval, asked },
            }
        }
    }
}
