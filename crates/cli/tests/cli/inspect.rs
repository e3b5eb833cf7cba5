//! `robosieve inspect`.

use serde_json::json;

use crate::common::Dir;

const FILE: &str = "\
User-agent: Other
User-agent: mybot
Disallow: /a
Allow: /a/b
Crawl-delay: 1.50
Request-rate: 1/10s 0600-0845
Visit-time: 2200-0400
Clean-param: ref&utm /shop/
Content-Signal: search=yes, ai-train=no
Content-Usage: train-ai=n
Noindex: /n

User-agent: MyBot
Disallow: /c
Sitemap: https://e.com/s.xml
Host: E.com
License: https://e.com/license
User-agent: *
Disallow: /
";

/// What decides in `test` counts in each command, also if no text can contain it.
/// [explain.left-out] [explain.inspection] [diff.rules] [limit.verdicts]
#[test]
fn a_rule_that_no_text_can_contain_counts_everywhere() {
    let dir = Dir::with("User-agent: *\nDisallow: /a b\n");
    dir.write("open.txt", "User-agent: *\nDisallow:\n");
    let run = |args: &[&str]| dir.run(&[args, &["-a", "MyBot", "--dialect", "google"]].concat());
    assert!(run(&["test", "robots.txt", "/a b"]).code(1).out().contains("line 2"));
    let inspected = run(&["inspect", "robots.txt"]).ok();
    assert!(inspected.out().contains("Disallow: /a b  (line 2)"), "{}", inspected.out());
    let explained = run(&["explain", "robots.txt"]).ok();
    assert!(!explained.out().contains("left out") && explained.out().contains("1 rule"), "{}", explained.out());
    run(&["diff", "robots.txt", "open.txt"]).code(1);
    let all = dir.run(&["diff", "--all-agents", "robots.txt", "open.txt", "--dialect", "google"]).code(1);
    assert!(!all.err().contains("missed"), "{}", all.err());
    let diff = run(&["diff", "--json", "robots.txt", "open.txt"]).code(1).one_json();
    assert_eq!((&diff["flips"][0]["path"], &diff["flips"][0]["allowed"]), (&json!("/a b"), &json!(true)));
    // The text is another thing.
    assert!(run(&["filter", "robots.txt"]).ok().err().contains("not exact"));
}

/// [cmd.inspect]
#[test]
fn shows_all_that_is_known() {
    let found = Dir::with(FILE).run(&["inspect", "-a", "MyBot", "--json", "robots.txt"]).ok().one_json();
    assert_eq!((&found["v"], &found["file"]), (&json!(1), &json!("robots.txt")));
    assert_eq!((&found["answered_by"], &found["agent"]), (&json!("agent"), &json!("MyBot")));
    assert_eq!(
        found["rules"],
        json!([
            {"line": 4, "kind": "allow", "pattern": "/a/b"},
            {"line": 3, "kind": "disallow", "pattern": "/a"},
            {"line": 14, "kind": "disallow", "pattern": "/c"},
        ])
    );
    assert_eq!(found["crawl_delay"], json!({"seconds": 1.5, "raw": "1.50"}));
    assert_eq!(found["request_rates"][0]["pages"], 1);
    assert_eq!(found["visit_times"], json!([{"from": 1320, "to": 240}]));
    assert_eq!(found["clean_params"], json!([{"parameters": ["ref", "utm"], "path": "/shop/"}]));
    assert_eq!(
        found["content_signals"][0]["uses"],
        json!([{"name": "search", "value": "yes"}, {"name": "ai-train", "value": "no"}])
    );
    assert_eq!(found["content_usage"][0]["uses"], json!([{"name": "train-ai", "value": "n"}]));
    assert_eq!(found["extensions"], json!([{"line": 11, "name": "Noindex", "value": "/n"}]));
    assert_eq!(found["sitemaps"], json!(["https://e.com/s.xml"]));
    assert_eq!(found["host"], "e.com");
    assert_eq!(found["license"], json!(["https://e.com/license"]));
    assert_eq!(
        found["agents_named"],
        json!([{"name": "Other", "lines": [1]}, {"name": "mybot", "lines": [2, 13]}, {"name": "*", "lines": [18]}])
    );
    assert_eq!(found["exact"], true);
    assert_eq!(found["report"]["exact"], true);
}

