//! [`GateCore`]: may this URL be fetched now? Scrapy retrieves robots.txt, or another client, one request at a time.
//!
//! Invariant: all decisions are the gate's core's. Trouble of ours opens nothing: a store that fails is an answer that
//! allows nothing. Stores and waits release the interpreter.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use pyo3::exceptions::{PyOSError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use robosieve::settings::Dialect;
use robosieve_explain::Groups;
use robosieve_gate::decide::{Preset, Reader};
use robosieve_gate::keep::SharedStore;
use robosieve_gate::pace::{PaceBy, Pacing, Page};
use robosieve_gate::retrieve::AddressGuard;
use robosieve_gate::{Answer, Ask, Core, Error, MemoryStore, Moment, Next, Origin, RunClock};

use crate::agents::Names;
use crate::given::{Response, failed};
use crate::input::bytes_of;
use crate::options::Settings;
use crate::step::Step;

/// Decides whether a URL may be fetched now: remembers sites, and paces requests. It makes no request itself.
///
/// ``start`` and ``permits`` return a ``Step``: go, wait, no, or fetch this robots.txt first and give the response to
/// ``learn``. ``robosieve.gate`` has gates that do so themselves, for threads and for asyncio.
///
/// ``store`` is a file that programs share, and is kept in memory without one. Seconds are ``float``. ``clock`` returns
/// the seconds since 1970.
///
/// >>> from robosieve import GateCore
/// >>> gate = GateCore("MyBot")
/// >>> step = gate.permits("https://shop.example/cart/1")
/// >>> step.action, step.url
/// ('fetch', 'https://shop.example/robots.txt')
/// >>> learnt = gate.learn(step, 200, [("Content-Type", "text/plain")], b"User-agent: *\nDisallow: /cart\n")
/// >>> print(gate.permits("https://shop.example/cart/1"))
/// no: denied by line 2, Disallow: /cart
#[pyclass(frozen, module = "robosieve")]
pub(crate) struct GateCore {
    core: Arc<Core>,
    guard: AddressGuard,
    clock: Option<Py<PyAny>>,
    /// The clock without one of the caller's.
    own_clock: RunClock,
}

impl GateCore {
    pub(crate) fn shared(&self) -> Arc<Core> {
        Arc::clone(&self.core)
    }

    fn now(&self, py: Python<'_>) -> PyResult<Moment> {
        let Some(clock) = &self.clock else { return Ok(self.own_clock.now()) };
        let seconds: f64 = clock.bind(py).call0()?.extract()?;
        let since = Duration::try_from_secs_f64(seconds).map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(Moment::from_millis(0).after(since))
    }

    /// Asks the core without the interpreter.
    fn question(&self, py: Python<'_>, url: &Bound<'_, PyAny>, ask: Ask) -> PyResult<Step> {
        let url = bytes_of("a URL", url)?;
        let Ok(url) = str::from_utf8(&url) else { return Ok(Step::of(Answer::no_url("it is not UTF-8"), None)) };
        let now = self.now(py)?;
        Ok(py.detach(|| said(self.core.ask(url, ask, now), now)))
    }
}

/// What a question or a response leads to.
fn said(next: Next, now: Moment) -> Step {
    let (answer, errand) = next.answer(now);
    Step::of(answer.naming("allow_private"), errand)
}

