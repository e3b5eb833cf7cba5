//! The errors of the module.
//!
//! Invariant: every error is a `TypeError` or a `ValueError`.

use pyo3::PyErr;
use pyo3::create_exception;
use pyo3::exceptions::PyValueError;

create_exception!(
    robosieve,
    Refused,
    PyValueError,
    "A file that exceeds a limit, with ``over_limit=\"refuse\"``; or one that cannot be widened, with \"widen\"."
);

/// As an exception.
pub(crate) fn refused(refused: robosieve::Refused) -> PyErr {
    Refused::new_err(refused.to_string())
}
