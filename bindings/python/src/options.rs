//! The options that most functions take: how a file is read.
//!
//! Invariant: the names are those of the command and of its NDJSON. An option that was not given is the dialect's. A
//! name that does not exist is a `TypeError`, a value that does not exist a `ValueError`.

use std::str::FromStr;
use std::sync::{Arc, OnceLock};

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyMapping, PyString};
use robosieve::policy::Precedence;
use robosieve::syntax::{Leniency, Vocabulary};
use robosieve::text::Newline;
use robosieve::value::HttpUrl;
use robosieve::{ConfigError, Dialect, Interest, Limits, Options, Parser, Sieve, TextForm};
use robosieve_batch::Filter;
use robosieve_explain::Groups;
use robosieve_explain::Names::{Known, Plain};

use crate::agents::{Names, Reading};

/// How files are read.
#[derive(Debug)]
pub(crate) struct Settings {
    /// For texts.
    pub(crate) options: Options,
    /// For verdicts: without limits, except `max_bytes` and those that were given.
    pub(crate) verdicts: Options,
    /// How names of agents are read.
    pub(crate) reading: Reading,
    /// For verdicts about any agent.
    pub(crate) parser: Parser,
    form: TextForm,
    newline: Newline,
}

impl Default for Settings {
    fn default() -> Self {
        let (options, verdicts) = (Options::default(), Options::default().for_verdicts());
        let parser = Parser::new(without_details(&verdicts));
        let (form, newline) = (TextForm::default(), Newline::default());
        Self { options, verdicts, reading: Reading::default(), parser, form, newline }
    }
}

/// The same options, for reports of which only the counts are used.
fn without_details(options: &Options) -> Options {
    Options { max_details: 0, ..options.clone() }
}

/// The names of all options.
const NAMES: [&str; 19] = [
    "dialect",
    "order",
    "leniency",
    "form",
    "newline",
    "over_limit",
    "limits",
    "fallback",
    "known",
    "fold",
    "keep_trailing_spaces",
    "complement_leading_slash",
    "decode_wildcard",
    "escaped_wildcard",
    "keep_unknown",
    "any_line_ends_run",
    "complete",
    "base_url",
    "max_findings",
];

impl Settings {
    /// Reads the keyword arguments of a function.
    pub(crate) fn read(given: Option<&Bound<'_, PyDict>>) -> PyResult<Arc<Self>> {
        static DEFAULT: OnceLock<Arc<Settings>> = OnceLock::new();
        match (given, DEFAULT.get()) {
            (None, Some(default)) => Ok(Arc::clone(default)),
            (None, None) => Ok(Arc::clone(DEFAULT.get_or_init(|| Arc::new(Self::default())))),
            (Some(given), _) => Self::of(&Given(given)).map(Arc::new),
        }
    }

    fn of(given: &Given<'_, '_>) -> PyResult<Self> {
        given.expect_names()?;
        let dialect = given.named::<Dialect>("dialect")?.unwrap_or_default();
        let options = dialect.options();
        let verdicts = given.over(options.clone().for_verdicts())?;
        Ok(Self {
            parser: Parser::new(without_details(&verdicts)),
            verdicts,
            options: given.over(options)?,
            reading: Reading {
                fallback: given.get("fallback")?.unwrap_or(true),
                names: if given.get("known")?.unwrap_or(true) { Known } else { Plain },
            },
            form: given.named("form")?.unwrap_or_default(),
            newline: given.named("newline")?.unwrap_or_default(),
        })
    }

    /// A sieve for these agents; for all groups if there are none.
    pub(crate) fn sieve(&self, agents: Option<&Names>) -> Sieve {
        self.sieve_with(&self.options, agents)
    }

    /// The same for reports of which only the counts are used.
    pub(crate) fn sieve_without_details(&self, agents: Option<&Names>) -> Sieve {
        self.sieve_with(&without_details(&self.options), agents)
    }

    /// The same for whole files, whose answers are compared.
    pub(crate) fn sieve_for_verdicts(&self, agents: Option<&Names>) -> Sieve {
        self.sieve_with(&self.verdicts, agents)
    }

    fn sieve_with(&self, options: &Options, agents: Option<&Names>) -> Sieve {
        let sieve = match self.groups(agents) {
            None => Sieve::all_agents().options(options.clone()),
            Some(groups) => Sieve::for_agents(groups.interest().clone()).options(groups.options(options.clone())),
        };
        sieve.form(self.form).newline(self.newline)
    }

    /// The same for archives. Reports have no details unless the caller asks for them, as those of the command.
    pub(crate) fn filter(&self, agents: Option<&Names>, given: Option<&Bound<'_, PyDict>>) -> PyResult<Filter> {
        let filter = self.groups(agents).map_or_else(Filter::all_agents, Filter::for_agents);
        let has_details = given.map(|given| Given(given).value("max_findings")).transpose()?.flatten().is_some();
        let options = if has_details { self.options.clone() } else { without_details(&self.options) };
        Ok(filter.options(options).form(self.form).newline(self.newline))
    }

