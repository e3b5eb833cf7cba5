//! The journal: the progress of a run, on disk.
//!
//! Invariant: everything that the journal records is already on disk when the journal is written, and is never
//! undone. The journal is replaced in one step. It contains the command line under which it was written.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::error::Error;
use super::item::Place;
use super::summary::Summary;

/// The progress.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Journal {
    v: u8,
    /// Everything in the command line that the output depends on.
    settings: Vec<String>,
    /// The place of the next item.
    pub(crate) place: Place,
    /// The input of the next item, and its size.
    pub(crate) input: Option<(String, Option<u64>)>,
    /// The number of records written.
    pub(crate) records: u64,
    /// The number of bytes that they take in the part file.
    pub(crate) bytes: u64,
    /// Whether the part file is complete, and only has to be renamed.
    pub(crate) is_done: bool,
    /// The number of hashes on disk, for --dedup.
    pub(crate) hashes: u64,
    pub(crate) summary: Summary,
}

/// The files of an unfinished run.
#[derive(Clone, Debug)]
pub(crate) struct Paths {
    pub(crate) journal: PathBuf,
    pub(crate) hashes: PathBuf,
    /// The file of records.
    pub(crate) part: Option<PathBuf>,
}

impl Paths {
    /// The files next to the output, and next to the file of records.
    pub(crate) fn new(output: &Path, records: Option<&Path>) -> Option<Self> {
        let part = match records {
            Some(records) => Some(beside(records, ".part")?),
            None => None,
        };
        Some(Self { journal: beside(output, ".journal")?, hashes: beside(output, ".hashes")?, part })
    }

    /// All of them, also while the journal is replaced.
    pub(crate) fn all(&self) -> impl Iterator<Item = PathBuf> {
        let files = [Some(self.journal.clone()), beside(&self.journal, ".new"), Some(self.hashes.clone())];
        files.into_iter().chain([self.part.clone()]).flatten()
    }

    pub(crate) fn remove(&self) {
        for path in [Some(&self.journal), Some(&self.hashes), self.part.as_ref()].into_iter().flatten() {
            let _ = fs::remove_file(path);
        }
    }
}

/// `a/b` and `.c` -> `a/b.c`.
fn beside(path: &Path, suffix: &str) -> Option<PathBuf> {
    let mut name = OsString::from(path.file_name()?);
    name.push(suffix);
    Some(path.with_file_name(name))
}

/// What a run does if there is an earlier run with the same output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Start {
    /// Fails if there is an interrupted run.
    #[default]
    New,
    /// Continues the interrupted run, if there is one.
    Resume,
    /// Discards the interrupted run.
    Over,
}

impl Journal {
    /// Starts a journal, or opens the existing one.
    pub(crate) fn open(paths: &Paths, settings: Vec<String>, start: Start) -> Result<Self, Error> {
        let path = &paths.journal;
        let failed = |error: io::Error| Error::Open { path: path.clone(), error };
        if start == Start::Over {
            paths.remove();
        }
        let fresh = Self { v: 1, settings, ..Self::default() };
        match fs::read(path) {
            Ok(bytes) if start == Start::Resume => return fresh.continued(path, &bytes),
            Ok(_) => return Err(Error::Interrupted { journal: path.clone() }),
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(error)),
            Err(_) => {}
        }
        // If two runs start at the same time, one of them gets an error.
        let made = OpenOptions::new().write(true).create_new(true).open(path).map_err(failed)?;
        drop(made);
        fresh.write(paths).map_err(failed)?;
        Ok(fresh)
    }

    fn continued(self, path: &Path, bytes: &[u8]) -> Result<Self, Error> {
        // An empty journal: the run was killed before it had written anything.
        if bytes.is_empty() {
            return Ok(self);
        }
        let found: Self = serde_json::from_slice(bytes)
            .map_err(|error| Error::NoJournal { path: path.to_owned(), why: error.to_string() })?;
        if found.settings == self.settings {
            return Ok(found);
        }
        let mut pairs = found.settings.iter().zip(&self.settings);
        let (then, now) = pairs.find(|(then, now)| then != now).map_or_else(
            || ("fewer or more inputs".into(), "others".into()),
            |(then, now)| (then.clone(), now.clone()),
        );
        Err(Error::OtherSettings { journal: path.to_owned(), then, now })
    }

    /// Replaces the journal on disk.
    pub(crate) fn write(&self, paths: &Paths) -> io::Result<()> {
        let path = &paths.journal;
        let aside = beside(path, ".new").ok_or_else(|| io::Error::other("the path names no file"))?;
        let written = File::create(&aside).and_then(|mut file| {
            file.write_all(&serde_json::to_vec(self)?)?;
            file.sync_data()
        });
        let done = written.and_then(|()| fs::rename(&aside, path));
        if done.is_err() {
            let _ = fs::remove_file(&aside);
        }
        done
    }
}
