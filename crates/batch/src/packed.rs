//! Unpacks what is packed in one part or in several, one after another: gzip members, zstd frames, and the codings of a
//! body. The decoders are those of the crates.
//!
//! Invariant: after a part come zeros, another part if the format has several, or the end. Bytes that end within a part
//! give `UnexpectedEof`, and everything else is damage. After it the next gzip member is looked for; any other stream has
//! ended. One step takes and gives bounded bytes. The readers of the crates are not used: flate2's takes deflate that ends
//! early for whole, and brotli's tells no early end from damage.

use std::fmt;
use std::io::{self, Read};

use flate2::{Decompress, DecompressError, FlushDecompress, Status};
use memchr::memmem;

use crate::window::Window;
#[cfg(feature = "archives")]
pub(crate) use zstds::{Brotli, Zstd};

/// RFC 1952: the magic number, and the method deflate.
pub(crate) const GZIP: &[u8] = &[0x1F, 0x8B, 0x08];

/// Whether zstd data begins so: with a frame, or with one that is skipped (RFC 8878 3.1.1, 3.1.2).
pub(crate) const fn is_zstd(front: &[u8]) -> bool {
    matches!(front, [0x28, 0xB5, 0x2F, 0xFD, ..] | [0x50..=0x5F, 0x2A, 0x4D, 0x18, ..])
}

/// Why bytes cannot be unpacked.
#[derive(Debug)]
struct Broken {
    coding: &'static str,
    why: String,
    given: Given,
}

/// What was given of the part that is broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Given {
    /// Nothing: all that was given is of parts before it.
    None,
    /// Bytes, of which the caller may have used none yet.
    Some,
    /// Bytes that were used.
    Used,
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot be unpacked from {}: {}", self.coding, self.why)?;
        if self.given == Given::Used {
            f.write_str(
                "; lines before this one came from the same part of a stream, so they may be wrong: discard what this input \
                 gave, and name a file instead",
            )?;
        }
        Ok(())
    }
}

impl std::error::Error for Broken {}

/// Damage, in these words.
pub(crate) fn damaged(coding: &'static str, why: impl Into<String>) -> io::Error {
    let broken = Broken { coding, why: why.into(), given: Given::Some };
    io::Error::new(io::ErrorKind::InvalidData, broken)
}

/// An end that came early.
pub(crate) fn ends_early(coding: &'static str) -> io::Error {
    let broken = Broken { coding, why: "it ends early".into(), given: Given::Some };
    io::Error::new(io::ErrorKind::UnexpectedEof, broken)
}

/// What was given of the part, if the error is one of a packed part.
#[cfg(feature = "archives")]
pub(crate) fn given(error: &io::Error) -> Option<Given> {
    Some(error.get_ref()?.downcast_ref::<Broken>()?.given)
}

/// The same error with this word.
pub(crate) fn having(given: Given, error: io::Error) -> io::Error {
    let kind = error.kind();
    match error.downcast::<Broken>() {
        Ok(broken) => io::Error::new(kind, Broken { given, ..broken }),
        Err(error) => error,
    }
}

/// Why a decoder takes no more, in words for people.
fn broken(error: DecompressError) -> io::Error {
    match error.message() {
        Some("incorrect data check" | "incorrect length check") => io::Error::other("its checksum is wrong"),
        _ => error.into(),
    }
}

/// How far a decoder came in one step.
pub(crate) struct Step {
    taken: usize,
    given: usize,
    /// Whether the part has ended, or why it is broken.
    is_over: io::Result<bool>,
}

/// What decodes a part.
pub(crate) trait Decode: Send {
    /// Takes some of the bytes of a part, and gives some of its content.
    fn step(&mut self, packed: &[u8], into: &mut [u8]) -> Step;

    /// Prepares for another part. False if there cannot be one.
    fn again(&mut self) -> io::Result<bool>;
}

