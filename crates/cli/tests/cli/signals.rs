//! `robosieve signals`

use serde_json::{Value, json};

use crate::common::Dir;

const HEAD: &str = "HTTP/2 200\r\nContent-Type: text/html\r\nX-Robots-Tag: noindex, googlebot: nofollow\r\n\r\n";
const HTML: &str = "<head>\n<meta name=robots content='max-snippet:20, noindexx'>\n</head>";
const ROBOTS: &str = "User-agent: *\nDisallow: /x\nContent-Signal: ai-train=no\n";

fn dir() -> Dir {
    let dir = Dir::with(ROBOTS);
    dir.write("head.txt", HEAD);
    dir.write("page.html", HTML);
    dir
}

/// [cmd.signals]
#[test]
fn says_what_may_be_done_with_a_page() {
    let dir = dir();
    let args = ["--headers", "head.txt", "--html", "page.html", "--robots", "robots.txt", "https://e.com/a"];
    let ran = dir.run(&[&["signals", "-a", "MyBot"], &args[..]].concat()).ok();
    let expected = "\
https://e.com/a
  fetch        yes (robots-txt: no rule matches (group * applies))
  index        no (header 3: noindex)
  follow       no (header 3: nofollow)
  archive      unsaid
  snippet      unsaid
  image-index  unsaid
  translate    unsaid
  tdm          unsaid
  ai-training  no (robots-txt 3: Content-Signal: ai-train=no)
  ai-use       unsaid
  search       no (header 3: noindex)
  max-snippet: 20
  header 3: `googlebot` names a crawler after other words: what follows is read for both
  html 2: `noindexx` is a word without a meaning
";
    assert_eq!((ran.out(), ran.err()), (expected, ""));
    let found = dir.run(&[&["signals", "-a", "MyBot", "--json"], &args[..]].concat()).ok().one_json();
    assert_eq!((&found["v"], &found["url"]), (&1.into(), &"https://e.com/a".into()));
    assert_eq!((&found["uses"]["index"], &found["uses"]["archive"]), (&"no".into(), &"unsaid".into()));
    assert_eq!(found["decided_by"]["index"], json!({"source": "header", "place": 3, "text": "noindex"}));
    assert_eq!(found["limits"], json!({"max-snippet": 20}));

    let closed = dir.run(&["signals", "-a", "MyBot", "--status", "503", "/a"]).ok();
    assert!(closed.out().contains("fetch        no (robots-txt: robots.txt answered with the status 503)\n"));
    dir.write("both.txt", format!("{HEAD}<p>the page\n"));
    let body = dir.run(&["signals", "-a", "MyBot", "--headers", "both.txt", "/a"]).ok();
    assert!(body.out().ends_with("  header 5: `body` follows the headers and is not read: give it as HTML\n"));

    dir.write("late.txt", "X-Robots-Tag: unavailable_after: 2026-01-01T00:00:00Z\n");
    for (time, expected) in [("2025-12-31T23:59:59Z", "unsaid"), ("2026-01-01T00:00:00Z", "no")] {
        let args = ["signals", "-a", "MyBot", "--json", "--headers", "late.txt", "--time", time, "/a"];
        assert_eq!(dir.run(&args).ok().one_json()["uses"]["index"], expected);
    }
}

/// What is over the limit of a head is not read, and this is said. [cmd.signals] [signals.bounds]
#[test]
fn a_head_that_is_cut_allows_nothing() {
    let dir = dir();
    let junk: String = (0..20_000).map(|number| format!("X-Junk-{number}: {}\n", "x".repeat(20))).collect();
    dir.write("long.txt", format!("X-Robots-Tag: index, follow\n{junk}X-Robots-Tag: noindex\n"));
    let answer = dir.run(&["signals", "-a", "M", "--json", "--headers", "long.txt", "/"]).ok().one_json();
    assert_eq!((&answer["uses"]["index"], &answer["uses"]["follow"]), (&"unsaid".into(), &"unsaid".into()));
    assert_eq!(answer["findings"][0]["kind"], "cut");
    // It is of no line.
    let ran = dir.run(&["signals", "-a", "M", "--headers", "long.txt", "/"]).ok();
    assert!(ran.out().contains("\n  header: `headers` "), "{}", ran.out());
}

/// [cmd.signals]
#[test]
fn what_is_missing_is_said() {
    let dir = dir();
    dir.run(&["signals", "--html", "page.html", "/"]).fails(2, &["name an agent"]);
    dir.run(&["signals", "-a", "M", "/"]).fails(2, &["--headers", "--html"]);
    dir.run(&["signals", "-a", "M", "--html", "page.html"]).fails(2, &["<URL>"]);
    dir.run(&["signals", "-a", "M", "--html", "page.html", "e.com"]).fails(2, &["cannot be tested as a URL"]);
    dir.run(&["signals", "-a", "M", "--html", "nosuch", "/"]).fails(2, &["nosuch"]);
    dir.run(&["signals", "-a", "M", "--html", "-", "--headers", "-", "/"]).fails(2, &["read only once"]);
    dir.run(&["signals", "-a", "M", "--html", "page.html", "--time", "soon", "/"]).fails(2, &["write a time"]);
}

