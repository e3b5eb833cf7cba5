//! Questions to a census, as columns.
//!
//! Invariant: questions are read, and answers found, by the code of the command's `census ask`. Rows of tables come as
//! columns of text, in the order of the columns of the normal form.

use std::io;
use std::path::{Path, PathBuf};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use robosieve::printable::name_of;
use robosieve_batch::Problem;
use robosieve_census::columns::Type;
use robosieve_census::normal::{FileRow, NameRow, PolicyRow, Row, TextRow};
use robosieve_census::{Asker, Asking, Entry, Held, Observations, Parts, Question, Read, Stored};
use serde_json::json;

use crate::buffers::{Node, Numbers, Texts, Truths};
use crate::columns::{Column, Given};
use crate::options::Settings;

/// The rows of a table: their number and the columns.
#[derive(FromPyObject)]
struct Table<'py>(usize, Vec<Given<'py>>);

/// Reads the rows of a table, one after the other.
struct Rows<'a> {
    columns: Vec<Column<'a>>,
    count: usize,
    at: usize,
}

impl<'a> Rows<'a> {
    fn of(table: &'a Table<'_>) -> Self {
        Self { columns: table.1.iter().map(Column::of).collect(), count: table.0, at: 0 }
    }

    /// The number of the file of the next row.
    fn file(&self) -> PyResult<Option<u64>> {
        let column = self.columns.first().filter(|_| self.at < self.count);
        let Some(column) = column else { return Ok(None) };
        match held(column.row(self.at)?, Type::Count) {
            Some(Held::Count(file)) => Ok(Some(file)),
            _ => Err(not_of_a_census()),
        }
    }

    /// The next row, whose cells follow some other columns.
    fn next<R: Row>(&mut self, others: usize) -> PyResult<R> {
        let mut cells = self.columns.iter().skip(others).zip(R::COLUMNS);
        let row = R::of(&mut || {
            let (column, about) = cells.next()?;
            held(column.row(self.at).ok()?, about.holds)
        });
        self.at = self.at.saturating_add(1);
        row.ok_or_else(not_of_a_census)
    }

    /// The next rows, as far as they are of this file.
    fn of_file<R: Row>(&mut self, file: u64) -> PyResult<Vec<R>> {
        let mut rows = Vec::new();
        while self.file()? == Some(file) {
            rows.push(self.next(1)?);
        }
        Ok(rows)
    }
}

fn not_of_a_census() -> PyErr {
    PyValueError::new_err("a table has other columns, or other types, than one of a census")
}

/// A cell that was written as text.
fn held(text: Option<&[u8]>, holds: Type) -> Option<Held> {
    let Some(text) = text else { return Some(Held::Null) };
    let text = std::str::from_utf8(text).ok()?;
    match holds {
        Type::Text => Some(Held::Text(text.to_owned())),
        Type::Count => text.parse().ok().map(Held::Count),
        Type::Seconds => text.parse().ok().map(Held::Seconds),
        Type::Flag => text.parse().ok().map(Held::Flag),
        _ => None,
    }
}

/// What cannot be read is an `OSError`, what is wrong with it a `ValueError`.
fn failed(error: io::Error) -> PyErr {
    if error.kind() == io::ErrorKind::Other { PyValueError::new_err(error.to_string()) } else { error.into() }
}

/// A question, read as a line of the command's. A null is a field that is not there; only the time may be null.
fn question(cells: [Option<&[u8]>; 3]) -> Result<Question, Problem> {
    let mut line = serde_json::Map::new();
    for (name, cell) in ["url", "agent", "time"].into_iter().zip(cells) {
        let Some(cell) = cell else {
            if name == "time" {
                continue;
            }
            return Err(Problem::request(format!("{name}: is missing")));
        };
        let text = std::str::from_utf8(cell).map_err(|_| Problem::request(format!("{name}: is no UTF-8")))?;
        line.insert(name.into(), json!(text));
    }
    Question::read(json!(line).to_string().as_bytes())
}

