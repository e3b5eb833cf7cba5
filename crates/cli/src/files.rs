//! The files of a directory: those called robots.txt, or of the names that were asked for.
//!
//! Invariant: they come by name. No directory is entered through a link, so the walk ends. What is hidden and what a
//! .gitignore ignores is left out, unless a crawl is read, of which all files count. A .gitignore is a stranger's: of
//! those that count at a time a bounded number of bytes is read, and only regular files are opened. If one cannot be
//! used, nothing in its directory is looked at, and that is said.

use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use clap::Args;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use ignore::{DirEntry, WalkBuilder};

use crate::exit::{Code, Failure};
use crate::input;
use crate::text::{escape, name_of};

/// The bytes of all .gitignore files that count at a time. Our choice: ten times those of large repositories.
const MAX_PATTERNS: u64 = 1 << 18;

/// The depth at which directories are still entered. Our choice.
const MAX_DEPTH: usize = 100;

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
            return Ok(Wanted(None));
        }
        let names = names.build().map_err(|error| Failure::Usage(format!("--files: {error}")))?;
        if names.num_ignores() == 0 {
            return Err(Failure::Usage("--files: no file has such a name: write a pattern such as '*.txt'".into()));
        }
        Ok(Wanted(Some(names)))
    }
}

/// Which files of a directory are looked at: those that a pattern matches, or else those called robots.txt.
#[derive(Debug)]
pub(crate) struct Wanted(Option<Gitignore>);

impl Wanted {
    /// Whether a file is looked at. `below` is its path in the directory.
    fn has(&self, below: &Path) -> bool {
        match &self.0 {
            Some(names) => names.matched(below, false).is_ignore(),
            None => below.file_name().is_some_and(|name| name == NAME),
        }
    }

    /// The error for directories without such a file: probably the name is another one's.
    pub(crate) fn none_in(&self, folders: &[&Path]) -> Failure {
        let which = if self.0.is_some() {
            "of a name that --files gives"
        } else {
            "called robots.txt, and --files GLOB looks for other names, such as --files '*.txt'"
        };
        Failure::Io(format!(
            "{}: there is no file {which}; hidden directories, and what git ignores, are not looked at: nothing was read",
            folders.iter().map(|folder| name_of(folder)).collect::<Vec<_>>().join(", ")
        ))
    }
}

/// Calls `each` with a file, or with each file of a directory, and combines their results. A directory without a file
/// that is wanted is a failure.
pub(crate) fn each(
    path: &Path,
    wanted: &Wanted,
    mut each: impl FnMut(&Path) -> Result<Code, Failure>,
) -> Result<Code, Failure> {
    if input::is_stdin(path) || !path.is_dir() {
        return Code::Fine.after(each(path));
    }
    let mut is_none = true;
    let code = in_folder(path, wanted, |file| {
        is_none = false;
        each(file)
    })?;
    if is_none && code == Code::Fine { code.after(Err(wanted.none_in(&[path]))) } else { Ok(code) }
}

/// The same for the files of a directory, of which there may be none. What cannot be read is reported.
pub(crate) fn in_folder(
    path: &Path,
    wanted: &Wanted,
    mut each: impl FnMut(&Path) -> Result<Code, Failure>,
) -> Result<Code, Failure> {
    let mut walk = WalkBuilder::new(path);
    walk.standard_filters(false).max_depth(Some(MAX_DEPTH)).sort_by_file_name(Ord::cmp);
    let left_out = Arc::new(Mutex::new(Vec::new()));
    if let Err(refused) = expect_few_patterns(path) {
        return Code::Fine.after(Err(refused));
    }
    // Patterns never make a hidden directory a wanted one, so it is the filter that looks for them.
    let said = Arc::clone(&left_out);
    walk.git_ignore(true).git_global(true).parents(true).filter_entry(move |entry| {
        let refused = if is_folder(entry) { expect_few_patterns(entry.path()).err() } else { None };
        let is_taken = refused.is_none() && entry.file_name().as_encoded_bytes().first() != Some(&b'.');
        said.lock().unwrap_or_else(PoisonError::into_inner).extend(refused);
        is_taken
    });
    // Reports what the walk has left out since the last call.
    let with_left_out = |code: Code| {
        let refused = std::mem::take(&mut *left_out.lock().unwrap_or_else(PoisonError::into_inner));
        refused.into_iter().try_fold(code, |code, refused| code.after(Err(refused)))
    };
    let mut code = Code::Fine;
    for entry in walk.build() {
        code = with_left_out(code)?;
        code = code.after(match entry {
            Ok(entry) => wanted_file(&entry, path, wanted).and_then(|file| file.map_or(Ok(Code::Fine), &mut each)),
            Err(error) => {
                Err(Failure::Io(format!("{}; check that you may read it", escape(error.to_string().as_bytes()))))
            }
        })?;
    }
    with_left_out(code)
}

/// What an entry of a directory leads to, if that is a file that is wanted. A link counts as what it leads to, but no
/// directory is entered through one. A pipe would never end. What leads nowhere is reported when it is read.
fn wanted_file<'e>(entry: &'e DirEntry, folder: &Path, wanted: &Wanted) -> Result<Option<&'e Path>, Failure> {
    let path = entry.path();
    if is_folder(entry) {
        if entry.depth() == MAX_DEPTH {
            let name = name_of(path);
            return Err(Failure::Io(format!("{name}: is below {MAX_DEPTH} directories; nothing in it is looked at")));
        }
        return Ok(None);
    }
    if !wanted.has(path.strip_prefix(folder).unwrap_or(path)) {
        return Ok(None);
    }
    match fs::metadata(path) {
        Ok(found) if found.is_dir() => Ok(None),
        Ok(found) if !found.is_file() => Err(no_file(path)),
        _ => Ok(Some(path)),
    }
}

/// Whether a directory would be entered. The one that was named may be a link.
fn is_folder(entry: &DirEntry) -> bool {
    entry.file_type().is_some_and(|kind| kind.is_dir()) || entry.depth() == 0
}

/// What is said of a pipe, a device or a socket in place of a file that a list or a directory names.
pub(crate) fn no_file(path: &Path) -> Failure {
    Failure::Io(format!("{}: is not a file that can be read", name_of(path)))
}

/// Refuses a directory if what .gitignore files say of it is too much to read, or one of them is no regular file.
fn expect_few_patterns(folder: &Path) -> Result<(), Failure> {
    let refused = |why: &str| Err(Failure::Io(format!("{}: {why}; nothing in it is looked at", name_of(folder))));
    let Ok(whole) = folder.canonicalize() else { return refused("it cannot be found") };
    // What is above the repository is opened, too, but says nothing of it.
    let (mut bytes, mut is_inside) = (0_u64, true);
    for above in whole.ancestors() {
        if let Ok(found) = fs::metadata(above.join(".gitignore")) {
            if !found.is_file() {
                return refused("its .gitignore, or one above it, is no file");
            }
            bytes = bytes.saturating_add(if is_inside { found.len() } else { 0 });
        }
        is_inside &= fs::symlink_metadata(above.join(".git")).is_err();
    }
    if bytes > MAX_PATTERNS {
        return refused(&format!("its .gitignore, with those above it, has more than {MAX_PATTERNS} bytes"));
    }
    Ok(())
}
