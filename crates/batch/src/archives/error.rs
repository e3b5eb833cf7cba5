//! The errors that end a run.

use std::io;
use std::path::PathBuf;

use robosieve_printable::{harmless_short, name_of};
use thiserror::Error as ThisError;

use crate::files::{Clash, SHOWN};

/// Why a run ended early. Inputs that cannot be read become records, not errors.
///
/// Messages are one harmless line, and name no command-line option.
#[derive(Debug, ThisError)]
#[non_exhaustive]
pub enum Error {
    /// A directory has the name of a file that is to be written.
    #[error("{}: is a directory; name a file in it", name_of(.0))]
    NotAFile(PathBuf),
    /// A file has the name of a directory that is to be written.
    #[error("{}: is a file: name a directory for the texts, or a file of records, which is called .ndjson", name_of(.0))]
    NotADirectory(PathBuf),
    /// The name of the output has a suffix that is neither that of a file of records nor that of a directory.
    #[error(
        "{name}: is it a file or a directory? Call a file of records .ndjson (also .ndjson.gz or .ndjson.zst); write {name}/ \
         for a directory of texts",
        name = name_of(.0)
    )]
    UnknownSuffix(PathBuf),
    /// The name of a table has another suffix.
    #[error("{}: call a table .ndjson, also with .gz or .zst", name_of(.0))]
    NotATable(PathBuf),
    /// Files are asked about URLs, and the answers go nowhere: there are only texts.
    #[error("the answers are in the records, and only texts are written")]
    AnswersNowhere,
    /// The path has no last part that could be a file name.
    #[error("{}: name a file or a directory below it", name_of(.0))]
    NoFileName(PathBuf),
    /// Something that is written is also read, or written twice.
    #[error("{0}")]
    Overlap(Clash),
    /// Two inputs have the same name, so their texts would overwrite each other.
    #[error("{first} and {second} would become the same in the output: give each its own run")]
    SameName {
        /// The first input.
        first: String,
        /// The second input.
        second: String,
    },
    /// A run that writes to a stream can't be continued.
    #[error("a run that writes to a stream can't be continued")]
    NotResumable,
    /// The inputs come from a stream, so the run can't be continued.
    #[error("the inputs come from a stream, which can't be read again")]
    OnlyOnce,
    /// Another run has this output and is still running.
    #[error("{}: another run writes it at this moment", name_of(.0))]
    Busy(PathBuf),
    /// An earlier run was interrupted.
    #[error("{}: an earlier run was interrupted", name_of(.0))]
    Interrupted(PathBuf),
    /// A file is where the run needs one of its own, and nothing shows that a run made it.
    #[error(
        "{}: this run needs a file of this name, and the one that is there is of no interrupted run: move it away, or choose \
         another name for the output",
        name_of(.0)
    )]
    Foreign(PathBuf),
    /// The journal cannot be read.
    #[error("{}: {why}", name_of(.path))]
    NoJournal {
        /// The file.
        path: PathBuf,
        /// The problem with it.
        why: String,
    },
    /// The interrupted run, which has this journal, had other settings, or was one of another version.
    #[error("{}: the interrupted run had other arguments, or another version of the program", name_of(.0))]
    OtherSettings(PathBuf),
    /// The inputs are not those of the interrupted run. Says what differs.
    #[error("the inputs changed: {0}")]
    OtherInputs(String),
    /// An input that was named, or a list of inputs, is not there or cannot be opened.
    #[error("{name}: {1}", name = name_of(.0))]
    Input(PathBuf, #[source] io::Error),
    /// No input could be read, so no output was written and none replaced.
    #[error("{}: not written: no input could be read", name_of(.0))]
    NothingRead(PathBuf),
    /// A file cannot be opened for writing.
    #[error("{name}: {1}", name = name_of(.0))]
    Open(PathBuf, #[source] io::Error),
    /// The directory of texts cannot be created.
    #[error("{name}: {1}", name = name_of(.0))]
    Directory(PathBuf, #[source] io::Error),
    /// What an interrupted run has written is not there any more as it was.
    #[error("{name}: {1}", name = name_of(.0))]
    Damaged(PathBuf, #[source] io::Error),
    /// A file cannot be written completely.
    #[error("{name}: {1}", name = harmless_short(&name_of(.0), SHOWN))]
    Write(PathBuf, #[source] io::Error),
    /// The journal cannot be written.
    #[error("the journal can't be written: {0}")]
    Journal(#[source] io::Error),
    /// The stream of records cannot be written.
    #[error("the stream of records can't be written: {0}")]
    Stream(#[source] io::Error),
    /// The observer stopped the run. What was written so far can be continued.
    #[error("stopped before the end")]
    Stopped,
    /// A thread ended early. This is a bug of this crate.
    #[error("a thread of this program failed: please report that, with the inputs")]
    Thread,
}

impl Error {
    /// Whether the caller requested something impossible. Then nothing was written.
    #[must_use]
    pub const fn is_usage(&self) -> bool {
        !matches!(
            self,
            Self::NothingRead(_)
                | Self::Open(..)
                | Self::Directory(..)
                | Self::Write(..)
                | Self::Journal(_)
                | Self::Stream(_)
                | Self::Stopped
                | Self::Thread
        )
    }
}
