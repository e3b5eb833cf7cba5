//! The destination of records and texts.
//!
//! Invariant: what is written is not read, and what is read is not overwritten. Both are checked before anything is
//! opened.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::error::Error;
use super::inputs::Inputs;
use super::journal::{Journal, Paths};
use super::part::{Packing, Part};
use super::sink::{Lines, Parts, Sink, Texts};
use crate::files::{Apart, Folder, is_stream, place, stream};

/// The destination of records and texts.
///
/// ```no_run
/// use robosieve_batch::Output;
/// let records = Output::path("policies.ndjson.zst");
/// let texts = Output::path("clean/").records("clean.ndjson").dedup(true);
/// let stdout = Output::stream(std::io::stdout());
/// ```
#[derive(Debug)]
pub struct Output {
    target: Target,
    /// Where the records go without their texts, if the texts go to a directory.
    records: Option<PathBuf>,
    dedup: bool,
    is_table: bool,
}

enum Target {
    Stream(Box<dyn Write>),
    Path(PathBuf),
}

impl fmt::Debug for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stream(_) => f.write_str("a stream"),
            Self::Path(path) => path.fmt(f),
        }
    }
}

impl Output {
    /// Writes records to a stream, which is flushed when the input pauses. Such a run cannot be continued.
    pub fn stream(writer: impl Write + 'static) -> Self {
        Self { target: Target::Stream(Box::new(writer)), records: None, dedup: false, is_table: false }
    }

    /// Writes records to a file if its name ends with `.ndjson` or `.jsonl` (packed if `.gz` or `.zst` follows), or
    /// if it is a device or a pipe. Otherwise the path is a directory, and each text goes to one of its files. Its name
    /// has no other suffix, unless it ends in `/` or the directory is there.
    pub fn path(path: impl Into<PathBuf>) -> Self {
        Self { target: Target::Path(path.into()), records: None, dedup: false, is_table: false }
    }

    /// Writes rows to a file whose name ends with `.ndjson`, `.jsonl` or `.csv` (packed if `.gz` or `.zst` follows), or
    /// to a device or a pipe. It is for a [`Filter::table`](crate::Filter::table).
    pub fn table(path: impl Into<PathBuf>) -> Self {
        Self { is_table: true, ..Self::path(path) }
    }

    /// If texts go to a directory, writes records without texts to this file. Its name follows the rules of
    /// [`Output::path`].
    #[must_use]
    pub fn records(mut self, path: impl Into<PathBuf>) -> Self {
        self.records = Some(path.into());
        self
    }

    /// Whether equal texts are stored only once. Later records then contain only the hash. In a directory, the hashes
    /// are the names of all texts. For a file or stream of records, memory holds 16 bytes of each distinct text.
    #[must_use]
    pub const fn dedup(mut self, dedup: bool) -> Self {
        self.dedup = dedup;
        self
    }

    /// The places that are written to.
    ///
    /// # Errors
    /// If a place cannot be written to.
    pub(crate) fn places(self) -> Result<Places, Error> {
        let settings = format!("output {:?}, records {:?}, dedup {}", self.target, self.records, self.dedup);
        let is_flag = self.records.is_some();
        let packing = |path: &Path| Packing::of_name(path, self.is_table);
        let (stream, directory, records) = match self.target {
            Target::Path(path) if self.is_table && packing(&path).is_none() && !is_stream(&path) => {
                return Err(Error::NotATable(path));
            }
            Target::Path(path) if packing(&path).is_none() && !is_stream(&path) => (None, Some(path), self.records),
            _ if is_flag => return Err(Error::RecordsTwice),
            Target::Path(path) => (None, None, Some(path)),
            Target::Stream(stream) => (Some(stream), None, None),
        };
        if let Some(records) = &records {
            expect_records(records, is_flag)?;
        }
        if let Some(file) = directory.as_ref().filter(|path| path.is_file()) {
            return Err(Error::NotADirectory(file.clone()));
        }
        if let Some(path) = directory.as_ref().filter(|path| !is_named_as_directory(path)) {
            return Err(Error::UnknownSuffix(path.clone()));
        }
        let texts = match &directory {
            None => Texts::Records,
            Some(_) if self.dedup => Texts::Store,
            Some(_) => Texts::Files,
        };
        let packing = records.as_deref().and_then(packing).unwrap_or(Packing::None);
        let paths = match directory.as_ref().or(records.as_ref()) {
            // What was written to a stream cannot be taken back, so such a run cannot be continued.
            Some(path) if ![Some(path), records.as_ref()].into_iter().flatten().any(|path| is_stream(path)) => {
                let records = records.as_deref().map(|path| place(path).map_err(|error| Error::Open(path.into(), error)));
                let records = records.transpose()?;
                let path = if directory.is_some() { path } else { records.as_ref().unwrap_or(path) };
                Some(Paths::new(path, records.as_deref()).ok_or_else(|| Error::NoFileName(path.clone()))?)
            }
            _ => None,
        };
        Ok(Places { stream, directory, records, packing, texts, paths, dedup: self.dedup, settings })
    }
}

