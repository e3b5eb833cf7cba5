//! `robosieve census`: the command's rows, its outputs, and interrupted runs.

use std::fs;
use std::io::Write as _;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::common::{Dir, Ran};

const FILE: &str = "User-agent: *\nDisallow: /x\n\nUser-agent: GPTBot\nUser-agent: CCBot\nDisallow: /\n";

fn run(dir: &Dir, args: &[&str]) -> Ran {
    dir.run(&[&["census", "-q"], args].concat())
}

fn statuses(rows: &[Value]) -> Vec<String> {
    let word = |row: &Value, name: &str| row[name].as_str().unwrap_or("-").to_owned();
    rows.iter().map(|row| [word(row, "agent"), word(row, "status")].join(" ")).collect()
}

/// [census.row] [census.agents]
#[test]
fn each_file_and_crawler_has_a_row() {
    let dir = Dir::with(FILE);
    let rows = run(&dir, &["--agents", "*,GPTBot,Googlebot,named", "robots.txt"]).ok().json();
    assert_eq!(statuses(&rows), ["* some", "GPTBot all", "Googlebot some", "CCBot all"]);
    assert_eq!(
        (&rows[1]["source"], &rows[1]["line"], &rows[1]["owner"]),
        (&"robots.txt".into(), &4.into(), &"OpenAI".into())
    );
    let all = run(&dir, &["robots.txt"]).ok().json();
    assert!(all.len() > 100 && statuses(&all)[0] == "* some", "{}", all.len());
    let files = run(&dir, &["--rows", "files", "robots.txt"]).ok().json();
    assert_eq!((files.len(), &files[0]["agents_count"], &files[0]["status"]), (1, &2.into(), &"some".into()));
    // The name alone is read if that is asked for.
    let plain = ["--agents", "Googlebot-Image", "robots.txt"];
    dir.write("robots.txt", "User-agent: Googlebot\nDisallow: /");
    assert_eq!(statuses(&run(&dir, &plain).ok().json()), ["Googlebot-Image all"]);
    assert_eq!(statuses(&run(&dir, &[&plain[..], &["--plain-names"]].concat()).ok().json()), ["Googlebot-Image none"]);
}

/// [census.columns] [census.table]
#[test]
fn a_table_has_the_form_that_its_name_says() {
    let dir = Dir::with(FILE);
    let agents = ["--agents", "*,GPTBot", "robots.txt"];
    let csv = run(&dir, &[&agents[..], &["--format", "csv"]].concat());
    let csv = csv.ok().out().to_owned();
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(lines.len(), 3);
    assert!(
        lines[0].starts_with("v,source,record,url,host,time,http_status,outcome,")
            && lines[2].contains(",GPTBot,OpenAI,")
    );
    run(&dir, &[&agents[..], &["-o", "a.csv"]].concat()).ok();
    assert_eq!(dir.read("a.csv"), csv);
    run(&dir, &[&agents[..], &["-o", "a.csv.zst"]].concat()).ok();
    assert_eq!(zstd::decode_all(&fs::read(dir.path("a.csv.zst")).unwrap()[..]).unwrap(), csv.as_bytes());
    run(&dir, &[&agents[..], &["-o", "a.ndjson"]].concat()).ok();
    assert_eq!(dir.read("a.ndjson"), run(&dir, &agents).ok().out());
    for name in ["out", "out/", "out.parquet", "out.txt"] {
        let ran = run(&dir, &[&agents[..], &["-o", name]].concat());
        assert!(ran.code == Some(2) && ran.err().contains("call a table .ndjson or .csv"), "{}", ran.err());
    }
    for agents in ["", "known:x", "nobody.json"] {
        let ran = run(&dir, &["--agents", agents, "robots.txt"]);
        assert!(ran.code == Some(2) && ran.err().contains("--agents: "), "{}", ran.err());
    }
    assert_eq!(dir.names(), ["a.csv", "a.csv.zst", "a.ndjson", "robots.txt"]);
}

