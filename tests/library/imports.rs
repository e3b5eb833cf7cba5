//! The way of the imports in src: bytes -> lines -> groups -> filter -> text and verdict. A file never imports, by way
//! of others, itself.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// The folders, each with those that it may import.
const FOLDERS: [(&str, &[&str]); 5] = [
    ("syntax", &[]),
    ("path", &["syntax"]),
    ("policy", &["syntax", "path"]),
    ("verdict", &["syntax", "path", "policy"]),
    ("text", &["syntax", "path", "policy", "verdict"]),
];

/// The modules of src and their sources, without unit tests.
fn modules(folder: &Path, name: &str, found: &mut BTreeMap<String, String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let stem = path.file_stem().unwrap().to_str().unwrap();
        let inner = if name.is_empty() { stem.to_owned() } else { format!("{name}::{stem}") };
        if path.is_dir() {
            modules(&path, &inner, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") && stem != "lib" {
            let source = fs::read_to_string(&path).unwrap();
            let code = source.split("#[cfg(test)]").next().unwrap().to_owned();
            found.insert(if stem == "mod" { name.to_owned() } else { inner }, code);
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

/// The modules that each module imports.
fn imports() -> BTreeMap<String, BTreeSet<String>> {
    let mut found = BTreeMap::new();
    modules(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), "", &mut found);
    let imported = |code: &str| {
        let trees = code.split("use crate::").skip(1).filter_map(|rest| rest.split(';').next());
        let modules = trees.flat_map(paths).filter_map(|path| {
            let mut path = path.as_str();
            while !found.contains_key(path) {
                path = path.rsplit_once("::")?.0;
            }
            Some(path.to_owned())
        });
        modules.collect()
    };
    found.iter().map(|(name, code)| (name.clone(), imported(code))).collect()
}

/// [parts.imports]
#[test]
fn imports_go_one_way() {
    let imports = imports();
    assert!(imports.len() > 50 && imports["syntax::logical"].contains("syntax::grammar"), "{imports:?}");
    for (name, imported) in &imports {
        let folder = |name: &str| FOLDERS.iter().find(|it| name.split("::").next() == Some(it.0)).copied();
        let Some((own, allowed)) = folder(name) else { continue };
        let foreign = imported.iter().filter_map(|it| folder(it)).find(|it| it.0 != own && !allowed.contains(&it.0));
        assert!(foreign.is_none(), "{name} imports {}", foreign.unwrap().0);
    }
}

/// [parts.imports]
#[test]
fn no_file_imports_itself_by_way_of_others() {
    let mut left = imports();
    // Takes out what imports nothing that is left, until nothing changes.
    loop {
        let names: BTreeSet<String> = left.keys().cloned().collect();
        let before = left.len();
        left.retain(|name, imported| imported.iter().any(|other| other != name && names.contains(other)));
        if left.len() == before {
            break;
        }
    }
    let names: Vec<&String> = left.keys().collect();
    assert!(left.is_empty(), "a circle of imports, and what imports it: {names:?}");
}
