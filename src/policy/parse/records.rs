//! Reading a file record by record: a whole file, or one that comes in chunks.
//!
//! Invariant: both ways give the same sets. A file in chunks is read in batches of logical lines. Between two batches,
//! the open record is kept as owned data, and lines that are not read yet as bytes. So the memory is bounded by a
//! record, the longest line and a batch.

use alloc::vec::Vec;

use super::reading::ReadUntil;
use super::{Missing, Open, Parser, Parsing};
use crate::limits::Budget;
use crate::policy::buffers::{Buffers, Spare};
use crate::policy::options::Options;
use crate::policy::record::RecordSet;
use crate::syntax::bytes;
use crate::syntax::grammar::Bounds;
use crate::syntax::logical::Lines;
use crate::syntax::preamble;
use crate::syntax::settled::settled;
use crate::syntax::wide::Decoder;

impl Parser {
    /// Parses a file record by record. Each item is a set of one record and of the file's own lines before the record's
    /// end. Holds one record in memory at a time.
    ///
    /// ```
    /// use robosieve::policy::Parser;
    /// let parser = Parser::default();
    /// let input = b"User-agent: A\nDisallow: /\n\nUser-agent: B\nAllow: /\n";
    /// assert_eq!(parser.records(input).count(), 2);
    /// ```
    #[allow(clippy::map_identity, reason = "owned sets become sets of the same lifetime as borrowed ones")]
    pub fn records<'a>(&'a self, input: &'a [u8]) -> impl Iterator<Item = RecordSet<'a>> + 'a {
        // What is decoded cannot be borrowed from the input.
        let is_wide = self.decodes() && Decoder::of(input, 0).is_some();
        let (borrowed, wide) = if is_wide { (None, Some(input)) } else { (Some(input), None) };
        let decoded = wide.into_iter().flat_map(|input| self.records_from([input]).map(|set| -> RecordSet<'a> { set }));
        borrowed.into_iter().flat_map(|input| self.borrowed_records(input)).chain(decoded)
    }

    fn borrowed_records<'a>(&'a self, input: &'a [u8]) -> impl Iterator<Item = RecordSet<'a>> + 'a {
        let preamble = preamble::sniff(input);
        let (kept, loss) = self.read_part(preamble.body);
        let mut parsing = Parsing::start(self, &mut Buffers::default(), &preamble, kept);
        let mut is_over = false;
        core::iter::from_fn(move || {
            if !is_over && !parsing.next_record() {
                is_over = true;
                parsing.end(loss, None);
            }
            parsing.take_record(is_over)
        })
    }

    /// The same, for a file that comes in chunks of any lengths. The items are those of [`Parser::records`] for all
    /// chunks joined, as owned data.
    ///
    /// Chunks are taken as they are needed, some 4 KiB ahead. A line that is longer, or a record of more lines, is held
    /// until its end. `max_bytes` holds for all chunks together: at most 1,030 bytes more are taken.
    ///
    /// ```
    /// use robosieve::policy::Parser;
    /// let parser = Parser::default();
    /// let chunks = ["User-agent: A\nDisal", "low: /\n\nUser-agent: B\r", "\nAllow: /\n"];
    /// let sets: Vec<_> = parser.records_from(chunks).collect();
    /// assert_eq!(sets.len(), 2);
    /// assert_eq!(sets[0].records().next().unwrap().value("disallow").unwrap(), "/");
    /// ```
    pub fn records_from<I>(&self, chunks: I) -> impl Iterator<Item = RecordSet<'static>>
    where
        I: IntoIterator<Item: AsRef<[u8]>>,
    {
        self.in_batches(chunks, BATCH)
    }

    /// The same, in batches of so many bytes. The result is the same.
    #[cfg(feature = "testing")]
    pub fn records_in_batches<I>(&self, chunks: I, batch: usize) -> impl Iterator<Item = RecordSet<'static>>
    where
        I: IntoIterator<Item: AsRef<[u8]>>,
    {
        self.in_batches(chunks, batch)
    }

