//! What was done, in order -> records and texts, and the journal of it.
//!
//! Invariant: one thread writes, in the order of the input, so that any front of a run's output is that of any other run; the
//! journal is written between frames only, behind what it speaks of.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Seek as _, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::journal::{Journal, Paths};
use super::mirror::{Mirror, is_about_name};
use super::part::{FRAME, Part};
use super::record::{Body, Rendered};
use super::work::{Done, What, about};
use crate::exit::Failure;
use crate::text;

/// Failures that are told one by one; all are counted.
const TOLD: u64 = 20;

/// Where records go.
pub(crate) enum Lines {
    None,
    /// To a pipe or a device: nothing of it can be taken back.
    Stream(BufWriter<Box<dyn Write>>),
    Part(Box<Part>, PathBuf),
}

/// The texts that are known, by 16 octets of their hashes. Two that agree in them are as unlikely as anything can be.
struct Known {
    hashes: HashSet<u128>,
    /// The same, for a run that continues this one.
    file: Option<BufWriter<File>>,
}

/// All that is written.
pub(crate) struct Sink {
    pub(crate) journal: Journal,
    paths: Option<Paths>,
    lines: Lines,
    mirror: Option<Mirror>,
    /// Whether a text that is there stays as it is.
    is_store: bool,
    known: Option<Known>,
    checkpoint: Duration,
    last: Instant,
    started: Instant,
    /// Seconds of the runs before.
    seconds: f64,
    /// The input that an earlier run stopped in, until its items come.
    expected: Option<(u64, String, Option<u64>)>,
}

/// What a sink is made of.
pub(crate) struct Parts {
    pub(crate) journal: Journal,
    pub(crate) paths: Option<Paths>,
    pub(crate) lines: Lines,
    pub(crate) mirror: Option<Mirror>,
    pub(crate) is_store: bool,
    /// Whether the text of a record is left out that an earlier one has.
    pub(crate) is_dedup: bool,
    pub(crate) checkpoint: Duration,
}

impl Sink {
    pub(crate) fn new(parts: Parts) -> io::Result<Self> {
        let Parts { journal, paths, lines, mirror, is_store, is_dedup, checkpoint } = parts;
        let known = if is_dedup { Some(Known::open(paths.as_ref(), journal.hashes)?) } else { None };
        let expected = journal.input.clone().map(|(name, octets)| (journal.place.input, name, octets));
        let seconds = journal.summary.seconds;
        let now = Instant::now();
        Ok(Self {
            journal,
            paths,
            lines,
            mirror,
            is_store,
            known,
            checkpoint,
            last: now,
            started: now,
            seconds,
            expected,
        })
    }

    /// Takes what was done. Failures are told by `tell`.
    pub(crate) fn take(&mut self, mut done: Done, tell: impl Fn(&str)) -> Result<(), Failure> {
        self.expect_input(&done)?;
        if let What::Record(record) = &mut done.what {
            self.write_text(record, &done.input, done.place)?;
            self.write_line(record)?;
            if let Some(error) = &record.body.error {
                let failures: u64 = self.journal.summary.failures.values().sum();
                match failures.cmp(&TOLD) {
                    std::cmp::Ordering::Less => tell(&format!("{}: {}", record.name, error.message)),
                    std::cmp::Ordering::Equal => tell("and more; the summary counts them, and the records name them"),
                    std::cmp::Ordering::Greater => {}
                }
            }
        }
        self.journal.summary.add(&done);
        self.journal.place = done.place.next();
        let is_record = matches!(done.what, What::Record(_));
        if is_record {
            self.journal.records = self.journal.records.saturating_add(1);
            if self.journal.records.is_multiple_of(FRAME) {
                self.end_frame(&done)?;
            }
        }
        Ok(())
    }

    /// That an input is what it was when an earlier run stopped in it.
    fn expect_input(&mut self, done: &Done) -> Result<(), Failure> {
        let Some((input, name, octets)) = self.expected.take() else { return Ok(()) };
        if done.place.input == input && (done.input.name != name || done.input.octets != octets) {
            let now = &done.input.name;
            return Err(Failure::Usage(format!(
                "the inputs are not those of the interrupted run, which stopped in {name}, where {now} is now or has another \
                 size: begin again with --start-over"
            )));
        }
        Ok(())
    }

    fn write_text(
        &mut self,
        record: &mut Rendered,
        input: &super::source::Input,
        place: super::source::Place,
    ) -> Result<(), Failure> {
        let (Some(mirror), Some(file), Some(found)) = (&mut self.mirror, &record.body.file, &record.body.found) else {
            return Ok(());
        };
        if self.is_store && mirror.has(file, found.text.len()) {
            return Ok(());
        }
        match mirror.write(file, &found.text) {
            Ok(()) => Ok(()),
            Err(error) if is_about_name(&error) => {
                let message = format!("{}: {error}", text::name_of(file));
                let body = Body::failed("bad-name", message);
                let about = super::record::About { url: record.url.clone(), ..about(input, place) };
                *record = Rendered::new(about, body, false).map_err(|error| Failure::stdout(&error))?;
                Ok(())
            }
            Err(error) => Err(Failure::file(file, &error, WHAT_TO_DO)),
        }
    }

