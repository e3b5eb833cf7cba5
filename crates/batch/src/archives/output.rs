//! The destination of records or texts.
//!
//! Invariant: what is written is not read, and what is read is not overwritten. Both are checked before anything is
//! opened.

use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::error::Error;
use super::inputs::Inputs;
use super::journal::{Journal, Kept, Paths};
use super::part::{Packing, Part};
use super::sink::{Lines, Sink, Texts};
use crate::files::{Apart, Folder, place, resolve, stream};

/// The destination of records or texts.
///
/// ```no_run
/// use robosieve_batch::Output;
/// let records = Output::path("policies.ndjson.zst");
/// let texts = Output::path("clean/");
/// let stdout = Output::stream(std::io::stdout());
/// ```
#[derive(Debug)]
pub struct Output {
    target: Target,
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
        Self { target: Target::Stream(Box::new(writer)), is_table: false }
    }

    /// Writes records to a file if its name ends with `.ndjson` or `.jsonl` (packed if `.gz` or `.zst` follows), or
    /// if it is a device or a pipe. Otherwise the path is a directory, and each text goes to one of its files. Its name
    /// has no other suffix, unless it ends in `/` or the directory is there.
    pub fn path(path: impl Into<PathBuf>) -> Self {
        Self { target: Target::Path(path.into()), is_table: false }
    }

    /// Writes rows to a file whose name ends with `.ndjson` or `.jsonl` (packed if `.gz` or `.zst` follows), or
    /// to a device or a pipe. It is for a [`Filter::table`](crate::Filter::table).
    pub fn table(path: impl Into<PathBuf>) -> Self {
        Self { is_table: true, ..Self::path(path) }
    }

    /// The places that are written to.
    ///
    /// # Errors
    /// If a place cannot be written to.
    pub(crate) fn places(self) -> Result<Places, Error> {
        let settings = format!("output {:?}", self.target);
        let path = match self.target {
            Target::Stream(stream) => return Ok(Places::of(Lines::Stream(buffered(stream)), settings)),
            Target::Path(path) => path,
        };
        if let Some(open) = stream(&path).map_err(|error| Error::Open(path.clone(), error))? {
            // What was written to a stream cannot be taken back, so such a run cannot be continued.
            return Ok(Places::of(Lines::Stream(buffered(open)), settings));
        }
        let packing = Packing::of_name(&path);
        if packing.is_some() && path.is_dir() {
            return Err(Error::NotAFile(path));
        }
        if packing.is_none() && self.is_table {
            return Err(Error::NotATable(path));
        }
        if packing.is_none() && path.is_file() {
            return Err(Error::NotADirectory(path));
        }
        if packing.is_none() && !is_named_as_directory(&path) {
            return Err(Error::UnknownSuffix(path));
        }
        let output = if packing.is_some() { place(&path) } else { resolve(&path) };
        let output = output.map_err(|error| Error::Open(path.clone(), error))?;
        let paths = Paths::new(&path, output).ok_or(Error::NoFileName(path))?;
        let texts = if packing.is_some() { Texts::Records } else { Texts::Files };
        Ok(Places { paths: Some(paths), packing, texts, ..Places::of(Lines::None, settings) })
    }
}

fn buffered(stream: Box<dyn Write>) -> BufWriter<Box<dyn Write>> {
    BufWriter::with_capacity(1 << 16, stream)
}

/// The places that are written to.
pub(crate) struct Places {
    /// A stream, if the records go to one.
    lines: Lines,
    /// None if the run cannot be continued.
    pub(crate) paths: Option<Paths>,
    /// How the file of records is packed. None if it is a directory of texts, or a stream.
    packing: Option<Packing>,
    pub(crate) texts: Texts,
    /// What the output depends on.
    pub(crate) settings: String,
}

impl Places {
    const fn of(lines: Lines, settings: String) -> Self {
        Self { lines, paths: None, packing: None, texts: Texts::Records, settings }
    }

    /// No place that is written may be read, and no two places may be the same. Returns all places, for lists that can
    /// be read only once. `apart` has the caller's own.
    pub(crate) fn expect_apart(&self, inputs: &Inputs, mut apart: Apart) -> Result<Apart, Error> {
        if let Some(paths) = &self.paths {
            if self.texts == Texts::Files {
                apart.writes_folder(&paths.named);
            } else {
                apart.writes(&paths.named);
            }
            paths.all().into_iter().for_each(|path| apart.writes_aside(path));
        }
        inputs.paths().for_each(|path| apart.reads(path));
        apart.check().map_err(Error::Overlap)?;
        inputs.expect_listed_apart(&apart)?;
        if self.texts == Texts::Files {
            expect_names(inputs)?;
        }
        Ok(apart)
    }

    /// Opens them, after the point of this journal.
    pub(crate) fn open(self, journal: Journal, kept: Option<Kept>, checkpoint: Duration) -> Result<Sink, Error> {
        let Some(kept) = kept else { return Ok(Sink::new(journal, None, (self.lines, None), checkpoint)) };
        let opened = self.opened(&journal, &kept).inspect_err(|_| {
            // A run that has not started cannot be continued.
            if journal.records == 0 {
                let _ = kept.remove();
            }
        })?;
        Ok(Sink::new(journal, Some(kept), opened, checkpoint))
    }

    fn opened(self, journal: &Journal, kept: &Kept) -> Result<(Lines, Option<Folder>), Error> {
        let path = &kept.paths.named;
        if let Some(packing) = self.packing {
            let part = kept.held.file.try_clone().and_then(|file| Part::new(file, packing, journal.bytes));
            let part = part.map_err(|error| Error::Open(path.clone(), error))?;
            return Ok((Lines::Part(Box::new(part)), None));
        }
        if journal.records > 0 && !path.is_dir() {
            let error = io::Error::other("the directory of the interrupted run is not there");
            return Err(Error::Damaged(path.clone(), error));
        }
        let texts = Folder::new(path).map_err(|error| Error::Directory(path.clone(), error))?;
        Ok((self.lines, Some(texts)))
    }
}

/// Whether the path is that of a directory, or has a directory's name: no dot, or a slash at the end.
fn is_named_as_directory(path: &Path) -> bool {
    let ends_in_slash = path.as_os_str().to_string_lossy().ends_with(std::path::is_separator);
    ends_in_slash || path.extension().is_none() || path.is_dir()
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
