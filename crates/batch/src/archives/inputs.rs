//! Turns inputs into items, in one order: directories, lists of files, streams, single files.
//!
//! Invariant: the same inputs always give the same items with the same places. What cannot be read is also an item.
//! Links within a directory are not followed, and only regular files are opened there.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use robosieve_printable::{escape, name_of};
use walkdir::WalkDir;

use super::done::{Done, What};
use super::error::Error;
use super::filter::Filter;
use super::item::{Form, Item, Load, Place};
use super::items::{Counted, Items};
use super::past::{self, Input, Listing};
use super::pool::{self, Feed};
use super::proven::Check;
use super::wacz;
use crate::files::Apart;
use crate::lines::{Lines, Next, listed};
use crate::stream::Bytes;

/// The error of a file that is also written, and was found only now. The run ends there.
pub(crate) const IS_OUTPUT: &str = "is-output";

/// The maximum number of bytes in a path of a list. Our choice: more than any system accepts.
const MAX_PATH: usize = 1 << 16;

/// The inputs to read, in this order: paths and streams as they were added, then lists.
///
/// ```no_run
/// use robosieve_batch::Inputs;
/// let inputs = Inputs::new().path("CC-MAIN-0001.warc.gz").path("wild/").stream("-", "stdin.txt", std::io::stdin());
/// ```
#[derive(Debug, Default)]
pub struct Inputs {
    roots: Vec<Source>,
    lists: Vec<Source>,
    form: Form,
    /// How many bytes of a file matter: set when they are read.
    pub(crate) max_bytes: usize,
    /// Where the run goes on.
    pub(crate) from: Place,
    /// What is written at the same time.
    pub(crate) apart: Apart,
    /// The number of bytes read from all inputs.
    pub(crate) read: Arc<AtomicU64>,
}

enum Source {
    Path(PathBuf),
    Stream { name: String, mirror: PathBuf, reader: Bytes<'static> },
}

impl Source {
    /// The name in messages and records.
    fn name(&self) -> String {
        match self {
            Self::Path(path) => name_of(path),
            Self::Stream { name, .. } => name.clone(),
        }
    }

    fn path(&self) -> Option<&Path> {
        match self {
            Self::Path(path) => Some(path),
            Self::Stream { .. } => None,
        }
    }
}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name())
    }
}

impl Inputs {
    /// No inputs yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a file, or all files of a directory, sorted by name.
    #[must_use]
    pub fn path(mut self, path: impl Into<PathBuf>) -> Self {
        self.roots.push(Source::Path(path.into()));
        self
    }

    /// Adds a stream. `name` is its name in records. Its first bytes determine what it contains. If it is a single
    /// robots.txt file, `file` is the name of its text in a directory of texts.
    #[must_use]
    pub fn stream(
        mut self,
        name: impl AsRef<[u8]>,
        file: impl Into<PathBuf>,
        reader: impl Read + Send + 'static,
    ) -> Self {
        let (name, mirror) = (escape(name.as_ref()), file.into());
        self.roots.push(Source::Stream { name, mirror, reader: Box::new(reader) });
        self
    }

    /// Adds the paths in a file, one on each line. A CR before the line end is removed.
    #[must_use]
    pub fn list(mut self, path: impl Into<PathBuf>) -> Self {
        self.lists.push(Source::Path(path.into()));
        self
    }

    /// Adds the paths in a stream, as [`Inputs::list`] does.
    #[must_use]
    pub fn list_stream(mut self, name: impl AsRef<[u8]>, reader: impl Read + Send + 'static) -> Self {
        let (name, mirror) = (escape(name.as_ref()), PathBuf::new());
        self.lists.push(Source::Stream { name, mirror, reader: Box::new(reader) });
        self
    }

    /// What all inputs contain. Their names and first bytes do not count then.
    #[must_use]
    pub const fn form(mut self, form: Form) -> Self {
        self.form = form;
        self
    }

    /// Filters all items with `jobs` threads. One more thread reads. The records come in the order of the items.
    ///
    /// ```no_run
    /// use robosieve_batch::{Filter, Inputs};
    /// for done in Inputs::new().path("wild/").filtered(Filter::new(["MyBot"]), 4) {
    ///     if let Some(record) = done?.into_record() {
    ///         println!("{}: {}", record.source, record.outcome.as_str());
    ///     }
    /// }
    /// # Ok::<(), robosieve_batch::Error>(())
    /// ```
    pub fn filtered(mut self, filter: Filter, jobs: usize) -> impl Iterator<Item = Result<Done, Error>> {
        self.max_bytes = filter.max_bytes();
        let results = pool::start(jobs, move |feed| self.read(feed), move |item| filter.run(item)).into_results();
        results.filter(|done| !matches!(done, Ok(Done { what: What::End, .. })))
    }

