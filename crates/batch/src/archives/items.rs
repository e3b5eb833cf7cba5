//! Splits a stream into items, one at a time.
//!
//! Invariant: memory holds one item and what its reader needs. What cannot be read is also an item. It ends the
//! stream only if nothing can follow. A file that third parties may have written is not read as an archive because of
//! its bytes alone.

use std::fmt;
use std::io::{self, Read};
use std::mem;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use robosieve::records::Parser;
use robosieve::report::InputKind;
use robosieve_printable::escape;

use super::http;
use super::item::{Form, Item, Load, Place};
use super::past::Input;
use super::proven::{Check, Proven};
use super::warc::Archive;
use crate::lines::{Lines, Next};
use crate::stream::{BEYOND, Bytes, Opened, gather, opened};
use crate::unpack::Unpacked;
use crate::window::Window;

/// The items of one archive, file of lines or robots.txt file, from any reader. The stream may be packed with gzip or
/// zstd.
///
/// Memory is bounded for any stream. Damage is an item, which becomes a record with an error.
///
/// ```
/// use robosieve_batch::{Filter, Items};
///
/// let lines = "{\"id\":1,\"robots\":\"User-agent: *\\nDisallow: /x\"}\nnonsense\n";
/// let filter = Filter::new(["MyBot"]);
/// let outcomes: Vec<&str> = Items::new("lines", lines.as_bytes())
///     .filter_map(|item| filter.run(item).into_record())
///     .map(|record| record.outcome.as_str())
///     .collect();
/// assert_eq!(outcomes, ["rules", "failed"]);
/// ```
pub struct Items {
    input: Arc<Input>,
    /// The index of this input.
    number: u64,
    form: Form,
    /// The form that the name indicates.
    name: Form,
    /// Whether the first bytes may show that it is an archive or lines.
    is_trusted: bool,
    max_bytes: usize,
    check: Check,
    state: State,
    record: u64,
}

