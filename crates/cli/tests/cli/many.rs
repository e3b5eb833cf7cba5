//! `test` for many files or crawlers, as a table, and for URLs of another site.

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
/// Names may have line ends, and on Unix any bytes. [cmd.many]
#[test]
fn names_of_a_list_are_those_of_files() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;
    let dir = Dir::new();
    for name in [&b"a\nb"[..], b"c\xffd"] {
        std::fs::write(dir.path("").join(OsStr::from_bytes(name)), "User-agent: *\nDisallow: /x\n").unwrap();
    }
    for (args, list) in [(&["-0"][..], &b"a\nb\0c\xffd\0"[..]), (&[], b"c\xffd\n")] {
        let all = [&["test", "--agent", "MyBot", "--files-from", "-"][..], args, &["/x"]].concat();
        let ran = dir.run_with(&all, list);
        assert_eq!(
            (ran.code, ran.out().lines().count()),
            (Some(1), if args.is_empty() { 1 } else { 2 }),
            "{}",
            ran.err()
        );
        assert!(ran.out().contains("c\\xFFd\tdisallowed"), "{}", ran.out());
    }
    dir.run(&["test", "--agent", "MyBot", "-0", "/x"]).fails(2, &["--files-from"]);
}

/// [cmd.csv] [batch.csv]
#[test]
fn a_table_has_no_formulas() {
    let dir = Dir::new();
    dir.write("=all", "User-agent: *\nDisallow: /\n");
    let ran = dir.run(&["test", "--agent", "MyBot", "--format", "csv", "=all", "/x"]);
    assert_eq!(ran.out().lines().nth(1), Some("'=all,/x,false,2,Disallow: /,rule,everyone,"));
    let ran = dir.run(&["test", "--format", "csv", "--matrix", "--agents=-x", "=all", "/"]);
    assert!(ran.out().lines().any(|line| line.starts_with("'-x,")), "{}{}", ran.out(), ran.err());
}

/// [cmd.csv]
#[test]
fn a_table_has_a_field_for_each_column() {
    let dir = folder();
    let ran = dir.run(&["test", "--agent", "MyBot", "--format", "csv", "all/a", "/, x", "/"]);
    let rows: Vec<String> = ran.out().lines().map(ToOwned::to_owned).collect();
    assert_eq!(rows[0], "file,url,allowed,line,rule,reason,answered_by,agent");
    assert_eq!(rows[1], "all/a,\"/, x\",false,2,\"Disallow: /,%20x\",rule,agent,MyBot");
    assert_eq!(rows[2], "all/a,/,true,,,no-rule,agent,MyBot");
    let ran = dir.run(&["test", "--format", "csv", "--matrix", "--agents", "MyBot,Other", "all/a", "/, x"]);
    let rows: Vec<String> = ran.out().lines().map(ToOwned::to_owned).collect();
    assert_eq!(
        rows,
        ["agent,group,\"/, x\",may use the content for", "MyBot,MyBot,disallowed 2,", "Other,none,allowed,"]
    );
    for args in [&["--format", "tap"][..], &["--format", "csv", "--json"], &["--format", "csv", "--expect", "list"]] {
        let all = if args.contains(&"--expect") {
            [&["test", "all/a"][..], args].concat()
        } else {
            [&["test", "--agent", "MyBot", "all/a", "/"][..], args].concat()
        };
        assert_eq!(dir.run(&all).code, Some(2), "{args:?}");
    }
}

/// [cmd.other-site]
#[test]
fn urls_of_another_site_are_reported() {
    let dir = folder();
    let told = |url: &str| {
        let ran = dir.run(&["test", "--agent", "MyBot", "--base-url", "https://e.com/a", "all/c", "/", url]);
        assert_eq!(ran.code, Some(0));
        ran.err().contains("1 answer is for a URL of another site than https://e.com/a (--base-url)")
    };
    for own in ["/x", "?q", "https://e.com", "HTTPS://E.com:443/x", "//e.com/x", "https://me@e.com/"] {
        assert!(!told(own), "{own}");
    }
    for other in ["http://e.com/", "https://f.com/x", "//f.com/", "https://e.com:8443/", "https://www.e.com/"] {
        assert!(told(other), "{other}");
    }
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
        &["lint", "--diff", "none"],
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

/// Crawlers of which everything is the same have one row: at 7, 8 and 9 of them. [cmd.matrix]
#[test]
fn equal_rows_of_a_table_are_one() {
    let dir = Dir::with("User-agent: *\nDisallow: /a\n\nUser-agent: own\nDisallow: /\n");
    for (count, is_folded) in [(7, false), (8, true), (9, true)] {
        let names: Vec<String> = (0..count).map(|n| format!("Bot{}", "x".repeat(n + 1))).collect();
        let names = format!("own,{}", names.join(","));
        let ran = dir.run(&["test", "robots.txt", "--matrix", "--agents", &names, "/a"]).code(1);
        let rows: Vec<&str> = ran.out().lines().collect();
        assert_eq!(rows.len(), if is_folded { 5 } else { count + 2 }, "{}", ran.out());
        assert_eq!(ran.out().contains(&format!("{count} crawlers  ")), is_folded, "{}", ran.out());
        assert_eq!(ran.out().contains(&format!("\n\n{count} crawlers: Botx, Botxx, ")), is_folded, "{}", ran.out());
        let csv = dir.run(&["test", "robots.txt", "--format", "csv", "--matrix", "--agents", &names, "/a"]).code(1);
        assert_eq!(csv.out().lines().count(), count + 2);
    }
}