    fn write_line(&mut self, record: &Rendered) -> Result<(), Failure> {
        let mut made = Vec::new();
        let mut line = &record.line;
        if let (Some(known), Some(found)) = (&mut self.known, &record.body.found) {
            if !known.add(&found.digest).map_err(|error| self.lines.failure(&error))? {
                made = record.line_without_text();
                line = &made;
            }
            self.journal.hashes = known.count();
            self.journal.summary.distinct = Some(known.count());
        }
        let done = match &mut self.lines {
            Lines::None => Ok(()),
            Lines::Stream(stream) => stream.write_all(line),
            Lines::Part(part, _) => part.write(line),
        };
        drop(made);
        done.map_err(|error| self.lines.failure(&error))
    }

    fn end_frame(&mut self, done: &Done) -> Result<(), Failure> {
        if let Lines::Part(part, _) = &mut self.lines {
            part.end_frame().map_err(|error| self.lines.failure(&error))?;
        }
        if self.paths.is_some() && self.last.elapsed() >= self.checkpoint {
            self.journal.input = Some((done.input.name.clone(), done.input.octets));
            self.check_point().map_err(|error| self.lines.failure(&error))?;
            self.last = Instant::now();
        }
        Ok(())
    }

    fn check_point(&mut self) -> io::Result<()> {
        let Some(paths) = &self.paths else { return Ok(()) };
        if let Lines::Part(part, _) = &mut self.lines {
            self.journal.octets = part.sync()?;
        }
        if let Some(file) = self.known.as_mut().and_then(|known| known.file.as_mut()) {
            file.flush()?;
            file.get_ref().sync_data()?;
        }
        self.journal.summary.seconds = self.seconds + self.started.elapsed().as_secs_f64();
        self.journal.write(paths)
    }

    /// The input pauses: who reads our output need not wait.
    pub(crate) fn idle(&mut self) -> Result<(), Failure> {
        let Lines::Stream(stream) = &mut self.lines else { return Ok(()) };
        stream.flush().map_err(|error| self.lines.failure(&error))
    }

    /// Comes to the end.
    pub(crate) fn finish(mut self) -> Result<Journal, Failure> {
        self.idle()?;
        if let Some(mirror) = &self.mirror {
            mirror.clean();
        }
        self.journal.summary.seconds = self.seconds + self.started.elapsed().as_secs_f64();
        let Some(paths) = &self.paths else { return Ok(self.journal) };
        let records = match self.lines {
            Lines::Part(part, path) => {
                self.journal.octets = part.finish().map_err(|error| Failure::file(&path, &error, WHAT_TO_DO))?;
                Some(path)
            }
            _ => None,
        };
        self.journal.is_done = true;
        self.journal.write(paths).map_err(|error| Lines::None.failure(&error))?;
        give_names(paths, records.as_deref())?;
        Ok(self.journal)
    }
}

/// Gives what is whole its name, and takes the rest away. Whoever is killed on the way finds a journal that says so.
pub(crate) fn give_names(paths: &Paths, records: Option<&Path>) -> Result<(), Failure> {
    if let (Some(part), Some(records)) = (&paths.part, records) {
        match fs::rename(part, records) {
            // An earlier run has come so far already.
            Err(error) if error.kind() == io::ErrorKind::NotFound && records.exists() => {}
            done => done.map_err(|error| Failure::file(records, &error, WHAT_TO_DO))?,
        }
    }
    paths.remove();
    Ok(())
}

const WHAT_TO_DO: &str = "nothing that is not whole has its name; mend that, and --resume continues";

impl Lines {
    fn failure(&self, error: &io::Error) -> Failure {
        match self {
            Self::None => Failure::Io(format!("the journal can't be written: {error}; {WHAT_TO_DO}")),
            Self::Stream(_) => Failure::stdout(error),
            Self::Part(_, path) => Failure::file(path, error, WHAT_TO_DO),
        }
    }
}

impl Known {
    /// The first `count` hashes of an earlier run, or none.
    fn open(paths: Option<&Paths>, count: u64) -> io::Result<Self> {
        let Some(paths) = paths else { return Ok(Self { hashes: HashSet::new(), file: None }) };
        let mut file =
            File::options().read(true).write(true).create(true).truncate(false).open(Path::new(&paths.hashes))?;
        let octets = count.saturating_mul(16);
        let mut hashes = HashSet::new();
        let mut reader = io::BufReader::new((&file).take(octets));
        let mut hash = [0; 16];
        for _ in 0..count {
            reader.read_exact(&mut hash)?;
            hashes.insert(u128::from_le_bytes(hash));
        }
        file.set_len(octets)?;
        file.seek(SeekFrom::Start(octets))?;
        Ok(Self { hashes, file: Some(BufWriter::new(file)) })
    }

    fn count(&self) -> u64 {
        self.hashes.len().try_into().unwrap_or(u64::MAX)
    }

    /// Whether it is new.
    fn add(&mut self, digest: &[u8; 32]) -> io::Result<bool> {
        let mut hash = [0; 16];
        hash.iter_mut().zip(digest).for_each(|(octet, from)| *octet = *from);
        let is_new = self.hashes.insert(u128::from_le_bytes(hash));
        if let Some(file) = self.file.as_mut().filter(|_| is_new) {
            file.write_all(&hash)?;
        }
        Ok(is_new)
    }
}
