//! The errors that end a run.

use std::fmt;
use std::io;
use std::path::PathBuf;

use robosieve_printable::{harmless_short, name_of};

use crate::files::{Clash, SHOWN};

/// Why a run ended early. Inputs that cannot be read become records, not errors.
///
/// Messages are one harmless line, and name no command-line option.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// A directory has the name of a file that is to be written.
    NotAFile(PathBuf),
    /// A file has the name of a directory that is to be written.
    NotADirectory(PathBuf),
    /// The name of the output has a suffix that is neither that of a file of records nor that of a directory.
    UnknownSuffix(PathBuf),
    /// The name of a table has another suffix.
    NotATable(PathBuf),
    /// Files are asked about URLs, and the answers go nowhere: there are only texts.
    AnswersNowhere,
    /// The path has no last part that could be a file name.
    NoFileName(PathBuf),
    /// Something that is written is also read, or written twice.
    Overlap(Clash),
    /// Two inputs have the same name, so their texts would overwrite each other.
    SameName {
        /// The first input.
        first: String,
        /// The second input.
        second: String,
    },
    /// A run that writes to a stream can't be continued.
    NotResumable,
    /// The inputs come from a stream, so the run can't be continued.
    OnlyOnce,
    /// Another run has this output and is still running.
    Busy(PathBuf),
    /// An earlier run was interrupted.
    Interrupted(PathBuf),
    /// A file is where the run needs one of its own, and nothing shows that a run made it.
    Foreign(PathBuf),
    /// The journal cannot be read.
    NoJournal {
        /// The file.
        path: PathBuf,
        /// The problem with it.
        why: String,
    },
    /// The interrupted run, which has this journal, had other settings, or was one of another version.
    OtherSettings(PathBuf),
    /// The inputs are not those of the interrupted run. Says what differs.
    OtherInputs(String),
    /// An input that was named, or a list of inputs, is not there or cannot be opened.
    Input(PathBuf, io::Error),
    /// No input could be read, so no output was written and none replaced.
    NothingRead(PathBuf),
    /// A file cannot be opened for writing.
    Open(PathBuf, io::Error),
    /// The directory of texts cannot be created.
    Directory(PathBuf, io::Error),
    /// What an interrupted run has written is not there any more as it was.
    Damaged(PathBuf, io::Error),
    /// A file cannot be written completely.
    Write(PathBuf, io::Error),
    /// The journal cannot be written.
    Journal(io::Error),
    /// The stream of records cannot be written.
    Stream(io::Error),
    /// The observer stopped the run. What was written so far can be continued.
    Stopped,
    /// A thread ended early. This is a bug of this crate.
    Thread,
}

impl Error {
    /// Whether the caller requested something impossible. Then nothing was written.
    #[must_use]
    pub const fn is_usage(&self) -> bool {
        matches!(
            self,
            Self::NotAFile(_)
                | Self::NotADirectory(_)
                | Self::UnknownSuffix(_)
                | Self::NotATable(_)
                | Self::AnswersNowhere
                | Self::NoFileName(_)
                | Self::Overlap(_)
                | Self::SameName { .. }
                | Self::NotResumable
                | Self::OnlyOnce
                | Self::Busy(_)
                | Self::Interrupted(_)
                | Self::Foreign(_)
                | Self::NoJournal { .. }
                | Self::OtherSettings(_)
                | Self::OtherInputs(_)
                | Self::Input(..)
                | Self::Damaged(..)
        )
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAFile(path) => write!(f, "{}: is a directory; name a file in it", name_of(path)),
            Self::NotADirectory(path) => write!(
                f,
                "{}: is a file: name a directory for the texts, or a file of records, which is called .ndjson",
                name_of(path)
            ),
            Self::UnknownSuffix(path) => {
                let name = name_of(path);
                write!(
                    f,
                    "{name}: is it a file or a directory? Call a file of records .ndjson (also .ndjson.gz or .ndjson.zst); \
                     write {name}/ for a directory of texts"
                )
            }
            Self::NotATable(path) => {
                write!(f, "{}: call a table .ndjson, also with .gz or .zst", name_of(path))
            }
            Self::AnswersNowhere => f.write_str("the answers are in the records, and only texts are written"),
            Self::Stopped => f.write_str("stopped before the end"),
            Self::NoFileName(path) => write!(f, "{}: name a file or a directory below it", name_of(path)),
            Self::Overlap(clash) => clash.fmt(f),
            Self::SameName { first, second } => {
                write!(f, "{first} and {second} would become the same in the output: give each its own run")
            }
            Self::NotResumable => f.write_str("a run that writes to a stream can't be continued"),
            Self::OnlyOnce => f.write_str("the inputs come from a stream, which can't be read again"),
            Self::Busy(path) => write!(f, "{}: another run writes it at this moment", name_of(path)),
            Self::Interrupted(journal) => write!(f, "{}: an earlier run was interrupted", name_of(journal)),
            Self::Foreign(path) => write!(
                f,
                "{}: this run needs a file of this name, and the one that is there is of no interrupted run: move it away, \
                 or choose another name for the output",
                name_of(path)
            ),
            Self::NoJournal { path, why } => write!(f, "{}: {why}", name_of(path)),
            Self::OtherSettings(journal) => {
                let journal = name_of(journal);
                write!(f, "{journal}: the interrupted run had other arguments, or another version of the program")
            }
            Self::OtherInputs(what) => write!(f, "the inputs changed: {what}"),
            Self::NothingRead(path) => write!(f, "{}: not written: no input could be read", name_of(path)),
            Self::Input(path, error)
            | Self::Open(path, error)
            | Self::Directory(path, error)
            | Self::Damaged(path, error) => {
                write!(f, "{}: {error}", name_of(path))
            }
            Self::Write(path, error) => write!(f, "{}: {error}", harmless_short(&name_of(path), SHOWN)),
            Self::Journal(error) => write!(f, "the journal can't be written: {error}"),
            Self::Stream(error) => write!(f, "the stream of records can't be written: {error}"),
            Self::Thread => f.write_str("a thread of this program failed: please report that, with the inputs"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Input(_, error)
            | Self::Open(_, error)
            | Self::Directory(_, error)
            | Self::Damaged(_, error)
            | Self::Write(_, error)
            | Self::Journal(error)
            | Self::Stream(error) => Some(error),
            _ => None,
        }
    }
}
