//! `robosieve batch`: interrupted runs that are continued, and inputs that are too large for memory.

use std::fs;
use std::io::Write as _;
use std::thread;
use std::time::{Duration, Instant};

use crate::batch::unpacked;
use crate::batch_warc::response;
use crate::common::{Dir, peak_of};

/// An input of many records: archives, lines and files, some of them bad.
fn fill(dir: &Dir, records: usize) {
    let mut warc = Vec::new();
    let mut lines = String::new();
    for number in 0..records {
        let rules = format!("User-agent: *\nDisallow: /{}\n{}", number % 300, "Disallow: /a\n".repeat(number % 23));
        warc.extend(response(&format!("h{number}"), "200 OK", rules.as_bytes()));
        if number % 1000 == 999 {
            warc.extend(b"what is this\n");
        }
        lines += &serde_json::json!({"id": number, "robots": rules, "url": format!("http://n{number}/robots.txt")})
            .to_string();
        lines.push('\n');
        if number % 7 == 0 {
            lines.push_str("nonsense\n");
        }
    }
    fs::create_dir_all(dir.path("in/files")).unwrap();
    dir.write("in/a.warc", &warc);
    dir.write("in/b.ndjson", lines);
    dir.write("in/c.warc.zst", zstd::encode_all(&warc[..], 1).unwrap());
    for number in 0..200 {
        dir.write(
            &format!("in/files/{number}.txt"),
            format!("Disallow: /{number}\nUser-agent: *\nDisallow: /{number}\n"),
        );
    }
}

/// Starts a run, and kills it after its first point.
fn interrupt(dir: &Dir, args: &[&str], output: &str) {
    let mut child = dir.spawn(&[&["batch", "-a", "MyBot", "-q"], args].concat());
    let journal = || fs::read_to_string(dir.path(&format!("{output}.journal"))).unwrap_or_default();
    let begun = Instant::now();
    while !journal().contains("\"records\":1024") {
        assert!(begun.elapsed() < crate::common::PATIENCE, "no point: {}", journal());
        assert!(child.try_wait().unwrap().is_none(), "it ended before it was killed");
    }
    child.kill().unwrap();
    child.wait().unwrap();
}

/// After a kill the run goes on to the same bytes: the library has each kind of output, stopped at each point.
#[test]
fn a_kill_does_not_change_the_output() {
    let dir = Dir::new();
    fill(&dir, 2500);
    let run = |name: &str, more: &[&str]| {
        dir.run(&[&["batch", "-a", "MyBot", "-q", "in", "-o", name], more].concat()).code(3);
    };
    run("whole.ndjson", &[]);
    let whole = fs::read(dir.path("whole.ndjson")).unwrap();
    let name = "out.ndjson.gz";
    interrupt(&dir, &["in", "-o", name], name);
    run(name, &["--resume", "-j", "3"]);
    assert!(unpacked(&fs::read(dir.path(name)).unwrap()) == whole);
    assert_eq!(dir.names(), ["in", name, "whole.ndjson"]);
}

/// What the library says of a run that is not continued, with what to do.
#[test]
fn what_is_not_continued_is_said() {
    let dir = Dir::new();
    fill(&dir, 3000);
    interrupt(&dir, &["in", "-o", "o.ndjson"], "o.ndjson");
    let run = |args: &[&str]| dir.run(&[&["batch", "-a", "MyBot", "-q", "-o", "o.ndjson"], args].concat());
    run(&["in"]).fails(2, &["o.ndjson.journal: an earlier run was interrupted", "--resume", "--start-over"]);
    let other = &["o.ndjson.journal: the interrupted run had other arguments", "begin again with --start-over"];
    run(&["in", "--resume", "--max-lines", "5"]).fails(2, other);
    dir.run_with(&["batch", "-a", "MyBot", "-o", "o.ndjson", "--resume"], b"")
        .fails(2, &["the inputs come from a stream", "--start-over"]);
    let journal = dir.read("o.ndjson.journal");
    assert_eq!(journal.lines().count(), 1);
    dir.write("o.ndjson.journal", journal.replacen("journal 5", "journal 4", 1));
    run(&["in", "--resume"]).fails(2, &["o.ndjson.journal: the journal has version 4", "--start-over"]);
    dir.write("o.ndjson.journal", journal.replacen("\"records\":1", "\"records\":2", 1));
    run(&["in", "--resume"]).fails(2, &["o.ndjson.journal: the journal is damaged", "--start-over"]);
    dir.write("o.ndjson.journal", "");
    run(&["in", "--start-over"]).fails(2, &["o.ndjson.journal: ", "move it away"]);
    dir.write("o.ndjson.journal", &journal);
    dir.write("in/z.txt", "");
    run(&["in", "--resume"]).fails(2, &["the inputs changed: in/z.txt: is new; begin again with --start-over"]);
    fs::remove_file(dir.path("in/z.txt")).unwrap();
    dir.write("o.ndjson.part", "");
    run(&["in", "--resume"]).fails(2, &["o.ndjson.part: it is not there, or shorter", "--start-over"]);
    run(&["in", "--start-over"]).code(3);
    assert_eq!(dir.names(), ["in", "o.ndjson"]);
}

