//! The files that are read.
//!
//! Invariant: no file is longer than the 512,000 octets that parsers read at most, cut at a line end, so that every one of
//! them reads all of it.

use std::path::Path;
use std::{fs, io};

use crate::stand_in;

/// Octets that RFC 9309 2.5 has a parser read at least, and robosieve and robotxt read at most.
pub const MOST_OCTETS: usize = 512_000;

/// A collection of robots files.
#[derive(Clone, Debug)]
pub struct Files {
    /// Whether they are `real` or `generated`.
    pub origin: &'static str,
    /// Their octets.
    pub contents: Vec<Vec<u8>>,
}

impl Files {
    /// Real files: those of a folder, in the order of their names.
    ///
    /// # Errors
    /// If the folder can't be read, or has no file.
    pub fn of_folder(folder: &Path) -> io::Result<Self> {
        let at = |error: io::Error, path: &Path| io::Error::new(error.kind(), format!("{}: {error}", path.display()));
        let mut paths = Vec::new();
        for entry in fs::read_dir(folder).map_err(|error| at(error, folder))? {
            let path = entry?.path();
            if path.is_file() {
                paths.push(path);
            }
        }
        paths.sort();
        let read = |path: &std::path::PathBuf| fs::read(path).map(cut).map_err(|error| at(error, path));
        let contents: Vec<Vec<u8>> = paths.iter().map(read).collect::<io::Result<_>>()?;
        if contents.is_empty() {
            return Err(io::Error::other(format!("{}: the folder has no files", folder.display())));
        }
        Ok(Self { origin: "real", contents })
    }

    /// Generated files of the same sizes and much the same lines, see [`stand_in`].
    #[must_use]
    pub fn generated(count: usize) -> Self {
        let contents = stand_in::files(count).into_iter().map(cut).collect();
        Self { origin: "generated", contents }
    }

    /// Octets of all.
    #[must_use]
    pub fn octets(&self) -> usize {
        self.contents.iter().map(Vec::len).sum()
    }
}

/// A file without what is over the limit.
fn cut(mut file: Vec<u8>) -> Vec<u8> {
    if file.len() > MOST_OCTETS {
        file.truncate(MOST_OCTETS);
        let end = file.iter().rposition(|octet| matches!(octet, b'\n' | b'\r')).map_or(MOST_OCTETS, |end| end + 1);
        file.truncate(end);
    }
    file
}
