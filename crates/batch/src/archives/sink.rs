//! Writes the results, in order, to records and texts, and keeps the journal.
//!
//! Invariant: one thread writes, in the order of the input, so the output of a killed run is the beginning of the
//! full output. The journal is written only between frames, after everything that it records.

use std::collections::HashSet;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::done::Observer;
use super::done::{Done, What};
use super::error::Error;
use super::inputs::IS_OUTPUT;
use super::item::Input;
use super::journal::{Journal, Paths};
use super::line::Line;
use super::marked::{Mark, Marked};
use super::names;
use super::names::hex;
use super::part::{FRAME, Part};
use super::past::Trail;
use super::record::Record;
use crate::files::{Clash, Folder, Unwritten, give};

/// The destination of the texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Texts {
    /// In the records.
    Records,
    /// Each in a file with the name of its input or its URL.
    Files,
    /// Each in a file with the name of its hash, so equal texts are stored once.
    Store,
}

/// The result of an item, ready to be written.
pub(crate) struct Made {
    done: Done,
    /// What was read of a stream for it.
    print: u64,
    /// Empty if there is no record.
    line: Line,
}

impl Texts {
    /// Makes the line of a record, on the thread that made the record.
    pub(crate) fn made(self, mut done: Done, print: u64) -> Made {
        let line = match &mut done.what {
            What::Skipped(_) | What::End => Line::default(),
            What::Record(record) => {
                self.place(record, &done.input);
                let line = Line::new(record, self == Self::Records).unwrap_or_else(|error| {
                    // Writing to memory does not fail. If it ever does, the record fails.
                    record.fail("internal", error.to_string());
                    Line::default()
                });
                if let (Self::Records, Some(policy)) = (self, &mut record.policy) {
                    // The line has them. Memory is freed fastest by the thread that made it.
                    (policy.text, policy.sitemaps) = (String::new(), Vec::new());
                }
                line
            }
        };
        Made { done, print, line }
    }

    /// Sets the file name of the record's text.
    fn place(self, record: &mut Record, input: &Input) {
        let Some(policy) = &record.policy else { return };
        record.file = match self {
            Self::Records => return,
            Self::Files => input.mirror.clone().or_else(|| names::mirror_of(record.url.as_deref().unwrap_or_default())),
            Self::Store => {
                let name = hex(&policy.digest);
                let front = name.get(..2).unwrap_or_default();
                Some(Path::new(front).join(format!("{name}.txt")))
            }
        };
        if record.file.is_none() {
            let message = "its file has no name: it has no URL, or its path leads out of OUTPUT";
            record.fail("no-name", message);
        }
    }
}

/// The destination of the records.
pub(crate) enum Lines {
    None,
    /// To a pipe or a device: written data cannot be removed again.
    Stream(BufWriter<Box<dyn Write>>),
    Part(Box<Part>, PathBuf),
}

/// The known texts, by 16 bytes of their hashes. It is practically impossible that two texts have the same 16 bytes.
struct Known {
    hashes: HashSet<u128>,
    /// The same hashes on disk, for a run that continues this one.
    file: Option<BufWriter<Marked>>,
}

/// Everything that is written.
pub(crate) struct Sink {
    pub(crate) journal: Journal,
    paths: Option<Paths>,
    lines: Lines,
    mirror: Option<Folder>,
    /// Whether an existing text is kept, because its name is its hash.
    is_store: bool,
    known: Option<Known>,
    /// The prints of the inputs that are finished, for a run that continues this one.
    prints: Option<BufWriter<Marked>>,
    trail: Trail,
    checkpoint: Duration,
    last: Option<Instant>,
    started: Instant,
    /// The seconds of the earlier runs.
    seconds: f64,
}

/// The parts of a sink.
pub(crate) struct Parts {
    pub(crate) journal: Journal,
    pub(crate) paths: Option<Paths>,
    pub(crate) lines: Lines,
    pub(crate) mirror: Option<Folder>,
    pub(crate) is_store: bool,
    /// Whether a text is left out of a record if an earlier record has it.
    pub(crate) is_dedup: bool,
    pub(crate) checkpoint: Duration,
}

