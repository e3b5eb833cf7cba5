//! The choices in which each dialect differs from the standard.

use robosieve::agent::{AgentForm, Interest};
use robosieve::path::PathEncoding;
use robosieve::policy::Parser;
use robosieve::report::FindingKind;
use robosieve::settings::{Dialect, Limits, Options};
use robosieve::syntax::{Leniency, LineStyle};
use robosieve::text::TextForm;
use robosieve::verdict::{StatusMeaning, StatusPolicy};
use robosieve::{Sieve, Tester};

/// [google.agent] [agent.select]
#[test]
fn google_merges_the_records_of_all_agents() {
    let input = b"User-agent: a\nDisallow: /a\n\nUser-agent: b\nDisallow: /b\n\nUser-agent: *\nDisallow: /\n";
    let text = |dialect| Sieve::new(["b", "a"]).dialect(dialect).run(input).unwrap().text().to_string();
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

/// In each dialect only a rule ends a run of user-agent lines. With the option, any field does. [processor.run]
/// [record.any-line-ends-run] [record.other-lines]
#[test]
fn only_a_rule_ends_a_run() {
    let input = b"User-agent: a\nSitemap: https://e.com/s\nUser-agent: b\nDisallow: /\n";
    for dialect in [Dialect::Standard, Dialect::Google, Dialect::Processor] {
        for agent in ["a", "b"] {
            let verdicts = |options| {
                let sieved = Sieve::new([agent]).options(options).run(input).unwrap();
                sieved.tester().is_allowed("/x")
            };
            assert!(!verdicts(dialect.options()), "{dialect:?}");
            let option = Options { any_line_ends_run: true, ..dialect.options() };
            assert_eq!(verdicts(option), agent == "a", "{dialect:?}");
        }
    }
}

/// The table of choices: [google.line] [google.name] [google.agent] [google.path] [google.index-html] [processor.names]
/// [limit.counts] [status.access]
#[test]
fn dialects_have_the_choices_of_the_table() {
    let (google, processor) = (Dialect::Google.options(), Dialect::Processor.options());
    assert_eq!(google.limits, Limits::NONE);
    assert_eq!((google.lines.style, google.lines.fold), (LineStyle::Google, false));
    assert_eq!(google.vocabulary.leniency(), Leniency::Prefix);
    assert_eq!(google.agents, AgentForm::Google);
    assert_eq!(google.paths.encoding, PathEncoding::Google);
    assert!(!google.paths.complement_leading_slash && !google.paths.escaped_wildcard && !google.paths.decode_wildcard);
    assert!(google.index_html && google.union_of_agents && !google.any_line_ends_run);
    assert_eq!(processor.limits, Limits::PROCESSOR);
    assert_eq!(processor.vocabulary.leniency(), Leniency::Processor);
    assert!(!processor.any_line_ends_run && !processor.union_of_agents && !processor.index_html);
    assert_eq!(Dialect::Google.statuses(), StatusPolicy::default());
    let closed = StatusPolicy { forbidden: StatusMeaning::Disallow, redirected: StatusMeaning::Disallow };
    assert_eq!(Dialect::Processor.statuses(), closed);
}

/// A line ends after 16,663 bytes, whatever it contains. [google.line]
#[test]
fn long_lines_are_cut_for_google() {
    const LINE: usize = 16_663;
    let filled = |start: &str, length: usize, end: &str| start.to_owned() + &"a".repeat(length - start.len()) + end;
    for start in ["Disallow: /", "Disallow : /", "# ", "Sitemap: https://e.com/", "x", "User-agent: a "] {
        for end in ["\n", "\r\n", "\r", ""] {
            for (length, cuts) in [(LINE - 1, 0), (LINE, 0), (LINE + 1, 1)] {
                let input = "User-agent: *\nAllow: /b\n".to_owned() + &filled(start, length, end);
                let set = Parser::new(Dialect::Google.options()).parse(input.as_bytes());
                let report = set.report();
                assert_eq!(report.count(FindingKind::LineCut), cuts, "{start} {length} {end:?}");
                let lines: Vec<u32> =
                    report.details().iter().filter(|it| it.kind == FindingKind::LineCut).map(|it| it.line).collect();
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

/// If the encoding or the portable form would make a line too long for its reader, the line stays as it is. If the
/// line of an agent is too long, the record is left out and reported. [google.line] [portable.neutral]
/// [text.idempotent]
#[test]
fn no_line_of_a_text_is_cut_when_it_is_read() {
    const LINE: usize = 16_663;
    let sieve = Sieve::new(["MyBot"]).dialect(Dialect::Google);
    for (start, length) in [("Allow: *b", LINE - 1), ("Allow: *b", LINE), ("Allow: */b", LINE), ("Allow: *.b", LINE)] {
        let line = start.to_owned() + &"a".repeat(length - start.len() - 1) + "$";
        let file = format!("User-agent: *\nDisallow: /\n{line}\n");
        let once = sieve.run(file.as_bytes()).unwrap();
        for form in [TextForm::Faithful, TextForm::Portable] {
            let text = sieve.clone().form(form).run(file.as_bytes()).unwrap().text().to_string();
            assert!(text.lines().all(|line| line.len() <= LINE), "{start} {length} {form:?}");
            let again = sieve.run(text.as_bytes()).unwrap();
            for tail in ["", "z"] {
                let path = format!("/b{}{tail}", "a".repeat(length - start.len() - 1));
                let (file, text) =
                    (once.tester().is_allowed(path.as_bytes()), again.tester().is_allowed(path.as_bytes()));
                assert_eq!(file, text, "{start} {length} {form:?} {tail}");
            }
        }
    }
    let all = Sieve::all_agents().dialect(Dialect::Google);
    for (length, is_kept) in [(LINE - "User-agent: ".len(), true), (LINE - "User-agent: ".len() + 1, false)] {
        let file = format!("Useragent:{}\nDisallow: /x\n", "a".repeat(length));
        let sieved = all.run(file.as_bytes()).unwrap();
        assert_eq!(
            (sieved.text().to_string().contains("aaa"), sieved.report().is_exact()),
            (is_kept, is_kept),
            "{length}"
        );
    }
}
