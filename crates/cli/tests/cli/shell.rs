//! Help, completions and manual pages.

use std::process::Command;

use crate::common::Dir;

const COMMANDS: [&str; 4] = ["filter", "test", "explain", "inspect"];

/// [cmd.help]
#[test]
fn completions_are_printed_for_every_shell() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell", "nushell"] {
        let ran = Dir::new().run(&["completions", shell]).ok();
        assert!(ran.out().contains("--all-agents") || ran.out().contains("all-agents"), "{shell}");
    }
    Dir::new().run(&["completions", "tcsh"]).fails(2, &["bash"]);
}

/// [cmd.help]
#[test]
fn manual_pages_are_printed() {
    let ran = Dir::new().run(&["man"]).ok();
    assert!(ran.out().contains(".TH ROBOSIEVE 1"), "{}", ran.out());
    for command in COMMANDS {
        let ran = Dir::new().run(&["man", command]).ok();
        let headings: Vec<&str> = ran.out().lines().filter_map(|line| line.strip_prefix(".SH ")).collect();
        let order =
            ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "\"EXIT STATUS\"", "NOTES", "EXAMPLES", "\"SEE ALSO\""];
        let places: Vec<_> = headings.iter().filter_map(|one| order.iter().position(|known| known == one)).collect();
        assert!(places.is_sorted() && [0, 1, 2, 3, 4, 6, 7].iter().all(|one| places.contains(one)), "{headings:?}");
        assert_eq!(ran.out().matches(".el .ds Aq").count(), 1);
    }
    Dir::new().run(&["man", "nothing"]).fails(2, &["nothing"]);
    let dir = Dir::new();
    dir.run(&["man", "--all", "pages/man1"]).ok();
    let pages: Vec<_> =
        std::fs::read_dir(dir.path("pages/man1")).unwrap().map(|page| page.unwrap().file_name()).collect();
    for page in ["robosieve.1", "robosieve-lint.1", "robosieve-completions.1"] {
        assert!(pages.iter().any(|one| one == page), "{pages:?}");
        assert!(dir.read(&format!("pages/man1/{page}")).contains("robosieve(1)") || page == "robosieve.1");
    }
    dir.run(&["man", "--all", "pages", "lint"]).fails(2, &["cannot be used"]);
}

/// [cmd.help]
#[test]
fn help_and_manual_have_every_command() {
    let dir = Dir::new();
    let ran = dir.run(&["--help"]).ok();
    assert!(COMMANDS.iter().all(|command| ran.out().contains(command)));
    for command in commands().iter().filter(|command| *command != "help") {
        let ran = dir.run(&[command, "--help"]).ok();
        for word in ["Examples:", "Exit codes:", "robosieve "] {
            assert!(ran.out().contains(word), "{command}: no {word}");
        }
        let man = dir.run(&["man", command]).ok();
        assert!(man.out().contains(&format!(".TH ROBOSIEVE-{} 1", command.to_uppercase())), "{}", man.out());
        assert!(dir.run(&["completions", "bash"]).ok().out().contains(command.as_str()));
    }
    assert!(dir.run(&["--version"]).ok().out().starts_with("robosieve "));
}

/// [cmd.help]
#[test]
fn nothing_to_do_is_a_usage_error() {
    let dir = Dir::new();
    // Help instead of an error. It contains nothing from outside.
    let ran = dir.run(&[]);
    assert_eq!((ran.code, ran.out(), ran.err()), (Some(2), "", dir.run(&["-h"]).ok().out()));
    dir.run(&["sieve"]).fails(2, &["sieve"]);
    dir.run(&["filter", "--colour"]).fails(2, &["--colour"]);
}

/// Help of a terminal with this many columns.
fn help(columns: &str, args: &[&str]) -> String {
    let ran = Command::new(env!("CARGO_BIN_EXE_robosieve")).args(args).env("COLUMNS", columns).output().unwrap();
    assert!(ran.status.success(), "{args:?}");
    String::from_utf8(ran.stdout).unwrap()
}

/// The names of the commands, by the help.
fn commands() -> Vec<String> {
    let help = help("80", &["-h"]);
    let (_, commands) = help.split_once("Commands:\n").unwrap();
    commands.lines().map_while(|line| line.strip_prefix("  ")?.split(' ').next()).map(str::to_owned).collect()
}

