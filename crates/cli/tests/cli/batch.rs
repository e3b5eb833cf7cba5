//! `robosieve batch`: inputs, outputs, order, failures.

use std::fs;

use serde_json::{Value, json};

use crate::common::{Dir, base64};

const FILE: &str = "User-agent: *\nDisallow: /x\nCrawl-delay: 2\nSitemap: http://e.com/s\n";

/// The records of a run with the default output.
fn records(dir: &Dir, args: &[&str]) -> Vec<Value> {
    run(dir, args).ok().json()
}

fn run(dir: &Dir, args: &[&str]) -> crate::common::Ran {
    dir.run(&[&["batch", "-a", "MyBot", "-q"], args].concat())
}

fn of<'v>(records: &'v [Value], field: &str) -> Vec<&'v Value> {
    records.iter().map(|record| &record[field]).collect()
}

/// A directory with files in it.
fn tree(dir: &Dir, files: &[(&str, &str)]) {
    for (name, bytes) in files {
        fs::create_dir_all(dir.path(name).parent().unwrap()).unwrap();
        dir.write(name, bytes);
    }
}

/// The library has the order of many threads. [batch.inputs] [batch.order]
#[test]
fn directories_are_read_in_order_of_names() {
    let dir = Dir::new();
    tree(&dir, &[("in/b/2.txt", FILE), ("in/a.txt", FILE), ("in/b/10.txt", FILE), ("in/c/d/e", FILE)]);
    let expected = ["in/a.txt", "in/b/10.txt", "in/b/2.txt", "in/c/d/e"];
    for jobs in ["1", "3"] {
        assert_eq!(of(&records(&dir, &["in", "--jobs", jobs]), "source"), expected);
    }
    fs::create_dir(dir.path("empty")).unwrap();
    assert_eq!(run(&dir, &["empty"]).ok().out(), "");
}

/// [batch.inputs]
#[test]
fn lists_separate_inputs_by_line_ends_or_nul() {
    let dir = Dir::new();
    tree(
        &dir,
        &[("in/a.txt", FILE), ("in/b c.txt", FILE), ("more/x.txt", FILE), ("in/l.ndjson", "{\"robots\":\"\"}\n")],
    );
    dir.write("list", "in/b c.txt\r\n\nmore\nin/l.ndjson\nin/a.txt");
    let expected = ["in/b c.txt", "more/x.txt", "in/l.ndjson", "in/a.txt"];
    assert_eq!(of(&records(&dir, &["--files-from", "list"]), "source"), expected);
    let args = ["batch", "-a", "x", "-q", "--files-from", "-"];
    #[cfg(target_os = "linux")]
    {
        use std::os::unix::ffi::OsStrExt as _;
        let name = std::ffi::OsStr::from_bytes(b"line \xff.txt");
        fs::write(dir.path("in").join(name), FILE).unwrap();
        let ran = dir.run_with(&args, b"in/line \xff.txt\n").ok();
        assert_eq!(ran.one_json()["source"], "in/line \\xFF.txt");
        assert_eq!(ran.one_json()["outcome"], "rules");
    }
}

