//! `robosieve diff` for all agents, for two agents of a file, and for directories.

use crate::common::Dir;

const OLD: &str = "User-agent: *\nDisallow: /tmp\n\nUser-agent: Gone\nDisallow: /x\n";
const NEW: &str = "\
User-agent: *\nDisallow: /tmp\n
User-agent: GPTBot\nUser-agent: CCBot\nUser-agent: Calm\nDisallow: /\n
User-agent: Calm\nAllow: /\n
Sitemap: https://e.com/s\n";

fn dir() -> Dir {
    let dir = Dir::with(OLD);
    dir.write("new.txt", NEW);
    dir
}

/// An added group for another crawler is a change. [cmd.diff.all] [compare.agents] [compare.lines]
#[test]
fn all_agents_are_compared() {
    let dir = dir();
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
    let line = dir().run(&["diff", "--all-agents", "--json", "robots.txt", "new.txt"]).code(1).one_json();
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
    let dir = dir();
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
        ("old/b.example", OLD),
        ("new/b.example", NEW),
        ("old/a.example", OLD),
        ("old/deep/c", OLD),
        ("new/deep/c", OLD),
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
        dir.write(&format!("{folder}/a"), OLD);
    }
    std::os::unix::fs::symlink("nowhere", dir.path("new/b")).unwrap();
    dir.write("old/b", OLD);
    std::os::unix::fs::symlink("a", dir.path("old/c")).unwrap();
    dir.write("new/c", NEW);
    let ran = dir.run(&["diff", "--all-agents", "--files", "*", "old", "new"]).code(2);
    assert!(ran.out().starts_with("== c\nagents added: GPTBot"), "{}", ran.out());
    assert!(ran.err().contains("new/b: No such file"), "{}", ran.err());
    assert!(ran.err().contains("1 changed, 0 added, 0 gone, 1 the same"), "{}", ran.err());
}
