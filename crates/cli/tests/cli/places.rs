//! Where files are written: a fixed file stays the file that it is, streams are written to, and folders of texts are not
//! left.

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown, symlink};
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::json;

use crate::common::Dir;

const BEFORE: &str = "User-agent: *\nDisalow: /a\n";
const AFTER: &str = "User-agent: *\nDisallow: /a\n";

fn dir() -> Dir {
    let dir = Dir::with(BEFORE);
    fs::create_dir(dir.path("in")).unwrap();
    fs::create_dir(dir.path("texts")).unwrap();
    dir.write("in/in.txt", BEFORE);
    dir.write("in.txt", BEFORE);
    dir
}

fn is_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|found| found.uid() == 0)
}

/// A file that is fixed keeps its owner, its mode and its names; an output that is replaced keeps its mode, and a link
/// to it stays: [cmd.output] [cmd.replace] [cmd.lint.fix] [batch.output]
#[test]
fn a_file_is_fixed_in_place_and_an_output_is_replaced() {
    for (name, args) in [
        ("old.txt", &["lint", "--fix", "old.txt"][..]),
        ("old.txt", &["filter", "-a", "x", "in.txt", "-o", "old.txt"]),
        ("texts/in.txt", &["filter", "-a", "x", "in.txt", "--output-dir", "texts"]),
        ("old.ndjson", &["batch", "-a", "x", "in", "-o", "old.ndjson"]),
    ] {
        let dir = dir();
        let is_fixed = args.contains(&"--fix");
        dir.write(name, BEFORE);
        if is_root() {
            chown(dir.path(name), Some(1234), Some(4321)).unwrap();
        }
        fs::set_permissions(dir.path(name), Permissions::from_mode(0o640)).unwrap();
        fs::hard_link(dir.path(name), dir.path("second")).unwrap();
        let before = fs::metadata(dir.path(name)).unwrap();
        let names = dir.names().len();
        dir.run(args).ok();
        let now = fs::metadata(dir.path(name)).unwrap();
        assert_eq!((now.ino() == before.ino(), now.mode() & 0o7777), (is_fixed, 0o640), "{args:?}");
        assert_eq!((now.uid() == before.uid(), now.nlink() == 2), (is_fixed || !is_root(), is_fixed), "{args:?}");
        assert_ne!(dir.read(name), BEFORE, "{args:?}");
        assert_eq!(
            (dir.names().len(), fs::read_dir(dir.path("texts")).unwrap().count() < 2),
            (names, true),
            "{args:?}"
        );
    }
}

/// A folder that others may enter, with the command in it.
fn shared() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
    // Copied by another process: a test that starts a command meanwhile would hold this file open for writing, and then
    // it could not be run.
    let copied = Command::new("cp").args([env!("CARGO_BIN_EXE_robosieve").as_ref(), folder.path()]).status();
    assert!(copied.unwrap().success());
    fs::rename(folder.path().join("robosieve"), folder.path().join("command")).unwrap();
    let work = folder.path().join("work");
    fs::create_dir(&work).unwrap();
    chown(&work, Some(1234), Some(1234)).unwrap();
    (folder, work)
}

