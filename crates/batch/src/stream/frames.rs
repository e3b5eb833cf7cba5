//! Unpacks codings of one part or of several, one after another: zstd, also with a dictionary before it, deflate, brotli.
//!
//! Invariant: after a part come zeros, another part if the coding has several, or the end. Bytes that end within a part
//! give `UnexpectedEof`, and everything else is damage. After either the stream has ended. A dictionary has a maximum
//! size, also unpacked.

use std::io::{self, BufRead, BufReader, Read};
use std::mem;

use brotli_decompressor::{BrotliDecompressStream, BrotliResult, BrotliState, StandardAlloc};
use flate2::{Decompress, FlushDecompress, Status};
use zstd::stream::raw::{DParameter, Decoder as ZstdDecoder, Operation as _};
use zstd::stream::read::Decoder as ZstdReader;
use zstd::zstd_safe::get_frame_content_size;

use crate::stream::{self, Format, ZSTD, broken, damaged, read_parts};
use crate::window::between;

/// The maximum size of a dictionary. Our choice: 8 MiB; `zstd --train` makes 112 kB.
const MAX_DICTIONARY: u64 = 8 << 20;
/// The maximum window of a body in zstd, as a power of two: RFC 9659 allows 8 MB.
pub(crate) const ZSTD_WINDOW: u32 = 23;

/// The bytes of a stream that begins like this, unpacked.
///
/// # Errors
/// Those of the stream, and an invalid dictionary.
pub(crate) fn unpacked<'r>(
    format: Format,
    mut reader: BufReader<impl Read + Send + 'r>,
) -> io::Result<Box<dyn stream::Parts + Send + 'r>> {
    let decoder = match format {
        Format::ZstdDictionary => ZstdDecoder::with_dictionary(&dictionary(&mut reader)?)?,
        _ => ZstdDecoder::new()?,
    };
    Ok(Box::new(Parts::new(reader, Zstd::new(decoder))))
}

fn dictionary(reader: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut head = [0; 8];
    reader.read_exact(&mut head)?;
    let [.., a, b, c, d] = head;
    let length = u64::from(u32::from_le_bytes([a, b, c, d]));
    let too_long = || io::Error::other(format!("the zstd dictionary is longer than {MAX_DICTIONARY} bytes"));
    if length > MAX_DICTIONARY {
        return Err(too_long());
    }
    let mut dictionary = Vec::new();
    reader.take(length).read_to_end(&mut dictionary)?;
    if dictionary.starts_with(ZSTD) {
        let packed = mem::take(&mut dictionary);
        ZstdReader::with_buffer(&packed[..])?.take(MAX_DICTIONARY.saturating_add(1)).read_to_end(&mut dictionary)?;
        if u64::try_from(dictionary.len()).unwrap_or(u64::MAX) > MAX_DICTIONARY {
            return Err(too_long());
        }
    }
    Ok(dictionary)
}

/// How far a decoder came in one step.
struct Came {
    taken: usize,
    given: usize,
    /// Whether the part has ended.
    is_over: bool,
}

/// A decoder in memory.
trait Decode {
    /// Its name in messages.
    const NAME: &'static str;

    /// Takes some of the bytes of a part, and gives some of its content.
    fn step(&mut self, packed: &[u8], into: &mut [u8]) -> io::Result<Came>;

    /// Prepares for another part. Whether there can be one.
    fn again(&mut self) -> io::Result<bool> {
        Ok(false)
    }
}

struct Zstd {
    decoder: ZstdDecoder<'static>,
    /// The first bytes of the frame, and how many bytes it gave: with small pieces the decoder does not compare its
    /// size if the last block is empty.
    head: Vec<u8>,
    given: u64,
}

/// The longest head of a frame: RFC 8878 3.1.1.1.
const MAX_FRAME_HEAD: usize = 18;

impl Zstd {
    const fn new(decoder: ZstdDecoder<'static>) -> Self {
        Self { decoder, head: Vec::new(), given: 0 }
    }
}

impl Decode for Zstd {
    const NAME: &'static str = "zstd";

    fn step(&mut self, packed: &[u8], into: &mut [u8]) -> io::Result<Came> {
        let status = self.decoder.run_on_buffers(packed, into)?;
        let came = Came { taken: status.bytes_read, given: status.bytes_written, is_over: status.remaining == 0 };
        let wanted = MAX_FRAME_HEAD.saturating_sub(self.head.len()).min(came.taken);
        self.head.extend_from_slice(packed.get(..wanted).unwrap_or_default());
        self.given = self.given.saturating_add(u64::try_from(came.given).unwrap_or(u64::MAX));
        if came.is_over {
            let said = get_frame_content_size(&self.head).ok().flatten();
            if said.is_some_and(|said| said != self.given) {
                return Err(io::Error::other("Data corruption detected"));
            }
        }
        Ok(came)
    }

    fn again(&mut self) -> io::Result<bool> {
        self.head.clear();
        self.given = 0;
        self.decoder.reinit().map(|()| true)
    }
}

