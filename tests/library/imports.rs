//! The way of the imports in src: bytes -> lines -> groups -> filter -> text and verdict. A file never imports, by way
//! of others, itself.

#[path = "../imports/mod.rs"]
mod source;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use source::{Counted, circles, modules, wrong_way};

/// The folders, each with those that it may import.
const FOLDERS: [(&str, &[&str]); 5] = [
    ("syntax", &[]),
    ("path", &["syntax"]),
    ("policy", &["syntax", "path"]),
    ("verdict", &["syntax", "path", "policy"]),
    ("text", &["syntax", "path", "policy", "verdict"]),
];

fn imports() -> BTreeMap<String, BTreeSet<String>> {
    source::imports(&modules(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src")), Counted::OfTheCrate)
}

/// [parts.imports]
#[test]
fn imports_go_one_way() {
    let imports = imports();
    assert!(imports.len() > 50 && imports["syntax::logical"].contains("syntax::grammar"), "{imports:?}");
    assert_eq!(wrong_way(&imports, &FOLDERS), None);
}

/// [parts.imports]
#[test]
fn no_file_imports_itself_by_way_of_others() {
    let left = circles(imports());
    assert!(left.is_empty(), "a circle of imports, and what imports it: {left:?}");
}
