//! Files that are made and fixed: kills, full disks, and what is no file.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use robosieve_batch::files::{fix, replace, replace_in};

use crate::common::Folder;

const CHILD: &str = "ROBOSIEVE_PLACE";

fn old() -> Vec<u8> {
    b"old ".repeat(20_000)
}

fn new() -> Vec<u8> {
    b"new content ".repeat(12_000)
}

/// The files that are there, but for `r.txt`.
fn others(folder: &Path) -> Vec<Vec<u8>> {
    let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    names.filter(|path| path.file_name() != Some("r.txt".as_ref())).map(|path| fs::read(path).unwrap()).collect()
}

/// Writes, until the test below kills it. Alone it does nothing.
#[test]
fn a_writer() {
    let Some(path) = std::env::var_os(CHILD) else { return };
    loop {
        for content in [new(), old()] {
            if path.as_encoded_bytes().ends_with(b"fix/r.txt") {
                fix(Path::new(&path), &content).unwrap();
            } else {
                replace(Path::new(&path), &content).unwrap();
            }
        }
    }
}

/// What is there after a kill is whole: the old or the new file, and of one that is fixed, the copy. [cmd.replace]
#[test]
fn a_kill_leaves_a_whole_file() {
    let root = Folder::new();
    let mut copies = 0;
    for how in ["fix", "replace"] {
        let path = root.write(&format!("{how}/r.txt"), "");
        let folder = path.parent().unwrap();
        for number in 0..8 {
            fs::remove_dir_all(folder).unwrap();
            fs::create_dir(folder).unwrap();
            fs::write(&path, old()).unwrap();
            let mut child = Command::new(std::env::current_exe().unwrap())
                .args(["--exact", "places::a_writer"])
                .env(CHILD, &path)
                .stdout(Stdio::null())
                .spawn()
                .unwrap();
            // It is at work as soon as there is a copy.
            let begun = Instant::now();
            while fs::read_dir(folder).unwrap().count() < 2 && begun.elapsed() < Duration::from_secs(20) {
                std::thread::yield_now();
            }
            std::thread::sleep(Duration::from_micros(number * 7_919 % 9_000));
            child.kill().unwrap();
            child.wait().unwrap();
            let is_whole = |content: &Vec<u8>| *content == old() || *content == new();
            if !is_whole(&fs::read(&path).unwrap()) {
                copies += 1;
                assert!(how == "fix" && others(folder).iter().any(is_whole), "{how}");
            }
        }
    }
    eprintln!("{copies} of 16 kills left a copy");
}

/// A disk of its own, if this test may mount one.
#[cfg(target_os = "linux")]
fn on_a_disk(size: &str, test: impl FnOnce(&Path)) {
    let root = Folder::new();
    let mount = Command::new("mount").args(["-t", "tmpfs", "-o", size, "tmpfs"]).arg(root.path("")).output();
    if !mount.is_ok_and(|done| done.status.success()) {
        return eprintln!("left out: no disk can be mounted here");
    }
    let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| test(&root.path(""))));
    assert!(Command::new("umount").arg(root.path("")).status().unwrap().success());
    done.unwrap();
}

/// A full disk leaves the file as it was, and nothing next to it: [cmd.replace]
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_leaves_the_file() {
    on_a_disk("size=256k", |disk| {
        let path = disk.join("r.txt");
        let kilobytes = |count: usize| "x".repeat(count << 10).into_bytes();
        // Kilobytes of the file, the new content and another file; whether there is room to fix it, and to replace it.
        for (before, after, other, is_fixed, is_replaced) in [
            (20, 100, 0, true, true),
            (150, 4, 0, true, true),
            (20, 140, 0, false, true),
            (100, 20, 140, false, false),
            (60, 61, 120, true, true),
            (60, 80, 120, false, false),
        ] {
            for (is_fix, is_written) in [(true, is_fixed), (false, is_replaced)] {
                for entry in fs::read_dir(disk).unwrap() {
                    fs::remove_file(entry.unwrap().path()).unwrap();
                }
                fs::write(disk.join("other"), kilobytes(other)).unwrap();
                fs::write(&path, kilobytes(before)).unwrap();
                let done = if is_fix { fix(&path, &kilobytes(after)) } else { replace(&path, &kilobytes(after)) };
                let reported = format!("{before} to {after}, other {other}, fixed {is_fix}: {done:?}");
                assert_eq!(done.is_ok(), is_written, "{reported}");
                assert!(
                    done.is_ok() || reported.contains("No space left") || reported.contains("StorageFull"),
                    "{reported}"
                );
                let expected = if is_written { after } else { before };
                assert_eq!(fs::metadata(&path).unwrap().len(), expected as u64 * 1024, "{reported}");
                assert_eq!(others(disk).len(), 1, "{reported}");
            }
        }
    });
}

/// [cmd.replace] [cmd.stream]
#[cfg(unix)]
#[test]
fn what_is_no_file_is_said() {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
    let root = Folder::new();
    let path = |name: &str| root.path(name);
    let reported = |done: std::io::Result<()>| done.unwrap_err().to_string();
    root.write("r.txt", "old");
    symlink("r.txt", path("link")).unwrap();
    symlink("new.txt", path("dangling")).unwrap();
    symlink("circle", path("circle")).unwrap();
    assert!(Command::new("mkfifo").arg(path("pipe")).status().unwrap().success());
    for name in [".", "pipe", "/dev/null"] {
        assert!(reported(fix(&path(name), b"new")).starts_with("is no regular file"), "{name}");
    }
    assert!(fix(&path("gone"), b"new").is_err() && !path("gone").exists());
    assert!(replace(&path("."), b"new").is_err() && replace(&path("circle"), b"new").is_err());
    // Links stay, and lead to the new file.
    fs::set_permissions(path("r.txt"), fs::Permissions::from_mode(0o6640)).unwrap();
    replace(&path("link"), b"new").unwrap();
    replace(&path("dangling"), b"new").unwrap();
    assert!(path("link").is_symlink() && path("dangling").is_symlink());
    assert_eq!((fs::read(path("r.txt")).unwrap(), fs::read(path("new.txt")).unwrap()), (b"new".into(), b"new".into()));
    assert_eq!(fs::metadata(path("r.txt")).unwrap().mode() & 0o7777, 0o640);
    // A file that is fixed is the same file.
    fs::hard_link(path("r.txt"), path("second")).unwrap();
    let before = fs::metadata(path("r.txt")).unwrap();
    for content in [&b"longer than before"[..], b"short"] {
        fix(&path("link"), content).unwrap();
        let now = fs::metadata(path("second")).unwrap();
        assert_eq!((now.ino(), now.mode(), now.nlink()), (before.ino(), before.mode(), 2));
        assert_eq!(fs::read(path("second")).unwrap(), content);
    }
    // In a folder nothing is written through a link.
    for name in ["link", "pipe", "dangling"] {
        assert!(reported(replace_in(&root.path(""), name.as_ref(), b"other")).starts_with("is "), "{name}");
    }
    assert_eq!(fs::read(path("second")).unwrap(), b"short");
    let count = fs::read_dir(root.path("")).unwrap().count();
    assert_eq!(count, 7, "nothing is left");
}
