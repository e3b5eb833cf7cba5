//! An archive that is read in batches of records, each a line of NDJSON.
//!
//! Invariant: the records are those of the command's `batch`, but that the counts of a report are a list, which columns
//! can hold. Memory is bounded: one record of the archive, one gzip member or zstd frame of it, and one batch of output.
//! What the archive holds raises no error. What the storage says does: nobody may take a failing network for a broken
//! archive.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, TryLockError};

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use robosieve_batch::{Filter, Form, Items, Record};
use serde_json::{Value, json};

use crate::agents::Names;
use crate::input::{bytes_of, type_name};
use crate::options::{Settings, locked};

/// How many bytes are asked for at a time.
const BUFFER: usize = 1 << 18;
/// A batch ends after as many rows, or about as many bytes.
const ROWS: usize = 1_024;
const BYTES: usize = 1 << 20;
/// Errors of the system have a number; errors of a decoder have none, and are skipped as damage.
const EIO: i32 = 5;

/// What the storage said.
type Said = Arc<Mutex<Option<PyErr>>>;

/// A reader that keeps the error of the storage, and ends with it.
struct Reader {
    reader: Box<dyn Read + Send>,
    said: Said,
}

impl Reader {
    /// Opens a source. If it cannot be opened, raises that, or keeps it as what the storage said.
    fn open(source: &Bound<'_, PyAny>, raises: bool) -> PyResult<(Self, Said)> {
        let said = Said::default();
        let reader: Box<dyn Read + Send> = match open(source) {
            Ok(reader) => reader,
            Err(error) if raises || error.is_instance_of::<PyTypeError>(source.py()) => return Err(error),
            Err(error) => {
                *locked(&said) = Some(error);
                Box::new(io::empty())
            }
        };
        Ok((Self { reader, said: Arc::clone(&said) }, said))
    }
}

/// If the record is the error of the storage, raises it, or says it in the record.
fn expect_storage(record: &mut Record, said: &Said, raises: bool) -> PyResult<()> {
    if record.error.as_ref().is_some_and(|error| error.kind == "unreadable" && record.number.is_none()) {
        let said = locked(said).take();
        match (said, &mut record.error) {
            (Some(said), _) if raises => return Err(said),
            (Some(said), Some(error)) => error.message = Python::attach(|py| message_of(&said, py)),
            _ => {}
        }
    }
    Ok(())
}

impl Read for Reader {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let mut said = locked(&self.said);
        if said.is_none() {
            match self.reader.read(into) {
                Err(error) if error.kind() != io::ErrorKind::Interrupted => *said = Some(error.into()),
                read => return read,
            }
        }
        Err(io::Error::from_raw_os_error(EIO))
    }
}

/// A Python object with a method `read`.
struct Object {
    object: Py<PyAny>,
    held: io::Cursor<Vec<u8>>,
}

impl Read for Object {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let count = self.held.read(into)?;
        if count > 0 || into.is_empty() {
            return Ok(count);
        }
        let bytes = Python::attach(|py| -> PyResult<Vec<u8>> {
            let read = self.object.bind(py).call_method1("read", (BUFFER,))?;
            if read.is_instance_of::<pyo3::types::PyString>() {
                return Err(PyTypeError::new_err(
                    "read() must return bytes, not str: open the archive with mode \"rb\"",
                ));
            }
            Ok(bytes_of("what read() returns", &read)?.into_owned())
        })?;
        self.held = io::Cursor::new(bytes);
        self.held.read(into)
    }
}

/// The source as a reader that other threads can use.
fn open(source: &Bound<'_, PyAny>) -> PyResult<Box<dyn Read + Send>> {
    if let Ok(bytes) = source.cast::<PyBytes>() {
        return Ok(Box::new(io::Cursor::new(pyo3::pybacked::PyBackedBytes::from(bytes.clone()))));
    }
    if source.hasattr("read")? {
        return Ok(Box::new(Object { object: source.clone().unbind(), held: io::Cursor::default() }));
    }
    let path: PathBuf = source.extract().map_err(|_| {
        let found = type_name(&source.get_type());
        PyTypeError::new_err(format!("an archive must be a path, bytes, or an object with read(), not {found}"))
    })?;
    Ok(Box::new(File::open(path)?))
}

