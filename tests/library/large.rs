//! Files too large for the corpus: they are read as a whole, and each of these tests ends.

use robosieve::agent::Interest;
use robosieve::policy::Parser;
use robosieve::report::FindingKind;
use robosieve::settings::{Limits, Options};
use robosieve::{Sieve, Tester, sieve};

/// Hostile patterns and paths: the answers are correct, and this test ends. [path.stars] [path.anchor]
#[test]
fn many_stars_are_matched_without_backtracking() {
    let stars = "*a".repeat(1000);
    let url = "/".to_owned() + &"a".repeat(100_000);
    let set = |rule: &str| {
        Parser::new(Options { limits: Limits::NONE, ..Options::default() }).parse(rule.as_bytes()).into_owned()
    };
    for (rule, allowed) in [
        (format!("User-agent: *\nDisallow: /{stars}\n"), false),
        (format!("User-agent: *\nDisallow: /{stars}$\n"), false),
        (format!("User-agent: *\nDisallow: /{stars}b\n"), true),
        (format!("User-agent: *\nDisallow: /{stars}b$\n"), true),
        (format!("User-agent: *\nDisallow: /{}/\n", "*".repeat(100_000)), true),
    ] {
        let tester = Tester::new(&set(&rule), &Interest::new(["x"]));
        assert_eq!(tester.is_allowed(&url), allowed);
    }
}

/// Files too large for the corpus, without limits: everything is read, and no rule is written twice. [input.bytes]
#[test]
fn large_files_are_read_whole() {
    let sieve = |agent: &str| Sieve::new([agent]).options(Options { limits: Limits::NONE, ..Options::default() });
    let rules: String = (0..100).map(|n| format!("Disallow: /{n:02}\n")).collect();
    let agents: String = (0..100_000).map(|n| format!("User-agent: bot-{n}\n")).collect();
    let input = agents + &rules;
    assert_eq!(sieve("bot-99999").run(input.as_bytes()).unwrap().text().as_str(), format!("User-agent: *\n{rules}"));
    let all = Sieve::all_agents().options(Options { limits: Limits::NONE, ..Options::default() });
    assert!(all.run(input.as_bytes()).unwrap().text().as_str().len() <= input.len(), "shared rules are written once");

    let reopened: String = (0..100_000).map(|n| format!("User-agent: *\nDisallow: /{n:06}\n")).collect();
    assert_eq!(sieve("x").run(reopened.as_bytes()).unwrap().text().as_str().lines().count(), 100_001);

    let lines = "User-agent: *\nDisallow: /x\n".to_owned() + &"#\n".repeat(1_000_000) + "Disallow: /y\n";
    let sieved = sieve("x").run(lines.as_bytes()).unwrap();
    assert_eq!(sieved.tester().test(b"/y").line(), Some(1_000_003));

    let one_line = format!("User-agent: *\nDisallow: /{}\nDisallow: /y\n", "a".repeat(10_000_000));
    assert_eq!(sieve("x").run(one_line.as_bytes()).unwrap().text().as_str().len(), one_line.len());
    let limited = robosieve::sieve(one_line.as_bytes(), ["x"]);
    assert_eq!(limited.report().count(FindingKind::InputCut), 1);
}

/// Tens of thousands of continuations after lines that cannot be continued: this test ends. [line.fold]
#[test]
fn folding_is_linear() {
    let name = "a".repeat(250_000);
    for (first, next) in [(format!("{name} b"), " :\n"), (format!("{name}:x"), " x\n"), (name, " :\n")] {
        let input = format!("User-agent: *\nDisallow: /a\n{first}\n{}Disallow: /b\n", next.repeat(80_000));
        let sieved = sieve(input.as_bytes(), ["MyBot"]);
        assert_eq!(sieved.text().as_str(), "User-agent: *\nDisallow: /a\nDisallow: /b\n");
    }
}
