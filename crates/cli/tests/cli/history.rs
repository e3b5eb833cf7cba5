//! `robosieve history`: changes between crawls, shares, charts, and the policy at a time.

use std::fs;

use serde_json::Value;

use crate::common::{Dir, Ran};

const OPEN: &str = "User-agent: *\nDisallow: /cart\n";
const CLOSED: &str =
    "User-agent: *\nDisallow: /cart\n\nUser-agent: GPTBot\nCrawl-delay: 5\nContent-Signal: ai-train=no\nDisallow: /\n";

fn run(dir: &Dir, args: &[&str]) -> Ran {
    dir.run(&[&["history", "--agents", "*,GPTBot"], args].concat())
}

fn write(dir: &Dir, name: &str, text: &str) {
    fs::create_dir_all(dir.path(name).parent().unwrap()).unwrap();
    dir.write(name, text);
}

/// The rows of a crawl, as `census` makes them of requests.
fn rows(dir: &Dir, name: &str, requests: &[Value]) {
    dir.write("requests.ndjson", requests.iter().map(|line| format!("{line}\n")).collect::<String>());
    dir.run(&["census", "-q", "--start-over", "--agents", "*,GPTBot,CCBot", "requests.ndjson", "-o", name]).ok();
}

fn request(host: &str, time: &str, robots: &str) -> Value {
    serde_json::json!({"url": format!("https://{host}/robots.txt"), "time": time, "robots": robots})
}

/// Three crawls of four sites.
fn crawls() -> Dir {
    let dir = Dir::new();
    let day = |crawl: u8| format!("2026-0{crawl}-02T03:04:05Z");
    let of = |crawl: u8, files: [&str; 3]| {
        let mut lines: Vec<Value> = ["a.com", "b.com", "c.com"]
            .iter()
            .zip(files)
            .map(|(host, file)| request(host, &day(crawl), file))
            .collect();
        lines.push(serde_json::json!({"url": "https://d.com/robots.txt", "time": day(crawl), "status": 503}));
        lines
    };
    rows(&dir, "1.ndjson.zst", &of(1, [OPEN, CLOSED, OPEN]));
    rows(&dir, "2.ndjson.gz", &of(2, [CLOSED, "<!DOCTYPE html><html>", OPEN]));
    rows(&dir, "3.ndjson", &of(3, [CLOSED, CLOSED, "User-agent: *\nDisallow: /\n"]));
    dir
}

const ALL: [&str; 3] = ["1.ndjson.zst", "2.ndjson.gz", "3.ndjson"];

fn changes(lines: &[Value]) -> Vec<String> {
    let word = |line: &Value, name: &str| line[name].as_str().unwrap_or("-").to_owned();
    let one = |line: &Value| {
        let crawls =
            format!("{}>{}", line["before"]["crawl"].as_str().unwrap(), line["after"]["crawl"].as_str().unwrap());
        let agents: Vec<&str> =
            line["agents"].as_array().unwrap().iter().map(|agent| agent.as_str().unwrap()).collect();
        let [site, rest @ ..] = ["site", "change", "from", "to"].map(|name| word(line, name));
        format!("{site} {} {} {crawls}", agents.join(","), rest.join(" "))
    };
    lines.iter().map(one).collect()
}

/// [history.change] [history.crawls]
#[test]
fn a_change_has_the_crawls_before_and_after() {
    let dir = crawls();
    let lines = run(&dir, &[&["--format", "ndjson"], &ALL[..]].concat()).ok().json();
    let a = "https://a.com/robots.txt GPTBot";
    let first = "1.ndjson.zst>2.ndjson.gz";
    let c = "https://c.com/robots.txt";
    let last = "2.ndjson.gz>3.ndjson";
    let expected = [
        format!("{a} named false true {first}"),
        format!("{a} closed some all {first}"),
        format!("{a} delay - 5 {first}"),
        format!("{a} training - no {first}"),
        // b.com was an error page in the second crawl, which opened nothing.
        format!("{c} *,GPTBot closed some all {last}"),
    ];
    assert_eq!(changes(&lines), expected);
    assert_eq!(lines[0]["before"]["time"], "2026-01-02T03:04:05Z");
    // Backwards, all is the other way.
    let back = run(&dir, &["--format", "ndjson", "2.ndjson.gz", "1.ndjson.zst"]).ok().json();
    assert_eq!(changes(&back)[1], format!("{a} opened all some 2.ndjson.gz>1.ndjson.zst"));
    // For people, crawlers with the same change share a line.
    let text = run(&dir, &ALL).ok().out().to_owned();
    assert!(
        text.contains(&format!("== {c}\nclosed from some to all: *, GPTBot\n  after 2.ndjson.gz (2026-02-02")),
        "{text}"
    );
    let csv = run(&dir, &[&["--format", "csv"], &ALL[..]].concat()).ok().out().to_owned();
    assert_eq!(csv.lines().count(), 6);
    assert!(
        csv.contains("2,https://a.com/robots.txt,GPTBot,delay,,5,1.ndjson.zst,2026-01-02T03:04:05Z,2.ndjson.gz,"),
        "{csv}"
    );
}

