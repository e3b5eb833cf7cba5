//! Paths of files that may not exist yet, and writing files.

mod apart;
mod aside;
#[cfg(feature = "archives")]
mod folder;
mod id;
mod keep;
mod replace;
mod stream;

use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

pub use apart::{Apart, Clash};
#[cfg(feature = "archives")]
pub(crate) use folder::{Folder, Unwritten};
pub use id::FileId;
#[cfg(feature = "archives")]
pub(crate) use replace::give;
pub use replace::{replace, replace_in};
pub use stream::{is_stream, stream};

/// How many links in a row are followed, as on Linux.
const MAX_LINKS: u32 = 40;

/// The bytes of a name in a message at most: a name that is made from a URL can have thousands.
#[cfg(feature = "archives")]
pub(crate) const SHOWN: usize = 300;

/// Whether Windows takes the name for a device, whatever suffix follows. Case means nothing.
pub(crate) fn is_device_name(name: &str) -> bool {
    let stem = name.split(['.', ':']).next().unwrap_or_default().trim_end_matches(' ').to_ascii_lowercase();
    let numbered = stem.strip_prefix("com").or_else(|| stem.strip_prefix("lpt")).map(|number| number.chars());
    let is_one = |mut number: std::str::Chars<'_>| {
        number.next().is_some_and(|one| matches!(one, '0'..='9' | '¹' | '²' | '³')) && number.next().is_none()
    };
    ["con", "prn", "aux", "nul", "conin$", "conout$", "clock$"].contains(&stem.as_str()) || numbered.is_some_and(is_one)
}

/// The file that a path leads to, with the same name for all spellings. None if it is never replaced, or if it cannot
/// be determined.
#[must_use]
pub fn place(path: &Path) -> Option<PathBuf> {
    if fs::metadata(path).is_ok_and(|found| !found.is_file()) {
        return None;
    }
    resolve(path).ok()
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

/// The same path without links, `.` and `..`. The path, or a directory in it, need not exist.
///
/// # Errors
/// If links form a circle, or the path names nothing.
pub fn resolve(path: &Path) -> io::Result<PathBuf> {
    resolve_within(path, MAX_LINKS)
}

fn resolve_within(path: &Path, max_links: u32) -> io::Result<PathBuf> {
    // The end of the path, from its last part: None is `..`.
    let (mut path, mut rest) = (path, Vec::new());
    let mut found = loop {
        if let Ok(found) = path.canonicalize() {
            break found;
        }
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        if let Ok(target) = fs::read_link(path) {
            let links =
                max_links.checked_sub(1).ok_or_else(|| io::Error::other("too many links lead to each other"))?;
            break resolve_within(&parent.join(target), links)?;
        }
        rest.push(match path.components().next_back() {
            Some(Component::Normal(name)) => Some(name.to_owned()),
            Some(Component::ParentDir) => None,
            _ => return Err(io::Error::from(io::ErrorKind::NotFound)),
        });
        path = parent;
    };
    for part in rest.into_iter().rev() {
        match part {
            Some(name) => found.push(name),
            None => _ = found.pop(),
        }
    }
    Ok(found)
}