/// The command answers as the library does, and a bad request has an error with its id. [cmd.signals] [signals.vectors]
#[test]
fn requests_are_answered_in_order() {
    let vectors = include_str!("../../../signals/data/vectors.ndjson");
    let vectors: Vec<Value> = vectors.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let mut lines = String::new();
    for vector in &vectors {
        let mut request = vector.clone();
        for answer in ["source", "date", "uses", "limits", "findings", "licenses"] {
            request.as_object_mut().unwrap().remove(answer);
        }
        lines.extend([request.to_string().as_str(), "\n\n"]);
    }
    let bad = [
        r#"{"id":"a","url":"/","agent":"M","x":1}"#,
        r#"{"id":"b","url":"e.com","agent":"M"}"#,
        r#"{"id":"c","url":"/","agent":" "}"#,
        r#"{"id":"d","url":"/","agent":"M","time":"soon"}"#,
        r#"{"id":"e","url":"/","agent":"M","html":"","html_b64":""}"#,
        r#"{"id":"i","url":"/","agent":"M","tdmrep":"","tdmrep_b64":""}"#,
        r#"{"id":"j","url":"/","agent":"M","status":99}"#,
        r#"{"id":"f","url":"/"}"#,
        r#"{"id":"g","url":"/","agents":[]}"#,
        r#"{"id":"h","v":2,"url":"/","agent":"M"}"#,
        "{",
    ];
    let ran = Dir::new().run_with(&["signals", "--ndjson"], (lines + &bad.join("\n")).as_bytes()).ok();
    let answers = ran.json();
    assert_eq!(answers.len(), vectors.len() + bad.len());
    for (vector, answer) in vectors.iter().zip(&answers) {
        assert_eq!(answer["id"], vector["id"]);
        for (name, allowed) in answer["uses"].as_object().unwrap() {
            let expected = vector["uses"].get(name).cloned().unwrap_or("unsaid".into());
            assert_eq!(*allowed, expected, "{name} of vector {}", vector["id"]);
        }
    }
    let kinds: Vec<_> = answers[vectors.len()..].iter().map(|one| one["error"]["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, [&["bad-request", "bad-url"], &["bad-request"; 8][..], &["bad-json"]].concat());
    assert_eq!(answers[vectors.len() + 3]["id"], "d");
    let request = br#"{"url":"/","agent":"M","tdmrep_b64":"W3sibG9jYXRpb24iOiIvIiwidGRtLXJlc2VydmF0aW9uIjoxfV0="}"#;
    assert_eq!(Dir::new().run_with(&["signals", "--ndjson"], request).ok().one_json()["uses"]["tdm"], "no");
    let request = br#"{"url":"/","headers":[["X-Robots-Tag","mybot: noindex"]]}"#;
    let answer = Dir::new().run_with(&["signals", "--ndjson", "-a", "MyBot"], request).ok().one_json();
    assert_eq!((&answer["id"], &answer["uses"]["index"]), (&Value::Null, &"no".into()));
}

/// A file that is another one than its flag names, or is empty, is no silence. [cmd.signals]
#[test]
fn files_that_say_nothing_are_named() {
    let dir = dir();
    for (name, content) in
        [("empty", ""), ("page404.html", "<html>Not found</html>"), ("bad.json", "{bad"), ("a.txt", "a")]
    {
        dir.write(name, content);
    }
    for (flag, file, words) in [
        ("--headers", "empty", "empty is empty, so it says nothing"),
        ("--html", "empty", "empty is empty, so it says nothing"),
        ("--headers", "page404.html", "page404.html has no header, so it says nothing"),
        ("--html", "head.txt", "head.txt has no element of HTML, so it says nothing"),
        ("--tdmrep", "page404.html", "page404.html has no JSON, so it says nothing"),
        ("--tdmrep", "bad.json", "bad.json has no JSON, so it says nothing"),
        ("--headers", "a.txt", "a.txt has no header, so it says nothing"),
    ] {
        let ran = dir.run(&["signals", "-a", "MyBot", flag, file, "https://e.com/a"]);
        assert!(ran.err().contains(words), "{flag} {file}: {}", ran.err());
    }
    for (flag, file) in [("--headers", "head.txt"), ("--html", "page.html")] {
        assert_eq!(dir.run(&["signals", "-a", "MyBot", flag, file, "https://e.com/a"]).err(), "", "{flag} {file}");
    }
}
