//! Columns of Arrow: bytes in, columns of results out.
//!
//! Invariant: a column is read as the buffers that the Arrow format describes. Each row's result is that of the function for one file, unpacked as
//! `unpack` does it. Offsets that lead outside of the data are a `ValueError`.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyBytesMethods, PyDict, PyTuple};
use robosieve::records::RecordSet;
use robosieve::report::{Effect, Report};
use robosieve_explain::{Answer, Groups, Who};

use crate::agents::Names;
use crate::asked::Asked;
use crate::buffers::{Bits, Node, Numbers, Texts, Truths};
use crate::options::Settings;
use crate::unpack::unpacked;

/// The effects that losses are counted for.
const EFFECTS: [Effect; 3] = [Effect::MorePermissive, Effect::MoreRestrictive, Effect::Either];

/// A column of bytes, with the first row at the beginning of the offsets.
#[derive(FromPyObject)]
pub(crate) struct Given<'py>(Bound<'py, PyBytes>, Bound<'py, PyBytes>, Option<Bound<'py, PyBytes>>, usize, bool);

/// A column of bytes.
pub(crate) struct Column<'a> {
    offsets: &'a [u8],
    data: &'a [u8],
    validity: Option<&'a [u8]>,
    /// The bit of the first row in the validity.
    first_bit: usize,
    /// Whether offsets have 64 bits.
    is_large: bool,
}

impl<'a> Column<'a> {
    pub(crate) fn of(given: &'a Given<'_>) -> Self {
        let Given(offsets, data, validity, first_bit, is_large) = given;
        let validity = validity.as_ref().map(PyBytesMethods::as_bytes);
        Self {
            offsets: offsets.as_bytes(),
            data: data.as_bytes(),
            validity,
            first_bit: *first_bit,
            is_large: *is_large,
        }
    }

    /// The bytes of a row; none if it is null. A column of one row has it everywhere.
    pub(crate) fn row(&self, row: usize) -> PyResult<Option<&'a [u8]>> {
        let width = if self.is_large { 8 } else { 4 };
        let row = if self.offsets.len() == width << 1 { 0 } else { row };
        let bit = self.first_bit.saturating_add(row);
        let is_valid = |validity: &[u8]| validity.get(bit / 8).is_some_and(|byte| byte >> (bit % 8) & 1 == 1);
        if self.validity.is_some_and(|validity| !is_valid(validity)) {
            return Ok(None);
        }
        let range = self.range(row).and_then(|range| self.data.get(range));
        range.map(Some).ok_or_else(|| PyValueError::new_err("the offsets of a column are invalid"))
    }

    fn range(&self, row: usize) -> Option<Range<usize>> {
        let offset = |at: usize| -> Option<usize> {
            if self.is_large {
                usize::try_from(i64::from_le_bytes(*self.offsets.as_chunks::<8>().0.get(at)?)).ok()
            } else {
                usize::try_from(i32::from_le_bytes(*self.offsets.as_chunks::<4>().0.get(at)?)).ok()
            }
        };
        // The data begin with the first row.
        let first = offset(0)?;
        Some(offset(row)?.checked_sub(first)?..offset(row.checked_add(1)?)?.checked_sub(first)?)
    }
}

/// For ``robosieve.arrow``: filters the rows of a column. Returns text, exact, input, answered_by, suspects,
/// more_permissive, more_restrictive, either and error.
#[pyfunction]
#[allow(clippy::needless_pass_by_value, reason = "arguments from Python are")]
#[pyo3(signature = (bodies, rows, agents, **options))]
pub(crate) fn _sieve_column<'py>(
    py: Python<'py>,
    bodies: Given<'py>,
    rows: usize,
    agents: Option<&Bound<'py, PyAny>>,
    options: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyTuple>> {
    let names = agents.map(Names::read).transpose()?;
    let settings = Settings::read(options)?;
    let column = Column::of(&bodies);
    py.detach(|| sieve_rows(&column, rows, &settings, names.as_ref()))?.into_python(py)
}

