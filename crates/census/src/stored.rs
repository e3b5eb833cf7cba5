//! Reads the normal form: lines, or tables as Parquet.
//!
//! Invariant: both give the same entries in the same order, crawl by crawl. Tables have no texts in their entries:
//! [`Stored::texts`] gives those. Of a few hosts, tables give the same entries as they would if all were read.

use std::collections::{BTreeMap, HashSet};
#[cfg(feature = "parquet")]
use std::collections::{BTreeSet, VecDeque};
use std::fs::File;
use std::io;
#[cfg(feature = "parquet")]
use std::mem;
use std::path::{Path, PathBuf};

use robosieve::printable::name_of;
use robosieve_batch::lines::{Lines, Next};
use robosieve_batch::stream;

use crate::normal::{Entry, TextRow};
#[cfg(feature = "parquet")]
use crate::normal::{FILE, FileRow, NameRow, PolicyRow, Row, columns};
#[cfg(feature = "parquet")]
use crate::parquet::{Reader, Wanted, Where};
use crate::parts::{Parts, TABLES, expect_of_cards, parts, running};

/// The length of a line of the normal form in bytes. Our choice: a file of 500 KiB whose every group is a policy.
pub(crate) const MAX_LINE: usize = 1 << 26;

/// The number of hosts or hashes that are looked for in tables. Our choice: with more, most of it would be read anyway.
const MAX_WANTED: usize = 64;
/// The number of files of these hosts whose rows are looked for at once. Our choice: some 10 MB of memory.
#[cfg(feature = "parquet")]
const AT_ONCE: usize = 1 << 12;

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
    /// The folder of the only crawl of the tables that is read.
    crawl: Option<String>,
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
        Self { is_folder: Self::is_one(&path), path, crawl: None }
    }

    /// Each crawl of tables by itself, by name, if there are several. None otherwise: this is one.
    #[must_use]
    pub fn crawls(&self) -> Vec<(String, Self)> {
        if !self.is_folder {
            return Vec::new();
        }
        let Ok(found) = self.parts() else { return Vec::new() };
        let one = |folder: String| {
            let name = Parts::crawl_of(&folder).to_owned();
            (name, Self { crawl: Some(folder), ..self.clone() })
        };
        let crawls: Vec<_> = found.into_keys().map(one).collect();
        if crawls.len() > 1 { crawls } else { Vec::new() }
    }

    /// The Parquet files of the crawls in a folder of tables, by the names of their folders.
    ///
    /// # Errors
    /// If a folder cannot be listed or holds something else, an interrupted run left parts, or there are none.
    pub fn parts(&self) -> io::Result<BTreeMap<String, Parts>> {
        let found = parts(&self.path, self.crawl.as_deref()).map_err(|error| self.failed(&error))?;
        if found.values().all(Parts::is_empty) {
            let why = "has no tables as Parquet: make them without --format, or name a census in lines (.ndjson)";
            return Err(self.failed(&io::Error::other(why)));
        }
        // One crawl of several was found by this.
        if self.crawl.is_none() {
            expect_of_cards(&self.path, &found).map_err(|error| self.failed(&error))?;
        }
        Ok(found)
    }

    /// A file of a run in the folder of tables that has not written its tables yet: what it reads is not in answers.
    #[must_use]
    pub fn running(&self) -> Option<PathBuf> {
        self.is_folder.then(|| running(&self.path)).flatten()
    }

    /// Whether the path is a folder with tables.
    #[must_use]
    pub fn is_one(path: &Path) -> bool {
        TABLES.iter().take(3).all(|table| path.join(table).is_dir())
    }

    /// The census that a path is of: it is one, or in the folder with its tables. Cost: the first line of a file of lines.
    #[must_use]
    pub fn census_of(path: &Path) -> Option<PathBuf> {
        // A file of a table is three folders below.
        if let Some(folder) = path.ancestors().take(4).find(|path| Self::is_one(path)) {
            return Some(if folder == Path::new("") { PathBuf::from(".") } else { folder.to_owned() });
        }
        if robosieve_batch::Form::of_name(path) != robosieve_batch::Form::Ndjson || !path.is_file() {
            return None;
        }
        let mut lines = Lines::new(stream::unpacked(Box::new(File::open(path).ok()?)).ok()?, MAX_LINE);
        let Ok(Next::Line(line)) = lines.next_line() else { return None };
        Entry::read(line).map(|_| path.to_owned())
    }

    /// The file, or the folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What cannot be read, and why.
    fn failed(&self, error: &io::Error) -> io::Error {
        let crawl = self.crawl.as_ref().map(|crawl| format!(" ({crawl})")).unwrap_or_default();
        io::Error::new(error.kind(), format!("{}{crawl}: {error}", name_of(&self.path)))
    }

    /// Gives all files. Cost: one entry, and of tables a group of rows of each.
    ///
    /// # Errors
    /// If something cannot be read, with its name, or `each` fails.
    pub fn each<E: From<io::Error>>(&self, each: &mut dyn FnMut(Read<'_>) -> Result<(), E>) -> Result<(), E> {
        if self.is_folder { self.of_tables(None, each) } else { self.of_lines(each) }
    }

    /// Gives all files of these hosts, and perhaps others. Cost: that of [`Stored::each`]; of tables and at most 64 hosts,
    /// a column of the groups of rows that could have one of them, and the rows.
    ///
    /// # Errors
    /// Those of [`Stored::each`].
    pub fn each_of<E: From<io::Error>>(
        &self,
        hosts: &HashSet<&str>,
        each: &mut dyn FnMut(Read<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        if self.is_folder {
            self.of_tables(Some(hosts).filter(|hosts| hosts.len() <= MAX_WANTED), each)
        } else {
            self.of_lines(each)
        }
    }

    fn of_lines<E: From<io::Error>>(&self, each: &mut dyn FnMut(Read<'_>) -> Result<(), E>) -> Result<(), E> {
        let census = Self::census_of(&self.path).filter(|census| *census != self.path);
        if census.is_some() || self.path.is_dir() {
            let folder = census
                .map_or_else(|| "the folder that `robosieve census -o FOLDER` wrote".into(), |path| name_of(&path));
            return Err(self.failed(&io::Error::other(format!("has no tables of a census: name {folder}"))).into());
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
    fn of_tables<E: From<io::Error>>(
        &self,
        _: Option<&HashSet<&str>>,
        _: &mut dyn FnMut(Read<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let why = "this program reads no tables: build it with the feature `parquet`";
        Err(self.failed(&io::Error::other(why)).into())
    }

    #[cfg(feature = "parquet")]
    fn of_tables<E: From<io::Error>>(
        &self,
        hosts: Option<&HashSet<&str>>,
        each: &mut dyn FnMut(Read<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        for (folder, parts) in self.parts()? {
            let failed = |error| self.failed(&error);
            let mut rows = Crawl::new(parts, hosts);
            let crawl = Parts::crawl_of(&folder);
            while let Some(entry) = whole(|| rows.next_entry()).map_err(failed)? {
                each(Read::Entry(Box::new(entry), Some(crawl)))?;
            }
        }
        Ok(())
    }

    /// Gives the texts of tables with these hashes. The texts of lines are in their entries.
    ///
    /// # Errors
    /// If something cannot be read, with its name, or `each` fails.
    #[cfg(not(feature = "parquet"))]
    pub fn texts(&self, _: &HashSet<&str>, _: &mut dyn FnMut(TextRow) -> io::Result<()>) -> io::Result<()> {
        Ok(())
    }

    /// Gives the texts of tables with these hashes, once for each part that has them. The texts of lines are in their
    /// entries. Cost: reads all texts; for at most 64 hashes, the hashes of groups of rows that could have one of them.
    ///
    /// # Errors
    /// If something cannot be read, with its name, or `each` fails.
    #[cfg(feature = "parquet")]
    pub fn texts(&self, hashes: &HashSet<&str>, each: &mut dyn FnMut(TextRow) -> io::Result<()>) -> io::Result<()> {
        if hashes.is_empty() {
            return Ok(());
        }
        let failed = |error| self.failed(&error);
        let wanted = (hashes.len() <= MAX_WANTED).then(|| Where::new("hash", of_texts(hashes)));
        for Parts([.., texts]) in parts(&self.path, self.crawl.as_deref()).map_err(failed)?.into_values() {
            for path in texts {
                let open = || Reader::open(&path, columns::<TextRow>(false), wanted.clone());
                let mut texts = whole(open).map_err(failed)?;
                while let Some((_, text)) = whole(|| texts.next::<TextRow>(false)).map_err(failed)? {
                    if hashes.contains(&*text.hash) {
                        each(text)?;
                    }
                }
            }
        }
        Ok(())
    }
}

#[cfg(feature = "parquet")]
fn of_texts(texts: &HashSet<&str>) -> Wanted {
    Wanted::Texts(texts.iter().map(|text| text.as_bytes().to_vec()).collect())
}

/// The tables of a crawl.
#[cfg(feature = "parquet")]
struct Crawl {
    parts: Parts,
    files: Ahead<FileRow>,
    /// If only some are read: those that wait for their rows.
    some: Option<VecDeque<(u64, FileRow)>>,
    policies: Ahead<PolicyRow>,
    names: Ahead<NameRow>,
}

#[cfg(feature = "parquet")]
impl Crawl {
    /// Those of these hosts, or of all.
    fn new(mut parts: Parts, hosts: Option<&HashSet<&str>>) -> Self {
        let wanted = hosts.map(|hosts| Where::new("host", of_texts(hosts)));
        let [files, ..] = &mut parts.0;
        let files = Ahead::new(mem::take(files), wanted);
        let (policies, names) = (Ahead::new(Vec::new(), None), Ahead::new(Vec::new(), None));
        let mut tables = Self { parts, files, some: hosts.map(|_| VecDeque::new()), policies, names };
        if tables.some.is_none() {
            tables.begin_rows(None);
        }
        tables
    }

    /// Begins with the policies and names of these files, or of all.
    fn begin_rows(&mut self, files: Option<BTreeSet<i64>>) {
        let wanted = files.map(|files| Where::new(FILE.name, Wanted::Counts(files)));
        let [_, policies, names, _] = &self.parts.0;
        self.policies = Ahead::new(policies.clone(), wanted.clone());
        self.names = Ahead::new(names.clone(), wanted);
    }

    fn next_file(&mut self) -> io::Result<Option<(u64, FileRow)>> {
        let Some(waiting) = &mut self.some else { return self.files.next() };
        if waiting.is_empty() {
            while waiting.len() < AT_ONCE {
                let Some(file) = self.files.next()? else { break };
                waiting.push_back(file);
            }
            let numbers: BTreeSet<i64> = waiting.iter().filter_map(|(number, _)| i64::try_from(*number).ok()).collect();
            if !numbers.is_empty() {
                self.begin_rows(Some(numbers));
            }
        }
        Ok(self.some.as_mut().and_then(VecDeque::pop_front))
    }

    fn next_entry(&mut self) -> io::Result<Option<Entry>> {
        let Some((number, file)) = self.next_file()? else { return Ok(None) };
        let next = match &self.some {
            Some(waiting) => waiting.front().map(|(number, _)| *number),
            None => self.files.peek()?,
        };
        if next == Some(number) {
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
    wanted: Option<Where>,
    reader: Option<Reader>,
    next: Option<(u64, R)>,
    last: u64,
}

#[cfg(feature = "parquet")]
impl<R: Row> Ahead<R> {
    /// The rows of these parts, or those that are wanted.
    fn new(parts: Vec<PathBuf>, wanted: Option<Where>) -> Self {
        Self { parts: parts.into_iter(), wanted, reader: None, next: None, last: 0 }
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
            self.reader = Some(Reader::open(&path, columns::<R>(true), self.wanted.clone())?);
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

/// What is read, or an error where the reader of Parquet panics: some damaged files make it.
#[cfg(feature = "parquet")]
fn whole<T>(read: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    let read = std::panic::catch_unwind(std::panic::AssertUnwindSafe(read));
    read.unwrap_or_else(|_| Err(io::Error::other("a table is damaged: make the census again")))
}
