//! A file line by line.

use std::num::NonZeroU32;

use robosieve::records::{Parser, Rule};
use robosieve::report::FindingKind;
use robosieve::settings::{Dialect, Limits, OverLimit};
use robosieve::{Options, Sieve};
use robosieve_explain::{Explainer, LeftOut, Meaning, Page, PageLine};

fn words(page: &Page<'_>) -> Vec<String> {
    page.lines.iter().map(PageLine::words).collect()
}

fn ours(page: &Page<'_>) -> Vec<u32> {
    page.lines.iter().filter(|line| line.ours).map(|line| line.number).collect()
}

/// [explain.lines]
#[test]
fn each_physical_line_is_explained_once() {
    let file =
        b"\xEF\xBB\xBF# a\nUser-agent: *\r\nDisallow\r  : /x # y\n\nContent-Signal: a=b,\n  c=d,\n  e=f\nFoo: 1\n\
        Crawl-delay: 5\nSitemap: HTTPS://e.com/s\nsitemap https://e.com/t\nAllow: /y";
    let page = Explainer::all_agents().page(file);
    let expected = [
        "comment",
        "user agent: all other crawlers",
        "rule, read as Disallow: /x",
        "continues line 3",
        "",
        "belongs to the group, read as Content-Signal: a=b, c=d, e=f",
        "continues line 6",
        "continues line 6",
        "left out",
        "belongs to the group",
        "belongs to the file, read as Sitemap: https://e.com/s",
        "belongs to the file",
        "rule",
    ];
    assert_eq!(words(&page), expected);
    let numbers: Vec<u32> = page.lines.iter().map(|line| line.number).collect();
    assert_eq!(numbers, (1..=13).collect::<Vec<u32>>());
    assert_eq!(*page.lines[3].bytes, *b"  : /x # y");
    assert!(page.lines[3].findings.is_empty() && page.lines[2].findings[0].clause == "line.fold");
    assert_eq!((page.records, page.user_agents, page.rules), (1, 1, 2));
}

/// A line that looks like a continuation and is none, and one that looks like a field and is one.
/// [explain.lines] [line.fold]
#[test]
fn only_what_the_parser_joins_continues_a_line() {
    let page = Explainer::all_agents()
        .page(b"User-agent: *\nDisallow: /w\n  not a field\nSitemap:\n  https://e.com/s.xml\n x\n");
    let expected = [
        "user agent: all other crawlers",
        "rule",
        "left out",
        "belongs to the file, read as Sitemap: https://e.com/s.xml",
        "continues line 4",
        "left out",
    ];
    assert_eq!(words(&page), expected);
}

/// [explain.lines]
#[test]
fn an_empty_rule_beside_another_is_no_loss() {
    let page = Explainer::new(["MyBot"]).page(b"User-agent: *\nDisallow:\nAllow:\nDisallow: /a\nAllow:#b\n");
    let expected = [
        "user agent: all other crawlers",
        "empty Disallow: no rule",
        "empty Allow: no rule",
        "rule",
        "empty Allow: no rule",
    ];
    assert_eq!(words(&page), expected);
    assert_eq!(ours(&page), [1, 2, 3, 4, 5]);
    let page = Explainer::all_agents().page(b"User-agent: ?\nDisallow:\nDisallow:\n");
    assert_eq!(page.lines[2].meaning, Meaning::LeftOut { why: LeftOut::ByFinding });
}

/// [explain.lines] [google.line]
#[test]
fn what_a_nul_cuts_is_left_out() {
    let google = Explainer::all_agents().options(Dialect::Google.options());
    let page = google.page(b"user-agent: a\n\0disallow: /x\ndisallow: /y\0z\n");
    assert_eq!(words(&page), ["user-agent: a", "left out", "rule, read as Disallow: /y"]);
    assert!(page.lines[1..3].iter().all(|line| line.findings[0].clause == "google.line"));
}

