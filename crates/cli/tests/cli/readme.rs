//! The README's examples: each console block is run, and must print what the README shows.

use std::fs;
use std::path::Path;
use std::process::Command;

/// The commands whose examples need no server and no archive.
const RUN_HERE: [&str; 3] = ["filter", "test", "explain"];

/// [cmd.filter] [cmd.test] [cmd.explain]
#[test]
fn examples_print_what_the_readme_shows() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let readme = fs::read_to_string(root.join("README.md")).unwrap();
    let mut tried = 0;
    for block in readme.split("```console\n").skip(1) {
        let (block, _) = block.split_once("\n```").unwrap();
        let Some((command, shown)) = block.strip_prefix("$ robosieve ").and_then(|block| block.split_once('\n')) else {
            continue;
        };
        let arguments: Vec<&str> = command.split(' ').collect();
        if !RUN_HERE.contains(&arguments[0]) || !arguments.contains(&"examples/robots.txt") {
            continue;
        }
        let output =
            Command::new(env!("CARGO_BIN_EXE_robosieve")).args(&arguments).current_dir(&root).output().unwrap();
        let printed = [output.stdout, output.stderr].concat();
        assert_eq!(String::from_utf8(printed).unwrap().trim_end(), shown, "robosieve {command}");
        tried += 1;
    }
    assert_eq!(tried, RUN_HERE.len(), "an example is gone");
}
