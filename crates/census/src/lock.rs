//! Locks of a part and of a folder.
//!
//! Invariant: one run at a time holds a lock. The system holds it for the process, so what a killed run leaves is an
//! empty file that blocks nobody. The file is removed only by the run that holds its lock, and only if it is empty.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

/// A lock. It ends when it is dropped, or with the process.
#[derive(Debug)]
pub struct Lock {
    path: PathBuf,
    file: Option<File>,
}

/// How often a lock that another run holds for a moment is asked for, and what lies between. Our choice: a minute.
const TIMES: u32 = 3_000;
const PAUSE: Duration = Duration::from_millis(20);

impl Lock {
    /// # Errors
    /// `WouldBlock` if another run has it. What to do if the file system has no locks, or if the file cannot be made.
    pub(crate) fn new(path: PathBuf) -> io::Result<Self> {
        // A run that is over removes its file: the lock of that file is worth nothing.
        for _ in 0..TIMES {
            let file = locked(&path)?;
            if is_there(&file)? {
                return Ok(Self { path, file: Some(file) });
            }
        }
        Err(io::ErrorKind::WouldBlock.into())
    }

    /// The same, for what is held for a moment only.
    pub(crate) fn wait(path: &Path) -> io::Result<Self> {
        for _ in 0..TIMES {
            match Self::new(path.to_owned()) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => thread::sleep(PAUSE),
                done => return done,
            }
        }
        Err(io::Error::other(format!("{}: another run has this lock for a minute", path.display())))
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        let is_empty = |file: &File| file.metadata().is_ok_and(|found| found.len() == 0);
        if self.file.as_ref().is_some_and(is_empty) {
            // A file that is open to nobody else cannot be removed either; nor can it by us once another run has it.
            #[cfg(not(unix))]
            drop(self.file.take());
            let _ = fs::remove_file(&self.path);
        }
    }
}

fn without_locks(path: &Path, error: &io::Error) -> io::Error {
    let path = robosieve::printable::name_of(path);
    io::Error::other(format!("{path}: cannot be locked ({error}): write to a folder of this machine, and copy it"))
}

#[cfg(unix)]
fn locked(path: &Path) -> io::Result<File> {
    use rustix::fs::{FlockOperation, Mode, OFlags, flock, open};
    let flags = OFlags::RDWR | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let failed = |error: rustix::io::Errno| without_locks(path, &error.into());
    let file = File::from(open(path, flags, Mode::from_raw_mode(0o666)).map_err(failed)?);
    match flock(&file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(file),
        Err(rustix::io::Errno::WOULDBLOCK) => Err(io::ErrorKind::WouldBlock.into()),
        Err(error) => Err(failed(error)),
    }
}

/// Whether the file still has a name.
#[cfg(unix)]
fn is_there(file: &File) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt as _;
    Ok(file.metadata()?.nlink() > 0)
}

/// On Windows, a file can be opened for one process alone.
#[cfg(windows)]
fn locked(path: &Path) -> io::Result<File> {
    use std::os::windows::fs::OpenOptionsExt as _;
    const SHARING_VIOLATION: i32 = 32;
    let mut options = File::options();
    options.read(true).write(true).create(true).truncate(false).share_mode(0);
    options.open(path).map_err(|error| match error.raw_os_error() {
        Some(SHARING_VIOLATION) => io::ErrorKind::WouldBlock.into(),
        _ => without_locks(path, &error),
    })
}

#[cfg(not(any(unix, windows)))]
fn locked(path: &Path) -> io::Result<File> {
    Err(without_locks(path, &io::ErrorKind::Unsupported.into()))
}

#[cfg(not(unix))]
#[allow(clippy::unnecessary_wraps, reason = "it is an error on Unix")]
const fn is_there(_: &File) -> io::Result<bool> {
    Ok(true)
}