/// [explain.ours] [value.agents]
#[test]
fn lines_of_the_groups_that_apply_are_ours() {
    let file = b"# a\nUser-agent: a\nCrawl-delay: 3\nUser-agent: b\nDisallow: /x\nfoo\nSitemap: https://e.com/s\n\
        User-agent: *\nDisallow: /\nNoindex: /n\n";
    let by = |agent: &str| ours(&Explainer::new([agent]).page(file));
    assert_eq!(by("a"), [2, 3, 4, 5, 6]);
    assert_eq!(by("b"), [2, 4, 5, 6]);
    assert_eq!(by("c"), [8, 9, 10]);
    assert!(ours(&Explainer::all_agents().page(file)).is_empty());
    let page = Explainer::new(["b"]).page(file);
    assert_eq!(page.who.as_ref().unwrap().words(), "group b applies");
    assert_eq!(page.who.unwrap().agent(), Some("b"));
}

/// [explain.left-out] [limit.bytes]
#[test]
fn a_line_says_why_it_was_left_out() {
    let limits = Limits { max_lines: 1, max_bytes: 90, ..Limits::DEFAULT };
    let options = Options { limits, over_limit: OverLimit::Widen, ..Options::default() };
    let file =
        b"User-agent: a\nDisallow: /a\nDisallow: /b\n# c\nUser-agent: (?)\nNoindex: /n\nfoo\nAllow: /\nDisallow: /d\n";
    let page = Explainer::new(["a"]).options(options.clone()).page(file);
    let why = |number: usize| match page.lines[number - 1].meaning {
        Meaning::LeftOut { why } => Some(why),
        _ => None,
    };
    assert!(page.disallows_all());
    assert_eq!((why(2), why(3)), (Some(LeftOut::AllDisallowed), Some(LeftOut::ByFinding)));
    assert_eq!(
        (why(5), why(6), why(7)),
        (Some(LeftOut::ByFinding), Some(LeftOut::ByFinding), Some(LeftOut::ByFinding))
    );
    assert_eq!((&page.lines[8].meaning, page.lines[8].words().as_str()), (&Meaning::NotRead, "not read"));
    assert_eq!((page.summary.exact, page.rules), (false, 1));
    let refusing = Explainer::new(["a"]).options(Options { over_limit: OverLimit::Refuse, ..options });
    let page = refusing.page(file);
    assert!(page.refused.is_some() && !page.disallows_all() && !page.summary.exact);
    assert!(refusing.inspect(file).is_err());
}

/// A line of a group that a limit removed has no finding of its own if it is another field. [explain.left-out]
#[test]
fn a_group_takes_its_lines_with_it() {
    let limits = Limits { max_records: 1, ..Limits::DEFAULT };
    let explainer = Explainer::all_agents().options(Options { limits, ..Options::default() });
    let page = explainer.page(b"User-agent: a\nDisallow: /\nUser-agent: b\nDisallow:\n\nDisallow:\n");
    let left_out = page.lines.iter().filter(|line| matches!(line.meaning, Meaning::LeftOut { .. }));
    assert_eq!(left_out.map(|line| line.number).collect::<Vec<_>>(), [3, 4, 6]);
}

/// A page and `filter` say the same of a file: what was lost, and which line is refused. The bytes of the page's lines.
/// Limits for texts do not hold here.
fn agreed(file: &[u8], options: &Options, agent: Option<&str>) -> Option<usize> {
    let (explainer, sieve) = match agent {
        None => (Explainer::all_agents(), Sieve::all_agents()),
        Some(agent) => (Explainer::new([agent]), Sieve::new([agent])),
    };
    let page = explainer.options(options.clone()).page(file);
    let context = format!("{} {options:?} {agent:?}", String::from_utf8_lossy(file));
    let sieved = match sieve.options(options.clone()).filter(file) {
        Ok(sieved) => sieved,
        Err(refused) => {
            assert_eq!(page.refused, Some(refused), "{context}");
            return None;
        }
    };
    let is_of_file = |(kind, _): &(FindingKind, u64)| *kind != FindingKind::LongText;
    let of_text: Vec<_> = sieved.report().counts().filter(is_of_file).collect();
    assert_eq!((page.report.counts().collect::<Vec<_>>(), page.refused), (of_text, None), "{context}");
    assert_eq!(page.summary.exact, sieved.report().is_exact(), "{context}");
    assert!(page.lines.iter().zip(1..).all(|(line, number)| line.number == number), "{context}");
    let rules: Vec<_> = sieved.records().records().flat_map(|record| record.rules().to_vec()).collect();
    assert!(agent.is_none() || page.rules == rules.len(), "{context}: {} rules", page.rules);
    for number in rules.iter().filter_map(Rule::line).map(NonZeroU32::get) {
        let line = &page.lines[usize::try_from(number).unwrap() - 1];
        assert!(matches!(line.meaning, Meaning::Rule { .. }), "{context}: line {number} is kept");
        assert!(line.ours || agent.is_none(), "{context}: line {number} is theirs");
    }
    Some(page.lines.iter().map(|line| line.bytes.len()).sum())
}

