//! The file that a run writes, and that nobody else writes at the same time.
//!
//! Invariant: it is locked until the run ends. The system frees the lock, also after a kill.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::Path;

use same_file::Handle;

use super::error::Error;

/// A file that this run has locked.
pub(crate) struct Held {
    pub(crate) file: File,
    pub(crate) is_new: bool,
}

impl Held {
    /// Makes or opens the file. `named`: what the caller calls the output.
    pub(crate) fn open(path: &Path, named: &Path) -> Result<Self, Error> {
        let found = fs::symlink_metadata(path);
        if found.as_ref().is_ok_and(|found| !found.is_file()) {
            return Err(Error::Foreign(path.to_owned()));
        }
        let failed = |error| Error::Open(if found.is_ok() { path } else { named }.to_owned(), error);
        let file = File::options().read(true).write(true).create(true).truncate(false).open(path).map_err(failed)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(Error::Busy(named.to_owned())),
            // A few disks have no locks. What is there at the end is looked at all the same.
            Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => {}
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        let held = Self { file, is_new: found.is_err() };
        // The run that had it may have ended in between.
        held.expect_at(path).map_err(|_| Error::Busy(named.to_owned()))?;
        Ok(held)
    }

    /// Checks that this path leads to the file.
    pub(crate) fn expect_at(&self, path: &Path) -> io::Result<()> {
        let own = Handle::from_file(self.file.try_clone()?)?;
        if fs::symlink_metadata(path).is_ok_and(|found| found.is_file()) && own == Handle::from_path(path)? {
            return Ok(());
        }
        Err(io::Error::other("another program removed or replaced it during the run, so the output is not complete"))
    }
}
