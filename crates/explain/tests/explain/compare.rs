//! What changed for all agents.

use std::fmt::Write as _;

use robosieve::Options;
use robosieve::records::{Parser, RecordSet};
use robosieve_diff::{Comparison, Diff};
use robosieve_explain::{AgentsDiff, GroupUsed, Names};

fn set(file: &[u8]) -> RecordSet<'_> {
    Parser::new(Options::default().for_verdicts()).parse(file)
}

fn compare(old: &[u8], new: &[u8]) -> AgentsDiff {
    AgentsDiff::of(&set(old), &set(new), Names::Known).unwrap()
}

/// [compare.agents] [compare.lines]
#[test]
fn an_agent_is_compared_by_the_groups_it_uses() {
    let old = b"User-agent: Googlebot\nDisallow: /a\n\nUser-agent: *\nDisallow: /b\nSitemap: http://e/s\n";
    let new = [&old[..], b"\nUser-agent: Googlebot-Image\nDisallow: /a\n\nUser-agent: Other\nDisallow: /b\n"].concat();
    let added = compare(old, &new);
    assert_eq!(added.agents_added, ["Googlebot-Image", "Other"]);
    assert!(added.is_empty() && added.changes.is_empty(), "{added:?}");
    assert_eq!((added.unchanged, added.answers()), (4, Comparison::Same));

    let new = [&old[..], b"\nUser-agent: googlebot-image\nDisallow: /c\n"].concat();
    let changed = compare(old, &new);
    assert_eq!(changed.changes.len(), 1);
    let change = &changed.changes[0];
    assert_eq!((&change.old_group, &change.new_group), (&GroupUsed::Of("Googlebot".into()), &GroupUsed::Own));
    assert_eq!((change.unreported(), changed.compared()), (None, 3));
    assert!(change.diff.lines_added.is_empty() && changed.lines_added.is_empty());
    assert_eq!(compare(b"", b"User-agent: a\nDisallow: /\n").changes[0].old_group.words(), "no group");
}

/// A line with digits or dots also names the token before them. [compare.agents] [agent.token]
#[test]
fn agents_that_are_named_through_digits_are_compared() {
    let old = b"User-agent: *\nDisallow: /x\n";
    for (name, tokens) in [
        ("GPTBot2", &["GPTBot2", "GPTBot"][..]),
        ("Bot2.1", &["Bot2.1", "Bot", "Bot2"]),
        ("Bot.x2", &["Bot.x2", "Bot.x", "Bot"]),
        ("008", &["008"]),
        ("360spider", &["360spider"]),
        ("Bot/2.1", &["Bot"]),
    ] {
        let new = [&old[..], format!("\nUser-agent: {name}\nDisallow: /\n").as_bytes()].concat();
        let diff = compare(old, &new);
        let mut found = diff.changes[0].agents.clone();
        found.sort_by_key(|agent| tokens.iter().position(|token| token == agent));
        assert_eq!(
            (diff.changes.len(), found.as_slice()),
            (1, &tokens.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>()[..])
        );
        assert_eq!(diff.agents_added, [tokens[0]], "only what is written is a new name");
        for token in tokens {
            assert!(!robosieve::Sieve::new([token]).tester(&new).unwrap().is_allowed("/y"), "{token}");
        }
    }
    // In the same places of the groups of Google's dialect there are no such names.
    let options = robosieve::settings::Dialect::Google.options().for_verdicts();
    let of = |file: &'static [u8]| Parser::new(options.clone()).parse(file);
    let diff = AgentsDiff::of(&of(b""), &of(b"User-agent: GPTBot2\nDisallow: /\n"), Names::Known).unwrap();
    assert_eq!(diff.agents_added, ["GPTBot"]);
}

/// A delay above all groups is everybody's. [value.everybody] [compare.agents]
#[test]
fn lines_above_all_groups_are_compared() {
    let file = |delay: u32| format!("Crawl-delay: {delay}\nUser-agent: a\nDisallow: /x\n");
    let diff = compare(file(1).as_bytes(), file(2).as_bytes());
    assert!(!diff.is_empty(), "{diff:?}");
    assert!(compare(file(1).as_bytes(), file(1).as_bytes()).is_empty());
}

/// Rules that change no result are only counted if the agent uses another group. [compare.agents] [cmd.diff.all]
#[test]
fn rules_without_effect_are_counted() {
    let old = b"User-agent: *\nDisallow: /a\nDisallow: /b\n";
    let closed = compare(old, &[&old[..], b"\nUser-agent: GPTBot\nDisallow: /\n"].concat());
    let change = &closed.changes[0];
    let reported: Vec<_> =
        change.diff.rules().filter(|rule| change.tells(rule)).map(|rule| rule.pattern.as_str()).collect();
    let unreported: Vec<String> = change.unreported().into_iter().collect();
    assert_eq!((reported, unreported), (vec!["/"], vec!["2 other changed rules change no result".to_owned()]));
    let edited = compare(old, b"User-agent: *\nDisallow: /a\nDisallow: /b\nDisallow: /b/c\n");
    let change = &edited.changes[0];
    assert_eq!((change.diff.rules().filter(|rule| change.tells(rule)).count(), change.unreported()), (1, None));
}