/// What the status decides, and what cannot be read. [census.status] [census.table]
#[test]
fn every_record_has_its_rows() {
    let dir = Dir::new();
    let lines = [
        r#"{"status":404,"url":"http://e.com/robots.txt"}"#,
        r#"{"status":503}"#,
        r#"{"status":301,"location":"https://e.com/robots.txt"}"#,
        "nonsense",
        r#"{"robots":"User-agent: *\nDisallow: /x\nUser-agent: GPTBot\nDisal","truncated":true}"#,
    ];
    dir.write("in.ndjson", lines.join("\n"));
    let ran = run(&dir, &["--agents", "*,GPTBot", "in.ndjson"]);
    assert_eq!(ran.code, Some(3));
    let rows = ran.json();
    let of = |row: usize| {
        let row = &rows[row];
        format!("{} {} {} {}", row["record"], row["outcome"], row["status"], row["root"]).replace('"', "")
    };
    let expected = [
        "1 allow-all no-file true",
        "2 disallow-all no-file false",
        "3 redirect unknown null",
        "4 failed unknown null",
        "5 rules some true",
    ];
    for (place, expected) in expected.iter().enumerate() {
        assert_eq!(of(place * 2), *expected);
    }
    assert_eq!(of(9), "5 rules incomplete false");
    assert_eq!(rows[8]["truncated"], "unspecified");
}

fn archive(records: usize) -> Vec<u8> {
    let mut warc = Vec::new();
    for number in 0..records {
        if number % 5 == 0 {
            let block = format!("HTTP/1.1 301 Moved\r\nLocation: http://h{number}/robots.txt\r\n\r\n");
            let head = "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://r";
            write!(warc, "{head}{number}/robots.txt\r\nContent-Length: {}\r\n\r\n{block}\r\n\r\n", block.len())
                .unwrap();
        }
        let rules = format!("User-agent: *\nDisallow: /{}\n{FILE}{}", number % 300, "Allow: /a\n".repeat(number % 23));
        let block = format!("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n{rules}");
        let head = "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://h";
        write!(warc, "{head}{number}/robots.txt\r\nContent-Length: {}\r\n\r\n{block}\r\n\r\n", block.len()).unwrap();
    }
    warc
}

/// [census.redirects] [batch.redirects] [census.columns]
#[test]
fn a_file_has_rows_for_the_sites_that_redirect_to_it() {
    let dir = Dir::new();
    let redirect = |to: &str| format!("HTTP/1.1 302 Found\r\nLocation: {to}\r\n\r\n");
    let file = format!("HTTP/1.1 200 OK\r\nContent-Type: Text/Plain; charset=utf-8\r\n\r\n{FILE}");
    let records = [
        ("http://a.com/robots.txt", redirect("https://www.a.com/robots.txt")),
        ("https://www.a.com/robots.txt", redirect("/text")),
        ("https://www.a.com/text", file.clone()),
        ("http://b.com/robots.txt", redirect("http://c.com/robots.txt")),
        ("http://c.com/robots.txt", file),
        ("http://d.com/robots.txt", redirect("http://e.com/robots.txt")),
        ("http://e.com/robots.txt", "HTTP/1.1 404 Not Found\r\n\r\n".to_owned()),
        ("https://www.a.com/text", "HTTP/1.1 200 OK\r\n\r\n".to_owned()),
    ];
    let mut warc = Vec::new();
    for (url, block) in &records {
        let head = format!("WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\n");
        write!(warc, "{head}Content-Length: {}\r\n\r\n{block}\r\n\r\n", block.len()).unwrap();
    }
    dir.write("a.warc", warc);
    let rows = run(&dir, &["--agents", "GPTBot", "a.warc"]).ok().json();
    let cells = |row: &Value| {
        let names = ["record", "host", "redirects", "mime", "http_status", "status"];
        names.map(|name| row[name].to_string().replace('"', "")).join(" ")
    };
    let expected = [
        "1 a.com 0 null 302 unknown",
        "2 www.a.com 0 null 302 unknown",
        "3 a.com 2 text/plain 200 all",
        "3 www.a.com 1 text/plain 200 all",
        "4 b.com 0 null 302 unknown",
        "5 c.com 0 text/plain 200 all",
        "5 b.com 1 text/plain 200 all",
        "6 d.com 0 null 302 unknown",
        "7 e.com 0 null 404 no-file",
        "7 d.com 1 null 404 no-file",
    ];
    assert_eq!(rows.iter().map(cells).collect::<Vec<_>>(), expected);
    // Texts belong to the URL that has them.
    let records = dir.run(&["batch", "-q", "--agent", "GPTBot", "a.warc"]).ok().json();
    assert_eq!(records.len(), 6);
}