enum State {
    Reads(Box<Asking>),
    Answers(Box<Observations>),
}

/// Questions, and what is known of their sites.
#[pyclass(module = "robosieve._core")]
pub(crate) struct _Asking {
    questions: Vec<Result<Question, Problem>>,
    state: Option<State>,
}

impl _Asking {
    fn asking(&mut self) -> PyResult<&mut Asking> {
        match &mut self.state {
            Some(State::Reads(asking)) => Ok(asking),
            _ => Err(PyValueError::new_err("the questions are answered already")),
        }
    }
}

#[pymethods]
impl _Asking {
    #[new]
    #[allow(clippy::needless_pass_by_value, reason = "arguments from Python are")]
    #[pyo3(signature = (rows, urls, agents, times, **options))]
    fn new(
        py: Python<'_>,
        rows: usize,
        urls: Given<'_>,
        agents: Given<'_>,
        times: Option<Given<'_>>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let settings = Settings::read(options)?;
        let (urls, agents, times) = (Column::of(&urls), Column::of(&agents), times.as_ref().map(Column::of));
        py.detach(|| {
            let mut questions = Vec::new();
            for row in 0..rows {
                let time = times.as_ref().map_or(Ok(None), |times| times.row(row))?;
                questions.push(question([urls.row(row)?, agents.row(row)?, time]));
            }
            let asker = Asker::new(settings.plan.names(), settings.plan.options.clone());
            let asking = asker.begin(questions.iter().filter_map(|question| question.as_ref().ok()));
            Ok(Self { questions, state: Some(State::Reads(Box::new(asking))) })
        })
    }

    /// The hosts of the sites: only their files are needed.
    fn hosts(&mut self) -> PyResult<Vec<String>> {
        Ok(self.asking()?.hosts().into_iter().collect())
    }

    /// Reads lines of the normal form.
    fn read(&mut self, py: Python<'_>, path: &str) -> PyResult<()> {
        let asking = self.asking()?;
        py.detach(|| {
            let stored = Stored::new(path);
            stored.each(&mut |read| asking.add(read, Path::new(path))).map_err(failed)
        })
    }

    /// Adds rows of the tables of a crawl: those of one file follow one another, in the same order in each.
    #[allow(clippy::needless_pass_by_value, reason = "arguments from Python are")]
    fn add(
        &mut self,
        py: Python<'_>,
        crawl: Option<&str>,
        files: Table<'_>,
        policies: Table<'_>,
        names: Table<'_>,
    ) -> PyResult<()> {
        let asking = self.asking()?;
        let (mut files, mut policies, mut names) = (Rows::of(&files), Rows::of(&policies), Rows::of(&names));
        py.detach(|| {
            while let Some(number) = files.file()? {
                let (file, policies) = (files.next::<FileRow>(1)?, policies.of_file::<PolicyRow>(number)?);
                let words = format!("file {number} lacks rows of `policies` or `names`, or has those of others");
                let lacks = || PyValueError::new_err(words);
                let entry = Entry::of_rows(file, policies, names.of_file::<NameRow>(number)?).ok_or_else(lacks)?;
                asking.add(Read::Entry(Box::new(entry), crawl), Path::new("tables")).map_err(failed)?;
            }
            if policies.at < policies.count || names.at < names.count {
                return Err(PyValueError::new_err("the tables have no file for a row, or are in different orders"));
            }
            Ok(())
        })
    }

    /// The hashes of the texts that are needed, and were not given yet.
    fn wanted(&mut self) -> PyResult<Vec<String>> {
        Ok(self.asking()?.wanted().map(str::to_owned).collect())
    }

    /// Adds rows of the table of texts.
    #[allow(clippy::needless_pass_by_value, reason = "arguments from Python are")]
    fn add_texts(&mut self, py: Python<'_>, texts: Table<'_>) -> PyResult<()> {
        let asking = self.asking()?;
        let mut texts = Rows::of(&texts);
        py.detach(|| {
            while texts.at < texts.count {
                asking.add_text(&texts.next::<TextRow>(0)?).map_err(failed)?;
            }
            Ok(())
        })
    }

