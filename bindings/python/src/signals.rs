//! [`Signals`] and [`signals`]: what may be done with a page.
//!
//! Invariant: answers are those of the command's `signals --ndjson`, without version and id. A page is read once,
//! whoever asks and when.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyInt, PyString, PyTuple};
use robosieve::settings::{OverLimit, Refused};
use robosieve_explain::Groups;
use robosieve_signals::{Answer, Page};

use crate::agents::Names;
use crate::asked::Asked;
use crate::error::refused;
use crate::headers::{Given, is_text};
use crate::input::{bytes_of, type_name};
use crate::json;
use crate::options::Settings;
use crate::robots::Robots;
use crate::unpack::opened;

/// What a page's headers, its HTML, ``tdmrep.json`` and robots.txt say of its use: read once, for any agent and time.
///
/// It cannot be changed, and any threads can use it at the same time. ``signals`` is the same for one question.
///
/// >>> read = robosieve.Signals("/a", headers={"X-Robots-Tag": "googlebot: noindex"})
/// >>> [read.answer(agent)["uses"]["index"] for agent in ("MyBot", "Googlebot")]
/// ['unsaid', 'no']
#[pyclass(frozen, module = "robosieve")]
pub(crate) struct Signals {
    read: robosieve_signals::Signals<'static>,
    settings: Arc<Settings>,
    /// The robots.txt, if the options may refuse it.
    refusable: Option<Vec<u8>>,
}

/// The sources of a page that are no headers.
#[derive(Clone, Copy, Default)]
pub(crate) struct Sources<'a> {
    pub(crate) url: &'a [u8],
    pub(crate) head: Option<&'a [u8]>,
    pub(crate) html: Option<&'a [u8]>,
    pub(crate) robots: Option<&'a [u8]>,
    pub(crate) tdmrep: Option<&'a [u8]>,
}

impl<'a> Sources<'a> {
    /// The page that they are of.
    pub(crate) fn page(&self, settings: &Settings) -> Page<'a> {
        let mut page = Page::new(self.url).options(settings.plan.verdicts.clone());
        page = if let Some(head) = self.head { page.head(head) } else { page };
        page = if let Some(html) = self.html { page.html(html) } else { page };
        page = if let Some(robots) = self.robots { page.robots(robots) } else { page };
        if let Some(tdmrep) = self.tdmrep { page.tdmrep(tdmrep) } else { page }
    }
}

/// Whether the options refuse this robots.txt for these agents.
pub(crate) fn expect_taken(robots: Option<&[u8]>, settings: &Settings, groups: &Groups) -> Result<(), Refused> {
    match robots.filter(|_| settings.plan.verdicts.over_limit == OverLimit::Refuse) {
        Some(robots) => Asked::of_file(robots, &settings.plan.verdicts, groups).map(drop),
        None => Ok(()),
    }
}

#[pymethods]
impl Signals {
    #[new]
    #[pyo3(signature = (page, *, headers=None, html=None, robots=None, tdmrep=None, **options))]
    fn new(
        page: &Bound<'_, PyAny>,
        headers: Option<&Bound<'_, PyAny>>,
        html: Option<&Bound<'_, PyAny>>,
        robots: Option<&Bound<'_, PyAny>>,
        tdmrep: Option<&Bound<'_, PyAny>>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let py = page.py();
        let (robots, settings) = robots_of(py, robots, options)?;
        let of_response = parts_of(page, headers, html.is_some())?;
        let (page, headers, html) = match &of_response {
            Some((url, lines, body)) => (url, Some(lines), html.or(body.as_ref())),
            None => (page, headers, html),
        };
        let url = bytes_of("the page's URL", page)?;
        let headers = Given::read(headers)?;
        let html = html.map(|html| bytes_of("html", html)).transpose()?;
        let robots = robots.as_ref().map(|robots| bytes_of("robots", robots)).transpose()?;
        let robots = robots.as_deref().map(|robots| settings.read_part(robots));
        let tdmrep = tdmrep.map(|tdmrep| bytes_of("tdmrep", tdmrep)).transpose()?;
        let (html, tdmrep) = (html.as_deref(), tdmrep.as_deref());
        let sources = Sources { url: &url, head: None, html, robots, tdmrep };
        let read = py.detach(|| headers.of(sources.page(&settings)).signals().into_owned());
        let may_refuse = settings.plan.verdicts.over_limit == OverLimit::Refuse;
        let refusable = robots.filter(|_| may_refuse).map(<[u8]>::to_vec);
        Ok(Self { read, settings, refusable })
    }

