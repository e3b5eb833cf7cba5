//! A verdict uses the whole file: neither a limit on counts nor a limit on fields hides a rule from it.

use robosieve::records::Parser;
use robosieve::report::FindingKind;
use robosieve::settings::{Dialect, For, Interest, Limits, OverLimit};
use robosieve::{Options, Sieve, Tester, closed};

use crate::{at, limited};

fn repeated(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).map(line).collect()
}

/// Files whose last rule forbids `/x`, after many lines of one kind, as large as `max_bytes` allows.
fn counted() -> [String; 5] {
    let (mine, everyone) = ("User-agent: MyBot\n", "User-agent: *\n");
    let files = [
        repeated(1000, |n| format!("User-agent: bot-{n}\nAllow: /\n")) + mine,
        repeated(1000, |n| format!("User-agent: *\nAllow: /{n}\n")) + everyone,
        repeated(1000, |n| format!("User-agent: bot-{n}\n")) + mine,
        everyone.to_owned() + &repeated(1000, |n| format!("Content-Usage: /{n} train-ai=n\n")),
        everyone.to_owned() + &repeated(34_000, |n| format!("Allow: /{n:04}\n")),
    ];
    files.map(|file| file + "Disallow: /\n")
}

/// Rules, a name and a directive over a limit on fields decide a verdict. The text lacks them, and its report says so.
/// [limit.verdicts] [limit.wildcards] [limit.value-length] [limit.name-length] [limit.directive-length]
#[test]
fn what_is_over_a_limit_on_fields_decides() {
    let rule = |path: &str| format!("User-agent: *\nDisallow: /{path}\n");
    let (long, name) = ("x".repeat(2_000), "MyBot".repeat(60));
    let tight = Limits { max_directive_length: 5, ..Limits::DEFAULT };
    for (file, agent, limits, url) in [
        (rule("x*a*b*c*d*e*f*g*h*i*j*"), "MyBot", Limits::DEFAULT, "/xabcdefghij".to_owned()),
        (rule(&long), "MyBot", Limits::DEFAULT, format!("/{long}")),
        // The normalised form exceeds the limit. Google's URLs are compared without encoding.
        (rule(&"é".repeat(400)), "MyBot", Limits::DEFAULT, format!("/{}", "%C3%A9".repeat(400))),
        (format!("User-agent: {name}\nDisallow: /x\n"), "*", Limits::DEFAULT, "/x".to_owned()),
        (rule("x"), "MyBot", tight, "/x".to_owned()),
    ] {
        for dialect in [Dialect::Standard, Dialect::Google, Dialect::Processor] {
            let agent = if agent == "*" { &name } else { agent };
            let sieve = Sieve::new([agent]).options(dialect).with(|options| options.limits = limits);
            assert_eq!(sieve.tester(file.as_bytes()).unwrap().test(&url).line(), at(2), "{url} in {dialect:?}");
            let sieved = sieve.filter(file.as_bytes()).unwrap();
            let is_lost = sieved.text_tester().is_allowed(&url);
            assert_eq!(is_lost, !sieved.report().is_exact(), "{url} in {dialect:?}");
            assert!(is_lost || agent == name.as_str(), "{url} in {dialect:?}");
        }
    }
}

/// A value of `*` that is also for the crawler is no line of its group: the limit of texts leaves it to a tester.
/// [limit.verdicts] [value.everybody]
#[test]
fn a_delay_of_everybody_is_in_a_tester_after_any_number_of_rules() {
    let file = |rules: usize| format!("Crawl-delay: 7\nUser-agent: MyBot\n{}", "Disallow: /a\n".repeat(rules));
    for rules in [0, 1, 999, 1_000, 1_001] {
        let file = file(rules);
        let set = Parser::new(limited(Limits::PROCESSOR)).parse(file.as_bytes());
        let delay = Tester::new(&set, &Interest::new(["MyBot"])).crawl_delay();
        assert_eq!(delay.map(|delay| delay.as_secs()), Some(7), "{rules}");
    }
}

/// [text.one-record]
#[test]
fn the_fallback_keeps_the_name_of_the_text() {
    let sieve = Sieve::for_agents(Interest::new(["MyBot"]).named(true));
    let text = |sieve: Sieve| sieve.filter(b"User-agent: MyBot\nDisallow: /a\n").unwrap().text().to_string();
    assert_eq!(text(sieve.clone()), "User-agent: *\nUser-agent: mybot\nDisallow: /a\n");
    assert_eq!(text(sieve.clone().fallback(true)), text(sieve));
}

