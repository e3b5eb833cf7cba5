//! `robosieve batch`: interrupted runs that are continued, and inputs that are too large for memory.

use std::fs;
use std::io::Write as _;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::batch::unpacked;
use crate::common::{Dir, Ran, peak_of};

/// An input of many records: archives, lines and files, some of them bad.
fn fill(dir: &Dir, records: usize) {
    let mut warc = Vec::new();
    let mut lines = String::new();
    for number in 0..records {
        let rules = format!("User-agent: *\nDisallow: /{}\n{}", number % 300, "Disallow: /a\n".repeat(number % 23));
        let block = format!("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n{rules}");
        let broken = usize::from(number % 1000 == 999);
        write!(
            warc,
            "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://h{number}/robots.txt\r\nContent-Length: {}\r\n\r\n{block}\r\n\r\n",
            block.len() + broken
        )
        .unwrap();
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

fn run(dir: &Dir, args: &[&str]) -> Ran {
    let always = ["batch", "-a", "MyBot", "--checkpoint", "0", "--summary", "json", "in"];
    dir.run(&[&always, args].concat())
}

/// The summary without times.
fn summary(ran: &Ran) -> Value {
    let line = ran.err().lines().last().unwrap();
    let mut summary: Value = serde_json::from_str(line).unwrap();
    summary["summary"]["seconds"] = Value::Null;
    summary["summary"]["slowest"] = Value::Null;
    summary
}

/// Starts the command, kills it after this time, and returns whether it was still running.
fn kill(dir: &Dir, args: &[&str], after: Duration) -> bool {
    let always = ["batch", "-a", "MyBot", "--checkpoint", "0", "-q", "in"];
    let mut child = dir.spawn(&[&always, args].concat());
    let start = Instant::now();
    while start.elapsed() < after {
        if child.try_wait().unwrap().is_some() {
            return false;
        }
        thread::sleep(Duration::from_millis(1));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    true
}

/// The duration and the output of a run that is not interrupted.
fn whole(dir: &Dir, args: &[&str]) -> (Duration, Value) {
    let start = Instant::now();
    let ran = run(dir, args).code(3);
    (start.elapsed(), summary(&ran))
}

/// Pseudo-random numbers, the same each time.
fn random(seed: &mut u64) -> f64 {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    f64::from(u32::try_from(*seed >> 33).unwrap()) / f64::from(u32::MAX >> 1)
}

/// [batch.resume]
#[test]
fn fifty_kills_do_not_change_the_output() {
    let dir = Dir::new();
    fill(&dir, 4000);
    let mut seed = 7;
    let mut kills = 0;
    for name in ["out.ndjson", "out.ndjson.gz", "out.ndjson.zst"] {
        let reference = format!("whole-{name}");
        let (took, expected) = whole(&dir, &["--dedup", "-o", &reference]);
        let bytes = fs::read(dir.path(&reference)).unwrap();
        let mut goal = kills + 17;
        let mut resumed = 0;
        // If the machine is now slower than during the measurement, the command needs longer before it is killed.
        let mut patience = 0.7;
        while kills < goal || resumed <= 3 && kills < goal + 60 {
            if kill(&dir, &["--dedup", "-o", name, "--resume"], took.mul_f64(random(&mut seed) * patience)) {
                kills += 1;
                if dir.path(name).exists() {
                    // It was killed at its very end. Continuing it reports that everything is done.
                    assert!(fs::read(dir.path(name)).unwrap() == bytes, "{name} has its name before it is complete");
                    run(&dir, &["--dedup", "-o", name, "--resume"]).code(3);
                    fs::remove_file(dir.path(name)).unwrap();
                }
                let journal = fs::read_to_string(dir.path(&format!("{name}.journal"))).unwrap_or_default();
                if journal.contains("\"records\":") && !journal.contains("\"records\":0,") {
                    resumed += 1;
                } else {
                    patience *= 1.1;
                }
            } else {
                // It ended before the kill: its output is right, and the next run starts from the beginning.
                patience = (patience * 0.9_f64).max(0.1);
                assert!(fs::read(dir.path(name)).unwrap() == bytes, "{name}");
                fs::remove_file(dir.path(name)).unwrap();
                goal = goal.min(kills + 17);
            }
        }
        assert!(resumed > 3, "{name}: only {resumed} runs had something to continue");
        let ran = run(&dir, &["--dedup", "-o", name, "--resume", "-j", "3"]).code(3);
        assert_eq!(summary(&ran), expected, "{name}");
        assert!(fs::read(dir.path(name)).unwrap() == bytes, "{name}");
        assert!(unpacked(&bytes).iter().filter(|&&byte| byte == b'\n').count() > 8000);
    }
    assert!(kills >= 50, "{kills}");
    let left: Vec<String> = dir.names().into_iter().filter(|name| !name.starts_with("whole-")).collect();
    assert_eq!(left, ["in", "out.ndjson", "out.ndjson.gz", "out.ndjson.zst"]);
}

/// All files below a directory, with their bytes.
fn files(dir: &Dir, below: &str) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    let mut folders = vec![dir.path(below)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(dir.path(below)).unwrap().display().to_string();
                found.push((name, fs::read(path).unwrap()));
            }
        }
    }
    found.sort();
    found
}

