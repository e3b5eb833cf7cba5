//! `test` for many files.

use crate::common::Dir;

const OPEN: &str = "User-agent: *\nAllow: /\n";
const CLOSED: &str = "User-agent: MyBot\nDisallow: /, x\n";

fn folder() -> Dir {
    let dir = Dir::new();
    std::fs::create_dir_all(dir.path("all/b")).unwrap();
    for (name, text) in [("all/c", OPEN), ("all/a", CLOSED), ("all/b/d", OPEN), ("list", "all/c\nall/none\n\nall/a\n")]
    {
        dir.write(name, text);
    }
    dir
}

/// [cmd.many]
#[test]
fn a_directory_is_answered_by_name() {
    let dir = folder();
    let ran = dir.run(&["test", "--agent", "MyBot", "--files", "*", "all", "/", "/, x"]);
    assert_eq!(ran.code, Some(1), "{}", ran.err());
    let lines: Vec<String> = ran.out().lines().map(|line| line.split("\tline").next().unwrap().to_owned()).collect();
    let expected = ["all/a\tallowed\t/\tno rule matches (group MyBot applies)", "all/a\tdisallowed\t/, x"];
    assert_eq!(lines[..2], expected);
    assert_eq!(
        lines[2..],
        ["all/b/d\tallowed\t/", "all/b/d\tallowed\t/, x", "all/c\tallowed\t/", "all/c\tallowed\t/, x"]
    );
}

/// [cmd.many]
#[test]
fn a_file_of_a_list_that_cannot_be_read_costs_itself() {
    let dir = folder();
    for (args, input) in [(["--files-from", "list"], ""), (["--files-from", "-"], "all/c\nall/none\n\nall/a\n")] {
        let all = [&["test", "--agent", "MyBot", "--json"][..], args.as_slice(), &["/, x"]].concat();
        let ran = dir.run_with(&all, input.as_bytes());
        assert_eq!(ran.code, Some(2), "{}", ran.err());
        assert!(ran.err().contains("all/none"), "{}", ran.err());
        let files: Vec<String> = ran.json().iter().map(|line| line["file"].as_str().unwrap().to_owned()).collect();
        assert_eq!(files, ["all/c", "all/a"]);
    }
    for args in [&["all"][..], &["--files-from", "list"], &["all", "-"], &["all", "none.com/x"]] {
        let ran = dir.run(&[&["test", "--agent", "MyBot"][..], args].concat());
        assert_eq!((ran.code, ran.out()), (Some(2), ""), "{args:?}: {}", ran.err());
    }
    std::fs::create_dir_all(dir.path("none")).unwrap();
    dir.run(&["test", "--agent", "MyBot", "none", "/"]).fails(2, &["nothing was read"]);
    dir.run(&["test", "--agent", "MyBot", "--files-from", "list", "list", "/"])
        .fails(2, &["list is a file, not a URL: with --files-from only URLs are named"]);
    let limit = ["--fail-on", "loss", "--max-bytes", "30"];
    let ran = dir.run(&[&["test", "--agent", "MyBot", "--files", "[a-z]"], &limit[..], &["all", "/"]].concat());
    assert_eq!(ran.code, Some(3), "{}", ran.err());
}

#[cfg(unix)]
/// On Unix, names have any bytes. [cmd.many]
#[test]
fn names_of_a_list_are_those_of_files() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;
    let dir = Dir::new();
    std::fs::write(dir.path("").join(OsStr::from_bytes(b"c\xffd")), "User-agent: *\nDisallow: /x\n").unwrap();
    let ran = dir.run_with(&["test", "--agent", "MyBot", "--files-from", "-", "/x"], b"c\xffd\n").code(1);
    assert!(ran.out().contains("c\\xFFd\tdisallowed"), "{}", ran.out());
}

/// A mistyped folder does not pass. [cmd.many] [cmd.exit] [cmd.lint.files] [cmd.diff.folders]
#[test]
fn a_folder_without_a_file_is_a_failure() {
    let dir = Dir::new();
    std::fs::create_dir(dir.path("none")).unwrap();
    dir.write("none/e.com.txt", OPEN);
    dir.write("none/Robots.txt", OPEN);
    for args in [
        &["test", "-a", "M", "none", "/"][..],
        &["lint", "none"],
        &["lint", "--fix", "none"],
        &["diff", "-a", "M", "none", "none"],
    ] {
        let ran =
            dir.run(args).fails(2, &["none: there is no file called robots.txt", "--files GLOB", "--files '*.txt'"]);
        assert_eq!(ran.err().matches("there is no file").count(), 1, "{}", ran.err());
        let named = [&args[..1], &["--files", "*.text"], &args[1..]].concat();
        dir.run(&named).fails(2, &["of a name that --files gives"]);
        for wrong in ["", "#x", "!x", "[z-a]"] {
            dir.run(&[&args[..1], &["--files", wrong], &args[1..]].concat()).fails(2, &["--files: "]);
        }
        dir.run(&[&args[..1], &["--files", "*.txt"], &args[1..]].concat()).ok();
    }
}