/// Only the end of a file over `max_bytes` is not read, and such a file can be refused. [limit.verdicts]
/// [limit.bytes] [over-limit.refuse] [over-limit.widen]
#[test]
fn what_is_beyond_the_bytes_is_not_read() {
    let front = "User-agent: *\nDisallow: /a\n";
    let file = format!("{front}Disallow: /b\n");
    let sieve = |over_limit| {
        let limits = Limits { max_bytes: front.len(), max_lines: 0, ..Limits::default() };
        Sieve::new(["MyBot"]).options(Options { limits, over_limit, ..Options::default() })
    };
    let tester = sieve(OverLimit::Drop).tester(file.as_bytes()).unwrap();
    assert!(!tester.is_allowed("/a") && tester.is_allowed("/b"));
    let refused = sieve(OverLimit::Refuse).tester(file.as_bytes()).unwrap_err();
    assert_eq!((refused.finding.kind, refused.finding.line), (FindingKind::InputCut, at(3)));
    assert!(sieve(OverLimit::Refuse).tester(front.as_bytes()).is_ok());
    // What the result allows, the file also allows.
    assert!(!sieve(OverLimit::Widen).tester(file.as_bytes()).unwrap().is_allowed("/c"));
}

/// Only the limits change, no other option. [limit.verdicts]
#[test]
fn other_choices_stay() {
    for dialect in [Dialect::Standard, Dialect::Google, Dialect::Processor] {
        let options = dialect.options();
        let limits = Limits { max_bytes: options.limits.max_bytes, ..Limits::NONE };
        assert_eq!(options.clone().for_verdicts(), Options { reads_for: For::Verdicts, limits, ..options });
    }
}

/// No count hides a rule from a verdict, in any dialect. The text for verdicts contains all rules in at most three times
/// the bytes plus 64, and parsing it back gives the same verdicts. [limit.verdicts] [limit.counts] [limit.records]
/// [limit.lines] [limit.user-agents]
#[test]
fn a_verdict_and_its_text_have_all_rules() {
    let bytes = |count: usize| "\u{e9}".repeat(count);
    let others = [
        format!("User-agent:*\n{}Disallow:/x\n", repeated(100, |n| format!("Disallow:{n}{}\n", bytes(n)))),
        format!("User-agent:*\n{}Disallow:/x\n", "Disallow:\u{e9}\n".repeat(10)),
        "User-agent:*\nDisallow:/x\n".to_owned(),
    ];
    for file in counted().into_iter().chain(others) {
        let name: String = file.chars().take(60).collect();
        assert!(file.len() <= Limits::DEFAULT.max_bytes, "{name}: {}", file.len());
        for dialect in [Dialect::Standard, Dialect::Google, Dialect::Processor] {
            let sieve = Sieve::new(["MyBot"]).options(dialect);
            let whole = sieve.tester(file.as_bytes()).unwrap();
            assert!(!whole.is_allowed("/x"), "{name} in {dialect:?}");
            let sieve = sieve.options(dialect.options().for_verdicts());
            let sieved = sieve.filter(file.as_bytes()).unwrap();
            let text = sieved.text();
            assert!(text.len() <= 3 * file.len() + 64, "{name}: {} of {}", text.len(), file.len());
            assert!(sieved.report().is_exact(), "{name} in {dialect:?}");
            let again = sieve.with(|options| options.limits = Limits::NONE).filter(text.as_bytes()).unwrap();
            assert_eq!(again.text(), text, "{name} in {dialect:?}");
            for url in ["/x", "/", "/a/1", "/%C3%A9", "/1%C3%A9"] {
                let allowed = again.text_tester().is_allowed(url);
                assert_eq!(allowed, whole.is_allowed(url), "{name} in {dialect:?}: {url}");
            }
        }
    }
}

/// Options for verdicts have no limit but `max_bytes`, and those that are given after that: a caller's own. [limit.verdicts]
#[test]
fn only_limits_that_are_given_count_for_verdicts() {
    let file = format!("User-agent: *\nDisallow: /{}\n", "a".repeat(3000));
    let tight = Limits { max_value_length: 5, ..Limits::default() };
    for (options, is_whole) in [
        (Options::default().for_verdicts(), true),
        (limited(tight).for_verdicts(), true),
        (Options { limits: tight, ..Options::default().for_verdicts() }, false),
    ] {
        let sieve = Sieve::new(["MyBot"]).options(options);
        assert_eq!(sieve.filter(file.as_bytes()).unwrap().text().len() > 3000, is_whole);
        let url = &file[file.find('/').unwrap()..].trim_end();
        assert_eq!(!sieve.tester(file.as_bytes()).unwrap().is_allowed(url), is_whole);
        assert_eq!(!sieve.test(file.as_bytes(), url).unwrap().allowed(), is_whole);
    }
}

