//! The groups of a file for all agents.

use std::collections::BTreeSet;

use robosieve::Sieve;
use robosieve::agent::{Agent, Interest};
use robosieve::policy::{Parser, Selection};
use robosieve::report::FindingKind;
use robosieve::value::{ContentUse, RequestRate, VisitTime};
use robosieve_explain::{FileGroup, FileGroups, GroupValues, InspectedDelay, Lined};

use crate::families::corpus::files as corpus;

const FILE: &[u8] =
    b"Crawl-delay: 3\nContent-Signal: ai-train=no\nUser-agent: A\nCrawl-delay: 2\nUser-agent: b\nNoindex: /n\n\
    Disallow: /x\nDisallow: /x/y\nRequest-rate: 1/5 0600-0845\nVisit-time: 0600-0845\nContent-Usage: /p train-ai=n\n\
    User-agent: *\nCrawl-delay: 5\nCrawl-delay: 7\nDisallow:\nSitemap: https://e.com/s\n";

fn groups(file: &[u8], is_whole: bool) -> FileGroups {
    FileGroups::new(&Sieve::all_agents().complete(is_whole).run(file).unwrap())
}

fn named(group: &FileGroup) -> Vec<(&str, Option<u32>)> {
    group.agents.iter().map(|agent| (agent.name.as_str(), agent.line)).collect()
}

/// [explain.groups] [value.agents] [value.everybody]
#[test]
fn each_group_has_the_values_of_its_agents() {
    let found = groups(FILE, true);
    assert_eq!(found.for_everybody.crawl_delay.as_ref().map(|delay| (delay.line, delay.value.seconds)), Some((1, 3.0)));
    assert_eq!(found.for_everybody.content_signals[0].line, 2);
    let [a, b, everyone] = &found.groups[..] else { panic!("{found:?}") };
    assert_eq!([named(a), named(b), named(everyone)], [[("A", Some(3))], [("b", Some(5))], [("*", Some(12))]]);
    for group in [a, b] {
        let rules: Vec<_> = group.rules.iter().map(|rule| (rule.line, rule.pattern.as_str())).collect();
        assert_eq!(rules, [(Some(8), "/x/y"), (Some(7), "/x")]);
        let values = &group.values;
        assert_eq!((values.request_rates[0].line, values.request_rates[0].value.pages), (9, 1));
        assert_eq!((values.visit_times[0].line, values.visit_times[0].value.from), (10, 360));
        assert_eq!((values.content_usage[0].line, values.content_usage[0].value.path.as_str()), (11, "/p"));
    }
    assert_eq!(a.values.crawl_delay.as_ref().map(|delay| (delay.line, delay.value.raw.as_str())), Some((4, "2")));
    assert!(a.values.extensions.is_empty() && b.values.crawl_delay.is_none());
    assert_eq!((b.values.extensions[0].line, b.values.extensions[0].name.as_str()), (6, "Noindex"));
    // The empty rule is none.
    assert!(everyone.rules.is_empty());
    assert_eq!(everyone.values.crawl_delay.as_ref().map(|delay| delay.line), Some(14));
    assert_eq!(groups(b"", true), FileGroups::default());
}

/// [explain.groups] [input.incomplete]
#[test]
fn what_may_be_missing_is_disallowed() {
    let found = groups(b"User-agent: a\nAllow: /x\nUser-agent: b\nAllow: /public", false);
    let closed: Vec<_> = found
        .groups
        .iter()
        .map(|group| (named(group), group.rules.iter().map(|rule| (rule.line, rule.pattern.as_str())).collect()))
        .collect();
    let expected: [(Vec<_>, Vec<_>); 3] = [
        (vec![("*", None)], vec![(None, "/")]),
        (vec![("a", Some(1))], vec![(Some(2), "/x")]),
        (vec![("b", Some(3))], vec![(None, "/")]),
    ];
    assert_eq!(closed, expected);
    let nobody_sent = groups(b"User-agent: *\nDisallow: /\n", true).without_lines();
    assert_eq!((named(&nobody_sent.groups[0]), nobody_sent.groups[0].rules[0].line), (vec![("*", None)], None));
}

/// What a text keeps of a group: no lines, no letters' case, each thing once, and of a run of stars a shorter one.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Policy(Vec<String>, Vec<(String, String)>, Vec<String>);

