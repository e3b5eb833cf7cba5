//! `robosieve census`: the command's rows, its outputs, and interrupted runs.

use std::fs;
use std::thread;
use std::time::Duration;

use serde_json::Value;

use crate::batch_warc::response;
use crate::common::{Dir, Ran};

const FILE: &str = "User-agent: *\nDisallow: /x\n\nUser-agent: GPTBot\nUser-agent: CCBot\nDisallow: /\n";

fn run(dir: &Dir, args: &[&str]) -> Ran {
    dir.run(&[&["census", "-q"], args].concat())
}

/// Each row as its crawlers and its status.
fn said(rows: &[Value]) -> Vec<String> {
    let names = |row: &Value| -> Vec<String> {
        row["agents"].as_array().unwrap().iter().map(|name| name.as_str().unwrap().to_owned()).collect()
    };
    rows.iter().map(|row| format!("{} {}", names(row).join(","), row["status"].as_str().unwrap())).collect()
}

#[test]
fn each_file_and_answer_has_a_row() {
    let dir = Dir::with(FILE);
    let rows = run(&dir, &["--agents", "*,GPTBot,Googlebot,named", "robots.txt"]).ok().json();
    assert_eq!(said(&rows), ["*,Googlebot some", "GPTBot,CCBot all"]);
    assert_eq!((&rows[1]["source"], &rows[1]["line"]), (&"robots.txt".into(), &4.into()));
    let known = run(&dir, &["robots.txt"]).ok().json();
    assert!(known[0]["agents"].as_array().unwrap().len() > 100 && known[0]["agents"][0] == "*");
    // The name alone is read if that is asked for.
    let plain = ["--agents", "Googlebot-Image", "robots.txt"];
    dir.write("robots.txt", "User-agent: Googlebot\nDisallow: /");
    assert_eq!(said(&run(&dir, &plain).ok().json()), ["Googlebot-Image all"]);
    let plain = run(&dir, &[&plain[..], &["--plain-names"]].concat()).ok().json();
    assert_eq!(said(&plain), ["Googlebot-Image none"]);
}

#[test]
fn the_name_of_the_output_says_how_it_is_packed() {
    let dir = Dir::with(FILE);
    let rows = run(&dir, &["robots.txt"]).ok().out().to_owned();
    for name in ["a.ndjson", "a.ndjson.gz", "a.ndjson.zst"] {
        run(&dir, &["robots.txt", "-o", name]).ok();
    }
    assert_eq!(dir.read("a.ndjson"), rows);
    let gzip =
        std::io::read_to_string(flate2::read::MultiGzDecoder::new(&fs::read(dir.path("a.ndjson.gz")).unwrap()[..]));
    assert_eq!(gzip.unwrap(), rows);
    assert_eq!(zstd::decode_all(&fs::read(dir.path("a.ndjson.zst")).unwrap()[..]).unwrap(), rows.as_bytes());
    for name in ["out", "out/", "out.parquet", "out.txt", "out.csv", "out.csv.gz"] {
        run(&dir, &["robots.txt", "-o", name]).fails(2, &["call", ".ndjson"]);
    }
    for agents in ["", "known:x", "nobody.txt"] {
        run(&dir, &["--agents", agents, "robots.txt"]).fails(2, &["--agents: "]);
    }
    assert_eq!(dir.names(), ["a.ndjson", "a.ndjson.gz", "a.ndjson.zst", "robots.txt"]);
}

/// What the status decides, and what cannot be read. [batch.table]
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
    let rows = run(&dir, &["--agents", "*,GPTBot", "in.ndjson"]).code(3).json();
    let of = |row: &Value| format!("{} {} {}", row["record"], row["outcome"], row["root"]).replace('"', "");
    let found: Vec<String> = rows.iter().zip(said(&rows)).map(|(row, said)| format!("{} {said}", of(row))).collect();
    let expected = [
        "1 allow-all true *,GPTBot no-file",
        "2 disallow-all false *,GPTBot no-file",
        "3 redirect null *,GPTBot unknown",
        "4 failed null *,GPTBot unknown",
        "5 rules true * some",
        "5 rules false GPTBot incomplete",
    ];
    assert_eq!(found, expected);
    assert_eq!(rows[4]["truncated"], "unspecified");
}

/// The library has each point at which a run may be stopped. [batch.table]
#[test]
fn a_killed_run_is_continued_to_the_same_bytes() {
    let dir = Dir::new();
    let record = |number: usize| {
        let rules = format!("User-agent: *\nDisallow: /{}\n{FILE}{}", number % 300, "Allow: /a\n".repeat(number % 23));
        response(&format!("h{number}"), "200 OK", rules.as_bytes())
    };
    dir.write("a.warc", (0..3_000).flat_map(record).collect::<Vec<u8>>());
    let args = ["census", "-q", "--agents", "*,known,named", "a.warc", "-o"];
    for (output, jobs) in [("a.ndjson", "1"), ("b.ndjson", "3")] {
        dir.run(&[&args[..], &[output, "-j", jobs]].concat()).ok();
    }
    let whole = fs::read(dir.path("a.ndjson")).unwrap();
    assert!(whole == fs::read(dir.path("b.ndjson")).unwrap());
    assert!(String::from_utf8_lossy(&whole).contains("\"http://h2999/robots.txt\""));
    let mut child = dir.spawn(&[&args[..], &["c.ndjson"]].concat());
    while child.try_wait().unwrap().is_none() && !dir.path("c.ndjson.journal").exists() {
        thread::sleep(Duration::from_millis(1));
    }
    child.kill().unwrap();
    assert!(!child.wait().unwrap().success(), "it ended before it could be killed");
    // Other crawlers are another run.
    let other = ["census", "-q", "--agents", "GPTBot", "a.warc", "-o", "c.ndjson", "--resume"];
    dir.run(&other).fails(2, &["--start-over"]);
    dir.run(&[&args[..], &["c.ndjson", "--resume"]].concat()).ok();
    assert!(whole == fs::read(dir.path("c.ndjson")).unwrap());
}

/// Options that a census does not obey are refused, and not offered: an option that changed nothing would be taken for
/// one that did.
#[test]
fn options_without_an_effect_are_refused() {
    let dir = Dir::with("User-agent: *\nAllow: /public");
    let help = dir.run(&["census", "--help"]).ok().out().to_owned();
    for option in ["--incomplete", "--no-fallback", "--max-lines=2", "--on-over-limit=widen", "--status=503"] {
        let name = option.split('=').next().unwrap();
        dir.run(&["census", "--agents", "*", option, "robots.txt"])
            .fails(2, &[name, "not for a census", "leave it out"]);
        assert!(!help.lines().any(|line| line.trim_start().starts_with(name)), "{name}");
    }
    dir.run(&["census", "--agents", "MyBot/2.1", "robots.txt"]).fails(2, &["MyBot/2.1", "product token"]);
}
