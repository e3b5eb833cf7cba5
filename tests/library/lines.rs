//! A file as data: its logical lines; and its record set with the numbers of lines and the typed values.

use std::num::NonZeroU32;

use allocation_counter::measure;
use robosieve::Options;
use robosieve::lines::{FileLines, LineMeaning};
use robosieve::records::{Directive, Parser, RecordSet, RuleKind};
use robosieve::report::FindingKind;
use robosieve::settings::{Dialect, DirectiveScope, Style, Vocabulary};

use LineMeaning::{Comment, Empty, Extension, NoField, UnknownField, UserAgent};

use crate::{at, number};

const ALLOW: LineMeaning = LineMeaning::Rule(RuleKind::Allow);
const DISALLOW: LineMeaning = LineMeaning::Rule(RuleKind::Disallow);

fn read(options: Options, input: &[u8]) -> FileLines<'_> {
    Parser::new(options).parse_lines(input)
}

/// The first and the last number, the meaning and the group of each line.
fn reported(file: &FileLines<'_>) -> Vec<(u32, u32, LineMeaning, Option<u32>)> {
    let line = |line: robosieve::lines::LogicalLine<'_, '_>| {
        (line.numbers().start().get(), line.numbers().end().get(), line.meaning(), line.group().map(NonZeroU32::get))
    };
    file.iter().map(line).collect()
}

/// [logical.meaning] [logical.group]
#[test]
fn each_line_has_one_meaning_and_one_group() {
    let input = b"Disallow: /lost\nUser-agent: a\n\nSitemap: https://e.com/s\nUser-agent: b # two\nCrawl-delay: 5\n\
        Allow: /x\n# about c\nUser-agent: ?\nnothing\nFoo: bar\nDisallow: /y\nUser-agent: d\n";
    let group = (2, 9, 13);
    let expected = [
        (1, 1, DISALLOW, None),
        (2, 2, UserAgent, Some(group.0)),
        (3, 3, Empty, None),
        (4, 4, Extension(Directive::Sitemap), None),
        (5, 5, UserAgent, Some(group.0)),
        (6, 6, Extension(Directive::CrawlDelay), Some(group.0)),
        (7, 7, ALLOW, Some(group.0)),
        (8, 8, Comment, None),
        (9, 9, UserAgent, Some(group.1)),
        (10, 10, NoField, Some(group.1)),
        (11, 11, UnknownField, Some(group.1)),
        (12, 12, DISALLOW, Some(group.1)),
        (13, 13, UserAgent, Some(group.2)),
    ];
    let file = read(Options::default(), input);
    assert_eq!(reported(&file), expected);
    let agents = |number| file.line_at(at(number)).unwrap().record().map(|record| record.agents().len());
    assert_eq!((agents(2), agents(7), agents(10), agents(13)), (Some(2), Some(2), None, Some(1)));
    assert!(file.line_at(at(0)).is_none() && file.line_at(at(14)).is_none());
}

/// [logical.span] [line.number]
#[test]
fn a_line_has_the_lines_that_continue_it() {
    let input = b"\xEF\xBB\xBFUser-agent: *\r\nDisallow\r\n  : /x\rContent-Signal:\n  search=yes,\n\n  ai-train=no";
    let file = read(Options::default(), input);
    let expected = [
        (1, 1, UserAgent, Some(1)),
        (2, 3, DISALLOW, Some(1)),
        (4, 5, Extension(Directive::ContentSignal), Some(1)),
        (6, 6, Empty, None),
        (7, 7, NoField, Some(1)),
    ];
    assert_eq!(reported(&file), expected);
    let spans: Vec<_> = file.iter().map(|line| line.span()).collect();
    assert_eq!(spans, [0..18, 18..35, 35..65, 65..66, 66..79]);
    let rule = file.line_at(at(3)).unwrap();
    assert_eq!(rule.physical().collect::<Vec<_>>(), [&b"Disallow"[..], b"  : /x"]);
    assert_eq!((rule.name().unwrap(), rule.value().unwrap()), ("Disallow".into(), "/x".into()));
    assert!(rule.is_continued() && !file.line_at(at(1)).unwrap().is_continued());
    assert_eq!(file.line_at(at(1)).unwrap().physical().next().unwrap(), b"\xEF\xBB\xBFUser-agent: *");
    assert_eq!(file.line_at(at(7)).unwrap().name(), None);
}