    /// The paths that were added, and those of lists.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &Path> {
        self.sources().filter_map(|(source, _)| source.path())
    }

    /// All, and whether each is a list.
    fn sources(&self) -> impl Iterator<Item = (&Source, bool)> {
        self.roots.iter().map(|root| (root, false)).chain(self.lists.iter().map(|list| (list, true)))
    }

    /// Checks that the paths that were added are there and can be opened, and that no list is a directory. What is no
    /// regular file is not opened: a pipe has one reader.
    pub(crate) fn expect_there(&self) -> Result<(), Error> {
        for (path, is_list) in self.sources().filter_map(|(source, is_list)| Some((source.path()?, is_list))) {
            let opened = fs::metadata(path).and_then(|found| match found {
                found if found.is_dir() && is_list => Err(io::Error::from(io::ErrorKind::IsADirectory)),
                found if found.is_dir() => fs::read_dir(path).map(drop),
                found if found.is_file() => File::open(path).map(drop),
                _ => Ok(()),
            });
            opened.map_err(|error| Error::Input(path.to_owned(), error))?;
        }
        Ok(())
    }

    /// The name of each path and stream in a directory of texts, which must be unique.
    pub(crate) fn mirrors(&self) -> impl Iterator<Item = (&Path, String)> {
        self.roots.iter().filter_map(|root| match root {
            Source::Path(path) => Some((Path::new(path.file_name()?), root.name())),
            Source::Stream { mirror, .. } => Some((mirror.as_path(), root.name())),
        })
    }

    /// Everything that the items depend on, one line each.
    pub(crate) fn settings(&self) -> Vec<String> {
        let mut lines = vec![format!("input {:?}, lists {:?}", self.form, self.lists)];
        lines.extend(self.roots.iter().map(|root| format!("INPUT {}", root.name())));
        lines
    }

    /// Checks that no file that a list names is written. A list that can be read only once is checked while it is read, and
    /// what of it cannot be read is reported then.
    pub(crate) fn expect_listed_apart(&self, apart: &Apart) -> Result<(), Error> {
        for path in self.lists.iter().filter_map(Source::path) {
            let Some(Ok(file)) = path.is_file().then(|| File::open(path)) else { continue };
            let mut names = Lines::new(file, MAX_PATH).checked();
            while let Ok(next) = names.next_line() {
                match next {
                    Next::End => break,
                    Next::Line(name) if !name.is_empty() => {
                        listed(name).ok().map_or(Ok(()), |path| apart.check_read(&path)).map_err(Error::Overlap)?;
                    }
                    Next::Line(_) | Next::TooLong => {}
                }
            }
        }
        Ok(())
    }

    /// Reads all inputs, from the place where the run goes on.
    pub(crate) fn read(mut self, feed: &mut Feed<Item>) {
        let (roots, lists) = (std::mem::take(&mut self.roots), std::mem::take(&mut self.lists));
        Reading { inputs: &self, feed, listing: None, next: 0 }.all(roots, lists);
    }

    /// Whether they are there a second time. What comes from a pipe or a stream is not.
    pub(crate) fn can_be_listed(&self) -> bool {
        self.sources().all(|(source, is_list)| {
            let found = source.path().and_then(|path| fs::metadata(path).ok());
            found.is_some_and(|found| found.is_file() || !is_list && found.is_dir())
        })
    }

    /// All inputs, of which none is opened. None if they cannot be read twice.
    pub(crate) fn listing(&self, point: u64) -> Option<Listing> {
        let again = |source: &Source| source.path().map(|path| Source::Path(path.to_owned()));
        let roots = self.roots.iter().map(again).collect::<Option<_>>()?;
        let lists = self.lists.iter().map(again).collect::<Option<_>>().filter(|_| self.can_be_listed())?;
        let listing = Some(Listing::new(point));
        Reading { inputs: self, feed: &mut Feed::nowhere(), listing, next: 0 }.all(roots, lists)
    }
}

struct Reading<'r> {
    inputs: &'r Inputs,
    feed: &'r mut Feed<Item>,
    /// If the inputs are only listed.
    listing: Option<Listing>,
    /// The number of the next input.
    next: u64,
}

