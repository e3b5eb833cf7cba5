//! How far it is, for who watches.
//!
//! Invariant: nothing is drawn but on a terminal; messages stand above the bar.

use std::fs;
use std::io::IsTerminal as _;
use std::path::PathBuf;
use std::thread;

use indicatif::{ProgressBar, ProgressStyle};

use crate::exit;

const KNOWN: &str = "{wide_bar} {percent}% {msg}, {binary_bytes_per_sec}, {eta} left";
const UNKNOWN: &str = "{spinner} {elapsed} {msg}, {binary_bytes} read, {binary_bytes_per_sec}";

/// A bar, or nothing.
pub(crate) struct Progress(ProgressBar);

impl Progress {
    /// One for these inputs: what is left is known once all have been looked at, in the background.
    pub(crate) fn new(inputs: &[PathBuf], is_wanted: bool) -> Self {
        if !is_wanted || !std::io::stderr().is_terminal() {
            return Self(ProgressBar::hidden());
        }
        let bar = ProgressBar::new_spinner().with_style(style(UNKNOWN, false));
        let (counted, inputs) = (bar.clone(), inputs.to_vec());
        thread::spawn(move || {
            if let Some(octets) = octets_of(&inputs) {
                counted.set_style(style(KNOWN, true));
                counted.set_length(octets);
            }
        });
        Self(bar)
    }

    pub(crate) fn set(&self, octets: u64, records: u64) {
        if !self.0.is_hidden() {
            self.0.set_message(format!("{records} records"));
            self.0.set_position(octets);
        }
    }

    /// A message that stays.
    pub(crate) fn tell(&self, message: &str) {
        self.0.suspend(|| exit::tell(message));
    }

    pub(crate) fn clear(&self) {
        self.0.finish_and_clear();
    }
}

fn style(template: &str, is_bar: bool) -> ProgressStyle {
    // The templates are ours; one that can't be read shows as the plain default.
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    if is_bar { style.progress_chars("=> ") } else { style.tick_chars("|/-\\ ") }
}

/// The size of all inputs, if that can be known.
fn octets_of(inputs: &[PathBuf]) -> Option<u64> {
    let mut sum: u64 = 0;
    for input in inputs {
        let found = fs::metadata(input).ok()?;
        if found.is_file() {
            sum = sum.saturating_add(found.len());
        } else if found.is_dir() {
            let files = walkdir::WalkDir::new(input).follow_root_links(true).into_iter().flatten();
            let files = files.filter(|entry| entry.file_type().is_file()).filter_map(|entry| entry.metadata().ok());
            sum = files.fold(sum, |sum, found| sum.saturating_add(found.len()));
        } else {
            return None;
        }
    }
    Some(sum).filter(|_| !inputs.is_empty())
}
