//! The gate for JavaScript: its core and what is under way, by numbers.
//!
//! Invariant: all decisions are the gate's core's. JavaScript gives the time with each call. A number that is not known
//! is an error, so that nothing is allowed by it.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use robosieve::agent::Agent;
use robosieve::settings::Dialect;
use robosieve_ask::{Plan, Settings, Wrong, WrongKind};
use robosieve_gate::decide::{Preset, Reader};
use robosieve_gate::pace::{PaceBy, Pacing, Page};
use robosieve_gate::retrieve::{AddressGuard, Fetched};
use robosieve_gate::{Answer, Ask, Core, Errand, MemoryStore, Moment, Next, Origin, Settings as Gated};
use serde_json::json;

use crate::frame::Frame;

/// 64 MiB: the memory for sites. Our choice: WebAssembly has 4 GiB, workers 128 MB.
const SITES: u64 = 64 << 20;

/// The gates of this instance.
#[derive(Default)]
pub(crate) struct Gates {
    gates: HashMap<u32, Gate>,
    last: u32,
}

struct Gate {
    core: Arc<Core>,
    /// Retrievals whose responses JavaScript has not given yet.
    errands: HashMap<u32, Errand>,
    last: u32,
}

impl Gates {
    /// Answers a call.
    pub(crate) fn answer(&mut self, frame: &Frame<'_>) -> Result<Vec<u8>, Wrong> {
        let now = Moment::from_millis(number(frame, "now")?);
        let call = frame.text("call").unwrap_or_default();
        if call == "open" {
            self.last = self.last.checked_add(1).ok_or_else(|| range("no more gates can be opened"))?;
            self.gates.insert(self.last, Gate::open(frame)?);
            return Ok(json!({ "gate": self.last }).to_string().into_bytes());
        }
        let which = number(frame, "gate")?;
        if call == "close" {
            self.gates.remove(&which);
            return Ok(b"{}".to_vec());
        }
        let gate = self.gates.get_mut(&which).ok_or_else(|| range("the gate is not open any more"))?;
        match call {
            "ask" => gate.ask(frame, now, Ask::Slot),
            "start" => gate.ask(frame, now, Ask::Start),
            "permits" => gate.ask(frame, now, Ask::Permission),
            "learn" => gate.learn(frame, now),
            "drop" => {
                gate.errands.remove(&number(frame, "errand")?);
                Ok(b"{}".to_vec())
            }
            "observe" => gate.observe(frame, now),
            "delay" => {
                let origin = Origin::of(frame.text("url").unwrap_or_default()).ok();
                let delay = origin.map_or(Duration::ZERO, |origin| gate.core.interval(&origin, now));
                Ok(json!({ "delay_ms": u64::try_from(delay.as_millis()).unwrap_or(u64::MAX) }).to_string().into_bytes())
            }
            other => Err(Wrong { kind: WrongKind::Type, message: format!("a gate has no function {other:?}") }),
        }
    }
}

impl Gate {
    fn open(frame: &Frame<'_>) -> Result<Self, Wrong> {
        let agents = frame.all("agent").map(Agent::new).collect();
        let groups = Plan::new(&Settings::default())?.for_agents(Some(agents)).groups;
        let joins = groups.options(Dialect::Standard.options()).union_of_agents;
        let reader = Reader::new(groups.agents.clone()).dialect_joining(Dialect::Standard, joins);
        let policy = match frame.text("policy") {
            None => Preset::default(),
            Some(name) => name.parse().map_err(|_| unknown("policy", name, &Preset::ALL.map(Preset::as_str)))?,
        };
        let by = match frame.text("per") {
            None | Some("host") => PaceBy::Host,
            Some("domain") => PaceBy::RegisteredDomain,
            Some(name) => return Err(unknown("per", name, &["host", "domain"])),
        };
        let usual = Pacing::default();
        let pacing = Pacing {
            default: millis(frame, "delay", usual.default)?,
            min: millis(frame, "min_delay", usual.min)?,
            max: millis(frame, "max_delay", usual.max)?,
            max_wait: millis(frame, "max_wait", usual.max_wait)?,
            by,
            ..usual
        };
        let guard = AddressGuard::global_only();
        let guard = if frame.text("allow_private") == Some("true") { guard.allowing_private() } else { guard };
        let ports = frame.texts("allow_port").filter_map(|port| port.parse().ok());
        let guard = ports.fold(guard, AddressGuard::allowing_port);
        let mut settings = Gated::default();
        (settings.reader, settings.policy) = (reader, policy.into());
        (settings.pacing, settings.guard) = (pacing, guard);
        let core = Core::new(settings, MemoryStore::new(SITES));
        Ok(Self { core: Arc::new(core), errands: HashMap::new(), last: 0 })
    }

