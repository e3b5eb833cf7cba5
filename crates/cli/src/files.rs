//! The files of a directory.
//!
//! Invariant: they come by name. Links to directories are not followed, so the walk ends.

use std::path::{Path, PathBuf};

use walkdir::WalkDir;

use crate::exit::{self, Code, Failure};
use crate::input;
use crate::text::name_of;

/// All files of the arguments. What cannot be read is reported.
pub(crate) fn all(paths: &[PathBuf]) -> (Vec<PathBuf>, Code) {
    let (mut files, mut code) = (Vec::new(), Code::Fine);
    for path in paths {
        // It fails only if what it calls does.
        let _ = each(path, |found| {
            match found {
                Ok(file) => files.push(file.to_owned()),
                Err(message) => {
                    exit::tell(&message);
                    code = Code::Failed.known();
                }
            }
            Ok(())
        });
    }
    (files, code)
}

/// The error for directories without a file: probably the name is another one's.
pub(crate) fn none_in(paths: &[PathBuf]) -> Failure {
    let names: Vec<String> = paths.iter().map(|path| name_of(path)).collect();
    Failure::Io(format!("{}: there is no file: nothing was answered; check the path", names.join(", ")))
}

/// Calls `each` with a file; or with each file of a directory, or with a message about what cannot be read.
pub(crate) fn each(
    path: &Path,
    mut each: impl FnMut(Result<&Path, String>) -> Result<(), Failure>,
) -> Result<(), Failure> {
    if input::is_stdin(path) || !path.is_dir() {
        return each(Ok(path));
    }
    for entry in WalkDir::new(path).follow_root_links(true).sort_by_file_name() {
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => {
                let name = error.path().map(name_of).unwrap_or_default();
                each(Err(format!("{name}: cannot be listed; check that you may read it")))?;
                continue;
            }
        };
        let path = entry.path();
        // A link counts as what it leads to, but no directory is entered through one.
        if entry.file_type().is_dir() || entry.path_is_symlink() && path.is_dir() {
            continue;
        }
        if path.is_file() || entry.path_is_symlink() {
            each(Ok(path))?;
        } else {
            each(Err(format!("{}: is not a file that can be read", name_of(path))))?;
        }
    }
    Ok(())
}