    /// Ends reading. Returns the number of observations without a time, that of the lines which are none of the normal
    /// form, and the places of the first of these.
    fn finish(&mut self) -> PyResult<(u64, u64, Vec<String>)> {
        self.asking()?;
        let Some(State::Reads(asking)) = self.state.take() else { return Ok((0, 0, Vec::new())) };
        let known = asking.finish();
        let place = |(path, line): &(PathBuf, u64)| format!("{}:{line}", name_of(path));
        let first = known.first_unread.iter().map(place).collect();
        let told = (known.undated, known.unread, first);
        self.state = Some(State::Answers(Box::new(known)));
        Ok(told)
    }

    /// Some answers: allowed, line, status, hash, crawl, seen and error.
    fn answers<'py>(&self, py: Python<'py>, first: usize, count: usize) -> PyResult<Bound<'py, PyTuple>> {
        let Some(State::Answers(known)) = &self.state else {
            return Err(PyValueError::new_err("nothing is read yet"));
        };
        let questions = &self.questions;
        py.detach(|| {
            let (mut allowed, mut line) = (Truths::default(), Numbers::<4>::default());
            let mut texts = [(); 5].map(|()| Texts::new());
            let mut rows = 0_usize;
            for question in questions.iter().skip(first).take(count) {
                let answer = question.as_ref().map(|question| known.answer(question));
                let found = answer.unwrap_or_default();
                let error = answer.err().map(|problem| format!("{}: {}", problem.kind, problem.message));
                allowed.push(found.allowed);
                line.push(found.line.map(u64::from));
                let cells = [found.status, found.hash, found.crawl, found.seen, error.as_deref()];
                for (column, cell) in texts.iter_mut().zip(cells) {
                    column.push(cell)?;
                }
                rows = rows.saturating_add(1);
            }
            let fields = [allowed.finish(), line.finish()].into_iter().chain(texts.map(Texts::finish));
            Ok::<_, PyErr>(Node::of_fields(rows, None, fields))
        })?
        .into_python(py)
    }
}

/// For ``robosieve.spark``: the hosts of URLs. Null for what is no URL of a site.
#[pyfunction]
#[allow(clippy::needless_pass_by_value, reason = "arguments from Python are")]
pub(crate) fn _question_hosts<'py>(py: Python<'py>, rows: usize, urls: Given<'py>) -> PyResult<Bound<'py, PyTuple>> {
    let urls = Column::of(&urls);
    let mut hosts = Texts::new();
    for row in 0..rows {
        let question = question([urls.row(row)?, Some(b"*"), None]);
        hosts.push(question.ok().map(|question| question.host()).as_deref())?;
    }
    Node::of_fields(rows, None, [hosts.finish()]).into_python(py)
}

/// The crawls in a folder of tables: the name of each, and the Parquet files of its tables.
#[pyfunction]
pub(crate) fn _census_parts(py: Python<'_>, folder: &str) -> PyResult<Vec<(String, [Vec<PathBuf>; 4])>> {
    let found = py.detach(|| Stored::new(folder).parts()).map_err(failed)?;
    Ok(found.into_iter().map(|(folder, parts)| (Parts::crawl_of(&folder).to_owned(), parts.0)).collect())
}

/// A file of a run that has not written its tables to the folder yet.
#[pyfunction]
pub(crate) fn _census_running(folder: &str) -> Option<String> {
    Stored::new(folder).running().map(|path| name_of(&path))
}

/// For ``robosieve.spark``: refuses the files of a crawl's tables if a run that was interrupted left some of them.
#[pyfunction]
pub(crate) fn _expect_finished(tables: [Vec<PathBuf>; 4]) -> PyResult<()> {
    Parts(tables).finished().map_err(failed)
}
