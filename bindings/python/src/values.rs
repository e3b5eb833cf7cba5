//! What the library says as Python's values: JSON, and the types of `robosieve._values`.
//!
//! Invariant: JSON is that of the command, which is printable ASCII, and no byte of a file is in a report. Times are
//! `datetime.time`, without a zone: they are in UTC. 24:00 is the last moment of the day.

use std::collections::HashMap;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyTuple, PyType};
use robosieve::report::{Finding, Report};
use robosieve::values::{ContentUse, RequestRate, VisitTime};
use serde::Serialize;

/// Data as Python's own reader of JSON returns them: dicts, lists, str, numbers.
pub(crate) fn object<'py>(py: Python<'py>, data: &impl Serialize) -> PyResult<Bound<'py, PyAny>> {
    loads(py, &serde_json::to_string(data).map_err(|error| PyValueError::new_err(error.to_string()))?)
}

/// JSON as Python values.
pub(crate) fn loads<'py>(py: Python<'py>, json: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import("json")?.call_method1("loads", (json,))
}

/// `Report`, made of the command's JSON, the words of the findings, and its own.
pub(crate) fn report<'py>(py: Python<'py>, report: &Report) -> PyResult<Bound<'py, PyAny>> {
    let words = |finding: &Finding| {
        let kind = finding.kind;
        (kind.class().as_str(), kind.clause(), kind.text(), finding.to_string())
    };
    let findings: Vec<_> = report.details().iter().map(words).collect();
    tuple(py, "Report")?.call_method1("_of", (object(py, report)?, findings, report.to_string()))
}

/// `RequestRate(requests, seconds, start_time, end_time)`.
pub(crate) fn request_rate<'py>(py: Python<'py>, rate: &RequestRate) -> PyResult<Bound<'py, PyAny>> {
    let from = rate.hours.map(|hours| time(py, hours.from)).transpose()?;
    let to = rate.hours.map(|hours| time(py, hours.to)).transpose()?;
    tuple(py, "RequestRate")?.call1((rate.pages, rate.seconds, from, to))
}

/// `VisitTime(start_time, end_time)`.
pub(crate) fn visit_time(py: Python<'_>, hours: VisitTime) -> PyResult<Bound<'_, PyAny>> {
    tuple(py, "VisitTime")?.call1((time(py, hours.from)?, time(py, hours.to)?))
}

/// `ContentUse(path, uses)`.
pub(crate) fn content_use<'py>(py: Python<'py>, content: &ContentUse) -> PyResult<Bound<'py, PyAny>> {
    tuple(py, "ContentUse")?.call1((&content.path, uses(py, content)?))
}

/// Whether each use is allowed that lines say something about (`[usage.path]`): not if one of them says so. Cost: each use
/// is looked at once, for any number of lines.
pub(crate) fn combined<'py>(py: Python<'py>, lines: &[ContentUse]) -> PyResult<Bound<'py, PyDict>> {
    let mut said: HashMap<&str, bool> = HashMap::new();
    for line in lines {
        // Of two equal names in a line, the last counts.
        let last: HashMap<&str, Option<bool>> =
            line.uses.iter().map(|one| (one.name.as_str(), one.is_allowed())).collect();
        for (name, is_allowed) in last {
            if let Some(is_allowed) = is_allowed {
                said.entry(name).and_modify(|known| *known &= is_allowed).or_insert(is_allowed);
            }
        }
    }
    let dict = PyDict::new(py);
    // In the order of the file.
    for one in lines.iter().flat_map(|line| &line.uses) {
        if let Some(is_allowed) = said.remove(one.name.as_str()) {
            dict.set_item(&one.name, is_allowed)?;
        }
    }
    Ok(dict)
}

/// The uses of a line in a dict.
fn uses<'py>(py: Python<'py>, content: &ContentUse) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    for one in &content.uses {
        dict.set_item(&one.name, &one.value)?;
    }
    Ok(dict)
}

/// A type of `robosieve._values`.
pub(crate) fn tuple<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import("robosieve._values")?.getattr(name)
}

fn time(py: Python<'_>, minute: u16) -> PyResult<Bound<'_, PyAny>> {
    static TIME: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let arguments = match minute {
        0..1_440 => PyTuple::new(py, [u32::from(minute / 60), u32::from(minute % 60)]),
        _ => PyTuple::new(py, [23_u32, 59, 59, 999_999]),
    };
    TIME.import(py, "datetime", "time")?.call1(arguments?)
}
