//! Data as plain Python values: dicts, lists, str, numbers.
//!
//! Invariant: they are those of the command's JSON, which is printable ASCII.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde::Serialize;

/// The JSON of data.
pub(crate) fn text(data: &impl Serialize) -> PyResult<String> {
    serde_json::to_string(data).map_err(|error| PyValueError::new_err(error.to_string()))
}

/// Data as Python's own reader of JSON returns them.
pub(crate) fn object<'py>(py: Python<'py>, data: &impl Serialize) -> PyResult<Bound<'py, PyAny>> {
    loads(py, &text(data)?)
}

/// JSON as Python values.
pub(crate) fn loads<'py>(py: Python<'py>, json: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import("json")?.call_method1("loads", (json,))
}
