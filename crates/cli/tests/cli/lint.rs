//! `robosieve lint`.

use std::process::Command;

use serde_json::{Value, json};

use crate::common::Dir;

const FILE: &str = "User-agent: *\nDisallow: https://example.com/private/\nDisallow: /caf\u{e9} bar\nDisallow: /x*\n";

/// The output for a terminal of this width.
fn at_width(dir: &Dir, columns: &str) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_robosieve"));
    let ran = command.current_dir(dir.path("")).args(["lint", "robots.txt"]).env("COLUMNS", columns).output().unwrap();
    assert_eq!(ran.status.code(), Some(1));
    String::from_utf8(ran.stdout).unwrap()
}

/// [cmd.lint], [cmd.lint.human]
#[test]
fn people_see_the_line_and_what_to_write() {
    let out = Dir::with(FILE).run(&["lint", "robots.txt"]).code(1);
    let expected = "\
error[url-in-rule]: a rule needs a path: a URL or a host matches nothing [suspect.path]
 --> robots.txt:2:11
  |
2 | Disallow: https://example.com/private/
  |           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  |
help: write the path only; a robots.txt file applies to its own host
  |
2 - Disallow: https://example.com/private/
2 + Disallow: /private/
  |
";
    assert!(out.out().starts_with(expected), "{}", out.out());
    assert!(out.out().contains("3 | Disallow: /café bar\n  |           ^^^^^^^^^\n"), "{}", out.out());
    assert!(out.out().ends_with("\nrobots.txt: 1 error, 1 warning, 1 note\n"), "{}", out.out());
}

/// Long lines are cut to the width of the terminal: [cmd.lint.human]
#[test]
fn output_fits_the_terminal() {
    let dir = Dir::with(format!("User-agent: *\nDisallow: https://example.com/{}\n", "a/".repeat(300)));
    for (columns, width) in [("40", 40), ("80", 80), ("200", 200)] {
        let out = at_width(&dir, columns);
        let source = out.lines().find(|line| line.starts_with("2 | ")).unwrap();
        assert!((width / 2..=width).contains(&source.len()), "{columns}: {} in {out}", source.len());
    }
}

/// [cmd.lint.human]
#[test]
fn many_lints_of_a_kind_are_counted() {
    let dir = Dir::with(format!("User-agent: *\nDisallow: /x\n{}", "Foo: bar\n".repeat(9)));
    let short = dir.run(&["lint", "robots.txt"]).ok();
    assert_eq!(short.out().matches("warning[unknown-directive]: ").count(), 5);
    assert!(
        short.out().contains("and 4 more warning[unknown-directive]\n`--all` shows all of them\n"),
        "{}",
        short.out()
    );
    let all = dir.run(&["lint", "--all", "robots.txt"]).ok();
    assert_eq!(all.out().matches("warning[unknown-directive]: ").count(), 9);
}

/// [cmd.lint.machines]
#[test]
fn machines_get_json_github_and_sarif() {
    let dir = Dir::with(FILE);
    let found = dir.run(&["lint", "--format", "json", "robots.txt"]).code(1).one_json();
    assert_eq!((&found["errors"], &found["warnings"], &found["notes"]), (&json!(1), &json!(1), &json!(1)));
    let lint = &found["lints"][0];
    assert_eq!((&lint["kind"], &lint["severity"], &lint["line"]), (&json!("url-in-rule"), &json!("error"), &json!(2)));
    assert_eq!(lint["columns"], json!({"start": 11, "end": 39}));
    assert_eq!(lint["replacement"], json!(["Disallow: /private/"]));

    dir.write("a,b:100%.txt", FILE);
    let commands = dir.run(&["lint", "--format", "github", "a,b:100%.txt"]).code(1);
    let first = commands.out().lines().next().unwrap();
    let head = "::error file=a%2Cb%3A100%25.txt,line=2,col=11,endColumn=39,title=url-in-rule::a rule needs a path";
    assert!(first.starts_with(head), "{first}");
    assert!(first.ends_with("%0ADisallow: /private/"), "{first}");

    let log = dir.run(&["lint", "--format", "sarif", "robots.txt", "a,b:100%.txt"]).code(1).one_json();
    assert_eq!(log["version"], "2.1.0");
    let run = &log["runs"][0];
    let results = run["results"].as_array().unwrap();
    assert_eq!(results.len(), 6);
    // Characters, where JSON has bytes.
    let place = &results[1]["locations"][0]["physicalLocation"];
    assert_eq!(place["region"], json!({"startLine": 3, "startColumn": 11, "endColumn": 20}));
    assert_eq!(results[5]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "a,b%3A100%25.txt");
    let rules: Vec<&Value> =
        run["tool"]["driver"]["rules"].as_array().unwrap().iter().map(|rule| &rule["id"]).collect();
    assert!(results.iter().all(|result| rules.contains(&&result["ruleId"])), "{rules:?}");
    let inserted = &results[0]["fixes"][0]["artifactChanges"][0]["replacements"][0]["insertedContent"]["text"];
    assert_eq!(inserted, "Disallow: /private/");
}

/// [cmd.lint]
#[test]
fn the_exit_code_is_that_of_fail_on() {
    let dir = Dir::with("User-agent: *\nDisallow: /x*\n");
    dir.run(&["lint", "robots.txt"]).ok();
    dir.run(&["lint", "--fail-on", "warning", "robots.txt"]).ok();
    dir.run(&["lint", "--fail-on", "note", "robots.txt"]).code(1);
    dir.write("robots.txt", "User-agent: *\nDisalow: /x\n");
    dir.run(&["lint", "robots.txt"]).ok();
    dir.run(&["lint", "--fail-on", "warning", "robots.txt"]).code(1);
    dir.write("robots.txt", format!("User-agent: *\nDisallow: /{}\n", "*a".repeat(11)));
    dir.run(&["lint", "robots.txt"]).ok();
    dir.run(&["lint", "--fail-on", "loss", "robots.txt"]).code(1);
    dir.write("robots.txt", FILE);
    dir.run(&["lint", "--fail-on", "never", "robots.txt"]).ok();
    dir.run(&["lint", "missing.txt"]).fails(2, &["missing.txt"]);
    let mixed = dir.run(&["lint", "missing.txt", "robots.txt"]).code(2);
    assert!(mixed.out().contains("error[url-in-rule]"), "{}", mixed.out());
}

/// A directive that is meant to be there is not unknown: [cmd.lint]
#[test]
fn own_directives_and_the_base_url_are_known() {
    let dir = Dir::with("X-Rate: 5\nSitemap: /s.xml\nUser-agent: *\nDisallow: /x\n");
    let args = ["lint", "--directive", "X-Rate:file", "--base-url", "https://example.com/", "robots.txt"];
    let out = dir.run(&args).ok();
    assert!(out.out().contains("2 | Sitemap: https://example.com/s.xml\n"), "{}", out.out());
    assert!(out.out().ends_with("\nrobots.txt: 1 warning\n"), "{}", out.out());
    dir.write("robots.txt", "User-agent: *\nDisallow: /x\n");
    assert_eq!(dir.run(&args).ok().out(), "robots.txt: nothing to mend\n");
    assert!(dir.run_with(&["lint", "-"], b"User-agent: *\nDisalow: /x\n").ok().out().contains(" --> -:2:1\n"));
}
