//! `robosieve diff`: for one agent, for all agents, for two agents of a file, and for directories.

use crate::common::Dir;

const OLD: &str = "User-agent: *\nDisallow: /tmp\nDisallow: /*.pdf$\nCrawl-delay: 5\n";

fn dir(new: &str) -> Dir {
    let dir = Dir::with(OLD);
    dir.write("new.txt", new.as_bytes());
    dir
}

/// [cmd.diff]
#[test]
fn spelling_is_no_change() {
    let same = "# hello\r\nUSERAGENT: *\r\ndisallow: /*.pdf$ # x\r\nDisallow: /%74mp\r\nCrawl-delay: 5.0\r\nUser-agent: other\r\nDisallow: /\r\n";
    let ran = dir(same).run(&["diff", "--agent", "MyBot", "robots.txt", "new.txt"]).ok();
    assert_eq!(ran.out(), "");
}

/// [cmd.diff] [diff.rules] [diff.flips]
#[test]
fn shows_added_and_removed_rules_and_flips() {
    let new = "User-agent: *\nDisallow: /tmp\nAllow: /tmp/pub\nDisallow: /new*/x\n\nSitemap: https://e.com/s\n";
    let ran = dir(new).run(&["diff", "--agent", "MyBot", "robots.txt", "new.txt"]);
    assert_eq!(ran.code, Some(1));
    let expected = "\
- Disallow: /*.pdf$  (line 3)
+ Allow: /tmp/pub  (line 3)
+ Disallow: /new*/x  (line 4)
- Crawl-delay: 5
+ Sitemap: https://e.com/s
! /tmp/pub  now allowed
! /newx/x  now disallowed
! /x.pdf  now allowed
";
    assert_eq!(ran.out(), expected);
    let quiet = dir(new).run(&["diff", "-q", "--agent", "MyBot", "robots.txt", "new.txt"]);
    assert_eq!((quiet.code, quiet.out()), (Some(1), ""));
}

/// [cmd.diff]
#[test]
fn prints_json() {
    let ran = dir("User-agent: *\nDisallow: /\n").run(&["diff", "--json", "--agent", "MyBot", "robots.txt", "new.txt"]);
    let line = ran.one_json();
    assert_eq!((ran.code, &line["same"], &line["v"]), (Some(1), &false.into(), &1.into()));
    assert_eq!(line["flips"][0], serde_json::json!({"path": "/", "allowed": false, "old_line": null, "new_line": 2}));
    let rule = serde_json::json!({"kind": "disallow", "pattern": "/", "line": 2, "witness": "found"});
    assert_eq!((&line["rules_added"][0], &line["answers"]), (&rule, &"changed".into()));
    assert_eq!((&line["without_witness"], &line["not_searched"]), (&0.into(), &0.into()));
    assert_eq!((&line["reports"]["old"]["exact"], &line["reports"]["new"]["suspects"]), (&true.into(), &0.into()));
}

/// A change of order is shown with both lines. [diff.order] [diff.flips]
#[test]
fn the_order_of_rules_matters_in_file_order() {
    let dir = Dir::with("User-agent: *\nAllow: /a\nDisallow: /\n");
    dir.write("new.txt", b"User-agent: *\nDisallow: /\nAllow: /a\n");
    let ran = dir.run(&["diff", "--order", "file", "--agent", "MyBot", "robots.txt", "new.txt"]);
    let shown = "~ Disallow: /  (line 2, was line 3)\n! /a  now disallowed\n";
    assert_eq!((ran.code, ran.out(), ran.err()), (Some(1), shown, ""));
    let json = dir.run(&["diff", "--json", "--order", "file", "--agent", "MyBot", "robots.txt", "new.txt"]);
    let line = json.one_json();
    let moved = serde_json::json!([{"kind": "disallow", "pattern": "/", "line": 2, "old_line": 3, "witness": "found"}]);
    assert_eq!(line["rules_moved"], moved);
    assert_eq!(dir.run(&["diff", "--agent", "MyBot", "robots.txt", "new.txt"]).ok().out(), "");
}

