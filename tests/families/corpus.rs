//! The files of `corpus/`, and those of its hazards that are nothing but a count: 999, 1000 and 1001 lines of a kind.
//!
//! Invariant: a folder that is missing or empty fails. A made file has the same bytes each time, and a name that no
//! file of `corpus/hazards` has.

#![allow(
    dead_code,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::arithmetic_side_effects
)]

use std::fs;
use std::path::{Path, PathBuf};

/// The folders of the corpus.
pub const FOLDERS: [&str; 4] = ["plain", "hazards", "wild", "regression"];

/// The project's folder, from any of its crates.
fn root() -> &'static Path {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().find(|it| it.join("corpus/hazards").is_dir()).expect("corpus/hazards is not here")
}

/// The paths of the files of a folder of the corpus, sorted.
pub fn paths_of(folder: &str) -> Vec<PathBuf> {
    let folder = root().join("corpus").join(folder);
    let entries = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    assert!(!paths.is_empty(), "{} is empty", folder.display());
    paths.sort();
    paths
}

/// The files of these folders with their paths, sorted. The hazards are complete: with those that are made.
pub fn files_of(folders: &[&str]) -> Vec<(PathBuf, Vec<u8>)> {
    let read = |path: PathBuf| (path.clone(), fs::read(path).unwrap());
    let mut files: Vec<_> = folders.iter().flat_map(|folder| paths_of(folder)).map(read).collect();
    if folders.contains(&"hazards") {
        files.extend(made().into_iter().map(|(name, bytes)| (root().join("corpus/hazards").join(name), bytes)));
    }
    files.sort();
    files
}

/// Every file of the corpus.
pub fn files() -> Vec<(PathBuf, Vec<u8>)> {
    files_of(&FOLDERS)
}

/// The hazards that are made, by their names. `corpus/README.md` says what each shows.
pub fn made() -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<(String, String)> = Vec::new();
    let mut add = |name: &str, parts: &[String]| files.push((format!("{name}.txt"), parts.concat()));
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
    files.into_iter().map(|(name, text)| (name, text.into_bytes())).collect()
}

fn each(numbers: std::ops::RangeInclusive<usize>, line: impl Fn(usize) -> String) -> String {
    numbers.map(line).collect()
}

/// A number without digits, since readers disagree on digits in names: `a` for 0, up to `j` for 9.
fn letters(number: usize, width: usize) -> String {
    format!("{number:0width$}").bytes().map(|digit| char::from(digit - b'0' + b'a')).collect()
}
