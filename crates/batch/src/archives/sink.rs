//! Writes the results, in order, to records or texts, and keeps the journal.
//!
//! Invariant: one thread writes, in the order of the input, so the output of a killed run is the beginning of the
//! full output. The journal is written only between frames, after everything that it records.

use std::io::{self, BufWriter, Write};
use std::time::{Duration, Instant};

use super::done::{Done, Observer, What};
use super::error::Error;
use super::inputs::IS_OUTPUT;
use super::journal::{Journal, Kept};
use super::names;
use super::part::{FRAME, Part};
use super::past::Input;
use super::record::Record;
use super::summary::Summary;
use crate::files::{Clash, Folder, Unwritten};

/// The destination of the texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Texts {
    /// In the records.
    Records,
    /// Each in a file with the name of its input or its URL.
    Files,
}

/// The result of an item, ready to be written.
pub(crate) struct Made {
    done: Done,
    /// Empty if there is no record.
    line: Vec<u8>,
}

impl Texts {
    /// Makes the line of a record, on the thread that made the record.
    pub(crate) fn made(self, mut done: Done) -> Made {
        let line = match &mut done.what {
            What::Skipped(_) | What::End => Vec::new(),
            What::Record(record) => {
                if self == Self::Files {
                    place(record, &done.input);
                    return Made { done, line: Vec::new() };
                }
                let line = record.rows.take().map_or_else(|| record.line(), Ok).unwrap_or_else(|error| {
                    // Writing to memory does not fail. If it ever does, the record fails.
                    record.fail("internal", error.to_string());
                    Vec::new()
                });
                if let Some(policy) = &mut record.policy {
                    // The line has it. Memory is freed fastest by the thread that made it.
                    policy.text = String::new();
                }
                line
            }
        };
        Made { done, line }
    }
}

/// Sets the file name of the record's text.
fn place(record: &mut Record, input: &Input) {
    if record.policy.is_none() {
        return;
    }
    let of_input = input.mirror.clone().filter(|_| record.number.is_none());
    record.file = of_input.or_else(|| names::mirror_of(record.url.as_deref().unwrap_or_default()));
    if record.file.is_none() {
        record.fail("no-name", "its file has no name: it has no URL, or its path leads out of OUTPUT");
    }
}

/// The destination of the records.
pub(crate) enum Lines {
    None,
    /// To a pipe or a device: written data cannot be removed again.
    Stream(BufWriter<Box<dyn Write>>),
    Part(Box<Part>),
}

/// Everything that is written.
pub(crate) struct Sink {
    pub(crate) journal: Journal,
    /// None if the run cannot be continued.
    kept: Option<Kept>,
    lines: Lines,
    texts: Option<Folder>,
    checkpoint: Duration,
    last: Option<Instant>,
    started: Instant,
    /// The seconds of the earlier runs.
    seconds: f64,
}

impl Sink {
    pub(crate) fn new(
        journal: Journal,
        kept: Option<Kept>,
        (lines, texts): (Lines, Option<Folder>),
        checkpoint: Duration,
    ) -> Self {
        let seconds = journal.summary.seconds;
        Self { journal, kept, lines, texts, checkpoint, last: None, started: Instant::now(), seconds }
    }

    /// Writes the result of an item.
    pub(crate) fn take(&mut self, made: Made, observer: &mut dyn Observer) -> Result<(), Error> {
        let Made { mut done, line } = made;
        if let What::Record(record) = &mut done.what {
            if let Some(error) = record.error.as_ref().filter(|error| error.kind == IS_OUTPUT) {
                // The output gets its name at the end, and would replace it.
                return Err(Error::Overlap(Clash::of_message(&error.message)));
            }
            self.write_text(record)?;
            let written = match &mut self.lines {
                Lines::None => Ok(()),
                Lines::Stream(stream) => stream.write_all(&line),
                Lines::Part(part) => part.write(&line),
            };
            written.map_err(|error| self.failure(error))?;
            if record.error.is_some() {
                observer.failed(record, self.journal.summary.failures.values().sum());
            }
        }
        self.journal.summary.add(&done);
        self.journal.place = done.place.next();
        if self.journal.place.record == 0 {
            self.journal.before.add(&done.input);
        }
        if done.record().is_some() {
            self.journal.records = self.journal.records.saturating_add(1);
            if self.journal.records.is_multiple_of(FRAME) {
                self.end_frame(observer.stops())?;
            }
        }
        Ok(())
    }

    fn write_text(&mut self, record: &mut Record) -> Result<(), Error> {
        let (Some(texts), Some(file), Some(policy)) = (&mut self.texts, &record.file, &record.policy) else {
            return Ok(());
        };
        match texts.write(file, &policy.text) {
            Ok(()) => Ok(()),
            Err(Unwritten::Name(why)) => {
                record.fail("bad-name", why);
                Ok(())
            }
            Err(Unwritten::All(error)) => Err(Error::Write(file.clone(), error)),
        }
    }

    fn end_frame(&mut self, stops: bool) -> Result<(), Error> {
        if let Lines::Part(part) = &mut self.lines {
            part.end_frame().map_err(|error| self.failure(error))?;
        }
        // The first frame is a point to continue from, too.
        if self.kept.is_some() && (stops || self.last.is_none_or(|last| last.elapsed() >= self.checkpoint)) {
            self.check_point().map_err(|error| self.failure(error))?;
            self.last = Some(Instant::now());
        }
        if stops { Err(Error::Stopped) } else { Ok(()) }
    }

    fn check_point(&mut self) -> io::Result<()> {
        let Some(kept) = &self.kept else { return Ok(()) };
        kept.expect_there()?;
        if let Lines::Part(part) = &mut self.lines {
            self.journal.bytes = part.sync()?;
        }
        self.journal.summary.seconds = self.seconds + self.started.elapsed().as_secs_f64();
        kept.write(&self.journal)
    }

    /// The input pauses. Flushes the stream, so that its reader gets everything so far.
    pub(crate) fn idle(&mut self) -> Result<(), Error> {
        let Lines::Stream(stream) = &mut self.lines else { return Ok(()) };
        stream.flush().map_err(|error| self.failure(error))
    }

    /// Finishes the output.
    pub(crate) fn finish(mut self) -> Result<Summary, Error> {
        self.idle()?;
        self.journal.summary.seconds = self.seconds + self.started.elapsed().as_secs_f64();
        if let Some(kept) = &self.kept {
            let has_records = matches!(self.lines, Lines::Part(_));
            if has_records && !self.journal.summary.has_read() {
                kept.remove().map_err(|error| self.failure(error))?;
                return Err(Error::NothingRead(kept.paths.named.clone()));
            }
            self.complete().map_err(|error| self.failure(error))?;
        }
        Ok(self.journal.summary)
    }

    /// Gives the output its name. If the run is killed here, its journal shows that only this step is missing.
    fn complete(&mut self) -> io::Result<()> {
        let Lines::Part(part) = &mut self.lines else {
            return self.kept.as_ref().map_or(Ok(()), Kept::remove);
        };
        part.finish()?;
        self.check_point()?;
        let Some(kept) = &self.kept else { return Ok(()) };
        self.journal.done = kept.held.file.metadata()?.modified().ok();
        kept.write(&self.journal)?;
        kept.give()?;
        kept.remove()
    }

    fn failure(&self, error: io::Error) -> Error {
        match (&self.lines, &self.kept) {
            (Lines::Stream(_), _) | (_, None) => Error::Stream(error),
            (Lines::None, _) => Error::Journal(error),
            (Lines::Part(_), Some(kept)) => Error::Write(kept.paths.named.clone(), error),
        }
    }
}