    fn ask(&mut self, frame: &Frame<'_>, now: Moment, ask: Ask) -> Result<Vec<u8>, Wrong> {
        match frame.text("url") {
            Some(url) => self.said(self.core.ask(url, ask, now), now),
            None => json(&Answer::no_url("it is not UTF-8"), None),
        }
    }

    /// What a question or a response leads to.
    fn said(&mut self, next: Next, now: Moment) -> Result<Vec<u8>, Wrong> {
        let (answer, errand) = next.answer(now);
        let number = match errand {
            Some(errand) => {
                self.last = self.last.checked_add(1).ok_or_else(|| range("too many retrievals"))?;
                self.errands.insert(self.last, errand);
                Some(self.last)
            }
            None => None,
        };
        json(&answer.naming("allowPrivate"), number)
    }

    /// Takes in what came, and says what comes next.
    fn learn(&mut self, frame: &Frame<'_>, now: Moment) -> Result<Vec<u8>, Wrong> {
        let which = number(frame, "errand")?;
        let is = |name| frame.text(name) == Some("true");
        let fetched = match (frame.text("status"), frame.text("error")) {
            (None, error) if is("not_asked") => Fetched::not_asked(error.unwrap_or_default()),
            (None, error) => Fetched::failed(error.unwrap_or("no response")),
            (Some(status), _) => Fetched::new(status.parse().unwrap_or(0), frame.bytes("body").to_vec()),
        };
        let names = frame.texts("header_name").zip(frame.all("header_value"));
        let fetched = fetched.headers(names);
        let fetched = if is("broken_off") { fetched.broken_off() } else { fetched };
        match self.errands.remove(&which) {
            Some(errand) => self.said(errand.came(fetched, now), now),
            // It was given up, or learnt.
            None => self.said(Next::Again(now), now),
        }
    }

    fn observe(&self, frame: &Frame<'_>, now: Moment) -> Result<Vec<u8>, Wrong> {
        let status = frame.text("status").and_then(|status| status.parse().ok());
        let retry_after = match frame.text("retry_after") {
            None => None,
            Some(_) => Some(millis(frame, "retry_after", Duration::ZERO)?),
        };
        let took = millis(frame, "took", Duration::ZERO)?;
        // No time at all means that it is not known.
        let page = Page { took: Some(took).filter(|took| !took.is_zero()), status, retry_after };
        // What is no URL had no request.
        let _ = self.core.observe(frame.text("url").unwrap_or_default(), &page, now);
        Ok(b"{}".to_vec())
    }
}

/// An answer as JSON, with the number of the retrieval that is under way.
fn json(answer: &Answer, errand: Option<u32>) -> Result<Vec<u8>, Wrong> {
    #[derive(serde::Serialize)]
    struct Step<'a> {
        #[serde(flatten)]
        answer: &'a Answer,
        #[serde(skip_serializing_if = "Option::is_none")]
        errand: Option<u32>,
    }
    serde_json::to_vec(&Step { answer, errand }).map_err(|error| range(&error.to_string()))
}

fn number<N: std::str::FromStr>(frame: &Frame<'_>, name: &str) -> Result<N, Wrong> {
    let number = frame.text(name).and_then(|text| text.parse().ok());
    number.ok_or_else(|| range(&format!("{name} is no whole number")))
}

/// A time in milliseconds, or the usual one.
fn millis(frame: &Frame<'_>, name: &str, usual: Duration) -> Result<Duration, Wrong> {
    if frame.text(name).is_none() { Ok(usual) } else { number(frame, name).map(Duration::from_millis) }
}

fn unknown(what: &str, given: &str, known: &[&str]) -> Wrong {
    range(&format!("there is no {what} {given:?}: there are {}", known.join(", ")))
}

fn range(message: &str) -> Wrong {
    Wrong { kind: WrongKind::Value, message: message.into() }
}
