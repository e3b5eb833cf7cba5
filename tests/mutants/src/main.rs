//! Puts many mutants into one build: all-mutants LIST FOLDER
//!
//! LIST is that of `cargo mutants --list --json`, with `null` for each mutant that is left out. Their files are rewritten
//! in FOLDER. The mutant with the place N in the list (from 1) is active where `crate::mutant(N)` is true. For each mutant
//! that cannot be put in, its place and the reason are printed.
//!
//! All edits are made in the text, so that lines of code keep their spelling. Each mutant has a line of its own, which
//! ends in its place. So a message of the compiler leads to the mutant.

mod edit;
mod sites;

use std::collections::BTreeMap;
use std::path::Path;
use std::{env, fs};

use serde::Deserialize;

/// A mutant, as cargo-mutants lists it.
#[derive(Deserialize)]
pub struct Mutant {
    file: String,
    genre: String,
    replacement: String,
    span: Span,
    #[serde(skip)]
    place: usize,
}

#[derive(Deserialize)]
pub struct Span {
    start: Position,
}

/// A line and a column, both from 1; a column counts characters.
#[derive(Deserialize, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Position {
    line: usize,
    column: usize,
}

fn main() {
    let words: Vec<String> = env::args().skip(1).collect();
    let [list, folder] = &words[..] else { panic!("usage: all-mutants LIST FOLDER") };
    let mutants: Vec<Option<Mutant>> = serde_json::from_str(&fs::read_to_string(list).unwrap()).expect("a list");
    let mut by_file: BTreeMap<String, Vec<Mutant>> = BTreeMap::new();
    for (at, mutant) in mutants.into_iter().enumerate() {
        if let Some(mutant) = mutant {
            by_file.entry(mutant.file.clone()).or_default().push(Mutant { place: at + 1, ..mutant });
        }
    }
    for (file, mutants) in by_file {
        let path = Path::new(folder).join(&file);
        let text = fs::read_to_string(&path).expect("a file that is there");
        let (edits, left) = sites::edits(&text, mutants);
        for (place, why) in left {
            println!("{place}\t{why}");
        }
        fs::write(&path, edit::apply(&text, edits)).expect("the file can be written");
    }
}
