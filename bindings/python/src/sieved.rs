//! [`sieve`]: filters a file for some agents.
//!
//! Invariant: text and report are those of the command's `filter`, verdicts those of its `test`: of the whole file.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyDict;
use robosieve_explain::{Who, report_lines, summary_lines};

use crate::agents::Names;
use crate::asked::Kept;
use crate::error::refused;
use crate::input::{bytes_of, owned};
use crate::options::{Settings, Whose};
use crate::unpack::opened;
use crate::values;
use crate::verdict::Verdict;

/// The result of ``sieve``: a text, a report, and verdicts. It cannot be changed.
///
/// >>> sieved = robosieve.sieve(b"User-agent: *\nDisallow: /cart # not for bots\n", "MyBot")
/// >>> sieved.text
/// 'User-agent: *\nDisallow: /cart\n'
/// >>> sieved.can_fetch("/cart/1")
/// False
#[pyclass(frozen, module = "robosieve")]
pub(crate) struct Sieved {
    file: Kept,
    settings: Arc<Settings>,
    whose: Whose,
    text: String,
    report: robosieve::report::Report,
    shown: PyOnceLock<Py<PyAny>>,
    who: Who,
    sitemaps: Vec<String>,
}

#[pymethods]
impl Sieved {
    /// The canonical text: printable ASCII, never empty.
    #[getter]
    fn text(&self) -> &str {
        &self.text
    }

    /// What was changed, and the effect on verdicts: a ``Report``.
    #[getter]
    fn report(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let shown = self.shown.get_or_try_init(py, || values::report(py, &self.report).map(Bound::unbind))?;
        Ok(shown.clone_ref(py))
    }

    /// Whether the text gives the same answer as the file for every URL.
    #[getter]
    fn exact(&self) -> bool {
        self.report.is_exact()
    }

    /// Whose group applies: ``agent``, ``everyone`` (the group for ``*``), ``nobody``, or ``all`` without agents.
    #[getter]
    fn answered_by(&self) -> &'static str {
        self.who.answered_by()
    }

    /// The page of a known crawler's owner that documents it, if by the name alone another group would apply; or None.
    #[getter]
    fn documented(&self) -> Option<&str> {
        self.who.documented().map(|crawler| crawler.source)
    }

    /// The requested agent whose group applies, or None.
    #[getter]
    fn agent(&self) -> Option<&str> {
        self.who.agent()
    }

    /// The URLs of the sitemaps, each once.
    #[getter]
    fn sitemaps(&self) -> Vec<String> {
        self.sitemaps.clone()
    }

    /// Whether the agents may fetch a URL, by the whole file: rules that did not fit into the text count too.
    ///
    /// Raises:
    ///     TypeError: If the URL is neither str nor bytes.
    ///     ValueError: ``Refused`` with ``over_limit="refuse"``, if the file is longer than ``max_bytes``.
    ///
    /// >>> robosieve.sieve("User-agent: *\nDisallow: /x", "MyBot").can_fetch("https://example.com/y")
    /// True
    fn can_fetch(&self, py: Python<'_>, url: &Bound<'_, PyAny>) -> PyResult<bool> {
        let url = bytes_of("the URL", url)?;
        self.file.ask(py, &url, |file| file.allows(&url, &self.settings, &self.whose))
    }

    /// Like ``can_fetch``, with the line and the rule that decided: a ``Verdict``.
    ///
    /// >>> print(robosieve.sieve("User-agent: *\nDisallow: /x", "MyBot").test("/x"))
    /// disallowed: line 2: Disallow: /x (group * applies)
    fn test(&self, py: Python<'_>, url: &Bound<'_, PyAny>) -> PyResult<Verdict> {
        let url = bytes_of("the URL", url)?;
        self.file.ask(py, &url, |file| file.test(&url, &self.settings, &self.whose, Verdict::new))
    }

    /// A summary in lines, for people. The whole report with ``whole=True``.
    #[pyo3(signature = (*, whole=false))]
    fn summary(&self, whole: bool) -> String {
        let report = &self.report;
        let lines = if whole { report_lines(&self.who, report) } else { summary_lines(&self.who, report) };
        lines.join("\n  ")
    }

    fn __str__(&self) -> &str {
        &self.text
    }

    fn __repr__(&self) -> String {
        format!("<Sieved {}>", summary_lines(&self.who, &self.report).join("; "))
    }
}

/// Filters a file for some agents: untrusted bytes in, a bounded canonical text, a report and verdicts out.
///
/// Args:
///     body: The file: bytes, any buffer, or str. No content raises an error.
///     agents: A product token, as in ``"MyBot"``, a whole User-Agent header, or several, the preferred first. None
///         keeps all groups.
///     **options: How the file is read; see ``robosieve.Options``.
///
/// Raises:
///     TypeError: If an argument has another type, or an option does not exist.
///     ValueError: If the value of an option does not exist, or an agent is empty. ``Refused`` with
///         ``over_limit="refuse"``, if the file exceeds a limit.
///
/// >>> robosieve.sieve(b"\xef\xbb\xbfUseragent: *\r\nDisalow: /x # no\r\n", "MyBot").text
/// 'User-agent: *\nDisallow: /x\n'
#[pyfunction]
#[pyo3(signature = (body, agents, **options))]
pub(crate) fn sieve(
    body: &Bound<'_, PyAny>,
    agents: Option<&Bound<'_, PyAny>>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<Sieved> {
    let py = body.py();
    let names = agents.map(Names::read).transpose()?;
    let (body, options) = opened(body, options)?;
    let settings = Settings::read(options.as_ref())?;
    let bytes = bytes_of("the file", &body)?;
    let read = settings.read_part(&bytes);
    let (text, report, who, sitemaps) = py
        .detach(|| {
            let plan = settings.plan_for(names.as_ref());
            let sieved = plan.sieve().filter(read)?;
            let who = plan.who(sieved.answered_by());
            let sitemaps = sieved.records().sitemaps().iter().map(ToString::to_string).collect();
            let report = sieved.report().clone();
            Ok((plan.text(sieved), report, who, sitemaps))
        })
        .map_err(refused)?;
    let (file, whose, shown) = (Kept::of(owned(py, &body, read)), Whose::new(names), PyOnceLock::new());
    Ok(Sieved { file, settings, whose, text, report, shown, who, sitemaps })
}
