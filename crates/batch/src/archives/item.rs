//! One unit of work: a file, a line or a record of an input.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::past::{Input, mark};
use super::warc;
use crate::unpack::Unpacked;

/// What an input contains.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Form {
    /// Determined by the name: `.warc`, `.ndjson`, `.jsonl` or `.txt`, also with `.gz` and `.zst`. If the name does
    /// not determine it, a file of a directory or a list is a robots.txt file. For the only input and for streams,
    /// the first bytes decide.
    #[default]
    Auto,
    /// A robots.txt file.
    Robots,
    /// One JSON object on each line.
    Ndjson,
    /// A WARC archive.
    Warc,
}

impl Form {
    /// All forms with their names, for flags.
    ///
    /// ```
    /// use robosieve_batch::Form;
    /// assert_eq!(Form::named("warc"), Some(Form::Warc));
    /// assert_eq!(Form::named("zip"), None);
    /// ```
    pub const NAMED: [(&'static str, Self); 4] =
        [("auto", Self::Auto), ("robots", Self::Robots), ("ndjson", Self::Ndjson), ("warc", Self::Warc)];

    /// The form of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::NAMED.iter().find(|(known, _)| *known == name).map(|(_, form)| *form)
    }

    /// The form that a file name indicates, in any case. [`Form::Auto`] if it indicates none.
    ///
    /// ```
    /// use robosieve_batch::Form;
    /// assert_eq!(Form::of_name("CC-MAIN-0001.warc.gz".as_ref()), Form::Warc);
    /// assert_eq!(Form::of_name("example.com.txt".as_ref()), Form::Robots);
    /// assert_eq!(Form::of_name("example.com".as_ref()), Form::Auto);
    /// ```
    #[must_use]
    pub fn of_name(path: &Path) -> Self {
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        let name = name.strip_suffix(".gz").or_else(|| name.strip_suffix(".zst")).unwrap_or(&name);
        match name.rsplit_once('.').map(|(_, extension)| extension) {
            Some("warc") => Self::Warc,
            Some("ndjson" | "jsonl") => Self::Ndjson,
            Some("txt") => Self::Robots,
            _ => Self::Auto,
        }
    }
}

/// The place of an item: the index of the input, from 0, and the number in that input, from 1; 0 for a file that is
/// one item.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Place {
    pub(crate) input: u64,
    pub(crate) record: u64,
}

impl Place {
    /// The number of the end of an input, or of an error there. It is not a record.
    pub(crate) const END: u64 = u64::MAX;

    /// The next place. After a file that is one item, and after the end, it is the next input.
    pub(crate) const fn next(self) -> Self {
        match self.record {
            0 | Self::END => Self { input: self.input.saturating_add(1), record: 0 },
            record => Self { input: self.input, record: record.saturating_add(1) },
        }
    }

    /// The number of the record or line in its input.
    pub(crate) fn number(self) -> Option<u64> {
        Some(self.record).filter(|record| (1..Self::END).contains(record))
    }
}

/// A unit of work: [`Filter::run`](crate::Filter::run) makes a record of it.
#[derive(Debug)]
pub struct Item {
    pub(crate) place: Place,
    pub(crate) input: Arc<Input>,
    pub(crate) load: Load,
}

impl Item {
    /// The name of the input that it comes from, escaped: see [`robosieve_printable`].
    #[must_use]
    pub fn source(&self) -> &str {
        &self.input.name
    }

    /// The number of the record or line in that input, from 1. None for a file that is one item.
    #[must_use]
    pub fn number(&self) -> Option<u64> {
        self.place.number()
    }
}

#[derive(Debug)]
pub(crate) enum Load {
    /// A robots.txt file that is still to be read.
    File {
        /// Where it is.
        path: PathBuf,
        /// Whether nobody said that it is a robots.txt: an archive of another kind is none then.
        is_guess: bool,
    },
    /// A robots.txt file that was read.
    Bytes(Unpacked<'static>),
    /// A line of NDJSON.
    Line(Vec<u8>),
    Record(warc::Record),
    /// Skipped, with the reason.
    Skipped(&'static str),
    /// Not readable, with the kind of error and a message.
    Failed(&'static str, String),
    /// The end of an input that is several items or none.
    End,
}

impl Load {
    /// An input, or a part of it, that the system or a decoder cannot read.
    pub(crate) fn unreadable(error: &std::io::Error) -> Self {
        Self::Failed("unreadable", error.to_string())
    }

    /// What an archive holds.
    pub(crate) fn of_archive(step: warc::Step) -> Self {
        match step {
            warc::Step::Record(record) => Self::Record(record),
            warc::Step::Damage(damage) => Self::Failed("bad-record", damage.text().into()),
        }
    }

    /// The number of bytes in memory.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::Bytes(file) => file.bytes.len(),
            Self::Line(bytes) => bytes.len(),
            Self::Record(record) => record.block.len(),
            Self::File { .. } | Self::Skipped(_) | Self::Failed(..) | Self::End => 0,
        }
    }

    /// What an item without content is, as the state of an input.
    pub(crate) fn state(&self) -> u64 {
        match self {
            Self::Skipped(kind) => mark(kind.as_bytes()),
            Self::Failed(kind, message) => mark(format!("{kind} {message}").as_bytes()),
            _ => 0,
        }
    }
}