/// The places that are written to.
pub(crate) struct Places {
    stream: Option<Box<dyn Write>>,
    /// The directory of texts.
    directory: Option<PathBuf>,
    /// The file of records.
    pub(crate) records: Option<PathBuf>,
    packing: Packing,
    pub(crate) texts: Texts,
    /// None if the run cannot be continued.
    pub(crate) paths: Option<Paths>,
    dedup: bool,
    /// What the output depends on.
    pub(crate) settings: String,
}

impl Places {
    /// Whether there is no place for records.
    pub(crate) const fn has_only_texts(&self) -> bool {
        self.stream.is_none() && self.records.is_none()
    }

    /// Adds the places that are written.
    fn add_to(&self, apart: &mut Apart) {
        if let Some(directory) = &self.directory {
            apart.writes_folder(directory);
        }
        self.records.iter().for_each(|path| apart.writes(path));
        self.paths.iter().flat_map(Paths::all).for_each(|path| apart.writes_aside(&path));
    }

    /// No place that is written may be read, and no two places may be the same. Returns all places, for lists that can
    /// be read only once. `apart` has the caller's own.
    pub(crate) fn expect_apart(&self, inputs: &Inputs, mut apart: Apart) -> Result<Apart, Error> {
        self.add_to(&mut apart);
        inputs.paths().for_each(|path| apart.reads(path));
        apart.check().map_err(Error::Overlap)?;
        inputs.expect_listed_apart(&apart)?;
        if self.texts == Texts::Files {
            expect_names(inputs)?;
        }
        Ok(apart)
    }

    pub(crate) fn open(self, journal: Journal, checkpoint: Duration) -> Result<Sink, Error> {
        if let Some(path) = self.directory.as_ref().filter(|path| journal.records > 0 && !path.is_dir()) {
            let error = io::Error::other("the directory of the interrupted run is not there");
            return Err(Error::Damaged(path.clone(), error));
        }
        let mirror = match &self.directory {
            Some(path) => Some(Folder::new(path).map_err(|error| Error::Directory(path.clone(), error))?),
            None => None,
        };
        let parts = Parts {
            mirror,
            is_store: self.texts == Texts::Store,
            is_dedup: self.dedup && self.texts == Texts::Records,
            paths: self.paths.clone(),
            lines: self.lines(&journal)?,
            checkpoint,
            journal,
        };
        Sink::new(parts)
    }

    fn lines(self, journal: &Journal) -> Result<Lines, Error> {
        let to_stream = |stream: Box<dyn Write>| Lines::Stream(BufWriter::with_capacity(1 << 16, stream));
        if let Some(writer) = self.stream {
            return Ok(to_stream(writer));
        }
        let Some(path) = self.records else { return Ok(Lines::None) };
        let failed = |error| Error::Open(path.clone(), error);
        if let Some(open) = stream(&path).map_err(failed)? {
            return Ok(to_stream(open));
        }
        let part = self.paths.and_then(|paths| paths.part).unwrap_or_default();
        let opened = Part::open(&part, self.packing, journal.part);
        // A new part has the folder of the output, whose name the caller knows.
        let named = if journal.part.bytes == 0 { &path } else { &part };
        let opened = opened.map_err(|error| journal.part.failed(named, error))?;
        Ok(Lines::Part(Box::new(opened), path))
    }
}

/// Whether the path is that of a directory, or has a directory's name: no dot, or a slash at the end.
fn is_named_as_directory(path: &Path) -> bool {
    let ends_in_slash = path.as_os_str().to_string_lossy().ends_with(std::path::is_separator);
    ends_in_slash || path.extension().is_none() || path.is_dir()
}

fn expect_records(path: &Path, is_flag: bool) -> Result<(), Error> {
    if is_flag && Packing::of_name(path, false).is_none() {
        return Err(Error::NotRecords(path.to_owned()));
    }
    if fs::metadata(path).is_ok_and(|found| found.is_dir()) {
        return Err(Error::NotAFile(path.to_owned()));
    }
    Ok(())
}

/// Checks that inputs have different names if each is a name in the directory of texts.
fn expect_names(inputs: &Inputs) -> Result<(), Error> {
    let mut names = BTreeMap::new();
    for (mirror, input) in inputs.mirrors() {
        if let Some(other) = names.insert(mirror, input.clone()) {
            return Err(Error::SameName { first: other, second: input });
        }
    }
    Ok(())
}