/// [cmd.inspect]
#[test]
fn prints_text_for_people() {
    let ran = Dir::with(FILE).run(&["inspect", "-a", "MyBot", "robots.txt"]).ok();
    for words in [
        "robots.txt: group MyBot applies",
        "Allow: /a/b  (line 4)",
        "crawl delay: 1.5 s (as written: 1.50)",
        "1/10 0600-0845",
        "2200-0400",
        "ref&utm /shop/",
        "search=yes, ai-train=no",
        "https://e.com/s.xml",
        "host: e.com",
        "mybot  (lines 2, 13)",
        "report: exact",
    ] {
        assert!(ran.out().contains(words), "no {words:?} in {}", ran.out());
    }
}

/// [cmd.inspect]
#[test]
fn reports_that_no_group_applies() {
    let dir = Dir::with("User-agent: a\nDisallow: /\n");
    let found = dir.run(&["inspect", "-a", "b", "--json", "robots.txt"]).ok().one_json();
    assert_eq!((&found["answered_by"], &found["rules"]), (&json!("nobody"), &json!([])));
    let ran = dir.run(&["inspect", "-a", "b", "robots.txt"]).ok();
    assert!(ran.out().contains("no group applies") && ran.out().contains("everything is allowed"), "{}", ran.out());
}

/// [cmd.inspect]
#[test]
fn reads_standard_input_and_several_files() {
    let dir = Dir::with(FILE);
    assert!(dir.run_with(&["inspect", "-a", "x"], FILE.as_bytes()).ok().out().contains("-: group * applies"));
    assert_eq!(dir.run(&["inspect", "-a", "x", "--json", "robots.txt", "robots.txt"]).ok().json().len(), 2);
}

/// [cmd.inspect]
#[test]
fn errors_explain_what_to_do() {
    let dir = Dir::with("User-agent: *\nDisallow: /*a*b\n");
    dir.run(&["inspect", "robots.txt"]).fails(2, &["--agent MyBot"]);
    dir.run(&["inspect", "-a", "x", "missing.txt"]).fails(2, &["missing.txt"]);
    let args = ["inspect", "-a", "x", "--max-wildcards", "1", "--on-over-limit", "refuse", "robots.txt"];
    dir.run(&args).fails(3, &["refused"]);
}

/// [cmd.inspect]
#[test]
fn reports_whether_all_agents_are_named() {
    let dir = Dir::with(FILE);
    let named = |args: &[&str]| {
        let found = dir.run(&[&["inspect", "-a", "mybot", "--json", "robots.txt"], args].concat()).ok().one_json();
        (found["agents_named"].as_array().unwrap().len(), found["agents_named_complete"].as_bool().unwrap())
    };
    assert_eq!(named(&[]), (3, true));
    assert_eq!(named(&["--max-lines", "1"]), (3, true), "a lost rule names no agent");
    assert_eq!(named(&["--max-user-agents", "2"]), (2, false));
    assert_eq!(named(&["--max-records", "1"]), (2, false));
    assert_eq!(named(&["--max-name-length", "1"]), (1, false));
    assert_eq!(named(&["--max-bytes", "40"]), (2, false));
    assert_eq!(named(&["--max-directive-length", "9"]), (0, false));
    let words = |args: &[&str]| {
        let ran = dir.run(&[&["inspect", "-a", "mybot", "robots.txt"], args].concat()).ok();
        ran.out().contains("agents named in the file (incomplete")
    };
    assert!(!words(&[]) && words(&["--max-records", "1"]));
    assert!(words(&["--max-directive-length", "9"]), "an empty list is reported, too");
}

