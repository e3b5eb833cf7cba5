//! Writes the tables of the normal form, and the store of texts, from its lines.
//!
//! Invariant: a table has its name only when all tables are complete, `files` last, and its bytes depend on the lines
//! alone. Runs that write other parts, or other crawls by name, have nothing in common. Memory holds one group of rows
//! for each table, and 16 bytes for each text.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Write as _};
use std::path::{Path, PathBuf};

use robosieve_batch::lines::{Lines, Next};
use robosieve_batch::stream;
use serde::Serialize;

use crate::cells::{Cell, Form};
use crate::columns::Column;
use crate::expected::{Compared, Expected};
use crate::normal::{Entry, FILE, FileRow, NameRow, PolicyRow, Row, TextRow, columns, line};
use crate::parquet::Writer;
use crate::stored::{MAX_LINE, TABLES, folders, key};

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
                file.write_all(&form.head(["v"].into_iter().chain(columns.iter().map(|column| column.name))))?;
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
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
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

    /// Where this part is written before it is complete.
    fn aside(&self) -> PathBuf {
        let crawl = self.crawl.as_ref().map(|crawl| format!("{crawl}-")).unwrap_or_default();
        self.folder.join(format!(".part-{crawl}{}.new", self.part))
    }

    /// A table in the folder that has another form, if there is one: readers would not see both.
    #[must_use]
    pub fn other_form(&self) -> Option<PathBuf> {
        let found = folders(&self.folder.join("files")).into_iter().flat_map(|folder| entries(&folder));
        let mut found = found.flatten();
        found.find(|path| path.extension().is_some_and(|extension| extension != self.form.extension()))
    }

    /// The files of this part that are there already.
    #[must_use]
    pub fn there(&self) -> Vec<PathBuf> {
        let found = TABLES.iter().flat_map(|table| folders(&self.folder.join(table)));
        let own = found.filter(|folder| {
            let named = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
            self.crawl.as_ref().is_none_or(|crawl| named == format!("crawl={crawl}"))
        });
        own.map(|folder| folder.join(self.name())).filter(|path| path.exists()).collect()
    }

    /// Writes the tables of these lines. Those of this part in the crawls `earlier`, which an earlier run wrote, are
    /// removed if these lines have none of them; but nothing is changed if there are no lines. Cost: memory for a group of rows of each crawl, and for each of its texts 16
    /// bytes.
    ///
    /// # Errors
    /// If the lines cannot be read, the tables cannot be written, there are more crawls than [`MAX_CRAWLS`], or the
    /// folder in which they are made has something else. `files` has no part of this number then.
    pub fn write(&self, lines: impl Read + Send, earlier: &BTreeSet<String>) -> io::Result<Written> {
        let aside = self.aside();
        clear(&aside, &self.name())?;
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
            if let Some(expected) = expected.as_mut().filter(|_| entry.file.redirects == 0) {
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
        if !written.files.is_empty() {
            for crawl in earlier.iter().filter(|crawl| !written.files.contains_key(*crawl)) {
                for path in TABLES.map(|table| self.folder.join(table).join(format!("crawl={crawl}"))) {
                    removed(&path.join(self.name()))?;
                }
            }
        }
        self.give_names(&aside, written.files.keys())?;
        Ok(written)
    }

    fn open(&self, aside: &Path, crawl: &str) -> io::Result<Crawl> {
        let path = |table: &str| aside.join(table).join(format!("crawl={crawl}")).join(self.name());
        let [files, policies, names, texts] = TABLES.map(path);
        Ok(Crawl {
            files: Table::new(&files, &columns::<FileRow>(true), Some("host"), self.form)?,
            policies: Table::new(&policies, &columns::<PolicyRow>(true), None, self.form)?,
            names: Table::new(&names, &columns::<NameRow>(true), None, self.form)?,
            texts: Table::new(&texts, &columns::<TextRow>(false), Some("hash"), self.form)?,
            known: HashSet::new(),
            next: u64::from(self.part) << 40,
        })
    }

    /// Gives the tables of these crawls their names. A reader follows `files`, so a part of it comes last.
    fn give_names<'c>(&self, aside: &Path, crawls: impl Iterator<Item = &'c String>) -> io::Result<()> {
        let name = self.name();
        for crawl in crawls.map(|crawl| format!("crawl={crawl}")) {
            removed(&self.folder.join("files").join(&crawl).join(&name))?;
            for table in TABLES.iter().rev() {
                let to = self.folder.join(table).join(&crawl);
                fs::create_dir_all(&to)?;
                fs::rename(aside.join(table).join(&crawl).join(&name), to.join(&name))?;
            }
        }
        clear(aside, &name)
    }
}

fn removed(path: &Path) -> io::Result<()> {
    fs::remove_file(path).or_else(|error| if is_missing(&error) { Ok(()) } else { Err(error) })
}

fn is_missing(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::NotFound
}

/// What is in a folder. Nothing if there is none.
fn entries(folder: &Path) -> io::Result<Vec<PathBuf>> {
    match fs::read_dir(folder) {
        Ok(found) => found.map(|entry| entry.map(|entry| entry.path())).collect(),
        Err(error) if is_missing(&error) => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

/// Removes what a run that ended early left of a part. Only that: its tables, with this name.
fn clear(aside: &Path, name: &str) -> io::Result<()> {
    let is_ours = |path: &Path, is_one: &dyn Fn(&str) -> bool, is_folder: bool| {
        let found = fs::symlink_metadata(path)?;
        let own = path.file_name().is_some_and(|own| own.to_str().is_some_and(is_one));
        if own && found.is_dir() == is_folder && found.is_file() != is_folder {
            return Ok(());
        }
        let path = robosieve::printable::name_of(path);
        Err(io::Error::other(format!("{path}: is of no run of a census: move it away")))
    };
    if let Err(error) = fs::symlink_metadata(aside) {
        return if is_missing(&error) { Ok(()) } else { Err(error) };
    }
    is_ours(aside, &|_| true, true)?;
    for table in entries(aside)? {
        is_ours(&table, &|own| TABLES.contains(&own), true)?;
        for crawl in entries(&table)? {
            is_ours(&crawl, &|own| own.starts_with("crawl="), true)?;
            for part in entries(&crawl)? {
                is_ours(&part, &|own| own == name, false)?;
            }
        }
    }
    fs::remove_dir_all(aside)
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
