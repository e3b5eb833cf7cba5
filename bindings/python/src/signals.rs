//! [`signals`]: what may be done with a page.
//!
//! Invariant: answers are those of the command's `signals --ndjson`, without version and id.

use std::borrow::Cow;
use std::time::{SystemTime, UNIX_EPOCH};

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyString};
use robosieve::settings::{OverLimit, Refused};
use robosieve_ask::expect_status;
use robosieve_signals::{Answer, Page};

use crate::asked::File;
use crate::error::refused;
use crate::headers::Given;
use crate::input::{bytes_of, type_name};
use crate::options::Settings;
use crate::unpack::opened;
use crate::values;

/// What may be done with a page, by all that is known of it: its headers, its HTML, ``tdmrep.json`` and robots.txt. The
/// strictest one counts.
///
/// Args:
///     url: The URL of the page, or its path: str or bytes.
///     agents: As for ``sieve``. Several are the names of one crawler: what is said to any of them holds.
///     headers: Pairs of name and value, any client's mapping, or the whole head as text or bytes, as ``curl -D``
///         writes it. Pairs are best: many clients join lines with one name.
///     html: The page, if it is HTML: bytes or str. 512 KiB of it are read.
///     robots: The robots.txt of its host, as for ``sieve``.
///     status: The status that robots.txt came with: what is no success opens or closes the site.
///     tdmrep: The ``/.well-known/tdmrep.json`` of its host.
///     time: When the page was fetched: seconds since 1970, a ``datetime`` with a time zone, or a text such as
///         ``2026-11-27T12:00:00Z``. None is now.
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
#[pyo3(signature = (url, agents, *, headers=None, html=None, robots=None, status=None, tdmrep=None, time=None, **options))]
#[allow(clippy::too_many_arguments, reason = "keyword arguments")]
pub(crate) fn signals<'py>(
    url: &Bound<'py, PyAny>,
    agents: &Bound<'py, PyAny>,
    headers: Option<&Bound<'py, PyAny>>,
    html: Option<&Bound<'py, PyAny>>,
    robots: Option<&Bound<'py, PyAny>>,
    status: Option<u16>,
    tdmrep: Option<&Bound<'py, PyAny>>,
    time: Option<&Bound<'py, PyAny>>,
    options: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = url.py();
    let (robots, options) = match robots {
        Some(robots) => opened(robots, options).map(|(robots, options)| (Some(robots), options))?,
        None => (None, options.cloned()),
    };
    expect_status(status).map_err(|error| PyValueError::new_err(error.to_string()))?;
    let settings = Settings::read(options.as_ref())?;
    let whose = settings.whose(agents)?;
    let (url, at, headers) = (bytes_of("the page's URL", url)?, time_of(time)?, Given::read(headers)?);
    let html = html.map(|html| bytes_of("html", html)).transpose()?;
    let robots = robots.as_ref().map(|robots| bytes_of("robots", robots)).transpose()?;
    let tdmrep = tdmrep.map(|tdmrep| bytes_of("tdmrep", tdmrep)).transpose()?;
    let answer = py.detach(|| -> Result<Answer, Refused> {
        let mut page = Page::new(&url).options(settings.plan.verdicts.clone());
        page = if let Some(html) = &html { page.html(html) } else { page };
        page = if let Some(tdmrep) = &tdmrep { page.tdmrep(tdmrep) } else { page };
        if let Some(robots) = robots.as_deref().map(|robots| settings.read_part(robots)) {
            if settings.plan.verdicts.over_limit == OverLimit::Refuse {
                File::new(robots).check(&settings, &whose)?;
            }
            page = page.robots(robots);
        }
        page = if let Some(status) = status { page.status(status, &settings.plan.options) } else { page };
        Ok(headers.of(page).signals().answer(whose.groups(&settings).clone(), at))
    });
    values::object(py, &answer.map_err(refused)?)
}

/// A time, in seconds since 1970; now if there is none.
fn time_of(time: Option<&Bound<'_, PyAny>>) -> PyResult<i64> {
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
