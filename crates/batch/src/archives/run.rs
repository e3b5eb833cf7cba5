//! A run: inputs are filtered and written to outputs. A run can be killed and continued.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;

use super::error::Error;
use super::filter::Filter;
use super::inputs::Inputs;
use super::journal::{Journal, Paths, Start};
use super::output::{Output, Places};
use super::pool;
use super::record::Record;
use super::sink::{Sink, give_names};
use super::summary::Summary;
use crate::files::Apart;

/// Receives events of a run.
///
/// The default methods do nothing, so `()` is an observer that ignores everything.
pub trait Observer {
    /// Reports how many bytes were read from all inputs, and how many records were written.
    fn progress(&mut self, bytes: u64, records: u64) {
        let _ = (bytes, records);
    }

    /// Reports a file that could not be used; the `error` of the record explains why. `before` is the number of
    /// earlier failures, including those of the runs that this one continues.
    fn failed(&mut self, record: &Record, before: u64) {
        let _ = (record, before);
    }

    /// Reports that a run should be continued but nothing of it was written, so it starts at the beginning.
    fn nothing_to_continue(&mut self) {}

    /// Whether the run is to stop. It then stops at the next point from which it can be continued, with
    /// [`Error::Stopped`].
    fn stops(&self) -> bool {
        false
    }
}

impl Observer for () {}

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
}

impl Batch {
    /// A run with one thread for each core. It starts from the beginning. If it is killed, at most 5 seconds of work
    /// are lost.
    #[must_use]
    pub fn new(filter: Filter, inputs: Inputs, output: Output) -> Self {
        let jobs = thread::available_parallelism().map_or(1, Into::into);
        let apart = Apart::default();
        Self { filter, inputs, output, jobs, start: Start::New, checkpoint: Duration::from_secs(5), apart }
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

    /// Checks the places that are read and written.
    ///
    /// # Errors
    /// See [`Error::is_usage`]. Nothing was read or written then.
    pub fn check(self) -> Result<Checked, Error> {
        let Self { filter, mut inputs, output, jobs, start, checkpoint, apart } = self;
        let places = output.places()?;
        if filter.asks() && places.has_only_texts() {
            return Err(Error::AnswersNowhere);
        }
        inputs.expect_there()?;
        let mut settings = vec![format!("robosieve {}", env!("CARGO_PKG_VERSION")), format!("reading {filter:?}")];
        settings.push(places.settings.clone());
        settings.extend(inputs.settings());
        inputs.apart = places.expect_apart(&inputs, apart)?;
        inputs.max_bytes = filter.max_bytes();
        inputs.joins = filter.joins();
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
    /// Everything that the output depends on.
    settings: Vec<String>,
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
        if let Some(paths) = self.places.paths.as_ref().filter(|_| journal.is_done) {
            give_names(paths, self.places.records.as_deref())?;
            return Ok(journal.summary);
        }
        let is_fresh = journal.records == 0;
        if is_fresh && self.start == Start::Resume {
            observer.nothing_to_continue();
        }
        self.inputs.start = journal.place;
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
        let made = pool::start(self.jobs, move |feed| inputs.read(feed), move |item| texts.made(filter.run(item)));
        drive(made, sink, || read.load(Ordering::Relaxed), observer)
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
) -> Result<Summary, Error> {
    while let Some(chunk) = made.next_chunk(|| sink.idle())? {
        for item in chunk {
            sink.take(item, observer)?;
        }
        observer.progress(bytes(), sink.journal.records);
    }
    if !made.is_complete() {
        return Err(Error::Thread);
    }
    Ok(sink.finish()?.summary)
}