/// Rules that change no answer are shown, but are not a change. [diff.witness] [diff.same]
#[test]
fn reports_that_no_answer_changed() {
    let ran = dir(&format!("{OLD}Disallow: /tmp/a\n")).run(&["diff", "--agent", "MyBot", "robots.txt", "new.txt"]);
    let shown = "+ Disallow: /tmp/a  (line 5; changes no result)\nno URL's result changed\n";
    assert_eq!((ran.code, ran.out(), ran.err()), (Some(0), shown, ""));
    let with_a_change = format!("{OLD}Disallow: /tmp/a\nDisallow: /b\n");
    let ran = dir(&with_a_change).run(&["diff", "--agent", "MyBot", "robots.txt", "new.txt"]);
    assert_eq!(
        ran.out(),
        "+ Disallow: /tmp/a  (line 5; changes no result)\n+ Disallow: /b  (line 6)\n! /b  now disallowed\n"
    );
}

/// [cmd.diff] [cmd.exit]
#[test]
fn errors_explain_what_to_do() {
    let dir = dir(OLD);
    dir.run(&["diff", "robots.txt", "new.txt"]).fails(2, &["--agent MyBot"]);
    dir.run(&["diff", "--agent", "x", "-", "-"]).fails(2, &["once"]);
    dir.run(&["diff", "--agent", "x", "robots.txt", "missing.txt"]).fails(2, &["missing.txt"]);
    dir.write("over.txt", b"User-agent: *\nDisallow: /*a*b*c*d*e*f*g*h*i*j*k\n");
    let lost = dir.run(&["diff", "--agent", "x", "--max-wildcards", "10", "robots.txt", "over.txt"]);
    assert!(lost.err().contains("over.txt: not exact"), "{}", lost.err());
    let refuse =
        ["diff", "--agent", "x", "--max-wildcards", "10", "--on-over-limit", "refuse", "robots.txt", "over.txt"];
    dir.run(&refuse).fails(3, &["over.txt"]);
}

/// [diff.work] [diff.witness]
#[test]
fn reports_rules_that_were_not_searched() {
    let star_rules: String = (0..12_000).map(|n| format!("Disallow: *x{n:06}*y$\n")).collect();
    let dir = dir(&format!("User-agent: *\n{star_rules}"));
    let ran = dir.run(&["diff", "--dialect", "google", "--agent", "MyBot", "robots.txt", "new.txt"]);
    assert_eq!(ran.code, Some(1));
    assert!(ran.err().contains("changed rules the search for a URL stopped"), "{}", ran.err());
    assert_eq!(ran.out().lines().filter(|line| line.starts_with('+')).count(), 12_000);
    assert!(ran.out().contains("; not searched)\n"), "{}", ran.out());
    let quiet = dir.run(&["diff", "-q", "--dialect", "google", "--agent", "MyBot", "robots.txt", "new.txt"]);
    assert_eq!((quiet.code, quiet.err()), (Some(1), ""));
    let json = dir.run(&["diff", "--json", "--dialect", "google", "--agent", "MyBot", "robots.txt", "new.txt"]);
    let line = json.one_json();
    assert!(line["not_searched"].as_u64().unwrap() > 1_000, "{}", line["not_searched"]);
}

const OLD_GROUPS: &str = "User-agent: *\nDisallow: /tmp\n\nUser-agent: Gone\nDisallow: /x\n";
const NEW_GROUPS: &str = "\
User-agent: *\nDisallow: /tmp\n
User-agent: GPTBot\nUser-agent: CCBot\nUser-agent: Calm\nDisallow: /\n
User-agent: Calm\nAllow: /\n
Sitemap: https://e.com/s\n";

fn groups() -> Dir {
    let dir = Dir::with(OLD_GROUPS);
    dir.write("new.txt", NEW_GROUPS);
    dir
}

