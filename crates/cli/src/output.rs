//! Writes results to the standard output, or to a file that is replaced atomically.
//!
//! Invariant: a reader of the file sees the old content or the new content, never a part. A target that is not a regular
//! file (a device, a pipe) is written to and never replaced.

#[cfg(unix)]
use std::fs::File;
use std::fs::{self, OpenOptions};
use std::io::{self, BufWriter, StdoutLock, Write};
use std::path::Path;
#[cfg(not(unix))]
use std::path::PathBuf;

use robosieve_batch::files::resolve;

use crate::exit::Failure;
use crate::text;

/// The standard output, buffered. The caller must flush it.
pub(crate) fn stdout() -> BufWriter<StdoutLock<'static>> {
    BufWriter::with_capacity(1 << 16, io::stdout().lock())
}

/// Writes all bytes to the standard output.
pub(crate) fn print(bytes: &[u8]) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    out.write_all(bytes).and_then(|()| out.flush()).map_err(|error| Failure::stdout(&error))
}

/// Replaces the content of the file with `bytes`.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let failed = |error: &io::Error| Failure::file(path, error, "check that its directory exists and can be written");
    match fs::metadata(path) {
        Ok(found) if found.is_dir() => {
            Err(Failure::Io(format!("{}: is a directory; name a file in it", text::name_of(path))))
        }
        Ok(found) if !found.is_file() => {
            OpenOptions::new().write(true).open(path).and_then(|mut file| file.write_all(bytes)).map_err(|e| failed(&e))
        }
        // A link stays one: the file that it leads to is replaced.
        Ok(found) => {
            let target = path.canonicalize().map_err(|error| failed(&error))?;
            write_aside(&target, bytes, Some(found.permissions())).map_err(|error| failed(&error))
        }
        // So does one that leads to no file yet.
        Err(_) => resolve(path).and_then(|target| write_aside(&target, bytes, None)).map_err(|error| failed(&error)),
    }
}

/// The identity of a regular file; the same for all its paths.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct FileId(Id);

/// Device and inode: the same for links of both kinds.
#[cfg(unix)]
type Id = (u64, u64);
/// The path without links.
#[cfg(not(unix))]
type Id = PathBuf;

#[cfg(unix)]
impl FileId {
    /// The file at a path, if there is one.
    pub(crate) fn of(path: &Path) -> Option<Self> {
        fs::metadata(path).ok().and_then(|found| Self::of_metadata(&found))
    }

    /// The file that the standard input is read from.
    pub(crate) fn of_stdin() -> Option<Self> {
        Self::of_stream(&io::stdin())
    }

    /// The file that the standard output is written to.
    pub(crate) fn of_stdout() -> Option<Self> {
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
    pub(crate) fn of(path: &Path) -> Option<Self> {
        path.canonicalize().ok().filter(|path| path.is_file()).map(Self)
    }

    /// Not known here.
    pub(crate) const fn of_stdin() -> Option<Self> {
        None
    }

    /// Not known here.
    pub(crate) const fn of_stdout() -> Option<Self> {
        None
    }
}

/// Writes a new file next to the target and renames it when it is complete. Removes it after a failure.
fn write_aside(target: &Path, bytes: &[u8], permissions: Option<fs::Permissions>) -> io::Result<()> {
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    builder.prefix(".").suffix(".robosieve");
    #[cfg(unix)]
    // What a new file has, less what the user's mask takes away.
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut aside = builder.tempfile_in(folder)?;
    aside.write_all(bytes)?;
    if let Some(permissions) = permissions {
        aside.as_file().set_permissions(permissions)?;
    }
    aside.as_file().sync_all()?;
    aside.persist(target)?;
    Ok(())
}
