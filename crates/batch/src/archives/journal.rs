//! The journal: the progress of a run, on disk.
//!
//! Invariant: everything that the journal records is already on disk when the journal is written, and is never
//! undone. The journal is replaced in one step, and has a digest of itself. It contains the command line under which it
//! was written. It is there before all other files of an unfinished run and goes last, so without one, none of them is
//! ours, and it stays.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use flate2::Crc;
use serde::{Deserialize, Serialize};

use super::error::Error;
use super::item::Place;
use super::marked::Mark;
use super::settings::Settings;
use super::summary::Summary;

/// What an input was.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Print {
    pub(super) name: u64,
    /// Of a file its size and times, of a stream what was read.
    pub(super) state: u64,
}

impl Print {
    /// How many bytes it takes in the file.
    pub(crate) const SIZE: usize = 16;

    pub(crate) fn bytes(self) -> [u8; Self::SIZE] {
        (u128::from(self.name) << 64 | u128::from(self.state)).to_le_bytes()
    }

    pub(super) fn of_bytes(bytes: [u8; Self::SIZE]) -> Self {
        let both = u128::from_le_bytes(bytes);
        let half = |bits: u128| u64::try_from(bits & u128::from(u64::MAX)).unwrap_or(0);
        Self { name: half(both >> 64), state: half(both) }
    }
}

/// The version of the format.
const VERSION: u8 = 3;
/// The first line of every journal. One that has no more is of a run that is over: what is left is to be removed.
const MAGIC: &[u8] = b"robosieve journal\n";

/// The last line of a journal: the CRC-32 of the one before.
fn digest_of(line: &[u8]) -> String {
    let mut crc = Crc::new();
    crc.update(line);
    format!("{:08x}", crc.sum())
}

/// The progress.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Journal {
    v: u8,
    settings: Settings,
    /// The place of the next item.
    pub(crate) place: Place,
    /// What was read of the input of the next item, if it is not its first.
    pub(crate) inside: Option<Print>,
    /// The number of records written.
    pub(crate) records: u64,
    /// The part file.
    pub(crate) part: Mark,
    /// Whether the part file is complete, and only has to be renamed.
    pub(crate) is_done: bool,
    /// The hashes on disk, for --dedup.
    pub(crate) hashes: Mark,
    /// The prints of the finished inputs.
    pub(crate) inputs: Mark,
    pub(crate) summary: Summary,
}

/// The files of an unfinished run.
#[derive(Clone, Debug)]
pub(crate) struct Paths {
    pub(crate) journal: PathBuf,
    pub(crate) hashes: PathBuf,
    pub(crate) inputs: PathBuf,
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
        let [journal, hashes, inputs] = [".journal", ".hashes", ".inputs"].map(|suffix| beside(output, suffix));
        Some(Self { journal: journal?, hashes: hashes?, inputs: inputs?, part })
    }

    /// All of them, also while the journal is replaced.
    pub(crate) fn all(&self) -> impl Iterator<Item = PathBuf> {
        let [journal, hashes, inputs] = [&self.journal, &self.hashes, &self.inputs].map(|path| Some(path.clone()));
        [journal, beside(&self.journal, ".new"), hashes, inputs, self.part.clone()].into_iter().flatten()
    }

    /// Removes all of them. The journal goes last, and says before that the others may be gone.
    pub(crate) fn remove(&self) {
        let _ = self.replace(MAGIC);
        for path in self.all().skip(1).chain([self.journal.clone()]) {
            let _ = fs::remove_file(path);
        }
    }

    /// Replaces the journal on disk.
    fn replace(&self, bytes: &[u8]) -> io::Result<()> {
        let aside = beside(&self.journal, ".new").ok_or_else(|| io::Error::other("the path names no file"))?;
        let written = File::create(&aside).and_then(|mut file| {
            file.write_all(bytes)?;
            file.sync_data()
        });
        let done = written.and_then(|()| fs::rename(&aside, &self.journal));
        if done.is_err() {
            let _ = fs::remove_file(&aside);
        }
        done
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
    pub(crate) fn open(paths: &Paths, settings: Settings, start: Start) -> Result<Self, Error> {
        let path = &paths.journal;
        let failed = |error: io::Error| Error::Open(path.clone(), error);
        let fresh = Self { v: VERSION, settings, ..Self::default() };
        match fs::read(path) {
            Ok(bytes) if !bytes.is_empty() && !bytes.starts_with(MAGIC) => {
                return Err(Error::Foreign(path.clone()));
            }
            Ok(bytes) if bytes == MAGIC || start == Start::Over => paths.remove(),
            Ok(bytes) if start == Start::Resume => return fresh.continued(path, &bytes),
            Ok(_) => return Err(Error::Interrupted(path.clone())),
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(error)),
            Err(_) => {}
        }
        if let Some(path) = paths.all().find(|path| path.symlink_metadata().is_ok()) {
            return Err(Error::Foreign(path));
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
        let found = Self::read(bytes).map_err(|why| Error::NoJournal { path: path.to_owned(), why })?;
        if found.settings.is_as(&self.settings) {
            return Ok(Self { settings: self.settings, ..found });
        }
        let what = found.settings.different(&self.settings);
        Err(Error::OtherSettings { journal: path.to_owned(), what })
    }

    fn read(bytes: &[u8]) -> Result<Self, String> {
        #[derive(Deserialize)]
        struct Version {
            v: u64,
        }
        let mut lines = bytes.strip_prefix(MAGIC).unwrap_or_default().split(|&byte| byte == b'\n');
        let (line, digest) = (lines.next().unwrap_or_default(), lines.next().unwrap_or_default());
        let version = serde_json::from_slice(line).map_or(0, |Version { v }| v);
        if version != u64::from(VERSION) && version != 0 {
            return Err(format!("the journal has version {version} of the format, and this program reads {VERSION}"));
        }
        if digest != digest_of(line).as_bytes() {
            return Err("the journal is damaged".into());
        }
        serde_json::from_slice(line).map_err(|error| format!("the journal cannot be read: {error}"))
    }

    /// Replaces the journal on disk.
    pub(crate) fn write(&self, paths: &Paths) -> io::Result<()> {
        let line = serde_json::to_vec(self)?;
        paths.replace(&[MAGIC, &line, b"\n", digest_of(&line).as_bytes(), b"\n"].concat())
    }
}
