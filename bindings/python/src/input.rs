//! Bytes from Python objects.
//!
//! Invariant: every `str`, `bytes` and buffer is accepted, with any content. Any other object is a `TypeError`.

use std::borrow::Cow;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyByteArray, PyBytes, PyMemoryView, PyString};

/// The bytes of an object. A `str` is encoded in UTF-8. Nothing is copied of `bytes` and of a `str` in UTF-8.
pub(crate) fn bytes_of<'a>(what: &str, object: &'a Bound<'_, PyAny>) -> PyResult<Cow<'a, [u8]>> {
    if let Ok(text) = object.cast::<PyString>() {
        return text.to_str().map_or_else(|_| encoded(text), |text| Ok(Cow::Borrowed(text.as_bytes())));
    }
    if let Ok(bytes) = object.cast::<PyBytes>() {
        return Ok(Cow::Borrowed(bytes.as_bytes()));
    }
    if let Ok(bytes) = object.cast::<PyByteArray>() {
        return Ok(Cow::Owned(bytes.to_vec()));
    }
    let view = PyMemoryView::from(object).map_err(|error| {
        // A buffer that cannot be read now, as a memoryview that was released, says so.
        if !error.is_instance_of::<PyTypeError>(object.py()) {
            return error;
        }
        let found = object.get_type();
        let has = |name: &str| object.hasattr(name).unwrap_or(false);
        let advice = match (has("read_bytes"), has("read")) {
            (true, _) => ": write path.read_bytes()",
            (false, true) => ": open it with \"rb\", and write file.read()",
            _ => "",
        };
        PyTypeError::new_err(format!("{what} must be bytes or str, not {}{advice}", type_name(&found)))
    })?;
    let bytes = view.call_method0("tobytes")?;
    Ok(Cow::Owned(bytes.cast::<PyBytes>()?.as_bytes().to_vec()))
}

/// The bytes to keep: the object itself if all of its bytes are read, or else a copy.
pub(crate) fn owned(py: Python<'_>, object: &Bound<'_, PyAny>, read: &[u8]) -> PyBackedBytes {
    match object.cast_exact::<PyBytes>() {
        Ok(whole) if whole.as_bytes().len() == read.len() => whole.clone().into(),
        _ => PyBytes::new(py, read).into(),
    }
}

/// A `str` with lone surrogates. Those that `surrogateescape` made from bytes become these bytes again. Others are
/// encoded like characters, so that no two texts become the same bytes.
fn encoded(text: &Bound<'_, PyString>) -> PyResult<Cow<'static, [u8]>> {
    let with = |errors: &str| text.call_method1("encode", ("utf-8", errors));
    let bytes = with("surrogateescape").or_else(|_| with("surrogatepass"))?;
    Ok(Cow::Owned(bytes.cast::<PyBytes>()?.as_bytes().to_vec()))
}

/// The name of a type, for messages.
pub(crate) fn type_name(found: &Bound<'_, pyo3::types::PyType>) -> String {
    found.name().map(|name| name.to_string()).unwrap_or_default()
}