/// Ctrl-C stops a run at the next point from which it can be continued, in its first second too.
#[cfg(unix)]
#[test]
fn an_interrupted_run_says_how_to_continue() {
    let line = |number: usize| format!("{{\"id\":{number},\"robots\":\"User-agent: *\\nDisallow: /{number}\"}}\n");
    let lines = |range: std::ops::Range<usize>| range.map(line).collect::<String>();
    let dir = Dir::new();
    let args = ["batch", "-a", "MyBot", "--input", "ndjson", "-o", "out.ndjson", "-q", "-"];
    let mut child = dir.spawn(&args);
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(lines(0..1500).as_bytes()).unwrap();
    let journal = || fs::read_to_string(dir.path("out.ndjson.journal")).unwrap_or_default();
    let begun = Instant::now();
    while !journal().contains("\"records\":1024") {
        assert!(begun.elapsed() < crate::common::PATIENCE, "no point after the first frame: {}", journal());
        thread::sleep(Duration::from_millis(5));
    }
    let killed = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    thread::sleep(Duration::from_millis(200));
    // It may end before it has read everything.
    let _ = stdin.write_all(lines(1500..4000).as_bytes());
    assert_eq!(crate::common::code_of(&mut child), Some(130));
    let mut reported = String::new();
    std::io::Read::read_to_string(&mut child.stderr.take().unwrap(), &mut reported).unwrap();
    assert_eq!(
        reported,
        "robosieve: interrupted before out.ndjson was complete: give the same arguments and --resume to continue\n"
    );
    assert!(journal().contains("\"records\":2048"), "{}", journal());
}

/// [batch.output]
#[test]
fn a_name_that_is_no_ones_is_refused() {
    let dir = Dir::with("User-agent: *\nDisallow: /x\n");
    for name in ["out.json", "out.txt", "records.csv.gz", "./a.b"] {
        dir.run(&["batch", "-a", "x", "robots.txt", "-o", name])
            .fails(2, &["is it a file or a directory?", ".ndjson", "/ for"]);
    }
    assert_eq!(dir.names(), ["robots.txt"]);
    fs::create_dir(dir.path("there.d")).unwrap();
    for (name, text) in [("out", "out/robots.txt"), ("e.com/", "e.com/robots.txt"), ("there.d", "there.d/robots.txt")] {
        dir.run(&["batch", "-a", "x", "-q", "robots.txt", "-o", name]).ok();
        assert_eq!(dir.read(text), "User-agent: *\nDisallow: /x\n");
    }
}

#[cfg(target_os = "linux")]
/// Four gigabytes through a pipe, in less than 200 MB, with `ROBOSIEVE_BIG=1`; a hundred megabytes otherwise.
/// [batch.bounds]
#[test]
fn memory_does_not_grow_with_the_input() {
    let dir = Dir::new();
    let is_big = std::env::var_os("ROBOSIEVE_BIG").is_some();
    let megabytes: u64 = if is_big { 4096 } else { 100 };
    let rules = format!("User-agent: *\n{}", "Disallow: /some/path/or/other # of no use\n".repeat(60));
    let record = response("e.com", "200 OK", rules.as_bytes());
    let many = record.repeat((1 << 20) / record.len());
    // Also one record of 64 MB in each gigabyte.
    let huge = format!(
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://e.com/robots.txt\r\nContent-Length: {}\r\n\r\n",
        64 << 20
    );
    let mut child = dir.spawn(&["batch", "-a", "x", "-q", "--input", "warc", "-", "-o", "/dev/null"]);
    let mut stdin = child.stdin.take().unwrap();
    let feeder = thread::spawn(move || {
        for number in 0..megabytes {
            stdin.write_all(&many).unwrap();
            if number % 1024 == 50 {
                stdin.write_all(huge.as_bytes()).unwrap();
                stdin.write_all(b"HTTP/1.1 200 OK\r\n\r\n").unwrap();
                stdin.write_all(&vec![b'#'; (64 << 20) - 19]).unwrap();
                stdin.write_all(b"\r\n\r\n").unwrap();
            }
        }
    });
    let (ended, peak) = peak_of(&mut child);
    feeder.join().unwrap();
    assert_eq!(ended, Some(0));
    eprintln!("{megabytes} MiB: {peak} kB at most");
    assert!(peak > 0 && peak < 200_000, "{peak} kB");
}
