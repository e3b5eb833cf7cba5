//! What a limit counts, which loss is named first, what a text has instead of what was lost, and where a cut falls.

use robosieve::records::{Parser, PathPattern};
use robosieve::report::{Effect, FindingKind};
use robosieve::settings::{Limits, OverLimit, PathForm, TextForm};
use robosieve::{Options, Sieve};

use crate::checked::limits::hold_in_the_text;
use crate::checked::text::idempotent;
use crate::checked::verdicts::{widening, widening_for_all_agents};
use crate::checked::{Choices, lines};
use crate::{at, limited, sieved, text_with};

/// A cut is reported at the first line that was not read: [limit.bytes] [line.number]
#[test]
fn bytes_name_the_first_line_that_was_not_read() {
    for (input, max_bytes, line) in [("a\nb\nc\n", 2, 2), ("a\nb\nc\n", 3, 3), ("a\r\nb\r\nc", 4, 3), ("aaaa", 2, 1)] {
        let cut = sieved(limited(Limits { max_bytes, ..Limits::default() }), input);
        assert_eq!(cut.report().first_loss().unwrap().line, at(line), "{input:?} at {max_bytes}");
    }
}

/// A lost record is a loss only for the agents that it applies to. [limit.records] [report.scope]
#[test]
fn records_lost_by_other_agents_are_no_loss() {
    let file = "User-agent: MyBot\nDisallow: /a\nUser-agent: *\nDisallow: /\n";
    let one = limited(Limits { max_records: 1, ..Limits::default() });
    for over_limit in [OverLimit::Drop, OverLimit::Widen, OverLimit::Refuse] {
        let kept = sieved(Options { over_limit, ..one.clone() }, file);
        assert_eq!((kept.text(), kept.report().total()), ("User-agent: *\nDisallow: /a\n", 0));
    }
    let two = "User-agent: a\nDisallow: /a\nUser-agent: b\nDisallow: /b\n";
    let again = "User-agent: a\nDisallow: /1\nUser-agent: a\nDisallow: /2\nUser-agent: b\nDisallow: /3\n";
    for (agents, file, lost) in [
        (&["other"][..], file, 2),
        // The loss of a less preferred agent does not count either; that of a more preferred one does.
        (&["a", "b"], two, 0),
        (&["b", "a"], two, 2),
        // If several agents lost records, their losses are distinguished.
        (&["a", "b"], again, 2),
    ] {
        let sieved = Sieve::new(agents).options(one.clone()).filter(file.as_bytes()).unwrap();
        assert_eq!(sieved.report().count(FindingKind::TooManyRecords), lost, "{agents:?}");
    }
}

/// The parser itself applies the limit, to a group and to the file, even without a filter. [limit.lines] [bounds.parse]
#[test]
fn a_set_holds_no_more_lines_than_a_record_may_have() {
    let rules: String =
        (0..9).map(|n| format!("Disallow: /{n}\nCrawl-delay: {n}\nSitemap: http://e.com/{n}\n")).collect();
    let file = format!("User-agent: a\n{rules}User-agent: b\n{rules}");
    let set = Parser::new(limited(Limits { max_lines: 5, ..Limits::DEFAULT })).parse(file.as_bytes());
    assert!(set.records().all(|record| record.rules().len() + record.extensions().len() == 5));
    assert_eq!((set.file_lines().len(), set.report().count(FindingKind::TooManyLines)), (5, 2 * 13 + 13));
}

/// The last rule of the files below.
const LAST: &str = "Disallow: /z\n";