/// `-h` has the usual flags, and fits on a screen; `--help` has all: [cmd.help]
#[test]
fn short_help_fits_on_a_screen() {
    let dir = Dir::new();
    for command in ["filter", "test", "explain", "inspect", "diff"] {
        let (short, long) = (dir.run(&[command, "-h"]).ok(), dir.run(&[command, "--help"]).ok());
        for (words, is_short) in [("--agent", true), ("--help", true), ("--max-lines", false), ("Exit codes", false)] {
            assert_eq!(short.out().contains(words), is_short, "{command}: {words}");
            assert!(long.out().contains(words), "{command}: {words}");
        }
    }
    let commands = commands();
    assert!(commands.len() > 10 && commands.contains(&"completions".to_owned()), "{commands:?}");
    for command in commands.iter().map(String::as_str).filter(|command| *command != "help").chain([""]) {
        let args: Vec<&str> = [command, "-h"].into_iter().filter(|arg| !arg.is_empty()).collect();
        let short = help("80", &args);
        // The list of all commands has a line for each.
        let most = if command.is_empty() { commands.len() + 11 } else { 28 };
        assert!(short.lines().count() <= most, "{} lines: {short}", short.lines().count());
        assert!(short.lines().all(|line| line.len() <= 80), "{short}");
    }
}

/// In a narrow terminal, only what can be copied is wider: [cmd.help]
#[test]
fn long_help_fits_between_words() {
    for command in commands().iter().filter(|command| *command != "help") {
        for (width, columns) in [(80, "80"), (60, "60")] {
            for line in help(columns, &[command, "--help"]).lines().filter(|line| line.chars().count() > width) {
                let text = line.trim_start();
                let starts = ["robosieve ", "curl ", "find ", "echo ", "jsonschema ", "{", "\"", "[", "--", "-", "<"];
                assert!(starts.iter().any(|start| text.starts_with(start)), "{columns}: {line}");
            }
        }
        let (narrow, wide) = (help("80", &[command, "--help"]), help("300", &[command, "--help"]));
        let words = |help: &str| help.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(words(&narrow), words(&wide), "{command}: no word is lost");
    }
}

/// A command that is not built in says how to get it: [cmd.absent]
#[test]
fn an_absent_command_names_its_feature() {
    let dir = Dir::new();
    let gate = ["check", "crawl-check", "fetch", "page", "serve", "site"];
    for (feature, is_there, names) in [
        ("batch", cfg!(feature = "batch"), &["batch", "census", "history"][..]),
        ("gate", cfg!(feature = "gate"), &gate),
        ("signals", cfg!(feature = "signals"), &["signals"]),
    ] {
        for name in names {
            if is_there {
                dir.run(&[name, "--help"]).ok();
            } else {
                dir.run(&[name]).fails(2, &[name, &format!("--features {feature}"), "cargo install"]);
                assert!(dir.run(&["-h"]).ok().out().contains(name));
            }
        }
    }
    dir.write("robots", "");
    for file in ["robots", "robots.txt", "./x"] {
        dir.run(&[file]).fails(2, &["a command comes first", &format!("lint {file}")]);
    }
}

/// A URL where a file or a command is expected: [cmd.url-in-place]
#[test]
fn a_url_is_no_file() {
    let dir = Dir::new();
    let url = "HTTPS://example.com/robots.txt";
    let mut all = vec![vec![url], vec!["lint", url], vec!["explain", url], vec!["test", "--agent", "x", url]];
    all.extend([vec!["filter", "--agent", "x", url], vec!["diff", "--all-agents", url, url]]);
    for args in all {
        dir.run(&args).fails(2, &[url, "this is a URL", "fetch", "page --url", "curl"]);
    }
    if cfg!(feature = "batch") {
        for args in [&["batch", "--agent", "x", url][..], &["census", url], &["history", url]] {
            dir.run(args).fails(2, &[url, "this is a URL", "download it first", "curl -fO"]);
        }
    }
}

