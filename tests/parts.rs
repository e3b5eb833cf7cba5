//! What the parts show of themselves, each used alone.
#![allow(missing_docs, clippy::arithmetic_side_effects, clippy::unwrap_used, clippy::format_collect)]

use robosieve::{Agents, FindingKind, Limits, Options, Parser, ProductToken};

/// [agent.token]
#[test]
fn a_product_token_is_shown_as_it_was_given() {
    assert_eq!(ProductToken::new("MJ12bot").unwrap().to_string(), "MJ12bot");
}

/// [agent.select]
#[test]
fn agents_are_told_in_order_of_preference() {
    let agents = Agents::new(["MyBot-Image", "MyBot/2.1"]);
    let names: Vec<String> = agents.iter().map(|agent| agent.as_bstr().to_string()).collect();
    assert_eq!(names, ["MyBot-Image", "MyBot/2.1"]);
}

/// The parser itself keeps to the limit: no filter has to come behind it. [limit.lines] [bounds.parse]
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

/// A message says where, what, which way and by which clause. [report.direction]
#[test]
fn a_finding_is_told_in_a_line() {
    let sieved = robosieve::sieve(b"Useragent: *\nDisallow: /*a*b*c*d*e*f*g*h*i*j*k\n", &["MyBot"]);
    let told: Vec<String> = sieved.report().details().iter().map(ToString::to_string).collect();
    let expected = [
        "line 1: a misspelled directive was understood [field.typo]",
        "line 2: a rule with more than max_wildcards stars was left out (permits more) [limit.wildcards]",
    ];
    assert_eq!(told, expected);
}
