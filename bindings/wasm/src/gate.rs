//! [`Gate`]: the gate for JavaScript, and the retrievals that are under way, by numbers.
//!
//! Invariant: all decisions are the core's. JavaScript gives the time with each call. A retrieval that is not known has
//! ended, so that nothing is allowed by it.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use robosieve::settings::Dialect;
use robosieve_ask::{Plan, Problem, Settings, agents_of, json_error};
use robosieve_gate::decide::{Preset, Reader};
use robosieve_gate::pace::{Pacing, Page};
use robosieve_gate::retrieve::{AddressGuard, Fetched};
use robosieve_gate::{Answer, Ask, Core, Errand, MemoryStore, Moment, Next, Origin, Settings as Gated};
use serde::{Deserialize, Serialize};
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

use crate::thrown;

/// 64 MiB: the memory for sites. Our choice: WebAssembly has 4 GiB, workers 128 MB.
const SITES: u64 = 64 << 20;

/// A gate.
#[wasm_bindgen]
pub struct Gate {
    core: Arc<Core>,
    /// Retrievals whose responses JavaScript has not given yet.
    errands: RefCell<HashMap<u32, Errand>>,
    last: Cell<u32>,
}

/// What a gate is made of. Times are milliseconds.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Made {
    agents: Vec<String>,
    policy: Option<String>,
    #[serde(default)]
    allow_private: bool,
    delay: Option<u64>,
    min_delay: Option<u64>,
    max_delay: Option<u64>,
    max_wait: Option<u64>,
}

/// What a request came to, but for its body.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Came {
    status: Option<u16>,
    #[serde(default)]
    headers: Vec<(String, String)>,
    error: Option<String>,
    #[serde(default)]
    not_asked: bool,
    #[serde(default)]
    broken_off: bool,
}

/// How a page's request ended. Times are milliseconds; none at all is not known.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Ended {
    status: Option<u16>,
    retry_after: Option<u64>,
    took: Option<u64>,
}

#[wasm_bindgen]
impl Gate {
    /// Opens a gate.
    ///
    /// # Errors
    /// The number of a kind of error, and the words.
    #[wasm_bindgen(constructor)]
    pub fn new(options: &str) -> Result<Self, JsValue> {
        read(options).and_then(|made| Self::of(&made)).map_err(|wrong| thrown(&wrong))
    }

    /// Asks about a URL: `start` takes a slot if one is free, and `permits` none. Returns the answer as JSON.
    ///
    /// # Errors
    /// The number of a kind of error, and the words.
    pub fn question(&self, takes_slot: bool, url: &str, now: f64) -> Result<String, JsValue> {
        let ask = if takes_slot { Ask::Start } else { Ask::Permission };
        let now = moment(now);
        self.said(self.core.ask(url, ask, now), now)
    }

    /// Takes in what a request of a retrieval came to, and says what comes next.
    ///
    /// # Errors
    /// The number of a kind of error, and the words.
    pub fn learn(&self, errand: u32, came: &str, body: Vec<u8>, now: f64) -> Result<String, JsValue> {
        let came: Came = read(came).map_err(|wrong| thrown(&wrong))?;
        let error = came.error.as_deref().unwrap_or("no response");
        let fetched = match came.status {
            None if came.not_asked => Fetched::not_asked(error),
            None => Fetched::failed(error),
            Some(status) => Fetched::new(status, body),
        };
        let lines = came.headers.iter().map(|(name, value)| (name.as_str(), value.as_bytes()));
        let fetched = fetched.headers(lines);
        let fetched = if came.broken_off { fetched.broken_off() } else { fetched };
        let (known, now) = (self.errands.borrow_mut().remove(&errand), moment(now));
        // Otherwise it was given up, or learnt.
        self.said(known.map_or(Next::Again(now), |errand| errand.came(fetched, now)), now)
    }

    /// Gives up a retrieval, so that the next question begins another one.
    pub fn abandon(&self, errand: u32) {
        self.errands.borrow_mut().remove(&errand);
    }

    /// Takes in how a page's request ended.
    ///
    /// # Errors
    /// The number of a kind of error, and the words.
    pub fn observe(&self, url: &str, ended: &str, now: f64) -> Result<(), JsValue> {
        let Ended { status, retry_after, took } = read(ended).map_err(|wrong| thrown(&wrong))?;
        let took = took.filter(|took| *took > 0).map(Duration::from_millis);
        let page = Page { took, status, retry_after: retry_after.map(Duration::from_millis) };
        // What is no URL had no request.
        let _ = self.core.observe(url, &page, moment(now));
        Ok(())
    }

    /// The milliseconds between two requests to a URL's host, as far as its robots.txt is known.
    #[must_use]
    pub fn delay(&self, url: &str, now: f64) -> f64 {
        let origin = Origin::of(url).ok();
        origin.map_or(0.0, |origin| self.core.interval(&origin, moment(now)).as_secs_f64() * 1_000.0)
    }
}

impl Gate {
    fn of(made: &Made) -> Result<Self, Problem> {
        let groups = Plan::new(&Settings::default())?.for_agents(Some(agents_of(&made.agents)?)).groups;
        let joins = groups.options(Dialect::Standard.options()).union_of_agents;
        let reader = Reader::new(groups.agents.clone()).dialect(Dialect::Standard, joins);
        let policy = match &made.policy {
            None => Preset::default(),
            Some(name) => name.parse().map_err(|_| {
                let known = Preset::ALL.map(Preset::as_str).join(", ");
                Problem::value(format!("there is no policy {name:?}: there are {known}"))
            })?,
        };
        let usual = Pacing::default();
        let or = |given: Option<u64>, usual: Duration| given.map_or(usual, Duration::from_millis);
        let pacing = Pacing {
            default: or(made.delay, usual.default),
            min: or(made.min_delay, usual.min),
            max: or(made.max_delay, usual.max),
            max_wait: or(made.max_wait, usual.max_wait),
            ..usual
        };
        let guard = AddressGuard::global_only();
        let guard = if made.allow_private { guard.allowing_private() } else { guard };
        let mut settings = Gated::default();
        (settings.reader, settings.policy) = (reader, policy.into());
        (settings.pacing, settings.guard) = (pacing, guard);
        let core = Core::new(settings, MemoryStore::new(SITES));
        Ok(Self { core: Arc::new(core), errands: RefCell::default(), last: Cell::new(0) })
    }

    /// What a question or a response leads to: an answer as JSON, with the number of the retrieval that is under way.
    fn said(&self, next: Next, now: Moment) -> Result<String, JsValue> {
        #[derive(Serialize)]
        struct Step {
            #[serde(flatten)]
            answer: Answer,
            #[serde(skip_serializing_if = "Option::is_none")]
            errand: Option<u32>,
        }
        let (answer, errand) = next.answer(now);
        let errand = errand.map(|errand| {
            self.last.set(self.last.get().wrapping_add(1));
            self.errands.borrow_mut().insert(self.last.get(), errand);
            self.last.get()
        });
        let step = Step { answer: answer.naming("allowPrivate"), errand };
        serde_json::to_string(&step).map_err(|error| JsValue::from_str(&format!("2{error}")))
    }
}

fn read<'a, T: Deserialize<'a>>(json: &'a str) -> Result<T, Problem> {
    serde_json::from_str(json).map_err(|error| Problem::option(json_error(&error)))
}

/// Milliseconds since 1970.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "what does not fit is the nearest that does"
)]
const fn moment(now: f64) -> Moment {
    Moment::from_millis(now as u64)
}
