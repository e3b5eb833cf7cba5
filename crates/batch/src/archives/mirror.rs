//! Writes texts to the files of a directory.
//!
//! Invariant: a file of the directory is either complete or not there. Each is written under a temporary name and
//! renamed. So a run that is killed leaves at most one temporary file, which the next run overwrites.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The name of the file that is being written.
const ASIDE: &str = ".robosieve-part";

/// A directory that is being filled.
#[derive(Debug)]
pub(crate) struct Mirror {
    root: PathBuf,
    /// The directory that was created last.
    made: PathBuf,
}

impl Mirror {
    pub(crate) fn new(root: &Path) -> io::Result<Self> {
        fs::create_dir_all(root)?;
        Ok(Self { root: root.to_owned(), made: PathBuf::new() })
    }

    /// Writes the text to the file with this name. Replaces an existing file.
    pub(crate) fn write(&mut self, name: &Path, text: &str) -> io::Result<()> {
        let target = self.root.join(name);
        let parent = target.parent().unwrap_or(&self.root);
        if parent != self.made {
            fs::create_dir_all(parent)?;
            self.made = parent.to_owned();
        }
        let aside = self.root.join(ASIDE);
        fs::write(&aside, text)?;
        fs::rename(&aside, &target)
    }

    /// Whether there already is a file with this name and length. Only for names that are hashes of the content.
    pub(crate) fn has(&self, name: &Path, length: usize) -> bool {
        let length = u64::try_from(length).unwrap_or(u64::MAX);
        fs::metadata(self.root.join(name)).is_ok_and(|found| found.is_file() && found.len() == length)
    }

    /// Removes the temporary file.
    pub(crate) fn clean(&self) {
        let _ = fs::remove_file(self.root.join(ASIDE));
    }
}

/// Whether an error concerns only this name, not the disk or the directory.
pub(crate) fn is_about_name(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::InvalidFilename
            | io::ErrorKind::InvalidInput
            | io::ErrorKind::NotADirectory
            | io::ErrorKind::IsADirectory
            | io::ErrorKind::AlreadyExists
    )
}