fn policy(group: &FileGroup) -> Policy {
    let agents: BTreeSet<_> = group.agents.iter().map(|agent| agent.name.to_ascii_lowercase()).collect();
    let rule = |pattern: &str| {
        pattern
            .chars()
            .collect::<Vec<_>>()
            .chunk_by(|a, b| *a == '*' && *b == '*')
            .map(|run| run[0])
            .collect::<String>()
    };
    // Of one pattern, the first rule decides. What begins otherwise matches nothing.
    let mut patterns = BTreeSet::new();
    let rules =
        group.rules.iter().filter(|rule| rule.pattern.starts_with(['/', '*']) && patterns.insert(&rule.pattern));
    let rules: BTreeSet<_> = rules.map(|one| (rule(&one.pattern), one.kind.to_string())).collect();
    Policy(agents.into_iter().collect(), rules.into_iter().collect(), values(&group.values))
}

fn values(values: &GroupValues) -> Vec<String> {
    let delay = |one: &Lined<InspectedDelay>| format!("delay {}", one.value.seconds);
    let rate = |one: &Lined<RequestRate>| format!("rate {}", one.value);
    let time = |one: &Lined<VisitTime>| format!("time {}", one.value);
    let uses = |name: &'static str| move |one: &Lined<ContentUse>| format!("{name} {}", one.value);
    let known = values.crawl_delay.iter().map(delay).chain(values.request_rates.iter().map(rate));
    let known = known.chain(values.visit_times.iter().map(time));
    let known = known.chain(values.content_signals.iter().map(uses("signal")));
    let known = known.chain(values.content_usage.iter().map(uses("usage")));
    let others = values.extensions.iter().map(|line| format!("{} {}", line.name, line.value));
    known.chain(others).collect::<BTreeSet<_>>().into_iter().collect()
}

/// The text for all agents says the same as the groups, and each crawler has the delay of the groups that name it.
/// `ROBOSIEVE_WILD` names another folder than the corpus: [explain.groups] [text.all-agents] [text.values]
#[test]
fn groups_are_those_of_the_text_and_of_each_crawler() {
    let (mut compared, mut delays) = (0, 0);
    let wild = std::env::var_os("ROBOSIEVE_WILD").map(|folder| {
        let paths = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        paths.map(|path| (path.clone(), std::fs::read(path).unwrap())).collect()
    });
    for (name, file) in wild.unwrap_or_else(corpus) {
        let sieved = Sieve::all_agents().run(&file).unwrap();
        let found = FileGroups::new(&sieved);
        let text = groups(sieved.text().as_str().as_bytes(), true);
        let policies = |groups: &FileGroups| groups.groups.iter().map(policy).collect::<BTreeSet<_>>();
        if !found.groups.is_empty() {
            assert_eq!(policies(&found), policies(&text), "{}", name.display());
        }
        assert_eq!(values(&found.for_everybody), values(&text.for_everybody), "{}", name.display());
        if !sieved.report().is_exact() || sieved.report().count(FindingKind::ValueNotShared) > 0 {
            continue;
        }
        let agents: BTreeSet<String> = found
            .groups
            .iter()
            .flat_map(|group| &group.agents)
            .map(|agent| agent.name.to_ascii_lowercase())
            .filter(|agent| Agent::new(agent).token().is_some_and(|token| token.as_str() == agent))
            .collect();
        let set = Parser::default().parse(&file);
        for agent in &agents {
            // A longer name can name this crawler too.
            if agents.iter().any(|other| other != agent && other.starts_with(agent.as_str())) {
                continue;
            }
            let of_agent = |group: &&FileGroup| group.agents.iter().any(|one| one.name.eq_ignore_ascii_case(agent));
            let all = found.groups.iter().filter(of_agent).map(|group| &group.values).chain([&found.for_everybody]);
            let delay = all.filter_map(|values| values.crawl_delay.as_ref()).map(|delay| delay.value.seconds);
            let expected = Selection::of(&set, &Interest::new([agent.as_str()])).values().crawl_delay();
            let expected = expected.map(|delay| delay.as_duration().as_secs_f64());
            assert_eq!(delay.max_by(f64::total_cmp), expected, "{}: {agent}", name.display());
            compared += 1;
            delays += usize::from(expected.is_some());
        }
    }
    println!("{compared} agents, {delays} delays");
    assert!(compared > 200 && delays > 20, "{compared} agents, {delays} delays");
}
