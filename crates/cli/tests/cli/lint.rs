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
";
    assert!(out.out().starts_with(expected), "{}", out.out());
    assert!(out.out().contains("3 | Disallow: /café bar\n  |           ^^^^^^^^^\n"), "{}", out.out());
    assert!(out.out().contains("\nrobots.txt: 1 error, 1 warning, 1 note"), "{}", out.out());
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
    assert!(short.out().contains("and 4 more warning[unknown-directive]\n\nrobots.txt: 9 warnings"), "{}", short.out());
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
    assert_eq!(lint["fix"]["lines"], json!(["Disallow: /private/"]));

    dir.write("a,b:100%.txt", FILE);
    let commands = dir.run(&["lint", "--format", "github", "a,b:100%.txt"]).code(1);
    let first = commands.out().lines().next().unwrap();
    let head = "::error file=a%2Cb%3A100%25.txt,line=2,col=11,endColumn=39,title=url-in-rule::a rule needs a path";
    assert!(first.starts_with(head), "{first}");
    assert!(first.contains("%0ADisallow: /private/"), "{first}");

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
}

/// Editors apply a fix with one click, so only what changes nothing is offered: [cmd.lint.machines], [lint.safe]
#[test]
fn sarif_offers_safe_fixes_only() {
    let dir =
        Dir::with("User-agent: *\nDisalow: /x # old\nDisallow: https://example.com/y\nDisallow: /z\nDisallow: /z\n");
    let log = dir.run(&["lint", "--format", "sarif", "robots.txt"]).code(1).one_json();
    let results = log["runs"][0]["results"].as_array().unwrap();
    let change = |result: &Value| result["fixes"][0]["artifactChanges"][0]["replacements"][0].clone();
    let spelled = &results.iter().find(|result| result["ruleId"] == "misspelled-directive").unwrap();
    assert_eq!(change(spelled)["insertedContent"]["text"], "Disallow: /x # old");
    assert_eq!(
        change(spelled)["deletedRegion"],
        json!({"startLine": 2, "startColumn": 1, "endLine": 2, "endColumn": 18})
    );
    let url = results.iter().find(|result| result["ruleId"] == "url-in-rule").unwrap();
    assert_eq!(url.get("fixes"), None);
    let twice = results.iter().find(|result| result["ruleId"] == "repeated-rule").unwrap();
    assert_eq!(change(twice)["deletedRegion"], json!({"startLine": 5, "startColumn": 1, "endLine": 6, "endColumn": 1}));
}

/// A file is replaced whole, by safe edits only, unless others are asked for: [cmd.lint.fix]
#[test]
fn files_are_fixed_on_request() {
    let file = "User-agent: *\r\nDisalow: /a # x\r\nDisallow: /b // old\r\n";
    let dir = Dir::with(file);
    let read = |name: &str| std::fs::read_to_string(dir.path(name)).unwrap();
    let patch = dir.run(&["lint", "--diff", "robots.txt"]).code(1);
    assert!(patch.out().contains("-Disalow: /a # x\r\n+Disallow: /a # x\r\n"), "{}", patch.out());
    assert_eq!(read("robots.txt"), file);
    let fixed = dir.run(&["lint", "--fix", "robots.txt"]).code(1);
    assert!(fixed.out().contains("error[note-in-rule]"), "{}", fixed.out());
    assert_eq!(read("robots.txt"), "User-agent: *\r\nDisallow: /a # x\r\nDisallow: /b // old\r\n");
    let all = dir.run(&["lint", "--fix", "--unsafe-fixes", "robots.txt"]).ok();
    assert!(all.out().contains("nothing to fix"), "{}", all.out());
    assert_eq!(read("robots.txt"), "User-agent: *\r\nDisallow: /a # x\r\nDisallow: /b  # old\r\n");
    assert_eq!(dir.run(&["lint", "--diff", "robots.txt"]).ok().out(), "");
    assert_eq!(
        dir.run_with(&["lint", "--fix", "-"], b"User-agent: *\nDisalow: /x\n").ok().out(),
        "User-agent: *\nDisallow: /x\n"
    );
    dir.run(&["lint", "--fix", "--diff", "robots.txt"]).fails(2, &["--diff"]);
}

