//! The agents that a caller asks for.
//!
//! Invariant: a name, or a whole `User-Agent` header, is read as the library reads it. Exchanged arguments open nothing:
//! a URL is no agent.

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyIterator, PySequence, PyString};
use robosieve::Agents;
use robosieve::settings::Agent;

use crate::input::{bytes_of, type_name};

/// The names of agents, as given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Names(Vec<Vec<u8>>);

impl Names {
    /// A name, or several, the preferred first.
    pub(crate) fn read(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        let is_one = object.is_instance_of::<PyString>()
            || object.is_instance_of::<PyBytes>()
            || object.is_instance_of::<PyByteArray>();
        if is_one {
            return Ok(Self(vec![name_of(object)?]));
        }
        // What has no order would make the answer depend on the run, and a column has an agent for each row.
        if object.cast::<PySequence>().is_err() && object.cast::<PyIterator>().is_err() {
            let found = type_name(&object.get_type());
            return Err(PyTypeError::new_err(format!(
                "agents must be a name (str or bytes) or a list of names, the preferred first, not {found}"
            )));
        }
        let names = object.try_iter()?.map(|name| name_of(&name?)).collect::<PyResult<Vec<_>>>()?;
        if names.is_empty() {
            return Err(PyValueError::new_err("name an agent: your crawler's product token, as in \"MyBot\""));
        }
        Ok(Self(names))
    }

    /// The name in a row of a column.
    pub(crate) fn of_row(name: &[u8]) -> Result<Self, String> {
        wrong(name).map_or_else(|| Ok(Self(vec![name.to_vec()])), |why| Err(why.into()))
    }

    /// The agents that the names are of.
    pub(crate) fn agents(&self) -> Agents {
        self.0.iter().map(Agent::new).collect()
    }
}

fn name_of(object: &Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
    let name = bytes_of("an agent", object)?.into_owned();
    wrong(&name).map_or(Ok(name), |why| Err(PyValueError::new_err(why)))
}

/// What is wrong with a name.
fn wrong(name: &[u8]) -> Option<&'static str> {
    if name.trim_ascii().is_empty() {
        return Some("an agent is empty: name your crawler's product token, as in \"MyBot\"");
    }
    // In urllib.robotparser the agent comes first.
    let is_url = [&b"/"[..], b"http://", b"https://"].iter().any(|start| name.starts_with(start));
    is_url.then_some("an agent is a URL: the URL comes first, then the agent, as in can_fetch(url, \"MyBot\")")
}
