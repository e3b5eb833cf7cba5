//! The options that most functions take: how a file is read.
//!
//! Invariant: the names are those of the table of options. An option that was not given is the dialect's. A name that
//! does not exist is a `TypeError`, a value that does not exist a `ValueError`.

use std::sync::{Arc, OnceLock};

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyInt, PyMapping, PyString};
use robosieve::policy::Parser;
use robosieve::settings::{Limits, Options};
use robosieve::Sieve;
use robosieve_ask::{Door, Given, Kind, Plan, SETTINGS, Setting, Settings as Made, Wrong};
use robosieve_batch::Filter;
use robosieve_explain::Groups;

use crate::agents::Names;
use crate::error;

/// How files are read.
#[derive(Debug)]
pub(crate) struct Settings {
    pub(crate) plan: Plan,
    /// For verdicts about any agent.
    pub(crate) parser: Parser,
    /// Whether the caller wants details of findings.
    has_details: bool,
}

/// The same options, for reports of which only the counts are used.
fn without_details(options: &Options) -> Options {
    Options { max_details: 0, ..options.clone() }
}

impl Settings {
    /// Reads the keyword arguments of a function.
    pub(crate) fn read(given: Option<&Bound<'_, PyDict>>) -> PyResult<Arc<Self>> {
        static DEFAULT: OnceLock<Arc<Settings>> = OnceLock::new();
        match (given, DEFAULT.get()) {
            (None, Some(default)) => Ok(Arc::clone(default)),
            (None, None) => {
                let default = Arc::new(Self::of(&Made::default())?);
                Ok(Arc::clone(DEFAULT.get_or_init(|| default)))
            }
            (Some(given), _) => Self::of(&read(given)?).map(Arc::new),
        }
    }

    fn of(made: &Made) -> PyResult<Self> {
        let plan = Plan::new(made).map_err(error::wrong)?;
        let parser = Parser::new(without_details(&plan.verdicts));
        Ok(Self { plan, parser, has_details: made.has("max_findings") })
    }

    /// The same for a file of which only a part is there.
    pub(crate) fn of_part(&self) -> Self {
        let plan = self.plan.clone().incomplete();
        Self { parser: Parser::new(without_details(&plan.verdicts)), plan, has_details: self.has_details }
    }

    /// The plan for these agents; for all groups if there are none.
    pub(crate) fn plan_for(&self, agents: Option<&Names>) -> Plan {
        self.plan.clone().for_agents(agents.map(Names::agents))
    }

    /// A sieve for reports of which only the counts are used.
    pub(crate) fn sieve_without_details(&self, agents: Option<&Names>) -> Sieve {
        let plan = self.plan_for(agents);
        Plan { options: without_details(&plan.options), ..plan }.sieve()
    }

    /// The same for archives. Reports have no details unless the caller asks for them, as those of the command.
    pub(crate) fn filter(&self, agents: Option<&Names>) -> Filter {
        let plan = self.plan_for(agents);
        let filter = if plan.all_agents { Filter::all_agents() } else { Filter::for_agents(&plan.groups) };
        let options = if self.has_details { plan.options.clone() } else { without_details(&plan.options) };
        filter.options(options).form(plan.form).newline(plan.newline)
    }

    /// Whose groups verdicts are by; those of all others if no agents are named.
    pub(crate) fn groups(&self, agents: Option<&Names>) -> Groups {
        agents.map_or_else(|| self.plan.groups.clone(), |agents| agents.groups(&self.plan))
    }

    /// The bytes of a file that can matter: those that are read, and some more, so that a cut is noticed.
    pub(crate) fn read_part<'b>(&self, body: &'b [u8]) -> &'b [u8] {
        /// A byte order mark, a line end, and another character of UTF-32.
        const MORE: usize = 16;
        body.get(..self.plan.max_bytes().saturating_add(MORE)).unwrap_or(body)
    }
}

/// Reads the keyword arguments. `None` is an option that was not given.
fn read(given: &Bound<'_, PyDict>) -> PyResult<Made> {
    let mut made = Made::default();
    for (name, value) in given.iter() {
        let name = name.to_string();
        match name.as_str() {
            "limits" if value.is_none() => {}
            "limits" => limits(&value, &mut made)?,
            name if Limits::NAMES.contains(&name) => return Err(missing("option", name, false)),
            name if setting(name).is_some() && value.is_none() => {}
            name => set(&mut made, name, &value).transpose()?.ok_or_else(|| missing("option", name, false))?,
        }
    }
    Ok(made)
}

fn limits(given: &Bound<'_, PyAny>, made: &mut Made) -> PyResult<()> {
    let given = given.cast::<PyMapping>().map_err(|_| PyTypeError::new_err("limits must be a mapping"))?;
    for item in given.items()?.try_iter()? {
        let (name, value): (Bound<'_, PyAny>, Bound<'_, PyAny>) = item?.extract()?;
        let name = name.to_string();
        let set = if Limits::NAMES.contains(&name.as_str()) { set(made, &name, &value) } else { None };
        set.transpose()?.ok_or_else(|| missing("limit", &name, true))?;
    }
    Ok(())
}

fn setting(name: &str) -> Option<&'static Setting> {
    SETTINGS.iter().find(|setting| setting.name == name && setting.doors == Door::Package)
}

/// The error for a name that does not exist.
fn missing(what: &str, name: &str, is_limit: bool) -> PyErr {
    let known = SETTINGS.iter().filter(|setting| setting.doors == Door::Package && setting.is_limit() == is_limit);
    let more = if is_limit { "" } else { ", limits" };
    let names: Vec<&str> = known.map(|setting| setting.name).collect();
    PyTypeError::new_err(format!("there is no {what} {name:?}: the {what}s are {}{more}", names.join(", ")))
}

/// Takes an option. None if it does not exist.
fn set(made: &mut Made, name: &str, value: &Bound<'_, PyAny>) -> Option<PyResult<()>> {
    let setting = setting(name)?;
    Some(match setting.kind {
        Kind::Flag(_) => match value.extract() {
            Ok(flag) => take(made, name, Given::Flag(flag)),
            Err(_) => Err(PyTypeError::new_err(format!("{name} must be True or False"))),
        },
        Kind::Count(_) | Kind::Limit => count(name, value).and_then(|count| take(made, name, Given::Count(count))),
        _ => match value.cast::<PyString>() {
            Ok(text) => take(made, name, Given::Text(&text.to_string_lossy())),
            Err(_) => Err(PyTypeError::new_err(format!("{name} must be a str"))),
        },
    })
}

fn take(made: &mut Made, name: &str, given: Given<'_>) -> PyResult<()> {
    made.set(Door::Package, name, given).map_err(|wrong: Wrong| error::wrong(wrong))
}

/// A whole number that is not negative. One that does not fit is no limit.
fn count(name: &str, value: &Bound<'_, PyAny>) -> PyResult<usize> {
    if value.is_none() {
        return Ok(usize::MAX);
    }
    if value.is_instance_of::<PyBool>() || !value.is_instance_of::<PyInt>() {
        return Err(PyTypeError::new_err(format!("{name} must be a whole number, or None for no limit")));
    }
    if value.lt(0)? {
        return Err(PyValueError::new_err(format!("{name} must not be negative")));
    }
    Ok(value.extract().unwrap_or(usize::MAX))
}
