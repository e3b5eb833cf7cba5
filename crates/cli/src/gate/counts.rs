//! `--metrics`: writes what a run did as JSON, while it runs and at its end.
//!
//! Invariant: the file is replaced as a whole, so a reader never sees half of it.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use robosieve_gate::Moment;
use robosieve_gate::ask::Metrics;
use serde::Serialize;

use super::asker::Asker;
use super::printer::Tally;
use crate::exit::Failure;
use crate::{input, json, output};

/// How often it is written while the run goes on.
const PERIOD: Duration = Duration::from_secs(10);

/// The file of metrics.
pub(super) struct Counts<'p> {
    path: &'p Path,
    began: Moment,
    written: Instant,
}

/// Version 1 of the fields.
#[derive(Serialize)]
struct Fields {
    v: u8,
    /// When the run began, and when this was written: milliseconds since 1970.
    began: Moment,
    at: Moment,
    /// The URLs by verdict.
    urls: BTreeMap<&'static str, u64>,
    #[serde(flatten)]
    metrics: Metrics,
}

impl<'p> Counts<'p> {
    /// Writes the file for the first time, so that a path that can't be written is noticed before the run.
    pub(super) fn start(path: &'p Path, gate: &Asker) -> Result<Self, Failure> {
        if input::is_stdin(path) {
            return Err(Failure::Usage("--metrics needs a file: the standard output is for the results".into()));
        }
        let mut counts = Self { path, began: gate.now(), written: Instant::now() };
        counts.write(gate, &Tally::default())?;
        Ok(counts)
    }

    /// Writes the file, unless that was done a moment ago.
    pub(super) fn follow(&mut self, gate: &Asker, tally: &Tally) -> Result<(), Failure> {
        if self.written.elapsed() < PERIOD { Ok(()) } else { self.write(gate, tally) }
    }

    /// Writes the file.
    pub(super) fn write(&mut self, gate: &Asker, tally: &Tally) -> Result<(), Failure> {
        self.written = Instant::now();
        let (urls, metrics) = (tally.verdicts().collect(), gate.core().metrics());
        let line = json::line(&Fields { v: 1, began: self.began, at: gate.now(), urls, metrics });
        let line = line.map_err(|error| Failure::Io(format!("the metrics can't be written: {error}")))?;
        output::replace(self.path, &line)
    }
}
