//! Writing files, and the paths of files that may not exist yet.
//!
//! Invariant: a file that is made gets its name when it is complete. A file that is fixed stays the same file, and until
//! it is complete, a whole copy of the new content lies next to it. Streams are written to, and never replaced.

mod apart;
#[cfg(feature = "archives")]
mod folder;

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Seek as _, SeekFrom, Write};
use std::path::{Component, Path, PathBuf};

use same_file::Handle;
use tempfile::{Builder, NamedTempFile};

pub use apart::{Apart, Clash};
#[cfg(feature = "archives")]
pub(crate) use folder::{Folder, Unwritten};

/// How many links in a row are followed, as on Linux.
const MAX_LINKS: u32 = 40;

/// The bytes of a name in a message at most: a name that is made from a URL can have thousands.
#[cfg(feature = "archives")]
pub(crate) const SHOWN: usize = 300;

/// Whether Windows takes the name for a device, also if a suffix follows. Case means nothing.
pub(crate) fn is_device_name(name: &str) -> bool {
    let stem = name.split(['.', ':']).next().unwrap_or_default().trim_end_matches(' ').to_ascii_lowercase();
    let numbered = stem.strip_prefix("com").or_else(|| stem.strip_prefix("lpt")).map(|number| number.chars());
    let is_one = |mut number: std::str::Chars<'_>| {
        number.next().is_some_and(|one| matches!(one, '0'..='9' | '¹' | '²' | '³')) && number.next().is_none()
    };
    ["con", "prn", "aux", "nul", "conin$", "conout$", "clock$"].contains(&stem.as_str()) || numbered.is_some_and(is_one)
}

/// The size of all files, including those in directories, if it can be determined. Looks at each file.
#[must_use]
pub fn bytes_of(inputs: &[PathBuf]) -> Option<u64> {
    let mut sum: u64 = 0;
    for input in inputs {
        let found = fs::metadata(input).ok()?;
        if found.is_file() {
            sum = sum.saturating_add(found.len());
        } else if found.is_dir() {
            let files = walkdir::WalkDir::new(input).follow_root_links(true).into_iter().flatten();
            let files = files.filter(|entry| entry.file_type().is_file()).filter_map(|entry| entry.metadata().ok());
            sum = files.fold(sum, |sum, found| sum.saturating_add(found.len()));
        } else {
            return None;
        }
    }
    Some(sum).filter(|_| !inputs.is_empty())
}

/// Makes a file with this content, or replaces one: the new one keeps its mode. A link stays one, and the file that it
/// leads to is replaced. A stream is written to.
///
/// # Errors
/// If the path is a directory, or the file cannot be made in its directory.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    match stream(path)? {
        Some(mut stream) => stream.write_all(bytes).and_then(|()| stream.flush()),
        None => put(&place(path)?, bytes),
    }
}

/// The same for a file of a folder that is filled: nothing is written through a link, or to a stream.
///
/// # Errors
/// As for [`replace`], and if something that is no file has that name.
pub fn replace_in(folder: &Path, name: &OsStr, bytes: &[u8]) -> io::Result<()> {
    let target = folder.canonicalize()?.join(name);
    expect_file(&target)?;
    put(&target, bytes)
}

/// Writes new content into a file that is there. So it keeps its owner, its mode, its names, and all else that it has.
/// An error before it is changed leaves it as it was, also that of a full disk. After a kill, or an error later, it is
/// whole, or the file `.NAME.XXXXXX.new` next to it is.
///
/// # Errors
/// If it is no regular file, or cannot be written, or no file can be made next to it.
pub fn fix(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::other("is no regular file, and only such a file can be fixed: name the file itself"));
    }
    let target = path.canonicalize()?;
    let file = File::options().write(true).open(&target)?;
    let copy = next_to(&target, false)?;
    fill(copy.as_file(), bytes)?;
    let before = file.metadata()?.len();
    let at = usize::try_from(before).ok();
    let (front, beyond) = at.and_then(|at| bytes.split_at_checked(at)).unwrap_or((bytes, &[]));
    // What is beyond the end first: if the disk is full, this fails.
    if let Err(error) = write_at(&file, before, beyond).and_then(|()| file.sync_all()) {
        return file.set_len(before).and(Err(error));
    }
    let length = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
    let written = write_at(&file, 0, front).and_then(|()| file.set_len(length)).and_then(|()| file.sync_all());
    match written {
        Ok(()) => copy.close(),
        Err(error) => {
            let (_, path) = copy.keep().map_err(|kept| kept.error)?;
            let name = robosieve_printable::name_of(&path);
            Err(io::Error::other(format!("{error}; it may be a part of two now: {name} has all of the new content")))
        }
    }
}

fn write_at(mut file: &File, at: u64, bytes: &[u8]) -> io::Result<()> {
    file.seek(SeekFrom::Start(at))?;
    file.write_all(bytes)
}

/// Writes all bytes, to the disk.
fn fill(mut file: &File, bytes: &[u8]) -> io::Result<()> {
    file.write_all(bytes)?;
    file.sync_all()
}

