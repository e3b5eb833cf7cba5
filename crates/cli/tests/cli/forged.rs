//! No string from outside can begin a new line: each command, with hostile strings at each place where they can come
//! in.
//!
//! [`Ran::expect_harmless`] checks every run.

use std::fs;

use serde_json::{Value, json};

use crate::common::{Dir, HOSTILE};

const RULES: &str = "User-agent: *\nDisallow: /x\n";

/// With each hostile string in place of `@`, alone and after known words.
#[track_caller]
fn tried_in_place(args: &[&str]) {
    let dir = Dir::with(RULES);
    for hostile in HOSTILE {
        let args: Vec<String> = args.iter().map(|arg| arg.replace('@', hostile)).collect();
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        dir.tried(&args, RULES.as_bytes());
    }
}

/// Agents, URLs, names of missing files, commands. [harmless.lines] [harmless.bytes] [cmd.terminal]
#[test]
fn arguments_begin_no_line() {
    let places: [&[&str]; 25] = [
        &["@"],
        &["filter@"],
        &["completions", "@"],
        &["filter", "-a", "@", "robots.txt"],
        &["filter", "-a", "@ (compatible; @)", "robots.txt", "--report", "text"],
        &["filter", "--user-agent", "@/1.0 (@)", "robots.txt", "--report", "json"],
        &["filter", "-a", "x", "@"],
        &["filter", "-a", "x", "-o", "no/@", "robots.txt"],
        &["filter", "-a", "x", "-o", "@", "--report-to", "@", "robots.txt"],
        &["filter", "-a", "x", "--output-dir", "robots.txt/@", "robots.txt"],
        &["filter", "-a", "x", "--output-dir", "d", "a/@", "b/@"],
        &["filter", "-a", "x", "--output-dir", "d", "@/.."],
        &["test", "-a", "@", "robots.txt", "/@", "http://@/@", "@"],
        &["test", "-a", "@", "--json", "robots.txt", "/@", "http://@/@"],
        &["test", "-a", "x", "@", "/"],
        &["explain", "-a", "MyBot @", "robots.txt", "@"],
        &["inspect", "-a", "@", "robots.txt", "@"],
        &["inspect", "-a", "@", "--json", "robots.txt"],
        &["diff", "-a", "@", "robots.txt", "@"],
        &["diff", "-a", "@", "robots.txt", "robots.txt", "@"],
        &["diff", "--all-agents", "robots.txt", "@"],
        &["diff", "--agents", "@,b@", "robots.txt"],
        &["batch", "-a", "@", "@", "--summary", "text"],
        &["batch", "-a", "x", "--files-from", "@"],
        &["batch", "-a", "x", "robots.txt", "-o", "no/@.ndjson"],
    ];
    for args in places {
        tried_in_place(args);
    }
}

/// Values of options, and unknown options: clap writes these messages. [harmless.lines] [harmless.bytes]
/// [cmd.terminal]
#[test]
fn values_begin_no_line() {
    for (command, options) in [
        ("filter", "--@ --agent@ --max-bytes --max-findings --dialect --order --leniency --on-over-limit --directive"),
        ("filter", "--user-agent-name --form --newline --report --ndjson"),
        ("test", "--status --forbidden"),
        ("explain", "--color"),
        ("diff", "--json --quiet"),
        ("batch", "--jobs --input --summary"),
    ] {
        for option in options.split(' ') {
            tried_in_place(&[command, "-a", "x", &format!("{option}=@"), "robots.txt"]);
        }
    }
    tried_in_place(&["filter", "-a", "x", "--directive", "Foo:@", "robots.txt"]);
    tried_in_place(&["filter", "-a", "x", "--directive", "Foo:file", "--directive", "foo", "@", "robots.txt"]);
}

