//! The errors of the module.
//!
//! Invariant: every error is a `TypeError` or a `ValueError`.

use pyo3::PyErr;
use pyo3::create_exception;
use pyo3::exceptions::{PyTypeError, PyValueError};
use robosieve_ask::Problem;

create_exception!(
    robosieve,
    Refused,
    PyValueError,
    "A file that exceeds a limit, with ``over_limit=\"refuse\"``; or one that cannot be widened, with \"widen\"."
);

/// As an exception.
pub(crate) fn wrong(problem: Problem) -> PyErr {
    match problem.kind {
        "refused" => Refused::new_err(problem.message),
        _ if problem.is_value => PyValueError::new_err(problem.message),
        _ => PyTypeError::new_err(problem.message),
    }
}

/// As an exception.
pub(crate) fn refused(refused: robosieve::settings::Refused) -> PyErr {
    Refused::new_err(refused.to_string())
}