/// What is exactly at a limit is kept. What is over it is lost and reported, and nothing after it is lost. Lines count as
/// they are written: names and values in their canonical spelling, a run of stars as one, or as its stars if it has more
/// than are allowed, an escaped star as a star. [limit.after-normalising] [limit.own-line] [limit.records] [limit.lines]
/// [limit.user-agents] [limit.directive-length] [limit.name-length] [limit.value-length] [limit.wildcards]
#[test]
fn what_is_at_a_limit_is_kept() {
    let value = |line, written: &'static str| {
        ("max_value_length", written.split_once(": ").unwrap().1.trim_end().len(), line, written)
    };
    let stars = |count, line, written| ("max_wildcards", count, line, written);
    for (limit, most, lines, written) in [
        ("max_records", 2, "Disallow: /a\nUser-agent: b", "User-agent: b\nDisallow: /z\n"),
        ("max_lines", 3, "Disallow: /a\nDisallow: /b", LAST),
        ("max_user_agents", 2, "User-agent: b", "User-agent: b\n"),
        ("max_name_length", 5, "User-agent: Other", "User-agent: other\n"),
        ("max_directive_length", 12, "xx-throttle2: 1", "Xx-throttle2: 1\n"),
        value("Disallow: /aaaaaaaa", "Disallow: /aaaaaaaa\n"),
        value("Disallow: /aaaaaaa%61", "Disallow: /aaaaaaaa\n"),
        value("Disallow: /aaa\u{e9}", "Disallow: /aaa%C3%A9\n"),
        value("Disallow: aaaaaaaa", "Disallow: /aaaaaaaa\n"),
        value("Sitemap: https://E.com/a%7e", "Sitemap: https://e.com/a~\n"),
        value("License: https://e.com/\u{e9}", "License: https://e.com/%C3%A9\n"),
        value("Clean-param: some /text", "Clean-param: some /text\n"),
        value("Noindex: /abc", "Noindex: /abc\n"),
        value("Request-rate: 1/24h", "Request-rate: 1/86400\n"),
        value("Content-Signal: a=0,b=false,c=no", "Content-Signal: a=no, b=no, c=no\n"),
        stars(2, "Disallow: /a*b*c", "Disallow: /a*b*c\n"),
        stars(3, "Disallow: /a***b", "Disallow: /a*b\n"),
        stars(2, "Disallow: /a%2ab%2A", "Disallow: /a%2Ab%2A\n"),
        stars(2, "Noindex: /*a*b", "Noindex: /*a*b\n"),
    ] {
        let file = format!("User-agent: *\n{lines}\n{LAST}");
        let clause = limit.replace("max_", "limit.").replace('_', "-");
        for number in [0, 1, most - 1, most, most + 1, usize::MAX] {
            let mut options = Options { keep_unknown: true, ..Options::default() };
            *options.limits.named_mut(limit).unwrap() = number;
            let sieved = Sieve::all_agents().options(options).filter(file.as_bytes()).unwrap();
            let (text, report) = (sieved.text(), sieved.report());
            assert_eq!(text.contains(written), number >= most, "{lines:?} at {number}: {text}");
            let is_reported = report.counts().any(|(kind, _)| kind.clause() == clause);
            assert_eq!(is_reported, number < most, "{lines:?} at {number}: {report:?}");
            assert!(number >= most || report.count(FindingKind::RepairedValue) == 0, "{lines:?} was left out");
            let is_last_over = number < most - 1 || written.ends_with(LAST);
            assert!(is_last_over || text.contains(LAST), "{lines:?} at {number}: {text}");
        }
    }
}

/// [over-limit.refuse]
#[test]
fn the_first_loss_is_that_of_the_least_line() {
    // The parser finds the long value first. The filter finds later that there are too many lines before it.
    let file = ["User-agent: *\n", &"Disallow: /a\n".repeat(3), "Disallow: /", &"b".repeat(50), "\n"].concat();
    let limits = Limits { max_lines: 2, max_value_length: 20, ..Limits::DEFAULT };
    let merged = format!("User-agent: *\nDisallow: /c\n{file}");
    for (file, line) in [(file, 4), (merged, 5)] {
        assert_eq!(sieved(limited(limits), &file).report().first_loss().unwrap().line, at(line));
    }
    // The missing end of the file is found before its beginning is read.
    let cut = limited(Limits { max_value_length: 3, max_bytes: 44, ..Limits::DEFAULT });
    let sieved = sieved(cut, "User-agent: *\nDisallow: /long\nDisallow: /b\nDisallow: /c\n");
    assert_eq!(sieved.report().first_loss().unwrap().line, at(2));
    assert_eq!(sieved.report().count(FindingKind::InputCut), 1);
}

/// [over-limit.refuse]
#[test]
fn refusing_names_the_first_loss_of_the_agent() {
    let over = "*a".repeat(11);
    let file = format!("User-agent: other\nDisallow: /{over}\n\nUser-agent: MyBot\nAllow: /\nDisallow: /{over}\n");
    let refusing = |agent| Sieve::new([agent]).with(|options| options.over_limit = OverLimit::Refuse);
    let refused = refusing("MyBot").filter(file.as_bytes()).unwrap_err();
    assert_eq!((refused.finding.line, refused.finding.kind), (at(6), FindingKind::TooManyWildcards));
    assert_eq!(refused.finding.effect, Effect::MorePermissive);
    assert_eq!(
        refused.to_string(),
        "refused: line 6: a rule with more than max_wildcards stars was left out (permits more) [limit.wildcards]; \
         raise the limit, or let over-limit rules be dropped or widened"
    );
    assert!(refusing("third").filter(file.as_bytes()).is_ok(), "that agent lost nothing");
}