enum State {
    New(Bytes<'static>),
    Lines(Lines<Bytes<'static>>),
    Records(Archive<Bytes<'static>>),
    Over,
}

impl Items {
    /// The items of a stream. `name` is its name in records. Its first bytes determine what it contains.
    pub fn new(name: impl AsRef<[u8]>, reader: impl Read + Send + 'static) -> Self {
        Self::of(Arc::new(Input::named(escape(name.as_ref()))), 0, Box::new(reader))
    }

    pub(crate) fn of(input: Arc<Input>, number: u64, reader: Bytes<'static>) -> Self {
        Self {
            input,
            number,
            form: Form::Auto,
            name: Form::Auto,
            is_trusted: true,
            max_bytes: crate::Filter::MAX_BYTES,
            check: Check::default(),
            state: State::New(reader),
            record: 0,
        }
    }

    /// Sets what the stream contains. Its first bytes do not count then.
    #[must_use]
    pub const fn form(mut self, form: Form) -> Self {
        self.form = form;
        self
    }

    /// How many bytes of a file matter: [`Filter::max_bytes`](crate::Filter::max_bytes). Of a line or of an archive's
    /// block, six times that plus 64 KiB are kept. The default is 16 MiB.
    #[must_use]
    pub const fn max_bytes(mut self, max_bytes: usize) -> Self {
        self.max_bytes = max_bytes;
        self
    }

    /// Sets the form that the file name indicates, and whether it is the only input.
    pub(crate) const fn called(mut self, name: Form, is_alone: bool) -> Self {
        (self.name, self.is_trusted) = (name, is_alone);
        self
    }

    /// Sets how long parts of it are checked.
    pub(crate) fn check(mut self, check: Check) -> Self {
        self.check = check;
        self
    }

    /// Whether reading the next item may have to wait.
    pub(crate) fn pauses(&self) -> bool {
        matches!(&self.state, State::Lines(lines) if lines.pauses())
    }

    fn load(&mut self) -> io::Result<Option<Load>> {
        if let State::New(stream) = &mut self.state {
            let stream = mem::replace(stream, Box::new(io::empty()));
            self.state = State::Over;
            if let Some(file) = self.open(opened(stream)?)? {
                return Ok(Some(file));
            }
        }
        let max = max_raw(self.max_bytes);
        let load = match &mut self.state {
            State::New(_) | State::Over => return Ok(None),
            State::Lines(lines) => match lines.next_line()? {
                Next::End => return Ok(None),
                Next::Line(line) if line.trim_ascii().is_empty() => Load::Skipped("blank-line"),
                Next::Line(line) => Load::Line(line.to_vec()),
                Next::TooLong => {
                    Load::Failed("line-too-long", format!("the line is longer than {max} bytes and was skipped"))
                }
            },
            State::Records(steps) => match steps.next_step()? {
                None => return Ok(None),
                Some(step) => Load::of_archive(step),
            },
        };
        self.record = self.record.saturating_add(1);
        Ok(Some(load))
    }

    /// The form, if the caller or the name alone decides it.
    fn said(&self) -> Option<Form> {
        match (self.form, self.name) {
            (Form::Auto, Form::Warc) => Some(Form::Warc),
            (Form::Auto, _) => None,
            (form, _) => Some(form),
        }
    }

    /// Starts reading an unpacked stream. Returns the item if the stream is one file.
    fn open(&mut self, stream: Opened<'static>) -> io::Result<Option<Load>> {
        let mut window = Window::new(stream);
        let reported = self.reported(&mut window);
        let held = window.held().to_vec();
        let (reported, failed) = match reported {
            Ok(reported) => (reported, None),
            // What came before says what it is.
            Err(error) => (self.reported(&mut Window::new(&held[..]))?, Some(error)),
        };
        let form = match reported {
            Ok(form) => form,
            Err(message) => return Ok(Some(Load::Failed("archive", message))),
        };
        let max = max_raw(self.max_bytes);
        let stream: Bytes<'static> = match (form, window.into_reader()) {
            (Form::Ndjson | Form::Warc, Opened::Packed(parts)) => {
                Box::new(Proven::after((held, failed), parts, mem::take(&mut self.check)))
            }
            (_, reader) => Box::new(io::Cursor::new(held).chain(Fails(failed)).chain(reader)),
        };
        match form {
            Form::Ndjson => self.state = State::Lines(Lines::new(stream, max)),
            Form::Warc => self.state = State::Records(Archive::new(stream, max)),
            Form::Auto | Form::Robots => {
                let (bytes, is_whole) = gather(stream, self.max_bytes.saturating_add(BEYOND))?;
                // The reader does not know the format.
                let ends_early = (!is_whole).then_some("packed");
                return Ok(Some(Load::Bytes(Unpacked { bytes: bytes.into(), ends_early })));
            }
        }
        Ok(None)
    }

    /// What the stream contains, according to the caller, the name or the first bytes; or why it cannot be read.
    fn reported(&self, window: &mut Window<impl Read>) -> io::Result<Result<Form, String>> {
        if let Some(form) = self.said() {
            return Ok(Ok(form));
        }
        let front = first_word(window)?;
        if front.starts_with(b"WARC/") {
            let is_believed = self.is_trusted && self.name != Form::Robots;
            return Ok(if is_believed { Ok(Form::Warc) } else { Err(CALLED_OTHERWISE.into()) });
        }
        let begins_an_object = front.first() == Some(&b'{');
        if self.name == Form::Ndjson || self.is_trusted && self.name == Form::Auto && begins_an_object {
            return Ok(Ok(Form::Ndjson));
        }
        // A stream may pause, so only as many bytes as needed are waited for.
        let front = window.look(LONGEST_SIGNATURE)?;
        Ok(other_archive(front).map_or(Ok(Form::Robots), Err))
    }
}

/// A stream of which the bytes are counted.
pub(super) struct Counted<R>(pub(super) R, pub(super) Arc<AtomicU64>);

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let count = self.0.read(into)?;
        self.1.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}

/// What failed after the bytes before it.
struct Fails(Option<io::Error>);

impl Read for Fails {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        self.0.take().map_or(Ok(0), Err)
    }
}

