//! The public parts, each used alone.

use robosieve::Sieve;
use robosieve::agent::{Agents, Interest, ProductToken};
use robosieve::policy::{Parser, filter_for};
use robosieve::report::{Effect, Finding, FindingKind, Report};
use robosieve::settings::{Limits, Options, OverLimit};

/// [agent.token]
#[test]
fn a_product_token_prints_as_it_was_given() {
    assert_eq!(ProductToken::new("MJ12bot").unwrap().to_string(), "MJ12bot");
}

/// [agent.select]
#[test]
fn agents_are_listed_in_order_of_preference() {
    let agents = Agents::new(["MyBot-Image", "MyBot/2.1"]);
    let names: Vec<String> = agents.iter().map(|agent| agent.as_bstr().to_string()).collect();
    assert_eq!(names, ["MyBot-Image", "MyBot"]);
}

/// The parser itself applies the limit, even without a filter. [limit.lines] [bounds.parse]
#[test]
fn a_set_holds_no_more_lines_than_a_record_may_have() {
    let rules: String =
        (0..9).map(|n| format!("Disallow: /{n}\nCrawl-delay: {n}\nSitemap: http://e.com/{n}\n")).collect();
    let file = format!("User-agent: a\n{rules}User-agent: b\n{rules}");
    let options = Options { limits: Limits { max_lines: 5, ..Limits::DEFAULT }, ..Options::default() };
    let set = Parser::new(options).parse(file.as_bytes());
    for record in set.records() {
        assert_eq!(record.rules().len() + record.extensions().len(), 5);
    }
    assert_eq!(set.file_lines().len(), 5);
    assert_eq!(set.report().count(FindingKind::TooManyLines), 2 * 13 + 13);
}

/// A message contains the line, the finding, its effect and its clause. [report.direction]
#[test]
fn a_finding_prints_as_one_line() {
    let sieved = robosieve::sieve(b"Useragent: *\nDisallow: /*a*b*c*d*e*f*g*h*i*j*k\n", ["MyBot"]);
    let told: Vec<String> = sieved.report().details().iter().map(ToString::to_string).collect();
    let expected = [
        "line 1: a misspelled directive was understood [field.typo]",
        "line 2: a rule with more than max_wildcards stars was left out (permits more) [limit.wildcards]",
    ];
    assert_eq!(told, expected);
}

fn loss(line: u32, effect: Effect) -> Finding {
    Finding::new(line, FindingKind::TooManyLines, effect)
}

/// Findings in records of nobody belong to the file. Of many findings, those of the first lines are kept.
/// [report.bounded] [agent.token]
#[test]
fn findings_of_many_records_are_kept_by_line() {
    let file = "User-agent: \u{e9}\nx\nAllow:\nDisallow: /a\nUser-agent: a\ny\nAllow: /\n".repeat(40);
    let found = |max_details| {
        let options = Options { max_details, ..Options::default() };
        let set = Parser::new(options).parse(file.as_bytes());
        set.report().details().to_vec()
    };
    let all = found(usize::MAX);
    assert_eq!(all.len(), 40 * 5);
    assert!(all.is_sorted_by_key(|finding| finding.line));
    for max_details in [0, 1, 2, 3, 5, 40, 79, 100, 199, 200, 201] {
        assert_eq!(found(max_details), all[..max_details.min(all.len())], "{max_details}");
    }
}

/// A set that was parsed for some agents reports a loss if it is used for others. [input.directed] [report.exact]
#[test]
fn sets_know_the_agents_they_were_parsed_for() {
    let interest = |name: &str| Interest::new([name]);
    let parser = Parser::default().for_agents(interest("a"));
    let set = parser.parse(b"User-agent: a\nAllow: /\nUser-agent: *\nAllow: /b\nUser-agent: a\nDisallow: /\n");
    let reports = ["a", "b"].map(|name| filter_for(&set, &interest(name)).unwrap().0.report());
    assert_eq!(reports.map(|report| report.count(FindingKind::ReadForOthers)), [0, 1]);
}

/// [report.bounded] [report.exact]
#[test]
fn a_report_keeps_the_first_and_counts_all() {
    let mut report = Report::new(2);
    assert_eq!((report.total(), report.counts().count(), report.is_exact()), (0, 0, true));
    report.extend((1..=5).map(|line| loss(line, Effect::MorePermissive)));
    report.push(Finding::new(6, FindingKind::NotAField, Effect::MoreRestrictive));
    assert_eq!(report.details(), [loss(1, Effect::MorePermissive), loss(2, Effect::MorePermissive)]);
    assert_eq!((report.total(), report.count(FindingKind::TooManyLines)), (6, 5));
    assert_eq!((report.losses(Effect::MorePermissive), report.losses(Effect::MoreRestrictive)), (5, 0));
    assert_eq!(report.counts().map(|(_, count)| count).collect::<Vec<_>>(), [5, 1]);
    assert!(!report.is_exact());
    let mut none = Report::new(0);
    none.push(loss(1, Effect::None));
    assert!(none.details().is_empty() && none.total() == 1 && none.is_exact() && none.first_loss().is_none());
}

/// [report.direction] [over-limit.refuse]
#[test]
fn reports_join_by_line() {
    let of = |lines: &[(u32, Effect)]| {
        let mut report = Report::new(3);
        report.extend(lines.iter().map(|&(line, effect)| loss(line, effect)));
        report
    };
    let joined = |own: &[(u32, Effect)], other: &[(u32, Effect)]| {
        let mut report = of(own);
        report.absorb(&of(other));
        report
    };
    let (permits, restricts) = (Effect::MorePermissive, Effect::MoreRestrictive);
    for (own, other, first) in [
        (&[(5, permits)][..], &[(3, restricts)][..], loss(3, restricts)),
        (&[(3, permits)], &[(5, restricts)], loss(3, permits)),
        (&[(3, permits)], &[(3, restricts)], loss(3, permits)),
        (&[], &[(4, restricts)], loss(4, restricts)),
        (&[(4, permits)], &[], loss(4, permits)),
    ] {
        assert_eq!(joined(own, other).first_loss(), Some(first));
    }
    let report = joined(&[(1, permits), (4, permits), (6, permits)], &[(2, restricts), (3, Effect::Either)]);
    assert_eq!(report.details().iter().map(|finding| finding.line).collect::<Vec<_>>(), [1, 2, 3]);
    assert_eq!((report.total(), report.count(FindingKind::TooManyLines)), (5, 5));
    assert_eq!((report.losses(permits), report.losses(restricts), report.losses(Effect::Either)), (3, 1, 1));
}

/// A loss that may permit more or less counts as one that permits more: [over-limit.widen]
#[test]
fn widening_compensates_for_losses_of_either_kind() {
    let text = |limits: Limits, input: &str| {
        let sieve = Sieve::new(["MyBot"]).limits(limits).over_limit(OverLimit::Widen);
        sieve.run(input.as_bytes()).unwrap().text().to_string()
    };
    let one_record = Limits { max_records: 1, ..Limits::DEFAULT };
    let ours = "User-agent: other\nAllow: /\nUser-agent: MyBot\nAllow: /a\n";
    assert_eq!(text(one_record, ours), "User-agent: *\nDisallow: /\n");
    let short = Limits { max_bytes: 40, ..Limits::DEFAULT };
    assert_eq!(text(short, "User-agent: MyBot\nAllow: /a\nAllow: /b\nAllow: /c\n"), "User-agent: *\nDisallow: /\n");
}
