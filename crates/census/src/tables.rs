//! Writes the tables of the normal form, and the store of texts, from its lines.
//!
//! Invariant: a table has its name only when all tables are complete, `files` last, and its bytes depend on the lines
//! alone. A part is written under its lock, and its tables get their names under the lock of the folder, at places that
//! are free or of the same run. Memory holds one group of rows for each table, and 16 bytes for each text.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fmt;
use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use robosieve_batch::lines::{Lines, Next};
use robosieve_batch::{Outcome, stream};
use serde::{Deserialize, Serialize};

use crate::cells::{Cell, Form};
use crate::columns::Column;
use crate::expected::{Compared, Expected};
use crate::lock::Lock;
use crate::normal::{Entry, FILE, FileRow, NameRow, PolicyRow, Row, TextRow, columns, line};
use crate::parquet::Writer;
use crate::parts::{CRAWL, TABLES, entries, listed};
use crate::stored::{MAX_LINE, key};

/// The number of crawls in one run. Our choice: each has four files that are open.
pub const MAX_CRAWLS: usize = 200;
/// The number of a part is less than this: the rest of a file's number is its place in the part.
pub const MAX_PARTS: u32 = 1 << 22;

/// The form of tables.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum TableForm {
    /// Apache Parquet, packed with zstd.
    #[default]
    Parquet,
    /// Lines, as those of [`Form`].
    Lines(Form),
}

impl TableForm {
    const fn extension(self) -> &'static str {
        match self {
            Self::Parquet => "parquet",
            Self::Lines(Form::Ndjson) => "ndjson",
            Self::Lines(Form::Csv) => "csv",
        }
    }
}

/// A table that is written.
enum Table {
    Parquet(Box<Writer>),
    Lines(Form, BufWriter<File>),
}

impl Table {
    /// Readers look for something in the column `filtered`.
    fn new(path: &Path, columns: &[Column], filtered: Option<&str>, form: TableForm) -> io::Result<Self> {
        fs::create_dir_all(path.parent().unwrap_or(path))?;
        let mut file = File::create(path)?;
        match form {
            TableForm::Parquet => Ok(Self::Parquet(Box::new(Writer::new(file, columns, filtered)?))),
            TableForm::Lines(form) => {
                file.write_all(&head(form, columns))?;
                Ok(Self::Lines(form, BufWriter::new(file)))
            }
        }
    }

    fn push<R: Row>(&mut self, file: Option<u64>, row: &R) -> io::Result<()> {
        match self {
            Self::Parquet(writer) => writer.push(file, row),
            Self::Lines(form, out) => {
                let mut bytes = Vec::new();
                let front = file.map(|file| (FILE.name, Cell::Count(file)));
                line(front.as_slice(), row, *form, &mut bytes);
                out.write_all(&bytes)
            }
        }
    }

    fn finish(self) -> io::Result<()> {
        match self {
            Self::Parquet(writer) => writer.finish(),
            Self::Lines(_, out) => out.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all(),
        }
    }
}

/// The tables of a crawl.
struct Crawl {
    files: Table,
    policies: Table,
    names: Table,
    texts: Table,
    /// The texts that are written.
    known: HashSet<u128>,
    /// The number of the next file.
    next: u64,
}

/// How many rows were written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct Written {
    /// Rows of `files`, by crawl.
    pub files: BTreeMap<String, u64>,
    /// Rows of `files` by outcome.
    pub outcomes: BTreeMap<String, u64>,
    /// Rows of `policies`.
    pub policies: u64,
    /// Rows of `names`.
    pub names: u64,
    /// Rows of `texts`: distinct texts of each crawl.
    pub texts: u64,
    /// Files that are not whole.
    pub truncated: u64,
    /// Texts that do not answer as their files do.
    pub inexact: u64,
    /// Lines that were none of the normal form.
    pub unread: u64,
    /// The records of the archives, as they were expected and as they were read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected: Option<Compared>,
}

impl Written {
    /// The files that could not be read: those of archives that are cut or missing, too.
    #[must_use]
    pub fn failed(&self) -> u64 {
        self.outcomes.get(Outcome::Failed.as_str()).copied().unwrap_or(0)
    }

