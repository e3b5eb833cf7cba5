//! Columns of Arrow, for `robosieve.arrow`: lists of values in, a tuple of fields for each row out.
//!
//! Invariant: each row's result is that of the function for one file, unpacked as `unpack` does it. A row without a value
//! is null.

use std::borrow::Cow;
use std::collections::HashMap;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyDict;
use robosieve::Sieve;
use robosieve::records::RecordSet;
use robosieve::report::Effect;
use robosieve_explain::{Answer, Groups, Who};

use crate::agents::Names;
use crate::asked::Asked;
use crate::options::Settings;
use crate::unpack::unpacked;

/// The effects that losses are counted for.
const EFFECTS: [Effect; 3] = [Effect::MorePermissive, Effect::MoreRestrictive, Effect::Either];

/// The values of a column. One of one value has it in every row.
type Column = Vec<Option<PyBackedBytes>>;

/// The value of a row; none if it is null.
fn value(column: &Column, at: usize) -> Option<&[u8]> {
    column.get(if column.len() == 1 { 0 } else { at })?.as_deref()
}

/// A row of `sieve`: text, exact, input, `answered_by`, suspects, `more_permissive`, `more_restrictive`, either and error. A
/// count has a sign: Spark has no other numbers.
type SievedRow = (
    Option<String>,
    Option<bool>,
    Option<&'static str>,
    Option<&'static str>,
    Option<i32>,
    Option<i32>,
    Option<i32>,
    Option<i32>,
    Option<String>,
);

/// For ``robosieve.arrow``: filters the rows of a column.
#[pyfunction]
#[allow(clippy::needless_pass_by_value, reason = "arguments from Python are")]
#[pyo3(signature = (bodies, agents, **options))]
pub(crate) fn _sieve_column(
    py: Python<'_>,
    bodies: Column,
    agents: Option<&Bound<'_, PyAny>>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<Vec<Option<SievedRow>>> {
    let names = agents.map(Names::read).transpose()?;
    let settings = Settings::read(options)?;
    Ok(py.detach(|| sieve_rows(&bodies, &settings, names.as_ref())))
}

fn sieve_rows(bodies: &Column, settings: &Settings, names: Option<&Names>) -> Vec<Option<SievedRow>> {
    let by_whole = [settings.of_part().sieve_without_details(names), settings.sieve_without_details(names)];
    let groups = settings.groups(names);
    let sieved = |body: &[u8]| -> Result<SievedRow, String> {
        let (content, is_whole) = unpacked(body, settings.plan.max_bytes())?;
        let [of_part, of_whole] = &by_whole;
        let sieve = if is_whole { of_whole } else { of_part };
        let sieved = sieve.filter(&content).map_err(|refused| refused.to_string())?;
        let who = names.map_or("all", |_| Who::new(sieved.answered_by(), &groups).answered_by());
        let report = sieved.report();
        let count = |count: u64| Some(i32::try_from(count).unwrap_or(i32::MAX));
        let (exact, input, suspects) = (report.is_exact(), report.input().as_str(), count(report.suspects()));
        let [permissive, restrictive, either] = EFFECTS.map(|effect| count(report.losses(effect)));
        let text = sieved.text().to_owned();
        Ok((Some(text), Some(exact), Some(input), Some(who), suspects, permissive, restrictive, either, None))
    };
    let row = |body| sieved(body).unwrap_or_else(|error| (None, None, None, None, None, None, None, None, Some(error)));
    (0..bodies.len()).map(|at| value(bodies, at).map(row)).collect()
}

/// A row of `verdicts`: allowed, line, rule, reason and error.
type VerdictRow = (Option<bool>, Option<u32>, Option<String>, Option<&'static str>, Option<String>);

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
) -> PyResult<Vec<Option<VerdictRow>>> {
    let names = agents.map(Names::read).transpose()?;
    let settings = Settings::read(options)?;
    let whose = match (&names, &by) {
        (Some(names), _) => Whose::All(settings.groups(Some(names))),
        (None, Some(by)) => Whose::Rows(by),
        (None, None) => return Err(PyValueError::new_err("name an agent: your crawler's product token")),
    };
    Ok(py.detach(|| test_rows(&bodies, &urls, rows, &settings, &whose)))
}

