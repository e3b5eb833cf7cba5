//! Colours: one rule for all commands.

use crate::common::{Dir, HOSTILE};

/// One rule for all commands; the text is the same without it. [cmd.color]
#[test]
fn colour_is_one_rule_for_all_commands() {
    let dir = Dir::with("User-agent: *\nDisallow: /a\nAllow: /b\n\nUser-agent: GPTBot\nDisallow: /\n");
    dir.write("new.txt", "User-agent: *\nDisallow: /c\n");
    for (args, colours) in [
        (&["explain", "-a", "GPTBot", "robots.txt"][..], &["\x1b[32m", "\x1b[31mGPTBot may fetch nothing"][..]),
        (
            &["diff", "-a", "GPTBot", "robots.txt", "new.txt"],
            &["\x1b[31m- Disallow: /", "\x1b[32m+ Disallow: /c", "\x1b[32m! "],
        ),
        (
            &["test", "-a", "MyBot", "robots.txt", "/b", "/a"],
            &["\x1b[1m\x1b[32mallowed\x1b[0m\t/b\t", "\x1b[1m\x1b[31mdisallowed\x1b[0m\t/a\t"],
        ),
        (&["lint", "--notes", "robots.txt"], &["\x1b["]),
    ] {
        let plain = dir.run(args);
        assert_eq!(dir.run(&[args, &["--color", "never"]].concat()).out(), plain.out(), "{args:?}");
        let always = dir.run(&[args, &["--color", "always"]].concat());
        let before = dir.run(&[&["--color", "always"], args].concat());
        assert!(!plain.out().contains('\x1b'), "{args:?}");
        assert_eq!(always.out(), before.out());
        for colour in colours {
            assert!(always.out().contains(colour), "{args:?}: {colour:?} is not in {:?}", always.out());
        }
        assert_eq!(without_colours(always.out()), plain.out(), "{args:?}");
    }
}

/// The text without colours. Any other sequence is an error.
fn without_colours(text: &str) -> String {
    let mut parts = text.split("\x1b[");
    let first = parts.next().unwrap().to_owned();
    parts.fold(first, |text, part| {
        let (colour, rest) = part.split_once('m').unwrap();
        assert!(colour.bytes().all(|byte| byte.is_ascii_digit() || byte == b';'), "{part:?}");
        text + rest
    })
}

/// Only colours are sent to a terminal, from any file: [cmd.terminal] [cmd.color]
#[test]
fn a_file_adds_no_sequence() {
    for hostile in HOSTILE {
        let hostile = hostile.replace(['\r', '\n'], "");
        let dir = Dir::with(format!("User-agent: MyBot {hostile}\nDisallow: /{hostile}\n{hostile}: x\n# {hostile}\n"));
        for dialect in ["standard", "google", "processor"] {
            let args = ["explain", "--dialect", dialect, "robots.txt"];
            let plain = dir.run(&args).ok();
            let always = dir.run(&[&args[..], &["--color", "always"]].concat());
            assert_eq!(without_colours(always.out()), plain.out(), "{dialect}");
        }
    }
}
