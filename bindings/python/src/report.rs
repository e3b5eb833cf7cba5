//! [`Report`] and [`Finding`]: what was changed, and the effect on verdicts.
//!
//! Invariant: they hold no byte of the file, so they are safe to print.

use std::collections::BTreeMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyType};
use robosieve::report::{Effect, FindingKind};

use crate::json;

/// One thing that was found in a file. It can be compared, hashed and pickled.
///
/// >>> robosieve.sieve("User-agent: *\nDisalow: /x\n", "MyBot").report.findings
/// [<Finding line 2: a misspelled directive was understood [field.typo]>]
#[pyclass(frozen, eq, from_py_object, module = "robosieve")]
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Finding(robosieve::report::Finding);

/// The names of effects.
const EFFECTS: [Effect; 4] = [Effect::None, Effect::MorePermissive, Effect::MoreRestrictive, Effect::Either];

/// The name of an effect in JSON.
pub(crate) const fn effect_name(effect: Effect) -> &'static str {
    match effect {
        Effect::None => "none",
        Effect::MorePermissive => "more-permissive",
        Effect::MoreRestrictive => "more-restrictive",
        Effect::Either => "either",
    }
}

#[pymethods]
impl Finding {
    #[new]
    #[pyo3(signature = (line, kind, effect="none"))]
    fn new(line: u32, kind: &str, effect: &str) -> PyResult<Self> {
        let unknown = |what: &str, name: &str| PyValueError::new_err(format!("there is no {what} {name:?}"));
        let known = FindingKind::ALL.iter().find(|known| known.as_str() == kind);
        let kind = *known.ok_or_else(|| unknown("kind", kind))?;
        let named = EFFECTS.into_iter().find(|known| effect_name(*known) == effect);
        let effect = named.ok_or_else(|| unknown("effect", effect))?;
        Ok(Self(robosieve::report::Finding::new(line, kind, effect)))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> (Bound<'py, PyType>, (u32, &'static str, &'static str)) {
        let own = slf.get();
        (slf.get_type(), (own.line(), own.kind(), own.effect()))
    }

    /// The line of the file, from 1.
    #[getter]
    const fn line(&self) -> u32 {
        self.0.line
    }

    /// What was found: a stable name, as in ``misspelled-directive``.
    #[getter]
    const fn kind(&self) -> &'static str {
        self.0.kind.as_str()
    }

    /// How much it matters: ``loss``, ``suspect``, ``repair``, ``ignored`` or ``note``.
    #[getter(severity)]
    const fn class(&self) -> &'static str {
        self.0.kind.class().as_str()
    }

    /// How it changes the result: ``more-permissive``, ``more-restrictive``, ``either`` or ``none``.
    #[getter]
    const fn effect(&self) -> &'static str {
        effect_name(self.0.effect)
    }

    /// The clause of the specification.
    #[getter]
    const fn clause(&self) -> &'static str {
        self.0.kind.clause()
    }

    /// What happened, for people.
    #[getter]
    const fn text(&self) -> &'static str {
        self.0.kind.text()
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.0.hash(&mut hasher);
        hasher.finish()
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __repr__(&self) -> String {
        format!("<Finding {}>", self.0)
    }
}

/// What was changed, and the effect on verdicts: counts of all findings, and the details of the first
/// ``max_findings``. It can be pickled and copied.
///
/// >>> report = robosieve.sieve("User-agent: *\nDisalow: /x\n", "MyBot").report
/// >>> report.exact, report.counts
/// (True, {'misspelled-directive': 1})
#[pyclass(frozen, module = "robosieve")]
pub(crate) struct Report(Kept);

/// A report of the library, or what a pickle had of one.
enum Kept {
    Report(Arc<robosieve::report::Report>),
    Copy(Box<Copied>),
}

/// What a report says.
#[derive(Clone, Debug, FromPyObject, IntoPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Copied {
    exact: bool,
    input: String,
    suspects: u64,
    more_permissive: u64,
    more_restrictive: u64,
    either: u64,
    counts: Vec<(String, u64)>,
    findings: Vec<Finding>,
    json: String,
    words: String,
}

impl Copied {
    fn of(report: &robosieve::report::Report) -> PyResult<Self> {
        Ok(Self {
            exact: report.is_exact(),
            input: report.input().as_str().into(),
            suspects: report.suspects(),
            more_permissive: report.losses(Effect::MorePermissive),
            more_restrictive: report.losses(Effect::MoreRestrictive),
            either: report.losses(Effect::Either),
            counts: report.counts().map(|(kind, count)| (kind.as_str().into(), count)).collect(),
            findings: report.details().iter().copied().map(Finding).collect(),
            json: json::text(report)?,
            words: report.to_string(),
        })
    }
}

