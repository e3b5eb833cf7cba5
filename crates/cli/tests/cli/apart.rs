//! No command replaces what it reads, by any name.

use std::fs;

use crate::common::Dir;

const FILE: &str = "User-agent: *\nDisallow: /x\n";

/// Files of each kind that a command reads.
fn inputs() -> Dir {
    let dir = Dir::new();
    for folder in ["in", "in2", "sub"] {
        fs::create_dir(dir.path(folder)).unwrap();
    }
    for name in ["in/a.txt", "in2/b.txt", "a.txt", "b.txt", "a.svg", "z.ndjson.part"] {
        dir.write(name, FILE);
    }
    dir.write("l.ndjson", "a.txt\nin\nz.ndjson\n");
    dir.write("list", "a.txt\nin\n");
    dir.write("ag.ndjson", "GPTBot\n");
    dir.write("urls.txt", "https://h.example/\n");
    dir.write("empty.txt", "");
    dir.write("token.txt", "0123456789abcdef0123\n");
    dir.write("root.pem", "no certificate\n");
    dir
}

fn all(dir: &Dir) -> Vec<(String, String)> {
    let below = ["", "in/", "in2/", "sub/"].into_iter().flat_map(|folder| {
        let entries = fs::read_dir(dir.path(folder)).unwrap().map(|entry| entry.unwrap());
        let files = entries.filter(|entry| entry.path().is_file());
        files.map(move |entry| format!("{folder}{}", entry.file_name().to_str().unwrap())).collect::<Vec<_>>()
    });
    let mut all: Vec<_> = below.map(|name| (name.clone(), dir.read(&name))).collect();
    all.sort();
    all
}

/// Runs commands that would replace what they read: each is refused, and changes nothing. `@` is the whole path of
/// `a.txt`.
#[track_caller]
fn expect_refused(dir: &Dir, commands: &[&str]) {
    let before = all(dir);
    for line in commands {
        let whole = dir.path("a.txt");
        let args: Vec<&str> =
            line.split(' ').map(|arg| if arg == "@" { whole.to_str().unwrap() } else { arg }).collect();
        let ran = dir.run(&args).fails(2, &[]);
        let is_reported = ["the input", "are the same file"].iter().any(|words| ran.err().contains(words));
        assert!(is_reported, "{line}: {}", ran.err());
        assert_eq!(all(dir), before, "{line}");
    }
}

/// No input is replaced, and no output by another: [cmd.filter] [cmd.output] [cmd.exit]
#[test]
fn a_text_or_a_report_replaces_nothing() {
    let dir = inputs();
    let lines = [
        "-o a.txt a.txt",
        "-o ./sub/../a.txt a.txt",
        "-o @ a.txt",
        "--output-dir . a.txt",
        "--output-dir sub/.. a.txt",
        "--report-to a.txt a.txt",
        "-o clean.txt --report-to @ a.txt",
        // One input would be replaced by the text of another.
        "--output-dir . sub/../b.txt a.txt",
        // One file by two names.
        "-o new --report-to new a.txt",
        "-o new --report-to ./new a.txt",
        "-o new --report-to sub/../new a.txt",
        "-o new --report-to sub//..//new a.txt",
        "--output-dir clean --report-to clean/a.txt a.txt",
        "--output-dir clean --report-to ./clean/../clean/a.txt a.txt",
    ];
    expect_refused(&dir, &lines.map(|line| format!("filter -a x {line}")).each_ref().map(String::as_str));
    assert!(!dir.path("clean").exists());
    dir.run(&["filter", "-a", "x", "--output-dir", "clean", "--report-to", "clean/r.txt", "a.txt"]).ok();
    #[cfg(unix)]
    dir.run(&["filter", "-a", "x", "-o", "/dev/null", "--report-to", "/dev/null", "a.txt"]).ok();
    dir.run(&["filter", "-a", "x", "--report-to", "-", "a.txt"]).fails(2, &["leave it out"]);
    assert!(!dir.path("-").exists());
}

#[cfg(unix)]
/// [cmd.filter] [cmd.output] [cmd.exit]
#[test]
fn a_text_or_a_report_replaces_nothing_through_links_and_streams() {
    let dir = inputs();
    linked(&dir, &[("in/a.txt", "soft.txt"), ("free.txt", "link.txt"), ("link.txt", "link2.txt")]);
    fs::hard_link(dir.path("a.txt"), dir.path("hard.txt")).unwrap();
    fs::create_dir(dir.path("clean")).unwrap();
    linked(&dir, &[("../in/a.txt", "clean/soft.txt"), ("b.txt", "clean/a.txt")]);
    let lines = [
        "-o soft.txt in/a.txt",
        "-o in/a.txt soft.txt",
        "-o hard.txt a.txt",
        "--output-dir clean soft.txt",
        // Two texts in one directory.
        "--output-dir clean a.txt b.txt",
        // A link to a missing file, and then to a file.
        "-o link2.txt --report-to free.txt a.txt",
    ];
    let lines = lines.map(|line| format!("filter -a x {line}"));
    expect_refused(&dir, &lines.each_ref().map(String::as_str));
    dir.write("free.txt", "old");
    expect_refused(&dir, &lines.each_ref().map(String::as_str)[5..]);
    let before = all(&dir);
    assert_eq!(redirected(&dir, &["filter", "-a", "x", "-o", "a.txt"], "a.txt", "empty.txt"), Some(2));
    for args in [&["filter", "-a", "x", "a.txt"][..], &["explain", "a.txt"], &["inspect", "-a", "x", "hard.txt"]] {
        assert_eq!(redirected(&dir, args, "empty.txt", "a.txt"), Some(2), "{args:?}");
    }
    assert_eq!(all(&dir), before);
    assert_eq!(redirected(&dir, &["filter", "-a", "x", "-o", "clean/new.txt"], "a.txt", "empty.txt"), Some(0));
}

