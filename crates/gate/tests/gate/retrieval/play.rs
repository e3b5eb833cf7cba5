//! A simulated network for the machine: host names, servers and a time that passes only with events.

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use robosieve_gate::retrieve::{AddressGuard, Event, Head, Machine, Retrieval, RetrievalLimits, Step};
use robosieve_gate::{Moment, Origin};

/// The behaviour of a server.
#[allow(clippy::large_enum_variant, reason = "there are few replies")]
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

/// The result: the retrieval, the waits, and each name that was looked up.
pub(crate) struct Played {
    pub retrieval: Retrieval,
    pub waits: Vec<Duration>,
    pub looked_up: Vec<String>,
    /// Address and URL of each connection.
    pub asked: Vec<(SocketAddr, String)>,
}

pub(crate) struct World {
    pub limits: RetrievalLimits,
    pub guard: AddressGuard,
    /// The time of each connection.
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
    /// Runs a retrieval: `names` has the addresses of a host, `server` the reply to the nth connection.
    pub(crate) fn play(
        &self,
        mut names: impl FnMut(&str) -> Vec<IpAddr>,
        mut server: impl FnMut(usize, SocketAddr, &str) -> Reply,
    ) -> Played {
        let origin = Origin::of(self.origin).unwrap();
        let mut now = BEGAN;
        let mut machine = Machine::new(origin, self.limits, self.guard.clone(), now);
        let (mut waits, mut looked_up, mut asked) = (Vec::new(), Vec::new(), Vec::new());
        let mut body = Vec::new().into_iter();
        let mut early = None;
        for _ in 0..10_000 {
            match machine.step() {
                Step::Resolve { host, .. } => {
                    let found = names(&host);
                    looked_up.push(host);
                    let event =
                        if found.is_empty() { Event::NotResolved("no such name") } else { Event::Resolved(&found) };
                    machine.on(event, now);
                }
                Step::Connect { address, url, .. } => {
                    now = now.after(self.takes);
                    asked.push((address, url.to_string()));
                    match server(asked.len() - 1, address, url.as_str()) {
                        Reply::Fail => machine.on(Event::Failed("connection refused"), now),
                        Reply::Answer(head, pieces, end) => {
                            (body, early) = (pieces.into_iter(), end);
                            machine.on(Event::Head(head), now);
                        }
                    }
                }
                Step::Read => match (body.next(), early) {
                    (Some(piece), _) => machine.on(Event::Chunk(&piece), now),
                    (None, None) => machine.on(Event::End, now),
                    (None, Some(why)) => machine.on(Event::BrokenOff(why), now),
                },
                Step::Wait { until } => {
                    waits.push(until.since(now));
                    now = until;
                    machine.on(Event::Time, now);
                }
                Step::Done => {
                    let retrieval = machine.into_retrieval(now);
                    return Played { retrieval, waits, looked_up, asked };
                }
                step => panic!("unknown step {step:?}"),
            }
        }
        panic!("the machine never ends");
    }

    /// Like [`World::play`], with one address for any name.
    pub(crate) fn one(&self, server: impl FnMut(usize, SocketAddr, &str) -> Reply) -> Played {
        self.play(|_| vec![ip("93.184.215.14")], server)
    }
}

/// The addresses 93.184.215.1 to `count`.
pub(crate) fn several(count: u8) -> Vec<IpAddr> {
    (1..=count).map(|last| IpAddr::from([93, 184, 215, last])).collect()
}
