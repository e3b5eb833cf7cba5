//! Inputs -> items, in one order: directories, lists of files, NDJSON, archives, single files.
//!
//! Invariant: the same inputs give the same items with the same places, whatever was done before; what cannot be read is an
//! item too. Links within a directory are not followed, and nothing but regular files is opened there.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use serde::{Deserialize, Serialize};
use walkdir::WalkDir;

use super::pool::Feed;
use super::stream::{Counted, unpacked};
use super::warc::{Archive, Record, Step};
use super::window::Window;
use crate::input::{self, is_stdin};
use crate::lines::{Lines, Next};
use crate::text;

/// Octets of a path in a list. House: more than any system takes.
const MAX_PATH: u64 = 1 << 16;

/// What an input holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Form {
    /// What its name says: .warc, .ndjson and .jsonl, also with .gz and .zst; else a robots.txt file. `-` is told by its
    /// first octets
    Auto,
    /// A robots.txt file
    Robots,
    /// A JSON object a line
    Ndjson,
    /// A WARC archive
    Warc,
}

impl Form {
    fn of_name(path: &Path) -> Self {
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        let name = name.strip_suffix(".gz").or_else(|| name.strip_suffix(".zst")).unwrap_or(&name);
        match name.rsplit_once('.').map(|(_, extension)| extension) {
            Some("warc") => Self::Warc,
            Some("ndjson" | "jsonl") => Self::Ndjson,
            _ => Self::Robots,
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
    /// The one behind it.
    pub(crate) const fn next(self) -> Self {
        Self { input: self.input, record: self.record.saturating_add(1) }
    }
}

/// A file, an archive or the standard input.
#[derive(Debug, Default)]
pub(crate) struct Input {
    /// As messages and records have it.
    pub(crate) name: String,
    /// Where its text belongs in a mirrored directory; an archive has none.
    pub(crate) mirror: Option<PathBuf>,
    /// Its size, where that is known: by it a changed one is told.
    pub(crate) octets: Option<u64>,
}

/// Something to be done.
#[derive(Debug)]
pub(crate) struct Item {
    pub(crate) place: Place,
    pub(crate) input: Arc<Input>,
    pub(crate) load: Load,
}

#[derive(Debug)]
pub(crate) enum Load {
    /// A robots.txt file to be read.
    File(PathBuf),
    /// One that was read.
    Octets(Vec<u8>),
    /// A line of NDJSON.
    Line(Vec<u8>),
    Record(Record),
    /// Nothing to be done, and why.
    Skipped(&'static str),
    /// What can't be read, by kind and in words.
    Failed(&'static str, String),
}

impl Load {
    const fn octets(&self) -> usize {
        match self {
            Self::Octets(octets) | Self::Line(octets) => octets.len(),
            Self::Record(record) => record.block.len(),
            Self::File(_) | Self::Skipped(_) | Self::Failed(..) => 0,
        }
    }
}

/// What is to be read.
#[derive(Debug)]
pub(crate) struct Inputs {
    pub(crate) paths: Vec<PathBuf>,
    /// A list of more, and whether NUL ends its lines.
    pub(crate) list: Option<(PathBuf, bool)>,
    pub(crate) form: Form,
    /// Octets of a file that matter.
    pub(crate) max_bytes: usize,
    /// The first item that is wanted.
    pub(crate) start: Place,
    /// Files that are written at the same time.
    pub(crate) own: Vec<PathBuf>,
    /// Octets that were read of all inputs.
    pub(crate) read: Arc<AtomicU64>,
}

impl Inputs {
    /// Octets that are kept of a line or a block: six for each of the file's, as a JSON escape and a chunk of one octet
    /// take, and a head.
    fn max_raw(&self) -> usize {
        self.max_bytes.saturating_mul(6).saturating_add(super::http::MAX_HEAD)
    }

    /// Whether the path is a file that is written. Its name is asked first, which costs nothing.
    fn is_own(&self, path: &Path) -> bool {
        let mut likely = self.own.iter().filter(|own| own.file_name() == path.file_name());
        likely.any(|own| path.canonicalize().is_ok_and(|path| path == *own))
    }

    /// Reads them all.
    pub(crate) fn read(&self, feed: &mut Feed<Item>) {
        let mut reading = Reading { inputs: self, feed, next: 0 };
        let roots = self.paths.len();
        for path in &self.paths {
            reading.root(path, (roots > 1).then(|| path.file_name().map(PathBuf::from)).flatten());
        }
        if let Some((list, is_nul)) = &self.list {
            reading.list(list, if *is_nul { 0 } else { b'\n' });
        }
    }
}

struct Reading<'r> {
    inputs: &'r Inputs,
    feed: &'r mut Feed<Item>,
    next: u64,
}

impl Reading<'_> {
    /// A path that was named: links are followed to it, and it may be a pipe.
    fn root(&mut self, path: &Path, below: Option<PathBuf>) {
        if !is_stdin(path) && fs::metadata(path).is_ok_and(|found| found.is_dir()) {
            return self.walk(path, &below.unwrap_or_default());
        }
        let mirror = path.file_name().map(PathBuf::from);
        self.input(path, mirror.as_deref());
    }

    /// All that is in a directory, by name.
    fn walk(&mut self, directory: &Path, below: &Path) {
        for entry in WalkDir::new(directory).follow_root_links(true).sort_by_file_name() {
            if self.feed.is_over {
                return;
            }
            match entry {
                Err(error) => {
                    let name = error.path().map(text::name_of).unwrap_or_default();
                    let message = error.io_error().map_or_else(|| error.to_string(), ToString::to_string);
                    self.alone(name, Load::Failed("unreadable", message));
                }
                Ok(entry) if entry.file_type().is_dir() => {}
                Ok(entry) if entry.file_type().is_file() => {
                    let inner = entry.path().strip_prefix(directory).unwrap_or(entry.path());
                    self.input(entry.path(), Some(&below.join(inner)));
                }
                Ok(entry) => {
                    let kind = if entry.path_is_symlink() { "link" } else { "not-a-file" };
                    self.alone(text::name_of(entry.path()), Load::Skipped(kind));
                }
            }
        }
    }

    fn list(&mut self, list: &Path, end: u8) {
        let opened: io::Result<Box<dyn Read>> =
            if is_stdin(list) { Ok(Box::new(io::stdin())) } else { File::open(list).map(|file| Box::new(file) as _) };
        let mut lines = match opened {
            Ok(reader) => BufReader::new(reader),
            Err(error) => return self.alone(text::name_of(list), Load::Failed("unreadable", error.to_string())),
        };
        while !self.feed.is_over {
            let mut line = Vec::new();
            // Two octets for the end of the longest, of which the first shows that there is more where it ends nothing.
            match (&mut lines).take(MAX_PATH.saturating_add(2)).read_until(end, &mut line) {
                Ok(0) => return,
                Ok(_) => {}
                Err(error) => return self.alone(text::name_of(list), Load::Failed("unreadable", error.to_string())),
            }
            let is_ended = line.last() == Some(&end);
            if is_ended {
                line.pop();
            }
            if end == b'\n' && line.last() == Some(&b'\r') {
                line.pop();
            }
            if u64::try_from(line.len()).unwrap_or(u64::MAX) > MAX_PATH {
                if !is_ended {
                    let _ = lines.skip_until(end);
                }
                let message = format!("a path in the list is longer than {MAX_PATH} octets");
                self.alone(text::name_of(list), Load::Failed("bad-path", message));
            } else if !line.is_empty() {
                self.listed(line);
            }
        }
    }

    fn listed(&mut self, line: Vec<u8>) {
        let Some(path) = path_of(line) else {
            return self.alone(String::new(), Load::Failed("bad-path", "a path in the list is not UTF-8".into()));
        };
        if fs::metadata(&path).is_ok_and(|found| found.is_dir()) {
            let below = mirror_of(&path).unwrap_or_default();
            return self.walk(&path, &below);
        }
        let mirror = mirror_of(&path);
        self.input(&path, mirror.as_deref());
    }

    /// An input that is one item.
    fn alone(&mut self, name: String, load: Load) {
        let input = Arc::new(Input { name, ..Input::default() });
        self.push(&input, 0, load);
        self.next = self.next.saturating_add(1);
    }

    fn input(&mut self, path: &Path, mirror: Option<&Path>) {
        if self.next >= self.inputs.start.input {
            self.open(path, mirror);
        }
        self.next = self.next.saturating_add(1);
    }

    fn open(&mut self, path: &Path, mirror: Option<&Path>) {
        let form = match self.inputs.form {
            Form::Auto if !is_stdin(path) => Form::of_name(path),
            form => form,
        };
        let octets = fs::metadata(path).ok().filter(fs::Metadata::is_file).map(|found| found.len());
        let name = text::name_of(path);
        if self.inputs.is_own(path) {
            let message = "this is the output, which can't be read while it is written".into();
            return self.push(&Arc::new(Input { name, ..Input::default() }), 0, Load::Failed("is-output", message));
        }
        if form == Form::Robots && !is_stdin(path) {
            let input = Arc::new(Input { name, mirror: mirror.map(Path::to_owned), octets });
            return self.push(&input, 0, Load::File(path.to_owned()));
        }
        let input = Arc::new(Input { name, mirror: None, octets });
        let done = self.open_packed(path).and_then(|reader| match form {
            Form::Ndjson => self.lines(&input, reader),
            Form::Warc => self.records(&input, reader),
            Form::Auto | Form::Robots => self.sniffed(form, &input, reader),
        });
        if let Err(error) = done {
            self.push(&input, u64::MAX, Load::Failed("unreadable", error.to_string()));
        }
    }

    fn open_packed(&self, path: &Path) -> io::Result<Box<dyn Read + Send>> {
        let count = Arc::clone(&self.inputs.read);
        if is_stdin(path) {
            return unpacked(Box::new(Counted::new(io::stdin(), count)));
        }
        unpacked(Box::new(Counted::new(File::open(path)?, count)))
    }

    /// The standard input: what it is, its first octets say.
    fn sniffed(&mut self, form: Form, input: &Arc<Input>, reader: Box<dyn Read + Send>) -> io::Result<()> {
        let mut window = Window::new(reader);
        let front = window.look(5)?.trim_ascii_start().to_vec();
        let octets = window.held().to_vec();
        window.clear();
        let reader = Box::new(io::Cursor::new(octets).chain(window.into_reader()));
        match front.first() {
            _ if form == Form::Robots => {}
            Some(b'{') => return self.lines(input, reader),
            Some(_) if front.starts_with(b"WARC/") => return self.records(input, reader),
            _ => {}
        }
        let octets = input::read_within(reader, self.inputs.max_bytes)?;
        let input = Input { name: input.name.clone(), mirror: Some(PathBuf::from("stdin.txt")), octets: None };
        self.push(&Arc::new(input), 0, Load::Octets(octets));
        Ok(())
    }

    fn lines(&mut self, input: &Arc<Input>, reader: Box<dyn Read + Send>) -> io::Result<()> {
        let max = self.inputs.max_raw();
        let mut lines = Lines::new(reader, max);
        let mut record: u64 = 0;
        while !self.feed.is_over {
            record = record.saturating_add(1);
            let load = match lines.next()? {
                Next::End => return Ok(()),
                Next::Line(line) if line.trim_ascii().is_empty() => Load::Skipped("blank-line"),
                Next::Line(line) => Load::Line(line.to_vec()),
                Next::TooLong => {
                    Load::Failed("line-too-long", format!("the line is longer than {max} octets and was skipped"))
                }
            };
            self.push(input, record, load);
            if lines.pauses() {
                self.feed.flush();
            }
        }
        Ok(())
    }

    fn records(&mut self, input: &Arc<Input>, reader: Box<dyn Read + Send>) -> io::Result<()> {
        let mut archive = Archive::new(reader, self.inputs.max_raw());
        let mut record: u64 = 0;
        while let Some(step) = archive.next()? {
            if self.feed.is_over {
                break;
            }
            record = record.saturating_add(1);
            let load = match step {
                Step::Record(found) => Load::Record(found),
                Step::Damage(damage) => Load::Failed("bad-record", damage.text().into()),
            };
            self.push(input, record, load);
        }
        Ok(())
    }

    fn push(&mut self, input: &Arc<Input>, record: u64, load: Load) {
        let place = Place { input: self.next, record };
        if place >= self.inputs.start {
            let octets = load.octets();
            self.feed.push(Item { place, input: Arc::clone(input), load }, octets);
        }
    }
}

#[cfg(unix)]
#[allow(clippy::unnecessary_wraps, reason = "elsewhere it can fail")]
fn path_of(octets: Vec<u8>) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStringExt as _;
    Some(PathBuf::from(std::ffi::OsString::from_vec(octets)))
}

#[cfg(not(unix))]
fn path_of(octets: Vec<u8>) -> Option<PathBuf> {
    String::from_utf8(octets).ok().map(PathBuf::from)
}

/// Where the text of a listed file belongs: its path, below the output. None if it leads out of that.
fn mirror_of(path: &Path) -> Option<PathBuf> {
    let mut mirror = PathBuf::new();
    for component in path.components() {
        match component {
            Component::Normal(name) => mirror.push(name),
            Component::ParentDir => return None,
            Component::Prefix(_) | Component::RootDir | Component::CurDir => {}
        }
    }
    Some(mirror)
}