/// Kills a run that writes texts to a directory so many times, and continues it each time. When it ends before that, it
/// begins anew.
fn directory_with_kills(seed: u64, more: &[&str], records: &str, goal: u32) {
    let dir = Dir::new();
    fill(&dir, 500);
    let (reference, mut seed, mut kills, mut patience) = (format!("whole-{records}"), seed, 0, 0.6);
    let args = |out, records, last: &[&'static str]| [&["-o", out, "--records", records], more, last].concat();
    let (took, expected) = whole(&dir, &args("whole", &reference, &[]));
    let (texts, lines) = (files(&dir, "whole"), fs::read(dir.path(&reference)).unwrap());
    let is_whole = |file: &(String, Vec<u8>)| file.0.ends_with(".robosieve") || texts.binary_search(file).is_ok();
    while kills < goal {
        if kill(&dir, &args("out", records, &["--resume"]), took.mul_f64(random(&mut seed) * patience)) {
            kills += 1;
            patience *= 1.02;
            // No text is incomplete.
            assert!(!dir.path("out").exists() || files(&dir, "out").iter().all(is_whole), "{more:?}, kill {kills}");
        } else {
            patience *= 0.9;
            assert!(files(&dir, "out") == texts && fs::read(dir.path(records)).unwrap() == lines, "{more:?}, {kills}");
            fs::remove_dir_all(dir.path("out")).unwrap();
            fs::remove_file(dir.path(records)).unwrap();
        }
    }
    let ran = run(&dir, &args("out", records, &["--resume"])).code(3);
    assert_eq!(summary(&ran), expected, "{more:?}");
    assert!(files(&dir, "out") == texts && fs::read(dir.path(records)).unwrap() == lines, "{more:?}");
}

/// Also with each text once, and packed lines. For more kills, by hand: `ROBOSIEVE_KILLS=200 cargo test -p robosieve-cli
/// --test cli a_directory_of_texts`. [batch.resume] [batch.output] [batch.dedup]
#[test]
fn a_directory_of_texts_is_continued_too() {
    let goal = std::env::var("ROBOSIEVE_KILLS").map_or(6, |count| count.parse().unwrap());
    directory_with_kills(11, &[], "out.ndjson", goal);
    directory_with_kills(13, &["--dedup"], "out.ndjson.zst", goal);
}

/// [batch.resume] [batch.resume-inputs] [batch.resume-output]
#[test]
fn changed_inputs_or_settings_are_not_continued() {
    let dir = Dir::new();
    fill(&dir, 3000);
    let interrupt = || {
        // Finds a suitable time on this machine: shorter after a run that ended, longer after one that had not
        // written anything.
        let mut wait = Duration::from_millis(100);
        for _ in 0..40 {
            let _ = fs::remove_file(dir.path("o.ndjson"));
            let was_at_work = kill(&dir, &["-o", "o.ndjson", "--start-over"], wait);
            let journal = fs::read_to_string(dir.path("o.ndjson.journal")).unwrap_or_default();
            let has_written = journal.contains("\"bytes\":") && !journal.contains("\"records\":0,");
            if was_at_work && has_written {
                return;
            }
            wait = if was_at_work { wait * 5 / 4 } else { wait * 3 / 4 };
        }
        panic!("no run could be interrupted between two points");
    };
    interrupt();
    run(&dir, &["-o", "o.ndjson"]).fails(2, &["o.ndjson.journal", "--resume", "--start-over"]);
    // In words, all that differ, and nothing else.
    let resume = |more: &[&str]| run(&dir, &[&["-o", "o.ndjson", "--resume"], more].concat());
    let differs = |more: &[&str], what: &str| {
        let ran = resume(more);
        let words =
            format!("had a different command line: {what}; give the same arguments, or begin again with --start-over");
        ran.fails(2, &["o.ndjson.journal: ", &words]);
    };
    differs(&["--max-lines", "5"], "--max-lines was not given, is 5");
    differs(&["-a", "MyBot2", "--dedup"], "--agent was MyBot, is MyBot,MyBot2; --dedup was false, is true");
    differs(&["-j", "2", "in/files"], "INPUT was in, is in,in/files");
    let long = "x".repeat(300);
    differs(&["--url", &format!("/{long}")], &format!("--url was not given, is /{}...", "x".repeat(79)));
    let part = fs::read(dir.path("o.ndjson.part")).unwrap();
    for suffix in ["part", "inputs", "journal"] {
        let name = format!("o.ndjson.{suffix}");
        let mut bytes = fs::read(dir.path(&name)).unwrap();
        if bytes.is_empty() {
            // It stopped in the first input.
            continue;
        }
        // Its first line says that the journal is one.
        let at = if suffix == "journal" { 20 } else { 0 };
        bytes[at] ^= 1;
        dir.write(&name, &bytes);
        resume(&[]).fails(2, &[&name, "begin again with --start-over"]);
        bytes[at] ^= 1;
        dir.write(&name, &bytes);
    }
    assert!(fs::read(dir.path("o.ndjson.part")).unwrap().starts_with(&part[..1024]));
    let journal = dir.read("o.ndjson.journal");
    dir.write("o.ndjson.journal", journal.replacen("\"v\":3", "\"v\":1", 1));
    let told = "o.ndjson.journal: the journal has version 1 of the format, and this program reads 3; begin again with \
                --start-over";
    resume(&[]).fails(2, &[told]);
    dir.write("o.ndjson.journal", journal.replacen("\"v\":3", "\"v\":3 ", 1));
    resume(&[]).fails(2, &["o.ndjson.journal: the journal is damaged; begin again with --start-over"]);
    dir.write("o.ndjson.journal", journal);
    dir.write("o.ndjson.part", "");
    resume(&[]).fails(2, &["o.ndjson.part: it is shorter than its journal says; begin again with --start-over"]);
    fs::remove_file(dir.path("o.ndjson.part")).unwrap();
    resume(&[]).fails(2, &["o.ndjson.part: ", "begin again with --start-over"]);
    run(&dir, &["-o", "o.ndjson", "--start-over"]).code(3);
    interrupt();
    fs::OpenOptions::new().append(true).open(dir.path("in/a.warc")).unwrap().write_all(b"\r\n").unwrap();
    // Wherever it stopped, this was the first input.
    resume(&[]).fails(2, &["in/a.warc: its size, or a time of its change, is another; begin again with --start-over"]);
}

/// A file that no run made stays as it is, whatever was asked for: [batch.resume-files]
#[test]
fn a_file_of_others_is_never_replaced() {
    let dir = Dir::new();
    fill(&dir, 3);
    let options: [&[&str]; 3] = [&[], &["--resume"], &["--start-over"]];
    for name in ["journal", "journal.new", "hashes", "inputs", "part"].map(|suffix| format!("o.ndjson.{suffix}")) {
        dir.write(&name, "mine\n");
        for more in options {
            run(&dir, &[&["-o", "o.ndjson", "--dedup"], more].concat())
                .fails(2, &[&format!("{name}: "), "move it away"]);
            assert_eq!(dir.read(&name), "mine\n");
            assert!(!dir.path("o.ndjson").exists());
        }
        fs::remove_file(dir.path(&name)).unwrap();
    }
    let left =
        || fs::read_dir(dir.path(".")).unwrap().filter(|entry| entry.as_ref().unwrap().file_name() != "in").count();
    assert_eq!(left(), 0);
    // A run that was killed while it removed its files, and one that was killed before it had written anything.
    for (journal, fails) in [("robosieve journal\n", [false; 3]), ("", [true, false, false])] {
        for (more, fails) in options.into_iter().zip(fails) {
            dir.write("o.ndjson.journal", journal);
            if !journal.is_empty() {
                for name in ["hashes", "part", "journal.new"] {
                    dir.write(&format!("o.ndjson.{name}"), "x");
                }
            }
            let ran = run(&dir, &[&["-o", "o.ndjson", "--dedup"], more].concat());
            if fails {
                ran.fails(2, &["o.ndjson.journal: an earlier run was interrupted, or is still running"]);
            } else {
                ran.code(3);
                assert_eq!(left(), 1, "{more:?}");
                fs::remove_file(dir.path("o.ndjson")).unwrap();
            }
        }
    }
}

#[cfg(unix)]
/// Ctrl-C stops a run at the next point from which it can be continued, in its first second too: [batch.interrupt]
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
    let mut told = String::new();
    std::io::Read::read_to_string(&mut child.stderr.take().unwrap(), &mut told).unwrap();
    assert_eq!(
        told,
        "robosieve: interrupted before out.ndjson was complete: give the same arguments and --resume to continue\n"
    );
    assert!(journal().contains("\"records\":2048"), "{}", journal());
    dir.run_with(&[&args[..], &["--resume"]].concat(), lines(0..4000).as_bytes()).ok();
    let whole = ["batch", "-a", "MyBot", "--input", "ndjson", "-o", "whole.ndjson", "-q", "-"];
    dir.run_with(&whole, lines(0..4000).as_bytes()).ok();
    assert!(dir.read("out.ndjson") == dir.read("whole.ndjson"));
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
    let block =
        format!("HTTP/1.1 200 OK\r\n\r\nUser-agent: *\n{}", "Disallow: /some/path/or/other # of no use\n".repeat(60));
    let record = format!(
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://e.com/robots.txt\r\nContent-Length: {}\r\n\r\n{block}\r\n\r\n",
        block.len()
    );
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
            stdin.write_all(many.as_bytes()).unwrap();
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