/// [cmd.inspect] [cmd.explain] [batch.record] [value.agents]
#[test]
fn the_delay_of_another_agent_is_not_shown() {
    let dir = Dir::with(b"User-agent: a\nCrawl-delay: 300\nRequest-rate: 1/9\nUser-agent: *\nDisallow: /x\n");
    let of = |agent| dir.run(&["inspect", "-a", agent, "--json", "robots.txt"]).ok().one_json();
    assert_eq!(of("a")["crawl_delay"]["raw"], "300");
    assert_eq!(of("a")["request_rates"][0]["seconds"], 9);
    assert_eq!((&of("b")["crawl_delay"], &of("b")["request_rates"]), (&json!(null), &json!([])));
    let page = dir.run(&["explain", "--json", "-a", "b", "robots.txt"]).ok().one_json();
    let ours = |line: usize| page["lines"][line]["ours"] == true;
    assert_eq!([0, 1, 2, 3, 4].map(ours), [true, false, false, true, true], "{page}");
    if cfg!(feature = "batch") {
        let delay = |agent| dir.run(&["batch", "-q", "-a", agent, "robots.txt"]).ok().one_json()["crawl_delay"].clone();
        assert_eq!((delay("a"), delay("b")), (json!(300.0), json!(null)));
    }
}

/// [cmd.inspect] [value.sitemap]
#[test]
fn relative_sitemaps_are_resolved_by_the_base_url() {
    let dir = Dir::with("Sitemap: /s.xml\n");
    let of = |args: &[&str]| dir.run(&[&["inspect", "-a", "a", "--json", "robots.txt"], args].concat()).ok().one_json();
    assert_eq!(of(&[])["sitemaps"], json!([]));
    assert_eq!(of(&["--base-url", "https://e.com/robots.txt"])["sitemaps"], json!(["https://e.com/s.xml"]));
    let bad = dir.run(&["inspect", "-a", "a", "robots.txt", "--base-url", "e.com"]).code(2);
    assert!(bad.err().contains("write it with its scheme"), "{}", bad.err());
    let line = json!({"robots": "Sitemap: /s.xml", "agent": "a", "options": {"base_url": "https://e.com"}});
    let answer = dir.run_with(&["inspect", "--ndjson"], format!("{line}\n").as_bytes()).ok().one_json();
    assert_eq!(answer["sitemaps"], json!(["https://e.com/s.xml"]));
    let line = json!({"robots": "", "agent": "a", "options": {"base_url": "e.com"}});
    let answer = dir.run_with(&["inspect", "--ndjson"], format!("{line}\n").as_bytes());
    assert!(answer.out().contains("bad-option"), "{}", answer.out());
}

/// With the same message as `filter`. [cmd.inspect] [text.unwritable]
#[test]
fn rules_that_never_match_are_named() {
    let dir = Dir::with("User-agent: *\nDisallow: a\nDisallow: /b\n");
    for command in ["inspect", "filter", "test"] {
        let url: &[&str] = if command == "test" { &["/c"] } else { &[] };
        let run = |dialect| dir.run(&[&[command, "-a", "x", "--dialect", dialect, "robots.txt"], url].concat()).ok();
        let google = run("google");
        let reported = [google.out(), google.err()].concat();
        assert!(reported.contains("1 suspect line: 1 may permit more than meant"), "{command}: {reported}");
        assert!(
            command == "test" || reported.contains("line 2: a rule begins with neither / nor *"),
            "{command}: {reported}"
        );
        let standard = run("standard");
        assert!(![standard.out(), standard.err()].concat().contains("suspect"), "{command}");
    }
    let json = dir.run(&["inspect", "--json", "-a", "x", "--dialect", "google", "robots.txt"]).ok().one_json();
    assert_eq!((&json["suspects"], &json["report"]["counts"]["never-matches"]), (&1.into(), &1.into()), "{json}");
}
