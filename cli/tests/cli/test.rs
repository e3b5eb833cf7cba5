//! `robosieve test`.

use crate::common::Dir;

const FILE: &str = "User-agent: MyBot\nDisallow: /tmp\nAllow: /tmp/public\n\nUser-agent: *\nDisallow: /\n";

/// [cmd.test]
#[test]
fn says_which_line_decides() {
    let dir = Dir::with(FILE);
    let ran =
        dir.run(&["test", "-a", "mybot/2.1", "robots.txt", "/tmp/x", "/tmp/public/x", "/y", "/robots.txt"]).code(1);
    assert_eq!(
        ran.out(),
        "disallowed\t/tmp/x\tline 2: Disallow: /tmp (mybot/2.1 named)\n\
         allowed\t/tmp/public/x\tline 3: Allow: /tmp/public (mybot/2.1 named)\n\
         allowed\t/y\tno rule matches (mybot/2.1 named)\n\
         allowed\t/robots.txt\t/robots.txt is always allowed\n"
    );
    let ran = dir.run(&["test", "-a", "other", "robots.txt", "/y"]).code(1);
    assert_eq!(ran.out(), "disallowed\t/y\tline 6: Disallow: / (* answered)\n");
    let ran = dir.run(&["test", "-a", "other", "--no-fallback", "robots.txt", "/y"]).ok();
    assert_eq!(ran.out(), "allowed\t/y\tno record\n");
}

/// [cmd.test]
#[test]
fn takes_any_form_of_url() {
    let dir = Dir::with(FILE);
    for url in ["https://e.com/tmp/a?b#c", "//e.com/tmp/a", "/tmp/a#b", "/tmp/%61", "e.com/tmp"] {
        dir.run(&["test", "-a", "mybot", "robots.txt", url]).code(1);
    }
    dir.run(&["test", "-a", "mybot", "robots.txt", "https://e.com", "https://e.com/x#/tmp"]).ok();
}

#[cfg(unix)]
/// [cmd.test]
#[test]
fn urls_are_octets() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;
    let dir = Dir::with("User-agent: *\nDisallow: /%FF\n");
    let args: Vec<&OsStr> =
        [&b"test"[..], b"-a", b"\xfe", b"robots.txt", b"/\xff"].into_iter().map(OsStr::from_bytes).collect();
    let ran = dir.run_with(&args, b"").code(1);
    assert_eq!(ran.out(), "disallowed\t/\\xFF\tline 2: Disallow: /%FF (* answered)\n");
    let json = dir.run_with(&[&args[..], &[OsStr::new("--json")]].concat(), b"").code(1).one_json();
    assert_eq!((&json["url"], &json["url_b64"]), (&"/\\xFF".into(), &"L/8=".into()));
}

/// [cmd.test]
#[test]
fn reads_urls_from_the_standard_input() {
    let dir = Dir::with(FILE);
    for args in [&["test", "-a", "mybot", "robots.txt"][..], &["test", "-a", "mybot", "robots.txt", "-"]] {
        let ran = dir.run_with(args, b"/a\r\n\n/tmp\n/b").code(1);
        let words: Vec<&str> = ran.out().lines().map(|line| line.split('\t').nth(1).unwrap()).collect();
        assert_eq!(words, ["/a", "/tmp", "/b"]);
    }
    let ran = dir.run_with(&["test", "-a", "mybot", "robots.txt", "/1", "-", "/3"], b"/2\n").ok();
    assert!(ran.out().find("/1").unwrap() < ran.out().find("/2").unwrap());
    assert!(ran.out().find("/2").unwrap() < ran.out().find("/3").unwrap());
    assert_eq!(dir.run_with(&["test", "-a", "mybot", "-", "/tmp"], FILE.as_bytes()).code(1).err(), "");
}

/// [cmd.test]
#[test]
fn says_it_to_machines() {
    let dir = Dir::with(FILE);
    let ran = dir.run(&["test", "--json", "-a", "MyBot", "robots.txt", "/tmp", "/y"]).code(1);
    let lines = ran.json();
    assert_eq!(lines[0]["v"], 1);
    assert_eq!(lines[0]["allowed"], false);
    assert_eq!(lines[0]["url"], "/tmp");
    assert_eq!(lines[0]["line"], 2);
    assert_eq!(lines[0]["rule"], serde_json::json!({"kind": "disallow", "pattern": "/tmp"}));
    assert_eq!(lines[0]["reason"], "rule");
    assert_eq!(lines[0]["answered_by"], "agent");
    assert_eq!(lines[0]["agent"], "MyBot");
    assert_eq!(lines[1]["line"], serde_json::Value::Null);
    assert_eq!(lines[1]["reason"], "no-rule");
}