/// The replacement for a value that only a bug can lose: a text that disallows everything for all agents.
/// [harmless.closed]
#[test]
fn the_replacement_disallows_everything() {
    assert_eq!(closed::expect(Some("a text"), || closed::TEXT), "a text");
    for dialect in [Dialect::Standard, Dialect::Google, Dialect::Processor] {
        let sieve = Sieve::new(["MyBot"]).options(dialect);
        assert_eq!(sieve.filter(closed::TEXT.as_bytes()).unwrap().text(), closed::TEXT);
        let tester = sieve.tester(closed::TEXT.as_bytes()).unwrap();
        assert!(["/", "/a", "/?b", "https://example.com"].iter().all(|url| !tester.is_allowed(url)), "{dialect:?}");
    }
}

/// A debug build reports the bug; a release build disallows everything. [harmless.closed]
#[test]
#[cfg_attr(debug_assertions, should_panic(expected = "no input should lead here"))]
fn a_value_lost_by_a_bug_disallows_everything() {
    assert_eq!(closed::expect(None, || closed::TEXT), closed::TEXT);
}

/// The text of all agents may hold several groups for one agent. Their rules together can be more than `max_lines`. The
/// tester of the text uses all of them, under each choice. [limit.verdicts] [limit.lines]
#[test]
fn a_tester_of_the_text_uses_all_rules_of_merged_groups() {
    let file =
        b"User-agent: *\nUser-agent: b\nDisallow: /a\nDisallow: /b\n\nUser-agent: *\nDisallow: /c\nDisallow: /d\n";
    for over_limit in [OverLimit::Drop, OverLimit::Refuse, OverLimit::Widen] {
        let limits = Limits { max_lines: 3, ..Limits::DEFAULT };
        let options = Options { limits, over_limit, ..Options::default() };
        let sieved = Sieve::all_agents().options(options).filter(file).unwrap();
        assert!(sieved.report().is_exact());
        let tester = sieved.text_tester();
        for (path, allowed) in [("/a", false), ("/b", false), ("/c", false), ("/d", false), ("/e", true)] {
            assert_eq!(tester.is_allowed(path), allowed, "{over_limit:?} {path}");
        }
    }
}

/// Files too large for the corpus, without limits: everything is read, and no rule is written twice. [input.bytes]
#[test]
fn large_files_are_read_whole() {
    let sieve = |agent: &str| Sieve::new([agent]).with(|options| options.limits = Limits::NONE);
    let rules: String = (0..100).map(|n| format!("Disallow: /{n:02}\n")).collect();
    let agents: String = (0..100_000).map(|n| format!("User-agent: bot-{n}\n")).collect();
    let input = agents + &rules;
    assert_eq!(sieve("bot-99999").filter(input.as_bytes()).unwrap().text(), format!("User-agent: *\n{rules}"));
    let all = Sieve::all_agents().with(|options| options.limits = Limits::NONE);
    assert!(all.filter(input.as_bytes()).unwrap().text().len() <= input.len(), "shared rules are written once");

    let reopened: String = (0..100_000).map(|n| format!("User-agent: *\nDisallow: /{n:06}\n")).collect();
    assert_eq!(sieve("x").filter(reopened.as_bytes()).unwrap().text().lines().count(), 100_001);

    let lines = "User-agent: *\nDisallow: /x\n".to_owned() + &"#\n".repeat(1_000_000) + "Disallow: /y\n";
    let sieved = sieve("x").filter(lines.as_bytes()).unwrap();
    assert_eq!(sieved.text_tester().test(b"/y").line(), at(1_000_003));

    let one_line = format!("User-agent: *\nDisallow: /{}\nDisallow: /y\n", "a".repeat(10_000_000));
    assert_eq!(sieve("x").filter(one_line.as_bytes()).unwrap().text().len(), one_line.len());
    let cut = Sieve::new(["x"]).filter(one_line.as_bytes()).unwrap();
    assert_eq!(cut.report().count(FindingKind::InputCut), 1);
}
