//! The progress bar of a batch.
//!
//! Invariant: the bar is drawn only on a terminal. Messages are printed above it.

use std::cmp::Ordering;
use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use robosieve_batch::files::bytes_of;
use robosieve_batch::{Observer, Record};

use crate::exit::{self, Code};
use crate::text;

const KNOWN: &str = "{wide_bar} {percent}% {msg}, {binary_bytes_per_sec}, {eta} left";
const UNKNOWN: &str = "{spinner} {elapsed} {msg}, {binary_bytes} read, {binary_bytes_per_sec}";

/// The maximum number of failures that are printed; all are counted.
const REPORTED: u64 = 20;

/// A progress bar; hidden if it is not wanted or the standard error is not a terminal.
pub(crate) struct Progress {
    bar: ProgressBar,
    /// Whether Ctrl-C was pressed.
    is_interrupted: Arc<AtomicBool>,
}

/// The time that a run has to reach a point from which it can be continued. It reaches one every 1,024 records.
const GRACE: Duration = Duration::from_secs(2);

impl Progress {
    /// Makes a bar for these inputs. A background thread finds the total size; the remaining time is known after that.
    pub(crate) fn new(inputs: &[PathBuf], is_wanted: bool) -> Self {
        if !is_wanted || !std::io::stderr().is_terminal() {
            return Self::of(ProgressBar::hidden());
        }
        let bar = ProgressBar::new_spinner().with_style(style(UNKNOWN, false));
        let (counted, inputs) = (bar.clone(), inputs.to_vec());
        thread::spawn(move || {
            if let Some(bytes) = bytes_of(&inputs) {
                counted.set_style(style(KNOWN, true));
                counted.set_length(bytes);
            }
        });
        Self::of(bar)
    }

    fn of(bar: ProgressBar) -> Self {
        Self { bar, is_interrupted: Arc::default() }
    }

    /// At Ctrl-C, or another request to end, stops the run where it can be continued, and says how.
    pub(crate) fn stop_on_interrupt(&self, output: &Path) {
        let (flag, words) = (Arc::clone(&self.is_interrupted), how_to_continue(output));
        // Without a handler, Ctrl-C ends the program without a word: nothing is lost.
        let _ = ctrlc::set_handler(move || {
            if !flag.swap(true, Relaxed) {
                thread::sleep(GRACE);
            }
            exit::interrupted(&words);
        });
    }

    /// Prints a message above the bar.
    fn tell(&self, message: &str) {
        self.bar.suspend(|| exit::tell(message));
    }

    pub(crate) fn clear(&self) {
        self.bar.finish_and_clear();
    }
}

impl Observer for Progress {
    fn progress(&mut self, bytes: u64, records: u64) {
        if !self.bar.is_hidden() {
            self.bar.set_message(format!("{records} records"));
            self.bar.set_position(bytes);
        }
    }

    fn failed(&mut self, record: &Record, before: u64) {
        Code::Refused.known();
        match before.cmp(&REPORTED) {
            Ordering::Less => {
                let why = record.error.as_ref().map(|error| error.message.as_str()).unwrap_or_default();
                self.tell(&format!("{}: {why}", record.name()));
            }
            Ordering::Equal => self.tell("more failures follow; the summary counts them, and the records name them"),
            Ordering::Greater => {}
        }
    }

    fn stops(&self) -> bool {
        self.is_interrupted.load(Relaxed)
    }

    fn nothing_to_continue(&mut self) {
        self.tell("no interrupted run can be continued: starting from the beginning");
    }
}

/// What to do after an interrupt.
pub(crate) fn how_to_continue(output: &Path) -> String {
    format!(
        "interrupted before {} was complete: give the same arguments and --resume to continue",
        text::name_of(output)
    )
}

fn style(template: &str, is_bar: bool) -> ProgressStyle {
    // The templates are ours; one that can't be read shows as the plain default.
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    if is_bar { style.progress_chars("=> ") } else { style.tick_chars("|/-\\ ") }
}