/// [batch.inputs] [batch.record]
#[test]
fn lines_of_json_are_files() {
    let dir = Dir::new();
    let lines = [
        json!({"id": {"a": [1]}, "robots": FILE, "url": "https://e.com/robots.txt", "time": "2026-01-02T03:04:05Z", "status": 200}),
        json!({"robots_b64": base64(FILE.as_bytes())}),
        json!({"id": 3, "status": 404}),
        json!({"id": 4, "status": 500, "robots": FILE}),
        json!({"id": 5, "status": 302, "location": "https://www.e.com/robots.txt"}),
        json!({"id": 6, "status": 304}),
    ];
    let input: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let ran = dir.run_with(&["batch", "-a", "MyBot", "-q"], input.as_bytes()).ok();
    let records = ran.json();
    assert_eq!(of(&records, "outcome"), ["rules", "rules", "allow-all", "disallow-all", "redirect", "not-modified"]);
    assert_eq!(of(&records, "id"), [&json!({"a": [1]}), &Value::Null, &json!(3), &json!(4), &json!(5), &json!(6)]);
    assert_eq!((&records[0]["url"], &records[0]["time"]), (&lines[0]["url"], &lines[0]["time"]));
    assert_eq!(records[0]["text"], records[1]["text"]);
    assert_eq!(records[2]["text"], "User-agent: *\nDisallow:\n");
    assert_eq!(records[3]["text"], "User-agent: *\nDisallow: /\n");
    assert_eq!(records[3]["answered_by"], "status");
    assert_eq!(records[4]["location"], "https://www.e.com/robots.txt");
    assert_eq!(of(&records, "record"), [1, 2, 3, 4, 5, 6]);
    let closed = dir.run_with(&["batch", "-a", "x", "-q", "--forbidden", "disallow"], b"{\"status\":403}\n").ok();
    assert_eq!(closed.one_json()["outcome"], "disallow-all");
}

/// [batch.failures]
#[test]
fn bad_lines_get_a_record_and_the_others_continue() {
    let dir = Dir::new();
    let long = format!("{{\"id\":0,\"robots\":\"{}\"}}", "a".repeat(100_000));
    let input = [
        "{\"id\":1,\"robots\":\"\"}",
        "nonsense",
        "[]",
        "",
        "{\"id\":5}",
        "{\"id\":6,\"robots\":\"\",\"agent\":\"x\"}",
        "{\"id\":7,\"robots\":\"\",\"robots_b64\":\"\"}",
        "{\"id\":8,\"robots_b64\":\"%\"}",
        "{\"id\":9,\"v\":2,\"robots\":\"\"}",
        "{\"id\":10,\"status\":99}",
        &long,
        "{\"id\":11,\"robots\":\"\"}",
    ];
    let args = ["batch", "-a", "MyBot", "--max-bytes", "1000", "--input", "ndjson", "--summary", "json"];
    let ran = dir.run_with(&args, input.join("\n").as_bytes()).code(3);
    let records = ran.json();
    assert_eq!(of(&records, "outcome").iter().filter(|outcome| **outcome == "failed").count(), 9);
    assert_eq!(
        of(&records, "id")[3..],
        [5, 6, 7, 8, 9, 10].map(Value::from).iter().chain([&Value::Null, &json!(11)]).collect::<Vec<_>>()[..]
    );
    assert_eq!(records[9]["error"]["kind"], "line-too-long");
    let summary: Value = serde_json::from_str(ran.err().lines().last().unwrap()).unwrap();
    assert_eq!(summary["summary"]["failures"], json!({"bad-json": 1, "bad-request": 7, "line-too-long": 1}));
    assert_eq!(summary["summary"]["skipped"], json!({"blank-line": 1}));
    assert!(ran.err().contains("-:2: "), "{}", ran.err());
}

/// [batch.failures]
#[test]
fn an_unreadable_input_affects_no_other() {
    let dir = Dir::new();
    tree(&dir, &[("in/a.txt", FILE), ("in/z.txt", FILE)]);
    dir.write("list", "gone.txt\nin/a.txt\ngone.warc\nin/z.txt\n");
    let ran = run(&dir, &["--files-from", "list"]).code(3);
    assert_eq!(of(&ran.json(), "outcome"), ["failed", "rules", "failed", "rules"]);
    assert_eq!(ran.json()[0]["error"]["kind"], "unreadable");
    assert!(ran.err().contains("gone.txt: No such file"), "{}", ran.err());
    dir.write("list", "in/a.txt\nin/vanished.txt\n/nowhere/x\nin/z.txt\n");
    let ran = run(&dir, &["--files-from", "list"]).code(3);
    assert_eq!(of(&ran.json(), "outcome"), ["rules", "failed", "failed", "rules"]);
}

