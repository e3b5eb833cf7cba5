//! The README's examples: each console block is run, and must print what the README shows.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::common::Dir;

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

/// The script of the monitor, with a `curl` and a `mail` of this test. [cmd.diff.all] [cmd.pictures]
#[test]
#[cfg(unix)]
fn the_monitor_mails_a_change() {
    use std::os::unix::fs::PermissionsExt as _;

    let readme = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md")).unwrap();
    let (_, script) = readme.split_once("A monitor that mails a change").unwrap();
    let (script, _) = script.split_once("```sh\n").unwrap().1.split_once("```").unwrap();
    let dir = Dir::new();
    fs::create_dir(dir.path("bin")).unwrap();
    for (name, code) in [("curl", "cp next.txt new.txt"), ("mail", "echo \"$@\" > mailed.txt; cat >> mailed.txt")] {
        dir.write(&format!("bin/{name}"), format!("#!/bin/sh\n{code}\n"));
        fs::set_permissions(dir.path(&format!("bin/{name}")), fs::Permissions::from_mode(0o755)).unwrap();
    }
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_robosieve"), dir.path("bin/robosieve")).unwrap();
    let path = format!("{}:{}", dir.path("bin").display(), std::env::var("PATH").unwrap());
    let run = |next: &str| {
        dir.write("next.txt", next);
        let script =
            Command::new("sh").args(["-c", script]).current_dir(dir.path(".")).env("PATH", &path).output().unwrap();
        assert!(script.status.success(), "{script:?}");
        let mailed = fs::read_to_string(dir.path("mailed.txt")).ok();
        let _ = fs::remove_file(dir.path("mailed.txt"));
        mailed
    };
    dir.write("old.txt", "User-agent: *\nDisallow: /a\n");
    assert_eq!(run("user-agent: *\nDisallow: /a # as before\n"), None);
    let mailed = run("User-agent: *\nDisallow: /a\nUser-agent: GPTBot\nDisallow: /\n").unwrap();
    assert_eq!(mailed, "-s robots.txt has changed -A changes.html owner@example.com\n");
    assert!(dir.read("changes.html").contains("Added: <strong>GPTBot"));
    let mailed = run("<html>").unwrap();
    assert!(mailed.contains("the input looks like an HTML page"), "{mailed}");
}

/// [cmd.columns]
#[test]
fn captures_of_terminals_are_right() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = fs::read_to_string(root.join("crates/cli/recipes/terminal.md")).unwrap();
    let mut tried = 0;
    for block in page.split("```console\n$ COLUMNS=").skip(1) {
        let (head, shown) = block.split_once("\n```").unwrap().0.split_once('\n').unwrap();
        let (columns, command) = head.split_once(" robosieve ").unwrap();
        let run = Command::new(env!("CARGO_BIN_EXE_robosieve"))
            .args(command.split(' '))
            .env("COLUMNS", columns)
            .current_dir(&root)
            .output()
            .unwrap();
        assert_eq!(String::from_utf8(run.stdout).unwrap().trim_end(), shown, "{head}");
        tried += 1;
    }
    assert!(tried >= 4);
}
