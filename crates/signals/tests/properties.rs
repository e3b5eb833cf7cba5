//! What holds for all bytes: nothing panics, the limits hold, a broken value allows nothing, and all text is harmless.
//!
//! Invariant: the inputs are the vectors, changed by a generator with a fixed seed.
#![allow(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a test may fail, and its numbers are small"
)]

use std::time::Instant;

use robosieve_explain::Names;
use robosieve_signals::{Allowed, Finding, FindingKind, Limits, Page, Said, Source, Use};
use serde_json::Value;

/// A small generator: the same numbers in each run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % most.max(1)
    }
}

/// The HTML, `tdmrep.json` and robots.txt of a vector.
type Others = [Option<String>; 3];

/// The headers of the vectors, and their other sources.
fn inputs() -> (Vec<(String, String)>, Vec<Others>) {
    let lines = include_str!("../data/vectors.ndjson").lines();
    let vectors: Vec<Value> = lines.map(|line| serde_json::from_str(line).unwrap()).collect();
    let pair = |one: &Value| (one[0].as_str().unwrap().to_owned(), one[1].as_str().unwrap().to_owned());
    let headers = vectors.iter().flat_map(|one| one["headers"].as_array().into_iter().flatten().map(pair)).collect();
    let text = |one: &Value, name: &str| one[name].as_str().map(str::to_owned);
    let others = vectors.iter().map(|one| ["html", "tdmrep", "robots"].map(|name| text(one, name))).collect();
    (headers, others)
}

/// Whom a statement that allows is for, and what it allows.
fn allowed(page: &Page<'_>) -> Vec<(Vec<String>, Said)> {
    let signals = page.signals();
    let all = signals.statements().iter().filter(|one| matches!(one.said, Said::Yes(_)));
    all.map(|one| (one.agents.clone(), one.said)).collect()
}

/// [signals.closes] [signals.malformed]
#[test]
fn a_broken_header_allows_nothing() {
    let (headers, _) = inputs();
    let mut numbers = Numbers(55);
    for (name, value) in headers.iter().cycle().take(20_000) {
        let mut broken = value.clone().into_bytes();
        broken.insert(numbers.below(broken.len() + 1), *b"\x01~\x80!%".get(numbers.below(5)).unwrap());
        let before = allowed(&Page::new("/").header(name, value));
        for one in allowed(&Page::new("/").header(name, &broken)) {
            assert!(before.contains(&one), "{name}: {value} as {:?} allows {one:?}", broken.escape_ascii().to_string());
        }
    }
}

/// [signals.total] [signals.bounds] [signals.harmless]
#[test]
fn any_bytes_have_an_answer_within_the_limits() {
    let (headers, others) = inputs();
    let mut numbers = Numbers(9);
    let limits =
        Limits { max_headers: 3, max_header_bytes: 200, max_html_bytes: 150, max_tdmrep_bytes: 90, ..Limits::DEFAULT };
    let limits = Limits { max_statements: 4, max_findings: 3, ..limits };
    let mut change = |text: &[u8]| {
        let mut bytes = text.to_vec();
        for _ in 0..numbers.below(4) {
            let at = numbers.below(bytes.len() + 1);
            match numbers.below(3) {
                0 if at < bytes.len() => drop(bytes.remove(at)),
                1 => bytes.truncate(at),
                _ => bytes.insert(at, u8::try_from(numbers.below(256)).unwrap()),
            }
        }
        bytes
    };
    for (round, [html, json, robots]) in others.iter().cycle().take(100_000).enumerate() {
        let (name, value) = &headers[round % headers.len()];
        let part = |text: &Option<String>| text.clone().unwrap_or_default().into_bytes();
        let [value, html, json, robots] =
            [value.clone().into_bytes(), part(html), part(json), part(robots)].map(|one| change(&one));
        let mut page = Page::new("/a").header(name, &value).header("X-Robots-Tag", &html).html(&html).tdmrep(&json);
        if round % 7 == 0 {
            page = page.robots(&robots).limits(limits);
        }
        let signals = page.signals();
        let answer = signals.answer(Names::Known.groups(["MyBot"]), 0);
        if round % 7 == 0 {
            assert!(signals.statements().len() <= 4 && answer.findings.len() <= 3);
        }
        let words =
            answer.findings.iter().map(Finding::words).chain(answer.decided_by.values().map(|one| one.text.clone()));
        for text in words.chain(answer.licenses.iter().map(|one| one.url.clone())) {
            assert!(text.len() < 2_000 && text.chars().all(robosieve::printable::is_shown), "{text:?}");
        }
    }
}

