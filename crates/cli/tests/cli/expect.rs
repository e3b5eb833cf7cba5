//! `robosieve test --expect`.

use serde_json::json;

use crate::common::Dir;

const FILE: &str = "User-agent: Googlebot\nDisallow: /a\n\nUser-agent: *\nDisallow: /b\nContent-Signal: ai-train=no\n";

/// [cmd.expect]
#[test]
fn expectations_decide_the_exit_code() {
    let dir = Dir::with(FILE);
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
    let dir = Dir::with(FILE);
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
    let dir = Dir::with(FILE);
    dir.write("e.txt", "MyBot allow /b");
    let name = ["--stdin-filename", "shop/robots.txt"];
    let expect = [&["test", "-", "--expect", "e.txt", "--format", "github"], &name[..]].concat();
    assert!(dir.run_with(&expect, FILE.as_bytes()).code(1).out().contains("in shop/robots.txt: "));
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
    let dir = Dir::with(FILE);
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