/// Makes or replaces the file at a path without links.
fn put(target: &Path, bytes: &[u8]) -> io::Result<()> {
    let old = fs::metadata(target).ok();
    let new = next_to(target, old.is_none())?;
    fill(new.as_file(), bytes)?;
    keep_mode(new.as_file(), old)?;
    new.persist(target).map_err(|error| error.error)?;
    Ok(())
}

/// Gives a file the mode of the one that it replaces. New content runs as nobody else: the bits for that go.
pub(crate) fn keep_mode(new: &File, old: Option<fs::Metadata>) -> io::Result<()> {
    #[cfg(unix)]
    if let Some(old) = old {
        use std::os::unix::fs::PermissionsExt as _;
        return new.set_permissions(fs::Permissions::from_mode(old.permissions().mode() & 0o777));
    }
    #[cfg(not(unix))]
    let _ = (new, old);
    Ok(())
}

/// A file next to another, which is removed if it gets no name. `is_new`: it is as open as any new file, and else its
/// owner's only, until it is complete.
fn next_to(target: &Path, is_new: bool) -> io::Result<NamedTempFile> {
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    // A name has at most 255 bytes on most disks, and a character up to four.
    let prefix: String = [".", &name].concat().chars().take(32).chain(['.']).collect();
    let mut builder = Builder::new();
    builder.prefix(&prefix).suffix(".new");
    #[cfg(unix)]
    if is_new {
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    }
    #[cfg(not(unix))]
    let _ = is_new;
    // A name that nobody knows would help nobody in a message.
    builder.tempfile_in(folder_of(target)).map_err(|error| io::Error::from(error.kind()))
}

/// Checks that a path without links is free, or that of a regular file.
fn expect_file(target: &Path) -> io::Result<()> {
    match fs::symlink_metadata(target) {
        Ok(found) if found.is_dir() => Err(io::Error::from(io::ErrorKind::IsADirectory)),
        Ok(found) if found.is_symlink() => Err(io::Error::other("is a link, through which nothing is written")),
        Ok(found) if !found.is_file() => Err(io::Error::other("is no regular file")),
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Whether the path leads to a stream: a device, a pipe, or what the standard output or the standard error is.
#[must_use]
pub fn is_stream(path: &Path) -> bool {
    let is_device = || path.file_name().is_some_and(|name| is_device_name(&name.to_string_lossy()));
    cfg!(windows) && is_device()
        || fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir())
        || is_stdout(path)
        || is_of(path, Handle::stderr())
}

/// Opens the stream that a path leads to, for writing. None if it is none.
///
/// # Errors
/// If it cannot be written.
pub fn stream(path: &Path) -> io::Result<Option<Box<dyn Write>>> {
    if !is_stream(path) {
        return Ok(None);
    }
    // To open its name again would begin at the start of the file.
    Ok(Some(if is_stdout(path) {
        Box::new(io::stdout())
    } else if is_of(path, Handle::stderr()) {
        Box::new(io::stderr())
    } else {
        Box::new(File::options().write(true).open(path)?)
    }))
}

/// Whether a path leads to the regular file that the standard output is.
#[must_use]
pub fn is_stdout(path: &Path) -> bool {
    is_of(path, Handle::stdout())
}

fn is_of(path: &Path, open: io::Result<Handle>) -> bool {
    open.is_ok_and(|open| {
        is_file(&open) && fs::metadata(path).is_ok_and(|found| found.is_file()) && {
            Handle::from_path(path).is_ok_and(|found| found == open)
        }
    })
}

fn is_file(open: &Handle) -> bool {
    open.as_file().metadata().is_ok_and(|found| found.is_file())
}

/// The file that a path leads to, as a path without links. It need not exist.
pub(crate) fn place(path: &Path) -> io::Result<PathBuf> {
    let (target, folder) = (resolve(path)?, resolve(folder_of(path))?);
    if target.is_dir() {
        return Err(io::Error::from(io::ErrorKind::IsADirectory));
    }
    // `/dev/fd/3` or `/proc/self/fd/3`: whoever opened it goes on writing to the old file.
    if ["/dev", "/proc"].iter().any(|of| folder.starts_with(of)) && !target.starts_with(&folder) {
        return Err(io::Error::other("is a file that is open already: name the file itself"));
    }
    Ok(target)
}

/// The same path without links, `.` and `..`. The path, or a directory in it, need not exist.
///
/// # Errors
/// If links form a circle, or the path names nothing.
pub fn resolve(path: &Path) -> io::Result<PathBuf> {
    resolve_within(path, MAX_LINKS)
}

fn resolve_within(path: &Path, links: u32) -> io::Result<PathBuf> {
    if let Ok(found) = path.canonicalize() {
        return Ok(found);
    }
    let parent = folder_of(path);
    if let Ok(target) = fs::read_link(path) {
        let links = links.checked_sub(1).ok_or_else(|| io::Error::other("too many links lead to each other"))?;
        return resolve_within(&parent.join(target), links);
    }
    match path.components().next_back() {
        Some(Component::Normal(name)) => Ok(resolve_within(parent, links)?.join(name)),
        Some(Component::ParentDir) => Ok(folder_of(&resolve_within(parent, links)?).to_owned()),
        _ => Err(io::Error::from(io::ErrorKind::NotFound)),
    }
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}