impl Reading<'_> {
    fn all(mut self, roots: Vec<Source>, lists: Vec<Source>) -> Option<Listing> {
        let is_alone = roots.len() == 1 && lists.is_empty();
        for root in roots {
            self.root(root, is_alone);
        }
        for list in lists {
            self.list(list);
        }
        self.listing
    }

    /// An input that the caller named. Links to it are followed, and it may be a pipe.
    fn root(&mut self, root: Source, is_alone: bool) {
        match root {
            Source::Stream { name, mirror, reader } => {
                let input = Input { mirror: Some(mirror), ..Input::named(name) };
                self.items(input, "unreadable", || Ok((reader, Check::default())), |items| items);
            }
            Source::Path(path) => {
                let name = path.file_name().map(PathBuf::from);
                if fs::metadata(&path).is_ok_and(|found| found.is_dir()) {
                    return self.walk(&path, &name.filter(|_| !is_alone).unwrap_or_default());
                }
                self.named(&path, name.as_deref(), is_alone);
            }
        }
    }

    /// A file that the caller named. If it is one of many, it may come from a third party, so its bytes alone do not
    /// make it an archive.
    fn named(&mut self, path: &Path, mirror: Option<&Path>, is_alone: bool) {
        if self.is_wacz(path) {
            return self.wacz(path);
        }
        let input = Input { mirror: mirror.map(Path::to_owned), ..Input::at(path) };
        self.file(path, input, |items| items.called(Form::of_name(path), is_alone));
    }

    /// All files in a directory, sorted by name.
    fn walk(&mut self, directory: &Path, below: &Path) {
        for entry in WalkDir::new(directory).follow_root_links(true).sort_by_file_name() {
            if self.feed.is_over {
                return;
            }
            match entry {
                Err(error) => {
                    let name = error.path().map(name_of).unwrap_or_default();
                    let message = error.io_error().map_or_else(|| error.to_string(), ToString::to_string);
                    self.alone(name, Load::Failed("unreadable", message));
                }
                Ok(entry) if entry.file_type().is_dir() => {}
                Ok(entry) if entry.file_type().is_file() => {
                    if let Err(clash) = self.inputs.apart.check_identity(entry.path()) {
                        self.alone(name_of(entry.path()), Load::Failed(IS_OUTPUT, clash.to_string()));
                        continue;
                    }
                    let inner = entry.path().strip_prefix(directory).unwrap_or(entry.path());
                    self.found(entry.path(), Some(&below.join(inner)));
                }
                Ok(entry) => {
                    let kind = if entry.path_is_symlink() { "link" } else { "not-a-file" };
                    self.alone(name_of(entry.path()), Load::Skipped(kind));
                }
            }
        }
    }

    fn list(&mut self, list: Source) {
        let name = list.name();
        let opened = match list {
            Source::Path(path) => File::open(path).map(|file| Box::new(file) as Box<dyn Read>),
            Source::Stream { reader, .. } => Ok(reader as _),
        };
        let mut names = match opened {
            Ok(reader) => Lines::new(reader, MAX_PATH).checked(),
            Err(error) => return self.alone(name, Load::unreadable(&error)),
        };
        while !self.feed.is_over {
            match names.next_line() {
                Ok(Next::End) => return,
                Ok(Next::Line(b"")) => {}
                Ok(Next::Line(line)) => self.listed(&name, line),
                Ok(Next::TooLong) => {
                    let message = format!("a path in the list is longer than {MAX_PATH} bytes");
                    self.alone(name.clone(), Load::Failed("bad-path", message));
                }
                Err(error) => return self.alone(name, Load::unreadable(&error)),
            }
        }
    }

    fn listed(&mut self, list: &str, line: &[u8]) {
        let path = match listed(line) {
            Ok(path) => path,
            Err(message) => return self.alone(list.to_owned(), Load::Failed("bad-path", message)),
        };
        if let Err(clash) = self.inputs.apart.check_read(&path) {
            return self.alone(name_of(&path), Load::Failed(IS_OUTPUT, clash.to_string()));
        }
        if fs::metadata(&path).is_ok_and(|found| found.is_dir()) {
            let below = mirror_of(&path).unwrap_or_default();
            return self.walk(&path, &below);
        }
        if fs::metadata(&path).is_ok_and(|found| !found.is_file()) {
            // Opening a pipe would wait for its writer, for ever.
            return self.alone(name_of(&path), Load::Skipped("not-a-file"));
        }
        let mirror = mirror_of(&path);
        self.found(&path, mirror.as_deref());
    }

    /// An input that is one item.
    fn alone(&mut self, name: String, load: Load) {
        self.one(Input { state: Some(load.state()), ..Input::named(name) }, load);
    }

    fn one(&mut self, input: Input, load: Load) {
        if self.begins(&input) {
            // The thread that filters it reads it.
            self.inputs.read.fetch_add(input.bytes.unwrap_or(0), Ordering::Relaxed);
            let place = Place { input: self.next, record: 0 };
            self.push(Item { place, input: Arc::new(input), load });
        }
        self.next = self.next.saturating_add(1);
    }

    /// Whether the next input has to be read.
    fn begins(&mut self, input: &Input) -> bool {
        if let Some(listing) = &mut self.listing {
            listing.add(input);
            return false;
        }
        let is_finished = self.next < self.inputs.from.input;
        if is_finished {
            self.inputs.read.fetch_add(input.bytes.unwrap_or(0), Ordering::Relaxed);
        }
        !is_finished && !self.feed.is_over
    }

    /// A file in a directory or a list. It is what its name says, or else a robots.txt file.
    fn found(&mut self, path: &Path, mirror: Option<&Path>) {
        if self.is_wacz(path) {
            return self.wacz(path);
        }
        let mut input = Input::at(path);
        let form = match self.inputs.form {
            Form::Auto => Form::of_name(path),
            form => form,
        };
        if !matches!(form, Form::Auto | Form::Robots) {
            return self.file(path, input, |items| items.form(form));
        }
        let is_guess = self.inputs.form == Form::Auto;
        input.mirror = mirror.map(Path::to_owned);
        self.one(input, Load::File { path: path.to_owned(), is_guess });
    }

    fn is_wacz(&self, path: &Path) -> bool {
        matches!(self.inputs.form, Form::Auto | Form::Warc) && wacz::is_wacz(path)
    }

    /// Each archive of a `.wacz` file is an input, read as a file of its own.
    fn wacz(&mut self, path: &Path) {
        let file = Input::at(path);
        let warcs = match wacz::warcs(path) {
            Ok(warcs) => warcs,
            Err(error) => return self.one(file, Load::Failed("archive", error.to_string())),
        };
        for warc in warcs {
            let state = file.state.map(|state| past::mark(format!("{state} {}", warc.checksum).as_bytes()));
            let input = Input { bytes: Some(warc.bytes), state, ..Input::named(warc.shown(&file.name)) };
            let open = || {
                let proven = warc.proven()?;
                Ok((proven.open()?, Check::of(move || proven.open())))
            };
            self.items(input, "archive", open, |items| items.form(Form::Warc));
        }
    }

    /// Reads a file item by item.
    fn file(&mut self, path: &Path, input: Input, set: impl FnOnce(Items) -> Items) {
        let (again, is_file) = (path.to_owned(), input.bytes.is_some());
        let open = move || Ok(Box::new(File::open(&again)?) as Bytes<'static>);
        // A pipe has one reader.
        self.items(
            input,
            "unreadable",
            || Ok((open()?, if is_file { Check::of(open) } else { Check::default() })),
            set,
        );
    }

    /// Reads an input item by item, if it has to be read. `open` says how long parts of it are checked, too. `failed`: the
    /// kind of the error if it cannot be opened.
    fn items(
        &mut self,
        input: Input,
        failed: &'static str,
        open: impl FnOnce() -> io::Result<(Bytes<'static>, Check)>,
        set: impl FnOnce(Items) -> Items,
    ) {
        let input = Arc::new(input);
        if self.begins(&input) {
            match open() {
                Ok((reader, check)) => {
                    let reader = Box::new(Counted(reader, Arc::clone(&self.inputs.read)));
                    let items = Items::of(Arc::clone(&input), self.next, reader).check(check);
                    self.each(input, set(items));
                }
                Err(error) => {
                    let place = Place { input: self.next, record: Place::END };
                    self.push(Item { place, input, load: Load::Failed(failed, error.to_string()) });
                }
            }
        }
        self.next = self.next.saturating_add(1);
    }

    fn each(&mut self, input: Arc<Input>, items: Items) {
        let mut items = items.max_bytes(self.inputs.max_bytes);
        if self.inputs.form != Form::Auto {
            items = items.form(self.inputs.form);
        }
        let place = Place { input: self.next, record: Place::END };
        let end = Item { place, input, load: Load::End };
        while !self.feed.is_over {
            let Some(item) = items.next() else { return self.push(end) };
            // A file that is one item has no other end, and nor has an input with an error there.
            let is_last = item.place.next().record == 0;
            self.push(item);
            if is_last {
                return;
            }
            if items.pauses() {
                self.feed.flush();
            }
        }
    }

    fn push(&mut self, item: Item) {
        if item.place >= self.inputs.from {
            let bytes = item.load.bytes();
            self.feed.push(item, bytes);
        }
    }
}

/// Where the text of a listed file belongs: its path, below the output. None if it would leave the output directory.
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
