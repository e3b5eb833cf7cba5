//! One URL of a file, answered without a tester: the answer is that of a tester.

use robosieve::Sieve;
use robosieve::agent::Interest;
use robosieve::policy::{Parser, Precedence, Selection};
use robosieve::settings::{Dialect, Options, OverLimit};
use robosieve::verdict::{SiteAccess, VerdictReason};

use crate::common::Numbers;

/// Compares one URL under each access. Returns the reason of the verdict in one word.
#[track_caller]
fn compare(sieve: &Sieve, file: &[u8], url: &str) -> &'static str {
    let shown = || (String::from_utf8_lossy(file).into_owned(), url);
    let (tester, found) = (sieve.tester(file).unwrap(), sieve.test(file, url).unwrap());
    for access in [SiteAccess::AllowAll, SiteAccess::DisallowAll, SiteAccess::Rules] {
        let (tester, found) = (tester.clone().with_access(access), found.clone().with_access(access));
        assert_eq!(found.verdict(), tester.test(url), "{:?} with {access:?}", shown());
        assert_eq!(found.allowed(), tester.is_allowed(url), "{:?} with {access:?}", shown());
        assert_eq!(found.verdict().to_string(), tester.clone().with_index().test(url).to_string());
    }
    match found.verdict().reason() {
        VerdictReason::Rule(_) => "rule",
        VerdictReason::NoRule => "none",
        VerdictReason::RobotsTxt => "robots.txt",
        VerdictReason::Status(_) => "status",
        VerdictReason::Incomplete => "incomplete",
        VerdictReason::NotAUrl => "no URL",
    }
}

/// Files and URLs at random, under all dialects, orders and policies: [verdict.once] [agent.doubt] [input.incomplete]
#[test]
fn random_files_have_the_verdicts_of_a_tester() {
    const LINES: [&str; 30] = [
        "User-agent: *",
        "User-agent: MyBot",
        "user-agent: mybot/2.0",
        "User-agent: Other",
        "Useragent: Helper",
        "",
        "Disallow:",
        "Allow:",
        "Disallow: /",
        "Allow: /",
        "Disallow: /a",
        "Allow: /a",
        "Disallow: /a*",
        "Allow: /*b$",
        "Disallow: /a/b",
        "Allow: /a/index.html",
        "Allow: /index.htm",
        "Disallow: /%2A",
        "Disallow: /$x",
        "Allow: /%61",
        "Disallow: a",
        "Disallow: *",
        "Disallow: /*a*b*a*b*a*b*a*b*a*b*a*b",
        "Crawl-delay: 2",
        "Content-Signal: search=no",
        "Sitemap: https://e.com/s.xml",
        "# Disallow: /",
        "Disallow: /robots.txt",
        "  Allow: /folded",
        "\u{feff}Disallow: /\u{e9}",
    ];
    const URLS: [&str; 16] = [
        "/",
        "/a",
        "/a/b",
        "/a/",
        "/b",
        "/abababababababab",
        "/robots.txt",
        "https://e.com/robots.txt#a",
        "https://e.com",
        "//e.com/a?b",
        "/*",
        "/$x",
        "/%C3%A9",
        "/\u{e9}",
        "e.com/a",
        "",
    ];
    const AGENTS: [&[&str]; 6] = [
        &["MyBot"],
        &["Nobody"],
        &["Other", "MyBot"],
        &["Mozilla/5.0 (compatible; MyBot Helper Other; +https://e.com/)"],
        &["*"],
        &[],
    ];
    let (mut numbers, mut reasons) = (Numbers(7), std::collections::BTreeMap::<_, usize>::new());
    for round in 0..4_000 {
        let dialect = [Dialect::Standard, Dialect::Google, Dialect::Processor][round % 3];
        let end = ["\n", "\r\n", "\r"][numbers.below(3)];
        let count = numbers.below(12);
        let mut file = String::new();
        for at in 0..count {
            // A group in most files.
            file.push_str(if at == 0 { LINES[numbers.below(5)] } else { LINES[numbers.below(LINES.len())] });
            file.push_str(if at + 1 == count && numbers.below(2) == 0 { "" } else { end });
        }
        let order = if numbers.below(4) == 0 { Precedence::FileOrder } else { Precedence::LongestMatch };
        let whose = AGENTS[numbers.below(AGENTS.len())];
        let sieve = if whose.is_empty() { Sieve::all_agents() } else { Sieve::new(whose) }
            .dialect(dialect)
            .over_limit([OverLimit::Drop, OverLimit::Drop, OverLimit::Widen][numbers.below(3)])
            .precedence(order)
            .complete(numbers.below(4) > 0)
            .fallback(numbers.below(4) > 0);
        for url in URLS {
            *reasons.entry(compare(&sieve, file.as_bytes(), url)).or_default() += 1;
        }
    }
    let all = ["incomplete", "no URL", "none", "robots.txt", "rule"];
    assert!(all.iter().all(|reason| reasons.get(reason).is_some_and(|count| *count > 500)), "{reasons:?}");
}

/// Where comparing each rule would cost too much, or a rule is only implied: [verdict.once] [bounds.index]
/// [google.index-html]
#[test]
fn an_index_answers_where_it_costs_less() {
    let stars: String = (0..100).map(|at| format!("Disallow: /*{at}$\nAllow: /p{at}*q\n")).collect();
    let file = format!("User-agent: *\nDisallow: /p\n{stars}Allow: /index.html\nDisallow: /%2A\nAllow: /x/index.htm\n");
    let long = format!("/p7{}q", "a".repeat(1_500));
    for dialect in [Dialect::Standard, Dialect::Google, Dialect::Processor] {
        let sieve = Sieve::new(["MyBot"]).dialect(dialect);
        for url in ["/", "/p", "/99", "/p5q", &long, "/*", "/%2a", "/x/", "/index.html", "/x/index.html", "/none"] {
            compare(&sieve, file.as_bytes(), url);
        }
    }
}

/// [verdict.once] [over-limit.refuse]
#[test]
fn a_file_is_refused_as_by_a_tester() {
    let options = Options { over_limit: OverLimit::Refuse, ..Options::default() };
    let mut sieve = Sieve::new(["MyBot"]).options(options);
    let file = b"User-agent: *\nDisallow: /a\nDisallow: /b\n";
    assert_eq!(compare(&sieve, file, "/b"), "rule");
    sieve = sieve.limits(robosieve::settings::Limits { max_bytes: 30, ..robosieve::settings::Limits::DEFAULT });
    assert_eq!(sieve.test(file, "/b").unwrap_err(), sieve.tester(file).unwrap_err());
}

/// [verdict.once]
#[test]
fn a_selection_answers_one_url() {
    let set = Parser::default().parse(b"User-agent: *\nDisallow: /x\nAllow: /x/*/y$\n");
    let selection = Selection::of(&set, &Interest::new(["MyBot"]));
    assert_eq!(selection.test("https://e.com/x/a/y").line(), Some(3));
    assert_eq!(selection.test("/x/a/y/").to_string(), "disallowed by line 2: Disallow: /x");
    assert_eq!(selection.test("x").reason(), VerdictReason::NotAUrl);
}
