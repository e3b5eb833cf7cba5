//! Keeps what a command reads apart from what it writes.
//!
//! Invariant: a path counts as the file that it leads to, by any name, link or redirection. No pipe is opened.

use std::collections::HashMap;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use robosieve_printable::name_of;
use same_file::Handle;

use super::{is_file, resolve};

/// What a command reads and writes. Devices and pipes may be both.
///
/// ```
/// use std::path::Path;
/// use robosieve_batch::files::Apart;
///
/// let mut apart = Apart::default();
/// apart.reads(Path::new("src"));
/// apart.writes(Path::new("src/new.txt"));
/// assert!(apart.check().unwrap_err().to_string().contains("inside the input src"));
/// ```
#[derive(Debug, Default)]
pub struct Apart {
    read: Vec<PathBuf>,
    reads_stdin: bool,
    written: Vec<Place>,
}

/// Where something is read or written.
#[derive(Debug)]
struct Place {
    /// As the caller says it, printable.
    name: String,
    /// Without links. None if it is a device or a pipe, or known as a file only.
    path: Option<PathBuf>,
    /// The file, if it is there: it can have several paths.
    file: Option<Handle>,
    is_folder: bool,
}

impl Place {
    fn of(path: &Path) -> Self {
        let is_folder = fs::metadata(path).is_ok_and(|found| found.is_dir());
        Self { is_folder, ..Self::of_file(path) }
    }

    fn of_file(path: &Path) -> Self {
        let found = fs::metadata(path).ok();
        let is_file = found.as_ref().is_some_and(fs::Metadata::is_file);
        let is_stream = found.is_some_and(|found| !is_file && !found.is_dir());
        let file = if is_file { Handle::from_path(path).ok() } else { None };
        let path_without_links = if is_stream { None } else { resolve(path).ok() };
        Self { name: name_of(path), path: path_without_links, file, is_folder: false }
    }

    fn of_stream(name: &str, open: std::io::Result<Handle>) -> Self {
        Self { name: name.into(), path: None, file: open.ok().filter(is_file), is_folder: false }
    }

    fn is(&self, other: &Self) -> bool {
        self.file.is_some() && self.file == other.file || self.path.is_some() && self.path == other.path
    }

    /// Whether the other one is below it.
    fn holds(&self, other: &Self) -> bool {
        let pair = self.path.as_ref().zip(other.path.as_ref());
        self.is_folder && pair.is_some_and(|(folder, path)| path.starts_with(folder))
    }

    /// Whether what was found may be this file: nothing is opened.
    #[cfg(all(unix, feature = "archives"))]
    fn may_be(&self, found: &fs::Metadata) -> bool {
        use std::os::unix::fs::MetadataExt as _;
        self.file.as_ref().is_some_and(|file| file.ino() == found.ino())
    }

    #[cfg(all(not(unix), feature = "archives"))]
    const fn may_be(&self, _: &fs::Metadata) -> bool {
        self.file.is_some()
    }
}

/// Two places that must not be the same are, or one is inside the other. The message says what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clash(String);

impl Clash {
    fn new(written: &Place, read: &Place) -> Option<Self> {
        let (output, input) = (&written.name, &read.name);
        let message = if written.is(read) {
            format!("{output} is the input {input} and would be replaced: write to another file or directory")
        } else if read.holds(written) {
            format!("{output} is inside the input {input}, where it would be read: write to a place outside")
        } else if written.holds(read) {
            format!("the input {input} is inside {output}, where it could be replaced: write to another directory")
        } else {
            return None;
        };
        Some(Self(message))
    }

    /// With a message that was made before.
    #[cfg(feature = "archives")]
    pub(crate) fn of_message(message: &str) -> Self {
        Self(message.into())
    }
}

impl fmt::Display for Clash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Clash {}

impl Apart {
    /// A file that is read, or a directory with all that is in it.
    pub fn reads(&mut self, path: &Path) {
        self.read.push(path.to_owned());
    }

    /// The standard input is read.
    pub const fn reads_stdin(&mut self) {
        self.reads_stdin = true;
    }

    /// A file that is written.
    pub fn writes(&mut self, path: &Path) {
        // A directory cannot be written as a file, which is another error.
        self.written.push(Place::of_file(path));
    }

    /// A file that is written while the command runs, and whose name the caller did not choose.
    pub fn writes_aside(&mut self, path: &Path) {
        let place = Place::of_file(path);
        self.written.push(Place { name: format!("{}, which this run needs,", place.name), ..place });
    }

    /// A directory in which files are written by names that are not known yet.
    pub fn writes_folder(&mut self, path: &Path) {
        let found = resolve(path).ok();
        self.written.push(Place { name: name_of(path), path: found, file: None, is_folder: true });
    }