/// The decoder of a part, and its name in messages.
pub(crate) struct Decoder(&'static str, Box<dyn Decode>);

impl Decoder {
    /// RFC 1952. The decoder compares the checksum.
    pub(crate) fn gzip() -> Self {
        Self("gzip", Box::new(Flate { state: Decompress::new_gzip(15), is_gzip: true }))
    }

    /// RFC 1950, or RFC 1951 without its head.
    #[cfg(feature = "archives")]
    pub(crate) fn deflate(has_head: bool) -> Self {
        Self("deflate", Box::new(Flate { state: Decompress::new(has_head), is_gzip: false }))
    }
}

struct Flate {
    state: Decompress,
    is_gzip: bool,
}

impl Decode for Flate {
    fn step(&mut self, packed: &[u8], into: &mut [u8]) -> Step {
        let (taken, given) = (self.state.total_in(), self.state.total_out());
        let status = self.state.decompress(packed, into, FlushDecompress::None);
        let since = |total: u64, before: u64| usize::try_from(total.saturating_sub(before)).unwrap_or(usize::MAX);
        let (taken, given) = (since(self.state.total_in(), taken), since(self.state.total_out(), given));
        Step { taken, given, is_over: status.map(|status| status == Status::StreamEnd).map_err(broken) }
    }

    fn again(&mut self) -> io::Result<bool> {
        self.state.reset(self.is_gzip);
        Ok(self.is_gzip)
    }
}

/// What comes next of packed parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Came {
    /// So many bytes of a part.
    Bytes(usize),
    /// The part has ended without an error.
    PartEnd,
    End,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Within,
    /// The part has ended, which is not reported yet.
    Ended,
    Between,
    /// The part was broken.
    Broken,
    Over,
}

/// The content of packed parts.
pub(crate) struct Packed<R> {
    window: Window<R>,
    decoder: Decoder,
    state: State,
    /// Whether the last step filled all the room, so that the decoder may have more without more bytes.
    is_full: bool,
    /// Whether this part has given bytes.
    has_given: bool,
    /// What failed after the bytes that were given.
    failed: Option<io::Error>,
    /// The number of parts before this one, also of broken ones.
    pub(crate) part: u64,
}

impl<R: Read> Packed<R> {
    pub(crate) const fn new(window: Window<R>, decoder: Decoder) -> Self {
        Self { window, decoder, state: State::Within, is_full: false, has_given: false, failed: None, part: 0 }
    }

    /// Some bytes of a part, or its end. Errors of the operating system change nothing.
    pub(crate) fn step(&mut self, into: &mut [u8]) -> io::Result<Came> {
        loop {
            match self.state {
                State::Over => return Ok(Came::End),
                State::Ended => {
                    (self.state, self.part) = (State::Between, self.part.saturating_add(1));
                    return Ok(Came::PartEnd);
                }
                State::Between | State::Broken => self.next_part()?,
                State::Within => {
                    let given = self.within(into)?;
                    if given > 0 {
                        return Ok(Came::Bytes(given));
                    }
                }
            }
        }
    }

    /// Some of the content of a part. None of it if there may be more, or it has ended.
    fn within(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if let Some(error) = self.failed.take() {
            return Err(self.fail(error));
        }
        let least = usize::from(!self.is_full);
        self.look(least)?;
        let held = if self.is_full { &[] } else { self.window.held() };
        let is_end = held.is_empty() && !self.is_full;
        let Step { taken, given, is_over } = self.decoder.1.step(held, into);
        // After a broken member the next one is not the same.
        self.window.take(if is_over.is_err() { taken.max(1) } else { taken });
        self.has_given |= given > 0;
        match is_over {
            Ok(is_over) => {
                self.is_full = given == into.len() && !is_over;
                if is_over {
                    self.state = State::Ended;
                } else if is_end && given == 0 {
                    self.failed = Some(ends_early(self.decoder.0));
                }
            }
            Err(error) => self.failed = Some(damaged(self.decoder.0, error.to_string())),
        }
        Ok(given)
    }

