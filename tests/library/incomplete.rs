//! Bytes that are not the whole file.

use robosieve::lines::LineMeaning;
use robosieve::records::{Parser, Selection};
use robosieve::report::{Effect, FindingKind};
use robosieve::settings::{Dialect, Interest, Limits, OverLimit};
use robosieve::{Options, Sieve, Tester, Verdict};

const AGENT: [&str; 1] = ["MyBot"];

fn options() -> Options {
    Options { complete: false, ..Options::default() }
}

/// Whether a tester, a text and a text for all agents allow this path. They must agree.
fn allows(file: &str, path: &str) -> bool {
    let set = Parser::new(options()).parse(file.as_bytes());
    let by_set = Tester::new(&set, &Interest::new(AGENT));
    let sieve = Sieve::new(AGENT).options(options());
    let by_sieve = sieve.tester(file.as_bytes()).unwrap();
    let text = sieve.filter(file.as_bytes()).unwrap();
    let of_all = Sieve::all_agents().options(options()).filter(file.as_bytes()).unwrap();
    let read = |text: &str| robosieve::Sieve::new(AGENT).tester(text.as_bytes()).unwrap().into_owned().is_allowed(path);
    let found = [
        by_set.is_allowed(path),
        by_set.test(path).allowed(),
        by_sieve.is_allowed(path),
        text.text_tester().is_allowed(path),
        read(text.text()),
        read(of_all.text()),
    ];
    assert!(found.iter().all(|one| *one == found[0]), "{file:?} {path} {found:?} {}", of_all.text());
    assert!(!text.report().is_exact() && text.report().count(FindingKind::InputIncomplete) == 1, "{file:?}");
    found[0]
}

/// [input.incomplete] [logical.not-read]
#[test]
fn a_last_line_without_its_end_is_no_line() {
    // Of `Allow: /public/only`.
    assert!(!allows("User-agent: *\nDisallow: /\nAllow: /", "/x"));
    assert!(allows("User-agent: *\nDisallow: /a\nDisallow: /", "/x"));
    assert!(!allows("User-agent: *\nDisallow: /a\nDisallow: /", "/a"));
    for end in ["\n", "\r", "\r\n"] {
        assert!(allows(&format!("User-agent: *{end}Disallow: /{end}Allow: /p{end}"), "/p"));
    }
    // Of `User-agent: MyBotNot`.
    assert!(!allows("User-agent: *\nDisallow: /x\n\nUser-agent: MyBot", "/x"));
    let listed = Parser::new(options()).parse_lines(b"User-agent: *\nDisallow: /x");
    let meanings: Vec<_> = listed.iter().map(|line| line.meaning()).collect();
    assert_eq!(meanings, [LineMeaning::UserAgent, LineMeaning::NotRead]);
}

/// With anything after it, it cannot be that the line is another: [input.incomplete] [line.fold]
#[test]
fn a_last_line_that_could_go_on_is_no_line() {
    assert!(!allows("User-agent: *\nDisallow:\n", "/x"));
    assert!(!allows("User-agent: *\nDisallow:\n  /x\n", "/y"));
    assert!(allows("User-agent: *\nDisallow: /a\nDisallow:\n", "/x"));
    assert!(allows("User-agent: *\nDisallow:\nA", "/x"));
    assert!(!allows("User-agent: *\nDisallow:\n ", "/x"));
    // An empty rule that nothing can continue is one.
    assert!(allows("User-agent: *\nDisallow: # all\n", "/x"));
    let google = Options { complete: false, ..Dialect::Google.options() };
    let set = Parser::new(google).parse(b"User-agent: *\nDisallow:\n");
    assert!(Tester::new(&set, &Interest::new(AGENT)).is_allowed("/x"));
}

/// [input.incomplete]
#[test]
fn a_file_cut_before_its_rules_is_incomplete() {
    let files = [
        "",
        "User",
        "User-agent: *",
        "User-agent: *\n",
        "User-agent: MyBot\n",
        "User-agent: Other\nDisallow: /x\n",
        "# c\n",
        "User-agent: *\nDisallow: /x\n\nUser-agent: MyBot\n",
        "User-agent: MyBot\nCrawl-delay: 2\n",
    ];
    for file in files {
        assert!(!allows(file, "/y"), "{file:?}");
        let set = Parser::new(options()).parse(file.as_bytes());
        let tester = Tester::new(&set, &Interest::new(AGENT));
        assert_eq!(tester.test("/y"), Verdict::Incomplete);
        assert!(tester.is_allowed("/robots.txt") && !tester.clone().into_owned().is_allowed("/y"));
        let selection = Selection::of(&set, &Interest::new(AGENT));
        assert!(selection.is_incomplete());
        assert_eq!(selection.report().losses(Effect::MoreRestrictive), 1);
        assert!(Tester::new(&set, &Interest::new(AGENT).fallback(false)).test("/y") == Verdict::Incomplete);
    }
}

/// Over `max_bytes`, the limit says what is read: [input.incomplete] [limit.bytes]
#[test]
fn a_cut_by_the_limit_is_one() {
    let options = Options { limits: Limits { max_bytes: 30, ..Limits::default() }, ..options() };
    let sieved =
        Sieve::new(AGENT).options(options).filter(b"User-agent: *\nDisallow: /a\nDisallow: /b\n").unwrap().into_owned();
    assert_eq!(sieved.report().count(FindingKind::InputCut), 1);
    assert_eq!(sieved.report().count(FindingKind::InputIncomplete), 0);
}

/// The group for `*` that a text has counts as one and its name as one, and comes first: [input.incomplete]
/// [limit.user-agents] [limit.records] [limit.after-normalising]
#[test]
fn the_group_for_all_counts() {
    let file = b"User-agent: a\nUser-agent: b\nDisallow:\nUser-agent: c\nDisallow: /c\nUser";
    let all = "User-agent: *\nDisallow: /\n";
    let (two, three) = ("\nUser-agent: a\nUser-agent: b\nDisallow:\n", "\nUser-agent: c\nDisallow: /c\n");
    for (max_user_agents, texts) in
        [(0, vec![all]), (1, vec![all]), (2, vec![all]), (3, vec![all, two]), (4, vec![all, two, three])]
    {
        let limits = Limits { max_user_agents, ..Limits::default() };
        let sieve = Sieve::all_agents().options(options()).with(|options| options.limits = limits);
        let sieved = sieve.clone().filter(file).unwrap();
        assert_eq!(sieved.text(), texts.concat(), "{max_user_agents}");
        assert_eq!(sieved.report().count(FindingKind::TooManyAgents) == 0, max_user_agents == 4, "{max_user_agents}");
        assert!(
            sieve.with(|options| options.over_limit = OverLimit::Refuse).filter(file).is_err(),
            "an incomplete file has a loss"
        );
    }
}
