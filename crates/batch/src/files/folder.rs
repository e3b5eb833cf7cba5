//! Fills a folder with texts.
//!
//! Invariant: a file of the folder is either complete or not there, and nothing is written outside of it, not even
//! through a link in it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use robosieve::printable::harmless_short;

use super::SHOWN;
use super::aside::{Aside, is_aside, sweep};
use super::replace::put;

/// A folder that is being filled.
#[derive(Debug)]
pub(crate) struct Folder {
    root: PathBuf,
    /// The folder that was found or made last.
    made: PathBuf,
}

/// Why a text was not written.
#[derive(Debug)]
pub(crate) enum Unwritten {
    /// No file with this name can be written. Says why.
    Name(String),
    /// Nothing can be written any more.
    All(io::Error),
}

impl Folder {
    pub(crate) fn new(root: &Path) -> io::Result<Self> {
        fs::create_dir_all(root)?;
        let root = root.canonicalize()?;
        sweep(&root);
        Ok(Self { made: root.clone(), root })
    }

    /// Writes the text to the file with this name. Replaces an existing file.
    pub(crate) fn write(&mut self, name: &Path, text: &str) -> Result<(), Unwritten> {
        let Err(error) = self.try_write(name, text.as_bytes()) else { return Ok(()) };
        // A disk that takes no empty file either takes no other text.
        let is_over = is_of_disk(&error) || Aside::new(&self.root, false).is_err();
        let name = harmless_short(&robosieve::printable::name_of(name), SHOWN);
        Err(if is_over { Unwritten::All(error) } else { Unwritten::Name(format!("{name}: {error}")) })
    }

    fn try_write(&mut self, name: &Path, text: &[u8]) -> io::Result<()> {
        let target = self.root.join(name);
        if target.file_name().and_then(|name| name.to_str()).is_some_and(is_aside) {
            return Err(io::Error::other("files that are not complete yet have such names"));
        }
        let parent = target.parent().unwrap_or(&self.root);
        if parent != self.made {
            self.made = self.root.clone();
            for part in name.parent().into_iter().flat_map(Path::iter) {
                self.made.push(part);
                make(&self.made)?;
            }
        }
        put(&self.root, &target, text, false)
    }

    /// Whether there already is a file with this name and length. Only for names that are hashes of the content.
    pub(crate) fn has(&self, name: &Path, length: usize) -> bool {
        let length = u64::try_from(length).unwrap_or(u64::MAX);
        fs::symlink_metadata(self.root.join(name)).is_ok_and(|found| found.is_file() && found.len() == length)
    }
}

/// Makes a folder in a folder, if it is not there.
fn make(path: &Path) -> io::Result<()> {
    match fs::create_dir(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            let found = fs::symlink_metadata(path)?;
            if found.is_symlink() {
                return Err(io::Error::other("a folder of it is a link, through which nothing is written"));
            }
            if found.is_dir() { Ok(()) } else { Err(io::Error::from(io::ErrorKind::NotADirectory)) }
        }
        done => done,
    }
}

/// Whether the next text would fail too.
fn is_of_disk(error: &io::Error) -> bool {
    use io::ErrorKind::{FileTooLarge, QuotaExceeded, ReadOnlyFilesystem, StaleNetworkFileHandle, StorageFull};
    matches!(error.kind(), FileTooLarge | QuotaExceeded | ReadOnlyFilesystem | StaleNetworkFileHandle | StorageFull)
}