/// Spelling is no change for any agent. [compare.agents]
#[test]
fn spelling_and_order_are_no_change() {
    let old = b"User-agent: a\nUser-agent: b\nDisallow: /x\nAllow: /y\nCrawl-delay: 2\n";
    let new = b"user-agent: B\nallow: /y # z\ndisallow: /%78\nCrawl-delay: 2.0\n\nUser-Agent: a\nDisallow: /x\nAllow: /y\nCrawl-delay: 2\n";
    let diff = compare(old, new);
    assert!(diff.is_empty() && diff.changes.is_empty() && diff.agents_added.is_empty(), "{diff:?}");
}

/// Each agent has the comparison that `Diff` gives for it alone. [compare.agents] [compare.lines]
#[test]
fn each_agent_has_its_own_diff() {
    let files = crate::families::corpus::files();
    for (at, (path, new)) in files.iter().enumerate() {
        let old = &files[at.saturating_sub(1)].1;
        let (before, after) = (set(old), set(new));
        let all = AgentsDiff::of(&before, &after, Names::Known).unwrap();
        for change in &all.changes {
            for agent in change.agents.iter().filter(|agent| *agent != "*").take(5) {
                let interest = Names::Known.groups([agent]);
                let [old, new] = [&before, &after].map(|set| set.filter_for(interest.interest()).unwrap().0);
                let mut one = without_lines(Diff::of(&old, &new));
                one.lines_added.retain(|line| !all.lines_added.contains(line));
                one.lines_removed.retain(|line| !all.lines_removed.contains(line));
                assert_eq!(one, without_lines(change.diff.clone()), "{}: {agent}", path.display());
            }
        }
    }
}

/// Without the numbers of lines: agents with the same change have the numbers of the first.
fn without_lines(mut diff: Diff) -> Diff {
    let rules = diff.rules_added.iter_mut().chain(&mut diff.rules_removed).chain(&mut diff.rules_moved);
    rules.for_each(|rule| (rule.line, rule.old_line) = (None, None));
    diff.flips.iter_mut().for_each(|flip| (flip.old_line, flip.new_line) = (None, None));
    diff
}

/// [compare.two]
#[test]
fn two_agents_are_compared_as_two_files() {
    let file = b"User-agent: a\nDisallow: /a\n\nUser-agent: *\nDisallow: /b\n";
    let diff = AgentsDiff::between(&set(file), &Names::Known.groups(["a"]), &Names::Known.groups(["b"])).unwrap();
    assert_eq!((diff.rules_removed[0].pattern.as_str(), diff.rules_added[0].pattern.as_str()), ("/a", "/b"));
    assert!(
        AgentsDiff::between(&set(file), &Names::Known.groups(["b"]), &Names::Known.groups(["c"])).unwrap().is_empty()
    );
}

fn agents(count: usize, rules: &str) -> String {
    (0..count).fold(String::new(), |mut file, n| {
        write!(file, "User-agent: a{n}\nDisallow: /{n}\n{rules}\n").unwrap();
        file
    })
}

/// One less than the limit, the limit, and one more. `*` is an agent too, and so is `b`, which `b0` also names.
/// [compare.bounds]
#[test]
fn agents_and_changes_are_limited() {
    let over = |agents: usize| compare(b"", format!("{}Disallow: /\n", names(agents)).as_bytes()).not_compared.len();
    let most = AgentsDiff::MAX_AGENTS - 2;
    assert_eq!([most - 1, most, most + 1].map(over), [0, 0, 1]);
    let over = |count: usize| compare(b"", agents(count, "").as_bytes()).not_compared.len();
    let most = AgentsDiff::MAX_CHANGES - 1;
    assert_eq!([most - 1, most, most + 1].map(over), [0, 0, 1]);
    // The rules of the agents in both files together: 2,000 of each.
    let rules: String = (0..2_000).map(|n| format!("Disallow: /{n}\n")).collect();
    let over = |count: usize| compare(b"", format!("{}{rules}", names(count)).as_bytes()).not_compared.len();
    let most = AgentsDiff::MAX_LINES / 2_000 - 1;
    assert_eq!([most - 1, most, most + 1].map(over), [0, 0, 1]);
    let known = compare(b"", format!("{}User-agent: GPTBot\nDisallow: /\n", names(2_000)).as_bytes());
    assert_eq!(known.changes[0].agents[0], "GPTBot");
    assert!(!known.is_empty() && known.not_compared.len() == 1_003, "{}", known.not_compared.len());
}

fn names(count: usize) -> String {
    (0..count).map(|n| format!("User-agent: b{n}\n")).collect()
}
