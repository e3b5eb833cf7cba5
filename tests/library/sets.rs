//! The public data of a record set: lines and their numbers, typed values, and what is not copied.

use robosieve::records::{Directive, Parser, RecordSet, RuleKind};
use robosieve::report::FindingKind;

use crate::common::number;

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
    let values = |name: &str| record.values(name).map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(values("disallow"), ["/x", "/x"]);
    assert_eq!(values("ALLOW"), ["/x/y"]);
    assert_eq!(values("Crawl-Delay"), ["1", "3"]);
    assert_eq!(record.value("crawl-delay").unwrap(), "1");
    assert!(record.value("sitemap").is_none() && record.value("user-agent").is_none());
}
