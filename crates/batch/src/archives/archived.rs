//! The records of one archive, for programs that read nothing else.
//!
//! Invariant: they are those of [`Items`](crate::Items) with the form of an archive, without threads. Code for lines and
//! single files is not needed here, which halves what this crate adds to a small program.

use std::fmt;
use std::io::{self, Read};
use std::mem;
use std::sync::Arc;

use robosieve::printable::escape;

use super::done::Done;
use super::filter::Filter;
use super::item::{Input, Place};
use super::items::max_raw;
use super::proven::Check;
use super::steps::Steps;
use super::warc::Step;

type Stream = Box<dyn Read + Send>;

/// The results for what one archive holds, from any reader. The archive may be packed with gzip or zstd.
///
/// ```
/// use robosieve_batch::{Filter, Summary};
///
/// let archive: &[u8] = b"nonsense\nWARC/1.0\r\nWARC-Type: warcinfo\r\nContent-Length: 0\r\n\r\n\r\n\r\n";
/// let mut summary = Summary::default();
/// Filter::new(["MyBot"]).archive("crawl.warc.gz", archive).for_each(|done| summary.add(&done));
/// assert_eq!((summary.failures["bad-record"], summary.skipped["warcinfo"]), (1, 1));
/// ```
pub struct Archived {
    filter: Filter,
    input: Arc<Input>,
    state: State,
    record: u64,
}

enum State {
    New(Stream),
    Records(Steps),
    Over,
}

impl Archived {
    pub(crate) fn new(filter: Filter, name: &[u8], reader: Stream) -> Self {
        let input = Arc::new(Input::named(escape(name)));
        Self { filter, input, state: State::New(reader), record: 0 }
    }

    fn step(&mut self) -> io::Result<Option<Step>> {
        if let State::New(stream) = &mut self.state {
            let stream = mem::replace(stream, Box::new(io::empty()));
            self.state = State::Over;
            let steps = Steps::new(stream, max_raw(self.filter.max_bytes()), None, Check::default())?;
            self.state = State::Records(steps);
        }
        match &mut self.state {
            State::New(_) | State::Over => Ok(None),
            State::Records(steps) => steps.next_step(),
        }
    }
}

impl Iterator for Archived {
    type Item = Done;

    fn next(&mut self) -> Option<Done> {
        let step = self.step().transpose()?;
        let record = if step.is_ok() {
            self.record = self.record.saturating_add(1);
            self.record
        } else {
            self.state = State::Over;
            Place::END
        };
        Some(self.filter.run_step(Place { input: 0, record }, Arc::clone(&self.input), step))
    }
}

impl fmt::Debug for Archived {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Archived").field("input", &self.input).finish_non_exhaustive()
    }
}

impl Filter {
    /// The records of an archive, as [`Filter::items`] and [`Filter::run`] make them, and nothing else: a program with this
    /// method alone is smaller.
    pub fn archive(&self, name: impl AsRef<[u8]>, reader: impl Read + Send + 'static) -> Archived {
        Archived::new(self.clone(), name.as_ref(), Box::new(reader))
    }
}
