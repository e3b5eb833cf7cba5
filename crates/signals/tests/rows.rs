//! The rows of the pages of archives.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::arithmetic_side_effects,
    reason = "a test may fail"
)]

use std::io::Cursor;
use std::sync::Arc;

use robosieve_batch::{Batch, Done, Error, Filter, Inputs, Observer, Output, Start, Summary};
use robosieve_explain::Names;
use robosieve_signals::PageRows;
use serde_json::{Value, json};

fn warc(kind: &str, url: &str, lines: &str, block: &str) -> String {
    let head = format!("WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {url}\r\n{lines}");
    format!("{head}Content-Length: {}\r\n\r\n{block}\r\n\r\n", block.len())
}

fn sent(url: &str, head: &str, body: &str) -> String {
    warc("response", url, "WARC-Date: 2026-11-27T10:00:00Z\r\n", &format!("HTTP/1.1 {head}\r\n\r\n{body}"))
}

fn robots(host: &str, status: &str, body: &str) -> String {
    sent(&format!("http://{host}/robots.txt"), status, body)
}

fn page(host: &str, html: &str) -> String {
    sent(&format!("http://{host}/a"), "200 OK\r\nContent-Type: text/html", html)
}

fn filter(agents: &[&str]) -> Filter {
    let rows = PageRows::new(agents.iter().map(|name| (name, Names::Known.groups([*name]))));
    Filter::all_agents().pages(Arc::new(rows))
}

/// The rows of an archive, and what was counted.
fn read(agents: &[&str], archive: &[String]) -> (Vec<Value>, Summary) {
    let (mut summary, mut rows) = (Summary::default(), Vec::new());
    for done in filter(agents).archive("a", Cursor::new(archive.concat())) {
        summary.add(&done);
        rows.extend(done.into_record().and_then(|record| record.rows).unwrap_or_default());
    }
    (rows.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok()).collect(), summary)
}

fn fetch(row: &Value) -> (&str, u64, &str) {
    let robots = &row["robots"];
    (
        row["uses"]["fetch"].as_str().unwrap_or_default(),
        robots["record"].as_u64().unwrap_or_default(),
        robots["outcome"].as_str().unwrap_or_default(),
    )
}

/// [signals.rows] [batch.pages]
#[test]
fn a_page_has_a_row_for_each_crawler() {
    let archive = [
        robots("e.com", "200 OK", "User-agent: A\nDisallow: /\n"),
        warc("request", "http://e.com/a", "", "GET /a HTTP/1.1\r\n\r\n"),
        page("e.com", "<meta name=robots content='noindex'><body>"),
        sent(
            "http://e.com/b.pdf",
            "200 OK\r\nContent-Type: application/pdf\r\nX-Robots-Tag: noarchive",
            "<meta name=robots content=none>",
        ),
        sent("http://e.com/c", "200 OK", "<meta name=robots content=nofollow>"),
        sent("http://e.com/d", "301 Moved\r\nLocation: /a\r\nX-Robots-Tag: none", ""),
        warc("resource", "http://e.com/e", "", "<meta name=robots content=none>"),
        warc("revisit", "http://e.com/f", "", ""),
        warc("response", "dns:e.com", "", "e.com. 1 IN A 127.0.0.1"),
    ];
    let (rows, summary) = read(&["A", "B"], &archive);
    let told: Vec<_> =
        rows.iter().map(|row| (row["record"].as_u64().unwrap(), row["agent"].as_str().unwrap())).collect();
    assert_eq!(told, [(3, "A"), (3, "B"), (4, "A"), (4, "B"), (5, "A"), (5, "B")]);
    assert_eq!((fetch(&rows[0]), fetch(&rows[1])), (("no", 1, "rules"), ("yes", 1, "rules")));
    assert_eq!((&rows[1]["uses"]["index"], &rows[1]["time"]), (&"no".into(), &"2026-11-27T10:00:00Z".into()));
    assert_eq!((&rows[3]["uses"]["archive"], &rows[3]["uses"]["index"]), (&"no".into(), &"unsaid".into()));
    assert_eq!((&rows[5]["uses"]["follow"], &rows[5]["mime"]), (&"no".into(), &Value::Null));
    let skipped =
        json!({"other-status": 1, "other-url": 1, "request": 1, "resource": 1, "revisit": 1, "robots-txt": 1});
    assert_eq!(json!(summary.skipped), skipped);
    assert_eq!(json!(summary.outcomes), json!({"page": 3}));
}

