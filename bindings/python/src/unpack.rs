//! [`unpack`]: files that are packed with gzip or zstd.
//!
//! Invariant: bytes that are known to be wrong are an error, never a file. A part of a file stays one: what is given back
//! to the functions of this module is read as a part, with any options.

use std::borrow::Cow;

use pyo3::create_exception;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyDict, PyString, PyType};
use robosieve_batch::stream::BEYOND;
use robosieve_batch::unpack::unpack_bytes;

use crate::input::bytes_of;
use crate::values::tuple;

create_exception!(
    robosieve,
    UnpackError,
    PyValueError,
    "A packed file that cannot be unpacked: its bytes are known to be wrong."
);

/// The content of a file, as much as is read of it, and whether it does not end early; or why it is not known.
pub(crate) fn unpacked(bytes: &[u8], max_bytes: usize) -> Result<(Cow<'_, [u8]>, bool), String> {
    let content = unpack_bytes(Cow::Borrowed(bytes), max_bytes).map_err(|error| error.to_string())?;
    let is_whole = content.is_whole();
    Ok((content.bytes, is_whole))
}

/// Unpacks a file that is packed with gzip or zstd. Other bytes are returned as they are.
///
/// Args:
///     body: The file: bytes, any buffer, or str.
///     max_bytes: The most bytes that are unpacked, and 16 more: give the limit with which the file is read.
///
/// Returns:
///     An ``Unpacked``. Give it, or its ``bytes``, to ``sieve``, ``Robots`` and the others: if it is not ``complete``, it
///     is read as a part of a file, which allows no more than the whole.
///
/// Raises:
///     UnpackError: If the bytes are known to be wrong: by their checksum, for example.
///
/// >>> import gzip
/// >>> packed = gzip.compress(b"User-agent: *\nDisallow: /cart\n")
/// >>> robosieve.unpack(packed)
/// Unpacked(bytes=b'User-agent: *\nDisallow: /cart\n', complete=True)
/// >>> robosieve.Robots.parse(robosieve.unpack(packed[:14])).can_fetch("/", "MyBot")
/// False
#[pyfunction]
#[pyo3(signature = (body, *, max_bytes=512_000))]
pub(crate) fn unpack<'py>(body: &Bound<'py, PyAny>, max_bytes: usize) -> PyResult<Bound<'py, PyAny>> {
    let py = body.py();
    let bytes = bytes_of("the file", body)?;
    let (content, is_whole) = py.detach(|| unpacked(&bytes, max_bytes)).map_err(UnpackError::new_err)?;
    // There may be more of what fills all the room.
    let is_whole =
        is_whole && (matches!(content, Cow::Borrowed(_)) || content.len() < max_bytes.saturating_add(BEYOND));
    let content = PyBytes::new(py, &content).into_any();
    let content = if is_whole { content } else { tuple(py, "Part")?.call1((content,))? };
    tuple(py, "Unpacked")?.call1((content, is_whole))
}

/// A file, and the options with which it is read: those given, or for a part also `complete=False`.
pub(crate) fn opened<'py>(
    body: &Bound<'py, PyAny>,
    options: Option<&Bound<'py, PyDict>>,
) -> PyResult<(Bound<'py, PyAny>, Option<Bound<'py, PyDict>>)> {
    static TYPES: PyOnceLock<(Py<PyType>, Py<PyType>)> = PyOnceLock::new();
    let (py, given) = (body.py(), options.cloned());
    if body.is_exact_instance_of::<PyBytes>() || body.is_exact_instance_of::<PyString>() {
        return Ok((body.clone(), given));
    }
    let of = |name: &str| Ok::<_, PyErr>(tuple(py, name)?.cast::<PyType>()?.clone().unbind());
    let (unpacked, part) = TYPES.get_or_try_init(py, || Ok::<_, PyErr>((of("Unpacked")?, of("Part")?)))?;
    let (body, is_whole) = if body.is_instance(unpacked.bind(py))? {
        (body.getattr("bytes")?, body.getattr("complete")?.is_truthy()?)
    } else {
        (body.clone(), true)
    };
    if is_whole && !body.is_instance(part.bind(py))? {
        return Ok((body, given));
    }
    let options = given.map_or_else(|| Ok(PyDict::new(py)), |given| given.copy())?;
    options.set_item("complete", false)?;
    Ok((body, Some(options)))
}