/// If a record is opened again, its first lines in the file are kept, of any kind. [limit.lines] [record.merge]
#[test]
fn lines_are_kept_in_file_order() {
    let file = "User-agent: *\nCrawl-delay: 5\nDisallow: /1\nUser-agent: *\nDisallow: /2\nVisit-time: 0000-0100\n";
    for (max_lines, expected) in [
        (1, "Disallow:\nCrawl-delay: 5\n"),
        (2, "Disallow: /1\nCrawl-delay: 5\n"),
        (3, "Disallow: /1\nDisallow: /2\nCrawl-delay: 5\n"),
        (4, "Disallow: /1\nDisallow: /2\nCrawl-delay: 5\nVisit-time: 0000-0100\n"),
    ] {
        let text = text_with(limited(Limits { max_lines, ..Limits::default() }), file);
        assert_eq!(text, format!("User-agent: *\n{expected}"), "{max_lines}");
    }
}

/// Files that are shorter than their texts.
const GROWING: [&[u8]; 7] = [
    b"Useragent:*\nDisallow:\xe3\xe3\nHost:ab",
    b"Useragent:b\nAllow:\nUseragent:c\nAllow:\nUseragent:a\nAllow:/\xe3\nUseragent:*\nAllow:\xe3",
    b"Useragent:*\nAllow:/\nDisallow:\xe3\xe3\nCrawl-delay:1\nSitemap:http://a/\xe3\nSitemap:http://b/",
    b"Useragent:*\nX:\nY:\nZ:\nDisallow:/a\xe3\nX:y",
    b"Sitemap:http://a/\xe3\xe3\xe3\nSitemap:http://b/",
    b"Useragent:*\nDisallow:*/xxxxxxxxxxxxxxxxxxxx\nDisallow:/a*b\nAllow:*/a/\nSitemap:http://a/",
    b"Useragent:*\nAllow:\nCrawl-delay:1\nUseragent:x\nUseragent:y\nAllow:\nCrawl-delay:2\nSitemap:http://a/\xe3",
];

/// A text is never longer than the limit, in every form, also if all is forbidden for what was lost. It contains everything
/// that fits, and the rest is reported. [limit.bytes] [text.newline] [portable.limits] [text.idempotent] [over-limit.widen]
#[test]
fn no_text_is_longer_than_the_limit() {
    for (number, file) in GROWING.iter().enumerate() {
        for form in [TextForm::Faithful, TextForm::Portable] {
            for crlf in [false, true] {
                let choices = Choices { form, crlf, ..Choices::new(Options::default(), &["a"]) };
                for more in 0..120 {
                    fits(file, file.len() + more, &choices);
                }
                let longest = fits(file, 1_000, &choices);
                assert!(
                    longest.iter().all(|is_whole| *is_whole),
                    "file {number}: something is missing although it fits"
                );
            }
        }
    }
}

/// Checks the texts for the agents and for all under this limit. Returns whether each is that without a limit.
fn fits(file: &[u8], max_bytes: usize, choices: &Choices) -> [bool; 2] {
    let within = |max_bytes| {
        let options = limited(Limits { max_bytes, ..Limits::DEFAULT });
        Choices { options: Options { keep_unknown: true, ..options }, ..choices.clone() }
    };
    let limited = within(max_bytes);
    for property in [hold_in_the_text, idempotent, widening, widening_for_all_agents] {
        property(file, &limited);
    }
    let whole = within(usize::MAX);
    [(whole.sieve(), limited.sieve()), (whole.sieve_all(), limited.sieve_all())].map(|(whole, limited)| {
        let (whole, limited) = (whole.filter(file).unwrap(), limited.filter(file).unwrap());
        let is_whole = limited.text() == whole.text();
        let is_reported = limited.report().count(FindingKind::TextTooLong) > 0;
        assert!(is_reported != is_whole || choices.form == TextForm::Portable, "{max_bytes}: {}", limited.text());
        // If both spellings of a rule do not fit, the portable text contains one of them.
        assert!(is_reported || is_whole == (whole.text().len() <= max_bytes), "{max_bytes}: {}", limited.text());
        is_whole
    })
}

