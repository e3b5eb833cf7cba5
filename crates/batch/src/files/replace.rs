//! Replaces files atomically.
//!
//! Invariant: a reader of the file sees the old content or the new content, never a part. A target that is not a
//! regular file (a device, a pipe) is written to and never replaced.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use super::resolve;

/// Replaces the content of the file, or creates the file. A link stays one: the file that it leads to is replaced. The
/// permissions of the file stay too.
///
/// # Errors
/// If the path is a directory, or the file or its directory cannot be written.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    match fs::metadata(path) {
        Ok(found) if found.is_dir() => Err(io::Error::from(io::ErrorKind::IsADirectory)),
        Ok(found) if !found.is_file() => OpenOptions::new().write(true).open(path)?.write_all(bytes),
        Ok(found) => write_aside(&path.canonicalize()?, bytes, Some(found.permissions())),
        // Also a link that leads to no file yet.
        Err(_) => write_aside(&resolve(path)?, bytes, None),
    }
}

/// Writes a new file next to the target and renames it when it is complete. Removes it after a failure.
fn write_aside(target: &Path, bytes: &[u8], permissions: Option<fs::Permissions>) -> io::Result<()> {
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    builder.prefix(".").suffix(".robosieve");
    #[cfg(unix)]
    // As for any new file: the user's mask applies.
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
