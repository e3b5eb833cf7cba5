//! Reads acknowledgements: one line for each page that is done.
//!
//! Invariant: a line that names a page ends that page, whatever else is in the line. A line that names none costs its
//! page's acknowledgement, and nothing else: the gate counts the page as running until its lease ends.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use robosieve_batch::lines::{Lines, Next};
use robosieve_gate::pace::{Pacing, Page};
use robosieve_gate::retrieve::Head;
use robosieve_gate::{Moment, Origin};

use super::answers::MAX_URL;
use super::asker::Asker;
use crate::exit::{self, Failure};
use crate::{input, text};

/// How long a named pipe may be without a writer. Our choice: each line may have a writer of its own.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long nobody looks whether a file has grown.
const LOOK_AGAIN: Duration = Duration::from_millis(50);

/// The acknowledgements that came.
pub(super) struct Acks {
    state: Arc<State>,
}

#[derive(Default)]
struct State {
    count: AtomicU64,
    invalid: AtomicU64,
    /// Since when nobody writes, and whether somebody may again.
    gone: Mutex<Option<(Instant, bool)>>,
}

impl State {
    fn set_gone(&self, gone: Option<(Instant, bool)>) {
        *self.gone.lock().unwrap_or_else(PoisonError::into_inner) = gone;
    }
}

impl Acks {
    /// Starts to read acknowledgements and to report them to the gate.
    pub(super) fn start(path: &Path, gate: Asker) -> Result<Self, Failure> {
        let (own, state) = (path.to_owned(), Arc::<State>::default());
        let told = Arc::clone(&state);
        let work = move || {
            read_all(&own, &gate, &told);
            told.set_gone(Some((Instant::now(), false)));
        };
        let started = thread::Builder::new().name("acks".into()).spawn(work);
        started.map_err(|error| Failure::Io(format!("no thread can be started: {error}")))?;
        Ok(Self { state })
    }

    /// Whether no acknowledgement will come any more: its writer is gone.
    pub(super) fn have_ended(&self) -> bool {
        let gone = *self.state.gone.lock().unwrap_or_else(PoisonError::into_inner);
        gone.is_some_and(|(since, may_come)| !may_come || since.elapsed() > PATIENCE)
    }

    /// Waits for so many acknowledgements, so that a store knows that no page is running. At most for a lease.
    pub(super) fn wait_for(&self, count: u64) {
        let began = Instant::now();
        let lease = Pacing::default().lease;
        while self.state.count.load(Ordering::Relaxed) < count && !self.have_ended() && began.elapsed() < lease {
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// Says how many lines were not valid, if more than the first one was.
    pub(super) fn tell(&self) {
        let invalid = self.state.invalid.load(Ordering::Relaxed);
        if invalid > 1 {
            exit::tell(&format!("{invalid} acknowledgements were not valid"));
        }
    }
}

/// Reads a pipe until its writer is gone, a named pipe as often as it has a writer, and a file as it grows.
fn read_all(path: &Path, gate: &Asker, state: &State) {
    let is_named = !input::is_stdin(path);
    let is_file = is_named && std::fs::metadata(path).is_ok_and(|about| about.is_file());
    loop {
        // Opening a named pipe waits for its writer.
        let input: io::Result<Box<dyn Read>> = if is_named {
            File::open(path).map(|file| if is_file { Box::new(Growing(file)) as Box<dyn Read> } else { Box::new(file) })
        } else {
            Ok(Box::new(io::stdin()))
        };
        state.set_gone(None);
        match input {
            Ok(input) => read(path, input, gate, state),
            Err(error) => return exit::tell(&format!("{}: {error}; pages count as running", text::name_of(path))),
        }
        if !is_named {
            return;
        }
        state.set_gone(Some((Instant::now(), true)));
    }
}

/// A file that may grow.
struct Growing(File);

impl Read for Growing {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.0.read(buffer)? {
                0 if !buffer.is_empty() => thread::sleep(LOOK_AGAIN),
                count => return Ok(count),
            }
        }
    }
}

fn read(path: &Path, input: Box<dyn Read>, gate: &Asker, state: &State) {
    let mut lines = Lines::new(input, MAX_URL.saturating_mul(2));
    loop {
        let (page, is_valid) = match lines.next_line() {
            Ok(Next::Line(line)) if line.trim_ascii().is_empty() => continue,
            Ok(Next::Line(line)) => parse(line, gate.now()),
            Ok(Next::TooLong) => (None, false),
            Ok(Next::End) => return,
            Err(error) => return exit::tell(&format!("{}: {error}", text::name_of(path))),
        };
        let is_known = page.is_some_and(|(url, page)| gate.observe(&url, &page, gate.now()).is_ok());
        if is_known {
            state.count.fetch_add(1, Ordering::Relaxed);
        }
        if !(is_known && is_valid) && state.invalid.fetch_add(1, Ordering::Relaxed) == 0 {
            exit::tell(
                "an acknowledgement is not valid: write URL, status, seconds, bytes and Retry-After in one line",
            );
        }
    }
}