/// For ``robosieve.warc``: an iterator of batches of records.
#[pyclass(frozen, module = "robosieve._core")]
pub(crate) struct _Archive {
    reading: Mutex<Reading>,
    said: Said,
    /// Whether errors of the storage are raised. Otherwise they are a record.
    raises: bool,
}

struct Reading {
    filter: Filter,
    items: Items,
    skipped: BTreeMap<&'static str, u64>,
}

impl _Archive {
    /// The next records. None at the end.
    fn batch(&self) -> PyResult<Option<Vec<u8>>> {
        let mut reading = self.reading.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => PyValueError::new_err("the archive is already being read"),
            TryLockError::Poisoned(_) => PyValueError::new_err("reading the archive failed before"),
        })?;
        let Reading { filter, items, skipped } = &mut *reading;
        let (mut rows, mut lines) = (0_usize, Vec::new());
        while rows < ROWS && lines.len() < BYTES {
            let Some(item) = items.next() else { break };
            let done = filter.run(item);
            if let Some(kind) = done.skipped() {
                let count = skipped.entry(kind).or_default();
                *count = count.saturating_add(1);
            }
            let Some(mut record) = done.into_record() else { continue };
            expect_storage(&mut record, &self.said, self.raises)?;
            rows = rows.saturating_add(1);
            push(&record, &mut lines).map_err(|error| PyValueError::new_err(error.to_string()))?;
        }
        Ok((rows > 0).then_some(lines))
    }
}

/// Writes a record as a line.
fn push(record: &Record, lines: &mut Vec<u8>) -> serde_json::Result<()> {
    let mut line = serde_json::to_value(record)?;
    if let (Value::Object(fields), Some(policy)) = (&mut line, &record.policy) {
        fields.insert("text".into(), policy.text.as_str().into());
        let counts = policy.report.counts().map(|(kind, count)| json!({ "kind": kind.as_str(), "count": count }));
        if let Some(Value::Object(report)) = fields.get_mut("report") {
            report.insert("counts".into(), counts.collect());
        }
    }
    serde_json::to_writer(&mut *lines, &line)?;
    lines.push(b'\n');
    Ok(())
}

/// The words of an error for people.
fn message_of(error: &PyErr, py: Python<'_>) -> String {
    let words = error.value(py).str().map(|words| words.to_string_lossy().into_owned()).unwrap_or_default();
    if words.is_empty() { type_name(&error.get_type(py)) } else { words }
}

#[pymethods]
impl _Archive {
    #[new]
    #[pyo3(signature = (source, name, agents, *, all_urls=false, raises=true, **options))]
    fn new(
        source: &Bound<'_, PyAny>,
        name: &Bound<'_, PyAny>,
        agents: Option<&Bound<'_, PyAny>>,
        all_urls: bool,
        raises: bool,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let names = agents.map(Names::read).transpose()?;
        let filter = Settings::read(options)?.filter(names.as_ref()).all_urls(all_urls);
        let (storage, said) = Reader::open(source, raises)?;
        let items = filter.items(&*bytes_of("the name", name)?, storage).form(Form::Warc);
        let reading = Mutex::new(Reading { filter, items, skipped: BTreeMap::new() });
        Ok(Self { reading, said, raises })
    }

    const fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyBytes>>> {
        Ok(py.detach(|| self.batch())?.map(|lines| PyBytes::new(py, &lines)))
    }

    /// The numbers of items that gave no record so far, by kind.
    #[getter]
    fn skipped(&self, py: Python<'_>) -> BTreeMap<&'static str, u64> {
        py.detach(|| locked(&self.reading).skipped.clone())
    }
}
