//! `robosieve test`: for one file, for many, and with `--expect`.

use serde_json::json;

use crate::common::{Dir, answer_to};

const FILE: &str = "User-agent: MyBot\nDisallow: /tmp\nAllow: /tmp/public\n\nUser-agent: *\nDisallow: /\n";

/// [cmd.test]
#[test]
fn prints_the_line_that_decides() {
    let dir = Dir::with(FILE);
    let ran =
        dir.run(&["test", "-a", "mybot/2.1", "robots.txt", "/tmp/x", "/tmp/public/x", "/y", "/robots.txt"]).code(1);
    assert_eq!(
        ran.out(),
        "disallowed\t/tmp/x\tline 2: Disallow: /tmp (group mybot applies)\n\
         allowed\t/tmp/public/x\tline 3: Allow: /tmp/public (group mybot applies)\n\
         allowed\t/y\tno rule matches (group mybot applies)\n\
         allowed\t/robots.txt\t/robots.txt is always allowed\n"
    );
    let ran = dir.run(&["test", "-a", "other", "robots.txt", "/y"]).code(1);
    assert_eq!(ran.out(), "disallowed\t/y\tline 6: Disallow: / (group * applies)\n");
    let ran = dir.run(&["test", "-a", "other", "--no-fallback", "robots.txt", "/y"]).ok();
    assert_eq!(ran.out(), "allowed\t/y\tno group applies\n");
}

/// [cmd.url] [cmd.exit]
#[test]
fn an_invalid_url_is_an_error_with_help() {
    let dir = Dir::with(FILE);
    dir.write("other.txt", FILE);
    for (wrong, words) in [
        ("tmp/x", "`/tmp/x` for a path, or `https://tmp/x` for a host"),
        ("e.com", "https://e.com"),
        ("mailto:a@b", "robots.txt has no rules for `mailto:`"),
        ("http://[::1/", "brackets"),
        ("http://", "host"),
        ("# c", "comment"),
        ("", "`/` for the front page"),
        ("other.txt", "is a file, not a URL: one robots.txt file comes before the URLs"),
    ] {
        // Nothing is answered, not even the URL before it.
        for json in [&[][..], &["--json"], &["-q"], &["--status", "404"]] {
            dir.run(&[&["test", "-a", "mybot", "robots.txt", "/a", wrong], json].concat()).fails(2, &[words]);
        }
    }
}

/// [cmd.url] [batch.lines]
#[test]
fn a_list_of_urls_that_is_no_text_is_an_error() {
    let dir = Dir::with(FILE);
    for (list, words) in [(&b"\xFF\xFE/\0a\0\n\0"[..], "UTF-16"), (b"\x1F\x8B\x08\n", "packed")] {
        let ran = dir.run_with(&["test", "-a", "mybot", "robots.txt"], list);
        assert!(ran.code == Some(2) && ran.out().is_empty() && ran.err().contains(words), "{}", ran.err());
    }
}

/// A wrong line affects no other. [cmd.url] [cmd.exit]
#[test]
fn an_invalid_line_is_reported_by_its_number() {
    let dir = Dir::with(FILE);
    let args = ["test", "-a", "mybot", "robots.txt"];
    let ran = dir.run_with(&args, b"\xEF\xBB\xBF/a\n# c\n  /tmp\t\r\ntmp/x\n\n/b\n").code(2);
    let urls: Vec<&str> = ran.out().lines().map(|line| line.split('\t').nth(1).unwrap()).collect();
    assert_eq!(urls, ["/a", "/tmp", "/b"]);
    assert!(
        ran.err().contains("line 2 cannot be tested as a URL")
            && ran.err().contains("line 4 cannot be tested as a URL"),
        "{}",
        ran.err()
    );
    let ran = dir.run_with(&args, "x\n".repeat(50).as_bytes()).fails(2, &["and 30 more lines"]);
    assert_eq!(ran.err().lines().count(), 21, "{}", ran.err());
    assert_eq!(dir.run_with(&args, "x\n".repeat(20).as_bytes()).code(2).err().lines().count(), 20);
}

