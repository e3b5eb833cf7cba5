//! Records -> a file of lines, packed or not, that takes its name when it is whole.
//!
//! Invariant: it is written as frames of [`FRAME`] records, each packed alone, so that one which was cut back to the end of a
//! frame and continued has the same bytes as one that was written in one go. A gzip or zstd file of many frames is one to
//! every reader.

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Seek as _, SeekFrom, Write};
use std::mem;
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use zstd::stream::write::Encoder as ZstdEncoder;

/// Records of a frame.
pub(crate) const FRAME: u64 = 1024;
/// As `gzip` has it.
const GZIP_LEVEL: u32 = 6;
/// As `zstd` has it.
const ZSTD_LEVEL: i32 = 3;
const BUFFER: usize = 1 << 17;

/// How a file is packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Packing {
    None,
    Gzip,
    Zstd,
}

impl Packing {
    /// Whether the name is one of a file of records, and how that is packed.
    pub(crate) fn of_name(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_string_lossy().to_ascii_lowercase();
        let (name, packing) = if let Some(name) = name.strip_suffix(".gz") {
            (name, Self::Gzip)
        } else if let Some(name) = name.strip_suffix(".zst") {
            (name, Self::Zstd)
        } else {
            (name.as_str(), Self::None)
        };
        let extension = name.rsplit_once('.').map(|(_, extension)| extension);
        matches!(extension, Some("ndjson" | "jsonl")).then_some(packing)
    }
}

/// Where the file stands.
enum Frame {
    Between(BufWriter<File>),
    Plain(BufWriter<File>),
    Gzip(GzEncoder<BufWriter<File>>),
    Zstd(ZstdEncoder<'static, BufWriter<File>>),
    /// An error took the file with it.
    Broken,
}

impl Frame {
    fn begun(self, packing: Packing) -> io::Result<Self> {
        Ok(match (self, packing) {
            (Self::Between(file), Packing::None) => Self::Plain(file),
            (Self::Between(file), Packing::Gzip) => Self::Gzip(GzEncoder::new(file, Compression::new(GZIP_LEVEL))),
            (Self::Between(file), Packing::Zstd) => Self::Zstd(ZstdEncoder::new(file, ZSTD_LEVEL)?),
            (begun, _) => begun,
        })
    }

    fn ended(self) -> io::Result<Self> {
        Ok(Self::Between(match self {
            Self::Between(file) | Self::Plain(file) => file,
            Self::Gzip(encoder) => encoder.finish()?,
            Self::Zstd(encoder) => encoder.finish()?,
            Self::Broken => return Err(io::Error::other("an earlier write failed")),
        }))
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Self::Between(file) | Self::Plain(file) => file.write_all(bytes),
            Self::Gzip(encoder) => encoder.write_all(bytes),
            Self::Zstd(encoder) => encoder.write_all(bytes),
            Self::Broken => Err(io::Error::other("an earlier write failed")),
        }
    }
}

/// A file that is not whole yet.
pub(crate) struct Part {
    packing: Packing,
    frame: Frame,
}

impl Part {
    /// A new one, or one that is continued behind so many bytes.
    pub(crate) fn open(path: &Path, packing: Packing, bytes: u64) -> io::Result<Self> {
        let mut file = OpenOptions::new().write(true).create(true).truncate(false).open(path)?;
        if file.metadata()?.len() < bytes {
            return Err(io::Error::other("it is shorter than its journal says"));
        }
        file.set_len(bytes)?;
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

    /// Ends the frame, has the disk hold all of it, and says how many bytes that is.
    pub(crate) fn sync(&mut self) -> io::Result<u64> {
        self.end_frame()?;
        let Frame::Between(file) = &mut self.frame else { return Ok(0) };
        file.flush()?;
        file.get_ref().sync_data()?;
        file.stream_position()
    }

    /// Has the disk hold the whole file. A packed file of no records is one empty frame, since an empty file is no packed one.
    pub(crate) fn finish(mut self) -> io::Result<u64> {
        if self.sync()? == 0 {
            self.write(b"")?;
        }
        self.sync()
    }
}
