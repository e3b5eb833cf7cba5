//! What the inputs of a run were up to a point, and whether they are still the same.
//!
//! Invariant: the run that writes and the one that compares make the prints of inputs with the same code, from the same
//! items. Memory does not grow with the number of inputs: finished ones have 16 bytes each in a file.

use std::fs::{File, Metadata};
use std::io::{BufReader, Read as _};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::UNIX_EPOCH;

use xxhash_rust::xxh3::{Xxh3, xxh3_64, xxh3_64_with_seed};

use super::error::Error;
use super::item::{Input, Item, Place};
use super::journal::{Journal, Paths, Print};

/// What shows that a file was not changed: its size, and its times of change. Where the system has it, that of its
/// metadata is one of them: files of one size that change places may have been written at the same time.
pub(crate) fn state_of(found: &Metadata) -> u64 {
    let mut state = Xxh3::new();
    state.update(&found.len().to_le_bytes());
    let written = found.modified().ok().map(|time| match time.duration_since(UNIX_EPOCH) {
        Ok(after) => (true, after.as_nanos()),
        Err(error) => (false, error.duration().as_nanos()),
    });
    let (is_after, nanos) = written.unwrap_or_default();
    state.update(&[u8::from(is_after)]);
    state.update(&nanos.to_le_bytes());
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        state.update(&found.ctime().to_le_bytes());
        state.update(&found.ctime_nsec().to_le_bytes());
    }
    state.digest()
}

/// Makes the prints of inputs from their items, in order.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Trail {
    /// What was read of the stream so far.
    read: u64,
}

impl Trail {
    /// That of a run which stopped inside an input.
    pub(crate) fn after(print: Option<Print>) -> Self {
        Self { read: print.map_or(0, |print| print.state) }
    }

    /// The print of the input up to this item.
    pub(crate) fn step(&mut self, input: &Input, next: Place, item: u64) -> Print {
        self.read = xxh3_64_with_seed(&item.to_le_bytes(), self.read);
        let state = input.state.unwrap_or(self.read);
        if next.record == 0 {
            self.read = 0;
        }
        Print { name: xxh3_64(input.name.as_bytes()), state }
    }
}

/// What the thread that reads has found.
pub(crate) type Found = Arc<Mutex<Option<Error>>>;

/// The inputs of an earlier run up to the point where this one goes on.
#[derive(Debug, Default)]
pub(crate) struct Past {
    point: Place,
    /// The prints of the inputs before that of the point.
    finished: Option<BufReader<File>>,
    /// What the input of the point was, if the run stopped inside it.
    inside: Option<Print>,
    /// What the input that is read now was.
    expected: Print,
    trail: Trail,
    is_reached: bool,
    /// The name of the last input.
    last: Option<Arc<str>>,
    /// Why the inputs are not the same.
    pub(crate) error: Found,
}

impl Past {
    /// That of the run with this journal.
    pub(crate) fn of(journal: &Journal, paths: Option<&Paths>) -> Result<Self, Error> {
        let open = |paths: &Paths| {
            let path = &paths.inputs;
            File::open(path).map_err(|error| Error::Damaged(path.clone(), error))
        };
        let paths = paths.filter(|_| journal.place.input > 0);
        let finished = paths.map(open).transpose()?.map(BufReader::new);
        Ok(Self { point: journal.place, finished, inside: journal.inside, ..Self::default() })
    }

    /// Whether the run goes on from here.
    pub(crate) const fn is_reached(&self) -> bool {
        self.is_reached
    }

    /// Whether this input has to be read, or the error.
    pub(crate) fn begin(&mut self, input: &Input, number: u64) -> Result<bool, Error> {
        let at = Place { input: number, record: 0 };
        self.is_reached |= at >= self.point;
        if self.is_reached {
            return Ok(true);
        }
        self.last = Some(Arc::clone(&input.name));
        self.expected = if number < self.point.input {
            let mut bytes = [0; Print::SIZE];
            let read = self.finished.as_mut().map_or(Ok(()), |file| file.read_exact(&mut bytes));
            // Their number and their digest were checked, so this fails only if the disk does.
            read.map_err(Error::Journal)?;
            Print::of_bytes(bytes)
        } else {
            self.inside.unwrap_or_default()
        };
        if input.state.is_some() {
            self.compare(input, Trail::default().step(input, at, 0))?;
        }
        // A stream has no times, and what was read of it has to be read again.
        Ok(input.state.is_none() || number == self.point.input)
    }

    /// An item before the point.
    pub(crate) fn pass(&mut self, item: &Item) -> Result<(), Error> {
        let next = item.place.next();
        let print = self.trail.step(&item.input, next, item.print());
        let is_inside = item.place.input == self.point.input;
        if is_inside && next > self.point {
            return Err(other(&item.input.name, "ends before the place where the run was interrupted"));
        }
        if if is_inside { next == self.point } else { next.record == 0 } {
            self.compare(&item.input, print)?;
        }
        self.is_reached = next == self.point;
        Ok(())
    }

    /// After the last input. If there was none, it would be in `place`.
    pub(crate) fn end(&self, number: u64, place: &str) -> Result<(), Error> {
        if self.is_reached || (Place { input: number, record: 0 }) >= self.point {
            return Ok(());
        }
        Err(match &self.last {
            Some(last) => other(last, "is the last input now, and more of them were read"),
            None => other(place, "no input is there now, and some were read"),
        })
    }

    fn compare(&self, input: &Input, print: Print) -> Result<(), Error> {
        if print == self.expected {
            return Ok(());
        }
        Err(other(
            &input.name,
            match input.state {
                _ if print.name != self.expected.name => "another input was in its place",
                Some(_) => "its size, or a time of its change, is another",
                None => "does not begin with what was read then",
            },
        ))
    }
}

/// The error that the thread which reads has found, after it ended.
pub(crate) fn expect_same(error: &Found) -> Result<(), Error> {
    error.lock().unwrap_or_else(PoisonError::into_inner).take().map_or(Ok(()), Err)
}

/// The inputs are not those of the earlier run: this is the first that is not.
pub(crate) fn other(input: &str, why: &'static str) -> Error {
    Error::OtherInputs { input: input.to_owned(), why }
}
