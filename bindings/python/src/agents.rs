//! The agents that a caller asks for.
//!
//! Invariant: a name, or a whole `User-Agent` header, is read as the library reads it (`[python.agents]`).

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyString};
use robosieve::{Agent, Agents};
use robosieve_ask::Plan;
use robosieve_explain::Groups;

use crate::input::{bytes_of, type_name};

/// The names of agents, as given.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
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
        let names = object.try_iter().map_err(|_| {
            let found = type_name(&object.get_type());
            PyTypeError::new_err(format!("agents must be a name (str or bytes) or several, not {found}"))
        })?;
        let names = names.map(|name| name_of(&name?)).collect::<PyResult<Vec<_>>>()?;
        if names.is_empty() {
            return Err(PyValueError::new_err("name an agent: your crawler's product token, as in \"MyBot\""));
        }
        Ok(Self(names))
    }

    /// The names, as given.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &[u8]> {
        self.0.iter().map(Vec::as_slice)
    }

    /// The agents that the names are of.
    pub(crate) fn agents(&self) -> Agents {
        self.0.iter().map(Agent::new).collect()
    }

    /// Whose groups apply to the agents.
    pub(crate) fn groups(&self, plan: &Plan) -> Groups {
        plan.names().groups(self.agents()).fallback(plan.fallback)
    }
}

fn name_of(object: &Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
    let name = bytes_of("an agent", object)?.into_owned();
    if name.trim_ascii().is_empty() {
        return Err(PyValueError::new_err("an agent is empty: name your crawler's product token, as in \"MyBot\""));
    }
    if is_url(&name) {
        return Err(PyValueError::new_err(
            "an agent looks like a URL: the URL comes first, then the agent, as in can_fetch(url, \"MyBot\")",
        ));
    }
    Ok(name)
}

/// Whether the arguments were probably exchanged.
fn is_url(name: &[u8]) -> bool {
    [&b"/"[..], b"http://", b"https://"].iter().any(|start| name.starts_with(start))
}