    /// The others.
    #[must_use]
    pub fn whole(&self) -> u64 {
        self.files.values().fold(0_u64, |sum, more| sum.saturating_add(*more)).saturating_sub(self.failed())
    }

    /// Whether not all could be read, or was as expected.
    #[must_use]
    pub fn differs(&self) -> bool {
        self.unread > 0 || self.failed() > 0 || self.expected.as_ref().is_some_and(|compared| compared.differ > 0)
    }
}

/// A table that is there is of another run: of the same part of this crawl, but with another name for the crawl.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Taken {
    /// The crawl.
    pub crawl: String,
}

impl fmt::Display for Taken {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "this part of the crawl {} is of another run", self.crawl)
    }
}

impl std::error::Error for Taken {}

/// Writes tables to a folder.
///
/// A table is `FOLDER/TABLE/crawl=NAME/PART.parquet`, so `DuckDB`, pandas, Polars and Spark read `FOLDER/TABLE` as one
/// table with a column `crawl`.
#[derive(Clone, Debug)]
pub struct Tables {
    folder: PathBuf,
    form: TableForm,
    crawl: Option<String>,
    part: u32,
    expected: Option<Expected>,
}

impl Tables {
    /// Tables below this folder, as part 0 of each crawl, in Parquet.
    #[must_use]
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into(), form: TableForm::Parquet, crawl: None, part: 0, expected: None }
    }

    /// The form of the tables.
    #[must_use]
    pub const fn form(mut self, form: TableForm) -> Self {
        self.form = form;
        self
    }

    /// The name of the crawl. Without one it is that in the names of the inputs (`CC-MAIN-2026-04`), or else `none`.
    #[must_use]
    pub fn crawl(mut self, crawl: Option<String>) -> Self {
        self.crawl = crawl;
        self
    }

    /// The number of the part, below [`MAX_PARTS`]. Several runs write parts of one crawl.
    #[must_use]
    pub const fn part(mut self, part: u32) -> Self {
        self.part = part;
        self
    }

    /// How many records the archives should have.
    #[must_use]
    pub fn expected(mut self, expected: Option<Expected>) -> Self {
        self.expected = expected;
        self
    }

    fn name(&self) -> String {
        format!("{:05}.{}", self.part, self.form.extension())
    }

    /// What a run has for itself. `new` is where this part is written before it is complete; `named` was that, and says
    /// which tables are of a run that ended while it gave them their names.
    fn aside(&self, what: &str) -> PathBuf {
        let crawl = self.crawl.as_ref().map(|crawl| format!("{crawl}-")).unwrap_or_default();
        self.folder.join(format!(".part-{crawl}{}.{what}", self.part))
    }

    /// The place of a part of a table.
    fn place(&self, table: &str, crawl: &str) -> PathBuf {
        self.place_in(&self.folder, table, crawl)
    }

    fn place_in(&self, folder: &Path, table: &str, crawl: &str) -> PathBuf {
        folder.join(table).join(format!("{CRAWL}{crawl}")).join(self.name())
    }

    /// Makes the folder, and locks this part of it: until the lock is dropped, no other run writes it.
    ///
    /// # Errors
    /// `WouldBlock` if another run has it. Others if the folder cannot be made or written, or has no locks.
    pub fn lock(&self) -> io::Result<Lock> {
        fs::create_dir_all(&self.folder)?;
        Lock::new(self.aside("lock"))
    }

    /// Whether this file of a table is one of ours, by its first bytes, and by its last if it is whole.
    fn is_own(&self, path: &Path, is_whole: bool) -> io::Result<bool> {
        const MARK: &[u8] = b"PAR1";
        if !fs::symlink_metadata(path)?.is_file() {
            return Ok(false);
        }
        let table =
            path.ancestors().nth(2).and_then(Path::file_name).and_then(|name| name.to_str()).unwrap_or_default();
        let head = match self.form {
            TableForm::Parquet => MARK.to_vec(),
            TableForm::Lines(Form::Ndjson) => b"{\"v\":".to_vec(),
            TableForm::Lines(form) => head(form, &columns_of(table)),
        };
        let (mut file, mut found) = (File::open(path)?, Vec::new());
        Read::by_ref(&mut file).take(head.len().try_into().unwrap_or(u64::MAX)).read_to_end(&mut found)?;
        if found != head {
            let may_be_empty = self.form == TableForm::Lines(Form::Ndjson);
            return Ok(if is_whole { may_be_empty && found.is_empty() } else { head.starts_with(&found) });
        }
        if !is_whole || self.form != TableForm::Parquet {
            return Ok(true);
        }
        let mut end = Vec::new();
        file.seek(SeekFrom::End(-4))?;
        file.read_to_end(&mut end)?;
        Ok(end == MARK)
    }

    /// A table in the folder that has another form, if there is one: readers would not see both.
    #[must_use]
    pub fn other_form(&self) -> Option<PathBuf> {
        let found = listed(&self.folder.join("files")).unwrap_or_default();
        let mut found = found.iter().flat_map(|folder| listed(folder).unwrap_or_default());
        found.find(|path| path.extension().is_some_and(|extension| extension != self.form.extension()))
    }

    /// The files of this part that are there already.
    #[must_use]
    pub fn there(&self) -> Vec<PathBuf> {
        let found = TABLES.iter().flat_map(|table| listed(&self.folder.join(table)).unwrap_or_default());
        let own = found.filter(|folder| {
            let named = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
            self.crawl.as_ref().is_none_or(|crawl| named == format!("{CRAWL}{crawl}"))
        });
        own.map(|folder| folder.join(self.name())).filter(|path| path.symlink_metadata().is_ok()).collect()
    }

    /// The first of these files that is no table of a census, or cannot be read.
    #[must_use]
    pub fn no_table<'p>(&self, there: &'p [PathBuf]) -> Option<&'p Path> {
        there.iter().find(|path| !self.is_own(path, true).unwrap_or_default()).map(PathBuf::as_path)
    }

    /// Writes the tables of these lines, under a lock of the part: [`Tables::lock`], [`Tables::write_locked`] and
    /// [`Tables::complete`], for those who need it no longer than this.
    ///
    /// # Errors
    /// Those of the three.
    pub fn write(&self, lines: impl Read + Send, earlier: &BTreeSet<String>) -> io::Result<Written> {
        let lock = self.lock()?;
        let written = self.write_locked(&lock, lines, earlier, &|_| true)?;
        self.complete(&lock)?;
        Ok(written)
    }

    /// Writes the tables of these lines. Those of this part in the crawls `earlier`, which an earlier run of it wrote,
    /// are replaced, or removed if these lines have none of them; but nothing is changed if there are no lines, or what
    /// is written is not `worth` it. Call [`Tables::complete`] when it is known for good what the tables are of. Cost:
    /// memory for a group of rows of each crawl, and for each of its texts 16 bytes.
    ///
    /// # Errors
    /// If the lines cannot be read, the tables cannot be written, there are more crawls than [`MAX_CRAWLS`], or the
    /// folder in which they are made has something else. An error that holds [`Taken`] if a table is there that is
    /// neither of the crawls `earlier` nor of a run of this part that was killed: nothing is changed then.
    pub fn write_locked(
        &self,
        _: &Lock,
        lines: impl Read + Send,
        earlier: &BTreeSet<String>,
        worth: &dyn Fn(&Written) -> bool,
    ) -> io::Result<Written> {
        let aside = self.aside("new");
        self.clear(&aside)?;
        let mut lines = Lines::new(stream::unpacked(Box::new(lines))?, MAX_LINE);
        let (mut crawls, mut written) = (BTreeMap::<String, Crawl>::new(), Written::default());
        let mut expected = self.expected.clone();
        loop {
            let entry = match lines.next_line()? {
                Next::End => break,
                Next::Line(line) => Entry::read(line),
                Next::TooLong => None,
            };
            let Some(entry) = entry else {
                written.unread = written.unread.saturating_add(1);
                continue;
            };
            if let Some(expected) = expected
                .as_mut()
                .filter(|_| entry.file.redirects == 0 && entry.file.outcome != Outcome::Failed.as_str())
            {
                expected.add(&entry.file.source);
            }
            let name = self.crawl.as_deref().or_else(|| crawl_in(&entry.file.source)).unwrap_or("none");
            if !crawls.contains_key(name) {
                if crawls.len() >= MAX_CRAWLS {
                    return Err(io::Error::other(format!("more than {MAX_CRAWLS} crawls: make several runs")));
                }
                crawls.insert(name.to_owned(), self.open(&aside, name)?);
            }
            if let Some(crawl) = crawls.get_mut(name) {
                crawl.add(&entry, &mut written)?;
            }
            add(written.files.entry(name.to_owned()).or_default(), 1);
        }
        for crawl in crawls.into_values() {
            for table in [crawl.files, crawl.policies, crawl.names, crawl.texts] {
                table.finish()?;
            }
        }
        written.expected = expected.map(Expected::compared);
        if !written.files.is_empty() && worth(&written) {
            self.give_names(&aside, &written.files.keys().collect(), earlier)?;
        }
        Ok(written)
    }

    /// Says that it is known what the tables are of: a run that is killed from now on takes none of them back.
    ///
    /// # Errors
    /// If what the run had for itself cannot be removed.
    pub fn complete(&self, _: &Lock) -> io::Result<()> {
        self.clear(&self.aside("named"))
    }

    fn open(&self, aside: &Path, crawl: &str) -> io::Result<Crawl> {
        let path = |table| self.place_in(aside, table, crawl);
        let new = |table, filtered| Table::new(&path(table), &columns_of(table), filtered, self.form);
        Ok(Crawl {
            files: new("files", Some("host"))?,
            policies: new("policies", None)?,
            names: new("names", None)?,
            texts: new("texts", Some("hash"))?,
            known: HashSet::new(),
            next: u64::from(self.part) << 40,
        })
    }

    /// Gives the tables of these crawls their names. A reader follows `files`, so a part of it comes last. What is
    /// there is asked for now, because a run with another name for the crawl may have come first.
    fn give_names(&self, aside: &Path, crawls: &BTreeSet<&String>, earlier: &BTreeSet<String>) -> io::Result<()> {
        let _lock = Lock::wait(&self.folder.join(".census.lock"))?;
        let named = self.aside("named");
        self.take_back(&named)?;
        for crawl in crawls {
            for place in TABLES.map(|table| self.place(table, crawl)) {
                if let Err(error) = fs::symlink_metadata(&place) {
                    if is_missing(&error) {
                        continue;
                    }
                    return Err(error);
                }
                if !self.is_own(&place, true)? {
                    return Err(not_ours(&place));
                }
                if !earlier.contains(*crawl) {
                    return Err(io::Error::new(io::ErrorKind::AlreadyExists, Taken { crawl: (*crawl).clone() }));
                }
            }
        }
        let gone = earlier.iter().filter(|crawl| !crawls.contains(crawl));
        let gone: Vec<_> = gone.flat_map(|crawl| TABLES.map(|table| self.place(table, crawl))).collect();
        let gone: Vec<_> = gone.into_iter().filter(|place| place.symlink_metadata().is_ok()).collect();
        if let Some(place) = self.no_table(&gone) {
            return Err(not_ours(place));
        }
        fs::rename(aside, &named)?;
        gone.iter().try_for_each(|place| gone_for_good(place))?;
        for crawl in crawls {
            removed(&self.place("files", crawl))?;
            for table in TABLES.iter().rev() {
                let to = self.place(table, crawl);
                fs::create_dir_all(to.parent().unwrap_or(&to))?;
                fs::rename(self.place_in(&named, table, crawl), to)?;
            }
        }
        Ok(())
    }

    /// Removes the tables of a run that ended before it was known what they are of.
    fn take_back(&self, named: &Path) -> io::Result<()> {
        for table in TABLES {
            for crawl in entries(&named.join(table))? {
                let place = self.folder.join(table).join(crawl.file_name().unwrap_or_default()).join(self.name());
                if crawl.join(self.name()).symlink_metadata().is_err() && place.symlink_metadata().is_ok() {
                    if !self.is_own(&place, true)? {
                        return Err(not_ours(&place));
                    }
                    gone_for_good(&place)?;
                }
            }
        }
        self.clear(named)
    }

    /// Removes what a run that ended early left of a part. Only that: its tables, with this name.
    fn clear(&self, aside: &Path) -> io::Result<()> {
        let is_ours = |path: &Path, is_one: &dyn Fn(&str) -> bool, is_folder: bool| {
            let found = fs::symlink_metadata(path)?;
            let own = path.file_name().is_some_and(|own| own.to_str().is_some_and(is_one));
            if own && found.is_dir() == is_folder && (is_folder || self.is_own(path, false)?) {
                return Ok(());
            }
            Err(not_ours(path))
        };
        if let Err(error) = fs::symlink_metadata(aside) {
            return if is_missing(&error) { Ok(()) } else { Err(error) };
        }
        is_ours(aside, &|_| true, true)?;
        for table in entries(aside)? {
            is_ours(&table, &|own| TABLES.contains(&own), true)?;
            for crawl in entries(&table)? {
                is_ours(&crawl, &|own| own.starts_with(CRAWL), true)?;
                for part in entries(&crawl)? {
                    is_ours(&part, &|own| own == self.name(), false)?;
                }
            }
        }
        fs::remove_dir_all(aside)
    }
}

