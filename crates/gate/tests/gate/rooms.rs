//! The rooms of the crate's source.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

const ROOMS: [&str; 6] = ["retrieve", "pace", "net", "decide", "keep", "ask"];

/// The source files by their paths.
fn all() -> BTreeMap<PathBuf, String> {
    let (mut found, mut folders) = (BTreeMap::new(), vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src")]);
    while let Some(folder) = folders.pop() {
        for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|it| it == "rs") {
                found.insert(path.clone(), std::fs::read_to_string(&path).unwrap());
            }
        }
    }
    found
}

/// [gate.rooms]
#[test]
fn files_are_short_and_say_their_invariant() {
    for (name, source) in all() {
        assert!(source.lines().count() <= 600, "{} is long", name.display());
        let header: String = source.lines().take_while(|line| line.starts_with("//!")).collect();
        assert!(header.contains("Invariant: "), "{} says no invariant", name.display());
    }
}

/// [gate.rooms]
#[test]
fn the_root_has_few_names() {
    let (root, mut names) = (include_str!("../../src/lib.rs"), Vec::new());
    for line in root.lines().filter_map(|line| line.strip_prefix("pub use ")) {
        let last = line.trim_end_matches(';').rsplit_once("::").unwrap().1;
        names.extend(last.trim_matches(['{', '}']).split(", ").map(str::to_owned));
    }
    assert!((10..=20).contains(&names.len()), "{names:?}");
    for room in ROOMS {
        assert!(root.contains(&format!("pub mod {room};")), "{room}");
    }
}
