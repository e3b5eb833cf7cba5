//! `robosieve diff`.

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
fn shows_what_came_went_and_flipped() {
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
! /new/x  now disallowed
! /.pdf  now allowed
";
    assert_eq!(ran.out(), expected);
    let quiet = dir(new).run(&["diff", "-q", "--agent", "MyBot", "robots.txt", "new.txt"]);
    assert_eq!((quiet.code, quiet.out()), (Some(1), ""));
}

/// [cmd.diff]
#[test]
fn says_it_to_machines() {
    let ran = dir("User-agent: *\nDisallow: /\n").run(&["diff", "--json", "--agent", "MyBot", "robots.txt", "new.txt"]);
    let line: serde_json::Value = serde_json::from_str(ran.out()).unwrap();
    assert_eq!((ran.code, &line["same"], &line["v"]), (Some(1), &false.into(), &1.into()));
    assert_eq!(line["flips"][0], serde_json::json!({"path": "/", "allowed": false, "old_line": null, "new_line": 2}));
}

/// [cmd.diff] [cmd.exit]
#[test]
fn errors_say_what_to_do() {
    let dir = dir(OLD);
    dir.run(&["diff", "robots.txt", "new.txt"]).fails(2, &["--agent MyBot"]);
    dir.run(&["diff", "--agent", "x", "-", "-"]).fails(2, &["once"]);
    dir.run(&["diff", "--agent", "x", "robots.txt", "missing.txt"]).fails(2, &["missing.txt"]);
    dir.write("over.txt", b"User-agent: *\nDisallow: /*a*b*c*d*e*f*g*h*i*j*k\n");
    let lost = dir.run(&["diff", "--agent", "x", "robots.txt", "over.txt"]);
    assert!(lost.err().contains("over.txt: not exact"), "{}", lost.err());
    let refuse = ["diff", "--agent", "x", "--on-over-limit", "refuse", "robots.txt", "over.txt"];
    dir.run(&refuse).fails(3, &["over.txt"]);
}

/// [diff.work]
#[test]
fn says_where_it_did_not_look_for_urls() {
    let star_rules: String = (0..12_000).map(|n| format!("Disallow: *x{n:06}*y$\n")).collect();
    let dir = dir(&format!("User-agent: *\n{star_rules}"));
    let ran = dir.run(&["diff", "--dialect", "google", "--agent", "MyBot", "robots.txt", "new.txt"]);
    assert_eq!(ran.code, Some(1));
    assert!(ran.err().contains("changed rules no URL was looked for"), "{}", ran.err());
    assert_eq!(ran.out().lines().filter(|line| line.starts_with('+')).count(), 12_000);
    let quiet = dir.run(&["diff", "-q", "--dialect", "google", "--agent", "MyBot", "robots.txt", "new.txt"]);
    assert_eq!((quiet.code, quiet.err()), (Some(1), ""));
    let json = dir.run(&["diff", "--json", "--dialect", "google", "--agent", "MyBot", "robots.txt", "new.txt"]);
    let line: serde_json::Value = serde_json::from_str(json.out()).unwrap();
    assert!(line["untried"].as_u64().unwrap() > 1_000, "{}", line["untried"]);
    let few = dir.run(&["diff", "--json", "--agent", "MyBot", "robots.txt", "robots.txt"]);
    assert!(few.out().contains("\"untried\":0"), "{}", few.out());
}
