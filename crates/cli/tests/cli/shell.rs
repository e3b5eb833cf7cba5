//! Help, completions and manual pages.

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
fn manual_pages_are_printed() {
    let ran = Dir::new().run(&["man"]).ok();
    assert!(ran.out().contains(".TH robosieve 1"), "{}", ran.out());
    for command in COMMANDS {
        let ran = Dir::new().run(&["man", command]).ok();
        assert!(ran.out().contains(&format!(".TH robosieve-{command} 1")), "{}", ran.out());
        assert!(ran.out().contains("Exit codes"));
    }
    Dir::new().run(&["man", "nothing"]).fails(2, &["nothing"]);
}

/// [cmd.help]
#[test]
fn help_has_examples() {
    let dir = Dir::new();
    let ran = dir.run(&["--help"]).ok();
    assert!(COMMANDS.iter().all(|command| ran.out().contains(command)));
    for command in COMMANDS {
        let ran = dir.run(&[command, "--help"]).ok();
        for word in ["Examples:", "Exit codes:", "robosieve ", "--max-bytes", "--dialect"] {
            assert!(ran.out().contains(word), "{command}: no {word}");
        }
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

/// `-h` has the usual flags, and fits on a screen; `--help` has all: [cmd.help]
#[test]
fn short_help_fits_on_a_screen() {
    let dir = Dir::new();
    for command in ["filter", "test", "explain", "inspect", "diff", "batch"] {
        let (short, long) = (dir.run(&[command, "-h"]).ok(), dir.run(&[command, "--help"]).ok());
        for (words, is_short) in [("--agent", true), ("--help", true), ("--max-lines", false), ("Exit codes", false)] {
            assert_eq!(short.out().contains(words), is_short, "{command}: {words}");
            assert!(long.out().contains(words), "{command}: {words}");
        }
        assert!(short.out().lines().count() <= 50, "{command}: {}", short.out());
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
