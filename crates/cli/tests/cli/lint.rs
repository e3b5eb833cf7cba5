//! `robosieve lint`.

use std::process::Command;

use serde_json::{Value, json};

use crate::common::Dir;

const FILE: &str = "User-agent: *\nDisallow: https://example.com/private/\nDisallow: /caf\u{e9} bar\nDisallow: /x*\n";

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
        let ran = dir.run_in(&[("COLUMNS", columns)], &["lint", "robots.txt"]).code(1);
        let out = ran.out();
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

/// A file is replaced whole, by safe edits only: [cmd.lint.fix]
#[test]
fn files_are_fixed_on_request() {
    let file = "User-agent: *\r\nDisalow: /a # x\r\nDisallow: /b // old\r\n";
    let dir = Dir::with(file);
    let read = |name: &str| std::fs::read_to_string(dir.path(name)).unwrap();
    let fixed = dir.run(&["lint", "--fix", "robots.txt"]).code(1);
    assert!(fixed.out().contains("error[note-in-rule]"), "{}", fixed.out());
    assert_eq!(read("robots.txt"), "User-agent: *\r\nDisallow: /a # x\r\nDisallow: /b // old\r\n");
    assert!(fixed.out().contains("changes answers for `*`: /b is then disallowed"), "{}", fixed.out());
    assert_eq!(
        dir.run_with(&["lint", "--fix", "-"], b"User-agent: *\nDisalow: /x\n").ok().out(),
        "User-agent: *\nDisallow: /x\n"
    );
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
    let ran = page.run(&["lint", "--fix", "robots.txt"]).code(1);
    assert!(ran.err().contains("not changed: it looks like an HTML page"), "{}", ran.err());
    assert_eq!(page.run(&["lint", "--format", "json", "robots.txt"]).one_json()["lints"].as_array().unwrap().len(), 1);
    let all = page.run(&["lint", "--all", "--format", "json", "robots.txt"]).one_json();
    assert!(all["lints"].as_array().unwrap().len() > 1 && all["lints"][1]["fix"].is_null(), "{all}");
    page.run(&["lint", "--fix", "--force", "robots.txt"]).code(1);
    assert_eq!(std::fs::read_to_string(page.path("robots.txt")).unwrap(), files[3].replace("Disalow", "Disallow"));
    let removed = Dir::with(files[2]).run(&["lint", "--all", "robots.txt"]).ok();
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
    dir.run(&["lint", "missing.txt", "robots.txt"]).fails(2, &["missing.txt"]);
}

/// A directive that is meant to be there is not unknown: [cmd.lint]
#[test]
fn own_directives_are_known() {
    let dir = Dir::with("X-Rate: 5\nFoo: 1\nUser-agent: *\nDisallow: /x\n");
    let args = ["lint", "--directive", "X-Rate:file", "robots.txt"];
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
    let args = ["lint", "--files", "*.txt", "sites"];
    let ran = dir.run(&args).code(1);
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
        let ran = dir.run(&args).code(2);
        assert!(ran.err().contains("sites/gone.txt: "), "{}", ran.err());
        assert!(ran.out().contains("\n3 files: 1 error"), "{}", ran.out());
    }
}

/// What `tool --fix .` may touch in a repository: [cmd.lint.files]
#[test]
fn a_repository_keeps_all_but_its_robots_txt() {
    const BAD: &str = "User-agent: *\nDisalow: /x\n";
    let dir = Dir::with(BAD);
    let others = ".git/config .git/HEAD .git/refs/heads/main .git/robots.txt .hidden/robots.txt app.py Makefile README.md \
        notes.yaml ROBOTS.TXT robots.txt.bak build/robots.txt web/out/robots.txt .robots.txt";
    for name in others.split(' ').chain(["web/robots.txt", "robots.txt/robots.txt"]) {
        let path = dir.path("repo").join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, BAD).unwrap();
    }
    // A walk never opens `.git`, also if a pattern of a stranger names it.
    dir.write("repo/.gitignore", "/build/\nout\n!.git\n!.git/**\n!.hidden\n[\n");
    let read = |name: &str| dir.read(&format!("repo/{name}"));
    for args in [&["lint", "--fix", "repo"][..], &["lint", "--fix", "--files", "*.txt", "--files", "HEAD", "repo"]] {
        dir.run(args).ok();
        let changed: Vec<&str> = others.split(' ').filter(|name| read(name) != BAD).collect();
        assert!(changed.is_empty(), "{args:?}: {changed:?}");
        for name in ["web/robots.txt", "robots.txt/robots.txt"] {
            assert_eq!(read(name), "User-agent: *\nDisallow: /x\n");
        }
    }
    // What is named itself is taken as it is.
    dir.run(&["lint", "--fix", "repo/build", "repo/app.py"]).ok();
    assert!(read("app.py").contains("Disallow") && read("build/robots.txt").contains("Disallow"));
}

