//! Help and completions.

use std::process::Command;

use crate::common::Dir;

const COMMANDS: [&str; 4] = ["filter", "test", "explain", "inspect"];

/// [cmd.help]
#[test]
fn completions_are_printed_for_every_shell() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let ran = Dir::new().run(&["completions", shell]).ok();
        assert!(ran.out().contains("--all-agents") || ran.out().contains("all-agents"), "{shell}");
    }
    Dir::new().run(&["completions", "tcsh"]).fails(2, &["bash"]);
}

/// [cmd.help]
#[test]
fn help_has_every_command() {
    let dir = Dir::new();
    let ran = dir.run(&["--help"]).ok();
    assert!(COMMANDS.iter().all(|command| ran.out().contains(command)));
    for command in commands(&dir) {
        let ran = dir.run(&[&command, "--help"]).ok();
        for word in ["Examples:", "Exit codes:", "robosieve "] {
            assert!(ran.out().contains(word), "{command}: no {word}");
        }
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

/// `-h` has the usual flags, and `--help` has all: [cmd.help] [agent.header]
#[test]
fn short_help_leaves_rare_flags_out() {
    let dir = Dir::new();
    for command in ["filter", "test", "explain", "inspect", "diff"] {
        let (short, long) = (dir.run(&[command, "-h"]).ok(), dir.run(&[command, "--help"]).ok());
        let usual = [("--agent", true), ("--user-agent <HEADER>", true), ("--help", true)];
        for (words, is_short) in usual.into_iter().chain([("--max-lines", false), ("Exit codes", false)]) {
            assert_eq!(short.out().contains(words), is_short, "{command}: {words}");
            assert!(long.out().contains(words), "{command}: {words}");
        }
    }
    let help = dir.run(&["test", "--help"]).ok();
    assert!(help.out().contains("--status 404 -") && help.out().contains("is not read"), "{}", help.out());
}

/// A command that is not built in says how to get it: [cmd.absent]
#[test]
fn an_absent_command_names_its_feature() {
    let dir = Dir::new();
    let gate = ["check", "fetch", "page", "serve", "site"];
    for (feature, is_there, names) in [
        ("batch", cfg!(feature = "batch"), &["batch", "census"][..]),
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
}

/// A URL where a file or a command is expected: [cmd.url-in-place]
#[test]
fn a_url_is_no_file() {
    let dir = Dir::new();
    let url = "HTTPS://example.com/robots.txt";
    let mut all = vec![vec![url], vec!["lint", url], vec!["explain", url], vec!["test", "--agent", "x", url]];
    all.extend([vec!["filter", "--agent", "x", url], vec!["diff", "--all-agents", url, url]]);
    for args in all {
        dir.run(&args).fails(2, &[url, "this is a URL", "fetch", "curl"]);
    }
    if cfg!(feature = "batch") {
        for args in [&["batch", "--agent", "x", url][..], &["census", url]] {
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
        let reported = String::from_utf8_lossy(&ran.stderr).into_owned();
        assert!(ran.status.code() == Some(2) && reported.contains(words), "{:?} {reported}", ran.status);
    }
}

/// The names of the commands, by the help.
fn commands(dir: &Dir) -> Vec<String> {
    let help = dir.run(&["-h"]).ok().out().to_owned();
    let (_, commands) = help.split_once("Commands:\n").unwrap();
    let names = commands.lines().map_while(|line| line.strip_prefix("  ")?.split(' ').next()).map(str::to_owned);
    let names: Vec<String> = names.filter(|name| name != "help").collect();
    assert!(names.len() > 6 && names.contains(&"completions".to_owned()), "{help}");
    names
}
