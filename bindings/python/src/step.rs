//! [`Step`]: what to do about a URL.
//!
//! Invariant: its truth value is whether the page may be fetched, so that `if gate.ask(url)` never opens a site.

use std::sync::Mutex;

use pyo3::prelude::*;
use robosieve_gate::{Answer, Errand, Moment};

use crate::options::locked;

/// What to do about a URL. Its truth value is whether ``action`` is "go".
///
/// - "go": fetch the page after ``wait`` seconds.
/// - "wait": ask again after ``wait`` seconds.
/// - "no": do not fetch it. ``reason``, and ``rule`` and ``line`` or ``status``, say why; ``until`` is when that may
///   change.
/// - "fetch": request ``url`` with ``headers`` after ``wait`` seconds, follow no redirect, and give the response to
///   ``learn``.
#[pyclass(frozen, module = "robosieve")]
pub(crate) struct Step {
    /// ``go``, ``wait``, ``no`` or ``fetch``.
    #[pyo3(get)]
    action: String,
    /// Seconds.
    #[pyo3(get)]
    wait: f64,
    /// ``allowed``, ``ignored`` (robots.txt is, for this host), ``rule``, ``closed``, ``unreachable``,
    /// ``disqualified``, ``given-up``, ``pace``, ``queue``, ``held``, ``retrieving``, ``learnt``, ``robots-txt``,
    /// ``not-asked`` or ``store`` (trouble on our side), or ``not-a-url``.
    #[pyo3(get)]
    reason: &'static str,
    /// The reason for people.
    #[pyo3(get)]
    why: String,
    /// The robots.txt to request, or None.
    #[pyo3(get)]
    url: Option<String>,
    /// What makes that request conditional: pairs of name and value.
    #[pyo3(get)]
    headers: Vec<(&'static str, String)>,
    /// The rule that forbids it, as in ``Disallow: /x``, or None.
    #[pyo3(get)]
    rule: Option<String>,
    /// The line of the rule, or None.
    #[pyo3(get)]
    line: Option<u32>,
    /// The URL as it was tested, in its normal form: fetch this one. None if it is no URL, or not known yet.
    #[pyo3(get)]
    target: Option<String>,
    /// The status that closed the site, or None.
    #[pyo3(get)]
    status: Option<u16>,
    /// When another answer is possible, in seconds since 1970, or None.
    #[pyo3(get)]
    until: Option<f64>,
    /// How the last retrieval of the site's robots.txt ended, if it failed, or None.
    #[pyo3(get)]
    error: Option<String>,
    /// How many requests that retrieval made; 0 if it did not fail.
    #[pyo3(get)]
    attempts: usize,
    /// The retrieval that the caller makes.
    under: Mutex<Option<Errand>>,
}

impl Step {
    /// What the gate answers, with what is under way.
    pub(crate) fn of(answer: Answer, under: Option<Errand>) -> Self {
        let Answer { wait, reason, why, rule, line, target, status, until, error, attempts, request, .. } = answer;
        let action = answer.action.to_string();
        let (url, headers) = request.map_or_else(Default::default, |wanted| (Some(wanted.url), wanted.headers));
        let until = until.map(|until| until.since(Moment::from_millis(0)).as_secs_f64());
        let (wait, under) = (wait.as_secs_f64(), Mutex::new(under));
        Self { action, wait, reason, why, url, headers, rule, line, target, status, until, error, attempts, under }
    }

    /// Takes the retrieval out of the step, once.
    pub(crate) fn take(&self) -> Option<Errand> {
        locked(&self.under).take()
    }
}

#[pymethods]
impl Step {
    /// Gives up the retrieval of a "fetch", so that the next caller gets it. A step that nobody holds does
    /// that by itself.
    fn drop(&self) {
        drop(self.take());
    }

    fn __bool__(&self) -> bool {
        self.action == "go"
    }

    fn __str__(&self) -> String {
        format!("{}: {}", self.action, self.why)
    }

    fn __repr__(&self) -> String {
        format!("<Step {} {}>", self.action, self.why)
    }
}
