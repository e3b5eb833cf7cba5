//! Cuts a stream into pieces at places where a part seems to begin: a gzip member, or a record of an archive.
//!
//! Invariant: the pieces in order, and then [`Cutter::into_rest`], are the stream. Where the cuts are depends on its
//! bytes only, not on how they arrive. A piece has at most [`MAX_PIECE`] bytes. A cut is a guess: nobody knows what
//! the bytes mean until they were read.

use std::io::{self, Cursor, Read};

use memchr::memmem;

/// The number of bytes after which a piece ends at the next mark. Our choice: 256 KiB, some hundred robots.txt files.
const PIECE: usize = 1 << 18;
/// The maximum length of a piece. Our choice: 4 MiB.
pub(crate) const MAX_PIECE: usize = 1 << 22;
/// How many bytes beyond [`PIECE`] are read at a time to find a mark.
const LOOK: usize = 1 << 14;

/// Where a cut may be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark {
    pub(crate) bytes: &'static [u8],
    /// How many of the bytes belong to the piece before.
    pub(crate) before: usize,
}

/// A stream that is cut.
#[derive(Debug)]
pub(crate) struct Cutter<R> {
    reader: R,
    mark: Mark,
    held: Vec<u8>,
    /// The reader has ended, or has failed with this error.
    end: Option<io::Result<()>>,
}

impl<R: Read> Cutter<R> {
    pub(crate) const fn new(reader: R, mark: Mark) -> Self {
        Self { reader, mark, held: Vec::new(), end: None }
    }

    /// The next piece. None at the end of the stream, or where it cannot be read.
    pub(crate) fn next_piece(&mut self) -> Option<Vec<u8>> {
        // Every byte is searched once, and a mark may begin in the last bytes of a search.
        let mut from = PIECE;
        loop {
            let end = self.held.len().min(MAX_PIECE);
            let found = memmem::find(self.held.get(from..end).unwrap_or_default(), self.mark.bytes);
            let cut = match found {
                Some(at) => from.saturating_add(at).saturating_add(self.mark.before),
                None if self.held.len() >= MAX_PIECE => MAX_PIECE,
                None if self.end.is_some() => self.held.len(),
                None => {
                    from = from.max(end.saturating_sub(self.mark.bytes.len()));
                    self.fill();
                    continue;
                }
            };
            let rest = self.held.split_off(cut);
            let piece = std::mem::replace(&mut self.held, rest);
            return Some(piece).filter(|piece| !piece.is_empty());
        }
    }

    fn fill(&mut self) {
        let count = PIECE.saturating_sub(self.held.len()).saturating_add(LOOK);
        self.held.reserve(count);
        let most = u64::try_from(count).unwrap_or(u64::MAX);
        match (&mut self.reader).take(most).read_to_end(&mut self.held) {
            Ok(read) if read == count => {}
            Ok(_) => self.end = Some(Ok(())),
            Err(error) => self.end = Some(Err(error)),
        }
    }

    /// Whether the stream ended with an error.
    pub(crate) const fn is_broken(&self) -> bool {
        matches!(self.end, Some(Err(_)))
    }

    /// What was not returned: bytes, the error if there was one, and what the reader still has.
    pub(crate) fn into_rest(self) -> impl Read {
        let error = self.end.and_then(Result::err);
        Cursor::new(self.held).chain(Failing(error)).chain(self.reader)
    }
}

/// Fails once, and then is empty.
struct Failing(Option<io::Error>);

impl Read for Failing {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        self.0.take().map_or(Ok(0), Err)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MARK: Mark = Mark { bytes: b"\nX", before: 1 };

    /// Returns a few bytes at a time, like a pipe.
    struct Dribble<'o>(&'o [u8]);

    impl Read for Dribble<'_> {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            let most = into.len().min(10_007);
            self.0.read(into.get_mut(..most).unwrap_or_default())
        }
    }

    fn lengths(bytes: impl Read) -> Vec<usize> {
        let mut cutter = Cutter::new(bytes, MARK);
        std::iter::from_fn(|| cutter.next_piece()).map(|piece| piece.len()).collect()
    }

    /// [batch.bounds]
    #[test]
    fn a_piece_ends_at_a_mark_or_at_its_limit() {
        let mut bytes = vec![b'a'; 2 * MAX_PIECE];
        let all = bytes.len();
        assert_eq!(lengths(&bytes[..]), [MAX_PIECE, MAX_PIECE]);
        for (at, first) in [
            (PIECE - 1, MAX_PIECE),
            (PIECE, PIECE + 1),
            (PIECE + LOOK - 1, PIECE + LOOK),
            (MAX_PIECE - 2, MAX_PIECE - 1),
            (MAX_PIECE - 1, MAX_PIECE),
        ] {
            bytes.splice(at..at + 2, *b"\nX");
            let found = lengths(&bytes[..]);
            assert_eq!((found.first(), found.iter().sum()), (Some(&first), all), "{at}");
            assert_eq!(found, lengths(Dribble(&bytes)), "{at}");
            bytes.splice(at..at + 2, *b"aa");
        }
        assert_eq!(lengths(&b""[..]), [0; 0]);
    }

    /// [batch.failures]
    #[test]
    fn an_error_comes_after_the_bytes_before_it() {
        let error = || Failing(Some(io::Error::from_raw_os_error(5)));
        let mut cutter = Cutter::new((&b"abc"[..]).chain(error()).chain(&b"def"[..]), MARK);
        assert_eq!(cutter.next_piece().as_deref(), Some(&b"abc"[..]));
        assert_eq!(cutter.next_piece(), None);
        assert!(cutter.is_broken());
        let mut rest = cutter.into_rest();
        let mut bytes = Vec::new();
        assert_eq!(rest.read_to_end(&mut bytes).map_err(|error| error.raw_os_error()), Err(Some(5)));
        assert_eq!(rest.read_to_end(&mut bytes).ok(), Some(3));
        assert_eq!(bytes, b"def");
    }
}
