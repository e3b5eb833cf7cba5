//! Writes records to a file of lines, packed or not, that gets its final name when it is complete.
//!
//! Invariant: the file consists of frames of [`FRAME`] records, each packed separately. So a file that was cut at the
//! end of a frame and continued has the same bytes as one that was written at once. Every reader reads many frames of
//! gzip or zstd as one file.

use std::fs::File;
use std::io::{self, BufWriter, Seek as _, SeekFrom, Write};
use std::mem;
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use zstd::stream::write::Encoder as ZstdEncoder;

use super::disk;
use super::item::Form;
use crate::stream::BUFFER;

/// The number of records in a frame.
pub(crate) const FRAME: u64 = 1024;
/// The default of `gzip`.
const GZIP_LEVEL: u32 = 6;
/// The default of `zstd`.
const ZSTD_LEVEL: i32 = 3;

/// How a file is packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Packing {
    None,
    Gzip,
    Zstd,
}

impl Packing {
    /// How a file of records or rows with this name is packed. None if the name is not one of such a file.
    pub(crate) fn of_name(path: &Path) -> Option<Self> {
        let is_called = |extension: &str| path.extension().is_some_and(|found| found.eq_ignore_ascii_case(extension));
        let packing = match () {
            () if is_called("gz") => Self::Gzip,
            () if is_called("zst") => Self::Zstd,
            () => Self::None,
        };
        (Form::of_name(path) == Form::Ndjson).then_some(packing)
    }
}

/// The state of the file.
enum Frame {
    /// Between frames, or in one that is not packed.
    Between(BufWriter<File>),
    Gzip(GzEncoder<BufWriter<File>>),
    Zstd(ZstdEncoder<'static, BufWriter<File>>),
    /// The file was lost in an error.
    Broken,
}

impl Frame {
    fn begun(self, packing: Packing) -> io::Result<Self> {
        Ok(match (self, packing) {
            (Self::Between(file), Packing::Gzip) => Self::Gzip(GzEncoder::new(file, Compression::new(GZIP_LEVEL))),
            (Self::Between(file), Packing::Zstd) => Self::Zstd(ZstdEncoder::new(file, ZSTD_LEVEL)?),
            (begun, _) => begun,
        })
    }

    fn ended(self) -> io::Result<Self> {
        Ok(Self::Between(match self {
            Self::Between(file) => file,
            Self::Gzip(encoder) => encoder.finish()?,
            Self::Zstd(encoder) => encoder.finish()?,
            Self::Broken => return Err(earlier()),
        }))
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Self::Between(file) => file.write_all(bytes),
            Self::Gzip(encoder) => encoder.write_all(bytes),
            Self::Zstd(encoder) => encoder.write_all(bytes),
            Self::Broken => Err(earlier()),
        }
    }
}

fn earlier() -> io::Error {
    io::Error::other("an earlier write failed")
}

/// A file that is not complete yet.
pub(crate) struct Part {
    packing: Packing,
    frame: Frame,
}

impl Part {
    /// Goes on at the end of these bytes.
    pub(crate) fn new(mut file: File, packing: Packing, bytes: u64) -> io::Result<Self> {
        file.seek(SeekFrom::Start(bytes))?;
        Ok(Self { packing, frame: Frame::Between(BufWriter::with_capacity(BUFFER, file)) })
    }

    pub(crate) fn write(&mut self, line: &[u8]) -> io::Result<()> {
        self.change(Frame::begun)?;
        self.frame.write_all(line)
    }

    pub(crate) fn end_frame(&mut self) -> io::Result<()> {
        self.change(|frame, _| frame.ended())
    }

    fn change(&mut self, next: impl FnOnce(Frame, Packing) -> io::Result<Frame>) -> io::Result<()> {
        self.frame = next(mem::replace(&mut self.frame, Frame::Broken), self.packing)?;
        Ok(())
    }

    /// Ends the frame, and writes everything to disk. Returns the bytes of the file.
    pub(crate) fn sync(&mut self) -> io::Result<u64> {
        self.end_frame()?;
        let Frame::Between(file) = &mut self.frame else { return Err(earlier()) };
        file.flush()?;
        disk::sync(file.get_ref())?;
        file.stream_position()
    }

    /// The same at the end. A packed file without records is one empty frame, because an empty file is not valid packed
    /// data.
    pub(crate) fn finish(&mut self) -> io::Result<u64> {
        if self.sync()? == 0 {
            self.write(b"")?;
        }
        self.sync()
    }
}