/// `URL [STATUS [SECONDS [BYTES [RETRY-AFTER]]]]`, separated by blanks or tabs. A status of 0 or 000, as curl writes
/// it, is no response. The page, if the line names one, and whether the rest is valid.
fn parse(line: &[u8], now: Moment) -> (Option<(String, Page)>, bool) {
    let Ok(line) = str::from_utf8(line) else { return (None, false) };
    let separates = |letter: char| if line.contains('\t') { letter == '\t' } else { letter.is_ascii_whitespace() };
    let mut fields = line.trim_ascii().splitn(5, separates).map(str::trim_ascii);
    let Some(url) = fields.next().and_then(page_of) else { return (None, false) };
    let mut page = Page::default();
    let is_valid = read_fields(&mut page, fields, now).is_some();
    (Some((url, page)), is_valid)
}

/// The URL of a page in any form: also without its scheme, since only its host counts.
fn page_of(written: &str) -> Option<String> {
    let is_bare = !written.contains("://") && !written.contains('@');
    let form = if is_bare { format!("http://{written}") } else { written.to_owned() };
    Origin::of(&form).is_ok().then_some(form)
}

/// Sets what is valid, up to the first field that is not.
fn read_fields<'f>(page: &mut Page, mut fields: impl Iterator<Item = &'f str>, now: Moment) -> Option<()> {
    let mut number = || match fields.next() {
        None | Some("") => Some(None),
        Some(field) => field.parse::<f64>().ok().filter(|number| number.is_finite() && *number >= 0.0).map(Some),
    };
    if let Some(status) = number()? {
        let status: Option<u16> = format!("{status:.0}").parse().ok();
        page.status = status.filter(|status| (100..=999).contains(status));
    }
    if let Some(seconds) = number()? {
        page.took = Duration::try_from_secs_f64(seconds).ok()?;
    }
    if let Some(bytes) = number()? {
        // No page has more than 2^63 bytes; a fraction of a byte does not count.
        page.bytes = format!("{bytes:.0}").parse().ok()?;
    }
    let retry_after = fields.next().unwrap_or_default();
    if !retry_after.is_empty() {
        let seconds = retry_after.parse::<f64>().ok().and_then(|number| Duration::try_from_secs_f64(number).ok());
        let date = || Head::new(503).header("Retry-After", retry_after.as_bytes()).retry_after_from(now);
        page.retry_after = Some(seconds.or_else(date)?);
    }
    Some(())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// [cmd.acks]
    #[test]
    fn lines() {
        let now = Moment::from_millis(784_111_777_000);
        let parse = |line: &[u8]| parse(line, now);
        let (url, page) = parse(b"https://a.example/x 429 0.25 5120 60").0.unwrap();
        assert_eq!((url.as_str(), page.status, page.bytes), ("https://a.example/x", Some(429), 5_120));
        assert_eq!((page.took, page.retry_after), (Duration::from_millis(250), Some(Duration::from_secs(60))));
        assert_eq!(parse(b"https://a.example/x"), (Some(("https://a.example/x".into(), Page::default())), true));
        assert_eq!(parse(b"https://a.example/x 000 1.5 0").0.unwrap().1.status, None);
        // A date, as curl's %header{retry-after} has it, and a header that is missing.
        let dated = parse(b"https://a.example/ 503 1 0 Sun, 06 Nov 1994 08:50:37 GMT");
        assert_eq!((dated.0.unwrap().1.retry_after, dated.1), (Some(Duration::from_secs(60)), true));
        assert_eq!(parse(b"https://a.example/ 200 1 9 ").0.unwrap().1.retry_after, None);
        // Other forms of a URL, also with blanks.
        for line in [&b"HTTPS://A.example./x 200 1 9"[..], b"a.example/x 200 1 9", b"https://a.example/x y\t200\t1\t9"]
        {
            let (page, is_valid) = parse(line);
            assert_eq!((page.unwrap().1.bytes, is_valid), (9, true), "{line:?}");
        }
        // What is wrong in a line does not keep its page running.
        for line in [
            &b"https://a.example/ x"[..],
            b"u 200 -1",
            b"u 200 1 -1",
            b"u 200 1 nan",
            b"u 200 1e999",
            b"u 503 1 0 soon",
        ] {
            let (page, is_valid) = parse(line);
            assert!(page.is_some() && !is_valid, "{line:?}");
        }
        for line in [&b"\xff"[..], b"mailto:a@b 200", b"http:// 200"] {
            assert_eq!(parse(line), (None, false), "{line:?}");
        }
    }
}
