//! The header lines of a response, as callers have them.
//!
//! Invariant: each line stays a line of its own, in the order given. Names and values are any bytes.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyDict, PyList, PyString, PyTuple};
use robosieve_signals::{Limits, Page};

use crate::input::{bytes_of, type_name};

/// A line: a name and a value.
pub(crate) type Line = (Vec<u8>, Vec<u8>);

/// What callers give as the headers of a page: lines, or a head as it came.
#[derive(Default)]
pub(crate) struct Given {
    head: Option<Vec<u8>>,
    lines: Vec<Line>,
    /// Whether each value may be that of several lines: a mapping has one for each name.
    is_joined: bool,
}

impl Given {
    /// Reads them. No more is taken than is read, and one more, so that what is cut is known.
    pub(crate) fn read(headers: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let Some(headers) = headers else { return Ok(Self::default()) };
        if !is_text(headers) {
            let lines = lines(headers, Limits::DEFAULT.max_lines.saturating_add(1))?;
            return Ok(Self { head: None, lines, is_joined: headers.is_instance_of::<PyDict>() });
        }
        let head = bytes_of("the headers", headers)?;
        let front = head.get(..Limits::DEFAULT.max_head_bytes.saturating_add(1)).unwrap_or(&head);
        Ok(Self { head: Some(front.to_vec()), ..Self::default() })
    }

    /// A page with these headers, too.
    pub(crate) fn of<'p>(&'p self, page: Page<'p>) -> Page<'p> {
        let page = if let Some(head) = &self.head { page.head(head) } else { page };
        let add = |page: Page<'p>, (name, value): &'p Line| {
            if self.is_joined { page.joined_header(name, value) } else { page.header(name, value) }
        };
        self.lines.iter().fold(page, add)
    }
}

/// Whether an object is a text, and no list of anything.
fn is_text(object: &Bound<'_, PyAny>) -> bool {
    object.is_instance_of::<PyString>()
        || object.is_instance_of::<PyBytes>()
        || object.is_instance_of::<PyByteArray>()
        || object.is_instance_of::<pyo3::types::PyMemoryView>()
}

/// The lines of a mapping, or of pairs, the first of them. A value may be a list of values: a line for each.
pub(crate) fn lines(headers: &Bound<'_, PyAny>, most: usize) -> PyResult<Vec<Line>> {
    let is_mapping = headers.is_instance_of::<PyDict>() || headers.hasattr("items")?;
    let pairs = if is_mapping { headers.call_method0("items")? } else { headers.clone() };
    if is_text(headers) || pairs.try_iter().is_err() {
        let found = type_name(&headers.get_type());
        return Err(PyTypeError::new_err(format!(
            "headers must be a mapping, or pairs of name and value, not {found}"
        )));
    }
    let mut lines = Vec::new();
    for pair in pairs.try_iter()? {
        let (name, value) = pair_of(&pair?)?;
        let name = bytes_of("a header's name", &name)?.into_owned();
        if value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() {
            for value in value.try_iter()? {
                lines.push((name.clone(), bytes_of("a header's value", &value?)?.into_owned()));
            }
        } else {
            lines.push((name, bytes_of("a header's value", &value)?.into_owned()));
        }
        if lines.len() >= most {
            break;
        }
    }
    Ok(lines)
}

fn pair_of<'py>(pair: &Bound<'py, PyAny>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
    let is_pair = (pair.is_instance_of::<PyTuple>() || pair.is_instance_of::<PyList>()) && pair.len()? == 2;
    if is_pair {
        return Ok((pair.get_item(0)?, pair.get_item(1)?));
    }
    let found = type_name(&pair.get_type());
    Err(PyTypeError::new_err(format!("a header must be a pair of a name and a value, not {found}")))
}
