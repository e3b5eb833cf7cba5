//! `diff` of two directories: files of the same name, in the order of their names.
//!
//! Invariant: each file that is wanted of either directory is compared, or reported as unreadable. A missing file is compared as an
//! empty one, and is a change itself. Memory holds the names of all files, and the bytes of two.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use robosieve_ask::Plan;
use serde::Serialize;

use super::Whose;
use crate::args::DiffArgs;
use crate::exit::{self, Code, Failure};
use crate::files::{self, Wanted};
use crate::input::{self, Input};
use crate::text;

/// A file of either directory.
#[derive(Serialize)]
pub(super) struct File {
    /// Its name below the directories, escaped.
    #[serde(rename = "file")]
    pub(super) name: String,
    state: State,
}

#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
enum State {
    Both,
    Added,
    Gone,
}

impl File {
    /// The line above its changes.
    pub(super) fn heading(&self) -> String {
        let words = match self.state {
            State::Both => "",
            State::Added => " (file added)",
            State::Gone => " (file gone)",
        };
        format!("== {}{words}", self.name)
    }
}

/// The names in both directories.
#[derive(Default)]
struct Names {
    /// Whether the older and the newer directory have it.
    found: BTreeMap<PathBuf, [bool; 2]>,
}

impl Names {
    /// Adds the files of a directory. Reports what cannot be read.
    fn add(&mut self, folder: &Path, side: usize, wanted: &Wanted) -> Result<Code, Failure> {
        files::in_folder(folder, wanted, |path| {
            self.has(path.strip_prefix(folder).unwrap_or(path), side);
            Ok(Code::Fine)
        })
    }

    fn has(&mut self, name: &Path, side: usize) {
        if let Some(is_there) = self.found.entry(name.to_owned()).or_default().get_mut(side) {
            *is_there = true;
        }
    }

    /// Adds what one directory has and leaves out of its walk, but the other names: git ignores it there, for example.
    fn complete(&mut self, folder: &Path, side: usize) {
        let Ok(base) = folder.canonicalize() else { return };
        let missing = self.found.iter().filter(|(_, is_there)| is_there.get(side) == Some(&false));
        let is_there = |name: &&PathBuf| {
            let parent = name.parent().unwrap_or(Path::new(""));
            // Through no link to a directory.
            folder.join(name).is_file()
                && base.join(parent).canonicalize().is_ok_and(|found| found == base.join(parent))
        };
        let found: Vec<PathBuf> = missing.map(|(name, _)| name).filter(is_there).cloned().collect();
        for name in &found {
            self.has(name, side);
        }
    }
}

pub(super) fn run(args: &DiffArgs, whose: &Whose, plan: &Plan, new: &Path) -> Result<Code, Failure> {
    let mut names = Names::default();
    let wanted = args.names.wanted()?;
    let mut code = names.add(&args.old, 0, &wanted)?.and(names.add(new, 1, &wanted)?);
    if names.found.is_empty() && code == Code::Fine {
        return Err(wanted.none_in(&[&args.old, new]));
    }
    names.complete(&args.old, 0);
    names.complete(new, 1);
    let (mut same, mut changed, mut added, mut gone) = (0_u64, 0_u64, 0_u64, 0_u64);
    for (name, is_there) in &names.found {
        code = code.after(compare(args, whose, plan, (name, new), *is_there).map(|(found, state)| {
            let count = match state {
                State::Added => &mut added,
                State::Gone => &mut gone,
                State::Both if found == Code::Fine => &mut same,
                State::Both => &mut changed,
            };
            *count = count.saturating_add(1);
            found
        }))?;
    }
    if !args.quiet {
        exit::tell(&format!("files: {changed} changed, {added} added, {gone} gone, {same} the same"));
    }
    Ok(code)
}

/// Compares two files of the same name, of which one may be missing.
fn compare(
    args: &DiffArgs,
    whose: &Whose,
    plan: &Plan,
    (name, new): (&Path, &Path),
    [has_old, has_new]: [bool; 2],
) -> Result<(Code, State), Failure> {
    let read = |folder: &Path, is_there: bool| {
        let path = folder.join(name);
        // A missing file has no bytes.
        if is_there { input::read(&path, plan.options.limits.max_bytes) } else { Ok(Input::not_to_be_had(&path)) }
    };
    let (old, new) = (read(&args.old, has_old)?, read(new, has_new)?);
    let state = match (has_old, has_new) {
        (false, _) => State::Added,
        (_, false) => State::Gone,
        (true, true) => State::Both,
    };
    if state == State::Both && old.bytes == new.bytes {
        return Ok((Code::Fine, state));
    }
    let compared = whose.compare(args, plan, &old, &new)?;
    let code = if state == State::Both { compared.code() } else { Code::Disallowed }.known();
    if code != Code::Fine {
        compared.print(args, Some(&File { name: text::name_of(name), state }))?;
    }
    Ok((code, state))
}
