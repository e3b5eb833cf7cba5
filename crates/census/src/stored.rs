//! Reads the normal form: lines, or tables as Parquet.
//!
//! Invariant: both give the same entries in the same order, crawl by crawl. Tables have no texts in their entries:
//! [`Stored::texts`] gives those.

#[cfg(feature = "parquet")]
use std::collections::HashSet;
#[cfg(feature = "parquet")]
use std::fs;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use robosieve::printable::name_of;
use robosieve_batch::lines::{Lines, Next};
use robosieve_batch::stream;

use crate::normal::Entry;
#[cfg(feature = "parquet")]
use crate::normal::{FileRow, NameRow, PolicyRow, Row, TextRow, columns};
#[cfg(feature = "parquet")]
use crate::parquet::Reader;

/// The length of a line of the normal form in bytes. Our choice: a file of 500 KiB whose every group is a policy.
pub(crate) const MAX_LINE: usize = 1 << 26;

/// The names of the tables, which are those of their folders.
pub(crate) const TABLES: [&str; 4] = ["files", "policies", "names", "texts"];

/// 16 bytes of a hash. It is practically impossible that two texts have the same. None if there is no text.
pub(crate) fn key(hash: &str) -> Option<u128> {
    let digits = hash.strip_prefix("sha256:").and_then(|hex| hex.get(..32));
    digits.and_then(|digits| u128::from_str_radix(digits, 16).ok())
}

/// Lines of the normal form, or a folder with its tables.
#[derive(Clone, Debug)]
pub struct Stored {
    path: PathBuf,
    is_folder: bool,
}

/// What was read next.
#[derive(Debug)]
#[non_exhaustive]
pub enum Read<'c> {
    /// A file, and the name of its crawl, if it is in tables.
    Entry(Box<Entry>, Option<&'c str>),
    /// The line with this number is none of the normal form.
    Unread(u64),
}

impl Stored {
    /// A file of lines (packed or not), or a folder with the tables `files`, `policies` and `names`.
    #[must_use]
    pub fn new(path: impl Into<PathBuf>) -> Self {
        let path = path.into();
        Self { is_folder: Self::is_one(&path), path }
    }

    /// Whether the path is a folder with tables.
    #[must_use]
    pub fn is_one(path: &Path) -> bool {
        TABLES.iter().take(3).all(|table| path.join(table).is_dir())
    }

    /// The file, or the folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What cannot be read, and why.
    fn failed(&self, error: &io::Error) -> io::Error {
        io::Error::new(error.kind(), format!("{}: {error}", name_of(&self.path)))
    }