#[pymethods]
impl GateCore {
    #[new]
    #[pyo3(signature = (
        agent, *, store=None, policy="rfc9309", delay=1.0, min_delay=0.1, max_delay=300.0, max_wait=3600.0,
        per="host", allow_private=false, allow_ports=None, clock=None
    ))]
    #[allow(clippy::too_many_arguments, reason = "keyword arguments")]
    fn new(
        py: Python<'_>,
        agent: &Bound<'_, PyAny>,
        store: Option<std::path::PathBuf>,
        policy: &str,
        delay: f64,
        min_delay: f64,
        max_delay: f64,
        max_wait: f64,
        per: &str,
        allow_private: bool,
        allow_ports: Option<Vec<u16>>,
        clock: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        let groups = Settings::read(None)?.plan.groups_of(Names::read(agent)?.agents());
        let preset: Preset = policy.parse().map_err(|_| unknown("policy", policy, &Preset::ALL.map(Preset::as_str)))?;
        let by = match per {
            "host" => PaceBy::Host,
            "domain" => PaceBy::RegisteredDomain,
            _ => return Err(unknown("per", per, &["host", "domain"])),
        };
        let pacing = Pacing {
            default: seconds("delay", delay)?,
            min: seconds("min_delay", min_delay)?,
            max: seconds("max_delay", max_delay)?,
            max_wait: seconds("max_wait", max_wait)?,
            by,
            ..Pacing::default()
        };
        let guard = AddressGuard::global_only();
        let guard = if allow_private { guard.allowing_private() } else { guard };
        let guard = allow_ports.into_iter().flatten().fold(guard, AddressGuard::allowing_port);
        let store: SharedStore = match store {
            None => MemoryStore::default().into(),
            Some(name) => {
                py.detach(|| robosieve_gate::keep::open(name)).map_err(|error| PyOSError::new_err(error.to_string()))?
            }
        };
        let mut settings = robosieve_gate::Settings::default();
        (settings.reader, settings.policy) = (reader(&groups), preset.into());
        (settings.pacing, settings.guard) = (pacing, guard.clone());
        Ok(Self { core: Arc::new(Core::new(settings, store)), guard, clock, own_clock: RunClock::default() })
    }

    /// May this URL be fetched now? Takes a slot if one is free at this moment. Otherwise: "wait", then start again.
    fn start(&self, py: Python<'_>, url: &Bound<'_, PyAny>) -> PyResult<Step> {
        self.question(py, url, Ask::Start)
    }

    /// May this URL be fetched at all? Takes no slot.
    fn permits(&self, py: Python<'_>, url: &Bound<'_, PyAny>) -> PyResult<Step> {
        self.question(py, url, Ask::Permission)
    }

    /// Takes in what the request of a "fetch" came to: a response as it came, redirects too; or the error. Returns the
    /// next step: "fetch" for the target of a redirect, "wait" to ask again, or "no" if the site could not be asked.
    ///
    /// ``headers`` is a mapping or pairs. ``asked=False``: the request was not made, because of trouble on our side.
    /// ``decoded``: the client has undone the Content-Encoding, and an end that did not come or a wrong checksum is an
    /// error there. ``broken_off``: the body is not whole. ``address``: the server's, which is checked.
    #[pyo3(signature = (
        step, status=None, headers=None, body=None, *, error=None, asked=true, decoded=false, broken_off=false,
        address=None
    ))]
    #[allow(clippy::too_many_arguments, clippy::fn_params_excessive_bools, reason = "keyword arguments")]
    fn learn(
        &self,
        py: Python<'_>,
        step: &Step,
        status: Option<u16>,
        headers: Option<&Bound<'_, PyAny>>,
        body: Option<&Bound<'_, PyAny>>,
        error: Option<String>,
        asked: bool,
        decoded: bool,
        broken_off: bool,
        address: Option<String>,
    ) -> PyResult<Step> {
        let (headers, body) = (headers.cloned(), body.cloned());
        let fetched = match (status, error) {
            (Some(status), None) => Response { status, headers, body, address, decoded, broken_off }.fetched()?,
            (None, Some(why)) => failed(why, asked),
            _ => return Err(PyTypeError::new_err("learn takes a status, or an error")),
        };
        let Some(errand) = step.take() else {
            return Err(PyValueError::new_err("the step has no request, or its response was learnt"));
        };
        let now = self.now(py)?;
        Ok(py.detach(|| said(errand.came(fetched, now), now)))
    }

    /// Takes in how a page's request ended: after a 429 or 503 its host is asked less often.
    #[pyo3(signature = (url, status=None, *, retry_after=None, took=0.0))]
    fn observe(
        &self,
        py: Python<'_>,
        url: &Bound<'_, PyAny>,
        status: Option<u16>,
        retry_after: Option<f64>,
        took: f64,
    ) -> PyResult<()> {
        let (page, url) = (page(status, retry_after, took)?, bytes_of("a URL", url)?);
        let now = self.now(py)?;
        let observe = || str::from_utf8(&url).map_or(Ok(()), |url| self.core.observe(url, &page, now));
        observed(py.detach(observe))
    }

    /// The seconds between two requests to a URL's host, as far as its robots.txt is known.
    fn delay(&self, py: Python<'_>, url: &Bound<'_, PyAny>) -> PyResult<f64> {
        let url = bytes_of("a URL", url)?;
        let now = self.now(py)?;
        let origin = str::from_utf8(&url).ok().and_then(|url| Origin::of(url).ok());
        Ok(origin.map_or(0.0, |origin| self.core.interval(&origin, now).as_secs_f64()))
    }

    /// Whether a client may connect to this address to retrieve a robots.txt.
    fn admits(&self, address: &str) -> bool {
        address.parse().is_ok_and(|address| self.guard.refusal(address).is_none())
    }

    /// What it counted since it began: answers by kind, and retrievals by outcome.
    fn counts(&self) -> HashMap<&'static str, HashMap<&'static str, u64>> {
        let counts = self.core.counts();
        HashMap::from([("answers", counts.answers().collect()), ("retrievals", counts.retrievals().collect())])
    }
}

/// How a request for a page ended.
pub(crate) fn page(status: Option<u16>, retry_after: Option<f64>, took: f64) -> PyResult<Page> {
    let retry_after = retry_after.map(|after| seconds("retry_after", after)).transpose()?;
    // No time at all means that it is not known.
    let took = Some(seconds("took", took)?).filter(|took| !took.is_zero());
    Ok(Page { took, status, retry_after })
}

/// What is no URL is nothing to learn from.
pub(crate) fn observed(done: Result<(), Error>) -> PyResult<()> {
    match done {
        Err(error @ Error::Store(_)) => Err(PyOSError::new_err(error.to_string())),
        _ => Ok(()),
    }
}

/// Reads for the groups that the command's gate reads for, so that programs of both share what a store has.
fn reader(groups: &Groups) -> Reader {
    let joins = groups.options(Dialect::Standard.options()).union_of_agents;
    Reader::new(groups.agents.clone()).dialect(Dialect::Standard, joins)
}

fn seconds(name: &str, given: f64) -> PyResult<Duration> {
    Duration::try_from_secs_f64(given).map_err(|error| PyValueError::new_err(format!("{name}: {error}")))
}

fn unknown(what: &str, given: &str, known: &[&str]) -> PyErr {
    PyValueError::new_err(format!("there is no {what} {given:?}: there are {}", known.join(", ")))
}
