//! A file that grows, and that a later run cuts back to a point and continues.
//!
//! Invariant: the number and the digest of its bytes are known at every point. It is continued only if its first bytes
//! are those of the point. The digest shows damage, and not who changed the bytes.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::Xxh3;

use super::error::Error;

/// The bytes of a file up to a point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Mark {
    pub(crate) bytes: u64,
    digest: u64,
}

impl Mark {
    /// Opens a file as [`Marked::open`] does.
    pub(crate) fn open(self, path: &Path, each: impl FnMut(&[u8])) -> Result<Marked, Error> {
        Marked::open(path, self, each).map_err(|error| self.failed(path, error))
    }

    /// The file with this name cannot be opened, or not be continued.
    pub(crate) fn failed(self, path: &Path, error: io::Error) -> Error {
        let path = path.to_owned();
        if self.bytes == 0 { Error::Open(path, error) } else { Error::Damaged(path, error) }
    }
}

/// A file that grows.
pub(crate) struct Marked {
    file: File,
    digest: Xxh3,
    bytes: u64,
}

impl Marked {
    /// How many bytes are read at once. A multiple of the size of an entry, so that none is cut.
    const CHUNK: usize = 1 << 16;

    /// Opens a new file, or one that is continued at this point. `each` gets the bytes before it.
    pub(crate) fn open(path: &Path, mark: Mark, each: impl FnMut(&[u8])) -> io::Result<Self> {
        let is_new = mark.bytes == 0;
        let file = OpenOptions::new().read(true).write(true).create(is_new).truncate(is_new).open(path)?;
        let marked = Self::read(file, mark, each)?;
        marked.file.set_len(mark.bytes)?;
        Ok(marked)
    }

    /// Checks that a file has the bytes of this point, and no others.
    pub(crate) fn check(path: &Path, mark: Mark) -> io::Result<()> {
        let file = File::open(path)?;
        if file.metadata()?.len() != mark.bytes {
            return Err(io::Error::other("it has not the size that its journal says"));
        }
        Self::read(file, mark, |_| ()).map(drop)
    }

    fn read(mut file: File, mark: Mark, mut each: impl FnMut(&[u8])) -> io::Result<Self> {
        let mut digest = Xxh3::new();
        let mut buffer = vec![0; Self::CHUNK];
        let mut left = mark.bytes;
        while left > 0 {
            let most = usize::try_from(left).unwrap_or(usize::MAX).min(buffer.len());
            let chunk = buffer.get_mut(..most).unwrap_or_default();
            file.read_exact(chunk).map_err(|error| match error.kind() {
                io::ErrorKind::UnexpectedEof => io::Error::other("it is shorter than its journal says"),
                _ => error,
            })?;
            digest.update(chunk);
            each(chunk);
            left = left.saturating_sub(u64::try_from(most).unwrap_or(u64::MAX));
        }
        if mark.bytes > 0 && digest.digest() != mark.digest {
            return Err(io::Error::other("its bytes are not those that the run wrote"));
        }
        Ok(Self { file, digest, bytes: mark.bytes })
    }

    /// Writes everything to disk.
    pub(crate) fn sync(&self) -> io::Result<Mark> {
        self.file.sync_data()?;
        Ok(Mark { bytes: self.bytes, digest: self.digest.digest() })
    }
}

impl Write for Marked {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.file.write(bytes)?;
        self.digest.update(bytes.get(..count).unwrap_or(bytes));
        self.bytes = self.bytes.saturating_add(u64::try_from(count).unwrap_or(u64::MAX));
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}
