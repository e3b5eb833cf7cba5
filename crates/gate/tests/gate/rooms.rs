//! The rooms of the crate's source and the way of their imports.

#[path = "../../../../tests/imports/mod.rs"]
mod source;

use std::collections::BTreeMap;
use std::path::Path;

use source::{Counted, circles, imports, modules, wrong_way};

/// The rooms, each with those that it may import from.
const ROOMS: [(&str, &[&str]); 6] = [
    ("retrieve", &[]),
    ("pace", &[]),
    // The trait of clients is the gate's.
    ("net", &["retrieve", "ask"]),
    ("decide", &["retrieve"]),
    ("keep", &["retrieve", "decide", "pace"]),
    ("ask", &["retrieve", "decide", "pace", "keep"]),
];

fn all() -> BTreeMap<String, String> {
    modules(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"))
}

/// [gate.rooms]
#[test]
fn rooms_import_one_way() {
    let imports = imports(&all(), Counted::All);
    assert!(imports["ask::about"].contains("ask::core"));
    assert!(imports["keep::sqlite"].contains("keep::store"));
    assert_eq!(wrong_way(&imports, &ROOMS), None);
    // What stands outside the rooms imports none of them.
    let is_room = |name: &str| ROOMS.iter().any(|(room, _)| name.split("::").next() == Some(*room));
    for (name, imported) in imports.iter().filter(|(name, _)| !is_room(name)) {
        assert!(!imported.iter().any(|other| is_room(other)), "{name} imports {imported:?}");
    }
}

/// [gate.rooms]
#[test]
fn no_file_imports_itself_by_way_of_others() {
    let left = circles(imports(&all(), Counted::All));
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

/// [gate.rooms]
#[test]
fn the_root_has_few_names() {
    let (root, mut names) = (&all()["lib"], Vec::new());
    for line in root.lines().filter_map(|line| line.strip_prefix("pub use ")) {
        let last = line.trim_end_matches(';').rsplit_once("::").unwrap().1;
        names.extend(last.trim_matches(['{', '}']).split(", ").map(str::to_owned));
    }
    assert!((10..=20).contains(&names.len()), "{names:?}");
    for room in ROOMS.iter().map(|(room, _)| room) {
        assert!(root.contains(&format!("pub mod {room};")), "{room}");
    }
}
