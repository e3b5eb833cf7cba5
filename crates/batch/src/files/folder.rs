//! Fills a folder with texts.
//!
//! Invariant: a file of the folder is either complete or not there, and nothing is written outside of it, not even
//! through a link in it. One file, [`PART`], is not complete yet, and only one run fills the folder.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use robosieve_printable::harmless_short;

use super::{SHOWN, expect_file};

/// The file that is not complete yet. If a run is killed, the next one replaces it.
const PART: &str = ".robosieve.part";

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
        let folder = Self { made: root.clone(), root };
        folder.remove_part()?;
        Ok(folder)
    }

    /// Writes the text to the file with this name. Replaces an existing file.
    pub(crate) fn write(&mut self, name: &Path, text: &str) -> Result<(), Unwritten> {
        let Err(error) = self.try_write(name, text.as_bytes()) else { return Ok(()) };
        // A disk that takes no empty file either takes no other text.
        let is_over = is_of_disk(&error) || self.part().is_err();
        let _ = self.remove_part();
        let name = harmless_short(&robosieve_printable::name_of(name), SHOWN);
        Err(if is_over { Unwritten::All(error) } else { Unwritten::Name(format!("{name}: {error}")) })
    }

    fn try_write(&mut self, name: &Path, text: &[u8]) -> io::Result<()> {
        let target = self.root.join(name);
        if name == Path::new(PART) {
            return Err(io::Error::other("the file that is not complete yet has this name"));
        }
        let parent = target.parent().unwrap_or(&self.root);
        if parent != self.made {
            self.made = self.root.clone();
            for part in name.parent().into_iter().flat_map(Path::iter) {
                self.made.push(part);
                make(&self.made)?;
            }
        }
        expect_file(&target)?;
        self.part()?.write_all(text)?;
        fs::rename(self.root.join(PART), target)
    }

    /// An empty file.
    fn part(&self) -> io::Result<File> {
        self.remove_part()?;
        File::create_new(self.root.join(PART))
    }

    fn remove_part(&self) -> io::Result<()> {
        match fs::remove_file(self.root.join(PART)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
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