fn sieve_rows(column: &Column<'_>, rows: usize, settings: &Settings, names: Option<&Names>) -> PyResult<Node> {
    let by_whole = [settings.of_part().sieve_without_details(names), settings.sieve_without_details(names)];
    let groups = settings.groups(names);
    let (mut valid, mut exact, mut suspects) = (Bits::default(), Truths::default(), Numbers::default());
    let (mut text, mut input, mut answered_by, mut error) = (Texts::new(), Texts::new(), Texts::new(), Texts::new());
    let mut losses: [Numbers; 3] = Default::default();
    for row in 0..rows {
        let body = column.row(row)?;
        valid.push(body.is_some());
        let body = body.map(|body| unpacked(body, settings.plan.max_bytes()));
        let sieved = body.as_ref().map(|body| {
            let (body, is_whole) = body.as_ref().map_err(String::clone)?;
            let [of_part, of_whole] = &by_whole;
            let sieve = if *is_whole { of_whole } else { of_part };
            sieve.filter(body).map_err(|refused| refused.to_string())
        });
        error.push(sieved.as_ref().and_then(|sieved| sieved.as_ref().err()).map(String::as_str))?;
        let sieved = sieved.and_then(Result::ok);
        text.push(sieved.as_ref().map(|sieved| sieved.text().as_str()))?;
        let who = sieved.as_ref().map(|sieved| match names {
            Some(_) => Who::new(sieved.answered_by(), &groups).answered_by(),
            None => "all",
        });
        answered_by.push(who)?;
        let report = sieved.as_ref().map(robosieve::Sieved::report);
        exact.push(report.map(Report::is_exact));
        input.push(report.map(|report| report.input().as_str()))?;
        suspects.push(report.map(Report::suspects));
        for (losses, effect) in losses.iter_mut().zip(EFFECTS) {
            losses.push(report.map(|report| report.losses(effect)));
        }
    }
    let front = [text.finish(), exact.finish(), input.finish(), answered_by.finish(), suspects.finish()];
    let losses = losses.into_iter().map(Numbers::finish);
    Ok(Node::of_fields(rows, Some(valid), front.into_iter().chain(losses).chain([error.finish()])))
}

/// For ``robosieve.arrow``: tests the URLs of a column. Returns allowed, line, rule, reason and error. `by` is a column
/// with the agent of each row, in the place of `agents`.
#[pyfunction]
#[allow(clippy::needless_pass_by_value, reason = "arguments from Python are")]
#[pyo3(signature = (bodies, urls, rows, agents, by, **options))]
pub(crate) fn _verdict_column<'py>(
    py: Python<'py>,
    bodies: Given<'py>,
    urls: Given<'py>,
    rows: usize,
    agents: Option<&Bound<'py, PyAny>>,
    by: Option<Given<'py>>,
    options: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyTuple>> {
    let names = agents.map(Names::read).transpose()?;
    let settings = Settings::read(options)?;
    let (bodies, urls, by) = (Column::of(&bodies), Column::of(&urls), by.as_ref().map(Column::of));
    let whose = match (&names, &by) {
        (Some(names), _) => Whose::All(settings.groups(Some(names))),
        (None, Some(by)) => Whose::Rows(by),
        (None, None) => return Err(PyValueError::new_err("name an agent: your crawler's product token")),
    };
    py.detach(|| test_rows(&bodies, &urls, rows, &settings, &whose))?.into_python(py)
}

/// Whose verdicts are asked for.
enum Whose<'c> {
    All(Groups),
    /// The agent of each row.
    Rows(&'c Column<'c>),
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

fn test_rows(
    bodies: &Column<'_>,
    urls: &Column<'_>,
    rows: usize,
    settings: &Settings,
    whose: &Whose<'_>,
) -> PyResult<Node> {
    let (mut valid, mut allowed, mut line) = (Bits::default(), Truths::default(), Numbers::default());
    let (mut rule, mut reason, mut error) = (Texts::new(), Texts::new(), Texts::new());
    // Rows of the same file often follow one another.
    let mut last: Option<(&[u8], File<'_>)> = None;
    for row in 0..rows {
        let agent = match whose {
            Whose::All(_) => Some(&b""[..]),
            Whose::Rows(by) => by.row(row)?,
        };
        let all = bodies.row(row)?.zip(urls.row(row)?).zip(agent);
        valid.push(all.is_some());
        if let Some(((body, _), _)) = all
            && last.as_ref().is_none_or(|(known, _)| *known != body)
        {
            last = Some((body, File::new(body, settings, whose)));
        }
        let asked = all.zip(last.as_mut()).map(|((_, agent), (_, file))| file.asked(agent, settings, whose).as_ref());
        let answer = all.zip(asked).and_then(|(((_, url), _), asked)| {
            asked.ok().map(|asked| Answer::new(&asked.tester.test(url), &asked.who))
        });
        allowed.push(answer.as_ref().map(|answer| answer.allowed));
        line.push(answer.as_ref().and_then(|answer| answer.line).map(u64::from));
        let words = answer.as_ref().and_then(|answer| answer.rule.as_ref());
        rule.push(words.map(|rule| format!("{}: {}", rule.kind, rule.pattern)).as_deref())?;
        reason.push(answer.as_ref().map(|answer| answer.reason))?;
        error.push(asked.and_then(Result::err).map(String::as_str))?;
    }
    let fields = [allowed.finish(), line.finish(), rule.finish(), reason.finish(), error.finish()];
    Ok(Node::of_fields(rows, Some(valid), fields))
}
