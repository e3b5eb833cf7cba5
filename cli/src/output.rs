//! Where results go: the standard output, or a file that is replaced in one step.
//!
//! Invariant: whoever reads a file of ours finds the old content or the new one, never a part; what is no regular file (a
//! device, a pipe) is written to and never replaced.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, StdoutLock, Write};
use std::path::{Component, Path, PathBuf};

use crate::exit::Failure;
use crate::text;

/// Links that are followed from one to the next, as on Linux.
const MAX_LINKS: u32 = 40;

/// The standard output, buffered. Whoever takes it has to flush it.
pub(crate) fn stdout() -> BufWriter<StdoutLock<'static>> {
    BufWriter::with_capacity(1 << 16, io::stdout().lock())
}

/// Writes all of it to the standard output.
pub(crate) fn print(bytes: &[u8]) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    out.write_all(bytes).and_then(|()| out.flush()).map_err(|error| Failure::stdout(&error))
}

/// Makes `bytes` the content of the file.
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
        Err(_) => resolve(path, MAX_LINKS)
            .and_then(|target| write_aside(&target, bytes, None))
            .map_err(|error| failed(&error)),
    }
}

/// The file that a path leads to, under one name for all its spellings; none for what is never replaced, and where there is
/// no telling.
pub(crate) fn place(path: &Path) -> Option<PathBuf> {
    if fs::metadata(path).is_ok_and(|found| !found.is_file()) {
        return None;
    }
    resolve(path, MAX_LINKS).ok()
}

/// The same path without links, `.` and `..`. What is not there yet may be a file, or a directory that is still to be made.
fn resolve(path: &Path, max_links: u32) -> io::Result<PathBuf> {
    if let Ok(found) = path.canonicalize() {
        return Ok(found);
    }
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if let Ok(target) = fs::read_link(path) {
        let rest = max_links.checked_sub(1).ok_or_else(|| io::Error::other("too many links lead to each other"))?;
        return resolve(&parent.join(target), rest);
    }
    match path.components().next_back() {
        Some(Component::Normal(name)) => Ok(resolve(parent, max_links)?.join(name)),
        Some(Component::ParentDir) => resolve(parent, max_links).map(|mut found| {
            found.pop();
            found
        }),
        _ => Err(io::Error::from(io::ErrorKind::NotFound)),
    }
}

/// Writes a new file beside the target, and renames it. Nothing is left behind where that fails.
fn write_aside(target: &Path, bytes: &[u8], permissions: Option<fs::Permissions>) -> io::Result<()> {
    let (aside, mut file) = create_aside(target)?;
    let written = file
        .write_all(bytes)
        .and_then(|()| permissions.map_or(Ok(()), |permissions| file.set_permissions(permissions)))
        .and_then(|()| file.sync_all())
        .and_then(|()| fs::rename(&aside, target));
    if written.is_err() {
        let _ = fs::remove_file(&aside);
    }
    written
}

/// A file of a name that nobody has, in the same directory: a rename does not cross file systems.
fn create_aside(target: &Path) -> io::Result<(PathBuf, File)> {
    let name = target.file_name().ok_or_else(|| io::Error::other("the path names no file"))?;
    for attempt in 0..100_u32 {
        let mut aside = std::ffi::OsString::from(".");
        aside.push(name);
        aside.push(format!(".robosieve-{}-{attempt}", std::process::id()));
        let aside = target.with_file_name(aside);
        match OpenOptions::new().write(true).create_new(true).open(&aside) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            opened => return opened.map(|file| (aside, file)),
        }
    }
    Err(io::Error::other("no name is free for a file beside it"))
}
