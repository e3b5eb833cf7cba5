//! The rooms of the crate's source and the way of their imports.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// The rooms, each with those that it may import from.
const ROOMS: [(&str, &[&str]); 7] = [
    ("retrieve", &[]),
    ("pace", &[]),
    ("net", &["retrieve"]),
    ("decide", &["retrieve"]),
    ("keep", &["retrieve", "decide", "pace"]),
    ("ask", &["retrieve", "decide", "pace", "keep"]),
    ("crawl", &["retrieve", "decide", "pace", "keep", "ask"]),
];

/// The modules of src, each with its source.
fn modules(folder: &Path, name: &str, found: &mut BTreeMap<String, String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let stem = path.file_stem().unwrap().to_str().unwrap();
        let inner = if name.is_empty() { stem.to_owned() } else { format!("{name}::{stem}") };
        if path.is_dir() {
            modules(&path, &inner, found);
        } else {
            let is_room = stem == "mod";
            found.insert(if is_room { name.to_owned() } else { inner }, fs::read_to_string(&path).unwrap());
        }
    }
}

/// The modules that a module imports. An import of names that a room passes on counts as one of the room.
fn imports(name: &str, all: &BTreeMap<String, String>) -> BTreeSet<String> {
    let code = all[name].split("#[cfg(test)]\nmod").next().unwrap();
    let is_folder = all.keys().any(|other| other.starts_with(&format!("{name}::")));
    let own = if is_folder { name } else { name.rsplit_once("::").map_or("", |(folder, _)| folder) };
    let above = if is_folder { name.rsplit_once("::").map_or("", |(folder, _)| folder) } else { own };
    let mut found = BTreeSet::new();
    for line in code.split("\nuse ").skip(1).filter_map(|rest| rest.split(';').next()) {
        let path = match line.split_once("::") {
            Some(("crate", rest)) => rest.to_owned(),
            Some(("super", rest)) => format!("{above}::{rest}"),
            Some((inner, _)) if all.contains_key(&format!("{own}::{inner}")) => format!("{own}::{line}"),
            _ => continue,
        };
        let (front, names) = path.split_once('{').map_or((path.as_str(), ""), |(front, names)| (front, names));
        let parts = names.trim_end_matches('}').split(',').map(|part| format!("{front}{}", part.trim()));
        for mut path in parts.map(|path| path.trim_start_matches("::").to_owned()) {
            while !path.is_empty() && !all.contains_key(&path) {
                path.truncate(path.rfind("::").unwrap_or(0));
            }
            found.insert(path);
        }
    }
    found.retain(|other| !other.is_empty() && other != name);
    found
}

fn all() -> BTreeMap<String, String> {
    let mut all = BTreeMap::new();
    modules(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), "", &mut all);
    all
}

/// [gate.rooms]
#[test]
fn rooms_import_one_way() {
    let all = all();
    assert!(imports("ask::gate_core::about", &all).contains("ask::gate_core"));
    assert!(imports("keep::sqlite::open", &all).contains("keep::sqlite::connection"));
    for name in all.keys().filter(|name| *name != "lib") {
        let (room, _) = name.split_once("::").unwrap_or((name, ""));
        let allowed = ROOMS.iter().find(|(own, _)| *own == room).map_or(&[][..], |(_, allowed)| allowed);
        for other in imports(name, &all) {
            let (foreign, _) = other.split_once("::").unwrap_or((&other, ""));
            let is_room = ROOMS.iter().any(|(room, _)| *room == foreign);
            assert!(!is_room || foreign == room || allowed.contains(&foreign), "{name} imports {other}");
        }
    }
}

/// [gate.rooms]
#[test]
fn no_file_imports_itself_by_way_of_others() {
    let all = all();
    let mut left: BTreeMap<_, _> = all.keys().map(|name| (name.clone(), imports(name, &all))).collect();
    left.remove("lib");
    // Takes out what imports nothing that is left, until nothing changes.
    loop {
        let names: BTreeSet<String> = left.keys().cloned().collect();
        left.retain(|_, imported| imported.iter().any(|other| names.contains(other)));
        if left.len() == names.len() {
            break;
        }
    }
    assert!(left.is_empty(), "a circle of imports, and what imports it: {left:?}");
}

/// [gate.rooms]
#[test]
fn files_are_short_and_say_their_invariant() {
    for (name, source) in all() {
        assert!(source.lines().count() <= 600, "{name} is long");
        let header: String = source.lines().take_while(|line| line.starts_with("//!")).collect();
        assert!(header.contains("Invariant: "), "{name} says no invariant");
    }
}