#[cfg(target_os = "linux")]
/// [batch.failures] [batch.inputs]
#[test]
fn links_and_pipes_in_a_directory_are_skipped() {
    let dir = Dir::new();
    tree(&dir, &[("in/a.txt", FILE)]);
    std::os::unix::fs::symlink("../in", dir.path("in/loop")).unwrap();
    std::os::unix::fs::symlink("/etc/hostname", dir.path("in/out.txt")).unwrap();
    let made = std::process::Command::new("mkfifo").arg(dir.path("in/pipe")).status().unwrap();
    assert!(made.success());
    let ran = dir.run(&["batch", "-a", "x", "in", "--summary", "json"]).ok();
    assert_eq!(of(&ran.json(), "source"), ["in/a.txt"]);
    let summary: Value = serde_json::from_str(ran.err()).unwrap();
    assert_eq!(summary["summary"]["skipped"], json!({"link": 2, "not-a-file": 1}));
}

/// [batch.output]
#[test]
fn texts_mirror_a_directory() {
    let dir = Dir::new();
    tree(&dir, &[("in/a.txt", FILE), ("in/b/c.txt", "Disallow: /y\n"), ("other/a.txt", FILE)]);
    run(&dir, &["in", "-o", "out"]).ok();
    let expected = dir.run(&["filter", "-a", "MyBot", "in/a.txt"]).ok().out().to_owned();
    assert_eq!(dir.read("out/a.txt"), expected);
    assert_eq!(dir.read("out/b/c.txt"), "User-agent: *\nDisallow:\n");
    assert_eq!(dir.names(), ["in", "other", "out"]);
    run(&dir, &["in", "other", "-o", "both"]).ok();
    assert_eq!((dir.read("both/in/a.txt"), dir.read("both/other/a.txt")), (expected.clone(), expected));
    run(&dir, &["in", "other/../in", "-o", "both"]).fails(2, &["would become the same"]);
}

/// [batch.output]
#[test]
fn texts_of_urls_have_their_place() {
    let dir = Dir::new();
    let lines = [
        json!({"robots": FILE, "url": "https://E.com:8443/robots.txt"}),
        json!({"robots": FILE, "url": "http://e.com/../../x"}),
        json!({"robots": FILE}),
        json!({"robots": FILE, "url": format!("http://e.com/{}", "x".repeat(300))}),
        json!({"robots": FILE, "url": "http://e.com/robots.txt"}),
    ];
    dir.write("in.ndjson", lines.iter().map(|line| format!("{line}\n")).collect::<String>());
    let ran = run(&dir, &["in.ndjson", "-o", "out"]).code(3);
    assert!(ran.err().contains("in.ndjson:3: its file has no name"), "{}", ran.err());
    assert!(ran.err().contains("in.ndjson:4: "), "{}", ran.err());
    for name in ["https/e.com%3A8443/robots.txt", "http/e.com/%2E%2E@/%2E%2E@/x", "http/e.com/robots.txt"] {
        assert!(dir.read(&format!("out/{name}")).contains("Disallow: /x"), "{name}");
    }
}

/// [batch.output]
#[test]
fn files_of_records_are_packed_by_their_names() {
    let dir = Dir::new();
    let lines: String = (0..2500).map(|id| format!("{{\"id\":{id},\"robots\":\"Disallow: /\"}}\n")).collect();
    dir.write("in.ndjson", lines);
    run(&dir, &["in.ndjson", "-o", "out.ndjson"]).ok();
    let plain = fs::read(dir.path("out.ndjson")).unwrap();
    assert_eq!(plain.iter().filter(|&&byte| byte == b'\n').count(), 2500);
    for name in ["out.ndjson.gz", "out.ndjson.zst"] {
        run(&dir, &["in.ndjson", "-o", name]).ok();
        let packed = fs::read(dir.path(name)).unwrap();
        assert!(packed.len() * 4 < plain.len());
        assert!(unpacked(&packed) == plain, "{name}");
    }
    dir.write("blank.ndjson", "\n");
    for name in ["none.ndjson", "none.ndjson.gz", "none.ndjson.zst"] {
        run(&dir, &["blank.ndjson", "-o", name]).ok();
        assert_eq!(unpacked(&fs::read(dir.path(name)).unwrap()), b"", "{name}");
    }
}

