//! The files of a directory: those called robots.txt, or of the names that were asked for.
//!
//! Invariant: they come by name. No directory is entered through a link, so the walk ends. What is hidden and what git
//! ignores is left out, unless a crawl is read, of which all files count.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;

use clap::Args;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use walkdir::WalkDir;

use crate::exit::Failure;
use crate::ignored::Ignored;
use crate::input;
use crate::text::name_of;

/// The name of the file at a site: RFC 9309 2.3, in lower case.
const NAME: &str = "robots.txt";

// Which files of a directory are looked at. A doc comment would be the command's.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct NameArgs {
    /// In a directory, look at the files of these names instead of those called robots.txt: a pattern as in .gitignore,
    /// such as `'*.txt'`; may be repeated
    #[arg(long = "files", value_name = "GLOB")]
    globs: Vec<String>,
}

impl NameArgs {
    pub(crate) fn wanted(&self) -> Result<Wanted, Failure> {
        let mut names = GitignoreBuilder::new("");
        for glob in &self.globs {
            names.add_line(None, glob).map_err(|error| Failure::Usage(format!("--files: {error}")))?;
        }
        if self.globs.is_empty() {
            return Ok(Wanted::RobotsTxt);
        }
        let names = names.build().map_err(|error| Failure::Usage(format!("--files: {error}")))?;
        if names.num_ignores() == 0 {
            return Err(Failure::Usage("--files: no file has such a name: write a pattern such as '*.txt'".into()));
        }
        Ok(Wanted::Matching(names))
    }
}

/// Which files of a directory are looked at.
#[derive(Debug)]
pub(crate) enum Wanted {
    /// All of them, also hidden ones: a crawl was written by a program.
    #[cfg(feature = "batch")]
    All,
    /// Those called robots.txt.
    RobotsTxt,
    /// Those that a pattern matches.
    Matching(Gitignore),
}

impl Wanted {
    /// Whether it is all, as of a crawl.
    const fn is_all(&self) -> bool {
        !matches!(self, Self::RobotsTxt | Self::Matching(_))
    }

    /// Whether a file is looked at. `below` is its path in the directory.
    fn has(&self, below: &Path) -> bool {
        match self {
            #[cfg(feature = "batch")]
            Self::All => true,
            Self::RobotsTxt => below.file_name().is_some_and(|name| name == NAME),
            Self::Matching(names) => names.matched(below, false).is_ignore(),
        }
    }

    /// The error for directories without such a file: probably the name is another one's.
    pub(crate) fn none_in(&self, folders: &[&Path]) -> String {
        let which = if let Self::Matching(_) = self {
            "of a name that --files gives"
        } else {
            "called robots.txt, and --files GLOB looks for other names, such as --files '*.txt'"
        };
        format!(
            "{}: there is no file {which}; hidden directories, and what git ignores, are not looked at: nothing was read",
            folders.iter().map(|folder| name_of(folder)).collect::<Vec<_>>().join(", ")
        )
    }
}

/// Calls `each` with a file; or with each file of a directory, or with a message about what cannot be read. A directory
/// without a file that is wanted is such a message.
pub(crate) fn each(
    path: &Path,
    wanted: &Wanted,
    mut each: impl FnMut(Result<&Path, String>) -> Result<(), Failure>,
) -> Result<(), Failure> {
    if input::is_stdin(path) || !path.is_dir() {
        return each(Ok(path));
    }
    let mut is_none = true;
    in_folder(path, wanted, |found| {
        is_none = false;
        each(found)
    })?;
    if is_none && !wanted.is_all() { each(Err(wanted.none_in(&[path]))) } else { Ok(()) }
}

/// Calls `each` with each file of a directory, or with a message.
pub(crate) fn in_folder(
    path: &Path,
    wanted: &Wanted,
    mut each: impl FnMut(Result<&Path, String>) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut ignored = None;
    if !wanted.is_all() {
        match Ignored::above(path) {
            Ok(found) => ignored = Some(found),
            Err(message) => return each(Err(message)),
        }
    }
    let mut walk = WalkDir::new(path).follow_root_links(true).sort_by_file_name().into_iter();
    while let Some(entry) = walk.next() {
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => {
                let name = error.path().map(name_of).unwrap_or_default();
                each(Err(format!("{name}: cannot be listed; check that you may read it")))?;
                continue;
            }
        };
        let below = entry.path().strip_prefix(path).unwrap_or(entry.path());
        let is_folder = entry.file_type().is_dir();
        if entry.depth() == 0 || !is_folder && !wanted.has(below) {
            continue;
        }
        if let Some(ignored) = &mut ignored {
            if is_hidden(entry.file_name()) || ignored.has(below, is_folder) {
                if is_folder {
                    walk.skip_current_dir();
                }
                continue;
            }
            if is_folder && let Err(message) = ignored.enter(below) {
                each(Err(message))?;
                walk.skip_current_dir();
            }
        }
        if is_folder {
            continue;
        }
        // A link counts as what it leads to, but no directory is entered through one. A pipe would never end. One that
        // leads nowhere is reported when it is read.
        match fs::metadata(entry.path()) {
            Ok(found) if found.is_dir() => {}
            Ok(found) if !found.is_file() => {
                each(Err(format!("{}: is not a file that can be read", name_of(entry.path()))))?;
            }
            _ => each(Ok(entry.path()))?,
        }
    }
    Ok(())
}

fn is_hidden(name: &OsStr) -> bool {
    name.as_encoded_bytes().first() == Some(&b'.')
}
