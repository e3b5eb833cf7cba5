//! Untrusted text never reaches a terminal raw: escape sequences, C1 controls, marks that reverse text.
//!
//! [`Ran::code`](crate::common::Ran::code) checks every run. This file has the inputs.

use std::ffi::OsStr;

use crate::common::Dir;

/// ESC, NUL, BEL, C1 as byte and as UTF-8, DEL, RLO, U+2028.
const EVIL: &[u8] = b"\x1b[2J\x1b]0;x\x07\0\x9b31m\xc2\x9b31m\x7f\xe2\x80\xae\xe2\x80\xa8";

/// A file that contains them everywhere.
fn evil_file() -> Vec<u8> {
    let lines: &[&[u8]] = &[
        b"User-agent: My",
        EVIL,
        b"Bot",
        EVIL,
        b"\nUser-agent: MyBot ",
        EVIL,
        b"\nDisallow: /",
        EVIL,
        b"\n",
        EVIL,
        b": ",
        EVIL,
        b"\nFoo: ",
        EVIL,
        b"\n# ",
        EVIL,
        b"\nSitemap: http://e.com/",
        EVIL,
        b"\nHost: ",
        EVIL,
        b"\nLicense: ",
        EVIL,
        b"\nCrawl-delay: 1",
        EVIL,
        b"\nContent-Signal: a=",
        EVIL,
        b"\nClean-param: ",
        EVIL,
        b" /",
        EVIL,
        b"\nNoindex: ",
        EVIL,
        b"\nAllow: *",
        EVIL,
        b"\n  ",
        EVIL,
        b"\n",
    ];
    lines.concat()
}

/// [cmd.terminal]
#[test]
fn nothing_of_a_file_is_printed_raw() {
    let dir = Dir::with(evil_file());
    for dialect in ["standard", "google", "processor"] {
        let run =
            |args: &[&str]| dir.run(&[args, &["--keep-unknown", "--dialect", dialect, "robots.txt"]].concat()).ok();
        run(&["filter", "-a", "MyBot"]);
        run(&["filter", "--all-agents", "--report", "text"]);
        run(&["filter", "--all-agents", "--report", "json"]);
        assert!(run(&["explain"]).out().contains("\\x1B[2J"));
        run(&["explain", "-a", "MyBot", "--json"]);
        run(&["inspect", "-a", "MyBot"]);
        run(&["inspect", "-a", "MyBot", "--json"]);
        // Only colour sequences are sent to a terminal.
        let coloured = run_coloured(&dir, dialect);
        assert!(coloured.split("\x1b[").skip(1).all(|rest| rest.contains('m')), "{coloured:?}");
        assert!(!coloured.contains("\x1b[2J") && !coloured.contains('\u{9b}') && !coloured.contains("\x1b]"));
    }
}

fn run_coloured(dir: &Dir, dialect: &str) -> String {
    let ran = dir.run(&["explain", "--color", "always", "--dialect", dialect, "robots.txt"]);
    assert_eq!(ran.code, Some(0));
    ran.out().to_owned()
}

#[cfg(unix)]
/// [cmd.terminal]
#[test]
fn nothing_of_an_argument_is_printed_raw() {
    use std::os::unix::ffi::OsStrExt as _;
    let evil: Vec<u8> = EVIL.iter().copied().filter(|&byte| byte != 0).collect();
    let dir = Dir::with("User-agent: MyBot\nDisallow: /\n");
    let run = |args: &[&[u8]]| {
        let args: Vec<&OsStr> = args.iter().map(|arg| OsStr::from_bytes(arg)).collect();
        dir.run_with(&args, b"")
    };
    let agent = [b"MyBot ", &*evil].concat();
    let url = [b"/", &*evil].concat();
    run(&[b"test", b"-a", &agent, b"robots.txt", &url]).code(1);
    run(&[b"test", b"-a", &agent, b"--json", b"robots.txt", &url]).code(1);
    run(&[b"filter", b"-a", &agent, b"robots.txt"]).ok();
    run(&[b"inspect", b"-a", &agent, b"robots.txt"]).ok();
    run(&[b"inspect", b"-a", &agent, b"--json", b"robots.txt"]).ok();
    run(&[b"explain", b"-a", &agent, b"robots.txt"]).ok();
    // Names of files, values, flags, commands.
    run(&[b"filter", b"-a", b"x", &evil]).code(2);
    run(&[b"filter", b"-a", b"x", b"-o", &[b"no/", &*evil].concat(), b"robots.txt"]).code(2);
    run(&[b"filter", b"-a", b"x", b"--max-bytes", &evil, b"robots.txt"]).code(2);
    run(&[b"filter", b"-a", b"x", b"--max-bytes", b"\x1b[31m9\x1b]0;x\x07", b"robots.txt"]).code(2);
    run(&[b"filter", b"-a", b"x", b"--dialect", b"\x1b[31m\xc2\x9b", b"robots.txt"]).code(2);
    run(&[b"filter", b"-a", b"x", b"--user-agent-name", b"\x1b[31m\xc2\x9b", b"robots.txt"]).code(2);
    run(&[b"filter", b"-a", b"x", b"--directive", b"\x1b[31m\xc2\x9b", b"robots.txt"]).code(2);
    run(&[b"filter", &[b"--", &*evil].concat()]).code(2);
    run(&[&evil]).code(2);
    run(&[b"man", b"\x1b[31m"]).code(2);
}

