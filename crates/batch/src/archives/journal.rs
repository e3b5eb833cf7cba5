//! The journal: the progress of a run, in one line next to its output.
//!
//! Invariant: what the journal says is on the disk before it. It is replaced in one step, only by the run that holds the
//! output, and has a digest of itself. A file without the first words of a journal is none, and nothing is done then.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use data_encoding::HEXLOWER;
use robosieve_printable::escape;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::disk;
use super::error::Error;
use super::held::Held;
use super::item::Place;
use super::past::{Chain, Listed, Listing};
use super::summary::Summary;
use crate::files;

/// The version of the format.
const VERSION: &str = "5";
/// The first words of every journal. The version, the digest of the rest and the rest follow.
const MAGIC: &str = "robosieve journal ";
/// A journal has some ten kilobytes, most of them marks of inputs.
const MAX_BYTES: u64 = 1 << 24;

/// The progress.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Journal {
    /// The digest of all that the output depends on, apart from the inputs.
    settings: String,
    /// All inputs. None if one is a stream.
    inputs: Option<Listed>,
    /// The digest of the inputs before that of the next item, as they were read.
    pub(crate) before: Chain,
    /// The place of the next item.
    pub(crate) place: Place,
    /// The number of records written.
    pub(crate) records: u64,
    /// The bytes of the output.
    pub(crate) bytes: u64,
    /// If the output is complete, and only has to get its name: when it was written.
    pub(crate) done: Option<SystemTime>,
    pub(crate) summary: Summary,
}

/// The files of an unfinished run.
#[derive(Clone, Debug)]
pub(crate) struct Paths {
    /// The output as the caller calls it.
    pub(crate) named: PathBuf,
    /// The output, without links.
    output: PathBuf,
    /// The records so far; empty if there are only texts.
    part: PathBuf,
    journal: PathBuf,
    /// The journal while it is replaced.
    new: PathBuf,
}

impl Paths {
    /// The files next to the output. None if it has no name.
    pub(crate) fn new(named: &Path, output: PathBuf) -> Option<Self> {
        named.file_name()?;
        let name = output.file_name()?;
        let next_to = |suffix| {
            let mut name = OsString::from(name);
            name.push(suffix);
            output.with_file_name(name)
        };
        let [part, journal, new] = [".part", ".journal", ".journal.new"].map(next_to);
        Some(Self { named: named.to_owned(), output, part, journal, new })
    }

    /// All but the output.
    pub(crate) fn all(&self) -> [&Path; 3] {
        [&self.part, &self.journal, &self.new]
    }
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

/// The files of this run, which nobody else writes.
pub(crate) struct Kept {
    pub(crate) paths: Paths,
    pub(crate) held: Held,
}

impl Kept {
    /// Locks the output, and reads the journal of the run that is to be continued.
    pub(crate) fn open(paths: Paths, start: Start) -> Result<(Self, Option<Journal>), Error> {
        // If a file of others has one of the names, nothing is made or removed.
        found(&paths.journal)?;
        let held = Held::open(&paths.part, &paths.named)?;
        let kept = Self { paths, held };
        let journal = kept.earlier(start).inspect_err(|_| kept.unmake())?;
        Ok((kept, journal))
    }

    fn earlier(&self, start: Start) -> Result<Option<Journal>, Error> {
        let path = &self.paths.journal;
        match (found(path)?, start) {
            (None, _) if self.bytes()? > 0 => Err(Error::Foreign(self.paths.part.clone())),
            (None, _) => match found(&self.paths.new) {
                // A run was killed before it had its first journal.
                Err(Error::Foreign(new))
                    if fs::symlink_metadata(&new).is_ok_and(|new| new.is_file() && new.len() == 0) =>
                {
                    Ok(None)
                }
                other => other.map(|_| None),
            },
            (Some(_), Start::New) => Err(Error::Interrupted(path.clone())),
            (Some(_), Start::Over) => Ok(None),
            (Some(bytes), Start::Resume) => {
                Journal::read(&bytes).map(Some).map_err(|why| Error::NoJournal { path: path.clone(), why })
            }
        }
    }

    /// Removes the file, if this run made it. Otherwise it is empty, and the next run may use it.
    pub(crate) fn unmake(&self) {
        if self.held.is_new {
            let _ = disk::remove(&self.paths.part);
        }
    }

    fn bytes(&self) -> Result<u64, Error> {
        let found = self.held.file.metadata().map_err(|error| Error::Open(self.paths.part.clone(), error))?;
        Ok(found.len())
    }

    /// Discards what was written after the journal. True if the run was complete: then only the journal was left.
    pub(crate) fn cut(&self, journal: &Journal) -> Result<bool, Error> {
        let damaged = |error: io::Error| Error::Damaged(self.paths.part.clone(), error);
        if self.bytes()? >= journal.bytes {
            return disk::cut(&self.held.file, journal.bytes).map(|()| false).map_err(damaged);
        }
        let is_output = |found: fs::Metadata| found.len() == journal.bytes && found.modified().ok() == journal.done;
        if journal.done.is_some() && fs::metadata(&self.paths.output).is_ok_and(is_output) {
            return Ok(true);
        }
        Err(damaged(io::Error::other("it is not there, or shorter than its journal says")))
    }