    /// What may be done with the page, for an agent, at a time.
    ///
    /// Args:
    ///     agents: As for ``sieve``. Several are the names of one crawler: what is said to any of them holds.
    ///     time: When the page was fetched: seconds since 1970, a ``datetime`` with a time zone, or a text such as
    ///         ``2026-11-27T12:00:00Z``. None is now.
    ///
    /// Returns:
    ///     The command's JSON, as in ``robosieve.answers.SignalsAnswer``.
    ///
    /// Raises:
    ///     TypeError, ValueError: As ``signals``.
    ///
    /// >>> read = robosieve.Signals("/a", headers={"X-Robots-Tag": "unavailable_after: 2026-01-01T00:00:00Z"})
    /// >>> read.answer("MyBot", 1_700_000_000)["uses"]["index"], read.answer("MyBot", 1_800_000_000)["uses"]["index"]
    /// ('unsaid', 'no')
    #[pyo3(signature = (agents, time=None))]
    fn answer<'py>(&self, agents: &Bound<'py, PyAny>, time: Option<&Bound<'py, PyAny>>) -> PyResult<Bound<'py, PyAny>> {
        let py = agents.py();
        let groups = self.settings.groups_of(agents, &Names::read(agents)?);
        let at = time_of(time)?;
        let answer = py.detach(|| -> Result<Answer, Refused> {
            expect_taken(self.refusable.as_deref(), &self.settings, &groups)?;
            Ok(self.read.answer((*groups).clone(), at))
        });
        json::object(py, &answer.map_err(refused)?)
    }
}

/// What may be done with a page, by all that is known of it: its headers, its HTML, ``tdmrep.json`` and robots.txt. The
/// strictest one counts.
///
/// Args:
///     page: The URL of the page, or its path: str or bytes. Or a response of requests, httpx, aiohttp, urllib3 or
///         another client: whatever has ``url`` and ``headers``. Its body has to be read before, or given as ``html``.
///     agents: As for ``sieve``. Several are the names of one crawler. For many crawlers make a ``Signals``.
///     headers: A mapping, pairs of name and value, or the whole head as text or bytes, as ``curl -D`` writes it.
///     html: The page, if it is HTML: bytes or str. 512 KiB of it are read.
///     robots: The robots.txt of its host: as for ``sieve``, or a ``Robots``.
///     tdmrep: The ``/.well-known/tdmrep.json`` of its host.
///     time: When the page was fetched: see ``Signals.answer``. None is now.
///     **options: How robots.txt is read; see ``robosieve.Options``.
///
/// Returns:
///     The command's JSON: ``uses`` with ``yes``, ``no`` or ``unsaid`` for each use, ``decided_by`` with the place that
///     says so, ``limits``, ``licenses`` and ``findings``. ``robosieve.answers.SignalsAnswer`` is its type.
///
/// Raises:
///     TypeError: If an argument has another type.
///     ValueError: If an agent is empty, or a time cannot be read. ``Refused`` with ``over_limit="refuse"``.
///
/// >>> answer = robosieve.signals(
/// ...     "https://shop.example/a", "MyBot",
/// ...     headers=[("X-Robots-Tag", "noindex"), ("Content-Signal", "search=yes, ai-train=no")],
/// ...     html="<head><meta name=robots content='max-snippet:20'>", robots="User-agent: *\nDisallow: /cart\n")
/// >>> answer["uses"]["fetch"], answer["uses"]["index"], answer["uses"]["ai-training"], answer["uses"]["archive"]
/// ('yes', 'no', 'no', 'unsaid')
/// >>> answer["decided_by"]["index"], answer["limits"]
/// ({'source': 'header', 'place': 1, 'text': 'noindex'}, {'max-snippet': 20})
#[pyfunction]
#[pyo3(signature = (page, agents, *, headers=None, html=None, robots=None, tdmrep=None, time=None, **options))]
#[allow(clippy::too_many_arguments, reason = "keyword arguments")]
pub(crate) fn signals<'py>(
    page: &Bound<'py, PyAny>,
    agents: &Bound<'py, PyAny>,
    headers: Option<&Bound<'py, PyAny>>,
    html: Option<&Bound<'py, PyAny>>,
    robots: Option<&Bound<'py, PyAny>>,
    tdmrep: Option<&Bound<'py, PyAny>>,
    time: Option<&Bound<'py, PyAny>>,
    options: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    Signals::new(page, headers, html, robots, tdmrep, options)?.answer(agents, time)
}