/// RFC 1950 and 1951.
struct Deflate(Decompress);

impl Decode for Deflate {
    const NAME: &'static str = "deflate";

    fn step(&mut self, packed: &[u8], into: &mut [u8]) -> io::Result<Came> {
        let (taken, given) = (self.0.total_in(), self.0.total_out());
        let status = self.0.decompress(packed, into, FlushDecompress::None).map_err(io::Error::other)?;
        let since = |total: u64, before: u64| usize::try_from(total.saturating_sub(before)).unwrap_or(usize::MAX);
        let (taken, given) = (since(self.0.total_in(), taken), since(self.0.total_out(), given));
        Ok(Came { taken, given, is_over: status == Status::StreamEnd })
    }
}

/// RFC 7932.
struct Brotli(Box<BrotliState<StandardAlloc, StandardAlloc, StandardAlloc>>);

impl Decode for Brotli {
    const NAME: &'static str = "br";

    fn step(&mut self, packed: &[u8], into: &mut [u8]) -> io::Result<Came> {
        let (mut left, mut room) = (packed.len(), into.len());
        let (mut taken, mut given, mut total) = (0, 0, 0);
        let result =
            BrotliDecompressStream(&mut left, &mut taken, packed, &mut room, &mut given, into, &mut total, &mut self.0);
        match result {
            BrotliResult::ResultFailure => Err(io::Error::other("corrupt brotli stream")),
            result => Ok(Came { taken, given, is_over: matches!(result, BrotliResult::ResultSuccess) }),
        }
    }
}

/// A body in zstd.
pub(crate) fn zstd(reader: impl BufRead) -> io::Result<impl Read> {
    let mut decoder = ZstdDecoder::new()?;
    decoder.set_parameter(DParameter::WindowLogMax(ZSTD_WINDOW))?;
    Ok(Parts::new(reader, Zstd::new(decoder)))
}

/// A body in deflate, with or without the head of zlib.
pub(crate) fn deflate(reader: impl BufRead, has_head: bool) -> impl Read {
    Parts::new(reader, Deflate(Decompress::new(has_head)))
}

/// A body in brotli.
pub(crate) fn brotli(reader: impl BufRead) -> impl Read {
    let alloc = StandardAlloc::default;
    Parts::new(reader, Brotli(Box::new(BrotliState::new(alloc(), alloc(), alloc()))))
}

/// The content of all parts.
struct Parts<R, D> {
    reader: R,
    decoder: D,
    state: State,
    /// Whether the last step filled all the room, so that the decoder may have more without more bytes.
    is_full: bool,
    /// Whether this part has given bytes.
    has_given: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Within,
    /// The part has ended, which is not reported yet.
    Ended,
    Between,
    Over,
}

impl<R: BufRead, D: Decode> Parts<R, D> {
    const fn new(reader: R, decoder: D) -> Self {
        Self { reader, decoder, state: State::Within, is_full: false, has_given: false }
    }

    /// Goes to the next part, or to the end.
    fn next_part(&mut self) -> io::Result<()> {
        let held = self.reader.fill_buf()?;
        let zeros = held.iter().take_while(|&&byte| byte == 0).count();
        if held.is_empty() {
            self.state = State::Over;
        } else if zeros > 0 {
            self.reader.consume(zeros);
        } else if self.decoder.again()? {
            (self.state, self.has_given) = (State::Within, false);
        } else {
            return Err(damaged(D::NAME, "bytes follow its end"));
        }
        Ok(())
    }

    /// Some of the content of a part, or its end. None if there may be more.
    fn within(&mut self, into: &mut [u8]) -> io::Result<Option<stream::Came>> {
        let held = if self.is_full { &[] } else { self.reader.fill_buf()? };
        let is_end = held.is_empty() && !self.is_full;
        let came = self.decoder.step(held, into)?;
        self.reader.consume(came.taken);
        self.is_full = came.given == into.len() && !came.is_over;
        self.has_given |= came.given > 0;
        if came.is_over {
            self.state = State::Ended;
        } else if is_end && came.given == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(Some(came.given).filter(|&given| given > 0).map(stream::Came::Bytes))
    }
}

impl<R: BufRead, D: Decode> stream::Parts for Parts<R, D> {
    fn step(&mut self, into: &mut [u8]) -> io::Result<stream::Came> {
        loop {
            let done = match self.state {
                State::Over => return Ok(stream::Came::End),
                State::Ended => {
                    self.state = State::Between;
                    return Ok(stream::Came::PartEnd);
                }
                State::Between => self.next_part().map(|()| None),
                State::Within => self.within(into),
            };
            match done {
                Ok(None) => {}
                Ok(Some(came)) => return Ok(came),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => return Err(error),
                Err(error) => {
                    let is_between = self.state == State::Between || !self.has_given;
                    self.state = State::Over;
                    let error = broken(D::NAME, error);
                    return Err(if is_between { between(error) } else { error });
                }
            }
        }
    }
}

impl<R: BufRead, D: Decode> Read for Parts<R, D> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        read_parts(self, into, &mut 0)
    }
}
