//! The options that most functions take: how a file is read.
//!
//! Invariant: the names are those of the table of options. An option that was not given is the dialect's. A name that
//! does not exist is a `TypeError`, a value that does not exist a `ValueError`.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use robosieve::records::Parser;
use robosieve::settings::OverLimit;
use robosieve::{Options, Sieve};
use robosieve_ask::{Door, Plan, Settings as Made};
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
    /// The str that named an agent last: most callers ask with the same one again.
    last: Mutex<Option<(Py<PyString>, Arc<Whose>)>>,
}

/// Whose groups verdicts are by, with these settings. They are found when they are asked for first.
#[derive(Debug)]
pub(crate) struct Whose {
    /// None are all agents.
    pub(crate) names: Option<Names>,
    groups: OnceLock<Groups>,
    sieve: OnceLock<Sieve>,
}

impl Whose {
    pub(crate) fn new(names: Option<Names>) -> Self {
        Self { names, groups: OnceLock::new(), sieve: OnceLock::new() }
    }

    pub(crate) fn groups(&self, settings: &Settings) -> &Groups {
        let plan = &settings.plan;
        self.groups.get_or_init(|| {
            self.names.as_ref().map_or_else(|| plan.groups.clone(), |names| plan.groups_of(names.agents()))
        })
    }

    /// A sieve for one URL of a file.
    pub(crate) fn sieve(&self, settings: &Settings) -> &Sieve {
        let interest = || self.groups(settings).interest().clone();
        self.sieve.get_or_init(|| Sieve::for_agents(interest()).options(settings.parser.options().clone()))
    }
}

/// What a mutex holds. A panic leaves it whole.
pub(crate) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
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
        Ok(Self { plan, parser, has_details: made.has("max_findings"), last: Mutex::default() })
    }

    /// The same for a file of which only a part is there.
    pub(crate) fn of_part(&self) -> Self {
        let plan = self.plan.clone().incomplete();
        let parser = Parser::new(without_details(&plan.verdicts));
        Self { parser, plan, has_details: self.has_details, last: Mutex::default() }
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
        filter.options(options)
    }

    /// Whether a file can be refused. Then all of it is looked at before the first verdict.
    pub(crate) fn refuses(&self) -> bool {
        self.parser.options().over_limit != OverLimit::Drop
    }

    /// Whose groups verdicts about these agents are by.
    pub(crate) fn whose(&self, agents: &Bound<'_, PyAny>) -> PyResult<Arc<Whose>> {
        if let Some((last, whose)) = &*locked(&self.last)
            && last.is(agents)
        {
            return Ok(Arc::clone(whose));
        }
        let whose = Arc::new(Whose::new(Some(Names::read(agents)?)));
        // A str never changes. The type is exact, so that dropping it runs no code of others.
        if let Ok(given) = agents.cast_exact::<PyString>() {
            *locked(&self.last) = Some((given.clone().unbind(), Arc::clone(&whose)));
        }
        Ok(whose)
    }

    /// The bytes of a file that can matter: those that are read, and some more, so that a cut is noticed.
    pub(crate) fn read_part<'b>(&self, body: &'b [u8]) -> &'b [u8] {
        /// A byte order mark, a line end, and another character of UTF-32.
        const MORE: usize = 16;
        body.get(..self.plan.options.limits.max_bytes.saturating_add(MORE)).unwrap_or(body)
    }
}

/// Reads the keyword arguments, as JSON.
fn read(given: &Bound<'_, PyDict>) -> PyResult<Made> {
    let json: String = given.py().import("json")?.call_method1("dumps", (given,))?.extract()?;
    let options = serde_json::from_str(&json).map_err(|error| PyValueError::new_err(format!("an option: {error}")))?;
    Made::read(Door::Package, &options).map_err(error::wrong)
}
