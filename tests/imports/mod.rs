//! The modules of a crate, and which of them each one imports, read from its source.
//!
//! Invariant: an import of a name counts as one of the longest path that is a module. Unit tests do not count.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// The modules of a source folder, by their paths, each with its source. The root is `lib`.
pub(crate) fn modules(folder: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    add_modules(folder, "", &mut found);
    found
}

fn add_modules(folder: &Path, name: &str, found: &mut BTreeMap<String, String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let stem = path.file_stem().unwrap().to_str().unwrap();
        let inner = if name.is_empty() { stem.to_owned() } else { format!("{name}::{stem}") };
        if path.is_dir() {
            add_modules(&path, &inner, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let name = if stem == "mod" { name.to_owned() } else { inner };
            found.insert(name, fs::read_to_string(&path).unwrap());
        }
    }
}

/// The paths that a tree of imports has: `a::{b, c::d}` has `a::b` and `a::c::d`.
fn paths(tree: &str) -> Vec<String> {
    let Some((front, inner)) = tree.split_once('{') else { return vec![tree.trim().to_owned()] };
    let inner = inner.trim_end().strip_suffix('}').unwrap();
    let (mut depth, mut parts) = (0, vec![String::new()]);
    for letter in inner.chars() {
        depth += i32::from(letter == '{') - i32::from(letter == '}');
        match letter {
            ',' if depth == 0 => parts.push(String::new()),
            _ => parts.last_mut().unwrap().push(letter),
        }
    }
    let parts = parts.iter().map(|part| part.trim()).filter(|part| !part.is_empty());
    parts.flat_map(|part| paths(&format!("{}{part}", front.trim()))).collect()
}

/// The trees after each `use`, whoever may use the names.
fn trees(code: &str) -> impl Iterator<Item = &str> {
    let is_one = |at: &usize| {
        let front = code[..*at].rsplit('\n').next().unwrap().trim();
        front.is_empty() || front == "pub" || front.starts_with("pub(")
    };
    let uses = code.match_indices("use ").map(|(at, _)| at).filter(is_one);
    uses.filter_map(|at| code[at + "use ".len()..].split(';').next())
}

/// Which imports count.
#[derive(Clone, Copy, PartialEq, Eq)]
#[allow(dead_code, reason = "a test program uses one of them")]
pub(crate) enum Counted {
    /// Those whose path begins at the crate: a module and its own parts are one.
    OfTheCrate,
    /// Those of parts and of the module around, too.
    All,
}

/// The modules that a module imports.
fn imports_of(name: &str, counted: Counted, all: &BTreeMap<String, String>) -> BTreeSet<String> {
    let folder = |name: &str| name.rsplit_once("::").map_or(String::new(), |(folder, _)| folder.to_owned());
    let inside =
        |folder: &str, path: &str| if folder.is_empty() { path.to_owned() } else { format!("{folder}::{path}") };
    let code = all[name].split("\nmod tests {").next().unwrap();
    let imported = trees(code).flat_map(paths).filter_map(|path| {
        let mut path = match path.split_once("::") {
            Some(("crate", rest)) => rest.to_owned(),
            _ if counted == Counted::OfTheCrate => return None,
            Some(("super", rest)) => inside(&folder(name), rest),
            _ => inside(name, &path),
        };
        while !all.contains_key(&path) {
            path.truncate(path.rfind("::")?);
        }
        Some(path)
    });
    imported.filter(|other| other != name).collect()
}

/// The modules that each module imports. The root imports all, and is left out.
pub(crate) fn imports(all: &BTreeMap<String, String>, counted: Counted) -> BTreeMap<String, BTreeSet<String>> {
    all.keys().filter(|name| *name != "lib").map(|name| (name.clone(), imports_of(name, counted, all))).collect()
}

/// The modules that import, by way of others, themselves, and what imports these.
pub(crate) fn circles(mut left: BTreeMap<String, BTreeSet<String>>) -> BTreeMap<String, BTreeSet<String>> {
    // Takes out what imports nothing that is left, until nothing changes.
    loop {
        let names: BTreeSet<String> = left.keys().cloned().collect();
        left.retain(|_, imported| imported.iter().any(|other| names.contains(other)));
        if left.len() == names.len() {
            return left;
        }
    }
}

/// The first import of a folder from one that it may not import. `folders`: each with those that it may import.
pub(crate) fn wrong_way(
    imports: &BTreeMap<String, BTreeSet<String>>,
    folders: &[(&str, &[&str])],
) -> Option<(String, String)> {
    let folder_of = |name: &str| folders.iter().find(|it| name.split("::").next() == Some(it.0)).copied();
    let is_wrong = |name: &str, other: &str| {
        let Some((foreign, _)) = folder_of(other) else { return false };
        folder_of(name).is_some_and(|(own, allowed)| foreign != own && !allowed.contains(&foreign))
    };
    let all = imports.iter().flat_map(|(name, imported)| imported.iter().map(move |other| (name, other)));
    all.into_iter().find(|(name, other)| is_wrong(name, other)).map(|(name, other)| (name.clone(), other.clone()))
}
