//! A run: inputs are filtered and written to outputs. A run can be killed and continued.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;

use super::done::Observer;
use super::error::Error;
use super::filter::Filter;
use super::inputs::Inputs;
use super::item::{Item, Load};
use super::journal::{Journal, Paths, Start};
use super::output::{Output, Places};
use super::past::{self, Past};
use super::pool;
use super::settings::Settings;
use super::sink::{Sink, expect_written, give_names};
use super::summary::Summary;
use crate::files::Apart;

/// A run: inputs are filtered and written to an output.
///
/// The records come in the order of the inputs, for every number of threads. A run that writes to files keeps a
/// journal next to them. It can be killed at any time, and [`Start::Resume`] continues it.
///
/// ```
/// use robosieve_batch::{Batch, Filter, Inputs, Output};
///
/// let folder = std::env::temp_dir().join(format!("robosieve-batch-{}", std::process::id()));
/// std::fs::create_dir_all(folder.join("in"))?;
/// std::fs::write(folder.join("in/e.com"), "User-agent: *\nDisalow: /tmp # scratch\n")?;
/// let inputs = Inputs::new().path(folder.join("in"));
/// let summary = Batch::new(Filter::new(["MyBot"]), inputs, Output::path(folder.join("out"))).run(&mut ())?;
/// assert_eq!(summary.records, 1);
/// assert_eq!(std::fs::read_to_string(folder.join("out/e.com"))?, "User-agent: *\nDisallow: /tmp\n");
/// # std::fs::remove_dir_all(folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Batch {
    filter: Filter,
    inputs: Inputs,
    output: Output,
    jobs: usize,
    start: Start,
    checkpoint: Duration,
    apart: Apart,
    arguments: BTreeMap<String, String>,
}

impl Batch {
    /// A run with one thread for each core. It starts from the beginning. If it is killed, at most 5 seconds of work
    /// are lost.
    #[must_use]
    pub fn new(filter: Filter, inputs: Inputs, output: Output) -> Self {
        let jobs = thread::available_parallelism().map_or(1, Into::into);
        let apart = Apart::default();
        let (start, checkpoint, arguments) = (Start::New, Duration::from_secs(5), BTreeMap::new());
        Self { filter, inputs, output, jobs, start, checkpoint, apart, arguments }
    }

    /// The number of threads that filter. One more thread reads, and the caller's thread writes. With one, the thread
    /// that reads also filters.
    #[must_use]
    pub const fn jobs(mut self, jobs: usize) -> Self {
        self.jobs = jobs;
        self
    }

    /// What the run does if there is an earlier run with the same output.
    #[must_use]
    pub const fn start(mut self, start: Start) -> Self {
        self.start = start;
        self
    }

    /// The time between two points from which the run can be continued. These points are between frames of 1024
    /// records.
    #[must_use]
    pub const fn checkpoint(mut self, checkpoint: Duration) -> Self {
        self.checkpoint = checkpoint;
        self
    }

    /// What the caller reads and writes besides the run: [`Batch::check`] keeps all of it apart.
    #[must_use]
    pub fn also_uses(mut self, apart: Apart) -> Self {
        self.apart = apart;
        self
    }

    /// The names and values of the caller's arguments. [`Error::OtherSettings`] says in these words what differs from an
    /// interrupted run. Whether the output depends on them does not matter.
    #[must_use]
    pub fn arguments(mut self, arguments: BTreeMap<String, String>) -> Self {
        self.arguments = arguments;
        self
    }

    /// Checks the places that are read and written.
    ///
    /// # Errors
    /// See [`Error::is_usage`]. Nothing was read or written then.
    pub fn check(self) -> Result<Checked, Error> {
        let Self { filter, mut inputs, output, jobs, start, checkpoint, apart, arguments } = self;
        let places = output.places()?;
        if filter.asks() && places.has_only_texts() {
            return Err(Error::AnswersNowhere);
        }
        inputs.expect_there()?;
        let mut settings = Settings::new(arguments);
        settings.add("the version of robosieve", env!("CARGO_PKG_VERSION"));
        settings.add("how files are read", &format!("{filter:?}"));
        settings.add("the output", &places.settings);
        settings.add("the names of the inputs", &inputs.settings().join("\n"));
        inputs.apart = places.expect_apart(&inputs, apart)?;
        inputs.max_bytes = filter.max_bytes();
        Ok(Checked { filter, inputs, places, settings, jobs, start, checkpoint })
    }

