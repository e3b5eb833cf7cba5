//! `robosieve batch --signals`

use crate::common::Dir;

fn sent(url: &str, head: &str, body: &str) -> String {
    let block = format!("HTTP/1.1 200 OK\r\n{head}\r\n{body}");
    let head = format!(
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nWARC-Date: 2026-11-27T10:00:00Z\r\n\
         Content-Length: {}\r\n\r\n",
        block.len()
    );
    format!("{head}{block}\r\n\r\n")
}

fn dir() -> Dir {
    let dir = Dir::new();
    let robots = "User-agent: GPTBot\nDisallow: /\nUser-agent: *\nContent-Signal: ai-train=no\n";
    let archive = [
        sent("https://e.com/robots.txt", "", robots),
        sent(
            "https://e.com/a",
            "Content-Type: text/html\r\nX-Robots-Tag: noarchive\r\n",
            "<meta name=robots content=noindex>",
        ),
    ];
    dir.write("a.warc", archive.concat());
    dir
}

/// The answer of a row is that of `signals --ndjson` for the same page. [cmd.batch-signals] [signals.rows]
#[test]
fn rows_answer_as_requests() {
    let dir = dir();
    let rows = dir.run(&["batch", "-q", "--signals", "--agents", "GPTBot,MyBot", "a.warc"]).ok().json();
    assert_eq!(rows.len(), 2);
    for row in rows {
        let request = serde_json::json!({
            "url": row["url"], "agent": row["agent"], "time": row["time"],
            "headers": [["Content-Type", "text/html"], ["X-Robots-Tag", "noarchive"]],
            "html": "<meta name=robots content=noindex>",
            "robots": "User-agent: GPTBot\nDisallow: /\nUser-agent: *\nContent-Signal: ai-train=no\n",
        });
        let answer = dir.run_with(&["signals", "--ndjson"], request.to_string().as_bytes()).ok().one_json();
        for name in ["uses", "limits", "licenses", "more_findings"] {
            assert_eq!(row[name], answer[name], "{name}");
        }
        let kinds = |value: &serde_json::Value| {
            let all = value["findings"].as_array().unwrap();
            all.iter().map(|one| one["kind"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(kinds(&row), kinds(&answer));
    }
}

/// [cmd.batch-signals]
#[test]
fn a_table_is_written_and_what_changes_nothing_is_refused() {
    let dir = dir();
    dir.run(&["batch", "-q", "--signals", "-a", "MyBot", "a.warc", "-o", "rows.csv"]).ok();
    let rows = dir.read("rows.csv");
    assert!(rows.starts_with("source,record,url,") && rows.lines().count() == 2, "{rows}");
    for (args, words) in [
        (&["--signals", "a.warc"][..], "--agents GPTBot,CCBot"),
        (&["--signals", "--agents", "known:ai", "a.warc"], "--agents"),
        (&["--signals", "--agents", "A", "-a", "B", "a.warc"], "cannot be used with"),
        (&["--agents", "A", "a.warc"], "--signals"),
        (&["--signals", "-a", "A", "--form", "portable", "a.warc"], "--form changes no row"),
        (&["--signals", "-a", "A", "--fail-on", "loss", "a.warc"], "--fail-on changes no row"),
        (&["--signals", "-a", "A", "--url", "/", "a.warc"], "cannot be used with"),
        (&["--signals", "-a", "A", "--all-urls", "a.warc"], "cannot be used with"),
        (&["--signals", "-a", "A", "a.warc", "-o", "rows"], "rows"),
    ] {
        dir.run(&[&["batch", "-q"], args].concat()).fails(2, &[words]);
    }
    let names = (0..=100).map(|name| format!("bot{name}x")).collect::<Vec<_>>();
    for (count, code) in [(99, 0), (100, 0), (101, 2)] {
        dir.run(&["batch", "-q", "--signals", "--agents", &names[..count].join(","), "a.warc"]).code(code);
    }
}