/// The robots.txt, and how it is read.
fn robots_of<'py>(
    py: Python<'py>,
    robots: Option<&Bound<'py, PyAny>>,
    options: Option<&Bound<'py, PyDict>>,
) -> PyResult<(Option<Bound<'py, PyAny>>, Arc<Settings>)> {
    let Some(robots) = robots else { return Ok((None, Settings::read(options)?)) };
    if let Ok(robots) = robots.cast::<Robots>() {
        if options.is_some_and(|options| !options.is_empty()) {
            return Err(PyTypeError::new_err("a Robots has options of its own: give them where it is parsed"));
        }
        let robots = robots.get();
        return Ok((Some(PyBytes::new(py, robots.file()).into_any()), Arc::clone(robots.settings())));
    }
    let (robots, options) = opened(robots, options)?;
    Ok((Some(robots), Settings::read(options.as_ref())?))
}

/// The URL, the header lines and the body of a response.
type Parts<'py> = (Bound<'py, PyAny>, Bound<'py, PyAny>, Option<Bound<'py, PyAny>>);

/// The same, if the page is a response.
fn parts_of<'py>(
    page: &Bound<'py, PyAny>,
    headers: Option<&Bound<'py, PyAny>>,
    has_html: bool,
) -> PyResult<Option<Parts<'py>>> {
    if is_text(page) || !page.hasattr("headers")? {
        return Ok(None);
    }
    if headers.is_some() {
        return Err(PyTypeError::new_err("a response has its own headers: give a URL with headers, or a response"));
    }
    let parts = page.py().import("robosieve._responses")?.call_method1("parts", (page, has_html))?;
    parts.cast::<PyTuple>()?.extract().map(Some)
}

/// A time, in seconds since 1970; now if there is none.
pub(crate) fn time_of(time: Option<&Bound<'_, PyAny>>) -> PyResult<i64> {
    const HOW: &str = "write seconds since 1970, a datetime with a time zone, or a text such as 2026-11-27T12:00:00Z";
    let wrong = || PyValueError::new_err(format!("time: {HOW}"));
    let Some(time) = time else {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).ok();
        return Ok(now.and_then(|now| i64::try_from(now.as_secs()).ok()).unwrap_or_default());
    };
    if let Ok(text) = time.cast::<PyString>() {
        return robosieve_signals::time(&text.to_string_lossy()).ok_or_else(wrong);
    }
    let seconds = if time.hasattr("timestamp")? && time.hasattr("utcoffset")? {
        // Of a time without a zone nobody knows when it is.
        if time.call_method0("utcoffset")?.is_none() {
            return Err(PyValueError::new_err(format!("time has no time zone: {HOW}")));
        }
        Cow::Owned(time.call_method0("timestamp")?)
    } else {
        Cow::Borrowed(time)
    };
    if seconds.is_instance_of::<PyFloat>() {
        return seconds.call_method0("__floor__").and_then(|whole| whole.extract()).map_err(|_| wrong());
    }
    if seconds.is_instance_of::<PyBool>() || !(seconds.is_instance_of::<PyInt>() || seconds.hasattr("__index__")?) {
        return Err(PyTypeError::new_err(format!("time must not be {}: {HOW}", type_name(&time.get_type()))));
    }
    seconds.extract().map_err(|_| wrong())
}
