//! `robosieve batch`: what an input contains, if its name does not show it.

use std::fs;

use serde_json::Value;

use crate::batch_warc::response;
use crate::common::{Dir, Ran, base64, gzip};
use crate::suspect::foreign;

const RULES: &str = "User-agent: *\nDisallow: /x\n";

fn warc() -> Vec<u8> {
    response("e.com", "200 OK", RULES.as_bytes())
}

/// A list of names that is none: none of its lines is read. A name that ends with NUL may have any bytes. [batch.lines]
#[test]
fn a_list_of_names_that_is_no_text_is_an_error() {
    let dir = Dir::with(RULES);
    dir.write("packed", gzip(b"robots.txt\n"));
    dir.write("utf16", b"\xFF\xFE.\0\n\0robots.txt\n");
    for (list, words) in [("packed", "packed data"), ("utf16", "UTF-16")] {
        for command in [&["batch", "--agent", "A"][..], &["census"]] {
            let ran = dir.run(&[command, &["--files-from", list]].concat()).code(3);
            assert!(ran.err().contains(words), "{command:?} {}", ran.err());
            assert_eq!(ran.out().lines().count(), 1, "{command:?} {}", ran.out());
        }
        dir.run(&["test", "--agent", "A", "--files-from", list, "/"]).fails(2, &[list, words]);
    }
}