/// [batch.pages] [signals.html]
#[test]
fn a_body_is_html_in_doubt() {
    let html = "<meta name=robots content=noindex>";
    let utf_16: String = html.chars().flat_map(|letter| [letter, '\0']).collect();
    let index = |lines: &str, body: &[u8]| {
        let block = [format!("HTTP/1.1 200 OK\r\n{lines}\r\n").as_bytes(), body].concat();
        let head = "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://e.com/a\r\nContent-Length: ";
        let archive = [format!("{head}{}\r\n\r\n", block.len()).as_bytes(), &block, b"\r\n\r\n"].concat();
        let records = filter(&["A"]).archive("a", Cursor::new(archive));
        let rows = records.filter_map(Done::into_record).last().unwrap().rows.unwrap();
        let row: Value = serde_json::from_slice(&rows).unwrap();
        row["uses"]["index"].as_str().unwrap().to_owned()
    };
    for lines in [
        "Content-Type: text/html\r\n",
        "content-type : application/xhtml+xml\r\n",
        "Content-Type: text/html, text/html\r\n",
        "Content-Type: html\r\n",
        "Content-Type: */*\r\n",
        "Content-Type: unknown/unknown\r\n",
        "Content-Type: application/vnd.wap.xhtml+xml\r\n",
        "Content-Type: text/plain\r\nContent-Type: text/html\r\n",
        "Content-Type:\r\n",
        "",
    ] {
        assert_eq!(index(lines, html.as_bytes()), "no", "{lines}");
    }
    for body in [&[b"\xef\xbb\xbf", html.as_bytes()].concat(), &[b"\xff\xfe", utf_16.as_bytes()].concat()] {
        assert_eq!(index("", body), "no", "{body:?}");
    }
    assert_eq!(index("", format!("a {html}").as_bytes()), "no");
    assert_eq!(index("Content-Type: text/plain\r\n", html.as_bytes()), "unsaid");
}

