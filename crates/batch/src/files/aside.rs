//! Files that get their name when they are complete.
//!
//! Invariant: such a file is locked as long as its run lives, so the next run removes what a killed one left, and
//! nothing else: neither a file of a run that lives, nor one of another owner.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use tempfile::NamedTempFile;

const PREFIX: &str = ".";
const SUFFIX: &str = ".robosieve";
/// The number of random letters and digits between them.
const RANDOM: usize = 6;
/// At most so many names of a folder are looked at.
const MAX_LISTED: usize = 100_000;

/// A file without its name yet. It is removed if it does not get one.
pub(super) struct Aside(NamedTempFile);

impl Aside {
    /// A new file in the folder. `is_private`: only its owner may read it, until it is complete.
    pub(super) fn new(folder: &Path, is_private: bool) -> io::Result<Self> {
        let mut builder = tempfile::Builder::new();
        builder.prefix(PREFIX).suffix(SUFFIX).rand_bytes(RANDOM);
        #[cfg(unix)]
        // As for any new file: the user's mask applies.
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(if is_private { 0o600 } else { 0o666 }));
        #[cfg(not(unix))]
        let _ = is_private;
        loop {
            // A name of ours in a message would help nobody.
            let without_name = |error: io::Error| {
                let words = error.to_string();
                io::Error::new(error.kind(), words.split(" at path ").next().unwrap_or_default())
            };
            let made = builder.tempfile_in(folder).map_err(without_name)?;
            if lock(made.as_file()) {
                return Ok(Self(made));
            }
        }
    }

    pub(super) fn file(&self) -> &File {
        self.0.as_file()
    }

    pub(super) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(super) fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.0.write_all(bytes)
    }

    /// Gives it its name, which another file may have.
    pub(super) fn rename(self, target: &Path) -> io::Result<()> {
        self.0.persist(target)?;
        Ok(())
    }

    /// Gives it a name that no file has.
    pub(super) fn rename_to_new(self, target: &Path) -> io::Result<()> {
        self.0.persist_noclobber(target)?;
        Ok(())
    }
}

/// Whether a file has a name as those that this module makes.
pub(crate) fn is_aside(name: &str) -> bool {
    let random = name.strip_prefix(PREFIX).and_then(|name| name.strip_suffix(SUFFIX));
    random.is_some_and(|random| random.len() == RANDOM && random.bytes().all(|byte| byte.is_ascii_alphanumeric()))
}

/// Removes what killed runs of this user left in the folder.
pub(crate) fn sweep(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.take(MAX_LISTED).flatten() {
        if entry.file_name().to_str().is_some_and(is_aside) {
            // If that fails, the next run tries again.
            let _ = remove_left(&entry.path());
        }
    }
}

/// Locks a new file. False if a run that sweeps has removed it before.
#[cfg(unix)]
fn lock(file: &File) -> bool {
    use rustix::fs::{FlockOperation, flock};
    use std::os::unix::fs::MetadataExt as _;
    // Where files cannot be locked, nobody can sweep them either.
    flock(file, FlockOperation::LockExclusive).is_err() || file.metadata().is_ok_and(|found| found.nlink() > 0)
}

/// Removes a file of this user whose run is over, under its lock: see [`lock`].
#[cfg(unix)]
fn remove_left(path: &Path) -> io::Result<()> {
    use rustix::fs::{FlockOperation, Mode, OFlags, flock, open};
    use std::os::unix::fs::MetadataExt as _;
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = File::from(open(path, flags, Mode::empty())?);
    let found = file.metadata()?;
    if found.is_file() && found.uid() == rustix::process::geteuid().as_raw() {
        flock(&file, FlockOperation::NonBlockingLockExclusive)?;
        fs::remove_file(path)?;
    }
    Ok(())
}

#[cfg(not(unix))]
const fn lock(_: &File) -> bool {
    true
}

/// Files are not locked here, and no run takes a day for one.
#[cfg(not(unix))]
fn remove_left(path: &Path) -> io::Result<()> {
    let found = fs::symlink_metadata(path)?;
    let age = found.modified()?.elapsed().unwrap_or_default();
    if found.is_file() && age.as_secs() > 86_400 { fs::remove_file(path) } else { Ok(()) }
}
