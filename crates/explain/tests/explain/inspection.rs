//! All that a file says to an agent.

use robosieve::{Options, Sieve};
use robosieve_explain::{Explainer, Section};

const FILE: &[u8] = b"User-agent: a\nDisallow: /x\nAllow: /x/y\nCrawl-delay: 1.50\nNoindex: /n\n\
    User-agent: *\nDisallow: /\nSitemap: https://e.com/s\nHost: E.com\nUser-agent: A\nDisallow: /z\n";

/// [explain.inspection]
#[test]
fn all_that_applies_is_listed() {
    let found = Explainer::new(["a"]).inspect(FILE).unwrap();
    assert_eq!((found.heading().as_str(), found.agent_line), ("group a applies, line 1", Some(1)));
    let rules: Vec<_> = found.rules.iter().map(|rule| (rule.line, rule.pattern.as_str())).collect();
    assert_eq!(rules, [(Some(3), "/x/y"), (Some(2), "/x"), (Some(11), "/z")]);
    assert_eq!(found.crawl_delay.as_ref().map(|delay| (delay.seconds, delay.raw.as_str())), Some((1.5, "1.50")));
    assert_eq!(
        (found.sitemaps.as_slice(), found.host.as_deref()),
        (&["https://e.com/s".to_owned()][..], Some("e.com"))
    );
    let named: Vec<_> = found.named.agents.iter().map(|agent| (agent.name.as_str(), agent.lines.as_slice())).collect();
    assert_eq!(named, [("a", &[1, 10][..]), ("*", &[6])]);
    assert!(found.named.is_complete && found.summary.exact);
    let expected = [
        Section::List(
            "rules, in order of precedence",
            vec!["Allow: /x/y  (line 3)".into(), "Disallow: /x  (line 2)".into(), "Disallow: /z  (line 11)".into()],
        ),
        Section::Value("crawl delay", "1.5 s (as written: 1.50)".into()),
        Section::List("other lines of the record", vec!["Noindex: /n  (line 5)".into()]),
        Section::List("sitemaps", vec!["https://e.com/s".into()]),
        Section::Value("host", "e.com".into()),
        Section::List("agents named in the file", vec!["a  (lines 1, 10)".into(), "*  (line 6)".into()]),
    ];
    assert_eq!(found.sections(), expected);
    assert_eq!(Explainer::all_agents().inspect(FILE).unwrap().heading(), "group * applies, line 6");
}

/// [explain.inspection] [harmless.lines]
#[test]
fn rules_are_those_of_the_filter_and_all_words_are_printable() {
    for (path, file) in crate::common::corpus() {
        let found = Explainer::new(["Googlebot"]).options(Options::default()).inspect(&file).unwrap();
        let sieved = Sieve::new(["Googlebot"]).run(&file).unwrap();
        let kept = sieved.records().records().map(|record| record.rules().len()).sum::<usize>();
        assert_eq!(found.rules.len(), kept, "{}", path.display());
        let printable = |text: &String| text.bytes().all(|byte| matches!(byte, b' '..=b'~'));
        for section in found.sections() {
            assert!(match &section {
                Section::Value(_, value) => printable(value),
                Section::List(_, values) => !values.is_empty() && values.iter().all(printable),
            });
        }
    }
}

/// The data have the form of the command's JSON. [explain.json]
#[test]
#[cfg(feature = "serde")]
fn data_can_be_serialised() {
    let explainer = Explainer::new(["a"]);
    let page = serde_json::to_value(explainer.page(b"User-agent: *\nDisallow: \x1b\n x\n# c")).unwrap();
    let keys =
        ["lines", "records", "user_agents", "answered_by", "agent", "exact", "suspects", "input", "refused", "counts"];
    assert_eq!(page.as_object().unwrap().len(), keys.len());
    assert!(keys.iter().all(|key| page.get(key).is_some()), "{page}");
    assert_eq!(page["lines"][1]["text"], "Disallow: \\x1B");
    assert_eq!(page["lines"][1]["meaning"]["pattern"], "/%1B");
    assert_eq!(page["lines"][2]["meaning"], serde_json::json!({"is": "left-out"}));
    assert_eq!(page["lines"][3]["meaning"], serde_json::json!({"is": "comment"}));
    assert_eq!(page["lines"][2]["findings"][0]["clause"], "field.syntax");
    let found = serde_json::to_value(explainer.inspect(FILE).unwrap()).unwrap();
    assert_eq!(found["rules"][0], serde_json::json!({"line": 3, "kind": "allow", "pattern": "/x/y"}));
    assert_eq!((&found["agents_named_complete"], &found["answered_by"]), (&true.into(), &"agent".into()));
}
