//! The input files.
//!
//! Invariant: no file is longer than 512,000 bytes, the most that parsers read. Longer files are cut at a line end, so
//! every parser reads the whole file.

use std::path::Path;
use std::{fs, io};

use crate::stand_in::{self, MOST_BYTES};

/// A collection of robots files.
#[derive(Clone, Debug)]
pub struct Files {
    /// Whether they are `real` or `generated`.
    pub origin: &'static str,
    /// The bytes of each file.
    pub contents: Vec<Vec<u8>>,
}

impl Files {
    /// Reads the real files of a folder, in the order of their names.
    ///
    /// # Errors
    /// If the folder can't be read or has no files.
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

    /// Generates files of the same sizes and of similar lines, see [`stand_in`].
    #[must_use]
    pub fn generated(count: usize) -> Self {
        let contents = stand_in::files(count).into_iter().map(cut).collect();
        Self { origin: "generated", contents }
    }

    /// The number of bytes of all files.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.contents.iter().map(Vec::len).sum()
    }
}

/// Cuts a file at the limit.
fn cut(mut file: Vec<u8>) -> Vec<u8> {
    if file.len() > MOST_BYTES {
        file.truncate(MOST_BYTES);
        let end = file.iter().rposition(|byte| matches!(byte, b'\n' | b'\r')).map_or(MOST_BYTES, |end| end + 1);
        file.truncate(end);
    }
    file
}