/// [batch.sites]
#[test]
fn a_page_is_joined_with_the_file_before_it() {
    const CLOSED: &str = "User-agent: *\nDisallow: /\n";
    let (ok, moved) = ("200 OK", "301 Moved\r\nLocation: http://w.e.com/robots.txt");
    let of = |before: &[String], host: &str| {
        let (rows, _) = read(&["MyBot"], &[before, &[page(host, "")]].concat());
        let (fetch, record, outcome) = fetch(rows.last().unwrap());
        (fetch.to_owned(), record, outcome.to_owned())
    };
    let none = ("unsaid".to_owned(), 0, String::new());
    let some = |fetch: &str, record, outcome: &str| (fetch.to_owned(), record, outcome.to_owned());
    assert_eq!(of(&[], "e.com"), none);
    assert_eq!(of(&[robots("E.com:80", ok, CLOSED)], "e.com"), some("no", 1, "rules"));
    for other in ["f.com", "e.com:8080", "w.e.com"] {
        assert_eq!(of(&[robots("e.com", ok, CLOSED)], other), none, "{other}");
    }
    assert_eq!(of(&[robots("e.com", ok, CLOSED), robots("e.com", ok, "")], "e.com"), some("yes", 2, "rules"));
    assert_eq!(of(&[robots("e.com", "404 No", "x")], "e.com"), some("yes", 1, "allow-all"));
    assert_eq!(of(&[robots("e.com", "503 No", "x")], "e.com"), some("no", 1, "disallow-all"));
    assert_eq!(of(&[robots("e.com", ok, CLOSED), robots("e.com", "304 Same", "")], "e.com"), some("no", 1, "rules"));
    // Redirects: only with their target, and then instead of an older file.
    assert_eq!(of(&[robots("e.com", ok, ""), robots("e.com", moved, "")], "e.com"), none);
    let redirected = [robots("e.com", moved, ""), robots("w.e.com", ok, CLOSED)];
    assert_eq!(of(&redirected, "e.com"), some("no", 2, "rules"));
    assert_eq!(of(&redirected, "w.e.com"), some("no", 2, "rules"));
    // A revisit is of the file that is kept only if its digest says so.
    let visit = |lines: &str| warc("revisit", "http://e.com/robots.txt", lines, "");
    let file = warc("response", "http://e.com/robots.txt", "WARC-Payload-Digest: new:x\r\n", "HTTP/1.1 200 OK\r\n\r\n");
    assert_eq!(of(&[file.clone(), visit("WARC-Payload-Digest: new:x\r\n")], "e.com"), some("yes", 1, "rules"));
    for other in ["WARC-Payload-Digest: new:y\r\n", ""] {
        assert_eq!(of(&[file.clone(), visit(other)], "e.com"), none, "{other}");
    }
    // What failed, or is a part, allows nothing.
    let bad = warc("response", "http://e.com/robots.txt", "WARC-Block-Digest: sha1:x\r\n", "HTTP/1.1 200 OK\r\n\r\n");
    assert_eq!(of(&[robots("e.com", ok, ""), bad], "e.com"), some("no", 2, "failed"));
    let short = robots("e.com", "200 OK\r\nContent-Length: 90", "User-agent: *\n");
    assert_eq!(of(&[short], "e.com"), some("no", 1, "rules"));
    // Another URL is a page, whatever it says.
    for other in
        ["http://e.com/robots.txt?y", "http://e.com/robots.txt#y", "http://x@e.com/robots.txt", "http://e.com/"]
    {
        for answer in ["404 No", "200 OK", "301 Moved\r\nLocation: /open.txt"] {
            let before = [robots("e.com", ok, CLOSED), sent(other, answer, ""), sent("http://e.com/open.txt", ok, "")];
            assert_eq!(of(&before, "e.com"), some("no", 1, "rules"), "{other} {answer}");
        }
        let (rows, _) = read(&["A"], &[robots("e.com", ok, CLOSED), sent(other, ok, "")]);
        assert_eq!(rows[0]["robots"]["record"], 1, "{other}");
    }
    // A request is no file.
    let asked = warc("request", "http://e.com/robots.txt", "", "GET / HTTP/1.1\r\n\r\n");
    assert_eq!(of(&[robots("e.com", ok, CLOSED), asked], "e.com"), some("no", 1, "rules"));
}

/// [batch.sites]
#[test]
fn a_page_with_any_url_is_joined() {
    let closed = robots("e.com", "200 OK", "User-agent: *\nDisallow: /\n").into_bytes();
    let joined = |url: &[u8]| {
        let mut page = page("e.com", "").into_bytes();
        let at = page.windows(14).position(|part| part == b"http://e.com/a").unwrap();
        page.splice(at..at + 14, url.iter().copied());
        let records = filter(&["A"]).archive("a", Cursor::new([&*closed, &page].concat()));
        let rows = records.filter_map(Done::into_record).last().unwrap().rows.unwrap();
        let row: Value = serde_json::from_slice(&rows).unwrap();
        assert_eq!(fetch(&row), ("no", 1, "rules"), "{row}");
    };
    for length in [2_047, 2_048, 2_049, 60_000] {
        joined(format!("http://e.com/{}", "x".repeat(length - "http://e.com/".len())).as_bytes());
    }
    joined(b"http://e.com/\xe9");
    joined(b"<http://u@E.com:080?\xe9>");
}