/// Whose verdicts are asked for.
enum Whose<'c> {
    All(Groups),
    /// The agent of each row.
    Rows(&'c Column),
}

/// How many agents of a file are remembered.
const MAX_TESTERS: usize = 64;

/// A file, and those who asked.
struct File<'a> {
    set: Result<RecordSet<'a>, String>,
    asked: HashMap<&'a [u8], Result<Asked<'a>, String>>,
}

impl<'a> File<'a> {
    fn new(body: &'a [u8], settings: &Settings, whose: &Whose<'_>) -> Self {
        let set = unpacked(body, settings.plan.max_bytes()).map(|(content, is_whole)| {
            let part;
            let parser = if is_whole {
                &settings.parser
            } else {
                part = settings.of_part().parser;
                &part
            };
            let directed = match whose {
                Whose::All(groups) => &parser.clone().for_agents(groups.interest().clone()),
                Whose::Rows(_) => parser,
            };
            match content {
                Cow::Borrowed(content) => directed.parse(content),
                Cow::Owned(content) => directed.parse(&content).into_owned(),
            }
        });
        Self { set, asked: HashMap::new() }
    }

    /// The tester for the agent of a row.
    fn asked(&mut self, agent: &'a [u8], settings: &Settings, whose: &Whose<'_>) -> &Result<Asked<'a>, String> {
        if self.asked.len() >= MAX_TESTERS && !self.asked.contains_key(agent) {
            self.asked.clear();
        }
        self.asked.entry(agent).or_insert_with(|| {
            let of_row;
            let groups = match whose {
                Whose::All(groups) => groups,
                Whose::Rows(_) => {
                    of_row = settings.groups(Some(&Names::of_row(agent)?));
                    &of_row
                }
            };
            let set = self.set.as_ref().map_err(String::clone)?;
            Asked::new(set, groups).map_err(|refused| refused.to_string())
        })
    }
}

/// The answer for the first URL of a whole file.
fn first(body: &[u8], url: &[u8], settings: &Settings, sieve: &Sieve, groups: &Groups) -> Option<Answer> {
    let (content, is_whole) = unpacked(body, settings.plan.max_bytes()).ok()?;
    let answer = is_whole.then(|| sieve.test(&content, url).ok())??;
    Some(Answer::new(&answer.verdict(), &Who::new(answer.answered_by(), groups)))
}

fn row_of(answer: Answer) -> VerdictRow {
    let rule = answer.rule.map(|rule| format!("{}: {}", rule.kind, rule.pattern));
    (Some(answer.allowed), answer.line, rule, Some(answer.reason), None)
}

fn test_rows(
    bodies: &Column,
    urls: &Column,
    rows: usize,
    settings: &Settings,
    whose: &Whose<'_>,
) -> Vec<Option<VerdictRow>> {
    let sieve = match whose {
        Whose::All(groups) if !settings.refuses() => Some((settings.sieve_for_verdicts(groups), groups)),
        _ => None,
    };
    // Rows of the same file often follow one another. The first one needs no groups.
    let mut last: Option<(&[u8], Option<File<'_>>)> = None;
    let row = |at| {
        let agent = match whose {
            Whose::All(_) => &b""[..],
            Whose::Rows(by) => value(by, at)?,
        };
        let (body, url) = (value(bodies, at)?, value(urls, at)?);
        if last.as_ref().is_none_or(|(known, _)| *known != body) {
            last = Some((body, None));
            let answer = sieve.as_ref().and_then(|(sieve, groups)| first(body, url, settings, sieve, groups));
            if let Some(answer) = answer {
                return Some(row_of(answer));
            }
        }
        let (_, file) = last.get_or_insert((body, None));
        let file = file.get_or_insert_with(|| File::new(body, settings, whose));
        Some(match file.asked(agent, settings, whose) {
            Ok(asked) => row_of(Answer::new(&asked.tester.test(url), &asked.who)),
            Err(error) => (None, None, None, None, Some(error.clone())),
        })
    };
    (0..rows).map(row).collect()
}
