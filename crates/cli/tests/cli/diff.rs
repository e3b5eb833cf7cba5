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
    let line: serde_json::Value = serde_json::from_str(ran.out()).unwrap();
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
    let line: serde_json::Value = serde_json::from_str(json.out()).unwrap();
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
    let line: serde_json::Value = serde_json::from_str(json.out()).unwrap();
    assert!(line["not_searched"].as_u64().unwrap() > 1_000, "{}", line["not_searched"]);
}
