//! The inputs of `corpus/`, and those of its hazards that are nothing but a count: 999, 1000 and 1001 lines of a kind.
//!
//! Invariant: a folder without inputs fails. The made inputs are those that the documents call made, and each has the
//! same bytes each time.

#![allow(
    dead_code,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::string_slice,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects
)]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

#[path = "documents.rs"]
pub mod documents;

use documents::Case;

/// The documents by their names, each with its text.
pub fn documents() -> BTreeMap<String, String> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = here.ancestors().find(|it| it.join("corpus/plain.snap").is_file()).expect("corpus is not here");
    let paths = fs::read_dir(root.join("corpus")).unwrap().map(|entry| entry.unwrap().path());
    let documents = paths.filter(|path| path.extension().is_some_and(|extension| extension == "snap"));
    documents
        .map(|path| (path.file_stem().unwrap().to_str().unwrap().to_owned(), fs::read_to_string(path).unwrap()))
        .collect()
}

/// The cases of all documents.
pub fn cases() -> Vec<Case> {
    documents().values().flat_map(|document| documents::cases(document)).map(|(case, _)| case).collect()
}

/// The inputs of these folders with their paths, sorted, and with those that are made.
pub fn files_of(folders: &[&str]) -> Vec<(PathBuf, Vec<u8>)> {
    let mut made = made();
    let read = |case: Case| {
        let input =
            case.input().or_else(|| made.remove(&case.name)).unwrap_or_else(|| panic!("nothing makes {}", case.name));
        (PathBuf::from(case.name), input)
    };
    let mut files: Vec<_> = cases().into_iter().map(read).collect();
    assert!(made.is_empty(), "no document has {:?}", made.keys());
    files.retain(|(path, _)| folders.iter().any(|folder| path.starts_with(folder)));
    for folder in folders {
        assert!(files.iter().any(|(path, _)| path.starts_with(folder)), "{folder} is empty");
    }
    files.sort();
    files
}

/// Every input.
pub fn files() -> Vec<(PathBuf, Vec<u8>)> {
    files_of(&["plain", "hazards", "wild", "regression", "clauses"])
}

/// Writes the inputs that are typed below a folder.
pub fn unfold(folder: &Path) {
    for case in cases() {
        let path = folder.join(&case.name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        case.input().into_iter().for_each(|input| fs::write(&path, input).unwrap());
    }
}

/// The inputs that are made, by their names.
fn made() -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut add =
        |name: &str, parts: &[String]| files.insert(format!("hazards/{name}.txt"), parts.concat().into_bytes());
    let rule = |path: &str| format!("Disallow: {path}\n");
    let everyone = || "User-agent: *\n".to_owned();
    let run = |count| each(1..=count, |number| format!("User-agent: bot-{}\n", letters(number, 4)));
    add(
        "02-thousand-rules-of-ten-stars",
        &[everyone(), each(0..=999, |number| format!("Disallow: /a*a*a*a*a*a*a*a*a*a*z{number:04}\n"))],
    );
    for count in [999, 1_000, 1_001] {
        add(&format!("05-agents-{count}"), &[run(count), rule("/")]);
        add(
            &format!("05-lines-{count}"),
            &[everyone(), each(1..=count, |number| format!("Disallow: /p{number:04}\n"))],
        );
        let record = |number| format!("User-agent: bot-{}\nDisallow: /{number}\n", letters(number, 4));
        add(&format!("05-records-{count}"), &[each(1..=count, record)]);
    }
    let halves = [(0..=599, "a"), (0..=400, "b")];
    let [first, second] =
        halves.map(|(numbers, half)| each(numbers, |number| format!("Disallow: /{half}{number:03}\n")));
    let other = "\nUser-agent: other\nDisallow:\n\n".to_owned();
    add("05-lines-reopened-1001", &[everyone(), first, other, everyone(), second]);
    add("06-empty-lines", &["\n".repeat(3_000), everyone(), "#\n".repeat(3_000), rule("/x"), " \t\n".repeat(3_000)]);
    add(
        "06-many-agents-one-run",
        &[
            each(0..=399, |number| format!("User-agent: crawler-{}\n", letters(number, 3))),
            each(0..=19, |number| format!("Disallow: /d{number:02}\n")),
        ],
    );
    add("06-reopened-star", &[each(0..=399, |number| format!("User-agent: *\nDisallow: /r{number:03}\n\n"))]);
    let others = each(1..=1_000, |number| format!("User-agent: bot-{}\nDisallow: /\n", letters(number, 4)));
    add("07-behind-1000-records", &[others.clone(), "User-agent: MyBot\n".to_owned(), rule("/private/")]);
    add("07-star-behind-1000-records", &[others, everyone(), rule("/")]);
    files
}

fn each(numbers: std::ops::RangeInclusive<usize>, line: impl Fn(usize) -> String) -> String {
    numbers.map(line).collect()
}

/// A number without digits, since readers disagree on digits in names: `a` for 0, up to `j` for 9.
fn letters(number: usize, width: usize) -> String {
    format!("{number:0width$}").bytes().map(|digit| char::from(digit - b'0' + b'a')).collect()
}
