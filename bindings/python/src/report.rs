//! [`Report`] and [`Finding`]: what was changed, and the effect on verdicts.
//!
//! Invariant: they hold no byte of the file, so they are safe to print.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use pyo3::prelude::*;
use robosieve::report::Effect;

use crate::json;

/// One thing that was found in a file.
///
/// >>> robosieve.sieve("User-agent: *\nDisalow: /x\n", "MyBot").report.findings
/// [<Finding line 2: a misspelled directive was understood [field.typo]>]
#[pyclass(frozen, eq, module = "robosieve")]
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Finding(robosieve::report::Finding);

#[pymethods]
impl Finding {
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
        match self.0.effect {
            Effect::None => "none",
            Effect::MorePermissive => "more-permissive",
            Effect::MoreRestrictive => "more-restrictive",
            Effect::Either => "either",
        }
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
/// ``max_findings``.
///
/// >>> report = robosieve.sieve("User-agent: *\nDisalow: /x\n", "MyBot").report
/// >>> report.exact, report.counts
/// (True, {'misspelled-directive': 1})
#[pyclass(frozen, module = "robosieve")]
pub(crate) struct Report(pub(crate) robosieve::Report);

#[pymethods]
impl Report {
    /// Whether the text gives the same answer as the file for every URL: no loss has an effect.
    #[getter]
    fn exact(&self) -> bool {
        self.0.is_exact()
    }

    /// What the file looks like: ``text``, ``empty``, ``html``, ``json``, ``utf-16`` and so on.
    #[getter]
    fn input(&self) -> &'static str {
        self.0.input().as_str()
    }

    /// The number of suspects: lines that look like a rule and are none, and files that are no robots.txt.
    #[getter]
    fn suspects(&self) -> u64 {
        self.0.suspects()
    }

    /// The number of losses that may allow URLs that the file disallows.
    #[getter]
    fn more_permissive(&self) -> u64 {
        self.0.losses(Effect::MorePermissive)
    }

    /// The number of losses that may disallow URLs that the file allows.
    #[getter]
    fn more_restrictive(&self) -> u64 {
        self.0.losses(Effect::MoreRestrictive)
    }

    /// The number of losses of which it is not known whether they permit more or less.
    #[getter]
    fn either(&self) -> u64 {
        self.0.losses(Effect::Either)
    }

    /// The number of findings of each kind.
    #[getter]
    fn counts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, pyo3::types::PyDict>> {
        let counts = pyo3::types::PyDict::new(py);
        for (kind, count) in self.0.counts() {
            counts.set_item(kind.as_str(), count)?;
        }
        Ok(counts)
    }

    /// The findings that are kept in detail, by line: a list of ``Finding``.
    #[getter]
    fn findings(&self) -> Vec<Finding> {
        self.0.details().iter().copied().map(Finding).collect()
    }

    /// The report as a dict of plain values: that of the command's JSON.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        json::object(py, &self.0)
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __repr__(&self) -> String {
        let word = if self.0.is_exact() { "exact" } else { "not exact" };
        format!("<Report {word}, findings: {}>", self.0.total())
    }
}