    /// The standard output is written.
    pub fn writes_stdout(&mut self) {
        self.written.push(Place::of_stream("the standard output", Handle::stdout()));
    }

    /// Checks that nothing is written that is read, or twice.
    ///
    /// # Errors
    /// The first two places that are not apart.
    pub fn check(&self) -> Result<(), Clash> {
        let (mut by_file, mut by_path) = (HashMap::new(), HashMap::new());
        for written in &self.written {
            let by_file = written.file.as_ref().and_then(|file| by_file.insert(file, written));
            let by_path = written.path.as_ref().and_then(|path| by_path.insert(path, written));
            if let Some(other) = by_file.or(by_path) {
                let (one, other) = (&other.name, &written.name);
                return Err(Clash(format!("{one} and {other} are the same file: choose two different files")));
            }
        }
        let folders: Vec<&Place> = self.written.iter().filter(|written| written.is_folder).collect();
        let stdin = self.reads_stdin.then(|| Place::of_stream("-", Handle::stdin()));
        for read in stdin.into_iter().chain(self.read.iter().map(|path| Place::of(path))) {
            let same = read.file.as_ref().and_then(|file| by_file.get(file));
            let same = same.or_else(|| read.path.as_ref().and_then(|path| by_path.get(path)));
            // A folder may hold any of them.
            let all: &[Place] = if read.is_folder { &self.written } else { &[] };
            let mut likely = same.into_iter().chain(&folders).copied().chain(all);
            if let Some(clash) = likely.find_map(|written| Clash::new(written, &read)) {
                return Err(clash);
            }
        }
        Ok(())
    }

    /// Checks that one more file or directory can be read, and forgets it again.
    ///
    /// # Errors
    /// If it is also written.
    pub fn check_read(&self, path: &Path) -> Result<(), Clash> {
        // A list can have millions of names, also of what is not there.
        let is_likely = |written: &Place| {
            let name = written.path.as_ref().and_then(|path| path.file_name());
            written.is_folder || name == path.file_name()
        };
        if fs::symlink_metadata(path).is_err() && !self.written.iter().any(is_likely) {
            return Ok(());
        }
        self.check_place(&Place::of(path))
    }

    /// Checks that a file of a directory that is read is not written under another name.
    ///
    /// # Errors
    /// If it is.
    #[cfg(feature = "archives")]
    pub(crate) fn check_identity(&self, path: &Path) -> Result<(), Clash> {
        if self.written.iter().all(|written| written.file.is_none()) {
            return Ok(());
        }
        let Ok(found) = fs::metadata(path) else { return Ok(()) };
        if self.written.iter().any(|written| written.may_be(&found)) {
            return self.check_place(&Place { path: None, ..Place::of_file(path) });
        }
        Ok(())
    }

    fn check_place(&self, read: &Place) -> Result<(), Clash> {
        self.written.iter().find_map(|written| Clash::new(written, read)).map_or(Ok(()), Err)
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

    /// [batch.output]
    #[test]
    fn places_are_apart_by_any_name() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let path = |name: &str| folder.path().join(name);
        fs::create_dir_all(path("in/sub"))?;
        fs::write(path("in/a.txt"), "")?;
        fs::write(path("b.txt"), "")?;
        fs::hard_link(path("b.txt"), path("hard.txt"))?;
        let clash = |read: &str, written: &str| {
            let mut apart = Apart::default();
            apart.reads(&path(read));
            apart.writes(&path(written));
            apart.check().err().map(|clash| clash.to_string())
        };
        for (read, written, word) in [
            ("b.txt", "b.txt", "is the input"),
            ("b.txt", "in/../b.txt", "is the input"),
            ("b.txt", "hard.txt", "is the input"),
            ("new.txt", "in/sub/../../new.txt", "is the input"),
            ("in", "in/a.txt", "is inside the input"),
            ("in", "in/sub/new.txt", "is inside the input"),
            ("in/sub", "in/sub/no/such/new.txt", "is inside the input"),
        ] {
            assert!(clash(read, written).is_some_and(|found| found.contains(word)), "{read} {written}");
        }
        for (read, written) in [("b.txt", "c.txt"), ("in/sub", "in/a.txt"), ("in", "in.txt"), ("in/a.txt", "in/b.txt")]
        {
            assert_eq!(clash(read, written), None, "{read} {written}");
        }
        let mut apart = Apart::default();
        apart.writes_folder(&path("in"));
        assert!(apart.check_read(&path("in/a.txt")).is_err() && apart.check_read(&path("b.txt")).is_ok());
        apart.writes(&path("b.txt"));
        apart.writes_aside(&path("hard.txt"));
        assert!(apart.check().is_err_and(|clash| clash.to_string().contains("are the same file")));
        Ok(())
    }
}