/// A name of an open stream is written to where the stream is: [cmd.stream] [batch.output]
#[test]
fn open_streams_are_written_to() {
    let dir = dir();
    let text = dir.run(&["filter", "-q", "-a", "x", "in.txt"]).ok().out().to_owned();
    let records = dir.run(&["batch", "-q", "-a", "x", "in"]).ok().out().to_owned();
    symlink("/dev/stdout", dir.path("link")).unwrap();
    let run = |script: &str| {
        let mut command = Command::new("sh");
        command.args(["-c", script, env!("CARGO_BIN_EXE_robosieve")]).current_dir(dir.path(""));
        command.stdin(Stdio::null()).output().unwrap()
    };
    let filter = "filter -q -a x in.txt";
    for (args, number, expected) in [
        (format!("{filter} -o /dev/stdout"), 1, &text),
        (format!("{filter} -o /dev/fd/1"), 1, &text),
        (format!("{filter} -o /proc/self/fd/1"), 1, &text),
        (format!("{filter} -o link"), 1, &text),
        (format!("{filter} -o /dev/stderr"), 2, &text),
        (format!("{filter} -o log"), 1, &text),
        ("batch -q -a x in -o /dev/stdout".into(), 1, &records),
    ] {
        for (how, before) in [(">", ""), (">>", "keep\n")] {
            let done = run(&format!(
                "echo keep > log; {{ echo before >&{number}; \"$0\" {args}; echo after >&{number}; }} {number}{how} log"
            ));
            assert_eq!(dir.read("log"), format!("{before}before\n{expected}after\n"), "{args}: {:?}", done.stderr);
        }
    }
    // A pipe, and a device.
    for name in ["/dev/stdout", "link"] {
        assert_eq!(dir.run(&["filter", "-q", "-a", "x", "in.txt", "-o", name]).ok().out(), text);
    }
    dir.run(&["filter", "-q", "-a", "x", "in.txt", "-o", "/dev/null"]).ok();
    dir.run(&["filter", "-q", "-a", "x", "in.txt", "-o", "/dev/full"]).fails(2, &["/dev/full", "No space left"]);
    // Another open file is not replaced under whoever opened it.
    let done = run(&format!("\"$0\" {filter} -o /dev/fd/3 3>>robots.txt"));
    let reported = String::from_utf8(done.stderr).unwrap();
    assert!(
        done.status.code() == Some(2) && reported.contains("/dev/fd/3: is a file that is open already"),
        "{reported}"
    );
    assert_eq!(dir.read("robots.txt"), BEFORE);
    // What cannot be continued, or is no place to write to, is said.
    for resume in ["--resume", "--start-over"] {
        dir.run(&["batch", "-a", "x", "in", "-o", "/dev/stdout", resume]).fails(2, &["can't be continued"]);
    }
    dir.run(&["filter", "-q", "-a", "x", "in.txt", "-o", "/dev/fd/99"]).fails(2, &["/dev/fd/99"]);
    // A pipe that another program reads.
    assert!(Command::new("mkfifo").arg(dir.path("pipe")).status().unwrap().success());
    let reader = Command::new("cat").arg(dir.path("pipe")).stdout(Stdio::piped()).spawn().unwrap();
    dir.run(&["filter", "-q", "-a", "x", "in.txt", "-o", "pipe"]).ok();
    assert_eq!(reader.wait_with_output().unwrap().stdout, text.as_bytes());
}

/// Nothing is written through a link in a folder of texts, nor into a pipe there: [cmd.stream] [batch.output]
#[test]
fn texts_stay_in_their_folder() {
    let dir = dir();
    dir.write("mine", "mine");
    fs::create_dir(dir.path("elsewhere")).unwrap();
    let line = |url: &str| format!("{}\n", json!({"robots": BEFORE, "url": url}));
    let urls = ["http://e.com/robots.txt", "http://f.com/robots.txt", "http://g.com/robots.txt"];
    dir.write("in.ndjson", urls.map(line).concat());
    fs::create_dir_all(dir.path("out/http/e.com")).unwrap();
    symlink("../../../mine", dir.path("out/http/e.com/robots.txt")).unwrap();
    symlink("../../elsewhere", dir.path("out/http/f.com")).unwrap();
    let ran = dir.run(&["batch", "-a", "x", "in.ndjson", "-o", "out"]).code(3);
    for words in ["in.ndjson:1: http/e.com/robots.txt: is a link", "in.ndjson:2: http/f.com/robots.txt: a folder of it"]
    {
        assert!(ran.err().contains(words), "{}", ran.err());
    }
    assert_eq!((dir.read("mine"), fs::read_dir(dir.path("elsewhere")).unwrap().count()), ("mine".into(), 0));
    assert_eq!(dir.read("out/http/g.com/robots.txt"), AFTER);
    symlink("../mine", dir.path("texts/in.txt")).unwrap();
    assert!(Command::new("mkfifo").arg(dir.path("texts/robots.txt")).status().unwrap().success());
    dir.write("b.txt", BEFORE);
    let ran = dir.run(&["filter", "-a", "x", "--output-dir", "texts", "in.txt", "robots.txt", "b.txt"]);
    let ran = ran.fails(2, &["texts/in.txt: is a link, through which nothing is written"]);
    assert!(ran.err().contains("texts/robots.txt: is no regular file"), "{}", ran.err());
    assert_eq!((dir.read("mine").as_str(), dir.read("texts/b.txt").as_str()), ("mine", AFTER));
    // The folder itself may be a link: its user named it.
    symlink("elsewhere", dir.path("named")).unwrap();
    dir.run(&["filter", "-q", "-a", "x", "--output-dir", "named", "b.txt"]).ok();
    dir.run(&["batch", "-q", "-a", "x", "in.ndjson", "-o", "named"]).ok();
    assert_eq!(
        (dir.read("elsewhere/b.txt").as_str(), dir.read("elsewhere/http/e.com/robots.txt").as_str()),
        (AFTER, AFTER)
    );
    // So does a link to a file of records.
    symlink("elsewhere/r.ndjson", dir.path("r.ndjson")).unwrap();
    for _ in 0..2 {
        dir.run(&["batch", "-q", "-a", "x", "in", "-o", "r.ndjson"]).ok();
        assert!(dir.path("r.ndjson").is_symlink() && dir.read("elsewhere/r.ndjson").contains("in/in.txt"));
    }
}