    /// Whose groups apply to these agents, if there are some.
    pub(crate) fn groups(&self, agents: Option<&Names>) -> Option<Groups> {
        agents.map(|agents| agents.groups(self.reading))
    }

    /// Whose groups verdicts are by; those of all others if no agents are named.
    pub(crate) fn groups_for_verdicts(&self, agents: Option<&Names>) -> Groups {
        self.groups(agents).unwrap_or_else(|| Interest::everyone().into())
    }

    /// The bytes of a file that can matter: those that are read, and some more, so that a cut is noticed.
    pub(crate) fn read_part<'b>(&self, body: &'b [u8]) -> &'b [u8] {
        /// A byte order mark, a line end, and another character of UTF-32.
        const MORE: usize = 16;
        body.get(..self.options.limits.max_bytes.saturating_add(MORE)).unwrap_or(body)
    }
}

/// The keyword arguments.
struct Given<'a, 'py>(&'a Bound<'py, PyDict>);

impl<'py> Given<'_, 'py> {
    fn expect_names(&self) -> PyResult<()> {
        for name in self.0.keys() {
            let name = name.to_string();
            if !NAMES.contains(&name.as_str()) {
                let names = NAMES.join(", ");
                return Err(PyTypeError::new_err(format!("there is no option {name:?}: the options are {names}")));
            }
        }
        Ok(())
    }

    /// The value of an option. `None` is an option that was not given.
    fn value(&self, name: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
        Ok(self.0.get_item(name)?.filter(|value| !value.is_none()))
    }

    fn get(&self, name: &str) -> PyResult<Option<bool>> {
        let read = |value: Bound<'py, PyAny>| {
            value.extract().map_err(|_| PyTypeError::new_err(format!("{name} must be True or False")))
        };
        self.value(name)?.map(read).transpose()
    }

    /// One of the names of a choice, or another text that has a type.
    fn named<T: FromStr<Err = ConfigError>>(&self, name: &str) -> PyResult<Option<T>> {
        let read = |value: Bound<'py, PyAny>| {
            let text = value.cast::<PyString>().map_err(|_| PyTypeError::new_err(format!("{name} must be a str")))?;
            let text = text.to_string_lossy();
            text.parse().map_err(|error: ConfigError| PyValueError::new_err(format!("{name}: {error}")))
        };
        self.value(name)?.map(read).transpose()
    }

    /// These options over those of a dialect.
    fn over(&self, mut options: Options) -> PyResult<Options> {
        let set = |place: &mut bool, name: &str| self.get(name).map(|value| *place = value.unwrap_or(*place));
        set(&mut options.lines.fold, "fold")?;
        set(&mut options.lines.keep_trailing_spaces, "keep_trailing_spaces")?;
        set(&mut options.paths.complement_leading_slash, "complement_leading_slash")?;
        set(&mut options.paths.decode_wildcard, "decode_wildcard")?;
        set(&mut options.paths.escaped_wildcard, "escaped_wildcard")?;
        set(&mut options.keep_unknown, "keep_unknown")?;
        set(&mut options.any_line_ends_run, "any_line_ends_run")?;
        set(&mut options.complete, "complete")?;
        options.precedence = self.named::<Precedence>("order")?.unwrap_or(options.precedence);
        options.over_limit = self.named("over_limit")?.unwrap_or(options.over_limit);
        options.base_url = self.named::<HttpUrl>("base_url")?;
        if let Some(leniency) = self.named::<Leniency>("leniency")? {
            options.vocabulary = Vocabulary::new(leniency);
        }
        if let Some(most) = self.value("max_findings")? {
            options.max_details = count("max_findings", &most)?;
        }
        self.limit(&mut options.limits)?;
        Ok(options)
    }

    fn limit(&self, limits: &mut Limits) -> PyResult<()> {
        let Some(given) = self.value("limits")? else { return Ok(()) };
        let given = given.cast_into::<PyMapping>().map_err(|_| PyTypeError::new_err("limits must be a mapping"))?;
        for item in given.items()?.try_iter()? {
            let (name, value): (Bound<'_, PyAny>, Bound<'_, PyAny>) = item?.extract()?;
            let name = name.to_string();
            let Some(limit) = limits.named_mut(&name) else {
                let names = Limits::NAMES.join(", ");
                return Err(PyTypeError::new_err(format!("there is no limit {name:?}: the limits are {names}")));
            };
            *limit = if value.is_none() { usize::MAX } else { count(&name, &value)? };
        }
        Ok(())
    }
}

/// A whole number that is not negative. One that does not fit is no limit.
fn count(name: &str, value: &Bound<'_, PyAny>) -> PyResult<usize> {
    let wrong = || PyTypeError::new_err(format!("{name} must be a whole number, or None for no limit"));
    if value.is_instance_of::<pyo3::types::PyBool>() || !value.is_instance_of::<pyo3::types::PyInt>() {
        return Err(wrong());
    }
    if value.lt(0)? {
        return Err(PyValueError::new_err(format!("{name} must not be negative")));
    }
    Ok(value.extract().unwrap_or(usize::MAX))
}