    /// Goes to the next part: directly after the last one, after zeros, or, after damage, anywhere. Each round takes bytes,
    /// or is the last.
    fn next_part(&mut self) -> io::Result<()> {
        self.look(GZIP.len())?;
        let held = self.window.held();
        let passed = match (held, self.state) {
            ([], _) => {
                self.state = State::Over;
                return Ok(());
            }
            // The magic number may begin in the last two bytes, unless the stream ends there.
            (held, State::Broken) => memmem::find(held, GZIP).unwrap_or(match held.len() {
                ..3 => held.len(),
                more => more.saturating_sub(2),
            }),
            (held, _) => held.iter().take_while(|&&byte| byte == 0).count(),
        };
        if passed > 0 {
            self.window.take(passed);
            return Ok(());
        }
        self.has_given = false;
        if self.is_gzip() && !held.starts_with(GZIP) && !GZIP.starts_with(held) {
            return Err(self.fail(damaged("gzip", "no gzip member begins where one should")));
        }
        match self.decoder.1.again() {
            Ok(true) => self.state = State::Within,
            Ok(false) => return Err(self.fail(damaged(self.decoder.0, "bytes follow its end"))),
            Err(error) => return Err(self.fail(damaged(self.decoder.0, error.to_string()))),
        }
        Ok(())
    }

    /// Reads so many bytes, unless the stream ends before. An error that is not of the system may be there for ever.
    fn look(&mut self, least: usize) -> io::Result<()> {
        match self.window.look(least) {
            Err(error) if error.raw_os_error().is_none() && error.kind() != io::ErrorKind::Interrupted => {
                Err(self.fail(damaged(self.decoder.0, error.to_string())))
            }
            done => done.map(|_| ()),
        }
    }

    fn is_gzip(&self) -> bool {
        self.decoder.0 == "gzip"
    }

    /// The part is broken.
    fn fail(&mut self, error: io::Error) -> io::Error {
        self.part = self.part.saturating_add(1);
        self.state = if self.is_gzip() { State::Broken } else { State::Over };
        self.is_full = false;
        if self.has_given { error } else { having(Given::None, error) }
    }
}

impl<R: Read> Read for Packed<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        while !into.is_empty() {
            match self.step(into)? {
                Came::Bytes(count) => return Ok(count),
                Came::PartEnd => {}
                Came::End => break,
            }
        }
        Ok(0)
    }
}

/// zstd and brotli.
#[cfg(feature = "archives")]
pub(crate) mod zstds {
    use std::io::{self, Read};
    use std::mem;

    use brotli_decompressor::{BrotliDecompressStream, BrotliResult, BrotliState, StandardAlloc};
    use zstd::stream::raw::{DParameter, Decoder as Raw, Operation as _};
    use zstd::stream::read::Decoder as ZstdReader;
    use zstd::zstd_safe::get_frame_content_size;

    use super::{Decode, Decoder, Step, is_zstd};

    /// The maximum size of a dictionary. Our choice: 8 MiB; `zstd --train` makes 112 kB.
    const MAX_DICTIONARY: u64 = 8 << 20;
    /// The maximum window of a body in zstd, as a power of two: RFC 9659 allows 8 MB.
    pub(crate) const ZSTD_WINDOW: u32 = 23;
    /// The longest head of a frame: RFC 8878 3.1.1.1.
    const MAX_FRAME_HEAD: usize = 18;

    /// RFC 8878.
    pub(crate) struct Zstd {
        decoder: Raw<'static>,
        /// The first bytes of the frame, and how many bytes it gave: with small pieces the decoder does not compare its
        /// size if the last block is empty.
        head: Vec<u8>,
        given: u64,
    }

    impl Zstd {
        fn of(decoder: Raw<'static>) -> Decoder {
            Decoder("zstd", Box::new(Self { decoder, head: Vec::new(), given: 0 }))
        }