    fn in_batches<I>(&self, chunks: I, batch: usize) -> impl Iterator<Item = RecordSet<'static>>
    where
        I: IntoIterator<Item: AsRef<[u8]>>,
    {
        let mut source = Source::new(chunks.into_iter(), self);
        let (mut last, mut is_over) = (None, false);
        core::iter::from_fn(move || {
            while !is_over {
                let paused = last.take().unwrap_or_else(|| Paused::begin(self, &mut source));
                source.prepare(self, batch.max(paused.items().saturating_mul(BYTES_OF_AN_ITEM)));
                let mut parsing = paused.resume(self, source.batch());
                let is_record = parsing.next_record();
                let end = source.end.filter(|_| !is_record);
                if let Some(End { loss, broken }) = end {
                    parsing.end(loss, broken);
                }
                is_over = end.is_some();
                let record = if is_record || is_over { parsing.take_record(is_over) } else { None };
                let record = record.map(RecordSet::into_owned);
                let (paused, ahead) = parsing.pause();
                source.read = source.settled.saturating_sub(ahead);
                last = Some(paused);
                if record.is_some() {
                    return record;
                }
            }
            None
        })
    }
}

/// The bytes of a batch, if lines are shorter.
const BATCH: usize = 4096;

/// Bytes of a batch for each item of the open record, at least: a batch costs time for each item.
const BYTES_OF_AN_ITEM: usize = 24;

/// The end of what is read of a file, and why that is not its end, if it is not.
#[derive(Clone, Copy)]
struct End {
    loss: Option<Missing>,
    /// The line of the first character that is none.
    broken: Option<u32>,
}

/// The bytes of a file that comes in chunks.
struct Source<I: Iterator> {
    /// None after the last.
    chunks: Option<I>,
    /// The chunk that is being copied, and how much of it was.
    chunk: Option<(I::Item, usize)>,
    /// How many bytes are still taken from chunks.
    room: usize,
    buffer: Vec<u8>,
    /// How many bytes of the buffer are read.
    read: usize,
    /// The length of the front of the buffer that can be read.
    settled: usize,
    max_bytes: usize,
    /// How many bytes were before the buffer.
    before: usize,
    /// Decodes what is taken from chunks, if it is UTF-16 or UTF-32.
    decoder: Option<Decoder>,
    /// Whether the bytes are the whole file, as far as the caller knows.
    complete: bool,
    /// After the last batch.
    end: Option<End>,
}

impl<I: Iterator<Item: AsRef<[u8]>>> Source<I> {
    fn new(chunks: I, parser: &Parser) -> Self {
        let Options { limits, complete, .. } = &parser.options;
        // A byte order mark is not counted, and a line end after the limit is looked at.
        let room = limits.max_bytes.max(preamble::ENOUGH).saturating_add(preamble::ENOUGH);
        Self {
            chunks: Some(chunks),
            chunk: None,
            room,
            buffer: Vec::new(),
            read: 0,
            settled: 0,
            max_bytes: limits.max_bytes,
            before: 0,
            decoder: None,
            complete: *complete,
            end: None,
        }
    }

    /// The lines that can be read.
    fn batch(&self) -> &[u8] {
        bytes::part(&self.buffer, self.read..self.settled)
    }

    /// How many bytes are within `max_bytes`, from the front of the buffer on.
    fn left(&self) -> usize {
        self.decoder.as_ref().map_or(self.max_bytes, Decoder::limit).saturating_sub(self.before)
    }

    /// Makes a batch of so many bytes, if the one before is read. It is longer if a line is, and empty only at the end.
    fn prepare(&mut self, parser: &Parser, mut wanted: usize) {
        if self.read < self.settled || self.end.is_some() {
            return;
        }
        self.buffer.drain(..self.read);
        self.before = self.before.saturating_add(self.read);
        self.read = 0;
        loop {
            if self.fill(wanted) && self.buffer.len() <= wanted {
                let (is_ragged, broken) =
                    self.decoder.as_ref().map_or((false, None), |it| (it.is_ragged(), it.broken()));
                let (kept, loss) = parser.part_within(&self.buffer, self.left(), self.complete && !is_ragged);
                (self.settled, self.end) = (kept.len(), Some(End { loss, broken }));
                return;
            }
            let within = bytes::part(&self.buffer, 0..self.left().min(wanted).min(self.buffer.len()));
            self.settled = settled(within, parser.syntax());
            if self.settled > 0 {
                return;
            }
            // A line that goes on is looked at again only when twice as many bytes are there.
            wanted = wanted.saturating_mul(2).max(1);
        }
    }

