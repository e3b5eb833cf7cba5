//! `robosieve test` with expectations and tables.

use serde_json::{Value, json};

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
        ("e.toml", "[[expect]]\nagent = 1\n", "line 2"),
        ("e.json", "[]", "it has no expectation"),
        ("e.json", "[{\"agent\": \"a\", \"expect\": \"maybe\", \"url\": \"/\"}]", "unknown variant `maybe`"),
    ] {
        dir.write(name, text);
        dir.run(&["test", "robots.txt", "--expect", name]).fails(2, &[name, words]);
    }
    dir.write("e.toml", "[[expect]]\nagent = \"Googlebot\"\nexpect = \"disallow\"\nurl = \"/a\"\n");
    dir.run(&["test", "robots.txt", "--expect", "e.toml"]).ok();
    dir.write("e.json", "[{\"agent\": \"Googlebot\", \"expect\": \"allow\", \"url\": \"/a\"}]");
    assert!(dir.run(&["test", "robots.txt", "--expect", "e.json"]).code(1).out().starts_with("e.json: Googlebot"));
}

/// [cmd.expect]
#[test]
fn comparisons_have_formats() {
    let dir = Dir::with(FILE);
    dir.write("e.txt", "Googlebot disallow /a\nMyBot allow /b?<#\n");
    let in_form = |form: &str| dir.run(&["test", "robots.txt", "--expect", "e.txt", "--format", form]).code(1);
    let expected = "\
TAP version 14
1..2
ok 1 - Googlebot disallowed /a
not ok 2 - MyBot allowed /b?<\\#
  ---
  at: \"e.txt:2\"
  expected: allowed
  found: disallowed
  why: \"line 5: Disallow: /b (group * applies)\"
  ...
";
    assert_eq!(in_form("tap").out(), expected);
    let junit = in_form("junit");
    assert!(junit.out().contains("tests=\"2\" skipped=\"0\" failures=\"1\""), "{}", junit.out());
    assert!(junit.out().contains("name=\"MyBot allowed /b?&lt;#\" classname=\"e.txt:2\""), "{}", junit.out());
    let mark = "::error file=e.txt,line=2,title=expectation::/b?<# is disallowed for MyBot, not allowed, in robots.txt: line 5";
    assert!(in_form("github").out().starts_with(mark), "{}", in_form("github").out());
    let log: Value = serde_json::from_str(in_form("sarif").out()).unwrap();
    let result = &log["runs"][0]["results"][0];
    assert_eq!((&log["version"], &result["ruleId"]), (&json!("2.1.0"), &json!("expectation")));
    assert_eq!(result["locations"][0]["physicalLocation"]["region"]["startLine"], 2);
    let lines = in_form("json").json();
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
    assert!(dir.run_with(&lint, b"").ok().err().contains("the standard input is empty"));
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

/// [cmd.matrix]
#[test]
fn a_table_has_crawlers_and_urls() {
    let dir = Dir::with(FILE);
    let args = ["test", "robots.txt", "--matrix", "--agents", "Googlebot-Image,MyBot", "/a", "https://e.com/b"];
    let expected = "\
agent            group      /a            https://e.com/b  may use the content for
Googlebot-Image  Googlebot  disallowed 2  allowed          ai-train=no
MyBot            *          allowed       disallowed 5     ai-train=no
";
    assert_eq!(dir.run(&args).code(1).out(), expected);
    let all = dir.run(&["test", "robots.txt", "--matrix", "/c"]).ok();
    assert!(
        all.out().contains(" crawlers: ") && all.out().contains("GPTBot") && !all.out().contains("disallowed"),
        "{}",
        all.out()
    );
    let ai = dir.run(&["test", "robots.txt", "--matrix", "--crawlers", "ai", "--json", "/b"]).code(1).json();
    let row = ai.iter().find(|row| row["name"] == "GPTBot").unwrap();
    assert_eq!((&row["crawler"]["owner"], &row["answers"][0]["line"]), (&json!("OpenAI"), &json!(5)));
    assert!(ai.iter().all(|row| row["name"] != "Googlebot"));
    dir.run(&["test", "robots.txt", "--matrix"]).fails(2, &["name the URLs"]);
    dir.run(&["test", "robots.txt", "--matrix", "--agents", "a,", "/"]).fails(2, &["--agents is empty"]);
}

/// [cmd.expect] [cmd.matrix] [crawlers.groups]
#[test]
fn without_a_fallback_all_forms_answer_alike() {
    let dir = Dir::with("User-agent: Other\nDisallow: /\n\nUser-agent: *\nDisallow: /x\n");
    dir.write("allow.txt", "M allow /x\n");
    dir.write("disallow.txt", "M disallow /x\n");
    for (more, code, word) in [(&[][..], 1, "disallowed"), (&["--no-fallback"], 0, "allowed")] {
        let run = |args: &[&str]| dir.run(&[&["test", "robots.txt"], more, args].concat());
        assert!(run(&["--agent", "M", "/x"]).code(code).out().starts_with(&format!("{word}\t")));
        let rows = run(&["--matrix", "--agents", "M", "--format", "csv", "/x"]).code(code);
        assert!(rows.out().contains(&format!(",{word}")), "{}", rows.out());
        run(&["--expect", "allow.txt"]).code(code);
        run(&["--expect", "disallow.txt"]).code(1 - code);
    }
}

/// [cmd.other-site]
#[test]
fn urls_of_another_site_are_reported_in_tables_too() {
    let dir = Dir::with("User-agent: *\nDisallow: /x\n");
    dir.write("own.txt", "M allow https://a.example/\nM allow /\n");
    dir.write("other.txt", "M allow https://b.example/\nM allow /\n");
    let run = |args: &[&str]| {
        let base = ["test", "--base-url", "https://a.example/", "robots.txt"];
        dir.run(&[&base, args].concat()).ok().err().contains("1 answer is for a URL of another site")
    };
    assert!(run(&["--matrix", "--agents", "M", "https://b.example/", "/"]));
    assert!(!run(&["--matrix", "--agents", "M", "https://a.example/", "/"]));
    assert!(run(&["--expect", "other.txt"]));
    assert!(!run(&["--expect", "own.txt"]));
    assert!(!run(&["--expect", "other.txt", "--quiet"]));
}
