//! Which file a path or a stream leads to.
//!
//! Invariant: two identities are equal exactly if both are of the same regular file.

#[cfg(unix)]
use std::fs::{self, File};
#[cfg(unix)]
use std::io;
use std::path::Path;
#[cfg(not(unix))]
use std::path::PathBuf;

/// The identity of a regular file; the same for all its paths.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FileId(Id);

/// Device and inode: the same for links of both kinds.
#[cfg(unix)]
type Id = (u64, u64);
/// The path without links.
#[cfg(not(unix))]
type Id = PathBuf;

#[cfg(unix)]
impl FileId {
    /// The file at a path, if there is one.
    #[must_use]
    pub fn of(path: &Path) -> Option<Self> {
        fs::metadata(path).ok().and_then(|found| Self::of_metadata(&found))
    }

    /// The file that the standard input is read from.
    #[must_use]
    pub fn of_stdin() -> Option<Self> {
        Self::of_stream(&io::stdin())
    }

    /// The file that the standard output is written to.
    #[must_use]
    pub fn of_stdout() -> Option<Self> {
        Self::of_stream(&io::stdout())
    }

    fn of_stream(stream: &impl std::os::fd::AsFd) -> Option<Self> {
        let stream = stream.as_fd().try_clone_to_owned().ok()?;
        File::from(stream).metadata().ok().and_then(|found| Self::of_metadata(&found))
    }

    fn of_metadata(found: &fs::Metadata) -> Option<Self> {
        use std::os::unix::fs::MetadataExt as _;
        found.is_file().then(|| Self((found.dev(), found.ino())))
    }
}

#[cfg(not(unix))]
impl FileId {
    /// The file at a path, if there is one.
    #[must_use]
    pub fn of(path: &Path) -> Option<Self> {
        path.canonicalize().ok().filter(|path| path.is_file()).map(Self)
    }

    /// Not known here.
    #[must_use]
    pub const fn of_stdin() -> Option<Self> {
        None
    }

    /// Not known here.
    #[must_use]
    pub const fn of_stdout() -> Option<Self> {
        None
    }
}