/// The patterns that count are git's: [cmd.lint.files]
#[test]
fn what_git_ignores_is_left_out() {
    let dir = Dir::new();
    let write = |name: &str, text: &str| {
        let path = dir.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    for name in ["a", "a/b", "a/b/c", "keep", "sub", "sub/x", "sub/y", "no"] {
        write(&format!("r/{name}/robots.txt"), "User-agent: *\nDisallow: /x\n");
    }
    let found = |folder: &str| {
        let ran = dir.run(&["lint", "--format", "json", folder]);
        assert!(matches!(ran.code, Some(0 | 2)), "{}", ran.err());
        let name = |line: Value| line["file"].as_str().unwrap().trim_end_matches("/robots.txt").to_owned();
        let mut names: Vec<String> = ran.json().into_iter().map(name).collect();
        names.sort();
        names.join(" ").replace("r/", "")
    };
    std::fs::create_dir(dir.path("r/.git")).unwrap();
    for (patterns, inner, expected) in [
        ("", "", "a a/b a/b/c keep no sub sub/x sub/y"),
        ("/a/\n", "", "keep no sub sub/x sub/y"),
        ("b", "", "a keep no sub sub/x sub/y"),
        ("a/b/c\n# no\n\nno", "", "a a/b keep sub sub/x sub/y"),
        ("**/c/", "", "a a/b keep no sub sub/x sub/y"),
        ("*\n!keep\n!robots.txt", "", "keep"),
        ("", "*\n!/y\n", "a a/b a/b/c keep no"),
        ("", "/x", "a a/b a/b/c keep no sub sub/y"),
        ("x", "!x", "a a/b a/b/c keep no sub sub/x sub/y"),
        ("robots.txt", "!robots.txt", "sub sub/x sub/y"),
        ("\u{feff}no\r\nkeep\r\n", "", "a a/b a/b/c sub sub/x sub/y"),
    ] {
        write("r/.gitignore", patterns);
        write("r/sub/.gitignore", inner);
        assert_eq!(found("r"), expected, "{patterns:?} {inner:?}");
    }
    // Patterns from above the directory count.
    write("r/.gitignore", "y");
    write("r/sub/.gitignore", "");
    assert_eq!(found("r/sub"), "sub sub/x");
    // Elsewhere they are any file.
    let outside = std::env::temp_dir().join(format!("robosieve-lint-{}", std::process::id()));
    std::fs::create_dir_all(outside.join("no")).unwrap();
    for (name, text) in [("no/robots.txt", ""), (".gitignore", "no")] {
        std::fs::write(outside.join(name), text).unwrap();
    }
    assert!(found(outside.to_str().unwrap()).ends_with("/no"));
    std::fs::remove_dir_all(outside).unwrap();
    // A repository in it has its own.
    std::fs::create_dir(dir.path("r/sub/.git")).unwrap();
    assert_eq!(found("r/sub"), "sub sub/x sub/y");
    assert_eq!(found("r"), "a a/b a/b/c keep no sub sub/x sub/y");
}

/// Patterns that are too many cost their directory, and what is no file is not opened: [cmd.lint.files]
#[test]
fn patterns_of_a_stranger_are_bounded() {
    let dir = Dir::with("User-agent: *\nDisalow: /x\n");
    std::fs::create_dir_all(dir.path("d/.git")).unwrap();
    std::fs::create_dir_all(dir.path("d/sub")).unwrap();
    for name in ["d/robots.txt", "d/sub/robots.txt"] {
        dir.write(name, "User-agent: *\nDisalow: /x\n");
    }
    let most = format!("{}\n", "a".repeat(1023)).repeat(256);
    for (top, inner, files, code) in [
        (most.clone(), String::new(), 2, 0),
        (format!("{most}b"), String::new(), 0, 2),
        (most, "b\n".to_owned(), 1, 2),
        (String::new(), "*a*b*c*d*e*f?[a-z]{a,b}\n".repeat(9_000), 2, 0),
    ] {
        dir.write("d/.gitignore", &top);
        dir.write("d/sub/.gitignore", &inner);
        let ran = dir.run(&["lint", "--format", "json", "d"]);
        if inner.len() < 1_000 {
            assert_eq!((ran.code, ran.json().len()), (Some(code), files), "{}", ran.err());
        }
        assert_eq!(ran.err().contains("is looked at"), ran.code == Some(2), "{}", ran.err());
    }
    #[cfg(unix)]
    {
        std::fs::remove_file(dir.path("d/.gitignore")).unwrap();
        std::fs::remove_file(dir.path("d/sub/.gitignore")).unwrap();
        for pipe in ["d/sub/.gitignore", "d/sub/.git"] {
            if !Command::new("mkfifo").arg(dir.path(pipe)).status().is_ok_and(|status| status.success()) {
                return;
            }
        }
        std::fs::create_dir(dir.path("d/pipe")).unwrap();
        Command::new("mkfifo").arg(dir.path("d/pipe/robots.txt")).status().unwrap();
        let ran = dir.run(&["lint", "--format", "json", "d"]).code(2);
        assert_eq!(ran.json().len(), 1);
        assert!(ran.err().contains("d/pipe/robots.txt: is not a file that can be read"), "{}", ran.err());
        assert!(
            ran.err().contains("d/sub: its .gitignore, or one above it, is no file; nothing in it is looked at"),
            "{}",
            ran.err()
        );
        // A list is no different.
        dir.write("list", "d/pipe/robots.txt\nd/robots.txt\n");
        let ran = dir.run(&["test", "--agent", "A", "--files-from", "list", "/"]).code(2);
        assert!(
            ran.out().lines().count() == 1 && ran.err().contains("d/pipe/robots.txt: is not a file"),
            "{}",
            ran.err()
        );
        // Directories are entered to a depth.
        let deep = "d/deep".to_owned() + &"/x".repeat(98);
        std::fs::create_dir_all(dir.path(&deep).join("y")).unwrap();
        for folder in [deep.clone(), format!("{deep}/y")] {
            dir.write(&format!("{folder}/robots.txt"), "User-agent: *\nDisalow: /x\n");
        }
        let ran = dir.run(&["lint", "--format", "json", "d/deep"]).ok();
        assert_eq!(ran.json().len(), 2, "{}", ran.err());
        std::fs::create_dir_all(dir.path(&deep).join("y/z")).unwrap();
        let ran = dir.run(&["lint", "--format", "json", "d/deep"]).code(2);
        assert!(ran.json().len() == 2 && ran.err().contains("is below 100 directories"), "{}", ran.err());
    }
}

#[cfg(unix)]
/// Links to directories are not followed, and no link in one leads `--fix` out of it: [cmd.lint.files] [cmd.many]
/// [cmd.diff.folders]
#[test]
fn links_lead_to_nothing_else() {
    use std::os::unix::fs::symlink;
    const BAD: &str = "User-agent: *\nDisalow: /x\n";
    let dir = Dir::with(BAD);
    for folder in ["d/sub", "d/in", "elsewhere"] {
        std::fs::create_dir_all(dir.path(folder)).unwrap();
    }
    dir.write("elsewhere/robots.txt", BAD);
    dir.write("d/in/robots.txt", BAD);
    symlink("..", dir.path("d/sub/loop")).unwrap();
    symlink(dir.path("elsewhere"), dir.path("d/other")).unwrap();
    symlink(dir.path("elsewhere"), dir.path("d/sub/robots.txt")).unwrap();
    symlink("in/robots.txt", dir.path("d/robots.txt")).unwrap();
    assert_eq!(dir.run(&["lint", "--format", "json", "d"]).ok().json().len(), 2);
    assert_eq!(dir.run(&["test", "-a", "M", "d", "/"]).ok().out().lines().count(), 2);
    dir.run(&["diff", "-a", "M", "d", "d"]).ok();
    dir.run(&["lint", "--fix", "d"]).ok();
    assert!(dir.read("d/in/robots.txt").contains("Disallow") && dir.path("d/robots.txt").is_symlink());
    symlink("../../robots.txt", dir.path("d/in/robots.txt2")).unwrap();
    std::fs::rename(dir.path("d/in/robots.txt2"), dir.path("d/in/robots.txt")).unwrap();
    let ran = dir.run(&["lint", "--fix", "d"]).code(2);
    assert!(ran.err().contains("d/in/robots.txt: is a link out of d: name the file itself"), "{}", ran.err());
    assert_eq!((dir.read("robots.txt"), dir.read("elsewhere/robots.txt")), (BAD.into(), BAD.into()));
    dir.run(&["lint", "--fix", "d/in/robots.txt"]).ok();
    assert_ne!(dir.read("robots.txt"), BAD, "it was named");
}

/// [cmd.lint.kinds] [lint.kinds]
#[test]
fn kinds_are_chosen() {
    let dir = Dir::with(FILE);
    let only = dir.run(&["lint", "--only", "google-differs,last-wildcard", "robots.txt"]).ok();
    assert!(only.out().contains("\nrobots.txt: 1 warning, 1 note; 1 of other kinds left out"), "{}", only.out());
    let ignored = dir.run(&["lint", "--ignore", "url-in-rule", "--ignore", "google-differs", "robots.txt"]).ok();
    assert!(ignored.out().starts_with("robots.txt: 1 note; 2 of other kinds left out"), "{}", ignored.out());
    dir.run(&["lint", "--only", "last-wildcards", "robots.txt"]).fails(2, &["a similar value exists: 'last-wildcard'"]);
}