    /// Replaces the journal.
    pub(crate) fn write(&self, journal: &Journal) -> io::Result<()> {
        let (new, path) = (&self.paths.new, &self.paths.journal);
        let written = disk::make(new, journal.line()?.as_bytes()).and_then(|()| disk::rename(new, path));
        written.inspect_err(|_| drop(disk::remove(new)))
    }

    /// Checks that the file is still the one that is written.
    pub(crate) fn expect_there(&self) -> io::Result<()> {
        self.held.expect_at(&self.paths.part)
    }

    /// Gives the complete output its name.
    pub(crate) fn give(&self) -> io::Result<()> {
        self.expect_there()?;
        files::keep_mode(&self.held.file, fs::metadata(&self.paths.output).ok())?;
        disk::rename(&self.paths.part, &self.paths.output)?;
        self.held.expect_at(&self.paths.output)
    }

    /// Removes the files of the run. Without a journal, what is left is an empty file, which the next run may use.
    pub(crate) fn remove(&self) -> io::Result<()> {
        disk::remove(&self.paths.new)?;
        if self.expect_there().is_ok() {
            disk::cut(&self.held.file, 0)?;
        }
        disk::remove(&self.paths.journal)?;
        if self.expect_there().is_ok() { disk::remove(&self.paths.part) } else { Ok(()) }
    }
}

/// The journal at a path, as it is. None if there is none.
fn found(path: &Path) -> Result<Option<Vec<u8>>, Error> {
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Ok(found) if !found.is_file() => return Err(Error::Foreign(path.to_owned())),
        _ => {}
    }
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(MAX_BYTES).read_to_end(&mut bytes));
    read.map_err(|error| Error::Open(path.to_owned(), error))?;
    if bytes.starts_with(MAGIC.as_bytes()) { Ok(Some(bytes)) } else { Err(Error::Foreign(path.to_owned())) }
}

impl Journal {
    /// That of a run which begins. `settings`: all that the output depends on.
    pub(crate) fn new(settings: &str, inputs: Option<&Listing>) -> Self {
        let inputs = inputs.map(|listing| listing.listed.clone());
        Self { settings: HEXLOWER.encode(&Sha256::digest(settings)), inputs, ..Self::default() }
    }

    /// Checks that the run which has this journal can be continued with these settings and inputs.
    pub(crate) fn expect_same(&self, now: &Self, listing: Option<&Listing>, kept: &Kept) -> Result<(), Error> {
        if self.settings != now.settings {
            return Err(Error::OtherSettings(kept.paths.journal.clone()));
        }
        let (Some(inputs), Some(listing)) = (&self.inputs, listing) else { return Err(Error::OnlyOnce) };
        listing.difference(inputs, self.before).map_or(Ok(()), |what| Err(Error::OtherInputs(what)))
    }

    fn line(&self) -> io::Result<String> {
        let json = serde_json::to_string(self)?;
        Ok(format!("{MAGIC}{VERSION} {} {json}\n", HEXLOWER.encode(&Sha256::digest(&json))))
    }

    fn read(bytes: &[u8]) -> Result<Self, String> {
        let damaged = || "the journal is damaged".to_owned();
        let line = str::from_utf8(bytes).ok().and_then(|line| line.strip_prefix(MAGIC)?.strip_suffix('\n'));
        let (version, rest) = line.and_then(|line| line.split_once(' ')).ok_or_else(damaged)?;
        if version != VERSION && version.len() < 9 && version.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(format!("the journal has version {version} of the format, and this program reads {VERSION}"));
        }
        let (digest, json) = rest.split_once(' ').ok_or_else(damaged)?;
        if version != VERSION || digest != HEXLOWER.encode(&Sha256::digest(json)) {
            return Err(damaged());
        }
        let why = |error: serde_json::Error| escape(error.to_string().as_bytes());
        serde_json::from_str(json).map_err(|error| format!("the journal cannot be read: {}", why(error)))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may fail")]
mod tests {
    use super::*;

    /// A byte that is changed, and an end that is missing, are an error.
    #[test]
    fn a_damaged_journal_is_none() {
        let line = Journal::new("settings", None).line().unwrap().into_bytes();
        let read = |bytes: &[u8]| bytes.starts_with(MAGIC.as_bytes()) && Journal::read(bytes).is_ok();
        assert!(read(&line));
        for at in 0..line.len() {
            assert!(!read(&line[..at]), "{at}");
            for bit in 0..8 {
                let mut line = line.clone();
                line[at] ^= 1 << bit;
                assert!(!read(&line), "{at} {bit}");
            }
        }
        // Anybody can make the digest that goes with it. No word of it begins a line. [harmless.lines]
        for json in ["{\"summary\":{\"outcomes\":{\"x\\nF\":1}}}", "\u{1b}[31m", "{\"settings\":[\"\\u001b\"]}"] {
            let line = format!("{MAGIC}{VERSION} {} {json}\n", HEXLOWER.encode(&Sha256::digest(json)));
            let why = Journal::read(line.as_bytes()).unwrap_err();
            assert!(why.bytes().all(|byte| matches!(byte, b' '..=b'~')), "{why}");
        }
        assert!(Journal::read(b"robosieve journal 4 x {}\n").is_err_and(|why| why.contains("version 4")));
    }
}