/// What follows the blanks at the front of a stream: at least five bytes, unless it ends before, or the blanks fill what
/// is looked at. A stream may pause, so no more bytes than needed are waited for.
fn first_word(window: &mut Window<impl Read>) -> io::Result<&[u8]> {
    const WORD: usize = 5;
    let mut least = WORD;
    loop {
        let held = window.look(least)?;
        let is_over = held.len() < least;
        let blanks = held.iter().take(LONGEST_SIGNATURE).take_while(|byte| byte.is_ascii_whitespace()).count();
        let needed = blanks.saturating_add(WORD).min(LONGEST_SIGNATURE);
        if is_over || needed <= least {
            break;
        }
        least = needed;
    }
    let held = window.held();
    Ok(held.get(..LONGEST_SIGNATURE).unwrap_or(held).trim_ascii_start())
}

/// Why unpacked bytes are not read as one robots.txt: they are an archive of another kind, or still packed.
pub(super) fn other_archive(bytes: &[u8]) -> Option<String> {
    let front = bytes.get(..LONGEST_SIGNATURE).unwrap_or(bytes);
    if front.trim_ascii_start().starts_with(b"WARC/") {
        return Some(CALLED_OTHERWISE.into());
    }
    // No robots.txt has these lines, and what looks like one could open all sites that the archive has.
    let begins = |line: &[u8]| {
        let has = |name: &[u8]| line.get(..name.len()).is_some_and(|front| front.eq_ignore_ascii_case(name));
        line.starts_with(b"WARC/") || [&b"WARC-Type:"[..], b"WARC-Record-ID:"].iter().any(|name| has(name))
    };
    if front.split(|&byte| byte == b'\n').any(begins) {
        return Some("it looks like a WARC archive whose first bytes are damaged; if it is one, say that it is".into());
    }
    if front.starts_with(b"filedesc://") {
        return Some("it is an ARC archive: convert it to WARC, which is the only kind of archive that is read".into());
    }
    match Parser::default().parse(front).report().input() {
        kind @ InputKind::Archive(_) => Some(format!(
            "it is {kind}: unpack it, and name the directory; only WARC is read as an archive, and a file that is called .wacz"
        )),
        kind @ (InputKind::Gzip | InputKind::Zstd) => Some(format!("it is packed twice: inside is {kind}; unpack it")),
        _ => None,
    }
}

/// How many bytes of a line or a block are kept for a file of `max_bytes`: a head, and six bytes for each of its own. A
/// JSON escape, or a chunk of one byte, takes that many.
pub(crate) const fn max_raw(max_bytes: usize) -> usize {
    max_bytes.saturating_mul(6).saturating_add(http::MAX_HEAD)
}

/// The number of bytes that the library needs to recognise a format.
const LONGEST_SIGNATURE: usize = 512;
const CALLED_OTHERWISE: &str = "it begins as a WARC archive, but its name says otherwise: call it .warc, or say what it \
                                holds, if it is one; a site could have made it to speak for other sites";

impl Iterator for Items {
    type Item = Item;

    fn next(&mut self) -> Option<Item> {
        let (record, load) = match self.load() {
            Ok(load) => (self.record, load?),
            Err(error) => {
                self.state = State::Over;
                (Place::END, Load::unreadable(&error))
            }
        };
        let place = Place { input: self.number, record };
        Some(Item { place, input: Arc::clone(&self.input), load })
    }
}

impl fmt::Debug for Items {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Items").field("input", &self.input).field("form", &self.form).finish_non_exhaustive()
    }
}
