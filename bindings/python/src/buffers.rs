//! Columns of Arrow that are written: values in, buffers out.
//!
//! Invariant: a column is the buffers and the children that the Arrow format describes, so no Arrow library is needed.
//! All columns of a table have the same number of rows.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyTuple};

/// A finished column: rows, validity and other buffers, children.
pub(crate) struct Node {
    rows: usize,
    buffers: Vec<Option<Vec<u8>>>,
    children: Vec<Self>,
}

impl Node {
    /// A struct of columns. Without validity, no row is null.
    pub(crate) fn of_fields(rows: usize, validity: Option<Bits>, fields: impl IntoIterator<Item = Self>) -> Self {
        Self { rows, buffers: vec![validity.map(|bits| bits.bytes)], children: fields.into_iter().collect() }
    }

    /// `(rows, buffers, children)`, with a child as the same.
    pub(crate) fn into_python(self, py: Python<'_>) -> PyResult<Bound<'_, PyTuple>> {
        let buffers = self.buffers.into_iter().map(|buffer| buffer.map(|buffer| PyBytes::new(py, &buffer)));
        let children = self.children.into_iter().map(|child| child.into_python(py)).collect::<PyResult<Vec<_>>>()?;
        (self.rows, PyList::new(py, buffers.collect::<Vec<_>>())?, PyList::new(py, children)?).into_pyobject(py)
    }
}

/// Bits, the first in the lowest place of a byte.
#[derive(Default)]
pub(crate) struct Bits {
    bytes: Vec<u8>,
    length: usize,
}

impl Bits {
    pub(crate) fn push(&mut self, bit: bool) {
        if self.length.is_multiple_of(8) {
            self.bytes.push(0);
        }
        if let Some(last) = self.bytes.last_mut() {
            *last |= u8::from(bit) << (self.length % 8);
        }
        self.length = self.length.saturating_add(1);
    }
}

/// The offsets of a column: where each row ends.
struct Offsets(Vec<u8>);

impl Offsets {
    fn new() -> Self {
        Self(0_i32.to_le_bytes().to_vec())
    }

    fn push(&mut self, end: usize) -> PyResult<()> {
        let end = i32::try_from(end).map_err(|_| {
            PyValueError::new_err("the texts of a column have more than 2 GiB: pass fewer rows at once")
        })?;
        self.0.extend_from_slice(&end.to_le_bytes());
        Ok(())
    }
}

/// A column of texts.
pub(crate) struct Texts {
    valid: Bits,
    offsets: Offsets,
    data: Vec<u8>,
}

impl Texts {
    pub(crate) fn new() -> Self {
        Self { valid: Bits::default(), offsets: Offsets::new(), data: Vec::new() }
    }

    pub(crate) fn push(&mut self, text: Option<&str>) -> PyResult<()> {
        self.valid.push(text.is_some());
        self.data.extend_from_slice(text.unwrap_or_default().as_bytes());
        self.offsets.push(self.data.len())
    }

    pub(crate) fn finish(self) -> Node {
        let buffers = vec![Some(self.valid.bytes), Some(self.offsets.0), Some(self.data)];
        Node { rows: self.valid.length, buffers, children: Vec::new() }
    }
}

/// A column of numbers.
#[derive(Default)]
pub(crate) struct Numbers {
    valid: Bits,
    values: Vec<u8>,
}

impl Numbers {
    /// A count, as a number with a sign: Spark has no other.
    pub(crate) fn push(&mut self, number: Option<u64>) {
        self.valid.push(number.is_some());
        let number = number.map_or(0, |number| i32::try_from(number).unwrap_or(i32::MAX));
        self.values.extend_from_slice(&number.to_le_bytes());
    }

    pub(crate) fn finish(self) -> Node {
        Node { rows: self.valid.length, buffers: vec![Some(self.valid.bytes), Some(self.values)], children: Vec::new() }
    }
}

/// A column of truth values.
#[derive(Default)]
pub(crate) struct Truths {
    valid: Bits,
    values: Bits,
}

impl Truths {
    pub(crate) fn push(&mut self, value: Option<bool>) {
        self.valid.push(value.is_some());
        self.values.push(value.unwrap_or(false));
    }

    pub(crate) fn finish(self) -> Node {
        let buffers = vec![Some(self.valid.bytes), Some(self.values.bytes)];
        Node { rows: self.valid.length, buffers, children: Vec::new() }
    }
}