pub(crate) fn unpacked(packed: &[u8]) -> Vec<u8> {
    use std::io::Read as _;
    let mut bytes = Vec::new();
    match packed {
        [0x1F, ..] => drop(flate2::read::MultiGzDecoder::new(packed).read_to_end(&mut bytes).unwrap()),
        [0x28, ..] => bytes = zstd::decode_all(packed).unwrap(),
        _ => bytes.extend_from_slice(packed),
    }
    bytes
}

/// [batch.output]
#[test]
fn impossible_outputs_are_errors() {
    let dir = Dir::new();
    tree(&dir, &[("in/a.txt", FILE), ("list", "in/a.txt\n")]);
    run(&dir, &["in", "-o", "list"]).fails(2, &["list: is a file"]);
    run(&dir, &["in", "-o", "no/such/out.ndjson"]).fails(2, &["no/such: there is no such directory"]);
    assert_eq!(dir.names(), ["in", "list"]);
    run(&dir, &["in", "--resume"]).fails(2, &["need -o"]);
    run(&dir, &["-", "--files-from", "-"]).fails(2, &["can be read only once"]);
    dir.run(&["batch", "in"]).fails(2, &["name an agent"]);
    assert_eq!(dir.read("in/a.txt"), FILE);
}

#[cfg(target_os = "linux")]
/// [batch.failures]
#[test]
fn a_full_disk_is_reported_and_leaves_no_incomplete_file() {
    let dir = Dir::new();
    let lines: String = (0..9000).map(|id| format!("{{\"id\":{id},\"robots\":\"Disallow: /\"}}\n")).collect();
    dir.write("in.ndjson", lines);
    run(&dir, &["in.ndjson", "-o", "/dev/full"]).fails(2, &["No space left on device"]);

    // A separate small disk, if the system allows it.
    let disk = dir.path("disk");
    fs::create_dir(&disk).unwrap();
    let mount = ["-t", "tmpfs", "-o", "size=256k", "tmpfs"];
    let mounted =
        std::process::Command::new("mount").args(mount).arg(&disk).stderr(std::process::Stdio::null()).status();
    if !mounted.is_ok_and(|status| status.success()) {
        eprintln!("left out: no disk can be mounted here");
        return;
    }
    let url = |id: usize| {
        let robots = "Disallow: /some/path\nUser-agent: *\n".to_owned() + &format!("Disallow: /{id}\n").repeat(400);
        format!("{}\n", json!({"url": format!("http://n{id}/"), "robots": robots}))
    };
    let full = run(&dir, &["in.ndjson", "-o", "disk/out.ndjson"]);
    dir.write("urls.ndjson", (0..90).map(url).collect::<String>());
    let mirrored = run(&dir, &["urls.ndjson", "-o", "disk/texts"]);
    let names: Vec<_> = fs::read_dir(&disk).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    let unmounted = std::process::Command::new("umount").arg(&disk).status().unwrap();
    assert!(unmounted.success());
    full.fails(2, &["disk/out.ndjson: No space left on device", "--resume"]);
    assert_eq!(mirrored.code, Some(2));
    assert!(!names.iter().any(|name| name == "out.ndjson"), "{names:?}");
}