/// On every file of the corpus: the page is the file, and its rules are those that `filter` keeps.
/// [explain.lines] [explain.left-out]
#[test]
fn a_page_is_the_whole_file_and_what_is_kept_of_it() {
    for (path, file) in crate::families::corpus::files() {
        for (number, dialect) in [Dialect::Standard, Dialect::Google, Dialect::Processor].into_iter().enumerate() {
            let limits = Limits { max_lines: 3, max_wildcards: 1, ..dialect.options().limits };
            let limits = if number == 0 { limits } else { dialect.options().limits };
            let options = Options { limits, ..dialect.options() };
            // Of UTF-16 it is the text.
            let lines = Parser::new(options.clone()).parse_lines(&file);
            let ends = lines.text().iter().filter(|byte| matches!(byte, b'\r' | b'\n')).count();
            for agent in [None, Some("Googlebot"), Some("MyBot")] {
                let whole = agreed(&file, &options, agent).unwrap();
                assert_eq!(whole + ends, lines.text().len(), "{} {dialect:?}", path.display());
            }
        }
    }
}

/// With each limit and each choice for what exceeds it. [explain.lines] [explain.left-out]
#[test]
fn a_page_agrees_with_filter_under_every_limit() {
    let files = [
        "User-agent: MyBot/2.1\nDisalow: tmp\n\nUser-agent: *\nDisallow:\n  /b\nFoo: bar\nCrawl-delay: 5\nDisallow: /*a*b*c\n\
            User-agent: ???\nDisallow: /gone\n",
        "User-agent: *\nDisallow: /a*b*c*d\nAllow: /a*bcd\nAllow: /b\n",
        "User-agent: *\nDisallow: /a\nUser-agent: x\nDisallow: /b\nAllow: /c\nDisallow: /d*e*f*g\nUser-agent: x\nAllow: /\n",
        "User-agent: *\nDisallow:\nCrawl-delay: 1\nCrawl-delay: 3\nHost: a.com\nHost: b.com\n",
    ];
    let limits = [
        Limits { max_lines: 1, ..Limits::DEFAULT },
        Limits { max_lines: 2, ..Limits::DEFAULT },
        Limits { max_records: 1, ..Limits::DEFAULT },
        Limits { max_wildcards: 2, ..Limits::DEFAULT },
        Limits { max_bytes: 40, ..Limits::DEFAULT },
    ];
    for (file, limits) in files.iter().flat_map(|file| limits.map(|limits| (file, limits))) {
        for over_limit in [OverLimit::Drop, OverLimit::Widen, OverLimit::Refuse] {
            let options = Options { limits, over_limit, ..Options::default() };
            for agent in [Some("x"), Some("mybot"), None] {
                agreed(file.as_bytes(), &options, agent);
            }
        }
    }
}

/// A repaired value belongs to those it is for, and not to all agents of its group. [explain.ours]
#[test]
fn a_repaired_value_for_another_agent_is_not_ours() {
    let file = b"User-agent: t\nCrawldelay: 5\nUser-agent: MyBot\nDisallow: /x\n";
    let page = Explainer::new(["MyBot"]).page(file);
    assert_eq!(ours(&page), [1, 3, 4]);
}

/// The lines of a group that the text has no space for are left out, although no finding is on them. [explain.left-out]
#[test]
fn lines_of_a_group_that_does_not_fit_are_left_out() {
    let file = "User-agent: a\nDisallow: /ééééé\nUser-agent: b\nDisallow: /\n".as_bytes();
    let options = Options { limits: Limits { max_bytes: 62, ..Limits::DEFAULT }, ..Options::default() };
    let page = Explainer::all_agents().options(options).page(file);
    let left_out = page.lines.iter().find(|line| line.number == 4).map(|line| &line.meaning);
    assert!(matches!(left_out, Some(Meaning::LeftOut { why: LeftOut::WithGroup })), "{left_out:?}");
}
