//! [`_Asker`]: the gate with a client, for threads and for asyncio.
//!
//! Invariant: all decisions are the gate's. Its own client is that of the command.

use std::sync::Arc;

use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use robosieve_gate::retrieve::Proxies;
use robosieve_gate::{Answer, Ask, Client, Core, CrawlerIdentity, Fetch, Gate};

use crate::bridge::{Loops, Outcome, block_on};
use crate::gate::{GateCore, page};
use crate::given::{Given, or_bug};
use crate::input::bytes_of;
use crate::step::Step;

/// Who makes the requests for robots.txt.
enum By {
    /// The gate's own client. It is large.
    Own(Box<Client>),
    /// A function of the caller's.
    Fetch(Py<PyAny>),
}

/// Asks a gate, and has robots.txt retrieved when it is due.
#[pyclass(frozen, module = "robosieve")]
pub(crate) struct _Asker {
    core: Arc<Core>,
    by: By,
    loops: Loops,
}

impl _Asker {
    /// The work for a question: whether a URL may be fetched at all, or, if it `waits`, also when its turn is. Coroutines
    /// of the caller's run in this loop.
    fn work(
        &self,
        url: &Bound<'_, PyAny>,
        waits: bool,
        event_loop: Option<Py<PyAny>>,
    ) -> PyResult<impl Future<Output = Outcome> + Send + 'static> {
        let text = bytes_of("a URL", url)?;
        let text = str::from_utf8(&text).map(str::to_owned);
        let core = Arc::clone(&self.core);
        let by = match &self.by {
            By::Own(client) => Ok((**client).clone()),
            By::Fetch(fetch) => Err(Given::new(fetch.clone_ref(url.py()), event_loop)),
        };
        Ok(async move {
            let answer = match (text, by) {
                (Err(_), _) => Answer::no_url("it is not UTF-8"),
                (Ok(url), Ok(client)) => answer(Gate::new(client, core), url, waits).await,
                (Ok(url), Err(given)) => {
                    let bug = given.bug();
                    or_bug(bug, answer(Gate::new(given, core), url, waits)).await?
                }
            };
            Ok(Some(Step::of(answer.naming("allow_private"), None)))
        })
    }
}

async fn answer<F: Fetch>(gate: Gate<F>, url: String, waits: bool) -> Answer {
    if waits { gate.turn(&url).await } else { gate.ask(&url, Ask::Permission).await }
}

#[pymethods]
impl _Asker {
    #[new]
    fn new(
        core: &GateCore,
        header: &str,
        fetch: Option<Py<PyAny>>,
        proxy: Option<&str>,
        root_cert: Option<std::path::PathBuf>,
    ) -> PyResult<Self> {
        let wrong = |error: &dyn ToString| PyValueError::new_err(error.to_string());
        let by = if let Some(fetch) = fetch {
            By::Fetch(fetch)
        } else {
            let identity = CrawlerIdentity::new(header).map_err(|error| wrong(&error))?;
            let mut client = Client::new(&identity);
            if let Some(proxy) = proxy {
                client = client.proxies(Proxies::all(proxy.parse().map_err(|error| wrong(&error))?));
            }
            if let Some(path) = root_cert {
                let pem = std::fs::read(path).map_err(|error| PyOSError::new_err(error.to_string()))?;
                client = client.root_certificates(&pem).map_err(|error| wrong(&error))?;
            }
            By::Own(Box::new(client))
        };
        Ok(Self { core: core.shared(), by, loops: Loops::default() })
    }

    fn ask(&self, url: &Bound<'_, PyAny>, waits: bool) -> Outcome {
        block_on(url.py(), self.work(url, waits, None)?)
    }

    fn ask_later<'py>(&self, url: &Bound<'py, PyAny>, waits: bool) -> PyResult<Bound<'py, PyAny>> {
        let event_loop = Loops::running(url.py())?;
        let work = self.work(url, waits, Some(event_loop.clone().unbind()))?;
        self.loops.future(&event_loop, work)
    }

    #[pyo3(signature = (url, status=None, *, retry_after=None, took=0.0))]
    fn observe_later<'py>(
        &self,
        url: &Bound<'py, PyAny>,
        status: Option<u16>,
        retry_after: Option<f64>,
        took: f64,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (page, seen) = (page(status, retry_after, took)?, bytes_of("a URL", url)?.into_owned());
        let gate = Gate::new((), Arc::clone(&self.core));
        self.loops.future(&Loops::running(url.py())?, async move {
            let Ok(url) = String::from_utf8(seen) else { return Ok(None) };
            crate::gate::observed(gate.observe(&url, page).await).map(|()| None)
        })
    }
}