/// [batch.summary]
#[test]
fn a_summary_has_all_totals() {
    let dir = Dir::new();
    let over = "User-agent: *\nDisalow: /a\nDisallow: /*b*c*d*e*f*g*h*i*j*k*l\n";
    tree(&dir, &[("in/a.txt", FILE), ("in/b.txt", over)]);
    let ran = dir.run(&["batch", "-a", "x", "in", "-o", "out"]).ok();
    let words = ran.err();
    for part in [
        "2 records in",
        "outcomes: 2 rules",
        "repairs: 1 misspelled-directive",
        "losses: 1 too-many-wildcards",
        "slowest: ",
    ] {
        assert!(words.contains(part), "no {part:?} in {words}");
    }
    let ran = dir.run(&["batch", "-a", "x", "in", "-o", "out", "--summary", "json"]).ok();
    let summary: Value = serde_json::from_str(ran.err()).unwrap();
    let summary = &summary["summary"];
    assert_eq!(
        (&summary["records"], &summary["bytes_in"], &summary["inexact"]),
        (&json!(2), &json!(FILE.len() + over.len()), &json!(1))
    );
    assert_eq!(summary["losses"]["more_permissive"], 1);
    let refused = dir.run(&["batch", "-a", "x", "in", "-q", "--on-over-limit", "refuse"]).code(3);
    assert_eq!(of(&refused.json(), "outcome"), ["rules", "refused"]);
    assert_eq!(refused.json()[1]["error"]["kind"], "refused");
}

/// [batch.record] [value.sitemap]
#[test]
fn relative_sitemaps_are_resolved_by_the_url() {
    let dir = Dir::with("Sitemap: /s.xml\n");
    let line = json!({"url": "https://e.com/robots.txt", "robots": "Sitemap: /s.xml\n"});
    dir.write("in.ndjson", format!("{line}\n"));
    assert_eq!(records(&dir, &["in.ndjson"])[0]["sitemaps"], json!(["https://e.com/s.xml"]));
    let lost = records(&dir, &["robots.txt"]);
    assert_eq!((&lost[0]["sitemaps"], &lost[0]["report"]["counts"]), (&json!([]), &json!({"relative-url": 1})));
    let based = records(&dir, &["robots.txt", "--base-url", "https://e.org"]);
    assert_eq!(based[0]["sitemaps"], json!(["https://e.org/s.xml"]));
    // The URL of the record has priority.
    assert_eq!(
        records(&dir, &["in.ndjson", "--base-url", "https://e.org"])[0]["sitemaps"],
        json!(["https://e.com/s.xml"])
    );
}

/// The example in the crate's README is what the command prints. [batch.record]
#[test]
fn the_command_prints_the_record_in_the_readme() {
    let readme = include_str!("../../../batch/README.md");
    let (_, example) = readme.split_once("$ echo '").unwrap();
    let (input, rest) = example.split_once("' | robosieve batch --agent MyBot -q\n").unwrap();
    let expected = rest.lines().next().unwrap();
    let ran = Dir::new().run_with(&["batch", "--agent", "MyBot", "-q"], input.as_bytes()).ok();
    assert_eq!(ran.out().trim_end(), expected);
    // Each field has a row in the table.
    let record: serde_json::Map<String, Value> = serde_json::from_str(expected).unwrap();
    let (_, table) = readme.split_once("## Records").unwrap();
    let rows: Vec<&str> = table.lines().filter_map(|line| line.strip_prefix("| `")?.split(" |").next()).collect();
    for field in record.keys() {
        assert!(rows.iter().any(|row| row.split('`').any(|word| word == field)), "no row of {field}");
    }
}

/// A text that is exact only for some readers is said to be so. [cmd.summary]
#[test]
fn whom_a_text_is_exact_for_is_said() {
    let dir = Dir::with("User-agent: *\nDisallow: /a\nAllow: /a/b\n");
    for command in ["filter", "batch"] {
        for (agent, option, words) in [
            ("MyBot", "--order=file", "the first rule that matches decides"),
            ("AdsBot-Google", "--plain-names", "the crawler itself is none"),
        ] {
            let reported =
                |args: &[&str]| dir.run(&[&[command, "-a"], args, &["robots.txt"]].concat()).ok().err().contains(words);
            assert!(
                reported(&[agent, option]) && !reported(&[agent]) && !reported(&[agent, option, "-q"]),
                "{command} {option}"
            );
        }
        let ran = dir.run(&[command, "-a", "MyBot", "--plain-names", "robots.txt"]);
        assert!(!ran.ok().err().contains("readers"));
    }
}