        /// The decoder of a file.
        pub(crate) fn of_file() -> io::Result<Decoder> {
            Ok(Self::of(Raw::new()?))
        }

        /// The same for one that begins with a dictionary.
        pub(crate) fn with_dictionary(reader: &mut impl Read) -> io::Result<Decoder> {
            Ok(Self::of(Raw::with_dictionary(&dictionary(reader)?)?))
        }

        /// The decoder of a body.
        pub(crate) fn of_body() -> io::Result<Decoder> {
            let mut decoder = Raw::new()?;
            decoder.set_parameter(DParameter::WindowLogMax(ZSTD_WINDOW))?;
            Ok(Self::of(decoder))
        }
    }

    impl Decode for Zstd {
        fn step(&mut self, packed: &[u8], into: &mut [u8]) -> Step {
            let status = match self.decoder.run_on_buffers(packed, into) {
                Ok(status) => status,
                Err(error) => return Step { taken: 0, given: 0, is_over: Err(error) },
            };
            let (taken, given, is_over) = (status.bytes_read, status.bytes_written, status.remaining == 0);
            let wanted = MAX_FRAME_HEAD.saturating_sub(self.head.len()).min(taken);
            self.head.extend_from_slice(packed.get(..wanted).unwrap_or_default());
            self.given = self.given.saturating_add(given as u64);
            let said = if is_over { get_frame_content_size(&self.head).ok().flatten() } else { None };
            let is_wrong = said.is_some_and(|said| said != self.given);
            let is_over = if is_wrong { Err(io::Error::other("Data corruption detected")) } else { Ok(is_over) };
            Step { taken, given, is_over }
        }

        fn again(&mut self) -> io::Result<bool> {
            (self.given, self.head) = (0, Vec::new());
            self.decoder.reinit().map(|()| true)
        }
    }

    fn dictionary(reader: &mut impl Read) -> io::Result<Vec<u8>> {
        let mut head = [0; 8];
        reader.read_exact(&mut head)?;
        let [.., a, b, c, d] = head;
        let length = u64::from(u32::from_le_bytes([a, b, c, d]));
        let mut dictionary = Vec::new();
        reader.take(length.min(MAX_DICTIONARY)).read_to_end(&mut dictionary)?;
        let mut is_long = length > MAX_DICTIONARY;
        if is_zstd(&dictionary) && !is_long {
            let packed = mem::take(&mut dictionary);
            let most = MAX_DICTIONARY.saturating_add(1);
            is_long = ZstdReader::with_buffer(&packed[..])?.take(most).read_to_end(&mut dictionary)? as u64 == most;
        }
        let too_long = || io::Error::other(format!("the zstd dictionary is longer than {MAX_DICTIONARY} bytes"));
        if is_long { Err(too_long()) } else { Ok(dictionary) }
    }

    /// RFC 7932.
    pub(crate) struct Brotli(BrotliState<StandardAlloc, StandardAlloc, StandardAlloc>);

    impl Brotli {
        pub(crate) fn of_body() -> Decoder {
            let alloc = StandardAlloc::default;
            Decoder("br", Box::new(Self(BrotliState::new(alloc(), alloc(), alloc()))))
        }
    }

    impl Decode for Brotli {
        fn step(&mut self, packed: &[u8], into: &mut [u8]) -> Step {
            let (mut left, mut room) = (packed.len(), into.len());
            let (mut taken, mut given, mut total) = (0, 0, 0);
            let state = &mut self.0;
            let result =
                BrotliDecompressStream(&mut left, &mut taken, packed, &mut room, &mut given, into, &mut total, state);
            let is_over = match result {
                BrotliResult::ResultFailure => Err(io::Error::other("corrupt brotli stream")),
                result => Ok(matches!(result, BrotliResult::ResultSuccess)),
            };
            Step { taken, given, is_over }
        }

        fn again(&mut self) -> io::Result<bool> {
            Ok(false)
        }
    }
}
