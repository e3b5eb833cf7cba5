//! Puts many mutants into one build: all-mutants LIST FOLDER [FUNCTION...]
//!
//! LIST is that of `cargo mutants --list --json`, or a part of it. The files that it names are rewritten in FOLDER. The
//! mutant with the place N in the list (from 1) is active where `crate::mutant(N)` is true. For each mutant that cannot be
//! put in, its place and the reason are printed. The FUNCTIONs stay constant, all others lose their `const`.
//!
//! All edits are made in the text, so that lines of code keep their spelling. Each mutant has a line of its own, which
//! ends in its place. So a message of the compiler leads to the mutant.

mod edit;
mod sites;

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::{env, fs};

use serde::Deserialize;

/// A mutant, as cargo-mutants lists it.
#[derive(Deserialize)]
pub struct Mutant {
    file: String,
    genre: String,
    replacement: String,
    span: Span,
    function: Option<Function>,
    #[serde(skip)]
    place: usize,
}

#[derive(Deserialize)]
pub struct Function {
    return_type: String,
}

#[derive(Deserialize, Clone, Copy, Debug)]
pub struct Span {
    start: Position,
}

/// A line and a column, both from 1; a column counts characters.
#[derive(Deserialize, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Position {
    line: usize,
    column: usize,
}

fn main() {
    let mut words = env::args().skip(1);
    let (Some(list), Some(folder)) = (words.next(), words.next()) else {
        panic!("usage: all-mutants LIST FOLDER [FUNCTION...]");
    };
    let constants: HashSet<String> = words.collect();
    let list = fs::read_to_string(list).expect("the list can be read");
    let mut mutants: Vec<Option<Mutant>> = serde_json::from_str(&list).expect("the list is JSON");
    let mut by_file: BTreeMap<String, Vec<Mutant>> = BTreeMap::new();
    for (at, mutant) in mutants.iter_mut().enumerate() {
        if let Some(mut mutant) = mutant.take() {
            mutant.place = at + 1;
            by_file.entry(mutant.file.clone()).or_default().push(mutant);
        }
    }
    for file in sources(&Path::new(&folder).join("src")) {
        let file = file.strip_prefix(&folder).expect("it is inside").to_string_lossy().into_owned();
        by_file.entry(file).or_default();
    }
    for (file, mutants) in by_file {
        let path = Path::new(&folder).join(&file);
        let text = fs::read_to_string(&path).expect("a file of the list can be read");
        let (edits, left) = sites::edits(&text, mutants, &constants);
        for (place, why) in left {
            println!("{place}\t{why}");
        }
        fs::write(&path, edit::apply(&text, edits)).expect("the file can be written");
    }
}

/// All Rust files in a folder.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("the folder can be read") {
        let path = entry.expect("the folder can be read").path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|end| end == "rs") {
            found.push(path);
        }
    }
    found
}