/// An archive with one robots.txt file, as `tar` writes it.
fn tar() -> Vec<u8> {
    let mut head = [0; 512];
    for (at, field) in [
        (0, "e.com/robots.txt"),
        (100, "0000644"),
        (108, "0000000"),
        (116, "0000000"),
        (124, "00000000033"),
        (136, "0"),
    ] {
        head[at..at + field.len()].copy_from_slice(field.as_bytes());
    }
    head[148..156].copy_from_slice(b"        ");
    head[156..157].copy_from_slice(b"0");
    head[257..265].copy_from_slice(b"ustar\x0000");
    let sum: u32 = head.iter().map(|&byte| u32::from(byte)).sum();
    head[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    let mut content = RULES.as_bytes().to_vec();
    content.resize(512, 0);
    [&head[..], &content, &[0; 1024]].concat()
}

fn run(dir: &Dir, args: &[&str]) -> Ran {
    dir.run(&[&["batch", "-a", "MyBot"], args].concat())
}

/// The outcome, number and URL of each record.
fn reported(ran: &Ran) -> Vec<(String, Option<u64>, Option<String>)> {
    let of = |record: Value| {
        let text = |name: &str| record[name].as_str().map(String::from);
        (text("outcome").unwrap(), record["record"].as_u64(), text("url"))
    };
    ran.json().into_iter().map(of).collect()
}

fn plain(outcome: &str) -> Vec<(String, Option<u64>, Option<String>)> {
    vec![(outcome.into(), None, None)]
}

/// [batch.sniff]
#[test]
fn a_single_input_is_recognised_by_its_first_bytes() {
    let dir = Dir::new();
    let archived = vec![("rules".into(), Some(1), Some("http://e.com/robots.txt".into()))];
    for (name, bytes) in [("crawl.dat", warc()), ("crawl", gzip(&warc())), ("crawl.gz", gzip(&warc()))] {
        dir.write(name, bytes);
        assert_eq!(reported(&run(&dir, &[name]).ok()), archived, "{name}");
    }
    dir.write("wrong.ndjson", warc());
    assert_eq!(reported(&run(&dir, &["wrong.ndjson"]).ok()), archived);
    dir.write("lines.log", "\n{\"robots\":\"Disallow: /\"}\n{\"status\":404}\n");
    let lines = reported(&run(&dir, &["lines.log"]).ok());
    assert_eq!(lines, [("rules".into(), Some(2), None), ("allow-all".into(), Some(3), None)]);
    // Anything else is one robots.txt file, with its name.
    dir.write("e.com", RULES);
    assert_eq!(reported(&run(&dir, &["e.com", "-o", "out"]).ok()), []);
    assert_eq!(dir.read("out/e.com"), RULES);
    // A name ending in .txt has priority over the bytes, because a site may send any bytes.
    dir.write("e.txt", "{\"error\":\"not found\"}");
    assert_eq!(reported(&run(&dir, &["e.txt"])), plain("rules"));
    // The command line has priority.
    assert_eq!(reported(&run(&dir, &["--input", "robots", "crawl.dat"])), plain("rules"));
}

/// A file from one site must not contain rules for others. [batch.sniff]
#[test]
fn among_several_inputs_no_file_becomes_an_archive_by_its_bytes() {
    let dir = Dir::new();
    fs::create_dir(dir.path("in")).unwrap();
    for name in ["a.dat", "b.txt", "in/c", "d.warc"] {
        dir.write(name, warc());
    }
    dir.write("e.com", "{\"robots\":\"Disallow: /\"}\n");
    let ran = run(&dir, &["a.dat", "b.txt", "in", "d.warc", "e.com"]).code(3);
    let records = ran.json();
    let sources: Vec<&str> = records.iter().map(|record| record["source"].as_str().unwrap()).collect();
    assert_eq!(sources, ["a.dat", "b.txt", "in/c", "d.warc", "e.com"]);
    let outcomes: Vec<&str> = records.iter().map(|record| record["outcome"].as_str().unwrap()).collect();
    assert_eq!(outcomes, ["failed", "failed", "failed", "rules", "rules"]);
    for record in &records[..3] {
        assert_eq!(record["error"]["kind"], "archive");
        assert!(record["error"]["message"].as_str().unwrap().contains("call it .warc"), "{record}");
    }
    assert!(ran.err().contains("a.dat: "), "{}", ran.err());
    // A file with the name of a robots.txt is not read as an archive, even if it is the only input, and is not skipped.
    let alone = run(&dir, &["b.txt"]).code(3);
    assert_eq!(alone.one_json()["error"]["kind"], "archive");
}

/// [batch.sniff]
#[test]
fn a_tar_is_an_error_that_says_what_to_do() {
    let dir = Dir::new();
    let zip = [&b"PK\x03\x04\x14\0\0\0"[..], &[0; 60]].concat();
    for (name, bytes) in [("a.tar", tar()), ("a.tar.gz", gzip(&tar())), ("a", tar()), ("a.txt", tar()), ("a.zip", zip)]
    {
        dir.write(name, bytes);
        let ran = run(&dir, &[name]).code(3);
        let record = ran.one_json();
        assert_eq!((&record["outcome"], &record["error"]["kind"]), (&"failed".into(), &"archive".into()), "{name}");
        assert!(record.get("text").is_none());
        for words in [name, "unpack it", "name the directory"] {
            assert!(ran.err().contains(words), "no {words:?} in {}", ran.err());
        }
    }
    let piped = dir.run_with(&["batch", "-a", "MyBot"], &tar()).code(3);
    assert_eq!(piped.one_json()["error"]["kind"], "archive");
    // The name may also be that of an archive that is read.
    dir.write("a.warc", tar());
    assert_eq!(run(&dir, &["a.warc"]).code(3).json()[0]["outcome"], "failed");
}

/// An ARC archive, one in a folder, and what is packed twice, is never one robots.txt; a pipe in a list is skipped:
/// [batch.sniff]
#[test]
fn other_archives_are_no_robots_txt() {
    let dir = Dir::new();
    let zip = [&b"PK\x03\x04\x14\0\0\0"[..], &[0; 60]].concat();
    let arc = b"filedesc://x.arc 0.0.0.0 20080101000000 text/plain 76\n1 0 Archive\nUser-agent: *\nAllow: /\n".to_vec();
    fs::create_dir(dir.path("folder")).unwrap();
    let twice = gzip(&gzip(RULES.as_bytes()));
    let named = [("x.arc", arc.clone()), ("x.arc.gz", gzip(&arc)), ("x.wacz", zip), ("x.txt", tar()), ("x.gz", twice)];
    for (name, bytes) in named {
        for place in [name.to_owned(), format!("folder/{name}")] {
            dir.write(&place, bytes.clone());
            let input = if place.starts_with("folder") { "folder" } else { name };
            let record = run(&dir, &[input]).code(3).one_json();
            assert_eq!(
                (&record["outcome"], &record["error"]["kind"]),
                (&"failed".into(), &"archive".into()),
                "{place}"
            );
            std::fs::remove_file(dir.path(&place)).unwrap();
        }
        let piped = dir.run_with(&["batch", "-a", "MyBot"], &bytes).code(3);
        assert_eq!(piped.one_json()["error"]["kind"], "archive", "{name}");
    }
    #[cfg(unix)]
    {
        let made = std::process::Command::new("mkfifo").arg(dir.path("pipe")).status().unwrap();
        assert!(made.success());
        dir.write("robots.txt", RULES);
        dir.write("list", "pipe\nrobots.txt\n");
        let ran = dir.run(&["batch", "-a", "MyBot", "--files-from", "list"]).ok();
        assert_eq!(ran.one_json()["outcome"], "rules");
    }
}

/// Files that are not robots.txt files, in a directory, as lines and in an archive.
fn with_foreign() -> Dir {
    let dir = Dir::new();
    fs::create_dir(dir.path("in")).unwrap();
    dir.write("in/a", RULES);
    let (mut lines, mut archive) = (String::new(), warc());
    for (number, (bytes, kind, _)) in foreign().into_iter().enumerate() {
        dir.write(&format!("in/{number}-{kind}"), &bytes);
        lines += &(serde_json::json!({"robots_b64": base64(&bytes)}).to_string() + "\n");
        archive.extend(response("e.com", "200 OK", &bytes));
    }
    dir.write("lines.ndjson", lines);
    dir.write("a.warc", archive);
    dir
}

/// [batch.suspect]
#[test]
fn files_that_are_no_robots_txt_are_named_and_counted() {
    let dir = with_foreign();
    for input in ["in", "lines.ndjson", "a.warc"] {
        let ran = run(&dir, &[input, "--summary", "json"]).ok();
        let records = ran.json();
        let of = |name: &str| records.iter().find(|record| record["input"]["kind"] == name).cloned();
        for (_, kind, _) in foreign() {
            let record = of(kind).unwrap_or_else(|| panic!("no {kind} of {input}"));
            assert!(record["suspects"].as_u64().unwrap() > 0, "{record}");
            assert_eq!(record["outcome"], "rules");
        }
        assert_eq!(of("text").is_some(), input != "lines.ndjson");
        let summary: Value = serde_json::from_str(ran.err().lines().last().unwrap()).unwrap();
        let counted = serde_json::json!({"binary": 1, "html": 1, "image": 1, "json": 1, "utf-16": 1});
        assert_eq!(summary["summary"]["inputs"], counted, "{input}");
    }
    let words = run(&dir, &["in", "-o", "out"]).ok();
    for part in ["look like something else: 1 binary, 1 html, 1 image, 1 json, 1 utf-16", "suspects: "] {
        assert!(words.err().contains(part), "no {part:?} in {}", words.err());
    }
    // If the status decides, there is no file that could look like something else.
    dir.write("gone.ndjson", "{\"status\":404}\n{\"status\":200,\"robots\":\"x\"}\n");
    let records = run(&dir, &["gone.ndjson"]).ok().json();
    assert_eq!((&records[0]["input"], &records[0]["suspects"]), (&Value::Null, &Value::Null));
    assert_eq!((&records[1]["input"]["kind"], &records[1]["suspects"]), (&"text".into(), &0.into()));
}

/// [batch.suspect] [cmd.fail-on]
#[test]
fn fail_on_refuses_files() {
    let dir = with_foreign();
    for input in ["in", "lines.ndjson", "a.warc"] {
        let ran = run(&dir, &[input, "-q", "--fail-on", "suspect"]).code(3);
        for record in ran.json() {
            let is_refused = record["input"]["kind"] != "text";
            assert_eq!(record["outcome"], if is_refused { "refused" } else { "rules" }, "{record}");
            assert_eq!(record.get("text").is_none(), is_refused);
            assert_eq!(record.get("error").is_some(), is_refused);
        }
    }
    let reported = run(&dir, &["in/0-html", "--fail-on", "suspect"]).code(3);
    assert_eq!(reported.one_json()["error"]["kind"], "refused");
    assert!(
        reported.err().contains("0-html: refused (fail-on suspect): the input looks like an HTML page"),
        "{}",
        reported.err()
    );
    for (file, by, not_by) in [
        ("User-agent: *\nDisalow: /a\n", "repair", "suspect,loss"),
        ("User-agent: *\nDisallow: /*b*c*d*e*f*g*h*i*j*k*l\n", "suspect,loss", "suspect,repair"),
        ("User-agent: *\nDisallow: https://e.com/a\n", "suspect", "loss"),
    ] {
        dir.write("b.txt", file);
        run(&dir, &["b.txt", "-q", "--fail-on", by]).code(3);
        run(&dir, &["b.txt", "-q", "--fail-on", not_by]).ok();
    }
    // The part that the archive cut off is a loss.
    let mut cut = warc();
    cut.truncate(cut.len() - 10);
    dir.write("cut.warc", cut);
    assert_eq!(run(&dir, &["cut.warc", "-q", "--fail-on", "loss"]).code(3).one_json()["outcome"], "refused");
    assert_eq!(run(&dir, &["cut.warc", "-q"]).code(3).one_json()["outcome"], "incomplete");
    // The directory contains no text of a refused file.
    run(&dir, &["in", "-o", "out", "--fail-on", "suspect"]).code(3);
    assert_eq!(fs::read_dir(dir.path("out")).unwrap().count(), 1);
}