#[cfg(unix)]
/// [cmd.terminal]
#[test]
fn the_name_of_a_file_is_shown_escaped() {
    use std::os::unix::ffi::OsStrExt as _;
    let dir = Dir::new();
    let name = OsStr::from_bytes(b"a\x1b[2J\xff");
    if std::fs::write(dir.path("").join(name), b"User-agent: *\nDisallow: /\n").is_err() {
        return; // Some file systems do not allow such a name.
    }
    for args in [&["filter", "-a", "x"][..], &["explain"], &["explain", "--json"], &["inspect", "-a", "x", "--json"]] {
        let args: Vec<&OsStr> = args.iter().map(OsStr::new).chain([name, OsStr::new("--max-lines=1")]).collect();
        dir.run_with(&args, b"").ok();
    }
}

/// [cmd.terminal]
#[test]
fn nothing_of_a_request_is_printed_raw() {
    let request = serde_json::json!({
        "id": "\u{1b}[2J\u{9b}\u{7f}\u{202e}",
        "robots": String::from_utf8_lossy(&evil_file()),
        "agent": "MyBot\u{1b}[2J\u{9b}",
        "url": "/\u{1b}[2J\u{9b}\u{2028}",
    });
    let mut bad = request.clone();
    bad["options"] = serde_json::json!({"\u{1b}[2J\u{9b}": 1});
    let mut plain = request.clone();
    plain.as_object_mut().unwrap().remove("url");
    for (command, request) in [("test", &request), ("filter", &plain), ("inspect", &plain), ("test", &bad)] {
        // Requests may contain characters raw if JSON allows it.
        let ran = Dir::new().run_with(&[command, "--ndjson"], request.to_string().as_bytes()).ok();
        assert_eq!(ran.one_json()["id"], request["id"], "{command}");
    }
}

/// [cmd.terminal]
#[test]
fn an_id_cannot_break_the_line() {
    let line = b"{\"id\":[1,\r2,\t3],\"robots\":\"\",\"agent\":\"a\",\"url\":\"/\"}";
    let ran = Dir::new().run_with(&["test", "--ndjson"], line).ok();
    assert!(!ran.out().contains('\r'));
    assert_eq!(ran.one_json()["id"], serde_json::json!([1, 2, 3]));
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
            &["test", "--matrix", "--agents", "GPTBot,MyBot", "robots.txt", "/b"],
            &["\x1b[31mdisallowed 6", "\x1b[32mallowed"],
        ),
        (
            &["test", "-a", "MyBot", "robots.txt", "/b", "/a"],
            &["\x1b[1m\x1b[32mallowed\x1b[0m\t/b\t", "\x1b[1m\x1b[31mdisallowed\x1b[0m\t/a\t"],
        ),
        (&["lint", "--notes", "robots.txt"], &["\x1b["]),
    ] {
        let plain = dir.run(args);
        let always = dir.run(&[args, &["--color", "always"]].concat());
        let before = dir.run(&[&["--color", "always"], args].concat());
        assert!(!plain.out().contains('\x1b'), "{args:?}");
        assert_eq!(always.out(), before.out());
        for colour in colours {
            assert!(always.out().contains(colour), "{args:?}: {colour:?} is not in {:?}", always.out());
        }
        let mut bare = String::new();
        for (place, part) in always.out().split("\x1b[").enumerate() {
            bare.push_str(if place == 0 { part } else { part.split_once('m').unwrap().1 });
        }
        assert_eq!(bare, plain.out(), "{args:?}");
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
