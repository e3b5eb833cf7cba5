//! The errors of the module.
//!
//! Invariant: every error is a `TypeError` or a `ValueError`.

use pyo3::PyErr;
use pyo3::create_exception;
use pyo3::exceptions::{PyTypeError, PyValueError};
use robosieve_ask::{Wrong, WrongKind};

create_exception!(
    robosieve,
    Refused,
    PyValueError,
    "A file that exceeds a limit, with ``over_limit=\"refuse\"``; or one that cannot be widened, with \"widen\"."
);

/// As an exception.
pub(crate) fn wrong(wrong: Wrong) -> PyErr {
    match wrong.kind {
        WrongKind::Type => PyTypeError::new_err(wrong.message),
        WrongKind::Value => PyValueError::new_err(wrong.message),
        WrongKind::Refused => Refused::new_err(wrong.message),
    }
}

/// As an exception.
pub(crate) fn refused(refused: robosieve::settings::Refused) -> PyErr {
    Refused::new_err(refused.to_string())
}
