//! What each dialect chooses otherwise than the standard, choice by choice.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

use robosieve::{
    AgentForm, Agents, Dialect, Forbidden, Interest, Leniency, Limits, LineStyle, Parser, PathEncoding, Sieve, Tester,
};

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
fn only_the_standard_opens_robots_txt() {
    for (dialect, allowed) in [(Dialect::Standard, true), (Dialect::Google, false), (Dialect::Processor, false)] {
        let set = Parser::new(dialect.options()).parse(b"User-agent: *\nDisallow: /\n");
        let tester = Tester::new(&set, &Interest { agents: Agents::new(["MyBot"]), fallback: true });
        assert_eq!(tester.is_allowed("/robots.txt"), allowed, "{dialect:?}");
        assert_eq!(tester.test(b"/robots.txt").allowed(), allowed, "{dialect:?}");
        assert!(!tester.is_allowed("/robots.txt?"), "{dialect:?}");
    }
}

/// [processor.run] [record.any-line-ends-run]
#[test]
fn any_line_ends_a_run_for_the_processor() {
    let input = b"User-agent: a\nCrawl-delay: 5\nUser-agent: b\nDisallow: /\n";
    let text = |dialect| Sieve::new(["a"]).dialect(dialect).run(input).unwrap().text().to_string();
    assert_eq!(text(Dialect::Standard), "User-agent: *\nDisallow: /\nCrawl-delay: 5\n");
    assert_eq!(text(Dialect::Processor), "User-agent: *\nDisallow:\nCrawl-delay: 5\n");
}

/// The table of choices: [google.line] [google.name] [google.agent] [google.path] [google.index-html] [processor.names]
/// [status.access]
#[test]
fn choices_are_the_tables() {
    let (google, processor) = (Dialect::Google.options(), Dialect::Processor.options());
    assert_eq!(google.limits, Limits::NONE);
    assert_eq!((google.lines.style, google.lines.fold), (LineStyle::Google, false));
    assert_eq!(google.vocabulary.leniency(), Leniency::Prefix);
    assert_eq!(google.agents, AgentForm::Google);
    assert_eq!(google.paths.encoding, PathEncoding::Google);
    assert!(!google.paths.complement_leading_slash && !google.paths.escaped_wildcard && !google.paths.decode_wildcard);
    assert!(google.index_html && google.union_of_agents && !google.any_line_ends_run);
    assert_eq!(processor.limits, Limits::DEFAULT);
    assert_eq!(processor.vocabulary.leniency(), Leniency::Processor);
    assert!(processor.any_line_ends_run && !processor.union_of_agents && !processor.index_html);
    assert_eq!(Dialect::Google.forbidden(), Forbidden::Allow);
    assert_eq!(Dialect::Processor.forbidden(), Forbidden::Disallow);
}