/// What an owner wrote stays, and a file that is something else too, unless it is asked for: [cmd.lint.fix], [lint.words],
/// [lint.not-robots]
#[test]
fn fixes_lose_nothing() {
    let files = [
        "User-agent: *Disallow: /\n",
        "User-agent: *\nDisallow: /private/\nAllow: /Sitemap: https://s.example/s.xml\n",
        "User-agent: *\nDisallow: /a\nDisallow: /a/b\n",
        "<html>\nUser-agent: *\nDisalow: /a\n</html>\n",
        "#!/bin/sh\necho 'User-agent: *'\nuserAgent = \"iOS\";\n",
    ];
    let dir = Dir::with("");
    for file in files {
        std::fs::write(dir.path("robots.txt"), file).unwrap();
        for _ in 0..2 {
            dir.run(&["lint", "--fix", "robots.txt"]);
            assert_eq!(std::fs::read_to_string(dir.path("robots.txt")).unwrap(), file);
        }
    }
    let page = Dir::with(files[3]);
    let ran = page.run(&["lint", "--fix", "--unsafe-fixes", "robots.txt"]).code(1);
    assert!(ran.err().contains("not changed: it looks like an HTML page"), "{}", ran.err());
    assert_eq!(page.run(&["lint", "--format", "json", "robots.txt"]).one_json()["lints"].as_array().unwrap().len(), 1);
    let all = page.run(&["lint", "--all", "--format", "json", "robots.txt"]).one_json();
    assert!(all["lints"].as_array().unwrap().len() > 1 && all["lints"][1]["fix"].is_null(), "{all}");
    page.run(&["lint", "--fix", "--force", "robots.txt"]).code(1);
    assert_eq!(std::fs::read_to_string(page.path("robots.txt")).unwrap(), files[3].replace("Disalow", "Disallow"));
    let removed = Dir::with(files[2]).run(&["lint", "--all", "--unsafe-fixes", "robots.txt"]).ok();
    assert!(removed.out().contains("removes the rule `Disallow: /a/b`"), "{}", removed.out());
}

/// A file of which only a part was read is not replaced: [cmd.lint.fix]
#[test]
fn a_file_that_is_too_long_stays() {
    let long = format!("User-agent: *\nDisalow: /x\n{}", "# filler\n".repeat(60_000));
    let dir = Dir::with(&long);
    dir.run(&["lint", "--fix", "robots.txt"]).fails(2, &["not replaced", "512000"]);
    assert_eq!(std::fs::read_to_string(dir.path("robots.txt")).unwrap(), long);
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
    assert!(out.out().contains("\nrobots.txt: 1 warning; "), "{}", out.out());
    dir.write("robots.txt", "User-agent: *\nDisallow: /x\n");
    assert_eq!(dir.run(&args).ok().out(), "robots.txt: nothing to fix\n");
    assert!(dir.run_with(&["lint", "-"], b"User-agent: *\nDisalow: /x\n").ok().out().contains(" --> -:2:1\n"));
}

/// Notes are counted, and shown on request: [cmd.lint.human]
#[test]
fn notes_are_shown_on_request() {
    let dir = Dir::with("User-agent: *\nDisallow: /x*\n");
    let counted = dir.run(&["lint", "robots.txt"]).ok();
    assert_eq!(counted.out(), "robots.txt: 1 note; `--fix` applies 1 fix\n`--notes` shows the notes\n");
    for switch in ["--notes", "--all"] {
        let shown = dir.run(&["lint", switch, "robots.txt"]).ok();
        assert!(shown.out().starts_with("note[last-wildcard]: "), "{}", shown.out());
        assert!(shown.out().ends_with("\nrobots.txt: 1 note; `--fix` applies 1 fix\n"), "{}", shown.out());
    }
    let long = dir.run_with(
        &["lint", "--all", "-"],
        format!("User-agent: *\nDisallow: /x\n{}", "Foo: é\n".repeat(1_010)).as_bytes(),
    );
    assert!(long.out().contains("\n-:1003:1: warning[unknown-directive]: "), "{}", long.out().len());
}

/// Directories by name, without links; totals; what cannot be read is reported: [cmd.lint.files]
#[test]
fn directories_are_read_by_name() {
    let dir = Dir::new();
    for folder in ["sites", "sites/b", "elsewhere"] {
        std::fs::create_dir(dir.path(folder)).unwrap();
    }
    dir.write("sites/c.txt", "User-agent: *\nDisalow: /x\n");
    dir.write("sites/b/a.txt", FILE);
    dir.write("sites/a.txt", "User-agent: *\nDisallow: /x\n");
    dir.write("elsewhere/d.txt", FILE);
    #[cfg(unix)]
    std::os::unix::fs::symlink(dir.path("elsewhere"), dir.path("sites/link")).unwrap();
    let ran = dir.run(&["lint", "sites"]).code(1);
    let files: Vec<&str> =
        ran.out().lines().filter_map(|line| line.trim_start().strip_prefix("--> ")).map(|_| "").collect();
    assert_eq!(files.len(), 3, "{}", ran.out());
    let ends = "\n`--notes` shows the notes\n";
    assert!(ran.out().ends_with(ends) && ran.out().contains("\nsites/c.txt: 1 warning"), "{}", ran.out());
    assert!(ran.out().contains("\n3 files: 1 error, 2 warnings, 1 note; `--fix` applies "), "{}", ran.out());
    let (first, second) = (ran.out().find("sites/b/a.txt"), ran.out().find("sites/c.txt"));
    assert!(first < second, "{}", ran.out());
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(dir.path("nothing"), dir.path("sites/gone.txt")).unwrap();
        let ran = dir.run(&["lint", "sites"]).code(2);
        assert!(ran.err().contains("sites/gone.txt: "), "{}", ran.err());
        assert!(ran.out().contains("\n3 files: 1 error"), "{}", ran.out());
    }
}

