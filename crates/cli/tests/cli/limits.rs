//! The limits of the command, and those of the library through its flags: at zero, at one, around each default and at
//! the maximum.

use std::fs;

use serde_json::{Value, json};

use crate::common::{Dir, answer_to};

const FLAGS: [&str; 9] = [
    "--max-bytes",
    "--max-records",
    "--max-lines",
    "--max-user-agents",
    "--max-directive-length",
    "--max-name-length",
    "--max-value-length",
    "--max-wildcards",
    "--max-findings",
];

const FILE: &str = "User-agent: MyBot\nUser-agent: *\nDisallow: /a*b*c$\nDisallow: /d\nFoo: bar\nSitemap: http://e.com/s\n\n\
                    User-agent: Other\nAllow: /\n";

/// Each limit reaches the library, as a flag and in a request, and only numbers are taken. The library's tests have each
/// limit at each value. [cmd.exit] [cmd.ndjson]
#[test]
fn a_flag_is_the_option_of_a_request() {
    let dir = Dir::with(FILE);
    for flag in FLAGS {
        for value in ["1", "none"] {
            let limit = format!("{flag}={value}");
            let text = dir.run(&["filter", "-a", "MyBot", "-q", &limit, "robots.txt"]).ok();
            let name = flag.trim_start_matches("--").replace('-', "_");
            let value: Value = value.parse::<u64>().map_or_else(|_| json!(value), |number| json!(number));
            let option = json!({name.clone(): value});
            let options = if name == "max_findings" { option } else { json!({"limits": option}) };
            let request = json!({"robots": FILE, "agent": "MyBot", "options": options});
            assert_eq!(answer_to(&["filter"], request.clone())["text"], text.out(), "{request}");
        }
    }
    let over = format!("{}0", usize::MAX);
    for value in ["-1", "+1", "1.0", "1e3", "", " 1", "None", &over] {
        dir.run(&["filter", "-a", "x", &format!("--max-lines={value}"), "robots.txt"]).fails(2, &["a whole number"]);
    }
}

/// Threads, statuses and other numbers. [cmd.exit]
#[test]
fn numbers_of_flags() {
    let dir = Dir::with(FILE);
    for (jobs, fine) in
        [("0", false), ("1", true), ("255", true), ("256", true), ("257", false), ("-1", false), ("", false)]
    {
        let ran = dir.run(&["batch", "-a", "x", "-q", &format!("--jobs={jobs}"), "robots.txt"]);
        assert_eq!(ran.code, Some(if fine { 0 } else { 2 }), "{jobs}: {}", ran.err());
    }
    for (status, code) in
        [("99", 2), ("100", 1), ("199", 1), ("200", 0), ("999", 1), ("1000", 2), ("65536", 2), ("0", 2)]
    {
        let ran = dir.run(&["test", "-a", "x", "--status", status, "robots.txt", "/"]);
        assert_eq!(ran.code, Some(code), "{status}: {}{}", ran.out(), ran.err());
    }
}

/// A path in a list may have 65,536 bytes; the library has each line end. [batch.inputs] [batch.bounds]
#[test]
fn paths_of_a_list() {
    let dir = Dir::new();
    for (length, kind) in [(65_535, "unreadable"), (65_536, "unreadable"), (65_537, "bad-path")] {
        let list = "a/".repeat(length / 2) + if length % 2 == 1 { "a\ngone" } else { "\ngone" };
        let records = dir.run_with(&["batch", "-a", "x", "-q", "--files-from", "-"], list.as_bytes()).code(3).json();
        let kinds: Vec<&Value> = records.iter().map(|record| &record["error"]["kind"]).collect();
        assert_eq!(kinds, [kind, "unreadable"], "{length}");
    }
}

