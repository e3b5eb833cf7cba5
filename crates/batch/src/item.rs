//! What is to be done: one file, one line or one record of an input.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::warc;

/// What an input holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Form {
    /// What its name says: `.warc`, `.ndjson`, `.jsonl` or `.txt`, also with `.gz` and `.zst`. Where that says nothing, a file
    /// of a directory or a list is a robots.txt file; an input that was named alone, and a stream, is told by its first bytes.
    #[default]
    Auto,
    /// A robots.txt file.
    Robots,
    /// A JSON object a line.
    Ndjson,
    /// A WARC archive.
    Warc,
}

impl Form {
    /// What the name of a file says, without regard to case; [`Form::Auto`], if nothing.
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

/// Where an item is: in which input, counted from 0, and where in that, counted from 1; 0 for a file that is one item.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Place {
    pub(crate) input: u64,
    pub(crate) record: u64,
}

impl Place {
    /// The number of an error at an input's end, which is no record of it.
    pub(crate) const END: u64 = u64::MAX;

    /// The one behind it.
    pub(crate) const fn next(self) -> Self {
        Self { input: self.input, record: self.record.saturating_add(1) }
    }

    /// The number of the record or line in its input.
    pub(crate) fn number(self) -> Option<u64> {
        Some(self.record).filter(|record| (1..Self::END).contains(record))
    }
}

/// A file, an archive or a stream.
#[derive(Debug)]
pub(crate) struct Input {
    /// As messages and records have it: printable ASCII.
    pub(crate) name: Arc<str>,
    /// Where its text belongs in a directory of texts; an archive has none.
    pub(crate) mirror: Option<PathBuf>,
    /// Its size, where that is known: a changed input is told by it.
    pub(crate) bytes: Option<u64>,
}

impl Input {
    pub(crate) fn named(name: impl Into<Arc<str>>) -> Self {
        Self { name: name.into(), mirror: None, bytes: None }
    }
}

/// Something to be done: [`Filter::run`](crate::Filter::run) makes a record of it.
#[derive(Debug)]
pub struct Item {
    pub(crate) place: Place,
    pub(crate) input: Arc<Input>,
    pub(crate) load: Load,
}

impl Item {
    /// The name of the input that it comes from, in printable ASCII.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.input.name
    }

    /// The number of the record or line in that input, counted from 1; none for a file that is one item.
    #[must_use]
    pub fn number(&self) -> Option<u64> {
        self.place.number()
    }
}

#[derive(Debug)]
pub(crate) enum Load {
    /// A robots.txt file to be read.
    File(PathBuf),
    /// One that was read.
    Bytes(Vec<u8>),
    /// A line of NDJSON.
    Line(Vec<u8>),
    Record(warc::Record),
    /// Nothing to be done, and why.
    Skipped(&'static str),
    /// What can't be read, by kind and in words.
    Failed(&'static str, String),
}

impl Load {
    /// An input, or a part of it, that the system or a decoder can't read.
    pub(crate) fn unreadable(error: &std::io::Error) -> Self {
        Self::Failed("unreadable", error.to_string())
    }

    /// Bytes that are held.
    pub(crate) const fn bytes(&self) -> usize {
        match self {
            Self::Bytes(bytes) | Self::Line(bytes) => bytes.len(),
            Self::Record(record) => record.block.len(),
            Self::File(_) | Self::Skipped(_) | Self::Failed(..) => 0,
        }
    }
}