impl Report {
    /// The report of a file that was filtered now.
    pub(crate) const fn new(report: Arc<robosieve::report::Report>) -> Self {
        Self(Kept::Report(report))
    }

    /// What the report says: of the library's own one, or of its copy.
    fn tell<T>(&self, own: impl Fn(&robosieve::report::Report) -> T, copy: impl Fn(&Copied) -> T) -> T {
        match &self.0 {
            Kept::Report(report) => own(report),
            Kept::Copy(copied) => copy(copied),
        }
    }

    fn losses(&self, effect: Effect, copy: impl Fn(&Copied) -> u64) -> u64 {
        self.tell(|report| report.losses(effect), copy)
    }
}

#[pymethods]
impl Report {
    /// Whether the text gives the same answer as the file for every URL: no loss has an effect.
    #[getter]
    fn exact(&self) -> bool {
        self.tell(robosieve::report::Report::is_exact, |copy| copy.exact)
    }

    /// What the file looks like: ``text``, ``empty``, ``html``, ``json``, ``utf-16`` and so on.
    #[getter]
    fn input(&self) -> &str {
        match &self.0 {
            Kept::Report(report) => report.input().as_str(),
            Kept::Copy(copied) => &copied.input,
        }
    }

    /// The number of suspects: lines that look like a rule and are none, and files that are no robots.txt.
    #[getter]
    fn suspects(&self) -> u64 {
        self.tell(robosieve::report::Report::suspects, |copy| copy.suspects)
    }

    /// The number of losses that may allow URLs that the file disallows.
    #[getter]
    fn more_permissive(&self) -> u64 {
        self.losses(Effect::MorePermissive, |copy| copy.more_permissive)
    }

    /// The number of losses that may disallow URLs that the file allows.
    #[getter]
    fn more_restrictive(&self) -> u64 {
        self.losses(Effect::MoreRestrictive, |copy| copy.more_restrictive)
    }

    /// The number of losses of which it is not known whether they permit more or less.
    #[getter]
    fn either(&self) -> u64 {
        self.losses(Effect::Either, |copy| copy.either)
    }

    /// The number of findings of each kind.
    #[getter]
    fn counts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let counts = PyDict::new(py);
        match &self.0 {
            Kept::Report(report) => {
                report.counts().try_for_each(|(kind, count)| counts.set_item(kind.as_str(), count))?;
            }
            Kept::Copy(copied) => copied.counts.iter().try_for_each(|(kind, count)| counts.set_item(kind, count))?,
        }
        Ok(counts)
    }

    /// The findings that are kept in detail, by line: a list of ``Finding``.
    #[getter]
    fn findings(&self) -> Vec<Finding> {
        self.tell(|report| report.details().iter().copied().map(Finding).collect(), |copy| copy.findings.clone())
    }

    /// The report as a dict of plain values: that of the command's JSON.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match &self.0 {
            Kept::Report(report) => json::object(py, report.as_ref()),
            Kept::Copy(copied) => json::loads(py, &copied.json),
        }
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (Copied,))> {
        let copied = match &self.0 {
            Kept::Report(report) => Copied::of(report)?,
            Kept::Copy(copied) => copied.as_ref().clone(),
        };
        Ok((py.import("robosieve._core")?.getattr("_report")?, (copied,)))
    }

    fn __str__(&self) -> String {
        self.tell(ToString::to_string, |copy| copy.words.clone())
    }

    fn __repr__(&self) -> String {
        let word = if self.exact() { "exact" } else { "not exact" };
        let count = |copy: &Copied| copy.counts.iter().fold(0_u64, |sum, (_, count)| sum.saturating_add(*count));
        format!("<Report {word}, findings: {}>", self.tell(robosieve::report::Report::total, count))
    }
}

/// For pickles: the report that says this.
#[pyfunction]
pub(crate) fn _report(copied: Copied) -> Report {
    Report(Kept::Copy(Box::new(copied)))
}

/// The class of each kind of finding.
#[pyfunction]
pub(crate) fn _finding_classes() -> BTreeMap<&'static str, &'static str> {
    FindingKind::ALL.iter().map(|kind| (kind.as_str(), kind.class().as_str())).collect()
}