/// [cmd.lint.kinds] [lint.silence]
#[test]
fn kinds_are_chosen_and_comments_silence() {
    let dir = Dir::with(FILE);
    let only = dir.run(&["lint", "--only", "google-differs,last-wildcard", "robots.txt"]).ok();
    assert!(only.out().contains("\nrobots.txt: 1 warning, 1 note; 1 of other kinds left out"), "{}", only.out());
    let ignored = dir.run(&["lint", "--ignore", "url-in-rule", "--ignore", "google-differs", "robots.txt"]).ok();
    assert!(ignored.out().starts_with("robots.txt: 1 note; 2 of other kinds left out"), "{}", ignored.out());
    dir.run(&["lint", "--only", "last-wildcards", "robots.txt"]).fails(2, &["perhaps `last-wildcard`?"]);
    dir.write("robots.txt", format!("# robosieve: ignore-file url-in-rule\n# robosieve: ignore nonsense\n{FILE}"));
    let ran = dir.run(&["lint", "--format", "json", "robots.txt"]).ok();
    assert!(ran.err().contains("robots.txt: line 2: `nonsense` is no kind of finding"), "{}", ran.err());
    let found = ran.one_json();
    assert_eq!((&found["errors"], &found["silenced"], &found["left_out"]), (&json!(0), &json!(1), &json!(0)));
}

/// [cmd.lint.machines]
#[test]
fn tables_have_a_row_for_each_lint() {
    let dir = Dir::with(FILE);
    dir.write("a,\"b.txt", FILE);
    let table = dir.run(&["lint", "--format", "csv", "robots.txt", "a,\"b.txt"]).code(1);
    let lines: Vec<&str> = table.out().lines().collect();
    assert_eq!((lines.len(), lines[0]), (7, "file,line,column,severity,kind,message"));
    assert!(lines[1].starts_with("robots.txt,2,11,error,url-in-rule,a rule needs a path: "), "{}", lines[1]);
    assert!(lines[4].starts_with("\"a,\"\"b.txt\",2,11,error,"), "{}", lines[4]);
}

/// A file's name from a hostile archive is no formula: [cmd.lint.machines] [batch.csv]
#[test]
fn tables_have_no_formulas() {
    let dir = Dir::new();
    for name in ["=cmd|' C'!A0", "+1", "@x", "\tx"] {
        dir.write(name, FILE);
        let table = dir.run(&["lint", "--format", "csv", "--", name]).code(1);
        let rows: Vec<&str> = table.out().lines().skip(1).collect();
        assert!(!rows.is_empty() && rows.iter().all(|row| !row.starts_with(['=', '+', '@', '\t'])), "{rows:?}");
    }
}

#[cfg(unix)]
/// A tab ends a name with a blank, and git's quotes are around other signs: [cmd.lint.fix]
#[test]
fn a_patch_names_any_file() {
    let dir = Dir::new();
    for (name, head) in [
        ("plain.txt", "--- a/plain.txt\n+++ b/plain.txt\n"),
        ("a b.txt", "--- a/a b.txt\t\n+++ b/a b.txt\t\n"),
        ("a\\b.txt", "--- \"a/a\\\\b.txt\"\n+++ \"b/a\\\\b.txt\"\n"),
        ("a\nb\".txt", "--- \"a/a\\012b\\\".txt\"\n+++ \"b/a\\012b\\\".txt\"\n"),
        ("\u{e9}.txt", "--- a/\u{e9}.txt\n+++ b/\u{e9}.txt\n"),
    ] {
        dir.write(name, "User-agent: *\nDisalow: /x\n");
        let ran = dir.run(&["lint", "--diff", name]);
        assert_eq!(ran.code, Some(1), "{name}");
        assert!(ran.out().starts_with(head), "{name}: {}", ran.out());
    }
}
