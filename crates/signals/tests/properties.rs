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
use robosieve_signals::{Allowed, Finding, FindingKind, Limits, Page, Source, Use};
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

/// The answers of a header for a crawler, and the kinds of findings.
fn answers(name: &str, value: &[u8], agent: &str) -> (Vec<(Use, Allowed)>, Vec<FindingKind>) {
    let answer = Page::new("/").header(name, value).signals().answer(Names::Known.groups([agent]), 0);
    (answer.uses, answer.findings.iter().map(|one| one.kind).collect())
}

/// One byte, or one word, anywhere in a header: what was not allowed is allowed only if the header is well written with
/// it, and what was forbidden still is, or a finding says why not. [signals.closes] [signals.malformed]
#[test]
fn a_broken_header_allows_nothing() {
    const PIECES: [&[u8]; 22] = [
        b"\x01",
        b"~",
        b"\x80",
        b"!",
        b"%",
        b" ",
        b";",
        b":",
        b"=",
        b"\"",
        b"*",
        b"/",
        b"x",
        b"-",
        b"\n",
        b"\xA0",
        b" x",
        b"bot: ",
        b"/1.0: ",
        b"my bot: ",
        b"; no ",
        b"(a)",
    ];
    // What allows stands before and after what forbids, as few documents have it.
    let both = ["index, noindex, follow", "googlebot: index, follow", "all, otherbot: none", "max-snippet:20, index"];
    let both = both.map(|value| ("X-Robots-Tag".to_owned(), value.to_owned()));
    let headers: Vec<_> = inputs().0.into_iter().chain(both.into_iter().cycle().take(80)).collect();
    let mut numbers = Numbers(55);
    let mut wrong = Vec::new();
    for (round, (name, value)) in headers.iter().cycle().take(30_000).enumerate() {
        let agent = ["MyBot", "Googlebot", "Bingbot", "otherbot"][round % 4];
        let place = numbers.below(value.len() + 1);
        let piece = PIECES[numbers.below(PIECES.len())];
        let broken = [&value.as_bytes()[..place], piece, &value.as_bytes()[place..]].concat();
        let ((before, known), (after, found)) = (answers(name, value.as_bytes(), agent), answers(name, &broken, agent));
        for ((what, was), (_, is)) in before.iter().zip(&after) {
            // A line that is broken allows nothing at all, and one that is not, what it says.
            let is_granted = *is == Allowed::Yes && is_broken(name, &found);
            let is_lost =
                *was == Allowed::No && *is != Allowed::No && found.is_empty() && !is_about_another(name, &broken);
            if is_granted || is_lost {
                let broken = broken.escape_ascii().to_string();
                wrong.push(format!("{agent}: {name}: {value} as {broken}: {what} {was:?} {is:?} {known:?} {found:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} are wrong:\n{}", wrong.len(), wrong[..wrong.len().min(40)].join("\n"));
}

/// Whether findings say that a header is not well written. Labels without a meaning are: the drafts have them for what
/// comes later.
fn is_broken(name: &str, found: &[FindingKind]) -> bool {
    use FindingKind::{AmbiguousAgent, Malformed, Unknown, UnreadableDate};
    let is_fault = |kind: &FindingKind| matches!(kind, AmbiguousAgent | Malformed | UnreadableDate);
    found.iter().any(|kind| is_fault(kind) || *kind == Unknown && !name.starts_with("Content-"))
}

/// Whether a well written header may be for another crawler or have another date than before, or a parameter without a
/// meaning.
fn is_about_another(name: &str, value: &[u8]) -> bool {
    value.contains(if name == "Content-Usage" { &b';' } else { &b':' })
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
            assert!(text.len() < 2_000 && text.chars().all(robosieve_printable::is_shown), "{text:?}");
        }
    }
}

/// Each limit is applied, says so, and takes what is allowed away: [signals.bounds] [signals.unsure]
#[test]
fn what_a_limit_cuts_allows_nothing() {
    let index = |page: Page<'_>| {
        let answer = page.signals().answer(Names::Known.groups(["MyBot"]), 0);
        let is_cut = answer.findings.iter().any(|one| one.kind == FindingKind::Cut);
        (answer.of(Use::Index), is_cut)
    };
    let page = || Page::new("/").head("X-Robots-Tag: index").html("<meta name=robots content=index><b>").tdmrep("[]");
    assert_eq!(index(page()), (Allowed::Yes, false));
    let all = Limits::DEFAULT;
    for limits in [
        Limits { max_headers: 0, ..all },
        Limits { max_header_bytes: 4, ..all },
        Limits { max_head_bytes: 9, ..all },
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

/// Lines that are given one by one are looked at up to the limit, also those that say nothing. [signals.bounds]
#[test]
fn header_lines_are_looked_at_up_to_the_limit() {
    for (more, expected) in [(9_998, Allowed::Yes), (9_999, Allowed::Yes), (10_000, Allowed::Unsaid)] {
        let page = (0..more).fold(Page::new("/").header("X-Robots-Tag", "index"), |page, _| page.header("A", "b"));
        let answer = page.signals().answer(Names::Known.groups(["MyBot"]), 0);
        assert_eq!(answer.of(Use::Index), expected, "{more}");
    }
}

/// What was read of a page is the same without the page, for each crawler that asks. [signals.once]
#[test]
fn what_was_read_outlives_the_page() {
    let (headers, others) = inputs();
    let mut count = 0;
    for ((name, value), [html, json, robots]) in headers.iter().zip(others.iter().cycle()) {
        let mut page = Page::new("/a").header(name, value);
        page = if let Some(html) = html { page.html(html) } else { page };
        page = if let Some(json) = json { page.tdmrep(json) } else { page };
        page = if let Some(robots) = robots { page.robots(robots) } else { page };
        let kept = page.signals().into_owned();
        for agent in ["MyBot", "Googlebot", "Bingbot"] {
            let groups = Names::Known.groups([agent]);
            assert_eq!(kept.answer(groups.clone(), 1_800_000_000), page.signals().answer(groups, 1_800_000_000));
            count += 1;
        }
    }
    assert!(count > 300, "only {count} answers");
}

/// What a head says of `index`, to all, and the kinds of findings.
fn index_of(page: &Page<'_>) -> (&'static str, Vec<&'static str>) {
    let answer = page.signals().answer(Names::Known.groups(["MyBot"]), 0);
    (answer.of(Use::Index).as_str(), answer.findings.iter().map(|one| one.kind.as_str()).collect())
}

/// A head as files have it: status lines, a body, line ends, marks, and lines that are none. [signals.response]
#[test]
fn a_response_is_read_up_to_its_body() {
    let utf16: Vec<u8> = "\u{FEFF}X-Robots-Tag: noindex\r\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let both: &[&str] = &["malformed", "contradiction"];
    let cases: [(&[u8], &str, &[&str]); 16] = [
        (b"HTTP/1.1 200\nX-Robots-Tag: noindex\nHTTP/1.1-Note: x\nX-Robots-Tag: index", "no", both),
        (b"HTTP/1.1 200\nX-Robots-Tag: noindex\nHTTP/1.1 200\nX-Robots-Tag: index", "no", both),
        (b"HTTP/2 200\nX-Robots-Tag: none\n\nHTTP/2 is nice\nX-Robots-Tag: all", "no", &["body"]),
        (b"HTTP/2 200\nA: b\n\nHTTP/2 is nice\nX-Robots-Tag: all", "unsaid", &["body"]),
        (b"HTTP/1.1 302 Found\r\nX-Robots-Tag: noindex\r\n\r\nHTTP/2 200 \r\nX-Robots-Tag: index\r\n", "yes", &[]),
        (b"X-Robots-Tag: index\n\n<p>\nX-Robots-Tag: noindex", "yes", &["body"]),
        (b"\n\nX-Robots-Tag: noindex", "no", &[]),
        (b"\xEF\xBB\xBFX-Robots-Tag: noindex", "no", &[]),
        (&utf16, "no", &[]),
        (b"HTTP/2 200\rA: b\rX-Robots-Tag: noindex\r", "no", &[]),
        (b"HTTP/2 200\r\r\nX-Robots-Tag: index\r\r\nX-Robots-Tag: noindex\r\r\n", "no", &["contradiction"]),
        (b"X-Robots-Tag\0: noindex\nX-Robots-Tag: index", "unsaid", &["malformed"]),
        (b"X-Robots-Tag: index\nX Robots Tag: noindex", "unsaid", &["malformed"]),
        (b" noindex\nX-Robots-Tag: index", "unsaid", &["malformed"]),
        (b"X-Robots-Tag: index\n noindex", "no", &["malformed"]),
        (b"X-Robots-Tag: index\n \nX-Robots-Tag: noindex", "no", &["contradiction"]),
    ];
    for (head, index, findings) in cases {
        assert_eq!(index_of(&Page::new("/").head(head)), (index, findings.to_vec()), "{}", head.escape_ascii());
    }
}

/// A robots.txt with a loss is in doubt, also of whether the page may be fetched. [signals.file] [signals.bounds]
#[test]
fn a_robots_txt_with_a_loss_allows_nothing() {
    let long = format!("User-agent: *\nAllow: /\n#{}\nUser-agent: *\nDisallow: /\n", "x".repeat(600 << 10));
    let stars = format!("User-agent: *\nDisallow: /{}\n", "*b".repeat(60));
    for (robots, kind) in [(long, FindingKind::Cut), (stars, FindingKind::Malformed)] {
        let page = Page::new("/").robots(&robots).header("X-Robots-Tag", "index");
        let answer = page.signals().answer(Names::Known.groups(["MyBot"]), 0);
        assert_eq!((answer.of(Use::Fetch), answer.of(Use::Index)), (Allowed::Unsaid, Allowed::Unsaid));
        assert!(answer.findings.iter().any(|one| (one.kind, one.at.source) == (kind, Source::RobotsTxt)));
    }
}

/// What says something of the whole answer is listed before other findings, and a cut is one. [signals.bounds]
#[test]
fn a_full_list_has_room_for_what_matters() {
    let long = "x, ".repeat(150) + "index, max-snippet:-1";
    let page = Page::new("/").header("X-Robots-Tag", &long).header("Content-Signal", "search=yes, search=no, use=full");
    let page =
        page.html("<meta name=robots content='max-snippet:30, max-image-preview:large'><!--").robots("Disallow: /");
    let page = page.limits(Limits { max_head_bytes: 1, ..Limits::DEFAULT }).head("A: b");
    let answer = page.signals().answer(Names::Known.groups(["MyBot"]), 0);
    let of = |kind| answer.findings.iter().filter(|one| one.kind == kind).count();
    assert_eq!(
        ["cut", "unclosed", "contradiction"].len(),
        of(FindingKind::Cut) + of(FindingKind::Unclosed) + of(FindingKind::Contradiction)
    );
    assert_eq!((answer.findings.len(), answer.more_findings), (100, 54));
    // The largest amount is a permission, so a cut takes it away, and a smaller one is still a limit.
    assert_eq!(
        (answer.limits.max_snippet, answer.limits.max_image_preview, answer.limits.extent),
        (Some(30), None, None)
    );
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
        "<noscript><svg>",
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

/// The head of a response: the last response counts, folded lines go on, and what is no line is none:
/// [signals.robots-tag]
#[test]
fn a_head_is_read_as_it_is_written() {
    let head = "HTTP/1.1 301 Moved\r\nX-Robots-Tag: none\r\n\r\nHTTP/2 200\r\nnoise\r\nx-robots-tag : nosnippet,\r\n\tnofollow\r\n\r\n";
    let page = Page::new("/").head(head);
    let signals = page.signals();
    let said: Vec<_> = signals.statements().iter().map(|one| (one.at.place, &*one.text)).collect();
    // `nosnippet` says something to Google, too.
    assert_eq!(said, [(6, "nosnippet"), (6, "nosnippet"), (6, "nofollow")]);
    // `noise` is no header line.
    assert_eq!(
        signals.findings().iter().map(|one| (one.kind, one.at.place)).collect::<Vec<_>>(),
        [(FindingKind::Malformed, 5)]
    );
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

/// A body is left as soon as no `meta` follows: one at its end that says nothing, so that all is read, changes nothing.
/// [signals.head]
#[test]
fn a_body_without_meta_says_nothing_more() {
    const PIECES: [&str; 18] = [
        "<meta name=robots content=noindex>",
        "<META name=robots content=nofollow>",
        "<body>",
        "</body>",
        "<noscript>",
        "</noscript>",
        "<template>",
        "</template>",
        "<svg>",
        "</svg>",
        "<style>",
        "</style>",
        "<script><!--",
        "</script>",
        "<!-- ",
        "-->",
        "text",
        "<link rel=license href=/l>",
    ];
    let mut numbers = Numbers(3);
    for _ in 0..20_000 {
        let mut piece = |most: usize| (0..numbers.below(most)).map(|_| PIECES[numbers.below(PIECES.len())]).collect();
        let (head, body): (String, String) = (piece(4), piece(9));
        let html = format!("<head>{head}</head><body>{body}");
        let longer = format!("{html}<meta itemprop=a>");
        let of = |html: &str| {
            let page = Page::new("/").html(html);
            let signals = page.signals();
            (signals.statements().to_vec(), signals.findings().to_vec())
        };
        // Where the head hides the body, there is none.
        if of(&format!("<head>{head}</head><body>")).1.iter().all(|one| one.kind != FindingKind::Unclosed) {
            assert_eq!(of(&html), of(&longer), "{html}");
        }
    }
}

/// What a line says is read as it may be meant, by whoever made it: joined lines, names that are slips of words, labels of
/// older drafts, lines that contradict each other, a page that cannot be decoded. [signals.tag] [signals.usage]
/// [signals.broken] [signals.charset]
#[test]
fn nothing_opens_what_another_line_closes() {
    let of = |page: Page<'_>, agent: &str, what: Use| page.signals().answer(Names::Known.groups([agent]), 0).of(what);
    let training = Use::Of(robosieve::values::Purpose::AiTraining);
    let page = || Page::new("/");
    let tag = |value: &'static str| page().header("X-Robots-Tag", value);
    let usage = |value: &'static str| page().header("Content-Usage", value);
    for (page, agent, what, expected) in [
        (page().joined_header("X-Robots-Tag", "googlebot: nofollow, noindex"), "MyBot", Use::Index, Allowed::No),
        (tag("googlebot: nofollow, noindex"), "MyBot", Use::Index, Allowed::Unsaid),
        (page().joined_header("X-Robots-Tag", "googlebot: noindex"), "MyBot", Use::Index, Allowed::Unsaid),
        (tag("noarchive"), "Amazonbot", training, Allowed::No),
        (usage("train-ai=n").header("Content-Usage", "train-ai=y"), "MyBot", training, Allowed::No),
        (usage("train-ai=y").header("Content-Usage", "train-ai=n"), "MyBot", training, Allowed::No),
        (
            page().header("Content-Type", "text/html").header("X-Robots-Tag", "index").html("<\0h\0t\0"),
            "MyBot",
            Use::Index,
            Allowed::Unsaid,
        ),
        (tag("index").html("\u{1f}\u{8b}"), "MyBot", Use::Index, Allowed::Yes),
        (usage("train-genai=n, train-ai=y"), "MyBot", training, Allowed::No),
        (usage("bots=n, train-ai=y"), "MyBot", training, Allowed::No),
        (usage("all=n").header("Content-Usage", "train-ai=y"), "MyBot", training, Allowed::No),
        (page().header("Content-Signal", "ai_train=no, ai-train=yes"), "MyBot", training, Allowed::No),
        (tag("X-Robots-Tag: noindex"), "MyBot", Use::Index, Allowed::No),
        (tag("content: noindex"), "MyBot", Use::Index, Allowed::No),
        (tag("max_snippet:20, noindex"), "MyBot", Use::Index, Allowed::No),
        (tag("unavailable-after: 2020-01-01"), "MyBot", Use::Index, Allowed::No),
        (tag("noind\u{1}ex").header("X-Robots-Tag", "index"), "MyBot", Use::Index, Allowed::Unsaid),
        (tag("noind\u{1}ex").html("<meta name=robots content=index>"), "MyBot", Use::Index, Allowed::Unsaid),
        (tag("noind\u{1}ex").header("Content-Usage", "train-ai=y"), "MyBot", training, Allowed::Unsaid),
        (usage("train-ai~").header("Content-Signal", "ai-train=yes"), "MyBot", training, Allowed::Unsaid),
        (usage("train-ai=y"), "MyBot", training, Allowed::Yes),
        (tag("index"), "MyBot", Use::Index, Allowed::Yes),
    ] {
        assert_eq!(of(page.clone(), agent, what), expected, "{page:?}");
    }
    let packed = tag("index").html(&b"\x1F\x8B\x08\0"[..]).signals().answer(Names::Known.groups(["MyBot"]), 0);
    assert_eq!(packed.of(Use::Index), Allowed::Unsaid);
}

/// A page, or a `tdmrep.json`, of which the end is missing allows nothing that the whole does not allow, wherever it is
/// cut. [signals.closes] [signals.unsure]
#[test]
fn no_part_allows_more_than_the_whole() {
    let (_, others) = inputs();
    let (mut cases, groups) = (0, Names::Known.groups(["MyBot"]));
    for [html, tdmrep, _] in &others {
        let of = |page: Page<'_>| page.signals().answer(groups.clone(), 0).uses;
        let expect = |part: Vec<(Use, Allowed)>, whole: &[(Use, Allowed)], text: &str| {
            let opens = part.iter().zip(whole).find(|(now, then)| now.1 == Allowed::Yes && then.1 != Allowed::Yes);
            assert!(opens.is_none(), "{opens:?}: {text}");
        };
        if let Some(html) = html {
            let whole = of(Page::new("/a").html(html));
            for part in (0..html.len()).filter_map(|length| html.get(..length)) {
                cases += 1;
                expect(of(Page::new("/a").html_part(part)), &whole, part);
            }
        }
        if let Some(json) = tdmrep {
            let whole = of(Page::new("/a").tdmrep(json));
            for part in (0..json.len()).filter_map(|length| json.get(..length)) {
                cases += 1;
                expect(of(Page::new("/a").tdmrep(part)), &whole, part);
            }
        }
    }
    assert!(cases > 1_000, "{cases}");
}