/// A file that cannot be written is its record's failure, and the host's own file has its place: [batch.names]
/// [batch.failures]
#[test]
fn each_name_fails_alone() {
    let dir = dir();
    let long = format!("http://e.com/{}/robots.txt", "x".repeat(300));
    let deep = format!("http://e.com/{}robots.txt", "abcdefgh/".repeat(700));
    let urls = [
        "http://d.example/robots.txt/x",
        "http://d.example/robots.txt",
        "http://con/robots.txt",
        "http://nul.example/",
        "https://aux.example/",
        "http://com1/",
        "http://e.com/A",
        "http://e.com/a",
        "http://e.com/a/",
        "http://e.com/a/b",
        "http://e.com/a.",
        &long,
        &deep,
        "http://taken.com/robots.txt",
        "http://shut.com/robots.txt",
        "http://last.com/robots.txt",
    ];
    let lines = urls.map(|url| {
        format!("{}\n", json!({"robots": format!("Disallow: /\nUser-agent: x\nDisallow: /{}", url.len()), "url": url}))
    });
    dir.write("in.ndjson", lines.concat());
    fs::create_dir_all(dir.path("out/http/taken.com/robots.txt")).unwrap();
    fs::create_dir_all(dir.path("out/http")).unwrap();
    // No folder can be made there: for root too, since it is a file.
    dir.write("out/http/shut.com", "");
    let ran = dir.run(&["batch", "-a", "x", "in.ndjson", "-o", "out"]).code(3);
    let failed = [12, 13, 14, 15].map(|number| format!("in.ndjson:{number}: "));
    let reported = ran.err().lines().filter(|line| line.contains("in.ndjson:1") && line.contains(": http"));
    assert_eq!(reported.clone().count(), 4, "{}", ran.err());
    assert!(reported.zip(failed).all(|(line, name)| line.contains(&name)), "{}", ran.err());
    assert!(ran.err().lines().all(|line| line.len() < 500), "{}", ran.err());
    for (name, url) in [
        ("http/d.example/robots.txt@/x", urls[0]),
        ("http/d.example/robots.txt", urls[1]),
        ("http/%63on/robots.txt", urls[2]),
        ("http/e.com/%41", urls[6]),
        ("http/e.com/a@/%", urls[8]),
        ("http/last.com/robots.txt", urls[15]),
    ] {
        let text = dir.read(&format!("out/{name}"));
        assert_eq!(text, format!("User-agent: *\nDisallow: /{}\n", url.len()), "{url}");
    }
    // Nobody may write there.
    if is_root() {
        let (folder, work) = shared();
        fs::write(work.join("in.ndjson"), lines.concat()).unwrap();
        fs::create_dir_all(work.join("out/http/con")).unwrap();
        fs::create_dir_all(work.join("out/http/d.example")).unwrap();
        for name in ["out", "out/http"] {
            chown(work.join(name), Some(1234), Some(1234)).unwrap();
        }
        let ran = Command::new(folder.path().join("command"))
            .args(["batch", "-a", "x", "in.ndjson", "-o", "out"])
            .current_dir(&work)
            .uid(1234)
            .gid(1234)
            .output()
            .unwrap();
        let reported = String::from_utf8(ran.stderr).unwrap();
        assert!(ran.status.code() == Some(3) && reported.contains("in.ndjson:1: http/d.example"), "{reported}");
        assert!(work.join("out/http/last.com/robots.txt").exists(), "{reported}");
    }
}