    /// Copies chunks until the buffer holds `wanted` bytes. Returns true if there are no more chunks.
    fn fill(&mut self, wanted: usize) -> bool {
        self.buffer.reserve_exact(wanted.saturating_sub(self.buffer.len()));
        while self.buffer.len() < wanted {
            if self.room == 0 || self.decoder.as_ref().is_some_and(Decoder::is_full) {
                return true;
            }
            let Some((chunk, copied)) = &mut self.chunk else {
                self.chunk = self.chunks.as_mut().and_then(Iterator::next).map(|chunk| (chunk, 0));
                if self.chunk.is_none() {
                    self.chunks = None;
                    return true;
                }
                continue;
            };
            let rest = chunk.as_ref().get(*copied..).unwrap_or_default();
            let length = rest.len().min(self.room).min(wanted.saturating_sub(self.buffer.len()));
            if length == 0 {
                self.chunk = None;
                continue;
            }
            let taken = bytes::part(rest, 0..length);
            match &mut self.decoder {
                None => self.buffer.extend_from_slice(taken),
                Some(decoder) => decoder.push(taken, &mut self.buffer),
            }
            *copied = copied.saturating_add(length);
            self.room = self.room.saturating_sub(length);
        }
        false
    }

    /// `[input.utf16]`: decodes the file, if its first bytes are such a mark.
    fn decode(&mut self, parser: &Parser) {
        let max_bytes = parser.options.limits.max_bytes;
        let Some((mut decoder, mark)) = Decoder::of(&self.buffer, max_bytes).filter(|_| parser.decodes()) else {
            return;
        };
        let raw = core::mem::take(&mut self.buffer);
        decoder.push(raw.get(mark..).unwrap_or_default(), &mut self.buffer);
        self.decoder = Some(decoder);
    }
}

/// What is known between two batches.
struct Paused {
    number: u32,
    budget: Budget,
    set: RecordSet<'static>,
    open: Option<Open>,
    record_fits: bool,
    spare: Spare,
}

impl Paused {
    /// Before the first line. Leaves a byte order mark out.
    fn begin<I: Iterator<Item: AsRef<[u8]>>>(parser: &Parser, source: &mut Source<I>) -> Self {
        source.fill(preamble::ENOUGH);
        source.decode(parser);
        if source.decoder.is_some() {
            source.fill(preamble::ENOUGH);
            let preamble = preamble::sniff_decoded(&source.buffer);
            return Parsing::start(parser, &mut Buffers::default(), &preamble, b"").pause().0;
        }
        let preamble = preamble::sniff(&source.buffer);
        let paused = Parsing::start(parser, &mut Buffers::default(), &preamble, b"").pause().0;
        source.buffer.drain(..preamble::mark_length(&source.buffer));
        paused
    }

    /// How much of the open record is held.
    fn items(&self) -> usize {
        let RecordSet { agents, rules, extensions, loose, general, .. } = &self.set;
        let lines = extensions.len().saturating_add(loose.len()).saturating_add(general.len());
        agents.len().saturating_add(rules.len()).saturating_add(lines)
    }

    /// Reads on with this batch.
    fn resume<'a, 'p>(self, parser: &'p Parser, batch: &'a [u8]) -> Parsing<'a, 'p> {
        let Self { number, budget, set, open, record_fits, spare } = self;
        let lines = Lines::new(batch, parser.syntax()).numbered_from(number);
        let bounds = Bounds::new(&parser.options.limits);
        Parsing { parser, lines, bounds, budget, set, open, record_fits, spare }
    }
}

impl<'a> Parsing<'a, '_> {
    /// Reads lines until a record is closed. False at the end of the lines.
    fn next_record(&mut self) -> bool {
        self.parser.ways.run(ReadUntil { parsing: self, records: 1 });
        !self.set.entries.is_empty()
    }

    /// Ends the file: closes the open record.
    fn end(&mut self, loss: Option<Missing>, broken: Option<u32>) {
        self.found_at_end(self.lines.next_number(), loss, broken);
        self.close();
    }

    /// Takes the closed records out, and leaves only the open one. None at the end of the file, if nothing is left.
    fn take_record(&mut self, is_over: bool) -> Option<RecordSet<'a>> {
        let mut done = self.take_closed();
        done.report.settle();
        let says_nothing =
            done.entries.is_empty() && done.loose.is_empty() && done.general.is_empty() && done.lost.is_empty();
        (!is_over || !says_nothing || !done.report.is_empty()).then_some(done)
    }

    /// Keeps what is known for the next batch. Also returns how many bytes are not read.
    fn pause(self) -> (Paused, usize) {
        let Self { lines, budget, set, open, record_fits, spare, .. } = self;
        let (number, ahead) = (lines.next_number(), lines.ahead());
        (Paused { number, budget, set: set.into_owned(), open, record_fits, spare }, ahead)
    }
}