/// Files with hostile names, with and without exceeded limits. [harmless.lines] [harmless.bytes] [cmd.terminal]
#[test]
fn names_of_files_begin_no_line() {
    for hostile in HOSTILE {
        let dir = Dir::with(RULES);
        // Some file systems do not allow such a name.
        if fs::write(dir.path(hostile), format!("{RULES}Disallow: /y\n")).is_err() {
            continue;
        }
        let limits = ["--max-lines", "1"];
        for args in [
            &["filter", "-a", "x", "--report", "text"][..],
            &["filter", "-a", "x", "--report", "json"],
            &["filter", "-a", "x"],
            &["filter", "-a", "x", "--on-over-limit", "refuse"],
            &["filter", "-a", "x", "--output-dir", "out", "--report-to", "report.txt"],
            &["explain"],
            &["explain", "--json", "-a", "x", "--on-over-limit", "refuse"],
            &["inspect", "-a", "x"],
            &["inspect", "-a", "x", "--json"],
            &["batch", "-a", "x", "--on-over-limit", "refuse"],
            &["batch", "-a", "x", "-o", "out.ndjson"],
            &["batch", "-a", "x", "--summary", "json"],
        ] {
            dir.tried(&[args, &limits, &[hostile]].concat(), b"");
        }
        let report = dir.read("report.txt");
        assert!(report.starts_with(if hostile.starts_with('x') { "x\\x0A" } else { "\\x0A" }), "{report}");
        assert!(report.lines().skip(1).all(|line| line.starts_with("  ")), "{report}");
        dir.tried(&["explain", hostile, "robots.txt"], b"");
        dir.tried(&["test", "-a", "x", "--max-lines", "1", hostile, "/"], b"");
        dir.tried(&["diff", "-a", "x", "--max-lines", "1", hostile, "robots.txt"], b"");
        dir.tried(&["diff", "-a", "x", "robots.txt", hostile], b"");
        fs::create_dir_all(dir.path("d").join(hostile)).unwrap();
        fs::write(dir.path("d").join(hostile).join(hostile), RULES).unwrap();
        let below = format!("d/{hostile}");
        dir.tried(&["filter", "-a", "x", &below], b"");
        dir.tried(&["filter", "-a", "x", "-o", &below, "robots.txt"], b"");
        dir.tried(
            &["batch", "-a", "x", "d", "--summary", "text", "--on-over-limit", "refuse", "--max-lines", "0"],
            b"",
        );
        dir.tried(&["batch", "-a", "x", "d", "-o", "mirror"], b"");
        for names in ["*", &format!("{hostile}["), hostile] {
            dir.tried(&["diff", "--all-agents", "--files", names, "d", "mirror"], b"");
            dir.tried(&["diff", "-a", "x", "--json", "--files", names, &below, "mirror"], b"");
            dir.tried(&["lint", "--fix", "--files", names, "d"], b"");
        }
        fs::create_dir_all(dir.path("d/.git")).unwrap();
        fs::write(dir.path(&below).join(".gitignore"), vec![b'a'; 300_000]).unwrap();
        dir.tried(&["lint", "d"], b"");
        fs::remove_file(dir.path(&below).join(".gitignore")).unwrap();
        dir.tried(&["batch", "-a", "x", &below, "-o", &below], b"");
        let list = format!("{below}\0{hostile}\0{hostile}.warc\0no/{hostile}\0").replace('\n', "");
        dir.tried(&["batch", "-a", "x", "--files-from", "-"], list.as_bytes());
    }
}

/// The contents of robots.txt files are shown only inside the lines that contain them. [harmless.lines]
/// [harmless.bytes] [cmd.terminal]
#[test]
fn contents_begin_no_line() {
    // A NUL and a control as a byte can be neither in an argument nor in a request.
    for (hostile, raw) in HOSTILE.into_iter().flat_map(|hostile| [(hostile, &b""[..]), (hostile, b"\0\x9b31m")]) {
        // In a file a line feed ends a line, so what follows is another line of the file.
        let hostile = [b"v", hostile.replace(['\r', '\n'], "").as_bytes(), raw].concat();
        let file = [
            "User-agent: @MyBot@\nUser-agent: *",
            "Disallow: /@x@\nDisallow: @",
            "@: @\nCrawl-delay: 1@",
            "Clean-param: @ /@\nContent-Signal: @=@",
            "Sitemap: http://e.com/@\nHost: @\nLicense: @\n# @",
        ];
        let file = file.join("\n");
        let dir = Dir::with(file.split('@').map(str::as_bytes).collect::<Vec<_>>().join(&hostile[..]));
        dir.write("other.txt", RULES);
        for dialect in ["standard", "google", "processor"] {
            for args in [
                &["filter", "--all-agents", "--report", "text"][..],
                &["explain", "-a", "MyBot"],
                &["explain", "--json"],
                &["inspect", "-a", "MyBot"],
                &["inspect", "-a", "x", "--json"],
                &["diff", "-a", "x", "other.txt"],
                &["diff", "-a", "x", "--json", "other.txt"],
                &["diff", "--all-agents", "other.txt"],
                &["batch", "-a", "x"],
            ] {
                dir.tried(&[args, &["--keep-unknown", "--dialect", dialect, "robots.txt"]].concat(), b"");
            }
            dir.tried(&["test", "-a", "x", "--dialect", dialect, "robots.txt", "/", "/x"], b"");
        }
    }
    for hostile in HOSTILE {
        Dir::with(RULES).tried(&["test", "-a", "x", "robots.txt", "-"], hostile.as_bytes());
    }
}

