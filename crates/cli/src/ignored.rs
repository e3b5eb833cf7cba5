//! What git ignores in a directory that is walked.
//!
//! Invariant: the files that say so are a stranger's, so what is read of them is bounded, and only regular files are
//! opened. If one cannot be used, nothing in its directory is looked at. The index is not read: a file that git tracks
//! although a pattern matches it counts as ignored.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::text::name_of;

/// The bytes of all files with patterns that count at a time. Our choice: ten times those of large repositories.
const MAX_BYTES: usize = 1 << 18;

/// The patterns that count where the walk is.
pub(crate) struct Ignored {
    /// The directory that is walked, without links.
    base: PathBuf,
    /// From the outermost directory. The first is a repository's; outside of one there is none.
    levels: Vec<Level>,
}

/// The patterns of a directory.
struct Level {
    /// Its depth below the base; 0 for those above as well.
    depth: usize,
    /// Later ones decide first.
    rules: Vec<Gitignore>,
    is_repository: bool,
    bytes: usize,
}

impl Ignored {
    /// The patterns for a directory: its own, and those of the directories above it in its repository.
    pub(crate) fn above(folder: &Path) -> Result<Self, String> {
        let base = folder.canonicalize().map_err(|error| format!("{}: {error}", name_of(folder)))?;
        let mut ignored = Self { base: base.clone(), levels: Vec::new() };
        if let Some(top) = base.ancestors().find(|folder| is_repository(folder)) {
            let inside: Vec<&Path> = base.ancestors().take_while(|folder| folder.starts_with(top)).collect();
            inside.into_iter().rev().try_for_each(|folder| ignored.add(folder, 0))?;
        }
        Ok(ignored)
    }

    /// Whether git ignores this, which is below the base. Its directory has been entered.
    pub(crate) fn has(&mut self, below: &Path, is_folder: bool) -> bool {
        let depth = below.components().count();
        self.levels.truncate(self.levels.partition_point(|level| level.depth < depth));
        let path = self.base.join(below);
        for level in self.levels.iter().rev() {
            for rules in level.rules.iter().rev() {
                match rules.matched(&path, is_folder) {
                    Match::Ignore(_) => return true,
                    Match::Whitelist(_) => return false,
                    Match::None => {}
                }
            }
            if level.is_repository {
                return false;
            }
        }
        false
    }

    /// Adds the patterns of a directory below the base, which is entered next.
    pub(crate) fn enter(&mut self, below: &Path) -> Result<(), String> {
        self.add(&self.base.join(below), below.components().count())
    }

    fn add(&mut self, folder: &Path, depth: usize) -> Result<(), String> {
        let is_repository = is_repository(folder);
        if !is_repository && self.levels.is_empty() {
            return Ok(());
        }
        let mut level = Level { depth, rules: Vec::new(), is_repository, bytes: 0 };
        if is_repository {
            // The user's own patterns.
            level.rules.push(GitignoreBuilder::new(folder).build_global().0);
        }
        let used: usize = self.levels.iter().map(|level| level.bytes).sum();
        let exclude = if is_repository { exclude_of(folder) } else { None };
        for file in exclude.into_iter().chain([folder.join(".gitignore")]) {
            let unused = |why: &dyn std::fmt::Display| {
                format!("{}: {why}; nothing in {} is looked at", name_of(&file), name_of(folder))
            };
            let left = MAX_BYTES.saturating_sub(used).saturating_sub(level.bytes);
            let Some(text) = bounded(&file, left).map_err(|error| unused(&error))? else { continue };
            level.bytes = level.bytes.saturating_add(text.len());
            let mut rules = GitignoreBuilder::new(folder);
            for line in text.strip_prefix('\u{feff}').unwrap_or(&text).lines() {
                // Git takes a pattern that is none for one that matches nothing.
                let _ = rules.add_line(None, line);
            }
            level.rules.push(rules.build().map_err(|error| unused(&error))?);
        }
        self.levels.push(level);
        Ok(())
    }
}

fn is_repository(folder: &Path) -> bool {
    folder.join(".git").symlink_metadata().is_ok()
}

/// The patterns of a repository that are not in it. A second work tree has them in the first one.
fn exclude_of(folder: &Path) -> Option<PathBuf> {
    let mut git = folder.join(".git");
    if git.is_file() {
        let said = |file: &Path| bounded(file, MAX_BYTES).ok().flatten();
        let place = said(&git)?;
        git = folder.join(place.strip_prefix("gitdir:")?.trim());
        if let Some(common) = said(&git.join("commondir")) {
            git.push(common.trim());
        }
    }
    Some(git.join("info/exclude"))
}

/// The text of a regular file of at most this many bytes. None if there is none. Git follows no link here, either.
fn bounded(path: &Path, most: usize) -> io::Result<Option<String>> {
    if !fs::symlink_metadata(path).is_ok_and(|found| found.is_file()) {
        return Ok(None);
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(u64::try_from(most).unwrap_or(u64::MAX).saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() > most {
        return Err(io::Error::other(format!("more than {MAX_BYTES} bytes of patterns, with those above it")));
    }
    Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
}
