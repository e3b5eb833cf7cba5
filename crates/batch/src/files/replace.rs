//! Replaces files: whole, and as their owner's.
//!
//! Invariant: owner, group, mode, attributes and names of a file stay. Where they can, a reader of the file sees the old
//! content or the new content, never a part. Else the file is written in place, while a whole copy lies next to it.

use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use super::aside::{Aside, is_aside, sweep};
use super::keep::keep;
use super::{resolve, stream};

/// The end of the name of a copy, while the file is written in place.
const COPY: &str = ".before.robosieve";

/// Replaces the content of the file, or creates the file. A link stays one: the file that it leads to is replaced. The
/// owner, the group, the mode (without set-user-id and set-group-id), and on Linux and macOS the attributes of the file
/// stay too. If that is not allowed, or if the file has several names, it is written in place: an error, and also a
/// kill, leaves either the file as it was, or a copy of it next to it. A stream is written to.
///
/// # Errors
/// If the path is a directory, or the file or its directory cannot be written.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if let Some(mut stream) = stream(path)? {
        return stream.write_all(bytes).and_then(|()| stream.flush());
    }
    if path.is_dir() {
        return Err(io::Error::from(io::ErrorKind::IsADirectory));
    }
    // Also a link that leads to no file yet.
    let target = resolve(path)?;
    let folder = folder_of(&target);
    sweep_once(folder);
    put(folder, &target, bytes, true)
}

/// The same for a file of a folder that is filled: nothing is written through a link, or to a stream.
///
/// # Errors
/// As for [`replace`], and if something that is no file has that name.
pub fn replace_in(folder: &Path, name: &OsStr, bytes: &[u8]) -> io::Result<()> {
    if name.to_str().is_some_and(is_aside) {
        return Err(io::Error::other("files that are not complete yet have such names"));
    }
    let folder = folder.canonicalize()?;
    sweep_once(&folder);
    put(&folder, &folder.join(name), bytes, true)
}

/// A path without links, by a file in `folder`. `is_synced`: also if the machine stops.
pub(super) fn put(folder: &Path, target: &Path, bytes: &[u8], is_synced: bool) -> io::Result<()> {
    let old = found_at(target)?;
    let mut aside = Aside::new(folder, old.is_some())?;
    aside.write(bytes)?;
    if is_synced {
        aside.file().sync_all()?;
    }
    match old {
        Some(old) if !keep(target, &old, aside.file())? => {
            drop(aside);
            in_place(target, bytes)
        }
        _ => aside.rename(target),
    }
}

/// Gives a complete file its name, as [`replace`] does. If its content must be copied, it stays too: it is what a kill
/// leaves.
#[cfg(feature = "archives")]
pub(crate) fn give(complete: &Path, path: &Path) -> io::Result<()> {
    let mut new = File::open(complete)?;
    let target = resolve(path)?;
    let old = found_at(&target)?;
    let may_replace = |new: &File| old.as_ref().map_or(Ok(true), |old| keep(&target, old, new));
    if !may_replace(&new)? {
        return overwrite(&open(&target)?, &mut new);
    }
    match fs::rename(complete, &target) {
        // A link leads to another disk.
        Err(error) if error.kind() == io::ErrorKind::CrossesDevices => {
            let aside = Aside::new(folder_of(&target), old.is_some())?;
            io::copy(&mut new, &mut aside.file())?;
            aside.file().sync_all()?;
            may_replace(aside.file())?;
            aside.rename(&target)
        }
        done => done,
    }
}

/// Many files in a row are in one folder.
fn sweep_once(folder: &Path) {
    static SWEPT: Mutex<Option<PathBuf>> = Mutex::new(None);
    if let Ok(mut swept) = SWEPT.lock()
        && swept.as_deref() != Some(folder)
    {
        sweep(folder);
        *swept = Some(folder.to_owned());
    }
}

fn folder_of(target: &Path) -> &Path {
    target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// The regular file at a path without links.
fn found_at(target: &Path) -> io::Result<Option<fs::Metadata>> {
    match fs::symlink_metadata(target) {
        Ok(found) if found.is_dir() => Err(io::Error::from(io::ErrorKind::IsADirectory)),
        Ok(found) if found.is_file() => Ok(Some(found)),
        Ok(found) if found.is_symlink() => Err(io::Error::other("is a link, through which nothing is written")),
        Ok(_) => Err(io::Error::other("is no file")),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Writes a file where it is. A whole copy of the old content lies next to it meanwhile, and stays if this run is
/// killed.
fn in_place(target: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut name = target.file_name().unwrap_or_default().to_owned();
    name.push(COPY);
    let copy = target.with_file_name(name);
    let named = || robosieve::printable::name_of(&copy);
    if fs::symlink_metadata(&copy).is_ok() {
        return Err(io::Error::other(format!(
            "not written: a run that wrote it was killed, or still runs, and {} has all of the file as it was before; \
             compare both, and remove that one",
            named()
        )));
    }
    let file = open(target)?;
    let aside = Aside::new(folder_of(target), true)?;
    io::copy(&mut &file, &mut aside.file())?;
    aside.file().sync_all()?;
    let mut old = File::open(aside.path())?;
    aside.rename_to_new(&copy)?;
    #[cfg(unix)]
    // The name too must be on the disk. Where a folder cannot be synced, a kill is survived all the same.
    let _ = File::open(folder_of(target)).and_then(|folder| folder.sync_all());
    if let Err(error) = overwrite(&file, &mut io::Cursor::new(bytes)) {
        return match overwrite(&file, &mut old) {
            Ok(()) => fs::remove_file(&copy).and(Err(error)),
            Err(_) => Err(io::Error::other(format!("{error}; {} has all of the file as it was before", named()))),
        };
    }
    fs::remove_file(&copy)
}

/// Opens a file to write it in place. A link may have come in its place.
fn open(target: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, rustix::fs::OFlags::NOFOLLOW.bits().cast_signed());
    options.read(true).write(true).open(target)
}

/// Writes all of `new` over a file. What is longer comes first, so that a full disk changes nothing.
fn overwrite(file: &File, new: &mut (impl io::Read + Seek)) -> io::Result<()> {
    let mut file = file;
    let (before, after) = (file.metadata()?.len(), new.seek(SeekFrom::End(0))?);
    let mut longer = || {
        new.seek(SeekFrom::Start(before))?;
        file.seek(SeekFrom::Start(before))?;
        io::copy(new, &mut file)?;
        file.sync_all()
    };
    if after > before
        && let Err(error) = longer()
    {
        return file.set_len(before).and(Err(error));
    }
    new.rewind()?;
    file.rewind()?;
    io::copy(&mut new.take(before), &mut file)?;
    file.set_len(after)?;
    file.sync_all()
}
