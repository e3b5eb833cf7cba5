//! What a parser for some agents keeps and reports, and what a tester says of its group.

use robosieve::records::Parser;
use robosieve::report::{FindingKind, Report};
use robosieve::settings::{Interest, Limits};
use robosieve::{Sieve, Tester};

use crate::{at, limited, sieved};

/// A set that was parsed for other agents may lack the applicable records, and reports that. [input.directed]
#[test]
fn parsing_for_others_is_reported() {
    let mine = Interest::new(["MyBot"]);
    let file = b"User-agent: MyBot\nDisallow: /a\n";
    let set = Parser::default().for_agents(mine.clone()).parse(file);
    let reported = |interest: &Interest| set.filter_for(interest).unwrap().0.report().count(FindingKind::ReadForOthers);
    assert_eq!(reported(&mine), 0);
    assert_eq!(reported(&mine.clone().fallback(false)), 1);
    assert_eq!(reported(&Interest::new(["Other"])), 1);
    assert_eq!(
        Sieve::new(["MyBot"]).fallback(false).filter(b"User-agent: *\nDisallow: /\n").unwrap().text(),
        "User-agent: *\nDisallow:\n"
    );
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
    use FindingKind::{AgentWithoutToken, MisspelledDirective, NotAField, RuleWithoutAgent, TooManyAgents};
    let nobodys = "Useragent: \u{e9}\nbroken\nDisallow: /x\nbroken\n";
    let lost = "Useragent: MyBot\nbroken\nDisallow: /x\n";
    let none = Limits { max_user_agents: 0, ..Limits::DEFAULT };
    for (limits, file, kinds) in [
        (
            Limits::DEFAULT,
            nobodys,
            &[(MisspelledDirective, 1), (AgentWithoutToken, 1), (RuleWithoutAgent, 1), (NotAField, 2)][..],
        ),
        (none, lost, &[(NotAField, 1), (MisspelledDirective, 1), (TooManyAgents, 2)]),
        (Limits::DEFAULT, &lost.replace("MyBot", "other"), &[(NotAField, 0)]),
    ] {
        let report = sieved(limited(limits), file).report().clone();
        for &(kind, count) in kinds {
            assert_eq!(report.count(kind), count, "{kind:?} in {file:?}");
        }
    }
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
