//! A run: inputs are filtered and written to outputs. A run can be killed and continued.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;

use super::done::Observer;
use super::error::Error;
use super::filter::Filter;
use super::inputs::Inputs;
use super::item::Item;
use super::journal::{Journal, Kept, Start};
use super::output::{Output, Places};
use super::pool;
use super::sink::Texts;
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
}

impl Batch {
    /// A run with one thread for each core. It starts from the beginning. If it is killed, at most 5 seconds of work
    /// are lost.
    #[must_use]
    pub fn new(filter: Filter, inputs: Inputs, output: Output) -> Self {
        let jobs = thread::available_parallelism().map_or(1, Into::into);
        let apart = Apart::default();
        let (start, checkpoint) = (Start::New, Duration::from_secs(5));
        Self { filter, inputs, output, jobs, start, checkpoint, apart }
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

    /// The time between two points from which the run can be continued, which are between frames of 1024 records. For
    /// tests.
    #[doc(hidden)]
    #[must_use]
    pub const fn checkpoint(mut self, checkpoint: Duration) -> Self {
        self.checkpoint = checkpoint;
        self
    }

    /// What else the caller reads and writes during the run: [`Batch::check`] keeps all of it apart.
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
        if filter.asks() && places.texts == Texts::Files {
            return Err(Error::AnswersNowhere);
        }
        inputs.expect_there()?;
        let (inputs_of, output) = (inputs.settings().join("\n"), &places.settings);
        let settings = format!("{}\n{filter:?}\n{output}\n{inputs_of}", env!("CARGO_PKG_VERSION"));
        inputs.apart = places.expect_apart(&inputs, apart)?;
        inputs.max_bytes = filter.max_bytes();
        Ok(Checked { filter, inputs, places, settings, jobs, start, checkpoint })
    }

    /// Runs to the end.
    ///
    /// # Errors
    /// See [`Error`]. Inputs that cannot be read become records, not errors, unless a path that was added is not there, or
    /// no input can be read and there is to be a file of records.
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
    /// All that the output depends on, apart from the inputs.
    settings: String,
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
        let Some(paths) = self.places.paths.take() else {
            if self.start != Start::New {
                return Err(Error::NotResumable);
            }
            return self.go(Journal::default(), None, observer);
        };
        if self.start == Start::Resume && !self.inputs.can_be_listed() {
            return Err(Error::OnlyOnce);
        }
        let (kept, earlier) = Kept::open(paths, self.start)?;
        if earlier.is_none() && self.start == Start::Resume {
            observer.nothing_to_continue();
        }
        let begun = self.begin(&kept, earlier).inspect_err(|_| kept.unmake());
        let (journal, is_complete) = begun?;
        if is_complete {
            kept.remove().map_err(Error::Journal)?;
            return Ok(journal.summary);
        }
        self.go(journal, Some(kept), observer)
    }

    /// The point to go on from, and whether the earlier run was complete. A new run gets its journal.
    fn begin(&self, kept: &Kept, earlier: Option<Journal>) -> Result<(Journal, bool), Error> {
        let listing = self.inputs.listing(earlier.as_ref().map_or(0, |earlier| earlier.place.input));
        let new = Journal::new(&self.settings, listing.as_ref());
        let Some(earlier) = earlier else {
            kept.write(&new).map_err(|error| Error::Open(kept.paths.named.clone(), error))?;
            kept.cut(&new)?;
            return Ok((new, false));
        };
        earlier.expect_same(&new, listing.as_ref(), kept)?;
        let is_complete = kept.cut(&earlier)?;
        Ok((earlier, is_complete))
    }

    /// Goes on from the point of the journal, to the end.
    fn go(self, from: Journal, kept: Option<Kept>, observer: &mut dyn Observer) -> Result<Summary, Error> {
        let (mut inputs, filter, texts) = (self.inputs, self.filter, self.places.texts);
        inputs.from = from.place;
        let mut sink = self.places.open(from, kept, self.checkpoint)?;
        let read = Arc::clone(&inputs.read);
        let work = move |item: Item| texts.made(filter.run(item));
        let mut made = pool::start(self.jobs, move |feed| inputs.read(feed), work);
        while let Some(chunk) = made.next_chunk(|| sink.idle())? {
            for item in chunk {
                sink.take(item, observer)?;
            }
            observer.progress(read.load(Ordering::Relaxed), sink.journal.records);
        }
        if made.is_complete { sink.finish() } else { Err(Error::Thread) }
    }
}