/// [history.lines] [history.crawls]
#[test]
fn texts_have_the_lines_that_changed() {
    let dir = Dir::new();
    for (day, files) in [("2026-01-01", [OPEN, OPEN]), ("2026-01-02", [CLOSED, "User-agent: *\nDisallow: /other\n"])] {
        for (name, file) in ["a.com.txt", "b.com.txt"].iter().zip(files) {
            write(&dir, &format!("{day}/{name}"), file);
        }
    }
    let lines = run(&dir, &["--format", "ndjson", "2026-01-01", "2026-01-02"]).ok().json();
    let of = |site: &str, change: &str| {
        let found = lines.iter().find(|line| line["site"] == site && line["change"] == change);
        found.unwrap_or_else(|| panic!("{site} {change}: {lines:?}")).clone()
    };
    assert!(of("a.com.txt", "closed")["lines"].to_string().contains("+ Disallow: /"), "{lines:?}");
    let other = of("b.com.txt", "rules");
    assert_eq!((&other["after"]["time"], &other["agents"][0]), (&"2026-01-02".into(), &"*".into()));
    assert!(other["lines"].to_string().contains("/other"), "{other}");
    // Texts of one site.
    let text = run(&dir, &["2026-01-01/a.com.txt", "2026-01-02/a.com.txt"]).ok().out().to_owned();
    assert!(text.starts_with("closed from some to all: GPTBot\n"), "{text}");
    // All crawlers that no group names are one entry.
    write(&dir, "old.txt", "User-agent: *\nDisallow: /x\n");
    write(&dir, "new.txt", "User-agent: *\nDisallow:\n");
    let text = run(&dir, &["old.txt", "new.txt"]).ok().out().to_owned();
    let expected = "\
opened from some to none: *, GPTBot
  after old.txt, in new.txt
      - Disallow: /x  (line 2)
      ! /x  now allowed
";
    assert_eq!(text, expected);
}

/// [history.shares] [explain.chart]
#[test]
fn shares_are_counted_and_drawn() {
    let dir = crawls();
    let lines = run(&dir, &[&["--shares", "--format", "ndjson", "--chart", "c.svg"], &ALL[..]].concat()).ok().json();
    let of = |crawl: &str, agent: &str| {
        let line = lines.iter().find(|line| line["crawl"] == crawl && line["agent"] == agent).unwrap();
        ["sites", "none", "some", "all", "named"].map(|name| line[name].as_u64().unwrap())
    };
    assert_eq!(of("1.ndjson.zst", "GPTBot"), [3, 0, 2, 1, 1]);
    assert_eq!(of("2.ndjson.gz", "GPTBot"), [2, 0, 1, 1, 1]);
    assert_eq!(of("3.ndjson", "GPTBot"), [3, 0, 0, 3, 2]);
    assert_eq!(of("3.ndjson", "*"), [3, 0, 2, 1, 3]);
    let text = run(&dir, &[&["--shares"], &ALL[..]].concat()).ok().out().to_owned();
    assert!(text.contains("\nGPTBot   33.3 %   50.0 %  100.0 %\n"), "{text}");
    assert!(dir.read("c.svg").contains("GPTBot 100.0 %"));
    assert_eq!(run(&dir, &[&["-q", "--chart", "d.svg"], &ALL[..]].concat()).ok().out(), "");
    assert_eq!(dir.read("c.svg"), dir.read("d.svg"));
}