/// A cut at any byte keeps the whole lines before it, and is reported. It never keeps half a line, an escape, a
/// character or a CRLF. [limit.bytes] [line.end] [logical.not-read]
#[test]
fn a_cut_falls_on_the_end_of_a_line() {
    let input =
        "User-agent: *\r\nDisallow: /%e3%83%84\r\nAllow: /\u{30c4}\u{30c4}\rDisallow: /%2A*b$\n\r\nAllow: /b\r\n"
            .as_bytes();
    let whole = Sieve::new(["MyBot"]);
    for max_bytes in 0..=input.len() + 1 {
        // Checks only the parser's cut: the text has a separate limit.
        let choices = Choices::new(limited(Limits { max_bytes, ..Limits::DEFAULT }), &[]);
        lines::cover(input, &choices);
        lines::agree(input, &choices);
        let parser = choices.parser();
        let set = parser.parse(input);
        let kept: Vec<&[u8]> = set.records().flat_map(|it| it.rules()).map(|rule| rule.pattern().as_bytes()).collect();
        let lines = whole_lines(input, max_bytes);
        let expected = whole.filter(lines).unwrap();
        let rules = expected.records().records().flat_map(|record| record.rules());
        assert_eq!(kept, rules.map(|rule| rule.pattern().as_bytes()).collect::<Vec<_>>(), "at {max_bytes}");
        let is_cut = input[lines.len()..].iter().any(|byte| !matches!(byte, b'\r' | b'\n'));
        let is_reported = set.report().count(FindingKind::InputCut) == 1;
        assert!(is_reported || !is_cut, "a cut at {max_bytes} is not reported");
        assert!(!is_reported || lines.len() < input.len(), "reported a cut that did not happen at {max_bytes}");
    }
}

/// The whole lines among the first bytes, found by a simple scan.
fn whole_lines(input: &[u8], max: usize) -> &[u8] {
    let is_end = |at: usize| input.get(at).is_none_or(|byte| matches!(byte, b'\r' | b'\n'));
    let end = (0..=max.min(input.len())).rev().find(|&at| at == 0 || is_end(at) || is_end(at - 1)).unwrap();
    &input[..end]
}

/// A Disallow is cut without changing the meaning of its beginning, at every length and number of stars:
/// [over-limit.widen]
#[test]
fn a_widened_rule_is_cut_between_bytes() {
    for path in
        ["/%E3%83%84/a%2Ab", "/a*b*%2A$c*", "*/x$*y$", "/$$$$%24", "/%%34%31", "/%E3*%83*%84", "/a%2", "/%25%32%41"]
    {
        let input = format!("User-agent: *\nDisallow: {path}\n");
        let whole = PathPattern::new(path.as_bytes(), PathForm::default());
        for max in 1..=path.len() {
            for limits in [
                Limits { max_value_length: max, ..Limits::DEFAULT },
                Limits { max_wildcards: max - 1, ..Limits::DEFAULT },
                Limits { max_value_length: max, max_wildcards: max / 2, ..Limits::DEFAULT },
            ] {
                let widened = sieved(Options { over_limit: OverLimit::Widen, ..limited(limits) }, &input);
                let cut = widened.records().records().flat_map(|record| record.rules()).next().unwrap();
                let cut = cut.pattern().as_bstr().to_string();
                let is_front = whole.as_bytes().starts_with(cut.as_bytes());
                assert!(is_front || cut == "/", "{path} became {cut}");
                if cut.len() == whole.len() || cut == "/" {
                    continue;
                }
                assert!(cut.len() <= limits.max_value_length, "{path} became {cut}");
                let after = &whole.as_bytes()[cut.len()..];
                for within in 1..=2.min(cut.len()) {
                    let around = [&cut.as_bytes()[cut.len() - within..], after].concat();
                    let is_escape =
                        around[0] == b'%' && around.len() > 2 && around[1..3].iter().all(u8::is_ascii_hexdigit);
                    assert!(!is_escape, "{path} was cut within an escape: {cut}");
                }
                assert!(!cut.ends_with('$'), "{path} was cut so that it is anchored: {cut}");
            }
        }
    }
}