/// A crawler that obeys no group for `*` is closed out by a status, too. [signals.rows]
#[test]
fn a_status_closes_a_site_to_every_crawler() {
    let archive = [robots("e.com", "503 No", ""), page("e.com", "")];
    let (rows, _) = read(&["AdsBot-Google", "MyBot"], &archive);
    assert_eq!(rows.iter().map(|row| fetch(row).0).collect::<Vec<_>>(), ["no", "no"]);
}

/// [signals.rows] [batch.pages]
#[test]
fn what_is_not_whole_allows_nothing() {
    let part = |html: &str| sent("http://e.com/a", "200 OK\r\nContent-Type: text/html\r\nContent-Length: 999", html);
    let (rows, _) =
        read(&["A"], &[part("<meta name=robots content=index>"), part("<meta name=robots content=index><body>")]);
    let told: Vec<_> = rows.iter().map(|row| (row["uses"]["index"].as_str().unwrap(), &row["truncated"])).collect();
    assert_eq!(told, [("unsaid", &"content-length".into()), ("yes", &"content-length".into())]);
    // Without a time, each date is past.
    let head = "HTTP/1.1 200 OK\r\nX-Robots-Tag: unavailable_after: 2030-01-01T00:00:00Z\r\n\r\n";
    for (lines, index) in [("WARC-Date: 2026-11-27T10:00:00Z\r\n", "unsaid"), ("WARC-Date: soon\r\n", "no"), ("", "no")]
    {
        let (rows, _) = read(&["A"], &[warc("response", "http://e.com/a", lines, head)]);
        assert_eq!(rows[0]["uses"]["index"], index, "{lines}");
    }
}

/// [batch.pages] [signals.rows]
#[test]
fn a_page_that_failed_has_a_row_without_an_answer() {
    let wrong = |lines: &str, block: &str| warc("response", "http://e.com/a", lines, block);
    let archive = [
        "garbage\r\n".into(),
        wrong("WARC-Block-Digest: sha1:x\r\n", "HTTP/1.1 200 OK\r\n\r\n<meta name=robots content=index>"),
        wrong("", "no response"),
        wrong("", &format!("HTTP/1.1 200 OK\r\nA: {}\r\n\r\n", "x".repeat(1 << 16))),
        wrong("", "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n\u{1f}not"),
        warc("response", "http://e.com/robots.txt", "WARC-Block-Digest: sha1:x\r\n", "HTTP/1.1 200 OK\r\n\r\n"),
        page("e.com", ""),
    ];
    let (rows, summary) = read(&["A"], &archive);
    let kinds: Vec<_> = rows.iter().map(|row| row["error"]["kind"].as_str().unwrap_or("none")).collect();
    assert_eq!(kinds, ["bad-record", "bad-digest", "bad-http", "bad-http", "none", "bad-digest", "none"]);
    assert!(rows.iter().all(|row| row["outcome"] == "failed" || row["uses"].is_object()));
    assert!(rows.iter().all(|row| row["outcome"] == "page" || row["uses"].is_null()));
    assert!(summary.has_failures());
    // Lines and single files are no archive.
    let items = filter(&["A"]).items("x", &b"{\"robots\":\"\"}\n"[..]);
    let kinds: Vec<_> =
        items.filter_map(|item| filter(&["A"]).run(item).into_record()?.error).map(|one| one.kind).collect();
    assert_eq!(kinds, ["archive"]);
}

