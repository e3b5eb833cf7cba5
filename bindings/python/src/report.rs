//! A report as the dataclass `robosieve.Report`: what was changed, and the effect on verdicts.
//!
//! Invariant: it holds no byte of the file, so it is safe to print.

use pyo3::prelude::*;
use robosieve::report::{Finding, Report};

use crate::json;
use crate::values::tuple;

/// `Report`, made of the command's JSON, the words of the findings, and its own.
pub(crate) fn report<'py>(py: Python<'py>, report: &Report) -> PyResult<Bound<'py, PyAny>> {
    let words = |finding: &Finding| {
        let kind = finding.kind;
        (kind.class().as_str(), kind.clause(), kind.text(), finding.to_string())
    };
    let findings: Vec<_> = report.details().iter().map(words).collect();
    tuple(py, "Report")?.call_method1("_of", (json::object(py, report)?, findings, report.to_string()))
}
