//! The same answer through each entry point: the sieve, which parses only for its agents, and the separate parts.

use robosieve::records::Parser;
use robosieve::report::{FindingKind, Report};
use robosieve::settings::{Interest, Limits, OverLimit, Precedence, Refused, TextForm};
use robosieve::{Options, Sieve, Tester};

use crate::common::at;

/// A set that was parsed for other agents may lack the applicable records, and reports that. [input.directed]
#[test]
fn parsing_for_others_is_reported() {
    let mine = Interest::new(["MyBot"]);
    let file = b"User-agent: MyBot\nDisallow: /a\n";
    let set = Parser::default().for_agents(mine.clone()).parse(file);
    let told = |interest: &Interest| set.filter_for(interest).unwrap().0.report().count(FindingKind::ReadForOthers);
    assert_eq!(told(&mine), 0);
    assert_eq!(told(&mine.clone().fallback(false)), 1);
    assert_eq!(told(&Interest::new(["Other"])), 1);
    assert_eq!(
        Sieve::new(["MyBot"]).fallback(false).filter(b"User-agent: *\nDisallow: /\n").unwrap().text(),
        "User-agent: *\nDisallow:\n"
    );
}

/// The filter in place gives the text of the plain one. [text.one-record] [input.directed]
#[test]
fn the_fast_filter_gives_the_text_of_the_plain_one() {
    for agent in ["MyBot", "Googlebot"] {
        for (name, file) in crate::files::files() {
            let set = Parser::default().parse(&file);
            let plain = set.filter_for(&Interest::new([agent])).unwrap().0.to_text(TextForm::Faithful).0;
            assert_eq!(Sieve::new([agent]).filter(&file).unwrap().text(), &plain, "{}", name.display());
        }
    }
}

/// By the sieve, and by the separate parts.
fn all_agents(options: Options, input: &str) -> Result<String, Refused> {
    let set = Parser::new(options.clone()).parse(input.as_bytes());
    let whole = Sieve::all_agents().options(options).filter(input.as_bytes()).map(|it| it.text().to_string());
    let parts = set.filter_all().map(|set| set.to_text(TextForm::Faithful).0);
    assert_eq!(whole.as_ref().ok(), parts.as_ref().ok());
    assert_eq!(whole.as_ref().err().map(|it| it.finding), parts.err().map(|it| it.finding));
    whole
}

/// Under file order, no record moves in front of another. [text.all-agents] [rule.file-order] [record.merge]
#[test]
fn records_stay_in_place_in_file_order() {
    let record = |agent: &str, path: &str| format!("User-agent: {agent}\nDisallow: /{path}\n");
    let apart = [record("b", "1"), record("a", "2"), record("b", "3"), record("b", "4"), record("a", "5")].concat();
    let order = |precedence| Options { precedence, ..Options::default() };
    let in_order = all_agents(order(Precedence::FileOrder), &apart).unwrap();
    assert_eq!(
        in_order,
        [record("b", "1"), record("a", "2"), record("b", "3") + "Disallow: /4\n", record("a", "5")].join("\n")
    );
    let longest = all_agents(order(Precedence::LongestMatch), &apart).unwrap();
    assert_eq!(
        longest,
        [record("a", "2") + "Disallow: /5\n", record("b", "1") + "Disallow: /3\nDisallow: /4\n"].join("\n")
    );
}

/// In a text for all agents, nothing can compensate for a lost record. [over-limit.widen] [over-limit.refuse]
#[test]
fn lost_records_of_all_agents_are_refused() {
    let file = "User-agent: a\nDisallow: /a\nUser-agent: b\nDisallow: /b\n";
    let with =
        |over_limit| Options { limits: Limits { max_records: 1, ..Limits::DEFAULT }, over_limit, ..Options::default() };
    assert_eq!(all_agents(with(OverLimit::Drop), file).unwrap(), "User-agent: a\nDisallow: /a\n");
    for over_limit in [OverLimit::Widen, OverLimit::Refuse] {
        let refused = all_agents(with(over_limit), file).unwrap_err();
        assert_eq!(
            (refused.finding.line, refused.finding.kind),
            (at(3), FindingKind::TooManyRecords),
            "{over_limit:?}"
        );
    }
    let whole = Options { over_limit: OverLimit::Widen, ..Options::default() };
    assert!(all_agents(whole, file).is_ok());
}

