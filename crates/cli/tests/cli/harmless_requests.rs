//! The properties of the command's readers that fuzz targets check, on every file of the corpus.
//!
//! Invariant: a missing or empty folder fails.

use std::fs;
use std::path::Path;

use serde_json::json;

use crate::common::Dir;
use crate::families::corpus;
use crate::requests;

/// The requests that the fuzz target begins with.
fn seeds() -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds/ndjson");
    let seeds: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| fs::read(entry.unwrap().path()).unwrap()).collect();
    assert!(!seeds.is_empty(), "no seeds");
    seeds
}

fn files() -> Vec<Vec<u8>> {
    corpus::files().into_iter().map(|(_, file)| file).collect()
}

/// The command's answers.
fn answers(args: &[&str], input: &[u8]) -> Vec<u8> {
    Dir::new().run_with(args, input).out().as_bytes().to_vec()
}

/// Files are read as requests, ten lines of each. [cmd.ndjson] [harmless.json]
#[test]
fn any_bytes_are_requests() {
    let max_line = 64 << 20;
    let filter = |input: &[u8]| answers(&["filter", "--ndjson", "--agent", "MyBot"], input);
    let hazards = corpus::files_of(&["hazards"]).into_iter().map(|(_, file)| file);
    for file in seeds().into_iter().chain(hazards) {
        let lines: Vec<&[u8]> = file.split_inclusive(|&byte| byte == b'\n').take(10).collect();
        requests::each_line_gets_one_answer(&lines.concat(), max_line, &filter);
    }
}

/// Requests contain all files, all at once. [cmd.ndjson] [harmless.json] [text.form]
#[test]
fn every_file_gets_an_answer_in_order() {
    let requests: Vec<u8> = files()
        .iter()
        .enumerate()
        .flat_map(|(number, file)| {
            let form = if number % 2 == 0 { "portable" } else { "faithful" };
            let bytes: Vec<u8> = file.iter().copied().filter(u8::is_ascii).take(20_000).collect();
            let robots = String::from_utf8(bytes).unwrap();
            (json!({ "id": number, "robots": robots, "options": { "form": form } }).to_string() + "\n").into_bytes()
        })
        .collect();
    let few: Vec<u8> = requests.split_inclusive(|&byte| byte == b'\n').step_by(8).flatten().copied().collect();
    let filter = |input: &[u8]| answers(&["filter", "--ndjson", "--agent", "MyBot"], input);
    requests::each_line_gets_one_answer(&few, 64 << 20, &filter);
    let all = filter(&requests);
    assert_eq!(all.split_inclusive(|&byte| byte == b'\n').count(), files().len());
}
