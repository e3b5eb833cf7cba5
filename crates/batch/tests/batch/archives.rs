//! The archive reader accepts any bytes.

use std::io::{self, Read};

use robosieve_batch::Filter;
use robosieve_batch::warc::{Archive, Step};

/// Returns a few bytes at a time.
struct Dribble<R>(R, usize);

impl<R: Read> Read for Dribble<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let most = into.len().min(self.1);
        self.0.read(&mut into[..most])
    }
}

/// Everything that is found in an archive.
pub(crate) fn steps(reader: impl Read, max_block: usize) -> Vec<Step> {
    let mut archive = Archive::new(reader, max_block);
    std::iter::from_fn(|| archive.next_step().expect("memory can be read")).collect()
}

/// `[batch.warc]`, `[batch.bounds]`: the reader ends, stays within its limits, and returns the same if the bytes
/// arrive `step` at a time.
pub(crate) fn the_same_however_it_comes(bytes: &[u8], max_block: usize, step: usize) {
    let mut rest = bytes;
    let whole = steps(&mut rest, max_block);
    assert!(whole.len() <= bytes.len() && rest.is_empty(), "{}", bytes.escape_ascii());
    for found in &whole {
        if let Step::Record(record) = found {
            assert!(record.block.len() <= max_block);
        }
    }
    assert_eq!(whole, steps(Dribble(bytes, step.max(1)), max_block), "{}", bytes.escape_ascii());
}

/// `[batch.record]`, `[batch.bounds]`: the records of an archive, with their HTTP heads, chunks and codings, are
/// printable, and the same if the bytes arrive `step` at a time.
pub(crate) fn records_are_the_same(bytes: &[u8], step: usize) {
    let filter = Filter::new(["MyBot"]);
    let records = |reader: Box<dyn Read + Send>| -> Vec<u8> {
        let records = filter.items("x.warc", reader).filter_map(|item| filter.run(item).into_record());
        records.flat_map(|record| record.line().expect("memory can be written")).collect()
    };
    let whole = records(Box::new(io::Cursor::new(bytes.to_vec())));
    assert!(whole.iter().all(|byte| matches!(byte, b' '..=b'~' | b'\n')), "{}", whole.escape_ascii());
    assert_eq!(whole, records(Box::new(Dribble(io::Cursor::new(bytes.to_vec()), step.max(1)))));
}