/// 64 MiB of files are kept: of one more, the first is given up. [batch.sites]
#[test]
fn files_are_kept_up_to_a_limit() {
    // What is read of a file, and what it takes besides, for names of 12 letters.
    let (length, more) = (500_000, 512 + 2 * "http://e000.com".len());
    let most = (64 << 20) / (length + more);
    let full = "#".repeat(length);
    for (count, is_kept) in [(most - 1, true), (most, true), (most + 1, false)] {
        let mut archive: Vec<String> =
            (0..count).map(|host| robots(&format!("e{host:03}.com"), "200 OK", &full)).collect();
        archive.push(page("e000.com", ""));
        let done = filter(&["A"]).archive("a", Cursor::new(archive.concat())).last().and_then(Done::into_record);
        let row: Value = serde_json::from_slice(&done.unwrap().rows.unwrap()).unwrap();
        assert_eq!(!row["robots"].is_null(), is_kept, "{count}");
    }
    // The newest of one site takes the place of the others.
    let mut archive: Vec<String> = vec![robots("f000.com", "200 OK", "")];
    archive.extend((0..most + 5).map(|_| robots("e000.com", "200 OK", &full)));
    archive.push(page("f000.com", ""));
    let (rows, _) = read(&["A"], &archive);
    assert_eq!(fetch(&rows[0]), ("yes", 1, "rules"));
}

/// What is kept of the files of other pages changes no row. [signals.kept]
#[test]
fn a_row_does_not_depend_on_the_pages_before() {
    let long = "User-agent: *\nDisallow: /b\n".repeat(500);
    let files = [
        ("200 OK", "User-agent: A\nDisallow: /a\nUser-agent: *\nContent-Usage: train-ai=y\nLicense: http://e.com/l\n"),
        ("200 OK", "User-agent: *\nContent-Signal: ai-train=no, search=yes\nContent-Usage: train-ai\u{e9}=n\n"),
        ("200 OK\r\nContent-Length: 999", "User-agent: *\nContent-Signal: ai-train=no, search=yes\n"),
        ("200 OK", "User-agent: *\nContent-Signal: ai-train=no, search=yes\n"),
        ("200 OK", &long),
        ("200 OK", ""),
        ("404 No", ""),
        ("503 No", ""),
        ("200 OK\r\nContent-Encoding: gzip", "\u{1f}\u{8b}"),
    ];
    let agents = ["A", "B", "AdsBot-Google"];
    let answers = |(rows, _): (Vec<Value>, Summary)| -> Vec<Value> {
        rows.into_iter()
            .filter(|row| row["outcome"] == "page")
            .map(|mut row| {
                row["record"].take();
                row["robots"]["record"].take();
                row
            })
            .collect()
    };
    let html = "<meta name=robots content=noarchive>";
    let of = |(host, (status, body)): (usize, &(&str, &str))| {
        let host = format!("e{host}.com");
        [robots(&host, status, body), page(&host, html)]
    };
    let alone: Vec<Value> = files.iter().enumerate().flat_map(|one| answers(read(&agents, &of(one)))).collect();
    let before: Vec<String> = files
        .iter()
        .enumerate()
        .flat_map(|one| {
            let [file, page] = of(one);
            [file, page.clone(), page]
        })
        .collect();
    let pages: Vec<String> = (0..files.len()).map(|host| page(&format!("e{host}.com"), html)).collect();
    let together = answers(read(&agents, &[before, pages].concat()));
    assert_eq!(alone.len(), 27);
    assert_eq!(together[together.len() - 27..], alone);
}

/// [signals.rows]
#[test]
fn a_table_has_the_same() {
    let rows = PageRows::new([("A,\n", Names::Known.groups(["A"]))]).csv();
    let pages: &dyn robosieve_batch::Pages = &rows;
    let head = String::from_utf8(pages.head()).unwrap();
    let filter = Filter::all_agents().pages(Arc::new(rows));
    let head_lines = "200 OK\r\nX-Robots-Tag: max-snippet:20, noindex\r\nLink: <http://e.com/l>; rel=license";
    let archive = ["x\n".into(), robots("e.com", "200 OK", "Disallow:"), sent("http://e.com/a,\u{e9}", head_lines, "")];
    let made = filter.archive("a", Cursor::new(archive.concat())).filter_map(|done| done.into_record()?.rows);
    let made = String::from_utf8(made.flatten().collect()).unwrap();
    let columns = head.trim().split(',').count();
    let [failed, page] = made.lines().collect::<Vec<_>>()[..] else { panic!("{made}") };
    assert!(page.starts_with("a,3,\"http://e.com/a,\u{e9}\",2026-11-27T10:00:00Z,200,,page,,,2,rules,\"A,"), "{page}");
    assert!(page.contains(",yes,no,unsaid,") && page.ends_with(",20,,,,,http://e.com/l,"), "{page}");
    assert_eq!(failed.split(',').count(), columns + 1, "{failed}");
}

