//! Which agents a value applies to, compared with a simple reader that follows SPEC.md: all small files, and an
//! expensive file.

use robosieve::records::{Parser, RecordSet, Selection};
use robosieve::report::FindingKind;
use robosieve::settings::Interest;
use robosieve::{Sieve, Tester};

use crate::at;

/// The lines of the small files. A blank line and a comment have no meaning.
const LINES: &str =
    "User-agent: a|User-agent: B|User-agent: *|Crawl-delay: 1|Crawl-delay: 2|Disallow: /x|Sitemap: z|# -";

/// The delay of an agent in whole seconds, by the text of [value.agents], [value.everybody] and [agent.fallback].
fn expected(lines: &[&str], agent: &str) -> Option<u64> {
    let names = |line: &str, agent: &str| {
        line.strip_prefix("User-agent: ").is_some_and(|name| name.eq_ignore_ascii_case(agent))
    };
    let is_agent = |line: &str| line.starts_with("User-agent: ");
    let fields: Vec<&str> = lines.iter().copied().filter(|line| !line.starts_with('#')).collect();
    // A user-agent line below a rule opens a new group.
    let mut groups: Vec<Vec<&str>> = Vec::new();
    let mut is_below_rule = true;
    for &line in &fields {
        if is_agent(line) && is_below_rule {
            groups.push(Vec::new());
            is_below_rule = false;
        }
        is_below_rule |= line.starts_with("Disallow");
        groups.last_mut().into_iter().for_each(|group| group.push(line));
    }
    let has = |group: &Vec<&str>, agent: &str| group.iter().any(|line| names(line, agent));
    let agent = if groups.iter().any(|group| has(group, agent)) { agent } else { "*" };
    let above = fields.iter().take_while(|line| !is_agent(line));
    let delay_of = |line: &str| line.strip_prefix("Crawl-delay: ").map(|delay| delay.parse::<u64>().unwrap());
    let mut delays: Vec<u64> = above.filter_map(|line| delay_of(line)).collect();
    for group in groups {
        let rule = group.iter().position(|line| line.starts_with("Disallow")).unwrap_or(group.len());
        for (at, line) in group.iter().enumerate() {
            let Some(delay) = delay_of(line) else { continue };
            let is_for = if at > rule {
                has(&group, agent)
            } else {
                // Goes up to the nearest user-agent line, and then through all adjacent ones.
                let above = group[..at].iter().rev().skip_while(|line| !is_agent(line));
                above.take_while(|line| is_agent(line)).any(|line| names(line, agent))
            };
            delays.extend(is_for.then_some(delay));
        }
    }
    delays.into_iter().max()
}

/// The delay of an agent in a set.
fn delay(set: &RecordSet<'_>, agent: &str) -> Option<u64> {
    let interest = Interest::new([agent]);
    let selection = Selection::of(set, &interest);
    selection.values().crawl_delay().map(|delay| delay.as_duration().as_secs())
}

fn check(lines: &[&str]) {
    let file = lines.join("\n");
    let set = Parser::default().parse(file.as_bytes());
    let all = Sieve::all_agents().filter(file.as_bytes()).unwrap();
    let text = all.text();
    assert_eq!(Sieve::all_agents().filter(text.as_bytes()).unwrap().text(), text, "twice, {file:?}");
    let read_again = Parser::default().parse(text.as_bytes());
    for agent in ["a", "b", "c"] {
        let expected = expected(lines, agent);
        assert_eq!(delay(&set, agent), expected, "{agent} in {file:?}");
        let directed = Sieve::new([agent]).filter(file.as_bytes()).unwrap();
        let record = directed.records().records().next();
        let of_one = record.and_then(|record| record.crawl_delay()).map(|delay| delay.as_duration().as_secs());
        assert_eq!(of_one, expected, "filtered for {agent}: {file:?}");
        assert_eq!(directed.text().contains("Crawl-delay"), expected.is_some(), "{agent} in {file:?}");
        if all.report().count(FindingKind::ValueNotShared) == 0 {
            assert_eq!(delay(&read_again, agent), expected, "{agent} in the text {text:?} of {file:?}");
        }
        let interest = Interest::new([agent]);
        let verdicts = [&set, &read_again].map(|set| Tester::new(set, &interest).is_allowed("/x"));
        assert_eq!(verdicts[0], verdicts[1], "{agent} in the text {text:?} of {file:?}");
    }
}

/// All files of up to four lines, and some longer ones. [value.agents] [value.everybody] [text.values] [input.directed] [text.idempotent]
#[test]
fn small_files_agree_with_a_plain_reader() {
    let lines: Vec<&str> = LINES.split('|').collect();
    let count = lines.len();
    let file = |number: usize, length: u32| -> Vec<&str> {
        (0..length).map(|place| lines[number / count.pow(place) % count]).collect()
    };
    for length in 0..=4 {
        (0..count.pow(length)).for_each(|number| check(&file(number, length)));
    }
    for number in 0..2_000_usize {
        check(&file(number.wrapping_mul(0x9E37_79B9) % count.pow(9), 9));
    }
}

/// [value.agents]
#[test]
fn each_kind_of_value_applies_to_the_agents_above() {
    let values = [
        "Crawl-delay: 300",
        "Request-rate: 1/5",
        "Visit-time: 0600-0845",
        "Content-Signal: search=yes",
        "Content-Usage: train-ai=n",
        "Noindex: /n",
    ];
    let file = format!("User-agent: a\n{}\nUser-agent: *\nDisallow: /x\n", values.join("\n"));
    let of = |agent| Sieve::new([agent]).filter(file.as_bytes()).unwrap().text().to_string();
    assert_eq!(of("b"), "User-agent: *\nDisallow: /x\n");
    for value in values {
        assert!(of("a").contains(&format!("{value}\n")), "{value} in {}", of("a"));
    }
    let set = Parser::default().parse(file.as_bytes());
    let record = set.records().next().unwrap();
    let agents: Vec<_> = record.extensions().iter().map(|line| record.agents_of(line)).collect();
    assert!(agents.iter().all(|agents| agents.len() == 1 && agents[0].line() == at(1)));
    assert_eq!(record.crawl_delay(), None);
    assert_eq!(record.values_of(&record.agents()[0]).lines().len(), values.len());
    assert_eq!(record.values_of(&record.agents()[1]).lines().len(), 0);
    assert_eq!(record.shared_values().lines().len(), 0);
}
