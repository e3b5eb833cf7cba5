//! [`explain`], [`lint`] and [`diff`]: what a file means, what is wrong with it, and what changed.
//!
//! Invariant: the results are those of the command's `--json`, without the file's name.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use robosieve_ask::Problem;

use crate::agents::Names;
use crate::error::wrong;
use crate::input::bytes_of;
use crate::options::Settings;
use crate::unpack::opened;
use crate::values;

/// An answer as Python values.
fn values(py: Python<'_>, answer: impl FnOnce() -> Result<String, Problem> + Send) -> PyResult<Bound<'_, PyAny>> {
    values::loads(py, &py.detach(answer).map_err(wrong)?)
}

/// Explains a file line by line: what each line means, whether it applies to the agents, and what was found on it.
///
/// Args:
///     body: The file: bytes, any buffer, or str.
///     agents: As for ``sieve``. None explains what the file says to all agents.
///     **options: How the file is read; see ``robosieve.Options``.
///
/// Raises:
///     TypeError, ValueError: As ``sieve``. A file that is refused raises nothing; the result says so.
///
/// >>> page = robosieve.explain("User-agent: *\nDisalow: tmp", "MyBot")
/// >>> page["lines"][1]["meaning"]
/// {'is': 'rule', 'kind': 'disallow', 'pattern': '/tmp', 'as_written': False}
#[pyfunction]
#[pyo3(signature = (body, agents=None, **options))]
pub(crate) fn explain<'py>(
    body: &Bound<'py, PyAny>,
    agents: Option<&Bound<'py, PyAny>>,
    options: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = body.py();
    let names = agents.map(Names::read).transpose()?;
    let (body, options) = opened(body, options)?;
    let settings = Settings::read(options.as_ref())?;
    let bytes = bytes_of("the file", &body)?;
    let (plan, read) = (settings.plan_for(names.as_ref()), settings.read_part(&bytes));
    values(py, || robosieve_ask::explain(&plan, read, None, false))
}

/// Tells the owner of a file which lines do not do what they seem to, and what to write instead.
///
/// Args:
///     body: The file: bytes, any buffer, or str.
///     **options: How the file is read; see ``robosieve.Options``.
///
/// Raises:
///     TypeError, ValueError: As ``sieve``.
///
/// >>> found = robosieve.lint("User-agent: *\nDisallow: https://example.com/private/")["lints"][0]
/// >>> found["kind"], found["line"], found["fix"]["lines"], found["fix"]["safe"]
/// ('url-in-rule', 2, ['Disallow: /private/'], False)
#[pyfunction]
#[pyo3(signature = (body, **options))]
pub(crate) fn lint<'py>(body: &Bound<'py, PyAny>, options: Option<&Bound<'py, PyDict>>) -> PyResult<Bound<'py, PyAny>> {
    let py = body.py();
    let (body, options) = opened(body, options)?;
    let settings = Settings::read(options.as_ref())?;
    let bytes = bytes_of("the file", &body)?;
    let read = settings.read_part(&bytes);
    values(py, || robosieve_ask::lint(&settings.plan, read, None))
}

/// Compares what two files say to the agents: changed rules, each with a URL that shows the change.
///
/// Args:
///     old: The older file: bytes, any buffer, or str.
///     new: The newer file.
///     agents: As for ``sieve``.
///     **options: How the files are read; see ``robosieve.Options``.
///
/// Raises:
///     TypeError, ValueError: As ``sieve``.
///
/// >>> changed = robosieve.diff("User-agent: *\nDisallow: /a", "User-agent: *\nDisallow: /b", "MyBot")
/// >>> changed["same"], [(flip["path"], flip["allowed"]) for flip in changed["flips"]]
/// (False, [('/b', False), ('/a', True)])
#[pyfunction]
#[pyo3(signature = (old, new, agents, **options))]
pub(crate) fn diff<'py>(
    old: &Bound<'py, PyAny>,
    new: &Bound<'py, PyAny>,
    agents: &Bound<'py, PyAny>,
    options: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = old.py();
    let names = Names::read(agents)?;
    // If one of them is a part, both are read as one.
    let (old, options) = opened(old, options)?;
    let (new, options) = opened(new, options.as_ref())?;
    let settings = Settings::read(options.as_ref())?;
    let (old, new) = (bytes_of("the older file", &old)?, bytes_of("the newer file", &new)?);
    let (old, new) = (settings.read_part(&old), settings.read_part(&new));
    let plan = settings.plan_for(Some(&names));
    values(py, || robosieve_ask::diff(&plan, old, new))
}