/// [cmd.test]
#[test]
fn is_quiet_on_request() {
    let dir = Dir::with(FILE);
    assert_eq!(dir.run(&["test", "-q", "-a", "mybot", "robots.txt", "/tmp"]).code(1).out(), "");
    assert_eq!(dir.run(&["test", "-q", "-a", "mybot", "robots.txt", "/"]).ok().out(), "");
}

/// [cmd.test]
#[test]
fn a_status_opens_or_closes_the_site() {
    let dir = Dir::with(FILE);
    let code = |args: &[&str]| dir.run(&[&["test", "-a", "x", "robots.txt", "/y"], args].concat()).code;
    assert_eq!(code(&["--status", "200"]), Some(1));
    assert_eq!(code(&["--status", "404"]), Some(0));
    assert_eq!(code(&["--status", "403"]), Some(0));
    assert_eq!(code(&["--status", "403", "--forbidden", "disallow"]), Some(1));
    assert_eq!(code(&["--status", "403", "--dialect", "processor"]), Some(1));
    assert_eq!(code(&["--status", "503"]), Some(1));
    assert_eq!(code(&["--status", "99"]), Some(2));
    let ran = dir.run(&["test", "-a", "x", "--status", "503", "robots.txt", "/y"]).code(1);
    assert_eq!(ran.out(), "disallowed\t/y\tthe status closes the site\n");
}

/// [cmd.test]
#[test]
fn limits_are_told_and_refused() {
    let dir = Dir::with("User-agent: *\nDisallow: /*a*b*c*d*e*f*g*h*i*j*k\n");
    assert!(dir.run(&["test", "-a", "x", "robots.txt", "/y"]).ok().err().contains("a limit cost"));
    assert_eq!(dir.run(&["test", "-a", "x", "--max-wildcards", "none", "robots.txt", "/y"]).ok().err(), "");
    dir.run(&["test", "-a", "x", "--on-over-limit", "refuse", "robots.txt", "/y"]).fails(3, &["refused: line 2"]);
    dir.run(&["test", "-a", "x", "--on-over-limit", "widen", "robots.txt", "/abcdefghijkl"]).code(1);
}

/// [cmd.test] [cmd.exit]
#[test]
fn usage_errors_say_what_to_do() {
    let dir = Dir::with(FILE);
    dir.run(&["test", "robots.txt", "/x"]).fails(2, &["--agent MyBot"]);
    dir.run(&["test", "-a", "x"]).fails(2, &["robosieve test --agent MyBot robots.txt URL"]);
    dir.run(&["test", "-a", "x", "-"]).fails(2, &["URLs have to be arguments"]);
    dir.run(&["test", "-a", "x", "-", "-"]).fails(2, &["URLs have to be arguments"]);
    dir.run(&["test", "-a", "x", "robots.txt", "-", "-"]).fails(2, &["once"]);
    dir.run(&["test", "-a", "x", "missing.txt", "/x"]).fails(2, &["missing.txt", "No such file"]);
    dir.run(&["test", "-a", "x", ".", "/x"]).fails(2, &["is a directory"]);
    dir.run(&["test", "-a", "x", "--max-lines", "x", "robots.txt", "/x"]).fails(2, &["--max-lines"]);
}

/// [cmd.test]
#[test]
fn agrees_with_the_filtered_text() {
    let dir = Dir::with(FILE);
    dir.run(&["filter", "-q", "-a", "mybot", "-o", "clean.txt", "robots.txt"]).ok();
    for url in ["/", "/tmp", "/tmp/public", "/x"] {
        let of = |file| dir.run(&["test", "-q", "-a", "mybot", file, url]).code;
        assert_eq!(of("robots.txt"), of("clean.txt"), "{url}");
    }
}

/// [cmd.test] [cmd.input]
#[test]
fn a_status_that_decides_needs_no_file() {
    let dir = Dir::new();
    for file in ["-", "missing.txt", "."] {
        let ran = dir.run(&["test", "-a", "x", "--status", "404", file, "/y"]).ok();
        assert_eq!((ran.out(), ran.err()), ("allowed\t/y\tthe status opens the site\n", ""));
        dir.run(&["test", "-a", "x", "--status", "503", file, "/y"]).code(1);
        // The standard input has the URLs.
        for urls in [&[][..], &["-"]] {
            let ran = dir.run_with(&[&["test", "-a", "x", "--status", "404", file], urls].concat(), b"/1\n/2\n").ok();
            assert_eq!(ran.out().lines().count(), 2, "{file} {urls:?}");
        }
    }
    dir.run(&["test", "-a", "x", "--status", "200", "missing.txt", "/y"]).fails(2, &["missing.txt"]);
    dir.run(&["test", "-a", "x", "--status", "200", "-"]).fails(2, &["URLs have to be arguments"]);
    dir.run(&["test", "-a", "x", "--status", "404"]).fails(2, &["robosieve test --agent MyBot robots.txt URL"]);
}
