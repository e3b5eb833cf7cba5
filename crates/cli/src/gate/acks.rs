//! Reads acknowledgements: one line for each page that is done.
//!
//! Invariant: a line that is not valid costs its page's acknowledgement, and nothing else. The gate then counts the page
//! as running until its lease ends.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use robosieve_gate::{Pacing, Page};

use super::asker::Asker;
use super::feed::MAX_URL;
use crate::exit::{self, Failure};
use crate::lines::{Lines, Next};
use crate::{input, text};

/// The acknowledgements that came.
pub(super) struct Acks {
    count: Arc<AtomicU64>,
    reader: JoinHandle<()>,
}

impl Acks {
    /// Starts to read acknowledgements and to report them to the gate.
    pub(super) fn start(path: &Path, gate: Asker) -> Result<Self, Failure> {
        let (own, count) = (path.to_owned(), Arc::new(AtomicU64::new(0)));
        let counted = Arc::clone(&count);
        let started = thread::Builder::new().name("acks".into()).spawn(move || read(&own, &gate, &counted));
        let reader = started.map_err(|error| Failure::Io(format!("no thread can be started: {error}")))?;
        Ok(Self { count, reader })
    }

    /// Waits for so many acknowledgements, so that a store knows that no page is running. At most for a lease.
    pub(super) fn wait_for(&self, count: u64) {
        let began = Instant::now();
        let lease = Pacing::default().lease;
        while self.count.load(Ordering::Relaxed) < count && !self.reader.is_finished() && began.elapsed() < lease {
            thread::sleep(Duration::from_millis(10));
        }
    }
}

/// Opening a named pipe waits for its writer, so this runs in the thread.
fn open(path: &PathBuf) -> io::Result<Box<dyn Read>> {
    if input::is_stdin(path) { Ok(Box::new(io::stdin())) } else { Ok(Box::new(File::open(path)?)) }
}

fn read(path: &PathBuf, gate: &Asker, count: &AtomicU64) {
    let input = match open(path) {
        Ok(input) => input,
        Err(error) => return exit::tell(&format!("{}: {error}; pages count as running", text::name_of(path))),
    };
    let mut lines = Lines::new(input, MAX_URL.saturating_mul(2));
    let mut has_told = false;
    loop {
        let done = match lines.next_line() {
            Ok(Next::Line(line)) if line.trim_ascii().is_empty() => continue,
            Ok(Next::Line(line)) => parse(line),
            Ok(Next::TooLong) => None,
            Ok(Next::End) => return,
            Err(error) => return exit::tell(&format!("{}: {error}", text::name_of(path))),
        };
        let known = done.is_some_and(|(url, page)| gate.observe(&url, &page, gate.now()).is_ok());
        if known {
            count.fetch_add(1, Ordering::Relaxed);
        } else if !has_told {
            has_told = true;
            exit::tell(
                "an acknowledgement is not valid: write URL, status, seconds, bytes and Retry-After in one line",
            );
        }
    }
}

/// `URL [STATUS [SECONDS [BYTES [RETRY-AFTER]]]]`. A status of 0 or 000, as curl writes it, is no response.
fn parse(line: &[u8]) -> Option<(String, Page)> {
    let mut fields = str::from_utf8(line).ok()?.split_ascii_whitespace();
    let url = fields.next()?.to_owned();
    let mut number = || fields.next().map_or(Some(None), |field| field.parse::<f64>().ok().map(Some));
    let whole = |number: f64| if number.is_finite() && number >= 0.0 { Some(number) } else { None };
    let duration = |number: f64| Duration::try_from_secs_f64(number).ok();
    let mut page = Page::default();
    if let Some(status) = number()? {
        let status: Option<u16> = whole(status).and_then(|status| format!("{status:.0}").parse().ok());
        page.status = status.filter(|status| (100..=999).contains(status));
    }
    if let Some(seconds) = number()? {
        page.took = duration(seconds)?;
    }
    if let Some(bytes) = number()? {
        // No page has more than 2^63 bytes; a fraction of a byte does not count.
        page.size = format!("{:.0}", whole(bytes)?).parse().ok()?;
    }
    if let Some(seconds) = number()? {
        page.retry_after = Some(duration(seconds)?);
    }
    Some((url, page))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// [cmd.acks]
    #[test]
    fn lines() {
        let (url, page) = parse(b"https://a.example/x 429 0.25 5120 60").unwrap();
        assert_eq!((url.as_str(), page.status, page.size), ("https://a.example/x", Some(429), 5_120));
        assert_eq!((page.took, page.retry_after), (Duration::from_millis(250), Some(Duration::from_secs(60))));
        assert_eq!(parse(b"https://a.example/x").unwrap().1, Page::default());
        assert_eq!(parse(b"https://a.example/x 000 1.5 0").unwrap().1.status, None);
        for line in [&b"https://a.example/ x"[..], b"u 200 -1", b"u 200 1 -1", b"u 200 1 nan", b"\xff", b"u 200 1e999"]
        {
            assert!(parse(line).is_none(), "{line:?}");
        }
    }
}