#[cfg(unix)]
fn linked(dir: &Dir, links: &[(&str, &str)]) {
    for (to, link) in links {
        std::os::unix::fs::symlink(to, dir.path(link)).unwrap();
    }
}

#[cfg(unix)]
/// Runs a command as `COMMAND < stdin >> stdout`, which does not empty the output.
fn redirected(dir: &Dir, args: &[&str], stdin: &str, stdout: &str) -> Option<i32> {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_robosieve"));
    let stdout = fs::File::options().append(true).open(dir.path(stdout)).unwrap();
    command.current_dir(dir.path("")).args(args).stdin(fs::File::open(dir.path(stdin)).unwrap()).stdout(stdout);
    command.stderr(std::process::Stdio::null()).status().unwrap().code()
}

#[cfg(feature = "batch")]
/// [batch.output] [cmd.output]
#[test]
fn an_output_replaces_nothing() {
    let dir = inputs();
    expect_refused(
        &dir,
        &[
            "batch -a M --files-from l.ndjson -o l.ndjson",
            "batch -a M --files-from l.ndjson -o z.ndjson",
            "batch -a M z.ndjson.part -o z.ndjson",
            "batch -a M a.txt z.ndjson.part -o z.ndjson",
            "batch -a M in -o in",
            "batch -a M in -o in/out",
            "batch -a M in -o in/sub/../out.ndjson",
            "batch -a M in/a.txt -o in",
            "batch -a M in2/b.txt in/a.txt -o sub/../in",
            "batch -a M --files-from list -o in",
            "census --files-from l.ndjson -o l.ndjson",
            "census --agents ./ag.ndjson in -o ag.ndjson",
            "census z.ndjson.part -o z.ndjson",
        ],
    );
    // A list that can be read only once: the run ends before the output gets its name.
    dir.write("o.ndjson", FILE);
    dir.run_with(&["batch", "-a", "M", "--files-from", "-", "-o", "o.ndjson"], b"a.txt\no.ndjson\n")
        .fails(2, &["o.ndjson is the input o.ndjson"]);
    assert_eq!(dir.read("o.ndjson"), FILE);
    dir.run_with(&["batch", "-a", "M", "--files-from", "-", "-o", "in"], b"in/a.txt\n").fails(2, &["is inside in,"]);
    assert_eq!(dir.read("in/a.txt"), FILE);
}

#[cfg(all(unix, feature = "batch"))]
/// [batch.output] [cmd.output]
#[test]
fn an_output_replaces_nothing_through_links_and_streams() {
    let dir = inputs();
    linked(&dir, &[("in/a.txt", "soft.txt"), ("in", "linked")]);
    fs::hard_link(dir.path("a.txt"), dir.path("hard.ndjson")).unwrap();
    expect_refused(
        &dir,
        &[
            "batch -a M linked -o in/new.ndjson",
            "batch -a M a.txt -o hard.ndjson",
            "batch -a M --files-from list -o hard.ndjson",
        ],
    );
    let before = all(&dir);
    assert_eq!(redirected(&dir, &["batch", "-a", "M", "-o", "hard.ndjson"], "a.txt", "empty.txt"), Some(2));
    assert_eq!(redirected(&dir, &["batch", "-a", "M", "a.txt"], "empty.txt", "hard.ndjson"), Some(2));
    assert_eq!(redirected(&dir, &["batch", "-a", "M", "in"], "empty.txt", "in/a.txt"), Some(2));
    assert_eq!(redirected(&dir, &["batch", "-a", "M", "--files-from", "list"], "empty.txt", "a.txt"), Some(2));
    assert_eq!(all(&dir), before);
}

#[cfg(feature = "gate")]
/// [cmd.output]
#[test]
fn the_gate_replaces_nothing() {
    let dir = inputs();
    let me = "--agent M/1.0(+https://m.example/)";
    let lines = [
        "check --root-cert empty.txt --store empty.txt https://h.example/",
        "serve --listen 127.0.0.1:0 --token-file empty.txt --store empty.txt",
        "fetch --root-cert root.pem --raw root.pem h.example",
    ];
    let lines: Vec<String> = lines.map(|line| format!("{line} {me}")).into();
    expect_refused(&dir, &lines.iter().map(String::as_str).collect::<Vec<_>>());
}