/// Stops as soon as it is asked.
struct Stops;

impl Observer for Stops {
    fn stops(&self) -> bool {
        true
    }
}

/// A run that is continued joins what stands before the place where it goes on. [batch.sites] [batch.resume]
#[test]
fn a_continued_run_joins_the_same() {
    let folder = std::path::PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("rows-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let archive: String = std::iter::once(robots("e.com", "200 OK", "User-agent: *\nDisallow: /a\n"))
        .chain((0..1_500).map(|_| page("e.com", "<meta name=robots content=noindex>")))
        .collect();
    std::fs::write(folder.join("a.warc"), archive).unwrap();
    let run = |name: &str, start, observer: &mut dyn Observer| {
        let output = Output::table(folder.join(name));
        Batch::new(filter(&["A"]), Inputs::new().path(folder.join("a.warc")), output).start(start).run(observer)
    };
    let whole = run("whole.ndjson", Start::New, &mut ()).unwrap();
    assert!(matches!(run("parts.ndjson", Start::New, &mut Stops), Err(Error::Stopped)));
    let parts = run("parts.ndjson", Start::Resume, &mut ()).unwrap();
    assert_eq!((whole.records, parts.records, &whole.skipped), (1_500, 1_500, &parts.skipped));
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    assert!(
        read("whole.ndjson") == read("parts.ndjson")
            && read("parts.ndjson").matches("\"fetch\":\"no\"").count() == 1_500
    );
    std::fs::remove_dir_all(folder).unwrap();
}

/// Archives with changed bytes: each row is a line of JSON, and what failed has no answer. [batch.pages] [signals.rows]
#[test]
fn any_bytes_have_rows() {
    let html = "<meta name=robots content=index>";
    let whole = [
        robots("e.com", "301 Moved\r\nLocation: /r.txt", ""),
        sent("http://e.com/r.txt", "200 OK\r\nContent-Length: 29", "User-agent: *\nDisallow: /b\n\n\n"),
        sent(
            "http://e.com/a",
            "200 OK\r\nTransfer-Encoding: chunked",
            &format!("{:x}\r\n{html}\r\n0\r\n\r\n", html.len()),
        ),
        page("e.com", html),
    ];
    let whole = whole.concat().into_bytes();
    let mut state = 7_u64;
    let mut below = |most: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap() % most
    };
    for _ in 0..4_000 {
        let mut bytes = whole.clone();
        for _ in 0..=below(3) {
            let at = below(bytes.len());
            match below(4) {
                0 => bytes.truncate(at + 1),
                1 => drop(bytes.drain(at..(at + below(60)).min(bytes.len()))),
                2 => bytes.insert(at, u8::try_from(below(256)).unwrap()),
                _ => bytes[at] ^= 1 << below(8),
            }
        }
        for record in filter(&["A"]).archive("a", Cursor::new(bytes)).filter_map(Done::into_record) {
            let rows = record.rows.unwrap();
            assert!(rows.iter().all(|byte| matches!(byte, b' '..=b'~' | b'\n')));
            let row: Value = serde_json::from_slice(&rows).unwrap();
            assert_eq!(row["uses"].is_object(), row["outcome"] == "page", "{row}");
            assert_eq!(row["error"].is_object(), row["outcome"] == "failed", "{row}");
        }
    }
}