/// A request with a hostile string in each part. The JSON escapes only what it must.
fn requests(hostile: &str, url: Option<&str>) -> Vec<String> {
    let names =
        ["id", "v", "robots", "robots_b64", "agent", "agents", "user_agent", "url", "urls", "url_b64", "options"];
    let with = |name: &str, value: Value| {
        let mut request = json!({"id": 1, "robots": RULES, "agent": "x"});
        if let Some(url) = url {
            request["url"] = json!(url);
        }
        request[name] = value;
        if name == "robots_b64" {
            request.as_object_mut().unwrap().remove("robots");
        }
        request
    };
    let mut requests = vec![with(hostile, json!(1)), json!(hostile), json!([hostile])];
    requests.extend(names.map(|name| with(name, json!(hostile))));
    requests.extend(["id", "agents", "urls"].map(|name| with(name, json!([hostile]))));
    for option in ["dialect", "order", "limits", "max_findings", "fold", "status", "newline", hostile] {
        requests.push(with("options", json!({ option: hostile })));
    }
    requests.push(with("options", json!({"limits": {"max_lines": hostile, hostile: 1}})));
    let mut lines: Vec<String> = requests.iter().map(Value::to_string).collect();
    // Not JSON at all.
    lines.push(hostile.replace('\n', " "));
    lines.push(format!("{{\"{}\":", hostile.replace(['\n', '\r'], " ")));
    lines
}

/// Requests: their ids, known and unknown keys, and values. [harmless.lines] [harmless.json] [cmd.terminal]
#[test]
fn requests_begin_no_line() {
    let dir = Dir::new();
    for hostile in HOSTILE {
        for (command, url) in [("filter", None), ("test", Some("/")), ("inspect", None)] {
            let requests = requests(hostile, url);
            let input = requests.join("\n");
            let ran = dir.tried(&[command, "--ndjson"], input.as_bytes());
            let answers = ran.json();
            assert_eq!((answers.len(), ran.err()), (requests.len(), ""), "{command}");
            assert_eq!(answers[3]["id"], hostile);
            let errors = answers.iter().filter(|answer| answer["error"].is_object()).count();
            assert!(errors > 15 && answers.len() > errors, "{command}: {errors}");
        }
    }
}

/// [cmd.terminal]
#[test]
fn an_id_cannot_break_the_line() {
    let line = b"{\"id\":[1,\r2,\t3],\"robots\":\"\",\"agent\":\"a\",\"url\":\"/\"}";
    let ran = Dir::new().run_with(&["test", "--ndjson"], line).ok();
    assert!(!ran.out().contains('\r'));
    assert_eq!(ran.one_json()["id"], json!([1, 2, 3]));
}

/// Lines of a batch: their errors are reported on the standard error. [harmless.lines] [harmless.json] [cmd.terminal]
#[test]
fn lines_of_a_batch_begin_no_line() {
    let dir = Dir::new();
    for hostile in HOSTILE {
        let mut lines = requests(hostile, None);
        for name in ["time", "location", "status", "url"] {
            for status in [200, 301, 404] {
                let mut line = json!({"robots": RULES, "status": status});
                line[name] = json!(hostile);
                lines.push(line.to_string());
            }
        }
        dir.write("q.ndjson", lines.join("\n"));
        for (number, args) in [
            &["q.ndjson"][..],
            &["q.ndjson", "--summary", "json"],
            &["q.ndjson", "--on-over-limit", "refuse", "--max-lines", "0"],
            &["q.ndjson", "-o", "out.ndjson"],
        ]
        .iter()
        .enumerate()
        {
            let ran = dir.tried(&[&["batch", "-a", "x"], *args].concat(), b"");
            assert_eq!(ran.code, Some(3), "{}", ran.err());
            assert!(ran.err().contains("q.ndjson:1: "), "{}", ran.err());
            assert_eq!(ran.json().len(), if number == 3 { 0 } else { lines.len() });
        }
        dir.tried(&["batch", "-a", "x", "q.ndjson", "-o", "texts"], b"");
    }
    // A defect that was found: this key was a line of the summary.
    let ran = dir.run_with(
        &["batch", "-a", "x", "--input", "ndjson", "-"],
        br#"{"x\nrobosieve: 999 records, all exact":1,"robots":""}"#,
    );
    let err = ran.code(3);
    assert!(err.err().lines().all(|line| !line.starts_with("robosieve: 999")), "{}", err.err());
    assert!(err.err().contains(r"x\x0Arobosieve: 999 records"), "{}", err.err());
}
