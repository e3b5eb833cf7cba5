//! All that a file says to an agent.

use robosieve::records::Parser;
use robosieve::settings::{Dialect, Limits};
use robosieve::{Options, Sieve};
use robosieve_diff::Comparison;
use robosieve_explain::{AgentsDiff, Explainer, Meaning, Names, Section};

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
    let named: Vec<_> = found.agents_named.iter().map(|agent| (agent.name.as_str(), agent.lines.as_slice())).collect();
    assert_eq!(named, [("a", &[1, 10][..]), ("*", &[6])]);
    assert!(found.agents_named_complete && found.summary.exact);
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
    for (path, file) in crate::families::corpus::files() {
        let found = Explainer::new(["Googlebot"]).options(Options::default()).inspect(&file).unwrap();
        let sieved = Sieve::new(["Googlebot"]).filter(&file).unwrap();
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

/// No text can contain these rules, or there is no space for them, but `test` decides by them. So they are kept wherever
/// files are read for verdicts. [explain.left-out] [explain.inspection] [diff.rules] [limit.verdicts]
#[test]
fn rules_that_only_a_text_loses_are_kept() {
    let short = |options: Options| Options { limits: Limits { max_bytes: 90, ..options.limits }, ..options };
    let (google, standard) = (Dialect::Google.options(), Dialect::Standard.options());
    let long = |octet: &[u8], count: usize| [b"User-agent: *\nDisallow: /", &*octet.repeat(count), b"\n"].concat();
    for (options, file, path) in [
        (google.clone(), b"User-agent: *\nDisallow: /a b\n".to_vec(), b"/a b".to_vec()),
        (google.clone(), b"User-agent: *\nDisallow: /\x1b\n".to_vec(), b"/\x1b".to_vec()),
        (google.clone(), long(b"\xe3", 6_000), [b"/", &*b"%E3".repeat(6_000)].concat()),
        (short(google), long(b"\xe3", 40), [b"/", &*b"%E3".repeat(40)].concat()),
        (short(standard), long(b"\xe3", 40), [b"/", &*b"%E3".repeat(40)].concat()),
    ] {
        let lost = Sieve::new(["MyBot"]).options(options.clone()).filter(&file).unwrap();
        assert!(!lost.report().is_exact(), "{file:?}");
        let options = options.for_verdicts();
        assert!(!Sieve::new(["MyBot"]).options(options.clone()).tester(&file).unwrap().is_allowed(&path), "{file:?}");
        for explainer in [Explainer::new(["MyBot"]), Explainer::all_agents()] {
            let explainer = explainer.options(options.clone());
            let found = explainer.inspect(&file).unwrap();
            assert_eq!((found.rules.len(), found.rules[0].line, found.summary.exact), (1, Some(2), true), "{file:?}");
            let page = explainer.page(&file);
            assert_eq!((page.rules, page.summary.exact), (1, true), "{file:?}");
            assert!(matches!(page.lines[1].meaning, Meaning::Rule { .. }), "{:?}", page.lines[1].meaning);
        }
        let parser = Parser::new(options);
        let (old, new) = (parser.parse(&file), parser.parse(b"User-agent: *\nDisallow:\n"));
        let diff = AgentsDiff::of(&old, &new, Names::Known).unwrap();
        assert_eq!((diff.answers(), diff.changes[0].diff.rules_removed.len()), (Comparison::Changed, 1), "{file:?}");
        assert!(AgentsDiff::of(&old, &old, Names::Known).unwrap().is_empty());
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
