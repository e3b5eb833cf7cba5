//! The choices in which each dialect differs from the standard.

use robosieve::records::Parser;
use robosieve::report::FindingKind;
use robosieve::settings::{Dialect, Interest};
use robosieve::{Sieve, Tester};

use crate::number;

/// [google.agent] [agent.select]
#[test]
fn google_merges_the_records_of_all_agents() {
    let input = b"User-agent: a\nDisallow: /a\n\nUser-agent: b\nDisallow: /b\n\nUser-agent: *\nDisallow: /\n";
    let text = |dialect| Sieve::new(["b", "a"]).options(dialect).filter(input).unwrap().text().to_string();
    assert_eq!(text(Dialect::Standard), "User-agent: *\nDisallow: /b\n");
    assert_eq!(text(Dialect::Processor), "User-agent: *\nDisallow: /b\n");
    assert_eq!(text(Dialect::Google), "User-agent: *\nDisallow: /a\nDisallow: /b\n");
}

/// [rule.robots-txt]
#[test]
fn only_the_standard_always_allows_robots_txt() {
    for (dialect, allowed) in [(Dialect::Standard, true), (Dialect::Google, false), (Dialect::Processor, false)] {
        let set = Parser::new(dialect.options()).parse(b"User-agent: *\nDisallow: /\n");
        let tester = Tester::new(&set, &Interest::new(["MyBot"]));
        assert_eq!(tester.is_allowed("/robots.txt"), allowed, "{dialect:?}");
        assert_eq!(tester.test(b"/robots.txt").allowed(), allowed, "{dialect:?}");
        assert!(!tester.is_allowed("/robots.txt?"), "{dialect:?}");
    }
}

/// The longest line that Google's parser reads. [google.line]
const LINE: usize = 16_663;

/// A text for it has no longer line: escapes make a line longer than that of the file. [google.line] [text.unwritable]
#[test]
fn no_line_of_a_text_is_cut_by_google() {
    for length in [LINE - 1, LINE, LINE + 1] {
        let path = "a".repeat(length - "Disallow: /%E4".len());
        let file = [b"User-agent: *\nDisallow: /", path.as_bytes(), b"\xE4\n"].concat();
        let sieved = Sieve::new(["MyBot"]).options(Dialect::Google).filter(&file).unwrap();
        let is_kept = length <= LINE;
        assert_eq!(sieved.report().count(FindingKind::ValueTooLong), u64::from(!is_kept), "{length}");
        let longest = sieved.text().lines().map(str::len).max();
        assert_eq!(longest, Some(if is_kept { length } else { "User-agent: *".len() }));
    }
}

/// A line ends after 16,663 bytes, also in the middle of a word. [google.line]
#[test]
fn long_lines_are_cut_for_google() {
    let filled = |start: &str, length: usize, end: &str| start.to_owned() + &"a".repeat(length - start.len()) + end;
    for start in ["Disallow: /", "Disallow : /", "# ", "Sitemap: https://e.com/", "x", "User-agent: a "] {
        for end in ["\n", "\r\n", "\r", ""] {
            for (length, cuts) in [(LINE - 1, 0), (LINE, 0), (LINE + 1, 1)] {
                let input = "User-agent: *\nAllow: /b\n".to_owned() + &filled(start, length, end);
                let set = Parser::new(Dialect::Google.options()).parse(input.as_bytes());
                let report = set.report();
                assert_eq!(report.count(FindingKind::LineCut), cuts, "{start} {length} {end:?}");
                let lines: Vec<u32> = report
                    .details()
                    .iter()
                    .filter(|it| it.kind == FindingKind::LineCut)
                    .map(|it| number(it.line))
                    .collect();
                assert!(lines.iter().all(|&line| line == 3), "{lines:?}");
                let longest = set.records().flat_map(|it| it.rules()).map(|rule| rule.pattern().len()).max();
                let kept = length.min(LINE) + 1;
                let path = start.ends_with(" /").then(|| kept - start.len());
                assert_eq!(longest, path.or(Some(2)), "{start} {length} {end:?}");
            }
        }
    }
    let nul = Parser::new(Dialect::Google.options()).parse(b"User-agent: *\nDisallow: /a\0b\n# a\0b\nDisallow: /c\n");
    assert_eq!(nul.report().count(FindingKind::LineCut), 2);
    let lengths: Vec<usize> = nul.records().flat_map(|it| it.rules()).map(|rule| rule.pattern().len()).collect();
    assert_eq!(lengths, [2, 2]);
}
