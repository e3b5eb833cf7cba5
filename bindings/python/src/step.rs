//! [`Step`]: what to do about a URL.
//!
//! Invariant: its truth value is whether the page may be fetched, so that `if gate.ask(url)` never opens a site.

use std::sync::Mutex;
use std::time::Duration;

use pyo3::prelude::*;
use robosieve_gate::ask::{Errand, Pending, Todo};
use robosieve_gate::keep::SharedStore;
use robosieve_gate::{Answer, GateError, Moment, Why};

use crate::gate::{Shared, Under};

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
    action: &'static str,
    /// Seconds.
    #[pyo3(get)]
    wait: f64,
    /// ``allowed``, ``ignored`` (robots.txt is, for this host), ``rule``, ``closed``, ``unreachable``,
    /// ``disqualified``, ``given-up``, ``pace``, ``in-flight``, ``queue``, ``crowded``, ``crawl-delay``,
    /// ``retrieving``, ``learnt``, ``robots-txt``, ``not-asked`` or ``store`` (trouble on our side), or ``not-a-url``.
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
    /// The status that closed the site, or None.
    #[pyo3(get)]
    status: Option<u16>,
    /// When another answer is possible, in seconds since 1970, or None.
    #[pyo3(get)]
    until: Option<f64>,
    pub(crate) under: Shared,
}

impl Step {
    fn new(action: &'static str, wait: Duration, reason: &'static str, why: impl Into<String>) -> Self {
        Self {
            action,
            wait: wait.as_secs_f64(),
            reason,
            why: why.into(),
            url: None,
            headers: Vec::new(),
            rule: None,
            line: None,
            status: None,
            until: None,
            under: Mutex::default(),
        }
    }

    fn no(reason: &'static str, why: impl Into<String>, until: Option<Moment>) -> Self {
        let until = until.map(|until| until.since(Moment::from_millis(0)).as_secs_f64());
        Self { until, ..Self::new("no", Duration::ZERO, reason, why) }
    }

    pub(crate) fn no_url(why: &str) -> Self {
        Self::no("not-a-url", why, None)
    }

    pub(crate) fn answer(answer: &Answer, now: Moment) -> Self {
        let words = answer.to_string();
        match answer {
            Answer::Allowed { wait, ignored, .. } => {
                Self::new("go", *wait, if *ignored { "ignored" } else { "allowed" }, words)
            }
            Answer::Denied { rule, line } => {
                Self { rule: Some(rule.clone()), line: Some(*line), ..Self::no("rule", words, None) }
            }
            Answer::Closed { status, until, .. } => Self { status: *status, ..Self::no("closed", words, Some(*until)) },
            Answer::NotNow { until, why: why @ (Why::Pace | Why::InFlight | Why::Queue | Why::Crowded) } => {
                let until_then = Self::no(why.as_str(), words, Some(*until));
                Self { action: "wait", wait: until.since(now).as_secs_f64(), ..until_then }
            }
            Answer::NotNow { until, why } => Self::no(why.as_str(), words, Some(*until)),
        }
    }

    pub(crate) fn error(error: &GateError, now: Moment) -> Self {
        match error {
            GateError::Url(why) => Self::no_url(&why.to_string()),
            GateError::NotAsked { until, .. } => Self::no("not-asked", error.to_string(), Some(*until)),
            GateError::Store(_) => {
                let until = now.after(robosieve_gate::GateCore::<SharedStore>::HOLD_OFF);
                Self::no("store", error.to_string(), Some(until))
            }
        }
    }

    pub(crate) fn pending(pending: Pending) -> Self {
        /// Between two looks of a caller that does not join.
        const LOOK: Duration = Duration::from_millis(50);
        let step = Self::new("wait", LOOK, "retrieving", "another request for its robots.txt runs");
        Self { under: Mutex::new(Some(Under::Another(pending))), ..step }
    }

    pub(crate) fn learnt(why: &str) -> Self {
        Self::new("wait", Duration::ZERO, "learnt", why)
    }

    pub(crate) fn todo(todo: Todo, errand: Box<Errand<SharedStore>>) -> Self {
        match todo {
            Todo::Request { request, wait } => {
                let held = &request.held;
                let lines = [("If-None-Match", held.etag()), ("If-Modified-Since", held.last_modified())];
                let lines = lines.into_iter().filter_map(|(name, value)| Some((name, value?.to_owned())));
                Self {
                    url: Some(request.url.as_str().to_owned()),
                    headers: lines.collect(),
                    under: Mutex::new(Some(Under::Way(errand))),
                    ..Self::new("fetch", wait, "robots-txt", "the site's robots.txt is due")
                }
            }
            // The next question begins it again.
            Todo::Wait(wait) => Self::new("wait", wait, "retrieving", "the site is tried once more"),
            Todo::Done => Self::learnt("the site's robots.txt was retrieved"),
        }
    }
}

#[pymethods]
impl Step {
    /// Waits until the retrieval that another thread makes has ended. Returns at once if there is none.
    fn join(&self, py: Python<'_>) {
        let mut under = self.under.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        match under.take() {
            Some(Under::Another(pending)) => {
                drop(under);
                py.detach(|| pending.wait());
            }
            other => *under = other,
        }
    }

    /// Gives up the retrieval of a "fetch" whose response will not be learnt, so that the next caller gets it. A step
    /// that nobody holds does that by itself.
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
