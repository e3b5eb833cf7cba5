//! A server without a network: a retrieval whose requests get any responses, in a time that passes only with them.

use std::net::IpAddr;
use std::time::Duration;

use robosieve_gate::retrieve::{AddressGuard, Fetched, Follow, Retrieval, RetrievalLimits, Validators};
use robosieve_gate::{Moment, Origin};

pub(crate) fn redirect(status: u16, to: &str) -> Fetched {
    Fetched::new(status, "").header("Location", to.as_bytes())
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
    /// Runs a retrieval: `server` has the response to the nth request, for this URL.
    pub(crate) fn one(&self, mut server: impl FnMut(usize, &str) -> Fetched) -> Played {
        let origin = Origin::of(self.origin).unwrap();
        let (mut now, mut asked) = (BEGAN, Vec::new());
        let mut then = Follow::begin(&origin, self.limits, &self.guard, Validators::default(), now);
        loop {
            match then {
                Ok(follow) => {
                    now = now.after(self.takes);
                    let url = follow.request().url.as_str();
                    asked.push(url.to_owned());
                    let fetched = server(asked.len() - 1, url);
                    then = follow.came(fetched.from_address(ip("93.184.215.14")), now);
                }
                Err(retrieval) => return Played { retrieval: *retrieval, asked },
            }
        }
    }

    /// The retrieval of a site that says this to each request.
    pub(crate) fn all(&self, says: &Fetched) -> Retrieval {
        self.one(|_, _| says.clone()).retrieval
    }
}
