//! One answer of a server, asked through each command that shows or uses rules.
//!
//! Invariant: what `check` does not go by, no command shows as the rules of a site.

use crate::common::Dir;
use crate::serving::{RULES, Site, WHO, answer};

const ALLOW: &str = "--allow-private";
const PAGE: &str = "<html><body>Just a moment</body></html>\n";
const NONE: &str = "";

/// What comes of an answer.
#[derive(Clone, Copy, PartialEq, Debug)]
enum By {
    /// The rules of the file.
    Rules,
    /// A ruling that opens the site.
    Open,
    /// A ruling that closes the site, or no answer.
    Closed,
}

/// What `check` goes by for a page that the rules disallow and for one that they allow.
fn checked(dir: &Dir, site: &Site, is_bad: bool) -> By {
    let urls = [site.url("/private/x"), site.url("/page")];
    let mut args = vec!["check", ALLOW, "--json", "--store", "s", "--agent", WHO];
    args.extend(["--delay", "0", "--min-delay", "0"]);
    if is_bad {
        args.extend(["--timeout", "2"]);
    }
    args.extend(urls.iter().map(String::as_str));
    let lines = dir.run(&args).json();
    let word = |at: usize, name: &str| lines[at][name].as_str().unwrap();
    match ((word(0, "action"), word(0, "reason")), word(1, "action")) {
        (("no", "rule"), "go") => By::Rules,
        // An empty file and no file give the same answers: the store knows which it was.
        (("go", _), "go") => {
            let known = dir.run(&["site", "--store", "s", &site.url("/"), "--json"]).ok().one_json();
            if known["verdict"] == "rules" { By::Rules } else { By::Open }
        }
        (("no" | "wait", _), "no" | "wait") => By::Closed,
        other => panic!("{other:?}"),
    }
}

/// An answer of each kind, as `check`, `fetch` and `site` take it; the gate's tests have each status: [cmd.fetch] [cmd.check] [cmd.site]
/// [gate.not-robots-txt]
#[test]
fn what_is_no_rules_for_one_is_none_for_all() {
    let warned = format!("<br />\n<b>Warning</b>: x in <b>robots.php</b>\n{RULES}");
    let long = format!("{RULES}{}", "# long\n".repeat(100_000));
    let broken = format!("HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\n{RULES}").into_bytes();
    let partial = format!("Content-Range: bytes 0-{}/900\r\n", RULES.len() - 1);
    let cases: Vec<(&str, Vec<u8>, By, i32)> = vec![
        ("200", answer(200, "", RULES), By::Rules, 0),
        ("200, empty", answer(200, "", NONE), By::Rules, 0),
        ("200, rules below a warning", answer(200, "", &warned), By::Rules, 0),
        ("200, HTML", answer(200, "Content-Type: text/html\r\n", PAGE), By::Open, 3),
        ("200, over the cap", answer(200, "", &long), By::Rules, 3),
        ("200, HTML over the cap", answer(200, "", PAGE.repeat(20_000)), By::Open, 3),
        ("200, broken off", broken, By::Closed, 3),
        ("202", answer(202, "", RULES), By::Closed, 3),
        ("204", b"HTTP/1.1 204 No Content\r\n\r\n".to_vec(), By::Closed, 3),
        ("206", answer(206, &partial, RULES), By::Closed, 3),
        ("301 without a target", answer(301, "", RULES), By::Open, 3),
        ("403", answer(403, "", RULES), By::Open, 3),
        ("404", answer(404, "", RULES), By::Open, 1),
        ("407", answer(407, "", RULES), By::Closed, 3),
        ("429", answer(429, "", RULES), By::Closed, 3),
        ("503", answer(503, "", RULES), By::Closed, 3),
        ("no answer", Vec::new(), By::Closed, 3),
    ];
    for (what, bytes, by, code) in cases {
        let dir = Dir::new();
        let has_rules = bytes.windows(8).any(|part| part == b"Disallow");
        let (site, is_bad) = (Site::new(bytes), by == By::Closed);
        assert_eq!(checked(&dir, &site, is_bad), by, "{what}: check");
        let url = site.url("/");
        let patience: &[&str] = if is_bad { &["--timeout", "2"] } else { &[] };
        let run = |args: &[&str]| dir.run(&[args, &[ALLOW], patience].concat());
        let fetched = run(&["fetch", &url]).code(code);
        assert!(code != 0 || by == By::Rules, "{what}");
        let shows = |text: &str| !text.is_empty();
        assert_eq!(shows(fetched.out()), by == By::Rules, "{what}: fetch: {}", fetched.out());
        assert!(by == By::Rules || !fetched.err().contains(": rules ("), "{what}: {}", fetched.err());
        assert_eq!(fetched.out().contains("/private"), by == By::Rules && has_rules, "{what}: {}", fetched.out());
        let json = run(&["fetch", "-q", "--json", &url]).code(code).one_json();
        assert_eq!(json["text"].is_string(), by == By::Rules, "{what}: {json}");
        let known = dir.run(&["site", "--store", "s", &url, "--json"]).ok().one_json();
        let contents = known["contents"].as_str().unwrap_or_default();
        assert_eq!(contents.is_empty(), by != By::Rules, "{what}: site: {known}");
    }
}

/// What comes with a 202 is no file, so it does not replace one, and is not shown as one: [cmd.fetch]
#[test]
fn bytes_that_are_no_file_replace_none() {
    let (dir, site) = (Dir::new(), Site::good());
    let save = |code| dir.run(&["fetch", ALLOW, "--raw", "saved.txt", &site.url("/")]).code(code);
    save(0);
    for bytes in [answer(202, "", PAGE), answer(204, "", ""), answer(205, "", "")] {
        site.says(bytes);
        assert!(save(3).err().contains("no file came"));
        assert_eq!(dir.read("saved.txt"), RULES);
        assert_eq!(dir.run(&["fetch", ALLOW, "--raw", "-", &site.url("/")]).code(3).out(), "");
    }
    site.says(answer(200, "", PAGE));
    assert!(save(3).err().contains("use --raw for the bytes"));
    assert_eq!(dir.read("saved.txt"), PAGE);
}