/// A file that could be the site's is not left out without a word: an older one would answer. [history.at]
#[test]
fn no_older_directory_answers_for_files_that_nobody_knows() {
    let dir = Dir::new();
    let ask = |url: &str, args: &[&str]| {
        dir.run(
            &[&["history", "--format", "ndjson", "--agents", "GPTBot", "--at", "2026-04", "--url", url], args].concat(),
        )
    };
    let allowed = |ran: &Ran| ran.json().remove(0)["allowed"].clone();
    let page = "https://e.com/a";
    write(&dir, "2026-01-31/e.com.txt", OPEN);
    write(&dir, "g-2026-02-01.txt", OPEN);
    assert_eq!(allowed(&ask(page, &["2026-01-31"]).ok()), true);
    for (number, name) in ["https/e.com/robots.txt", "e.com.txt", "E.com/robots.txt"].into_iter().enumerate() {
        let folder = format!("n{number}-2026-03-02");
        write(&dir, &format!("{folder}/{name}"), CLOSED);
        write(&dir, &format!("{folder}/f.com.txt"), CLOSED);
        assert_eq!(allowed(&ask(page, &["2026-01-31", &folder]).ok()), false, "{name}");
        assert_eq!(allowed(&ask("https://g.com/", &["2026-01-31", &folder, "g-2026-02-01.txt"]).ok()), true);
    }
    write(&dir, "2026-03-03/e.com_robots.txt", CLOSED);
    let ran = ask(page, &["2026-01-31", "2026-03-03"]).code(3);
    assert_eq!(allowed(&ran), Value::Null);
    assert!(ran.err().contains("2026-03-03: 1 file is named after no site (e.com_robots.txt)"), "{}", ran.err());
    write(&dir, "2026-03-03/e.com.txt", OPEN);
    let ran = ask(page, &["2026-01-31", "2026-03-03"]).code(3);
    assert_eq!(allowed(&ran), true);
    // Another port is another site.
    let ran = ask("https://e.com:8080/a", &["2026-01-31"]).code(1);
    assert_eq!((allowed(&ran), ran.one_json()["status"].clone()), (Value::Null, Value::Null));
    assert!(ran.err().contains("https://e.com:8080/robots.txt: no crawl has it"), "{}", ran.err());
    // Bytes that cannot be read could be the site's.
    fs::create_dir_all(dir.path("2026-03-04")).unwrap();
    fs::write(dir.path("2026-03-04/e.com.txt.gz"), b"\x1f\x8b\x08broken, and no gzip at all").unwrap();
    let ran = ask(page, &["2026-01-31", "2026-03-04"]).code(3);
    assert_eq!(allowed(&ran), Value::Null);
}

/// [history.at]
#[test]
fn the_policy_at_a_time_is_the_last_that_was_seen() {
    let dir = crawls();
    let at = |url: &str, time: &str| {
        let lines = run(&dir, &[&["--format", "ndjson", "--url", url, "--at", time], &ALL[..]].concat()).ok().json();
        let line = lines.iter().find(|line| line["agent"] == "GPTBot").unwrap();
        ["status", "allowed", "crawl", "next_crawl", "changed"]
            .map(|name| line[name].to_string().replace('"', ""))
            .join(" ")
    };
    assert_eq!(at("https://a.com/x", "2025"), "null null null 1.ndjson.zst null");
    assert_eq!(at("https://a.com/x", "2026-01-02T03:04:05Z"), "some true 1.ndjson.zst 2.ndjson.gz true");
    assert_eq!(at("https://a.com/", "2026-01"), "some true 1.ndjson.zst 2.ndjson.gz true");
    assert_eq!(at("https://a.com/x", "2026-02-02"), "all false 2.ndjson.gz 3.ndjson false");
    // The error page in between does not open it.
    assert_eq!(at("https://b.com/x", "2026-02-20"), "not-robots null 2.ndjson.gz 3.ndjson true");
    let ran = run(&dir, &["--url", "https://other.com/", "--at", "2026", "1.ndjson.zst"]).code(1);
    assert!(ran.err().contains("no crawl has it") && !ran.err().contains("try `"), "{}", ran.err());
    assert!(ran.out().contains("\tseen in no earlier crawl, and in no later crawl\n"), "{}", ran.out());
    run(&dir, &["--url", "/x", "--at", "2026", "1.ndjson.zst"]).fails(2, &["not an http or https URL"]);
    run(&dir, &["--url", "https://a.com/", "--at", "soon", "1.ndjson.zst"]).fails(2, &["--at: write 2026"]);
    // A text decides for each page. Which day of a month it is of is not known.
    write(&dir, "2026-01/a.com/robots.txt", CLOSED);
    write(&dir, "2026-02/a.com.txt", OPEN);
    let texts = |url: &str, time: &str| {
        let args = ["--agents", "GPTBot", "--url", url, "--at", time, "2026-01", "2026-02"];
        dir.run(&[&["history"], &args[..]].concat()).ok().out().to_owned()
    };
    assert!(texts("https://a.com/cart", "2026-01").starts_with("GPTBot\tdisallowed by line "));
    assert!(texts("https://a.com/x", "2026-02-15").starts_with("GPTBot\tdisallowed by line 2 of "));
    assert!(texts("https://a.com/x", "2026-03").starts_with("GPTBot\tallowed\tseen in 2026-02"));
    // The text, the line that decides, and what was seen next.
    let args = ["--format", "ndjson", "--url", "https://a.com/cart/1", "--at", "2026-01"];
    let line = run(&dir, &[&args, &ALL[..]].concat()).ok().json().remove(1);
    assert_eq!((&line["text"], &line["line"], &line["next_allowed"]), (&OPEN.into(), &2.into(), &false.into()));
    let args = ["--url", "https://a.com/x", "--at", "2026-01"];
    let text = run(&dir, &[&args, &ALL[..]].concat()).ok().out().to_owned();
    let expected = "GPTBot\tallowed\tseen in 1.ndjson.zst (2026-01-02T03:04:05Z), next in 2.ndjson.gz \
                    (2026-02-02T03:04:05Z), which disallows it\n\n";
    assert!(text.contains(expected), "{text}");
    assert!(text.ends_with(":\n     1  User-agent: *\n     2  Disallow: /cart\n"), "{text}");
    write(&dir, "undated/a.com.txt", OPEN);
    run(&dir, &["--url", "https://a.com/", "--at", "2026", "undated"]).fails(2, &["has no date"]);
}