fn not_ours(path: &Path) -> io::Error {
    let path = robosieve::printable::name_of(path);
    io::Error::other(format!("{path}: is of no run of a census: move it away"))
}

fn columns_of(table: &str) -> Vec<Column> {
    match table {
        "files" => columns::<FileRow>(true),
        "policies" => columns::<PolicyRow>(true),
        "names" => columns::<NameRow>(true),
        _ => columns::<TextRow>(false),
    }
}

fn head(form: Form, columns: &[Column]) -> Vec<u8> {
    form.head(["v"].into_iter().chain(columns.iter().map(|column| column.name)))
}

/// Removes a part, and its crawl's folder if that was all: a crawl without tables is one that was interrupted.
fn gone_for_good(part: &Path) -> io::Result<()> {
    removed(part)?;
    // One with other parts stays.
    let _ = part.parent().map(fs::remove_dir);
    Ok(())
}

fn removed(path: &Path) -> io::Result<()> {
    fs::remove_file(path).or_else(|error| if is_missing(&error) { Ok(()) } else { Err(error) })
}

fn is_missing(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::NotFound
}

impl Crawl {
    fn add(&mut self, entry: &Entry, written: &mut Written) -> io::Result<()> {
        let file = Some(self.next);
        self.next = self.next.saturating_add(1);
        self.files.push(file, &entry.file)?;
        add(written.outcomes.entry(entry.file.outcome.clone()).or_default(), 1);
        add(&mut written.truncated, entry.file.truncated.is_some().into());
        for policy in &entry.policies {
            self.policies.push(file, policy)?;
            add(&mut written.policies, 1);
            add(&mut written.inexact, (!policy.exact).into());
        }
        for name in &entry.names {
            self.names.push(file, name)?;
            add(&mut written.names, 1);
        }
        for text in &entry.texts {
            if key(&text.hash).is_none_or(|key| self.known.insert(key)) {
                self.texts.push(None, text)?;
                add(&mut written.texts, 1);
            }
        }
        Ok(())
    }
}

fn add(sum: &mut u64, more: u64) {
    *sum = sum.saturating_add(more);
}

/// The name of a crawl of Common Crawl in the name of an input.
fn crawl_in(source: &str) -> Option<&str> {
    const FORM: &[u8] = b"CC-MAIN-dddd-dd";
    source.match_indices("CC-MAIN-").find_map(|(at, _)| {
        let name = source.get(at..at.checked_add(FORM.len())?)?;
        let fits = name.bytes().zip(FORM).all(|(byte, form)| match form {
            b'd' => byte.is_ascii_digit(),
            form => byte == *form,
        });
        fits.then_some(name)
    })
}