impl Sink {
    pub(crate) fn new(parts: Parts) -> Result<Self, Error> {
        let Parts { journal, paths, lines, mirror, is_store, is_dedup, checkpoint } = parts;
        let known = if is_dedup { Some(Known::open(paths.as_ref(), journal.hashes)?) } else { None };
        let prints = paths.as_ref().map(|paths| journal.inputs.open(&paths.inputs, |_| ())).transpose()?;
        let trail = Trail::after(journal.inside);
        let seconds = journal.summary.seconds;
        let now = Instant::now();
        Ok(Self {
            journal,
            paths,
            lines,
            mirror,
            is_store,
            known,
            prints: prints.map(BufWriter::new),
            trail,
            checkpoint,
            last: None,
            started: now,
            seconds,
        })
    }

    /// Writes what comes before the first record.
    pub(crate) fn begin(&mut self, head: &[u8]) -> Result<(), Error> {
        let done = match &mut self.lines {
            Lines::Stream(stream) => stream.write_all(head),
            Lines::Part(part, _) if !head.is_empty() => part.write(head),
            Lines::Part(..) | Lines::None => Ok(()),
        };
        done.map_err(|error| self.lines.failure(error))
    }

    /// Writes the result of an item.
    pub(crate) fn take(&mut self, made: Made, observer: &mut dyn Observer) -> Result<(), Error> {
        let Made { mut done, print, mut line } = made;
        if let What::Record(record) = &mut done.what {
            if let Some(error) = record.error.as_ref().filter(|error| error.kind == IS_OUTPUT) {
                // The output gets its name at the end, and would replace it.
                return Err(Error::Overlap(Clash::of_message(&error.message)));
            }
            self.write_text(record, &mut line)?;
            self.write_line(record, &line)?;
            if record.error.is_some() {
                observer.failed(record, self.journal.summary.failures.values().sum());
            }
        }
        line.spare();
        self.journal.summary.add(&done);
        self.pass(&done, print).map_err(Error::Journal)?;
        if done.record().is_some() {
            self.journal.records = self.journal.records.saturating_add(1);
            if self.journal.records.is_multiple_of(FRAME) {
                self.end_frame(observer.stops())?;
            }
        }
        Ok(())
    }

    /// Notes the place after this item, and what its input was.
    fn pass(&mut self, done: &Done, item: u64) -> io::Result<()> {
        let next = done.place.next();
        self.journal.place = next;
        let Some(prints) = &mut self.prints else { return Ok(()) };
        let print = self.trail.step(&done.input, next, item);
        self.journal.inside = Some(print).filter(|_| next.record > 0);
        if self.journal.inside.is_none() { prints.write_all(&print.bytes()) } else { Ok(()) }
    }

    fn write_text(&mut self, record: &mut Record, line: &mut Line) -> Result<(), Error> {
        let (Some(mirror), Some(file), Some(policy)) = (&mut self.mirror, &record.file, &record.policy) else {
            return Ok(());
        };
        if self.is_store && mirror.has(file, policy.text.len()) {
            return Ok(());
        }
        match mirror.write(file, &policy.text) {
            Ok(()) => Ok(()),
            Err(Unwritten::Name(why)) => {
                record.fail("bad-name", why);
                *line = Line::new(record, false).map_err(Error::Stream)?;
                Ok(())
            }
            Err(Unwritten::All(error)) => Err(Error::Write(file.clone(), error)),
        }
    }

    fn write_line(&mut self, record: &Record, line: &Line) -> Result<(), Error> {
        let mut shorter = None;
        if let (Some(known), Some(policy)) = (&mut self.known, &record.policy) {
            if !known.add(&policy.digest).map_err(|error| self.lines.failure(error))? {
                shorter = (!line.is_rows).then(|| line.without_text());
            }
            self.journal.summary.distinct = Some(known.count());
        }
        let bytes = shorter.as_ref().unwrap_or(&line.bytes);
        let done = match &mut self.lines {
            Lines::None => Ok(()),
            Lines::Stream(stream) => stream.write_all(bytes),
            Lines::Part(part, _) => part.write(bytes),
        };
        done.map_err(|error| self.lines.failure(error))
    }

    fn end_frame(&mut self, stops: bool) -> Result<(), Error> {
        if let Lines::Part(part, _) = &mut self.lines {
            part.end_frame().map_err(|error| self.lines.failure(error))?;
        }
        // The first frame is a point to continue from, too.
        if self.paths.is_some() && (stops || self.last.is_none_or(|last| last.elapsed() >= self.checkpoint)) {
            self.check_point().map_err(|error| self.lines.failure(error))?;
            self.last = Some(Instant::now());
        }
        if stops { Err(Error::Stopped) } else { Ok(()) }
    }

