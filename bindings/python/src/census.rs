//! Rows for files and crawlers, as lines of JSON.
//!
//! Invariant: the lines are those of the command's `census`.

use std::sync::Arc;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use robosieve_batch::{Filter, Outcome};
use robosieve_census::columns::{Column as About, Type};
use robosieve_census::normal::{FileRow, NameRow, PolicyRow, TextRow, columns};
use robosieve_census::{AgentList, Census, Rows, Seen};

use crate::archive::_ArchivedLines;
use crate::columns::{Column, Given};
use crate::options::Settings;
use crate::unpack::unpacked;

/// Lines are handed over when they have about as many bytes.
const BYTES: usize = 1 << 20;

/// The crawlers that are asked about, and how files are read.
#[pyclass(frozen, module = "robosieve._core")]
pub(crate) struct _Census {
    census: Arc<Census>,
    filter: Filter,
    settings: Arc<Settings>,
}

fn rows_named(rows: &str) -> PyResult<Rows> {
    match rows {
        "agents" => Ok(Rows::Agents),
        "files" => Ok(Rows::Files),
        "normal" => Ok(Rows::Normal),
        other => Err(PyValueError::new_err(format!("rows must be 'agents', 'files' or 'normal', not {other:?}"))),
    }
}

/// For ``robosieve.arrow``: the names of the columns, their types, and whether they can be null. `table` is one of the
/// normal form, whose rows have no columns of their own.
#[pyfunction]
#[pyo3(signature = (rows, table=None))]
pub(crate) fn _census_columns(rows: &str, table: Option<&str>) -> PyResult<Vec<(&'static str, &'static str, bool)>> {
    let type_of = |column: &About| match column.holds {
        Type::Count => "count",
        Type::Seconds => "seconds",
        Type::Flag => "flag",
        Type::List => "list",
        Type::Counts => "counts",
        _ => "text",
    };
    let found = match table {
        None => rows_named(rows)?.columns().copied().collect(),
        Some("files") => columns::<FileRow>(true),
        Some("policies") => columns::<PolicyRow>(true),
        Some("names") => columns::<NameRow>(true),
        Some(_) => columns::<TextRow>(false),
    };
    Ok(found.iter().map(|column| (column.name, type_of(column), column.nullable)).collect())
}

#[pymethods]
impl _Census {
    #[new]
    #[pyo3(signature = (agents, rows, *, all_urls=false, **options))]
    fn new(agents: &str, rows: &str, all_urls: bool, options: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let settings = Settings::read(options)?;
        let wrong = |error: robosieve_census::AgentsError| PyValueError::new_err(format!("agents: {error}"));
        let list = AgentList::with_names(agents, settings.plan.names()).map_err(wrong)?;
        let census = Census::new(list).options(settings.plan.options.clone()).rows(rows_named(rows)?);
        let census = Arc::new(census);
        let filter = settings.filter(None).all_urls(all_urls).table(Arc::<Census>::clone(&census));
        Ok(Self { census, filter, settings })
    }

    /// The lines of a column of files. `first` is the number of its first row.
    #[allow(clippy::needless_pass_by_value, reason = "arguments from Python are")]
    fn rows<'py>(
        &self,
        py: Python<'py>,
        source: &str,
        first: u64,
        count: usize,
        bodies: Given<'py>,
        urls: Option<Given<'py>>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let (bodies, urls) = (Column::of(&bodies), urls.as_ref().map(Column::of));
        let source = robosieve::printable::escape(source.as_bytes());
        let lines = py.detach(|| {
            let mut lines = Vec::new();
            for (row, number) in (0..count).zip(first..) {
                let Some(body) = bodies.row(row)? else { continue };
                let url = urls.as_ref().map(|urls| urls.row(row)).transpose()?.flatten();
                let url = url.map(String::from_utf8_lossy);
                let seen = Seen { source: &source, record: Some(number), url: url.as_deref(), ..Seen::default() };
                match unpacked(body, self.settings.plan.max_bytes()) {
                    Ok((body, is_whole)) => {
                        let seen = Seen { truncated: (!is_whole).then_some("encoding"), ..seen };
                        self.census.add(&seen, self.settings.read_part(&body), is_whole, &mut lines);
                    }
                    Err(_) => self.census.add_without(&seen, Outcome::Failed, &mut lines),
                }
            }
            Ok::<_, PyErr>(lines)
        })?;
        Ok(PyBytes::new(py, &lines))
    }

    /// The lines of an archive, some at a time.
    #[pyo3(signature = (source, name, *, raises=true))]
    fn archive(&self, source: &Bound<'_, PyAny>, name: &Bound<'_, PyAny>, raises: bool) -> PyResult<_ArchivedLines> {
        _ArchivedLines::open(&self.filter, (source, name), raises, |next| {
            let mut lines = Vec::new();
            while lines.len() < BYTES
                && let Some(record) = next()?
            {
                lines.extend(record.rows.unwrap_or_default());
            }
            Ok(lines)
        })
    }
}