/// An added group for another crawler is a change. [cmd.diff.all] [compare.agents] [compare.lines]
#[test]
fn all_agents_are_compared() {
    let dir = groups();
    let ran = dir.run(&["diff", "--all-agents", "robots.txt", "new.txt"]).code(1);
    let expected = "\
agents added: GPTBot, CCBot, Calm
agents gone: Gone
for GPTBot, CCBot: before the group for `*`, now its own group
  + Disallow: /  (line 7)
  1 other changed rule changes no result
  ! /  now disallowed
for Calm: before the group for `*`, now its own group
  - Disallow: /tmp  (line 2)
  + Allow: /  (line 10)
  ! /tmp  now allowed
for Gone: before its own group, now the group for `*`
  - Disallow: /x  (line 5)
  + Disallow: /tmp  (line 2)
  ! /tmp  now disallowed
  ! /x  now allowed
for all
  + Sitemap: https://e.com/s
";
    assert_eq!((ran.out(), ran.err()), (expected, ""));
    let same = dir.run(&["diff", "--all-agents", "new.txt", "new.txt"]).ok();
    assert_eq!((same.out(), same.err()), ("", ""));
    let quiet = dir.run(&["diff", "--all-agents", "-q", "robots.txt", "new.txt"]).code(1);
    assert_eq!((quiet.out(), quiet.err()), ("", ""));
    dir.run(&["diff", "--all-agents", "--agent", "x", "robots.txt", "new.txt"]).fails(2, &["--all-agents"]);
    dir.run(&["diff", "--all-agents", "--no-fallback", "robots.txt", "new.txt"]).fails(2, &["--no-fallback"]);
    dir.run(&["diff", "--all-agents", "robots.txt"]).fails(2, &["name two files"]);
}

/// [cmd.diff.all] [cmd.diff.json]
#[test]
fn all_agents_as_json() {
    let line = groups().run(&["diff", "--all-agents", "--json", "robots.txt", "new.txt"]).code(1).one_json();
    assert_eq!((&line["v"], &line["same"], &line["unchanged"]), (&1.into(), &false.into(), &1.into()));
    assert_eq!(line["agents_added"], serde_json::json!(["GPTBot", "CCBot", "Calm"]));
    assert_eq!(line["agents_removed"], serde_json::json!(["Gone"]));
    assert_eq!(line["lines_added"][0]["name"], "Sitemap");
    let change = &line["changes"][0];
    assert_eq!(change["agents"], serde_json::json!(["GPTBot", "CCBot"]));
    assert_eq!((&change["old_group"], &change["new_group"]), (&"everyone".into(), &"own".into()));
    assert_eq!((&change["flips"][0]["path"], &change["lines_added"]), (&"/".into(), &serde_json::json!([])));
    assert_eq!((&line["not_compared"], &line["reports"]["new"]["exact"]), (&serde_json::json!([]), &true.into()));
}

/// What is over the limit is said, and counts as a change. [compare.bounds] [cmd.diff.all]
#[test]
fn agents_over_the_limit_are_named() {
    let dir = Dir::with((0..1_200).map(|n| format!("User-agent: a{n}\n")).collect::<String>() + "Disallow: /x\n");
    dir.write("new.txt", dir.read("robots.txt").replace("User-agent: a", "User-agent: b"));
    dir.write("quiet.txt", format!("# note\n{}", dir.read("robots.txt")));
    let ran = dir.run(&["diff", "--all-agents", "robots.txt", "new.txt"]).code(1);
    assert!(ran.err().contains("and 1383 more of 2403 agents: at most 1000 agents, 100 different"), "{}", ran.err());
    assert_eq!(dir.run(&["diff", "--all-agents", "robots.txt", "quiet.txt"]).ok().err(), "");
}

/// [cmd.diff.two] [compare.two]
#[test]
fn two_agents_of_a_file_are_compared() {
    let dir = groups();
    let ran = dir.run(&["diff", "--agents", "Googlebot,Gone", "robots.txt"]).code(1);
    let expected = "\
from Googlebot (-) to Gone (+)
- Disallow: /tmp  (line 2)
+ Disallow: /x  (line 5)
! /x  disallowed for Gone
! /tmp  allowed for Gone
";
    assert_eq!((ran.out(), ran.err()), (expected, ""));
    assert_eq!(dir.run(&["diff", "--agents", "Googlebot,Bingbot", "robots.txt"]).ok().out(), "");
    let line = dir.run(&["diff", "--agents", "Googlebot,Gone", "--json", "robots.txt"]).code(1).one_json();
    assert_eq!((&line["agents"][1], &line["same"]), (&"Gone".into(), &false.into()));
    assert_eq!(line["reports"]["new"], serde_json::Value::Null);
    dir.run(&["diff", "--agents", "a", "robots.txt"]).fails(2, &["two names"]);
    dir.run(&["diff", "--agents", "a,", "robots.txt"]).fails(2, &["empty"]);
    dir.run(&["diff", "--agents", "a,b", "robots.txt", "new.txt"]).fails(2, &["name one file"]);
    dir.run(&["diff", "--agent", "a", "robots.txt"]).fails(2, &["name two files"]);
}

