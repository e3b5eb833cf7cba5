//! A file that does not look like a robots.txt is named, and is a failure on request.

use serde_json::{Value, json};

use crate::common::{Dir, answer_to};

const FILE: &str = "User-agent: *\nDisallow: /x\n";
const HTML: &[u8] = b"<!DOCTYPE html>\n<html><title>Not found</title></html>\n";

/// Files that are not robots.txt files, with their kinds and the words for these.
#[cfg(feature = "batch")]
pub(crate) fn foreign() -> [(Vec<u8>, &'static str, &'static str); 5] {
    let utf16: Vec<u8> = FILE.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let noise: Vec<u8> = (0_u32..600).map(|n| n.wrapping_mul(2_654_435_761).to_be_bytes()[0]).collect();
    [
        (HTML.to_vec(), "html", "an HTML page"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec(), "image", "an image"),
        (utf16, "utf-16", "UTF-16 text"),
        (b"{\"error\":404}".to_vec(), "json", "JSON"),
        (noise, "binary", "binary data"),
    ]
}

/// The commands on `robots.txt`.
const COMMANDS: [&[&str]; 6] = [
    &["filter", "-a", "x", "robots.txt"],
    &["test", "-a", "x", "robots.txt", "/x"],
    &["explain", "robots.txt"],
    &["inspect", "-a", "x", "robots.txt"],
    &["diff", "-a", "x", "robots.txt", "same.txt"],
    &["diff", "-a", "x", "same.txt", "robots.txt"],
];

/// [cmd.suspect] [diff.doubt]
#[test]
fn every_command_names_a_file_that_is_no_robots_txt() {
    // The library has each kind; here each command has one.
    let (kind, words) = ("html", "an HTML page");
    let dir = Dir::with(HTML);
    dir.write("same.txt", "");
    for args in COMMANDS {
        // The answer follows the standard.
        let ran = dir.run(args).ok();
        assert!(ran.err().contains(&format!("the input looks like {words}")), "{args:?}: {}", ran.err());
        assert!(!ran.err().contains(": exact"), "{args:?}: {}", ran.err());
    }
    for args in [
        &["test", "--json", "-a", "x", "robots.txt", "/x"][..],
        &["explain", "--json", "robots.txt"],
        &["inspect", "--json", "-a", "x", "robots.txt"],
    ] {
        let json = dir.run(args).ok().one_json();
        assert_eq!((&json["input"]["kind"], json["suspects"] == 0), (&json!(kind), false), "{json}");
    }
    let json = dir.run(&["diff", "--json", "-a", "x", "same.txt", "robots.txt"]).ok().one_json();
    let kinds = ["old", "new"].map(|side| &json["reports"][side]["input"]["kind"]);
    assert_eq!(kinds, ["empty", kind], "{json}");
    let report = dir.run(&["filter", "-a", "x", "--report", "json", "robots.txt"]).ok();
    let report: Value = serde_json::from_str(report.err()).unwrap();
    assert_eq!(report["input"]["kind"], kind);
    for args in [
        &["filter", "-q", "-a", "x", "robots.txt"][..],
        &["test", "-q", "-a", "x", "robots.txt", "/x"],
        &["diff", "-q", "-a", "x", "same.txt", "robots.txt"],
    ] {
        assert_eq!(dir.run(args).ok().err(), "");
    }
    let dir = Dir::with(FILE);
    let json = dir.run(&["test", "--json", "-a", "x", "robots.txt", "/y"]).ok().one_json();
    assert_eq!(
        (&json["input"], &json["suspects"], &json["exact"]),
        (&json!({"kind": "text"}), &json!(0), &json!(true))
    );
    let json = dir.run(&["test", "--json", "--status", "404", "-a", "x", "robots.txt", "/x"]).ok().one_json();
    assert_eq!(json["input"], Value::Null, "nothing was read");
}

/// [cmd.suspect] [cmd.fail-on] [cmd.ndjson]
#[test]
fn answers_to_requests_name_and_refuse_it() {
    let request = |robots: &[u8], fail_on: Value| {
        let robots = str::from_utf8(robots).unwrap();
        json!({"robots": robots, "agent": "x", "options": {"fail_on": fail_on}})
    };
    let repaired = b"User-agent: *\nDisalow: /x\n";
    for command in ["filter", "test", "inspect"] {
        let ask = |args: &[&str], request: Value| answer_to(&[&[command], args].concat(), request);
        let answer = ask(&[], request(HTML, json!([])));
        assert_eq!((&answer["input"]["kind"], &answer["error"]), (&json!("html"), &Value::Null), "{answer}");
        for (answer, words) in [
            (ask(&[], request(HTML, json!(["loss", "suspect"]))), "an HTML page"),
            (ask(&[], request(repaired, json!(["repair"]))), "1 repair; line 2: "),
            (ask(&["--fail-on", "suspect"], json!({"robots": str::from_utf8(HTML).unwrap(), "agent": "x"})), "HTML"),
        ] {
            assert_eq!(answer["error"]["kind"], "refused", "{answer}");
            assert!(answer["error"]["message"].as_str().unwrap().contains(words), "{answer}");
        }
        for fine in [request(repaired, json!(["loss", "suspect"])), request(FILE.as_bytes(), json!(["repair"]))] {
            assert_eq!(ask(&["--fail-on", "repair"], fine)["error"], Value::Null, "{command}");
        }
        assert_eq!(ask(&[], request(HTML, json!("suspect")))["error"]["kind"], "bad-option");
        assert_eq!(ask(&[], request(HTML, json!(["everything"])))["error"]["kind"], "bad-option");
    }
}

