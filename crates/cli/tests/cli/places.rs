//! Files that are replaced stay their owner's, streams are written to, and folders of texts are not left.

use std::collections::BTreeMap;
use std::fs::{self, File, Permissions};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown, symlink};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use rustix::fs::{XattrFlags, lgetxattr, llistxattr, setxattr};
use serde_json::json;

use crate::common::Dir;

const BEFORE: &str = "User-agent: *\nDisalow: /a\n";
const AFTER: &str = "User-agent: *\nDisallow: /a\n";

/// What writes a file, and the file.
const WRITERS: [(&str, &[&str]); 9] = [
    ("old.txt", &["lint", "--fix", "old.txt"]),
    ("old.txt", &["filter", "-a", "x", "in.txt", "-o", "old.txt"]),
    ("old.txt", &["filter", "-a", "x", "in.txt", "-o", "/dev/null", "--report-to", "old.txt"]),
    ("texts/in.txt", &["filter", "-a", "x", "in.txt", "--output-dir", "texts"]),
    ("old.ndjson", &["batch", "-a", "x", "in", "-o", "old.ndjson"]),
    ("old.txt", &["batch", "-a", "x", "in", "-o", "/dev/null", "--summary-to", "old.txt"]),
    ("texts/in.txt", &["batch", "-a", "x", "in", "-o", "texts"]),
    ("old.ndjson", &["batch", "-a", "x", "in", "-o", "texts", "--records", "old.ndjson"]),
    ("old.ndjson", &["census", "in", "-o", "old.ndjson"]),
];

fn dir() -> Dir {
    let dir = Dir::with(BEFORE);
    fs::create_dir(dir.path("in")).unwrap();
    fs::create_dir(dir.path("texts")).unwrap();
    dir.write("in/in.txt", BEFORE);
    dir.write("in.txt", BEFORE);
    dir
}

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// An access list: a user more may read.
fn access_list() -> Vec<u8> {
    let none = u32::MAX;
    let entries = [(1_u16, 6_u16, none), (2, 4, 33), (4, 4, none), (16, 4, none), (32, 0, none)];
    let entries =
        entries.map(|(tag, mode, id)| [&tag.to_le_bytes()[..], &mode.to_le_bytes(), &id.to_le_bytes()].concat());
    [&2_u32.to_le_bytes()[..], &entries.concat()].concat()
}

/// All that a file has besides its content.
#[derive(Debug, PartialEq)]
struct Kept {
    owner: (u32, u32),
    mode: u32,
    names: u64,
    attributes: BTreeMap<String, Vec<u8>>,
}

impl Kept {
    fn of(path: &Path) -> Self {
        let found = fs::metadata(path).unwrap();
        let (mut names, mut value) = (vec![0; 1 << 16], vec![0; 1 << 16]);
        let length = llistxattr(path, &mut names[..]).unwrap_or(0);
        let names = names[..length].split(|byte| *byte == 0).filter(|name| !name.is_empty());
        let mut attributes = BTreeMap::new();
        for name in names {
            let length = lgetxattr(path, name, &mut value[..]).unwrap();
            attributes.insert(String::from_utf8(name.to_owned()).unwrap(), value[..length].to_owned());
        }
        let owner = (found.uid(), found.gid());
        Self { owner, mode: found.mode() & 0o7777, names: found.nlink(), attributes }
    }
}

/// A file of another owner, if this test may do that, with all that a file can have on this disk.
fn make(path: &Path, mode: u32) {
    fs::write(path, BEFORE).unwrap();
    // Disks without them are left out.
    let _ = setxattr(path, "user.note", b"mine", XattrFlags::empty());
    let _ = setxattr(path, "system.posix_acl_access", &access_list(), XattrFlags::empty());
    if is_root() {
        chown(path, Some(1234), Some(4321)).unwrap();
    }
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

fn leftovers(folder: &Path) -> Vec<String> {
    let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name.ends_with(".robosieve")).collect()
}