/// [census.table] [batch.table] [batch.resume] [census.redirects]
#[test]
fn a_killed_run_is_continued() {
    let dir = Dir::new();
    dir.write("a.warc", archive(6_000));
    let args = ["census", "-q", "--agents", "*,known", "--checkpoint", "0", "a.warc", "-o"];
    for (output, jobs) in [("a.csv", "1"), ("b.csv", "3")] {
        dir.run(&[&args[..], &[output, "-j", jobs]].concat()).ok();
    }
    let whole = fs::read(dir.path("a.csv")).unwrap();
    assert!(whole == fs::read(dir.path("b.csv")).unwrap());
    assert!(String::from_utf8_lossy(&whole).matches(",http://r5995/robots.txt,").count() > 200);
    let mut killed = 0;
    for _ in 0..6 {
        let mut child =
            dir.spawn(&[&args[..], &["c.csv", if killed > 0 { "--resume" } else { "--start-over" }]].concat());
        let started = Instant::now();
        while started.elapsed() < Duration::from_secs(20) && child.try_wait().unwrap().is_none() {
            thread::sleep(Duration::from_millis(5));
            if dir.path("c.csv.journal").exists() && started.elapsed() > Duration::from_millis(150) {
                break;
            }
        }
        killed += usize::from(child.kill().is_ok() && !child.wait().unwrap().success());
        if dir.path("c.csv").exists() {
            break;
        }
    }
    if !dir.path("c.csv").exists() {
        dir.run(&[&args[..], &["c.csv", "--resume"]].concat()).ok();
    }
    assert!(killed > 0 && whole == fs::read(dir.path("c.csv")).unwrap());
}

/// Options that a census does not obey are refused: [census.status]
#[test]
fn options_without_an_effect_are_refused() {
    let dir = Dir::with("User-agent: *\nAllow: /public");
    for option in ["--incomplete", "--no-fallback", "--max-lines=2", "--on-over-limit=widen", "--status=503"] {
        let name = option.split('=').next().unwrap();
        dir.run(&["census", "--agents", "*", option, "robots.txt"]).fails(2, &[name, "leave it out"]);
    }
}

/// What is always refused is not offered. [cmd.help]
#[test]
fn no_help_shows_what_is_refused() {
    let dir = Dir::with("User-agent: *\nDisallow: /x\n");
    for command in ["census", "history"] {
        let help = dir.run(&[command, "--help"]).ok().out().to_owned();
        for flag in [
            "--no-fallback",
            "--max-lines",
            "--max-wildcards",
            "--on-over-limit",
            "--fail-on",
            "--complete",
            "--status",
        ] {
            assert!(!help.lines().any(|line| line.trim_start().starts_with(flag)), "{command} {flag}");
        }
    }
    dir.run(&["census", "--no-fallback", "robots.txt"]).fails(2, &["is not for a census"]);
    dir.run(&["census", "--agents", "MyBot/2.1", "robots.txt"]).fails(2, &["MyBot/2.1", "product token"]);
}