/// [cmd.empty] [cmd.exit]
#[test]
fn a_standard_input_without_urls_is_an_error() {
    let dir = Dir::with(FILE);
    for args in [&["robots.txt"][..], &["robots.txt", "-"], &["robots.txt", "/a", "-"], &["--status", "404", "-"]] {
        for stdin in [&b""[..], b"\n \r\n", b"\xEF\xBB\xBF"] {
            let ran = dir.run_with(&[&["test", "-a", "mybot"], args].concat(), stdin).code(2);
            assert!(ran.err().contains("has no URL"), "{args:?} {stdin:?}: {}", ran.err());
        }
    }
}

#[cfg(unix)]
/// [cmd.test]
#[test]
fn urls_are_bytes() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;
    let dir = Dir::with("User-agent: *\nDisallow: /%FF\n");
    let args: Vec<&OsStr> =
        [&b"test"[..], b"-a", b"\xfe", b"robots.txt", b"/\xff"].into_iter().map(OsStr::from_bytes).collect();
    let ran = dir.run_with(&args, b"").code(1);
    assert_eq!(ran.out(), "disallowed\t/\\xFF\tline 2: Disallow: /%FF (group * applies)\n");
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
fn prints_json() {
    let dir = Dir::with(FILE);
    let ran = dir.run(&["test", "--json", "-a", "MyBot", "robots.txt", "/tmp", "/y"]).code(1);
    let lines = ran.json();
    let rule = json!({"kind": "disallow", "pattern": "/tmp"});
    for (field, value) in [
        ("v", json!(1)),
        ("allowed", json!(false)),
        ("url", json!("/tmp")),
        ("line", json!(2)),
        ("rule", rule),
        ("reason", json!("rule")),
        ("answered_by", json!("agent")),
        ("agent", json!("MyBot")),
    ] {
        assert_eq!(lines[0][field], value, "{field}");
    }
    assert_eq!((&lines[1]["line"], &lines[1]["reason"]), (&json!(null), &json!("no-rule")));
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
fn a_status_allows_or_disallows_all() {
    let dir = Dir::with(FILE);
    let code = |args: &[&str]| dir.run(&[&["test", "-a", "x", "robots.txt", "/y"], args].concat()).code;
    assert_eq!(code(&["--status", "200"]), Some(1));
    assert_eq!(code(&["--status", "404"]), Some(0));
    assert_eq!(code(&["--status", "403"]), Some(0));
    assert_eq!(code(&["--status", "403", "--forbidden", "disallow"]), Some(1));
    assert_eq!(code(&["--status", "403", "--dialect", "processor"]), Some(1));
    assert_eq!(code(&["--status", "301"]), Some(0));
    assert_eq!(code(&["--status", "301", "--dialect", "processor"]), Some(1));
    assert_eq!(code(&["--status", "301", "--dialect", "processor", "--forbidden", "allow"]), Some(1));
    assert_eq!(code(&["--status", "403", "--dialect", "processor", "--forbidden", "allow"]), Some(0));
    assert_eq!(code(&["--status", "503"]), Some(1));
    let ran = dir.run(&["test", "-a", "x", "--status", "503", "robots.txt", "/y"]).code(1);
    assert_eq!(ran.out(), "disallowed\t/y\tthe status closes the site\n");
}

/// No limit on counts or on fields hides a rule from any command that answers. The tests of the library and of the
/// gate have each limit by itself: [cmd.test] [cmd.diff] [limit.verdicts] [limit.counts]
#[test]
fn verdicts_follow_from_the_whole_file() {
    let groups: String = (0..1000).map(|number| format!("User-agent: bot-{number}\nAllow: /\n")).collect();
    let rules: String = (0..1000).map(|number| format!("Disallow: /a/{number}\n")).collect();
    let file = format!("{groups}User-agent: MyBot\n{rules}Disallow: /*a*b*c*d*e*f*g*h*i*j*k\n");
    let (url, line) = ("/abcdefghijk", 3002);
    let dir = Dir::with(&file);
    dir.write("empty.txt", "");
    dir.write("expected.txt", format!("MyBot disallow {url}\n"));
    for dialect in ["standard", "google", "processor"] {
        let args = ["test", "-a", "MyBot", "--dialect", dialect, "--json", "robots.txt", url];
        let ran = dir.run(&args).code(1);
        assert_eq!(ran.err(), "", "{dialect}");
        let answer = ran.one_json();
        assert_eq!((&answer["line"], &answer["exact"]), (&line.into(), &true.into()), "{dialect}: {answer}");
    }
    let answer = answer_to(&["test"], json!({ "robots": file, "agent": "MyBot", "url": url }));
    assert_eq!((&answer["allowed"], &answer["exact"]), (&false.into(), &true.into()));
    dir.run(&["test", "-a", "MyBot", "--on-over-limit", "refuse", "robots.txt", url]).code(1);
    dir.run(&["test", "robots.txt", "--expect", "expected.txt"]).ok();
    let args = ["explain", "--json", "--url", url, "-a", "MyBot", "robots.txt"];
    assert_eq!(dir.run(&args).one_json()["answer"]["line"], line);
    let ran = dir.run(&["diff", "-a", "MyBot", "empty.txt", "robots.txt"]).code(1);
    assert!(ran.out().contains("  (line 3002)\n") && ran.err().is_empty(), "{}", ran.err());
    #[cfg(feature = "gate")]
    {
        use crate::serving::{Site, WHO, answer};
        let site = Site::new(answer(200, "", &file));
        let args = ["check", "--allow-private", "--agent", WHO, "--policy", "strict", &site.url(url)];
        assert!(dir.run(&args).code(1).out().starts_with("denied\t"));
    }
}

/// A limit that is set by a flag, or by an option of a request, also applies to verdicts: [cmd.test] [limit.verdicts]
#[test]
fn requested_limits_apply_to_verdicts() {
    let dir = Dir::with("User-agent: *\nDisallow: /*a*b*c*d*e*f*g*h*i*j*k\n");
    let limited = |more: &[&str]| {
        dir.run(&[&["test", "-a", "x", "--max-wildcards", "10"], more, &["robots.txt", "/abcdefghijkl"]].concat())
    };
    assert!(limited(&[]).ok().err().contains("not exact: 1 Disallow rule dropped"));
    limited(&["--on-over-limit", "refuse"]).fails(3, &["refused: line 2"]);
    limited(&["--on-over-limit", "widen"]).code(1);
    dir.run(&["test", "-a", "x", "--max-bytes", "20", "robots.txt", "/abcdefghijkl"]).ok();
    dir.run(&["test", "-a", "x", "--max-bytes", "20", "--on-over-limit", "refuse", "robots.txt", "/y"])
        .fails(3, &["refused: line 2", "max_bytes"]);
    let options = json!({"limits": {"max_wildcards": 1}});
    let robots = "User-agent: *\nDisallow: /a*b*c";
    let answer = answer_to(&["test"], json!({"robots": robots, "agent": "x", "url": "/abc", "options": options}));
    assert_eq!((&answer["allowed"], &answer["exact"]), (&true.into(), &false.into()));
}

/// [cmd.test]
#[test]
fn a_very_long_rule_is_shown_in_part() {
    let path = format!("/{}", "a".repeat(5_000));
    let dir = Dir::with(format!("User-agent: *\nDisallow: {path}\n"));
    let ran = dir.run(&["test", "-a", "x", "robots.txt", &path]).code(1);
    assert!(ran.out().ends_with("aaa... (5001 bytes) (group * applies)\n"), "{}", ran.out());
    let answer = dir.run(&["test", "-a", "x", "--json", "robots.txt", &path]).code(1).one_json();
    assert!(answer["rule"]["pattern"].as_str().unwrap().len() < 2_100);
}

/// [cmd.test] [cmd.exit]
#[test]
fn usage_errors_explain_what_to_do() {
    let dir = Dir::with(FILE);
    dir.run(&["test", "robots.txt", "/x"]).fails(2, &["--agent MyBot"]);
    dir.run(&["test", "-a", "x"]).fails(2, &["robosieve test --agent MyBot robots.txt URL"]);
    dir.run(&["test", "-a", "x", "-"]).fails(2, &["URLs must be arguments"]);
    dir.run(&["test", "-a", "x", "-", "-"]).fails(2, &["URLs must be arguments"]);
    dir.run(&["test", "-a", "x", "robots.txt", "-", "-"]).fails(2, &["once"]);
    dir.run(&["test", "-a", "x", "missing.txt", "/x"]).fails(2, &["missing.txt", "No such file"]);
    dir.run(&["test", "-a", "x", "."]).fails(2, &["URLs for all files as arguments"]);
    dir.run(&["test", "-a", "x", "--max-lines", "x", "robots.txt", "/x"]).fails(2, &["--max-lines"]);
}

/// [cmd.test] [cmd.input]
#[test]
fn a_status_that_decides_needs_no_file() {
    let dir = Dir::new();
    for file in ["-", "missing.txt", "."] {
        let ran = dir.run(&["test", "-a", "x", "--status", "404", file, "/y"]).ok();
        assert_eq!((ran.out(), ran.err()), ("allowed\t/y\tthe status opens the site\n", ""));
        dir.run(&["test", "-a", "x", "--status", "503", file, "/y"]).code(1);
        // The URLs come from the standard input.
        for urls in [&[][..], &["-"]] {
            let ran = dir.run_with(&[&["test", "-a", "x", "--status", "404", file], urls].concat(), b"/1\n/2\n").ok();
            assert_eq!(ran.out().lines().count(), 2, "{file} {urls:?}");
        }
    }
    dir.run(&["test", "-a", "x", "--status", "200", "missing.txt", "/y"]).fails(2, &["missing.txt"]);
    dir.run(&["test", "-a", "x", "--status", "200", "-"]).fails(2, &["URLs must be arguments"]);
    dir.run(&["test", "-a", "x", "--status", "404"]).fails(2, &["robosieve test --agent MyBot robots.txt URL"]);
}

/// [cmd.exit] [cmd.explain]
#[test]
fn a_closed_pipe_ends_it_quietly_and_hides_no_bad_result() {
    let dir = Dir::with(format!("User-agent: *\nDisallow: /x\nDisalow: /y\n{}", "Disallow: /z\n".repeat(20)));
    dir.write("new.txt", "User-agent: *\nAllow: /\n");
    dir.write("expect.txt", "M allow /x\n");
    dir.write("long.txt", "Disallow: /x\n".repeat(20_000));
    for args in [&["explain", "long.txt"][..], &["explain", "--json", "long.txt"], &["completions", "bash"]] {
        let mut child = dir.spawn(args);
        child.stdin = None;
        child.stdout = None;
        let err = child.stderr.take().unwrap();
        assert_eq!(crate::common::code_of(&mut child), Some(0), "{args:?}");
        assert_eq!(std::io::read_to_string(err).unwrap(), "");
    }
    for args in [
        &["test", "-a", "M", "robots.txt", "/x"][..],
        &["test", "--expect", "expect.txt", "robots.txt"],
        &["lint", "--fail-on", "note", "robots.txt"],
        &["diff", "-a", "M", "robots.txt", "new.txt"],
    ] {
        let mut child = dir.spawn(args);
        child.stdin = None;
        child.stdout = None;
        assert_eq!(crate::common::code_of(&mut child), Some(1), "{args:?}");
    }
}

const EXPECTED: &str =
    "User-agent: Googlebot\nDisallow: /a\n\nUser-agent: *\nDisallow: /b\nContent-Signal: ai-train=no\n";

/// [cmd.expect]
#[test]
fn expectations_decide_the_exit_code() {
    let dir = Dir::with(EXPECTED);
    dir.write("good.txt", "Googlebot disallow /a  # no\n* allow /a\n");
    let met = dir.run(&["test", "robots.txt", "--expect", "good.txt"]).ok();
    assert_eq!(met.out(), "robots.txt: 2 expectations met\n");
    dir.write("bad.txt", "Googlebot disallow /a\nMyBot allow /b\n");
    let failed = dir.run(&["test", "robots.txt", "--expect", "bad.txt"]).code(1);
    let expected = "\
bad.txt:2: MyBot allowed /b
- expected allowed
+ disallowed: line 5: Disallow: /b (group * applies)
robots.txt: 1 expectation of 2 not met
";
    assert_eq!(failed.out(), expected);
    assert_eq!(dir.run(&["test", "robots.txt", "--expect", "bad.txt", "-q"]).code(1).out(), "");
    // A missing file is never a success.
    dir.run(&["test", "missing.txt", "--expect", "good.txt"]).fails(2, &["missing.txt"]);
    dir.run(&["test", "robots.txt", "--expect", "missing.txt"]).fails(2, &["missing.txt"]);
    for (name, text, words) in [
        ("e.txt", "", "it has no expectation"),
        ("e.txt", "Googlebot /a", "line 1: write an agent"),
        ("e.txt", "\nGooglebot allow example.com", "line 2: `example.com` cannot be tested as a URL"),
    ] {
        dir.write(name, text);
        dir.run(&["test", "robots.txt", "--expect", name]).fails(2, &[name, words]);
    }
}

/// [cmd.expect]
#[test]
fn comparisons_have_formats() {
    let dir = Dir::with(EXPECTED);
    dir.write("e.txt", "Googlebot disallow /a\nMyBot allow /b?<#\n");
    let in_form = |form: &[&str]| dir.run(&[&["test", "robots.txt", "--expect", "e.txt"], form].concat()).code(1);
    let mark = "::error file=e.txt,line=2,title=expectation::/b?<# is disallowed for MyBot, not allowed, in robots.txt: line 5";
    let marked = in_form(&["--format", "github"]);
    assert!(marked.out().starts_with(mark), "{}", marked.out());
    let lines = in_form(&["--json"]).json();
    assert_eq!(
        (&lines[0]["met"], &lines[1]["met"], &lines[1]["answer"]["line"]),
        (&json!(true), &json!(false), &json!(5))
    );
}

/// [cmd.stdin-name]
#[test]
fn the_standard_input_has_a_name() {
    let dir = Dir::with(EXPECTED);
    dir.write("e.txt", "MyBot allow /b");
    let name = ["--stdin-filename", "shop/robots.txt"];
    let expect = [&["test", "-", "--expect", "e.txt", "--format", "github"], &name[..]].concat();
    assert!(dir.run_with(&expect, EXPECTED.as_bytes()).code(1).out().contains("in shop/robots.txt: "));
    let lint = [&["lint", "--format", "github"], &name[..]].concat();
    let ran = dir.run_with(&lint, b"Disallow: https://a.example/\n");
    assert!(ran.code(1).out().contains("::error file=shop/robots.txt,line=1"));
    // A failed download has no mistakes; an empty file has none either.
    assert!(dir.run_with(&lint, b"").code(2).err().contains("the standard input is empty"));
    dir.write("empty.txt", "");
    dir.run(&["lint", "empty.txt"]).ok();
}

/// [cmd.expect]
#[test]
fn urls_can_be_meant_to_be_disallowed() {
    let dir = Dir::with(EXPECTED);
    let test = |file: &str, urls: &[&str]| {
        dir.run(&[&["test", "-q", "-a", "MyBot", "--expect-disallowed", file], urls].concat())
    };
    test("robots.txt", &["/b", "/b/c"]).ok();
    test("robots.txt", &["/b", "/c"]).code(1);
    test("missing.txt", &["/b"]).code(2);
}

/// [cmd.expect] [crawlers.groups]
#[test]
fn without_a_fallback_all_forms_answer_alike() {
    let dir = Dir::with("User-agent: Other\nDisallow: /\n\nUser-agent: *\nDisallow: /x\n");
    dir.write("allow.txt", "M allow /x\n");
    dir.write("disallow.txt", "M disallow /x\n");
    for (more, code, word) in [(&[][..], 1, "disallowed"), (&["--no-fallback"], 0, "allowed")] {
        let run = |args: &[&str]| dir.run(&[&["test", "robots.txt"], more, args].concat());
        assert!(run(&["--agent", "M", "/x"]).code(code).out().starts_with(&format!("{word}\t")));
        run(&["--expect", "allow.txt"]).code(code);
        run(&["--expect", "disallow.txt"]).code(1 - code);
    }
}

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