/// [cmd.diff.folders]
#[test]
fn directories_are_compared_by_name() {
    let dir = Dir::new();
    for folder in ["old/deep", "new/deep"] {
        std::fs::create_dir_all(dir.path(folder)).unwrap();
    }
    for (name, bytes) in [
        ("old/b.example", OLD_GROUPS),
        ("new/b.example", NEW_GROUPS),
        ("old/a.example", OLD_GROUPS),
        ("old/deep/c", OLD_GROUPS),
        ("new/deep/c", OLD_GROUPS),
        ("new/z.example", "User-agent: *\nDisallow: /\n"),
    ] {
        dir.write(name, bytes);
    }
    let ran = dir.run(&["diff", "--agent", "GPTBot", "--files", "*", "old", "new"]).code(1);
    let expected = "\
== a.example (file gone)
- Disallow: /tmp  (line 2)
! /tmp  now allowed
== b.example
- Disallow: /tmp  (line 2; changes no result)
+ Disallow: /  (line 7)
+ Sitemap: https://e.com/s
! /  now disallowed
== z.example (file added)
+ Disallow: /  (line 2)
! /  now disallowed
";
    assert_eq!(ran.out(), expected);
    assert_eq!(ran.err(), "robosieve: files: 1 changed, 1 added, 1 gone, 1 the same\n");
    let lines = dir.run(&["diff", "--all-agents", "--json", "--files=*", "old", "new"]).code(1).json();
    let found: Vec<_> =
        lines.iter().map(|line| (line["file"].as_str().unwrap(), line["state"].as_str().unwrap())).collect();
    assert_eq!(found, [("a.example", "gone"), ("b.example", "both"), ("z.example", "added")]);
    assert_eq!(dir.run(&["diff", "--all-agents", "--files", "*", "old", "old"]).ok().out(), "");
    // What git ignores in one of them is there, and not gone.
    std::fs::create_dir(dir.path("new/.git")).unwrap();
    dir.write("new/.gitignore", "*");
    let ran = dir.run(&["diff", "--agent", "GPTBot", "--files", "*", "old", "new"]).code(1);
    assert_eq!(ran.err(), "robosieve: files: 1 changed, 0 added, 1 gone, 1 the same\n");
    dir.run(&["diff", "--all-agents", "old", "new/z.example"]).fails(2, &["old is a directory", "two directories"]);
    dir.run(&["diff", "--all-agents", "missing", "old"]).fails(2, &["missing: No such file", "check the path"]);
    dir.run(&["diff", "--all-agents", "-", "old"]).fails(2, &["old is a directory"]);
    dir.run(&["diff", "--agents", "a,b", "old"]).fails(2, &["old: is a directory"]);
}

/// What cannot be read is reported, and does not look like a file that is gone. [cmd.diff.folders]
#[test]
#[cfg(unix)]
fn files_that_cannot_be_read_are_reported() {
    let dir = Dir::new();
    for folder in ["old", "new"] {
        std::fs::create_dir_all(dir.path(folder)).unwrap();
        dir.write(&format!("{folder}/a"), OLD_GROUPS);
    }
    std::os::unix::fs::symlink("nowhere", dir.path("new/b")).unwrap();
    dir.write("old/b", OLD_GROUPS);
    std::os::unix::fs::symlink("a", dir.path("old/c")).unwrap();
    dir.write("new/c", NEW_GROUPS);
    let ran = dir.run(&["diff", "--all-agents", "--files", "*", "old", "new"]).code(2);
    assert!(ran.out().starts_with("== c\nagents added: GPTBot"), "{}", ran.out());
    assert!(ran.err().contains("new/b: No such file"), "{}", ran.err());
    assert!(ran.err().contains("1 changed, 0 added, 0 gone, 1 the same"), "{}", ran.err());
}