#[cfg(unix)]
/// Arguments that are no text, and a program in a folder whose name is none: [cmd.exit]
#[test]
fn a_mistake_next_to_other_bytes_is_a_usage_error() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;
    use std::os::unix::process::CommandExt as _;

    let odd = OsStr::from_bytes(b"x\xFF");
    for (args, words) in [
        ([OsStr::new("lint"), odd, OsStr::new("--agnt")], "--agnt"),
        (["lint", "https://e.com/robots.txt", "-"].map(OsStr::new), "this is a URL"),
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_robosieve"));
        let ran = command.arg0(odd).args(args).output().unwrap();
        let told = String::from_utf8_lossy(&ran.stderr).into_owned();
        assert!(ran.status.code() == Some(2) && told.contains(words), "{:?} {told}", ran.status);
    }
}

/// Prose is wrapped by the width, and examples can be copied as they are: [cmd.help]
#[test]
fn help_is_wrapped_and_examples_keep_their_shape() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("help");
    for command in commands().iter().filter(|command| *command != "help") {
        let text = std::fs::read_to_string(folder.join(format!("{command}.txt"))).unwrap();
        for columns in [60, 80, 200] {
            let help = help(&columns.to_string(), &[command, "--help"]);
            for line in text.lines().filter(|line| line.starts_with(' ')) {
                // What explains an example can be below it.
                let whole = if columns == 200 { line.trim_end() } else { line.trim().split("  ").next().unwrap() };
                let is_there = help.lines().any(|shown| shown == whole || columns < 200 && shown.contains(whole));
                assert!(
                    is_there || columns < 200 && line.starts_with("     "),
                    "{command}, {columns}: {line:?} in {help}"
                );
            }
            let prose = help.lines().filter(|line| !text.contains(line.trim()) && !line.starts_with("Usage:"));
            let longest = prose.map(str::len).max().unwrap();
            assert!(longest <= columns.min(100), "{command}, {columns}: {longest}");
        }
    }
}

/// [cmd.help] [agent.header]
#[test]
fn help_explains_headers_and_statuses() {
    let dir = Dir::new();
    for command in ["filter", "test", "explain", "inspect", "diff"] {
        assert!(dir.run(&[command, "--help"]).ok().out().contains("--user-agent <HEADER>"), "{command}");
    }
    let help = dir.run(&["test", "--help"]).ok();
    assert!(help.out().contains("--status 404 -") && help.out().contains("is not read"), "{}", help.out());
}

/// Each output has a schema; `tests/schema/run` compares them with what is printed: [cmd.schema]
#[test]
fn schemas_are_printed() {
    let dir = Dir::new();
    let names = dir.run(&["schema"]).ok();
    let names: Vec<&str> = names.out().lines().filter_map(|line| line.split(' ').next()).collect();
    assert!(names.len() >= 18 && names.contains(&"lint"), "{names:?}");
    for name in names {
        let printed: serde_json::Value = serde_json::from_str(dir.run(&["schema", name]).ok().out()).unwrap();
        assert_eq!(printed["$ref"], format!("#/$defs/{name}"));
        assert!(printed["$defs"][name]["description"].as_str().unwrap().starts_with('`'));
        // Only what it leads to.
        let text = printed.to_string();
        for part in printed["$defs"].as_object().unwrap().keys() {
            assert!(text.contains(&format!("\"#/$defs/{part}\"")), "{name}: {part}");
        }
    }
    dir.run(&["schema", "answer"]).fails(2, &["possible values", "filter-report"]);
}

/// Each command begins its help with its own line of the list of all. [cmd.help]
#[test]
fn each_command_says_what_it_is() {
    let dir = Dir::new();
    let list = dir.run(&["-h"]).ok().out().to_owned();
    let commands = list.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let commands: Vec<(&str, &str)> = commands.filter_map(|line| line.trim().split_once(' ')).collect();
    let abouts: std::collections::BTreeSet<&str> = commands.iter().map(|(_, about)| about.trim()).collect();
    assert!(commands.len() > 8 && abouts.len() == commands.len(), "{list}");
    for (name, about) in commands.into_iter().filter(|(name, _)| *name != "help") {
        let help = dir.run(&[name, "-h"]).ok().out().to_owned();
        assert_eq!(help.lines().next(), Some(about.trim()), "{name}");
    }
}