    /// Runs to the end.
    ///
    /// # Errors
    /// See [`Error`]. Inputs that cannot be read become records, not errors, unless a path that was added is not there, or
    /// no input can be read and there is an output of an earlier run.
    pub fn run(self, observer: &mut dyn Observer) -> Result<Summary, Error> {
        self.check()?.run(observer)
    }
}

/// A run whose places were checked.
#[must_use]
pub struct Checked {
    filter: Filter,
    inputs: Inputs,
    places: Places,
    settings: Settings,
    jobs: usize,
    start: Start,
    checkpoint: Duration,
}

impl Checked {
    /// Runs to the end.
    ///
    /// # Errors
    /// As for [`Batch::run`].
    pub fn run(mut self, observer: &mut dyn Observer) -> Result<Summary, Error> {
        let journal = self.journal()?;
        if let Some(paths) = self.places.paths.clone().filter(|_| journal.is_done) {
            return self.named(journal, &paths);
        }
        let is_fresh = journal.records == 0;
        if is_fresh && self.start == Start::Resume {
            observer.nothing_to_continue();
        }
        self.inputs.past = Past::of(&journal, self.places.paths.as_ref())?;
        let error = Arc::clone(&self.inputs.past.error);
        let (paths, texts) = (self.places.paths.clone(), self.places.texts);
        let mut sink = self.places.open(journal, self.checkpoint).inspect_err(|_| {
            // A run that has not started cannot be continued, so its journal is removed.
            paths.iter().filter(|_| is_fresh).for_each(Paths::remove);
        })?;
        if is_fresh {
            sink.begin(&self.filter.head())?;
        }
        let read = Arc::clone(&self.inputs.read);
        let (inputs, filter) = (self.inputs, self.filter);
        let work = move |item: Item| {
            let print = item.print();
            texts.made(filter.run(item), print)
        };
        let made = pool::start(self.jobs, move |feed| inputs.read(feed), work);
        let sink = drive(made, sink, || read.load(Ordering::Relaxed), observer)?;
        past::expect_same(&error)?;
        Ok(sink.finish()?.summary)
    }

    /// The earlier run was complete, and only names are missing. So its inputs must be the same to the last.
    fn named(mut self, journal: Journal, paths: &Paths) -> Result<Summary, Error> {
        expect_written(&journal, paths, self.places.records.as_deref())?;
        self.inputs.past = Past::of(&journal, Some(paths))?;
        let (error, inputs) = (Arc::clone(&self.inputs.past.error), self.inputs);
        for item in pool::start(1, move |feed| inputs.read(feed), |item: Item| item).into_results() {
            let item = item?;
            if !matches!(item.load, Load::End) {
                return Err(past::other(item.source(), "came after the end of that run, which was complete"));
            }
        }
        past::expect_same(&error)?;
        give_names(paths, self.places.records.as_deref())?;
        Ok(journal.summary)
    }

    fn journal(&mut self) -> Result<Journal, Error> {
        match &self.places.paths {
            Some(paths) => Journal::open(paths, std::mem::take(&mut self.settings), self.start),
            None if self.start == Start::New => Ok(Journal::default()),
            None => Err(Error::NotResumable),
        }
    }
}

/// Writes all results, to the end.
fn drive(
    mut made: pool::Ordered<super::sink::Made>,
    mut sink: Sink,
    bytes: impl Fn() -> u64,
    observer: &mut dyn Observer,
) -> Result<Sink, Error> {
    while let Some(chunk) = made.next_chunk(|| sink.idle())? {
        for item in chunk {
            sink.take(item, observer)?;
        }
        observer.progress(bytes(), sink.journal.records);
    }
    if made.is_complete() { Ok(sink) } else { Err(Error::Thread) }
}