/// [cmd.fail-on] [cmd.exit]
#[test]
fn fail_on_refuses_a_file() {
    // Each class at one command, and each command with one class.
    for (file, max_bytes, is_of) in [
        (&b"<html>"[..], "none", ["suspect"].as_slice()),
        (FILE.as_bytes(), "14", &["loss"]),
        (b"User-agent: *\nDisalow: /x\n", "none", &["repair"]),
        (b"<br>\nUser-agent: *\nDisalow: /x\nDisallow: /y\n", "33", &["suspect", "loss", "repair"]),
        (FILE.as_bytes(), "none", &[]),
    ] {
        let dir = Dir::with(file);
        dir.write("same.txt", file);
        for what in ["suspect", "loss", "repair"] {
            let is_refused = is_of.contains(&what);
            let ran = dir.run(&[COMMANDS[0], &["--max-bytes", max_bytes, "--fail-on", what]].concat());
            assert_eq!((ran.code == Some(3), ran.out().is_empty()), (is_refused, is_refused), "{what}: {}", ran.err());
            assert_eq!(ran.err().contains(&format!("refused (fail-on {what})")), is_refused, "{}", ran.err());
        }
        for args in COMMANDS.iter().filter(|_| is_of == ["repair"]) {
            let ran = dir.run(&[args, &["--fail-on", "loss", "--fail-on", "suspect,repair"][..]].concat()).code(3);
            let has_answer = ran.out() != "" && args[0] != "diff";
            assert_eq!(has_answer, args[0] == "explain", "{args:?}: {}", ran.out());
        }
    }
    Dir::with(FILE).run(&["filter", "-a", "x", "--fail-on", "all", "robots.txt"]).fails(2, &["suspect, loss, repair"]);
}

/// [cmd.fail-on] [cmd.empty] [cmd.output]
#[test]
fn a_refused_file_replaces_nothing_and_is_reported() {
    let dir = Dir::with(HTML);
    dir.write("out.txt", "old");
    let args =
        ["filter", "-a", "x", "--fail-on", "suspect", "-o", "out.txt", "--report-to", "r.json", "--report", "json"];
    dir.run(&[&args[..], &["robots.txt"]].concat())
        .fails(3, &["refused (fail-on suspect): the input looks like an HTML page"]);
    assert_eq!(dir.read("out.txt"), "old");
    assert!(dir.read("r.json").contains("\"kind\":\"html\""));
    // A failed download.
    dir.run(&["filter", "-a", "x", "--fail-on", "suspect"]).fails(3, &["the standard input is empty"]);
    dir.run(&["test", "-a", "x", "--fail-on", "suspect", "-", "/"]).fails(3, &["the standard input is empty"]);
    dir.run(&["filter", "-a", "x", "--fail-on", "loss,repair"]).ok();
    dir.write("empty.txt", "");
    dir.run(&["filter", "-a", "x", "--fail-on", "suspect", "empty.txt"]).ok();
    dir.run(&["test", "-a", "x", "--fail-on", "suspect", "--status", "404", "-", "/"]).ok();
}

/// [cmd.summary]
#[test]
fn the_summary_names_suspects_after_losses() {
    let over = "Disallow: /*b*c*d*e*f*g*h*i*j*k*l\n";
    let lines = "Disallow: /i#top\nFoo: bar\nDisallow: https://example.com/a\nDisalow: /a /b\nAllow: /c /d\n";
    let dir = Dir::with(["User-agent: *\n", lines].concat());
    dir.write("over.txt", ["User-agent: *\n", lines, over].concat());
    let summary = |file: &str, args: &[&str]| {
        let ran = dir.run(&[&["filter", "-a", "x", file], args].concat()).ok();
        ran.err().to_owned()
    };
    let whole = summary("robots.txt", &[]);
    let head =
        "robosieve: robots.txt: nothing lost, but 4 suspect lines: 2 may permit more than meant (group * applies); ";
    assert!(whole.starts_with(head), "{whole}");
    let numbers = |text: &str| -> Vec<u32> {
        let numbers = text.lines().filter_map(|line| line.strip_prefix("  line ")?.split(':').next()?.parse().ok());
        numbers.collect()
    };
    assert_eq!(numbers(&whole), [4, 5, 2, 6]);
    assert!(whole.contains("its path was probably meant"), "{whole}");
    let lost = summary("over.txt", &[]);
    assert!(
        lost.contains("over.txt: not exact: 1 Disallow rule dropped: result is more permissive; 4 suspect lines"),
        "{lost}"
    );
    assert_eq!(numbers(&lost), [7, 4, 5, 2, 6]);
    // Suspects without details are counted, and the first of each kind is shown.
    let few = summary("over.txt", &["--max-findings", "0"]);
    assert_eq!(numbers(&few), [7, 2]);
    assert!(few.contains("and 3 more; `--report text --max-findings none` shows them"), "{few}");
    let report = summary("over.txt", &["--report", "text"]);
    assert_eq!(numbers(&report)[..5], [7, 2, 4, 5, 6], "{report}");
    assert_eq!(summary("robots.txt", &["-q"]), "");
}
