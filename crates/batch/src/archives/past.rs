//! What the inputs of a run are, and what of them is not as it was for an earlier run.
//!
//! Invariant: all inputs are listed by the code that reads them, and none is opened for that. Memory does not grow with
//! their number. A digest decides; the marks of the first inputs only say what differs.

use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::UNIX_EPOCH;

use robosieve_printable::name_of;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

/// The marks that are kept. Our choice: with them a journal has some ten kilobytes.
const MOST_MARKS: usize = 500;

/// What shows that a file was not changed: its size, and its times of change. Where the system has it, that of its
/// metadata is one of them: files of one size that change places may have been written at the same time.
fn state_of(found: &Metadata) -> u64 {
    let written = found.modified().ok().map(|time| match time.duration_since(UNIX_EPOCH) {
        Ok(after) => (true, after.as_nanos()),
        Err(error) => (false, error.duration().as_nanos()),
    });
    let times = format!("{} {written:?}", found.len());
    #[cfg(unix)]
    let times = {
        use std::os::unix::fs::MetadataExt as _;
        format!("{times} {} {}", found.ctime(), found.ctime_nsec())
    };
    mark(times.as_bytes())
}

/// Eight bytes of a digest.
pub(crate) fn mark(bytes: &[u8]) -> u64 {
    let digest: [u8; 32] = Sha256::digest(bytes).into();
    digest.iter().take(8).fold(0, |mark, &byte| mark << 8 | u64::from(byte))
}

/// A file, an archive or a stream.
#[derive(Debug)]
pub(crate) struct Input {
    /// The name in messages and records, escaped: see [`robosieve_printable`].
    pub(crate) name: Arc<str>,
    /// The path of its text in a directory of texts, if it is one file.
    pub(crate) mirror: Option<PathBuf>,
    /// The size, if it is known.
    pub(crate) bytes: Option<u64>,
    /// What shows that it is the same as in an earlier run, without reading it. A stream has nothing.
    pub(crate) state: Option<u64>,
}

impl Input {
    pub(crate) fn named(name: impl Into<Arc<str>>) -> Self {
        Self { name: name.into(), mirror: None, bytes: None, state: None }
    }

    /// The input at a path. A pipe is a stream.
    pub(crate) fn at(path: &Path) -> Self {
        let found = fs::metadata(path);
        let file = found.as_ref().ok().filter(|found| found.is_file());
        let state = if found.is_ok() { file.map(state_of) } else { Some(0) };
        Self { bytes: file.map(Metadata::len), state, ..Self::named(name_of(path)) }
    }
}

/// The digest of inputs, in their order: names, sizes and times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Chain([u8; 32]);

impl Chain {
    pub(crate) fn add(&mut self, input: &Input) {
        let state = input.state.unwrap_or_default().to_le_bytes();
        self.0 = Sha256::new().chain_update(self.0).chain_update(state).chain_update(&*input.name).finalize().into();
    }
}

/// All inputs of a run, as its journal has them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Listed {
    digest: Chain,
    /// Of the first inputs, marks of the name and of the state.
    marks: Vec<(u64, u64)>,
}

/// All inputs of a run, as they are now.
#[derive(Debug)]
pub(crate) struct Listing {
    pub(crate) listed: Listed,
    /// The number of inputs that an earlier run finished.
    point: u64,
    /// The digest of those.
    before: Chain,
    count: u64,
    /// The names of the marked ones.
    names: Vec<Arc<str>>,
}

impl Listing {
    /// Nothing is listed yet.
    pub(crate) fn new(point: u64) -> Self {
        Self { listed: Listed::default(), point, before: Chain::default(), count: 0, names: Vec::new() }
    }

    /// The next input.
    pub(crate) fn add(&mut self, input: &Input) {
        self.listed.digest.add(input);
        self.count = self.count.saturating_add(1);
        if self.count <= self.point {
            self.before = self.listed.digest;
        }
        if self.names.len() < MOST_MARKS {
            self.listed.marks.push((mark(input.name.as_bytes()), input.state.unwrap_or_default()));
            self.names.push(Arc::clone(&input.name));
        }
    }

    /// What is not as it was. `before`: the digest of the inputs that were finished, as they were read.
    pub(crate) fn difference(&self, then: &Listed, before: Chain) -> Option<String> {
        if self.listed.digest == then.digest {
            return (self.before != before).then(|| "some changed while they were read".into());
        }
        let (then, now) = (&then.marks, &self.listed.marks);
        let at = then.iter().zip(now).take_while(|(then, now)| then == now).count();
        let next = at.saturating_add(1);
        let name_at = |marks: &[(u64, u64)], at: usize| marks.get(at).map(|(name, _)| *name);
        let what = match (name_at(then, at), name_at(now, at)) {
            (None, None) => return Some(format!("some changed after the first {MOST_MARKS}")),
            (Some(_), None) => return Some(format!("there are only {} now", self.count)),
            (None, Some(_)) => "is new",
            (Some(then), Some(now)) if then == now => "its size, or a time of its change, is another",
            (Some(before), Some(_)) if Some(before) == name_at(now, next) => "is new",
            (_, found) if found == name_at(then, next) => "what came before it is gone",
            _ => "another one was in its place",
        };
        Some(format!("{}: {what}", self.names.get(at).map_or("", |name| name)))
    }
}