#[cfg(feature = "parquet")]
/// [history.crawls] [history.at-index]
#[test]
fn the_crawls_of_a_folder_are_several() {
    let dir = crawls();
    for (crawl, file) in [("2026-1", ALL[0]), ("2026-2", ALL[1]), ("2026-3", ALL[2])] {
        let month = &crawl[5..];
        let time = format!("2026-0{month}-02T03:04:05Z");
        let files = match month {
            "1" => [OPEN, CLOSED],
            _ => [CLOSED, CLOSED],
        };
        let lines: Vec<String> = ["a.com", "b.com"]
            .iter()
            .zip(files)
            .map(|(host, file)| format!("{}\n", request(host, &time, file)))
            .collect();
        dir.write("in.ndjson", lines.concat());
        dir.run(&["census", "-q", "in.ndjson", "-o", "crawls", "--crawl", crawl]).ok();
        dir.run(&["census", "-q", "in.ndjson", "--start-over", "-o", file]).ok();
    }
    let of = |args: &[&str], crawls: &[&str]| {
        let mut out = run(&dir, &[&["--format", "ndjson"], args, crawls].concat()).ok().out().to_owned();
        for (name, crawl) in ALL.iter().zip(["2026-1", "2026-2", "2026-3"]) {
            out = out.replace(&format!("\"{name}\""), &format!("\"{crawl}\""));
        }
        out
    };
    let at = ["--url", "https://a.com/cart", "--at", "2026-01"];
    for args in [&[][..], &["--shares"], &at, &["--url", "https://b.com/", "--at", "2026-02"]] {
        assert_eq!(of(args, &["crawls"]), of(args, &ALL), "{args:?}");
    }
    assert!(of(&at, &["crawls/"]).contains("Disallow: /cart"));
    // A folder with one crawl is this crawl, under its own name.
    dir.run(&["census", "-q", "in.ndjson", "-o", "one"]).ok();
    run(&dir, &["one"]).fails(2, &["name two crawls"]);
    assert!(of(&["--shares"], &["one"]).contains("\"crawl\":\"one\""));
}

/// [history.bounds] [history.crawls]
#[test]
fn what_cannot_be_read_is_reported() {
    let dir = crawls();
    let bad = format!("{{}}\n\"{}\"\n{}", "x".repeat(1 << 18), "nonsense\n".repeat(12));
    dir.write("bad.ndjson", bad + &dir.read("3.ndjson"));
    let ran = run(&dir, &["--format", "ndjson", "1.ndjson.zst", "bad.ndjson"]);
    assert_eq!(ran.code, Some(3));
    assert!(
        ran.err().contains("bad.ndjson:1: is not a line") && ran.err().contains("4 more lines are none"),
        "{}",
        ran.err()
    );
    assert_eq!(ran.json().len(), 5);
    dir.write("x.warc", "");
    dir.write("x.csv.gz", "");
    dir.write("x.txt", "");
    for (args, words) in [
        (&["3.ndjson"][..], "name two crawls"),
        (&["3.ndjson", "x.warc"], "make a census of it"),
        (&["3.ndjson", "x.csv.gz"], "make a census of it"),
        (&["3.ndjson", "x.txt"], "of one site"),
        (&["3.ndjson", "none.ndjson"], "none.ndjson"),
        (&["3.ndjson", "3.ndjson", "--chart", "c.png"], ".svg"),
        (&["3.ndjson", "3.ndjson", "--no-fallback"], "leave it out"),
    ] {
        run(&dir, args).fails(2, &[words]);
    }
}