/// [report.scope] [report.bounded]
#[test]
fn records_with_findings_have_a_report() {
    let sieved =
        Sieve::all_agents().filter(b"User-agent: a\nDisallow: /a\nUser-agent: b\nDisallow: b\nbroken\n").unwrap();
    let totals: Vec<Option<u64>> = sieved.records().records().map(|it| it.report().map(Report::total)).collect();
    assert_eq!(totals, [None, Some(2)]);
    assert_eq!(sieved.report().total(), 2);
    assert_eq!(sieved.report().count(FindingKind::MissingSlash), 1);
}

/// Records that are kept as they are, are not copied. [bounds.filter]
#[test]
fn whole_records_are_not_copied() {
    let rules: String = (0..1000).map(|n| format!("Disallow: /folder/{n}\n")).collect();
    let bytes = |input: &str| {
        let sieve = Sieve::new(["MyBot"]);
        allocation_counter::measure(|| drop(sieve.filter(input.as_bytes()))).bytes_total
    };
    let two = bytes(&format!("User-agent: *\nAllow: /a\nUser-agent: *\n{rules}"));
    // One of the values is not for everyone, so a part of the record is kept.
    let part = bytes(&format!("User-agent: a\nCrawl-delay: 5\nUser-agent: *\n{rules}"));
    assert!(two + 40 * 1000 < part, "{two} and {part} bytes");
}

/// Findings in records of other agents are not reported. [report.scope] [input.directed]
#[test]
fn findings_of_other_agents_are_not_reported() {
    let theirs = "User-agent: other\nDisalow: a b\nunknown: x\nsomething\nUsher\nHost\nlicence: y\nDisallow: /\0\n";
    for (file, total) in [
        (theirs.to_owned(), 0),
        (theirs.to_owned() + "User-agent: MyBot\nDisallow: /\n", 0),
        (theirs.to_owned() + "User-agent: MyBot\nDisallow: /\nunknown: x\n", 1),
        (theirs.replace("other", "MyBot"), 9),
    ] {
        let sieved = Sieve::new(["MyBot"]).filter(file.as_bytes()).unwrap();
        assert_eq!(sieved.report().total(), total, "{file}{:?}", sieved.report());
    }
}

/// Findings among the user-agent lines of a record that turns out to apply to nobody, or that is lost, are still
/// reported. [report.scope] [agent.value]
#[test]
fn findings_in_runs_of_nobody_are_reported() {
    let count = |limits: Limits, file: &str, kind: FindingKind| {
        Sieve::new(["MyBot"])
            .with(|options| options.limits = limits)
            .filter(file.as_bytes())
            .unwrap()
            .report()
            .count(kind)
    };
    let nobodys = "Useragent: \u{e9}\nbroken\nDisallow: /x\nbroken\n";
    for (kind, expected) in [
        (FindingKind::MisspelledDirective, 1),
        (FindingKind::AgentWithoutToken, 1),
        (FindingKind::RuleWithoutAgent, 1),
        (FindingKind::NotAField, 2),
    ] {
        assert_eq!(count(Limits::DEFAULT, nobodys, kind), expected, "{kind:?}");
    }
    let lost = "Useragent: MyBot\nbroken\nDisallow: /x\n";
    let none = Limits { max_user_agents: 0, ..Limits::DEFAULT };
    assert_eq!(count(none, lost, FindingKind::NotAField), 1);
    assert_eq!(count(none, lost, FindingKind::MisspelledDirective), 1);
    assert_eq!(count(none, lost, FindingKind::TooManyAgents), 2);
    assert_eq!(count(Limits::DEFAULT, &lost.replace("MyBot", "other"), FindingKind::NotAField), 0);
}

/// A tester returns the first user-agent line of the record that applies, whichever agent it names.
/// [agent.select] [agent.fallback]
#[test]
fn testers_return_the_user_agent_line() {
    let set =
        Parser::default().parse(b"User-agent: *\nDisallow: /\n\nUser-agent: Other\nUser-agent: MyBot\nAllow: /\n");
    let line = |agent: &str, fallback: bool| Tester::new(&set, &Interest::new([agent]).fallback(fallback)).agent_line();
    assert_eq!((line("MyBot", true), line("Unknown", true), line("Unknown", false)), (at(4), at(1), None));
}
