//! The WARC archives of a `.wacz` file: a zip file that has them in its folder `archive/`.
//!
//! Invariant: an archive is read only after all of it was unpacked once and had its checksum, and only from a zip file
//! whose two descriptions of each entry agree and hide nothing. Memory holds one small directory, however large the file.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use flate2::read::DeflateDecoder;
use robosieve_printable::escape_short;
use zip::CompressionMethod;
use zip::read::{Config, ZipArchive};
use zip::unstable::read::ZipIterable;

use super::item::Form;
use crate::stream::Bytes;

/// The number of entries of a file. Our choice: a crawl has some hundred archives.
pub const MAX_ENTRIES: usize = 10_000;
/// The bytes of the name of an entry. Our choice: more than crawlers write.
pub const MAX_NAME: usize = 1_000;
/// The bytes of the directory, with all that it says of entries. Our choice: 400 for each entry.
pub const MAX_DIRECTORY: u64 = 4_000_000;
/// The bytes of an archive, unpacked, which is read twice. Our choice: a thousand times the largest of Common Crawl.
pub const MAX_SIZE: u64 = 1 << 40;

/// An archive in a file.
pub(super) struct Warc {
    path: PathBuf,
    /// Its name in the file.
    pub(super) name: String,
    index: usize,
    /// Its bytes in the file.
    pub(super) bytes: u64,
    pub(super) checksum: u32,
}

/// Whether a file is called so.
pub(super) fn is_wacz(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("wacz"))
}

/// The archives of a file, in its order. At least one.
pub(super) fn warcs(path: &Path) -> io::Result<Vec<Warc>> {
    // One entry after the other, so that a directory of any size is refused before it is held.
    let mut entries = ZipIterable::try_new(File::open(path)?, Config::default())?;
    within("entries", entries.len() as u64, MAX_ENTRIES as u64)?;
    let (mut found, mut first) = (Vec::new(), None);
    for (index, entry) in entries.files()?.enumerate() {
        let entry = entry?;
        let start = entry.central_header_start();
        within("bytes in its directory", start.saturating_sub(*first.get_or_insert(start)), MAX_DIRECTORY)?;
        within("bytes in the name of an entry", entry.name_raw().len() as u64, MAX_NAME as u64)?;
        let Ok(name) = std::str::from_utf8(entry.name_raw()) else { continue };
        if name.starts_with("archive/") && Form::of_name(Path::new(name)) == Form::Warc {
            within("bytes in an archive", entry.size(), MAX_SIZE)?;
            let (name, bytes) = (name.to_owned(), entry.compressed_size());
            found.push(Warc { path: path.to_owned(), name, index, bytes, checksum: entry.crc32() });
        }
    }
    let mut whole = ZipArchive::new(File::open(path)?)?;
    whole.validate_header_consistency()?;
    if found.is_empty() {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "it has no WARC archive in archive/"));
    }
    Ok(found)
}

fn within(what: &str, count: u64, most: u64) -> io::Result<()> {
    let message = || format!("it has more than {most} {what}");
    if count > most { Err(io::Error::new(io::ErrorKind::InvalidData, message())) } else { Ok(()) }
}

impl Warc {
    /// The name in messages and records.
    pub(super) fn shown(&self, file: &str) -> String {
        format!("{file}/{}", escape_short(self.name.as_bytes()))
    }

    /// Unpacks all of the archive once, to its checksum.
    pub(super) fn proven(self) -> io::Result<Proven> {
        let mut whole = ZipArchive::new(File::open(&self.path)?)?;
        let mut entry = whole.by_index(self.index)?;
        let bytes = io::copy(&mut (&mut entry).take(MAX_SIZE.saturating_add(1)), &mut io::sink())?;
        if bytes != entry.size() {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "it has not the length that the file says"));
        }
        let start = entry.data_start().ok_or(io::ErrorKind::InvalidData)?;
        let is_packed = entry.compression() != CompressionMethod::Stored;
        Ok(Proven { start, packed: entry.compressed_size(), is_packed, bytes, path: self.path })
    }
}

/// An archive whose checksum was right.
pub(super) struct Proven {
    path: PathBuf,
    start: u64,
    packed: u64,
    is_packed: bool,
    bytes: u64,
}

impl Proven {
    pub(super) fn open(&self) -> io::Result<Bytes<'static>> {
        let mut file = File::open(&self.path)?;
        file.seek(SeekFrom::Start(self.start))?;
        let packed = file.take(self.packed);
        Ok(if self.is_packed { Box::new(DeflateDecoder::new(packed).take(self.bytes)) } else { Box::new(packed) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// [batch.wacz]
    #[test]
    fn sizes_have_a_limit() {
        for (size, is_read) in [(MAX_SIZE - 1, true), (MAX_SIZE, true), (MAX_SIZE + 1, false)] {
            assert_eq!(within("bytes", size, MAX_SIZE).is_ok(), is_read, "{size}");
        }
    }
}