/// Owner, group, mode, access list, attributes and names stay, whatever writes: [cmd.output] [cmd.replace]
/// [cmd.lint.fix] [batch.output]
#[test]
fn a_file_that_is_replaced_stays_its_owners() {
    for (name, args) in WRITERS {
        for mode in [0o640, 0o600, 0o444] {
            let dir = dir();
            make(&dir.path(name), mode);
            let (before, old) = (Kept::of(&dir.path(name)), dir.read(name));
            dir.run(args).ok();
            assert_eq!(Kept::of(&dir.path(name)), before, "{args:?}");
            assert_ne!(dir.read(name), old, "{args:?}");
        }
        // Two names: both have the new content.
        let dir = dir();
        make(&dir.path(name), 0o640);
        fs::hard_link(dir.path(name), dir.path("second")).unwrap();
        let before = Kept::of(&dir.path("second"));
        dir.run(args).ok();
        assert_eq!((Kept::of(&dir.path(name)), before.names), (before, 2), "{args:?}");
        assert_eq!(dir.read(name), dir.read("second"));
        assert_ne!(dir.read(name), BEFORE, "{args:?}");
        // New content runs as nobody else.
        let dir = self::dir();
        make(&dir.path(name), 0o6755);
        dir.run(args).ok();
        assert_eq!(Kept::of(&dir.path(name)).mode, 0o755, "{args:?}");
        for folder in ["", "texts"] {
            assert_eq!(leftovers(&dir.path(folder)), [""; 0], "{args:?}");
        }
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

/// Who may not give a file its owner, its group or its list writes it in place, if that is allowed: [cmd.replace]
#[test]
fn what_cannot_be_kept_is_written_in_place() {
    if !is_root() {
        eprintln!("left out: only root can run it as others");
        return;
    }
    let (folder, work) = shared();
    // Owner, group, mode: what became of the file.
    for (owner, group, mode, is_written) in [
        (1234, 1234, 0o640, true),
        (1234, 4321, 0o640, true),
        (4321, 4321, 0o666, true),
        (4321, 1234, 0o664, true),
        (4321, 4321, 0o644, false),
        (0, 0, 0o600, false),
    ] {
        let file = work.join("r.txt");
        fs::write(&file, BEFORE).unwrap();
        chown(&file, Some(owner), Some(group)).unwrap();
        fs::set_permissions(&file, Permissions::from_mode(mode)).unwrap();
        let (before, node) = (Kept::of(&file), fs::metadata(&file).unwrap().ino());
        fs::write(work.join("in.txt"), BEFORE).unwrap();
        let ran = Command::new(folder.path().join("command"))
            .args(["filter", "-q", "-a", "x", "in.txt", "-o", "r.txt"])
            .current_dir(&work)
            .uid(1234)
            .gid(1234)
            .output()
            .unwrap();
        let told = String::from_utf8(ran.stderr).unwrap();
        assert_eq!(ran.status.code(), Some(if is_written { 0 } else { 2 }), "{owner} {group} {mode:o}: {told}");
        assert_eq!(fs::read_to_string(&file).unwrap(), if is_written { AFTER } else { BEFORE });
        assert_eq!(Kept::of(&file), before, "{owner} {group} {mode:o}");
        let is_same = node == fs::metadata(&file).unwrap().ino();
        assert_eq!(is_same, (owner, group) != (1234, 1234), "{owner} {group} {mode:o}");
        assert_eq!(leftovers(&work), [""; 0]);
        fs::remove_file(&file).unwrap();
    }
}

#[cfg(target_os = "linux")]
/// A full disk leaves the file as it was, also one that is written in place: [cmd.replace]
#[test]
fn a_full_disk_leaves_the_file() {
    let dir = dir();
    let disk = dir.path("disk");
    fs::create_dir(&disk).unwrap();
    let mount = Command::new("mount").args(["-t", "tmpfs", "-o", "size=256k", "tmpfs"]).arg(&disk).output();
    if !mount.is_ok_and(|done| done.status.success()) {
        eprintln!("left out: no disk can be mounted here");
        return;
    }
    let text = |size: usize| {
        let rule = |number| format!("Disallow: /{number:07}/\n");
        format!("User-agent: *\n{}", (0..size * 1024 / 20).map(rule).collect::<String>())
    };
    // The sizes of the file, of the text and of another file; whether there is room.
    let cases =
        [(20, 200, 0, true), (150, 4, 0, false), (40, 100, 130, false), (60, 61, 0, true), (100, 4, 140, false)];
    let tried = cases.map(|(old, new, other, _)| {
        let (old, new) = (text(old), text(new));
        fs::write(disk.join("r.txt"), &old).unwrap();
        fs::hard_link(disk.join("r.txt"), disk.join("second")).unwrap();
        fs::write(disk.join("other"), "x".repeat(other * 1024)).unwrap();
        dir.write("in.txt", &new);
        let args = ["--max-bytes", "1000000", "--max-lines", "1000000", "-q", "-a", "x", "in.txt", "-o", "disk/r.txt"];
        let ran = dir.run(&[&["filter"], &args[..]].concat());
        let now = fs::read_to_string(disk.join("second")).unwrap();
        let left = leftovers(&disk);
        let _ = ["r.txt", "second", "other"].map(|name| fs::remove_file(disk.join(name)).unwrap());
        (ran, now == old, now == new, left)
    });
    // A big output, of which the complete part is the copy: it fits, and what it would become does not.
    dir.write("in.ndjson", format!("{}\n", json!({"robots": ""})).repeat(400));
    fs::write(disk.join("r.ndjson"), "old").unwrap();
    fs::hard_link(disk.join("r.ndjson"), disk.join("second")).unwrap();
    let batch = ["batch", "-q", "-a", "x", "in.ndjson", "-o", "disk/r.ndjson"];
    let full = dir.run(&batch);
    let kept = fs::read_to_string(disk.join("second")).unwrap();
    assert!(Command::new("mount").args(["-o", "remount,size=1m"]).arg(&disk).status().unwrap().success());
    let continued = dir.run(&[&batch[..], &["--resume"]].concat());
    let records = fs::read_to_string(disk.join("second")).unwrap();
    assert!(Command::new("umount").arg(&disk).status().unwrap().success());
    for ((ran, is_old, is_new, left), case) in tried.into_iter().zip(cases) {
        assert_eq!(left, [""; 0], "{case:?}");
        assert_eq!((is_old, is_new), (!case.3, case.3), "{case:?}");
        let _ = if case.3 { ran.ok() } else { ran.fails(2, &["disk/r.txt", "No space left on device"]) };
    }
    full.fails(2, &["disk/r.ndjson: No space left on device", "--resume"]);
    assert_eq!(kept, "old");
    continued.ok();
    assert!(records.lines().count() == 400 && records.len() > 128 * 1024, "{}", records.len());
}

/// Kills writers at random. What is there is whole: the old or the new file; and of one that is written in place, the
/// copy. `ROBOSIEVE_KILLS=500 cargo test -p robosieve-cli --test cli a_kill_loses` tries more. [cmd.replace]
#[test]
fn a_kill_loses_no_file_and_leaves_nothing() {
    let goal = std::env::var("ROBOSIEVE_KILLS").map_or(20, |count| count.parse().unwrap());
    let text = |word: &str| {
        let rule = |number| format!("Disallow: /{word}/of/some/length/{number:07}\n");
        format!("User-agent: *\n{}", (0..9_000).map(rule).collect::<String>())
    };
    let (old, new) = (text("old"), text("new"));
    let (mut seed, mut copies, mut left) = (7_u64, 0, 0);
    for is_in_place in [false, true] {
        let dir = dir();
        let copy = dir.path("r.txt.before.robosieve");
        dir.write("in.txt", &new);
        let args = ["filter", "-q", "-a", "x", "in.txt", "-o", "r.txt"];
        let reset = || {
            dir.write("r.txt", &old);
            let _ = fs::remove_file(dir.path("second"));
            if is_in_place {
                fs::hard_link(dir.path("r.txt"), dir.path("second")).unwrap();
            }
        };
        reset();
        let begun = Instant::now();
        dir.run(&args).ok();
        assert!(dir.read("r.txt") == new);
        let took = begun.elapsed();
        for number in 0..goal {
            reset();
            let mut child = dir.spawn(&args);
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let wait = took.mul_f64(f64::from(u32::try_from(seed >> 40).unwrap()) / f64::from(1 << 24));
            let begun = Instant::now();
            // Every second time, at the moment when the copy is there.
            while begun.elapsed() < wait || number % 2 == 1 && !copy.exists() && begun.elapsed() < took * 2 {
                std::thread::yield_now();
            }
            child.kill().unwrap();
            child.wait().unwrap();
            let now = dir.read("r.txt");
            if copy.exists() {
                copies += 1;
                assert!(is_in_place && fs::read_to_string(&copy).unwrap() == old);
                // It is named, and nothing is written over what may be half a file.
                let ran = dir.run(&["filter", "-a", "x", "in.txt", "-o", "r.txt"]);
                ran.fails(2, &["r.txt.before.robosieve has all of the file as it was before"]);
                assert!(copy.exists() && dir.read("r.txt") == now);
                fs::remove_file(&copy).unwrap();
            } else {
                assert!(now == old || now == new, "{is_in_place}");
            }
            left += leftovers(&dir.path("")).len();
            // The next run that writes to the folder takes away what was left.
            dir.run(&["filter", "-q", "-a", "x", "in.txt", "-o", "other.txt"]).ok();
            assert_eq!(leftovers(&dir.path("")), [""; 0]);
        }
    }
    eprintln!("{goal} kills each: {copies} while it was written in place, {left} files left and removed");
}

/// Only what a killed run of this user left is removed: [cmd.replace]
#[test]
fn only_leftovers_are_removed() {
    let dir = dir();
    for name in [".abcDEF.robosieve", ".abcdef.robosieve.txt", ".abcde.robosieve", "abcdef.robosieve"] {
        dir.write(name, "x");
    }
    symlink("in.txt", dir.path(".aaaaaa.robosieve")).unwrap();
    fs::create_dir(dir.path(".bbbbbb.robosieve")).unwrap();
    // As a run that lives has it.
    dir.write(".cccccc.robosieve", "x");
    let locked = File::open(dir.path(".cccccc.robosieve")).unwrap();
    rustix::fs::flock(&locked, rustix::fs::FlockOperation::LockExclusive).unwrap();
    let mut stay =
        [".aaaaaa.robosieve", ".abcde.robosieve", ".bbbbbb.robosieve", ".cccccc.robosieve", "abcdef.robosieve"];
    stay.sort_unstable();
    if is_root() {
        dir.write(".dddddd.robosieve", "x");
        chown(dir.path(".dddddd.robosieve"), Some(1234), None).unwrap();
    }
    dir.run(&["filter", "-q", "-a", "x", "in.txt", "-o", "new.txt"]).ok();
    let mut left = leftovers(&dir.path(""));
    left.sort_unstable();
    left.retain(|name| name != ".dddddd.robosieve");
    assert_eq!(left, stay);
    assert!(dir.path(".abcdef.robosieve.txt").exists() && (!is_root() || dir.path(".dddddd.robosieve").exists()));
    drop(locked);
    dir.write("in/.eeeeee.robosieve", BEFORE);
    dir.run(&["batch", "-a", "x", "in", "-o", "texts"]).fails(3, &["have such names"]);
    dir.run(&["filter", "-a", "x", "in/.eeeeee.robosieve", "--output-dir", "texts"]).fails(2, &["have such names"]);
    dir.write("texts/.ffffff.robosieve", "");
    dir.run(&["batch", "-q", "-a", "x", "in/in.txt", "-o", "texts"]).ok();
    assert_eq!(leftovers(&dir.path("texts")), [""; 0]);
}

/// A name of an open stream is written to where the stream is: [cmd.stream] [batch.output]
#[test]
fn open_streams_are_written_to() {
    let dir = dir();
    let text = dir.run(&["filter", "-q", "-a", "x", "in.txt"]).ok().out().to_owned();
    let records = dir.run(&["batch", "-q", "-a", "x", "in"]).ok().out().to_owned();
    let rows = dir.run(&["census", "-q", "in"]).ok().out().to_owned();
    let report = dir.run(&["filter", "-q", "-a", "x", "in.txt", "-o", "/dev/null", "--report-to", "r"]).ok();
    let report = (report, dir.read("r")).1;
    symlink("/dev/stdout", dir.path("link")).unwrap();
    let filter = "filter -q -a x in.txt";
    for (args, number, expected) in [
        (format!("{filter} -o /dev/stdout"), 1, &text),
        (format!("{filter} -o /dev/fd/1"), 1, &text),
        (format!("{filter} -o /proc/self/fd/1"), 1, &text),
        (format!("{filter} -o link"), 1, &text),
        (format!("{filter} -o /dev/fd/3"), 3, &text),
        (format!("{filter} -o /proc/self/fd/7"), 7, &text),
        (format!("{filter} -o /dev/null --report-to /dev/stderr"), 2, &report),
        (format!("{filter} -o /dev/null --report-to /dev/fd/4"), 4, &report),
        ("batch -q -a x in -o /dev/stdout".into(), 1, &records),
        ("batch -q -a x in -o /dev/fd/5".into(), 5, &records),
        ("census -q in -o /dev/stdout".into(), 1, &rows),
    ] {
        for (how, before) in [(">", ""), (">>", "keep\n")] {
            let script = format!(
                "echo keep > log; {{ echo before >&{number}; \"$0\" {args}; echo after >&{number}; }} {number}{how} log"
            );
            let done = Command::new("sh")
                .args(["-c", &script, env!("CARGO_BIN_EXE_robosieve")])
                .current_dir(dir.path(""))
                .stdin(Stdio::null())
                .output()
                .unwrap();
            let log = dir.read("log");
            assert_eq!(log, format!("{before}before\n{expected}after\n"), "{script}: {:?}", done.stderr);
        }
    }
    // A pipe.
    assert_eq!(dir.run(&["filter", "-q", "-a", "x", "in.txt", "-o", "/dev/stdout"]).ok().out(), text);
    // What cannot be continued, or is no place to write to, is said.
    for resume in ["--resume", "--start-over"] {
        dir.run(&["batch", "-a", "x", "in", "-o", "/dev/stdout", resume]).fails(2, &["can't be continued"]);
        symlink("/dev/stdout", dir.path("s.ndjson")).unwrap();
        dir.run(&["batch", "-a", "x", "in", "-o", "texts", "--records", "s.ndjson", resume])
            .fails(2, &["can't be continued"]);
        fs::remove_file(dir.path("s.ndjson")).unwrap();
    }
    dir.run(&["filter", "-q", "-a", "x", "in.txt", "-o", "/dev/fd/99"]).fails(2, &["/dev/fd/99"]);
    let script = "\"$0\" lint --fix /dev/fd/3 3<>in.txt";
    let mut fix = Command::new("sh");
    let done = fix.args(["-c", script, env!("CARGO_BIN_EXE_robosieve")]).current_dir(dir.path("")).output().unwrap();
    assert!(done.status.code() == Some(2) && String::from_utf8_lossy(&done.stderr).contains("is an open stream"));
    assert_eq!(dir.read("in.txt"), BEFORE);
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
    assert!(ran.err().contains("texts/robots.txt: is no file"), "{}", ran.err());
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
    let ran = dir.run(&["batch", "-a", "x", "in.ndjson", "-o", "out", "--records", "r.ndjson"]).code(3);
    let records: Vec<serde_json::Value> =
        dir.read("r.ndjson").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let failed: Vec<&str> =
        records.iter().filter(|one| one["outcome"] == "failed").map(|one| one["url"].as_str().unwrap()).collect();
    assert_eq!(failed, [&long, &deep, "http://taken.com/robots.txt", "http://shut.com/robots.txt"]);
    assert!(ran.err().lines().all(|line| line.len() < 500), "{}", ran.err());
    for (record, url) in records.iter().zip(urls).filter(|(one, _)| one["outcome"] == "rules") {
        let text = dir.read(&format!("out/{}", record["file"].as_str().unwrap()));
        assert_eq!(text, format!("User-agent: *\nDisallow: /{}\n", url.len()), "{url}");
    }
    assert!(
        records.iter().filter(|one| one["outcome"] == "failed").all(|one| one["error"]["message"]
            .as_str()
            .unwrap()
            .len()
            < 400)
    );
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
        let told = String::from_utf8(ran.stderr).unwrap();
        assert!(ran.status.code() == Some(3) && told.contains("in.ndjson:1: http/d.example"), "{told}");
        assert!(work.join("out/http/last.com/robots.txt").exists(), "{told}");
    }
}