    fn check_point(&mut self) -> io::Result<()> {
        let Some(paths) = &self.paths else { return Ok(()) };
        if let Lines::Part(part, _) = &mut self.lines {
            self.journal.part = part.sync()?;
        }
        self.journal.hashes = synced(self.known.as_mut().and_then(|known| known.file.as_mut()))?;
        self.journal.inputs = synced(self.prints.as_mut())?;
        self.journal.summary.seconds = self.seconds + self.started.elapsed().as_secs_f64();
        self.journal.write(paths)
    }

    /// The input pauses. Flushes the stream, so that its reader gets everything so far.
    pub(crate) fn idle(&mut self) -> Result<(), Error> {
        let Lines::Stream(stream) = &mut self.lines else { return Ok(()) };
        stream.flush().map_err(|error| self.lines.failure(error))
    }

    /// Finishes the output.
    pub(crate) fn finish(mut self) -> Result<Journal, Error> {
        self.idle()?;
        self.journal.summary.seconds = self.seconds + self.started.elapsed().as_secs_f64();
        let Some(paths) = &self.paths else { return Ok(self.journal) };
        let records = match self.lines {
            Lines::Part(_, path) if !self.journal.summary.has_read() && path.exists() => {
                paths.remove();
                return Err(Error::NothingRead(path));
            }
            Lines::Part(part, path) => {
                self.journal.part = part.finish().map_err(|error| Error::Write(path.clone(), error))?;
                Some(path)
            }
            _ => None,
        };
        self.journal.is_done = true;
        self.journal.inputs = synced(self.prints.as_mut()).map_err(Error::Journal)?;
        self.journal.write(paths).map_err(Error::Journal)?;
        give_names(paths, records.as_deref())?;
        Ok(self.journal)
    }
}

/// Checks that the files of a complete run are as it wrote them. The records may have their name already.
pub(crate) fn expect_written(journal: &Journal, paths: &Paths, records: Option<&Path>) -> Result<(), Error> {
    drop(journal.inputs.open(&paths.inputs, |_| ())?);
    let Some((part, records)) = paths.part.as_deref().zip(records) else { return Ok(()) };
    let path = if part.exists() { part } else { records };
    Marked::check(path, journal.part).map_err(|error| Error::Damaged(path.to_owned(), error))
}

/// Renames complete files and removes all others. If the run is killed here, its journal shows that only this step is
/// missing.
pub(crate) fn give_names(paths: &Paths, records: Option<&Path>) -> Result<(), Error> {
    if let (Some(part), Some(records)) = (&paths.part, records) {
        match give(part, records) {
            // An earlier run has already done it.
            Err(error) if error.kind() == io::ErrorKind::NotFound && records.exists() => {}
            done => done.map_err(|error| Error::Write(records.to_owned(), error))?,
        }
    }
    paths.remove();
    Ok(())
}

/// Writes everything to disk.
fn synced(file: Option<&mut BufWriter<Marked>>) -> io::Result<Mark> {
    let Some(file) = file else { return Ok(Mark::default()) };
    file.flush()?;
    file.get_ref().sync()
}

impl Lines {
    fn failure(&self, error: io::Error) -> Error {
        match self {
            Self::None => Error::Journal(error),
            Self::Stream(_) => Error::Stream(error),
            Self::Part(_, path) => Error::Write(path.clone(), error),
        }
    }
}

impl Known {
    /// The hashes of an earlier run. Empty without a journal.
    fn open(paths: Option<&Paths>, mark: Mark) -> Result<Self, Error> {
        let mut hashes = HashSet::new();
        let Some(paths) = paths else { return Ok(Self { hashes, file: None }) };
        let file = mark.open(&paths.hashes, |bytes| {
            hashes.extend(bytes.as_chunks().0.iter().copied().map(u128::from_le_bytes));
        })?;
        Ok(Self { hashes, file: Some(BufWriter::new(file)) })
    }

    fn count(&self) -> u64 {
        self.hashes.len().try_into().unwrap_or(u64::MAX)
    }

    /// Adds a hash, and returns whether it is new.
    fn add(&mut self, digest: &[u8; 32]) -> io::Result<bool> {
        let mut hash = [0; 16];
        hash.iter_mut().zip(digest).for_each(|(byte, from)| *byte = *from);
        let is_new = self.hashes.insert(u128::from_le_bytes(hash));
        if let Some(file) = self.file.as_mut().filter(|_| is_new) {
            file.write_all(&hash)?;
        }
        Ok(is_new)
    }
}
