//! Columns of Arrow, for `robosieve.arrow`: lists of values in, a tuple of fields for each row out.
//!
//! Invariant: each row's result is that of the function for one file, unpacked as `unpack` does it. A row without a value
//! is null.

use std::ops::Range;
use std::sync::Arc;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyDict;
use robosieve::Verdict;
use robosieve::report::Effect;
use robosieve_explain::{Answer, Who};

use crate::agents::Names;
use crate::asked::File;
use crate::options::{Settings, Whose};
use crate::unpack::unpacked;

/// The effects that losses are counted for.
const EFFECTS: [Effect; 3] = [Effect::MorePermissive, Effect::MoreRestrictive, Effect::Either];

/// The values of a column. One of one value has it in every row.
type Column = Vec<Option<PyBackedBytes>>;

/// The value of a row; none if it is null.
fn value(column: &Column, at: usize) -> Option<&[u8]> {
    column.get(if column.len() == 1 { 0 } else { at })?.as_deref()
}

/// A row: its fields, or why there are none.
type Row<T> = (Option<T>, Option<String>);

/// Rows. That of a null is none.
type Rows<T> = Vec<Option<Row<T>>>;

fn row<T>(fields: Result<T, String>) -> Row<T> {
    fields.map_or_else(|error| (None, Some(error)), |fields| (Some(fields), None))
}

/// The fields of `sieve`: text, exact, input, `answered_by`, suspects, `more_permissive`, `more_restrictive` and either. A
/// count has a sign: Spark has no other numbers.
type Sieved = (String, bool, &'static str, &'static str, i32, i32, i32, i32);

/// For ``robosieve.arrow``: filters the rows of a column.
#[pyfunction]
#[allow(clippy::needless_pass_by_value, reason = "arguments from Python are")]
#[pyo3(signature = (bodies, agents, **options))]
pub(crate) fn _sieve_column(
    py: Python<'_>,
    bodies: Column,
    agents: Option<&Bound<'_, PyAny>>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<Rows<Sieved>> {
    let names = agents.map(Names::read).transpose()?;
    let settings = Settings::read(options)?;
    Ok(py.detach(|| sieve_rows(&bodies, &settings, names.as_ref())))
}

fn sieve_rows(bodies: &Column, settings: &Settings, names: Option<&Names>) -> Rows<Sieved> {
    let by_whole = [settings.of_part().sieve_without_details(names), settings.sieve_without_details(names)];
    let plan = settings.plan_for(names);
    let sieved = |body: &[u8]| -> Result<Sieved, String> {
        let (content, is_whole) = unpacked(body, settings.plan.options.limits.max_bytes)?;
        let [of_part, of_whole] = &by_whole;
        let sieve = if is_whole { of_whole } else { of_part };
        let sieved = sieve.filter(&content).map_err(|refused| refused.to_string())?;
        let who = plan.who(sieved.answered_by()).answered_by();
        let report = sieved.report();
        let count = |count: u64| i32::try_from(count).unwrap_or(i32::MAX);
        let (exact, input, suspects) = (report.is_exact(), report.input().as_str(), count(report.suspects()));
        let [permissive, restrictive, either] = EFFECTS.map(|effect| count(report.losses(effect)));
        Ok((sieved.text().to_owned(), exact, input, who, suspects, permissive, restrictive, either))
    };
    (0..bodies.len()).map(|at| value(bodies, at).map(|body| row(sieved(body)))).collect()
}

/// The fields of `verdicts`: allowed, line, rule and reason.
type Tested = (bool, Option<u32>, Option<String>, &'static str);

/// For ``robosieve.arrow``: tests the URLs of a column. `by` is a column with the agent of each row, in the place of
/// `agents`.
#[pyfunction]
#[allow(clippy::needless_pass_by_value, reason = "arguments from Python are")]
#[pyo3(signature = (bodies, urls, rows, agents, by, **options))]
pub(crate) fn _verdict_column(
    py: Python<'_>,
    bodies: Column,
    urls: Column,
    rows: usize,
    agents: Option<&Bound<'_, PyAny>>,
    by: Option<Column>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<Rows<Tested>> {
    let names = agents.map(Names::read).transpose()?;
    let settings = Settings::read(options)?;
    if names.is_none() && by.is_none() {
        return Err(PyValueError::new_err("name an agent: your crawler's product token"));
    }
    let of_part = Arc::new(settings.of_part());
    let by_whole = [of_part, settings].map(|settings| (settings, Whose::new(names.clone())));
    let table = Table { bodies, urls, by, by_whole };
    Ok(py.detach(|| table.test(rows)))
}

/// Files and URLs, and how those are read that are not whole, and that are.
struct Table {
    bodies: Column,
    urls: Column,
    /// The agent of each row. The verdicts are for it.
    by: Option<Column>,
    by_whole: [(Arc<Settings>, Whose); 2],
}

impl Table {
    fn test(&self, rows: usize) -> Rows<Tested> {
        let mut tested = Vec::with_capacity(rows);
        // Rows of the same file often follow one another.
        while tested.len() < rows {
            let body = value(&self.bodies, tested.len());
            let end = (tested.len()..rows).find(|at| value(&self.bodies, *at) != body).unwrap_or(rows);
            self.test_file(body, tested.len()..end, &mut tested);
        }
        tested
    }

    /// Tests the URLs of a file.
    fn test_file(&self, body: Option<&[u8]>, rows: Range<usize>, into: &mut Rows<Tested>) {
        let [of_part, of_whole] = &self.by_whole;
        let Some(body) = body else { return into.extend(rows.map(|_| None)) };
        let unpacked = unpacked(body, of_whole.0.plan.options.limits.max_bytes);
        let file =
            unpacked.as_ref().map(|(bytes, is_whole)| (File::new(bytes), if *is_whole { of_whole } else { of_part }));
        into.extend(rows.map(|at| {
            let agent = match &self.by {
                Some(by) => Some(value(by, at)?),
                None => None,
            };
            let url = value(&self.urls, at)?;
            Some(row(test_url(file.as_ref().map_err(|error| *error), agent, url)))
        }));
    }
}

/// Tests a URL, for the agent of the row if it has one.
fn test_url(
    file: Result<&(File<'_>, &(Arc<Settings>, Whose)), &String>,
    agent: Option<&[u8]>,
    url: &[u8],
) -> Result<Tested, String> {
    let named = agent.map(Names::of_row).transpose()?.map(|names| Whose::new(Some(names)));
    let (file, (settings, whose)) = file.map_err(String::clone)?;
    let whose = named.as_ref().unwrap_or(whose);
    file.test(url, settings, whose, fields_of).map_err(|refused| refused.to_string())
}

fn fields_of(verdict: &Verdict<'_, '_>, who: &Who) -> Tested {
    let answer = Answer::new(verdict, who);
    let rule = answer.rule.map(|rule| format!("{}: {}", rule.kind, rule.pattern));
    (answer.allowed, answer.line, rule, answer.reason)
}
