//! The progress bar of a batch.
//!
//! Invariant: the bar is drawn only on a terminal. Messages are printed above it.

use std::cmp::Ordering;
use std::io::IsTerminal as _;
use std::path::PathBuf;
use std::thread;

use indicatif::{ProgressBar, ProgressStyle};
use robosieve_batch::files::bytes_of;
use robosieve_batch::{Observer, Record};

use crate::exit;

const KNOWN: &str = "{wide_bar} {percent}% {msg}, {binary_bytes_per_sec}, {eta} left";
const UNKNOWN: &str = "{spinner} {elapsed} {msg}, {binary_bytes} read, {binary_bytes_per_sec}";

/// The maximum number of failures that are printed; all are counted.
const TOLD: u64 = 20;

/// A progress bar; hidden if it is not wanted or the standard error is not a terminal.
pub(crate) struct Progress(ProgressBar);

impl Progress {
    /// Makes a bar for these inputs. A background thread finds the total size; the remaining time is known after that.
    pub(crate) fn new(inputs: &[PathBuf], is_wanted: bool) -> Self {
        if !is_wanted || !std::io::stderr().is_terminal() {
            return Self(ProgressBar::hidden());
        }
        let bar = ProgressBar::new_spinner().with_style(style(UNKNOWN, false));
        let (counted, inputs) = (bar.clone(), inputs.to_vec());
        thread::spawn(move || {
            if let Some(bytes) = bytes_of(&inputs) {
                counted.set_style(style(KNOWN, true));
                counted.set_length(bytes);
            }
        });
        Self(bar)
    }

    /// Prints a message above the bar.
    fn tell(&self, message: &str) {
        self.0.suspend(|| exit::tell(message));
    }

    pub(crate) fn clear(&self) {
        self.0.finish_and_clear();
    }
}

impl Observer for Progress {
    fn progress(&mut self, bytes: u64, records: u64) {
        if !self.0.is_hidden() {
            self.0.set_message(format!("{records} records"));
            self.0.set_position(bytes);
        }
    }

    fn failed(&mut self, record: &Record, before: u64) {
        match before.cmp(&TOLD) {
            Ordering::Less => {
                let why = record.error.as_ref().map(|error| error.message.as_str()).unwrap_or_default();
                self.tell(&format!("{}: {why}", record.name()));
            }
            Ordering::Equal => self.tell("more failures follow; the summary counts them, and the records name them"),
            Ordering::Greater => {}
        }
    }

    fn nothing_to_continue(&mut self) {
        self.tell("no interrupted run can be continued: starting from the beginning");
    }
}

fn style(template: &str, is_bar: bool) -> ProgressStyle {
    // The templates are ours; one that can't be read shows as the plain default.
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    if is_bar { style.progress_chars("=> ") } else { style.tick_chars("|/-\\ ") }
}
