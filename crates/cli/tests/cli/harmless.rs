//! Everything that the command prints for the corpus and for hostile files is harmless, and its JSON is valid ASCII; so
//! are its answers to requests, as the fuzz target checks them. Only colours are sent to a terminal, by one rule for all
//! commands.

use std::fs;
use std::path::Path;

use serde_json::json;

use crate::common::{Dir, HOSTILE, Ran};
use crate::families::{self, corpus};
use crate::requests::each_line_gets_one_answer;

/// Each command on a third of the corpus and of the hostile files, in one dialect. [`Dir::tried`] checks what it prints.
/// [harmless.bytes] [harmless.json] [cmd.terminal]
#[test]
fn files_are_printed_harmlessly() {
    let hostile = families::ALL.iter().map(|family| (family.file)(1_000));
    let all: Vec<Vec<u8>> = files().into_iter().chain(hostile).collect();
    for (third, dialect) in ["standard", "google", "processor"].into_iter().enumerate() {
        let dir = Dir::new();
        fs::create_dir(dir.path("new")).unwrap();
        fs::create_dir(dir.path("old")).unwrap();
        let named = all.iter().enumerate().skip(third).step_by(3).map(|(number, file)| {
            dir.write(&format!("new/{number}"), file);
            dir.write(&format!("old/{number}"), "User-agent: *\nDisallow: /\n");
            format!("new/{number}")
        });
        let named: Vec<String> = named.collect();
        let with = |args: &[&str], more: &[&str]| dir.tried(&[args, more].concat(), b"");
        let on_files = |args: &[&str]| with(args, &named.iter().map(String::as_str).collect::<Vec<_>>());
        let read = |args: &[&str]| on_files(&[args, &["--dialect", dialect]].concat());
        for (folder, args) in [
            ("whole", &["--all-agents", "--keep-unknown", "--report", "text"][..]),
            ("part", &["-a", "MyBot", "--form", "portable", "--max-lines", "2", "--on-over-limit", "refuse"]),
        ] {
            read(&[&["filter", "--output-dir", folder], args].concat());
            for text in fs::read_dir(dir.path(folder)).unwrap() {
                Ran::of(fs::read(text.unwrap().path()).unwrap()).expect_harmless();
            }
        }
        let report = read(&["filter", "--output-dir", "whole", "--all-agents", "--report", "json"]);
        report.err().lines().for_each(|line| drop(serde_json::from_str::<serde_json::Value>(line).expect(line)));
        read(&["explain", "--keep-unknown"]);
        read(&["explain", "--json", "-a", "MyBot"]).json();
        read(&["inspect", "-a", "MyBot", "--keep-unknown"]);
        read(&["inspect", "--json", "-a", "MyBot"]).json();
        for form in ["human", "github", "json", "sarif"] {
            on_files(&["lint", "--all", "--format", form]);
        }
        let folders = ["--files", "*", "--dialect", dialect];
        with(&["test", "--json", "-a", "MyBot", "new", "/", "/a\u{1b}[2J\u{9b}\u{202e}", "//x/\u{2028}?#"], &folders)
            .json();
        let (whose, other) =
            if third == 1 { ("--agent=MyBot", "--all-agents") } else { ("--all-agents", "--agent=MyBot") };
        with(&["diff", whose, "old", "new"], &folders);
        with(&["diff", "--json", other, "old", "new"], &folders).json();
    }
}

#[cfg(unix)]
/// Names that look like flags, contain line ends, or are not UTF-8. [harmless.bytes] [cmd.terminal]
#[test]
fn names_of_files_are_printed_harmlessly() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;

    let dir = Dir::new();
    let names: [&[u8]; 7] =
        [b"\x1b]0;x\x07", b"a\nrobosieve: F0RGED", b"a\rb", b"\xc2\x9b31m", b"\xff\xfe", b"\xe2\x80\xae", b"-\x1b[31m"];
    for name in names {
        let name = OsStr::from_bytes(name);
        for exists in [false, true] {
            // Some file systems do not allow such a name.
            if exists && fs::write(dir.path("").join(name), b"User-agent: *\nDisallow: /\n").is_err() {
                continue;
            }
            for (args, count) in [
                ("filter -a x --report json", 1),
                ("explain", 1),
                ("explain --json", 1),
                ("inspect -a x", 1),
                ("diff -a x", 2),
                ("test --json -a x", 2),
            ] {
                dir.tried(
                    &args.split(' ').map(OsStr::new).chain([name; 2].into_iter().take(count)).collect::<Vec<_>>(),
                    b"",
                );
            }
        }
    }
}

#[cfg(unix)]
/// Letters stay, and what was asked is printed as it was asked. Two names of files are never printed in the same way.
/// [harmless.letters] [harmless.distinct]
#[test]
fn letters_stay_and_names_differ() {
    use std::collections::HashSet;
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;

    let dir = Dir::with("User-agent: *\nDisallow: /категория/\n");
    let ran = dir.run(&["test", "-a", "x", "robots.txt", "/категория/x", "/а\\\u{202e}"]).code(1);
    assert!(ran.out().starts_with("disallowed\t/категория/x\tline 2: "), "{}", ran.out());
    assert!(ran.out().contains("\nallowed\t/а\\\\\\xE2\\x80\\xAE\t"), "{}", ran.out());
    let asked = dir.run(&["test", "--json", "-a", "x", "robots.txt", "/категория/x"]).code(1);
    assert_eq!(asked.one_json()["url"], "/категория/x");

    let names: [&[u8]; 7] =
        [b"a\xff", b"a\\xFF", b"a\\\\xFF", "é".as_bytes(), "e\u{301}".as_bytes(), b"\\xC3\xA9", b"\n"];
    let mut printed = HashSet::new();
    for name in names {
        if fs::write(dir.path("").join(OsStr::from_bytes(name)), b"Disalow: /\n").is_err() {
            continue;
        }
        let args = ["inspect", "--json", "-a", "x"].map(OsStr::new);
        let found = dir.run_with(&[&args[..], &[OsStr::from_bytes(name)]].concat(), b"").ok().one_json();
        assert!(printed.insert(found["file"].to_string()), "{found}");
    }
    assert!(printed.contains("\"é\""), "{printed:?}");
}

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

/// Files are read as requests, two lines of each: no more of them is JSON. [cmd.ndjson] [harmless.json]
#[test]
fn any_bytes_are_requests() {
    let max_line = 64 << 20;
    let filter = |input: &[u8]| answers(&["filter", "--ndjson", "--agent", "MyBot"], input);
    let hazards = corpus::files_of(&["hazards"]).into_iter().map(|(_, file)| (file, 2));
    for (file, most) in seeds().into_iter().map(|file| (file, usize::MAX)).chain(hazards) {
        let lines: Vec<&[u8]> = file.split_inclusive(|&byte| byte == b'\n').take(most).collect();
        each_line_gets_one_answer(&lines.concat(), max_line, &filter);
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
    each_line_gets_one_answer(&few, 64 << 20, &filter);
    let all = filter(&requests);
    assert_eq!(all.split_inclusive(|&byte| byte == b'\n').count(), files().len());
}

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