    /// Gives all files. Cost: one entry, and of tables a group of rows of each.
    ///
    /// # Errors
    /// If something cannot be read, with its name, or `each` fails.
    pub fn each<E: From<io::Error>>(&self, each: &mut dyn FnMut(Read<'_>) -> Result<(), E>) -> Result<(), E> {
        if self.is_folder { self.of_tables(each) } else { self.of_lines(each) }
    }

    fn of_lines<E: From<io::Error>>(&self, each: &mut dyn FnMut(Read<'_>) -> Result<(), E>) -> Result<(), E> {
        if self.path.is_dir() {
            let why = "has no tables of a census: name the folder that `robosieve census -o FOLDER` wrote";
            return Err(self.failed(&io::Error::other(why)).into());
        }
        let file = File::open(&self.path).and_then(|file| stream::unpacked(Box::new(file)));
        let mut lines = Lines::new(file.map_err(|error| self.failed(&error))?, MAX_LINE);
        let mut number = 0_u64;
        loop {
            number = number.saturating_add(1);
            let entry = match lines.next_line().map_err(|error| self.failed(&error))? {
                Next::End => return Ok(()),
                Next::Line(line) if line.trim_ascii().is_empty() => continue,
                Next::Line(line) => Entry::read(line),
                Next::TooLong => None,
            };
            each(entry.map_or(Read::Unread(number), |entry| Read::Entry(Box::new(entry), None)))?;
        }
    }

    #[cfg(not(feature = "parquet"))]
    fn of_tables<E: From<io::Error>>(&self, _: &mut dyn FnMut(Read<'_>) -> Result<(), E>) -> Result<(), E> {
        let why = "this program reads no tables: build it with the feature `parquet`";
        Err(self.failed(&io::Error::other(why)).into())
    }

    #[cfg(feature = "parquet")]
    fn of_tables<E: From<io::Error>>(&self, each: &mut dyn FnMut(Read<'_>) -> Result<(), E>) -> Result<(), E> {
        let found = parts(&self.path.join("files"));
        if found.is_empty() {
            let why = "has no tables as Parquet: make them without --format, or name a census in lines (.ndjson)";
            return Err(self.failed(&io::Error::other(why)).into());
        }
        let mut crawls: Vec<_> = found.iter().filter_map(|path| path.parent()?.file_name()).collect();
        crawls.dedup();
        for crawl in crawls {
            let mut rows = Crawl::new(&self.path, Path::new(crawl));
            let crawl = crawl.to_string_lossy();
            let crawl = crawl.strip_prefix("crawl=").unwrap_or(&crawl);
            while let Some(entry) = rows.next_entry().map_err(|error| self.failed(&error))? {
                each(Read::Entry(Box::new(entry), Some(crawl)))?;
            }
        }
        Ok(())
    }

    /// Gives the texts of tables with these hashes: 16 bytes of each.
    #[cfg(feature = "parquet")]
    pub(crate) fn texts(
        &self,
        wanted: &HashSet<u128>,
        each: &mut dyn FnMut(TextRow) -> io::Result<()>,
    ) -> io::Result<()> {
        for path in parts(&self.path.join("texts")) {
            let failed = |error| self.failed(&error);
            let mut texts = Reader::open(&path, columns::<TextRow>(false)).map_err(failed)?;
            while let Some((_, text)) = texts.next::<TextRow>(false).map_err(failed)? {
                if key(&text.hash).is_some_and(|key| wanted.contains(&key)) {
                    each(text)?;
                }
            }
        }
        Ok(())
    }
}

/// The tables of a crawl.
#[cfg(feature = "parquet")]
struct Crawl {
    files: Ahead<FileRow>,
    policies: Ahead<PolicyRow>,
    names: Ahead<NameRow>,
}

#[cfg(feature = "parquet")]
impl Crawl {
    /// Those in folders of this name.
    fn new(folder: &Path, crawl: &Path) -> Self {
        let parts = |table: &str| parts_of(&folder.join(table).join(crawl));
        Self {
            files: Ahead::new(parts("files")),
            policies: Ahead::new(parts("policies")),
            names: Ahead::new(parts("names")),
        }
    }

    fn next_entry(&mut self) -> io::Result<Option<Entry>> {
        let Some((number, file)) = self.files.next()? else { return Ok(None) };
        if self.files.peek()?.is_some_and(|next| next == number) {
            return Err(io::Error::other(format!("two files have the number {number}")));
        }
        let (policies, names) = (self.policies.of(number)?, self.names.of(number)?);
        let lacks =
            || io::Error::other(format!("file {number} lacks rows of `policies` or `names`, or has those of others"));
        Entry::of_rows(file, policies, names).map(Some).ok_or_else(lacks)
    }
}

/// The rows of a table of a crawl, part by part. They follow the files, by number.
#[cfg(feature = "parquet")]
struct Ahead<R> {
    parts: std::vec::IntoIter<PathBuf>,
    reader: Option<Reader>,
    next: Option<(u64, R)>,
    last: u64,
}

#[cfg(feature = "parquet")]
impl<R: Row> Ahead<R> {
    fn new(parts: Vec<PathBuf>) -> Self {
        Self { parts: parts.into_iter(), reader: None, next: None, last: 0 }
    }

    /// The number of the file of the next row.
    fn peek(&mut self) -> io::Result<Option<u64>> {
        while self.next.is_none() {
            if let Some(reader) = &mut self.reader
                && let Some(next) = reader.next(true)?
            {
                if next.0 < self.last {
                    return Err(io::Error::other(format!("the rows of file {} are not in the order of files", next.0)));
                }
                self.last = next.0;
                self.next = Some(next);
                break;
            }
            let Some(path) = self.parts.next() else { return Ok(None) };
            self.reader = Some(Reader::open(&path, columns::<R>(true))?);
        }
        Ok(self.next.as_ref().map(|(number, _)| *number))
    }

    fn next(&mut self) -> io::Result<Option<(u64, R)>> {
        self.peek()?;
        Ok(self.next.take())
    }

    /// The rows of this file. Those before it are of a part that is not complete.
    fn of(&mut self, file: u64) -> io::Result<Vec<R>> {
        let mut rows = Vec::new();
        while self.peek()?.is_some_and(|number| number <= file) {
            rows.extend(self.next()?.filter(|(number, _)| *number == file).map(|(_, row)| row));
        }
        Ok(rows)
    }
}

#[cfg(feature = "parquet")]
/// The folders in a folder, by name.
pub(crate) fn folders(path: &Path) -> Vec<PathBuf> {
    let found = fs::read_dir(path).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut found: Vec<PathBuf> = found.filter(|path| path.is_dir()).collect();
    found.sort();
    found
}

#[cfg(feature = "parquet")]
/// The Parquet files of a table, by crawl and part.
pub(crate) fn parts(table: &Path) -> Vec<PathBuf> {
    folders(table).iter().flat_map(|folder| parts_of(folder)).collect()
}

#[cfg(feature = "parquet")]
/// The Parquet files in a folder, by part. A number of more digits is a later one.
fn parts_of(folder: &Path) -> Vec<PathBuf> {
    let is_part = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "parquet");
    let found = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut found: Vec<PathBuf> = found.filter(is_part).collect();
    found.sort_by_key(|path| (path.as_os_str().len(), path.clone()));
    found
}