/// Each limit is applied, says so, and takes what is allowed away: [signals.bounds]
#[test]
fn what_a_limit_cuts_allows_nothing() {
    let index = |page: Page<'_>| {
        let answer = page.signals().answer(Names::Known.groups(["MyBot"]), 0);
        let is_cut = answer.findings.iter().any(|one| one.kind == FindingKind::Cut);
        (answer.of(Use::Index), is_cut)
    };
    let page =
        || Page::new("/").header("X-Robots-Tag", "index").html("<meta name=robots content=index><b>").tdmrep("[]");
    assert_eq!(index(page()), (Allowed::Yes, false));
    let all = Limits::DEFAULT;
    for limits in [
        Limits { max_headers: 0, ..all },
        Limits { max_header_bytes: 4, ..all },
        Limits { max_html_bytes: 34, ..all },
        Limits { max_tdmrep_bytes: 1, ..all },
        Limits { max_statements: 1, ..all },
    ] {
        assert_eq!(index(page().limits(limits)), (Allowed::Unsaid, true), "{limits:?}");
    }
    let long = "x, ".repeat(300);
    let answer = Page::new("/").header("X-Robots-Tag", &long).signals().answer(Names::Known.groups(["MyBot"]), 0);
    assert_eq!((answer.findings.len(), answer.more_findings), (100, 200));
    let rules = format!(
        "[{}{{\"location\":\"/\",\"tdm-reservation\":0}}]",
        "{\"location\":\"/b\",\"tdm-reservation\":0},".repeat(1_000)
    );
    let answer = Page::new("/").tdmrep(&rules).signals().answer(Names::Known.groups(["MyBot"]), 0);
    assert_eq!(answer.of(Use::Tdm), Allowed::Unsaid);
}

/// Twice as long an input takes about twice as long: [signals.total]
#[test]
fn long_inputs_are_linear() {
    let parts = [
        "noindex,",
        "a: b, ",
        "unavailable_after: Mon,",
        ",",
        "train-ai=n, ",
        "</l>; rel=license, ",
        "<meta name=robots content=all>",
        "<template>",
        "<!--",
        "\"",
        "<a b=c b=c ",
        ";",
        "x:",
    ];
    for part in parts {
        let text = part.repeat((256 << 10) / part.len());
        let limits = Limits { max_header_bytes: usize::MAX, ..Limits::DEFAULT };
        let mut page = Page::new("/").html(&text).tdmrep(&text).limits(limits);
        for name in ["X-Robots-Tag", "Content-Usage", "Content-Signal", "Link", "tdm-reservation"] {
            page = page.header(name, &text);
        }
        let started = Instant::now();
        let answer = page.signals().answer(Names::Known.groups(["MyBot"]), 0);
        assert!(answer.findings.len() <= 100);
        assert!(started.elapsed().as_secs() < 20, "{part}: {:?}", started.elapsed());
    }
}

/// The head of a response: the last response counts, folded lines go on, and what is no line is none: [signals.robots-tag]
#[test]
fn a_head_is_read_as_it_is_written() {
    let head = "HTTP/1.1 301 Moved\r\nX-Robots-Tag: none\r\n\r\nHTTP/2 200\r\nnoise\r\nx-robots-tag : nosnippet,\r\n\tnofollow\r\n\r\n";
    let page = Page::new("/").head(head);
    let signals = page.signals();
    let said: Vec<_> = signals.statements().iter().map(|one| (one.at.place, &*one.text)).collect();
    // `nosnippet` says something to Google, too.
    assert_eq!(said, [(1, "nosnippet"), (1, "nosnippet"), (1, "nofollow")]);
    let html = "<head>\n<title>\n</title>\n<meta name=robots content=none>";
    let page = Page::new("/").html(html).robots("User-agent: *\nDisallow: /b\n");
    let answer = page.signals().answer(Names::Known.groups(["MyBot"]), 0);
    let decided = &answer.decided_by["follow"];
    assert_eq!((decided.at.source, decided.at.place, &*decided.text), (Source::Html, 4, "none"));
    assert_eq!(answer.decided_by["fetch"].text, "no rule matches (group * applies)");
    let json = serde_json::to_value(&answer).unwrap();
    assert_eq!((&json["uses"]["index"], &json["uses"]["archive"]), (&"no".into(), &"unsaid".into()));
    assert_eq!(json["decided_by"]["index"]["source"], "html");
}