/// [logical.meaning] [google.line]
#[test]
fn options_determine_the_meaning_of_a_line() {
    let google = read(Dialect::Google.options(), b"user-agent: a\nfoo bar: x\n /x\nallow: /a\0b # c\n\0#\n");
    let expected = [
        (1, 1, UserAgent, Some(1)),
        (2, 2, UnknownField, Some(1)),
        (3, 3, NoField, Some(1)),
        (4, 4, ALLOW, Some(1)),
        (5, 5, Empty, None),
    ];
    assert_eq!(reported(&google), expected);
    assert_eq!(google.line_at(at(4)).unwrap().value().unwrap(), "/a");
    let vocabulary = Vocabulary::default().with_directive("X-Group", DirectiveScope::Record).unwrap();
    let vocabulary = vocabulary.with_directive("X-File", DirectiveScope::File).unwrap();
    let mut options = Options { vocabulary, keep_unknown: true, ..Options::default() };
    let own = read(options.clone(), b"User-agent: a\nX-Group: 1\nX-File: 2\nFoo: 3\nDisallow:\n /x");
    let groups: Vec<_> = own.iter().map(|line| (line.group(), line.kept().is_some())).collect();
    assert_eq!(groups, [(at(1), true), (at(1), true), (None, true), (at(1), true), (at(1), true)]);
    assert!(matches!(own.line_at(at(2)).unwrap().meaning(), Extension(Directive::Own(_))));
    assert_eq!(own.line_at(at(4)).unwrap().meaning(), UnknownField);
    options.fold = false;
    assert_eq!(options.lines, Style::Standard);
    assert_eq!(read(options, b"User-agent: a\nDisallow:\n /x").iter().len(), 3);
}

/// [logical.bounded]
#[test]
fn a_list_is_no_longer_than_its_file() {
    for part in [
        &b"\n"[..],
        b"a:\n",
        b"allow:\n",
        b"\r",
        b"x\n",
        b"user-agent:a\nallow:\n",
        b"#\n",
        b"content-usage:\n a=b,\n c\n",
    ] {
        let input = [&b"user-agent: a\n"[..], &part.repeat(20_000)].concat();
        let held = |work: &dyn Fn()| usize::try_from(measure(work).bytes_max).unwrap();
        let parsing = held(&|| drop(Parser::default().parse(&input)));
        let listing = held(&|| drop(Parser::default().parse_lines(&input)));
        let lines = Parser::default().parse_lines(&input).iter().map(|line| line.physical().count()).sum::<usize>();
        assert!(listing <= parsing + 100 * lines + 4_000, "{part:?}: {parsing} {listing} {lines}");
    }
}

/// What a record set of it holds.
static FILE: &str = "User-agent: a\nUser-agent: b\nDisallow: /x\nAllow: /x/y\nDisallow: /x\nCrawl-delay: 1\nCrawl-delay: 3\n\
    Request-rate: 1/5\nRequest-rate: 1/6\nVisit-time: 0000-0100\nClean-param: p\nContent-Signal: s=yes\nContent-Usage: u=n\n\
    Sitemap: https://e.com/1\nHost: one.com\nSitemap: https://e.com/2\nSitemap: https://e.com/1\nHost: two.com\nUser-agent: *\n\
    Disallow:\nbroken\n";

fn set() -> RecordSet<'static> {
    Parser::default().parse(FILE.as_bytes())
}

/// [line.number]
#[test]
fn parts_know_their_lines() {
    let set = set();
    assert_eq!(set.records().len(), 2);
    let record = set.records().next().unwrap();
    let agents: Vec<_> = record.agents().iter().map(|agent| (number(agent.line()), agent.name().to_string())).collect();
    assert_eq!(agents, [(1, "a".to_owned()), (2, "b".to_owned())]);
    let rules: Vec<_> =
        record.rules().iter().map(|rule| (number(rule.line()), rule.kind(), rule.pattern().len())).collect();
    assert_eq!(rules, [(3, RuleKind::Disallow, 2), (4, RuleKind::Allow, 4), (5, RuleKind::Disallow, 2)]);
    let lines: Vec<_> = set.file_lines().iter().map(|line| (number(line.line()), line.directive())).collect();
    assert_eq!(lines[..3], [(11, Directive::CleanParam), (14, Directive::Sitemap), (15, Directive::Host)]);
    let names: Vec<String> = record.extensions().iter().map(|line| line.name().to_string()).collect();
    assert_eq!((names.len(), names[0].as_str(), names[6].as_str()), (7, "Crawl-delay", "Content-Usage"));
    assert_eq!(record.extensions()[1].value(), "3");
    let by_precedence: Vec<u32> = record.rules_by_precedence().iter().map(|rule| number(rule.line())).collect();
    assert_eq!(by_precedence, [4, 3, 5]);
    assert_eq!(set.report().count(FindingKind::NotAField), 1);
    assert_eq!(record.report(), None);
    assert!(set.records().nth(1).unwrap().rules().iter().all(|rule| rule.pattern().is_empty()));
}

/// [ext.record] [value.crawl-delay] [value.request-rate] [value.visit-time] [value.clean-param] [value.content-signal]
#[test]
fn records_have_typed_values() {
    let set = set();
    let record = set.records().next().unwrap();
    assert_eq!(record.crawl_delay().unwrap().raw(), "3");
    let values = record.shared_values();
    assert_eq!(values.request_rates().map(|rate| rate.seconds).collect::<Vec<_>>(), [5, 6]);
    assert_eq!(values.visit_times().map(|time| time.to).collect::<Vec<_>>(), [60]);
    assert_eq!(set.clean_params().map(|param| param.to_string()).collect::<Vec<_>>(), ["p"]);
    assert_eq!(values.content_signals().map(|it| it.to_string()).collect::<Vec<_>>(), ["s=yes"]);
    assert_eq!(values.content_usage().map(|it| it.to_string()).collect::<Vec<_>>(), ["u=n"]);
}