/// A line of a batch may have six times the file's limit plus 65,536 bytes. [batch.bounds]
#[test]
fn lines_of_a_batch() {
    let dir = Dir::new();
    for (max, limit) in [("0", 65_536), ("1", 65_542), ("1000", 71_536)] {
        for (length, code) in [(limit - 1, 0), (limit, 0), (limit + 1, 3)] {
            let request = |rules: &str| format!(r#"{{"robots":"{rules}"}}"#);
            let line = request(&"#".repeat(length - request("").len()));
            let args = ["batch", "-a", "x", "-q", "--max-bytes", max, "--input", "ndjson", "-"];
            let record = dir.run_with(&args, line.as_bytes()).code(code).one_json();
            assert_eq!(record["error"]["kind"] == "line-too-long", code == 3, "{length} of {max}");
        }
    }
}

#[cfg(feature = "batch")]
/// A dictionary before an archive may have 8 MiB, packed or not. [batch.warc] [batch.bounds]
#[test]
fn dictionaries() {
    let dir = Dir::new();
    let record = crate::batch_warc::response("a", "200 OK", b"User-agent: *\n");
    for (length, fine) in [((8 << 20) - 1, true), (8 << 20, true), ((8 << 20) + 1, false)] {
        let dictionary = b"WARC/1.0\r\nno magic number is in here ".repeat(length / 32)[..length].to_vec();
        let mut packer = zstd::bulk::Compressor::with_dictionary(1, &dictionary).unwrap();
        let frame = packer.compress(&record).unwrap();
        for raw in [zstd::encode_all(&dictionary[..], 1).unwrap(), dictionary] {
            let size = u32::try_from(raw.len()).unwrap().to_le_bytes();
            dir.write("a.warc.zst", [&[0x5D, 0x2A, 0x4D, 0x18][..], &size, &raw, &frame].concat());
            let ran = dir.run(&["batch", "-a", "x", "-q", "a.warc.zst"]).code(if fine { 0 } else { 3 });
            assert_eq!(ran.one_json()["outcome"], if fine { "rules" } else { "failed" }, "{length}: {}", ran.err());
        }
    }
}

/// Of many failures, twenty are reported one by one. [batch.failures]
#[test]
fn a_bounded_number_of_failures_is_reported() {
    let dir = Dir::new();
    for (count, reported, more) in [(1, 1, 0), (19, 19, 0), (20, 20, 0), (21, 20, 1), (200, 20, 1)] {
        let ran = dir.run_with(&["batch", "-a", "x", "--input", "ndjson", "-"], "x\n".repeat(count).as_bytes()).code(3);
        let lines = |start: &str| ran.err().lines().filter(|line| line.starts_with(start)).count();
        assert_eq!(
            (lines("robosieve: -:"), lines("robosieve: more failures follow; ")),
            (reported, more),
            "{count}: {}",
            ran.err()
        );
        assert_eq!(ran.json().len(), count);
    }
}

/// A summary shows at most five losses. [cmd.filter]
#[test]
fn a_bounded_number_of_losses_is_shown() {
    let dir = Dir::new();
    for count in [0, 1, 4, 5, 6, 50] {
        let rules: String = (0..count).map(|number| format!("Disallow: /{number}{}\n", "*a".repeat(11))).collect();
        fs::write(dir.path("robots.txt"), format!("User-agent: *\n{rules}")).unwrap();
        let ran = dir.run(&["filter", "-a", "x", "robots.txt"]).ok();
        let shown = ran.err().lines().filter(|line| line.starts_with("  line ")).count();
        let more = format!("  and {} more; `--report text` shows them\n", count.max(5) - 5);
        assert_eq!((shown, ran.err().contains(&more)), (count.min(5), count > 5), "{}", ran.err());
    }
}

#[cfg(feature = "gate")]
/// URLs, sites at the same time, certificates, tries, redirects. [cmd.check] [cmd.network]
#[test]
fn limits_of_the_gate() {
    use crate::serving::{Site, WHO, answer};

    let (dir, site) = (Dir::new(), Site::good());
    for (length, code) in [(15_999, 0), (16_000, 0), (16_001, 3)] {
        let url = site.url("/");
        let url = format!("{url}{}", "a".repeat(length - url.len()));
        let args = ["check", "--allow-private", "--agent", WHO, "--delay", "0", "--min-delay", "0"];
        dir.run(&[&args[..], &[&url]].concat()).code(code);
        dir.run_with(&[&args[..], &["-"]].concat(), format!("{url}\r\n").as_bytes()).code(code);
    }
    for (jobs, fine) in [("0", false), ("1", true), ("255", true), ("256", true), ("257", false), ("-1", false)] {
        let ran = dir.run(&["check", "ftp://e.com/", "--agent", WHO, &format!("--jobs={jobs}")]);
        assert_eq!(ran.code, Some(if fine { 3 } else { 2 }), "{jobs}: {}", ran.err());
    }
    for (bytes, words) in
        [((16 << 20) - 1, "no certificate"), (16 << 20, "no certificate"), ((16 << 20) + 1, "longer than 16777216")]
    {
        dir.write("roots.pem", vec![b'\n'; bytes]);
        dir.run(&["fetch", "-q", "--root-cert", "roots.pem", "http://127.0.0.1:1/"]).fails(2, &["roots.pem", words]);
    }
    let to_itself = Site::new("");
    to_itself.says(answer(302, &format!("Location: {}\r\n", to_itself.url("/x")), ""));
    for redirects in [0, 1, 2] {
        let before = to_itself.requests().len();
        let flag = format!("--max-redirects={redirects}");
        let json =
            dir.run(&["fetch", "-q", "--json", "--allow-private", &flag, &to_itself.url("/")]).code(3).one_json();
        assert_eq!(json["redirects"].as_array().unwrap().len(), redirects);
        assert_eq!(to_itself.requests().len() - before, redirects + 1);
    }
    let most = format!("--max-redirects={}", usize::MAX);
    let page = site.url("/");
    dir.run(&["fetch", "-q", "--json", "--allow-private", &most, &page]).ok();
    for (flags, code) in [
        (&["--max-failures=0"][..], 2),
        (&["--max-failures=1"], 0),
        (&["--max-failures=4294967295"], 0),
        (&["--max-failures=4294967296"], 2),
        (&["--adaptive=0"], 0),
        (&["--adaptive=4294967295"], 0),
        (&["--adaptive=4294967296"], 2),
        (&["--delay=0", "--min-delay=0", "--max-delay=0", "--max-wait=0"], 0),
        (&["--delay=1e9", "--min-delay=1e9", "--max-delay=1e9", "--max-wait=1e9"], 0),
        (&["--timeout=1e9", "--connect-timeout=1e9", "--cache-max=1e9", "--retry=1e9"], 0),
        (&["--timeout=1e9", "--connect-timeout=1e10"], 2),
        (&["--cache-max=0.001", "--retry=0.001"], 0),
        (&["--cache-max=0"], 2),
    ] {
        let ran = dir.run(&[&["check", "--allow-private", "--agent", WHO, &page], flags].concat());
        assert_eq!(ran.code, Some(code), "{flags:?}: {}", ran.err());
        ran.expect_harmless();
    }
}
