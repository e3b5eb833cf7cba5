//! Names in `User-Agent` headers, and headers that are in doubt. The suite has real ones.

use robosieve::records::{Parser, Selection};
use robosieve::report::{Effect, FindingKind};
use robosieve::settings::{Agent, Dialect, Interest};
use robosieve::{Agents, Sieve, Tester};

use crate::number;

fn names(header: &str) -> Vec<String> {
    Agent::new(header).names().map(str::to_owned).collect()
}

fn interest(header: &str) -> Interest {
    Interest::new([Agent::new(header)].into_iter().collect::<Agents>())
}

fn allows(file: &str, header: &str, path: &str) -> bool {
    let set = Parser::default().parse(file.as_bytes());
    let by_set = Tester::new(&set, &interest(header)).is_allowed(path);
    let sieve = Sieve::for_agents(interest(header));
    let by_text = sieve.filter(file.as_bytes()).unwrap().text_tester().is_allowed(path);
    assert_eq!(sieve.tester(file.as_bytes()).unwrap().is_allowed(path), by_set, "{file:?} {header:?} {path}");
    assert_eq!(by_text, by_set, "{file:?} {header:?} {path}");
    by_set
}

/// The lines and effects of the findings of this kind.
fn found(file: &str, header: &str, kind: FindingKind) -> Vec<(u32, Effect)> {
    let set = Parser::default().parse(file.as_bytes());
    let by_set = Selection::of(&set, &interest(header)).report().clone();
    let by_sieve = Sieve::for_agents(interest(header)).filter(file.as_bytes()).unwrap().report().clone();
    assert_eq!(by_set.count(kind), by_sieve.count(kind), "{file:?} {header:?}");
    by_set.details().iter().filter(|one| one.kind == kind).map(|one| (number(one.line), one.effect)).collect()
}

/// [agent.header]
#[test]
fn names_stand_in_order() {
    let cases: &[(&str, &[&str])] = &[
        ("Mozilla/5.0 (compatible; Yahoo! Slurp; http://help.yahoo.com/help/us/ysearch/slurp)", &["Slurp", "Yahoo"]),
        ("My Nutch Spider/Nutch-1.19", &["My", "Nutch", "Spider"]),
        ("MyBot/1.0 (compatible; OtherBot/2.0; +https://example.com)", &["OtherBot", "MyBot"]),
        (
            "Mozilla/5.0 (X11) Safari/5 facebookexternalhit/1.1 Facebot Twitterbot/1.0",
            &["facebookexternalhit", "Facebot", "Twitterbot"],
        ),
        ("MyBot/1.0 (like Googlebot/2.1)", &["MyBot"]),
        ("python-requests/2.31.0", &["python-requests"]),
        ("Foo Bar", &["Foo", "Bar"]),
        (" googlebot/2.1 ", &["googlebot"]),
        ("008", &["008"]),
        ("", &[]),
        ("*", &[]),
        ("(none)", &[]),
        ("Bot\u{fc}", &[]),
        ("B\u{fc}cher Bot", &[]),
    ];
    for (header, expected) in cases {
        assert_eq!(names(header), *expected, "{header}");
    }
}

/// Any bytes are read in bounded time: [agent.header]
#[test]
fn hostile_headers_are_bounded() {
    let deep = "(".repeat(1_000_000);
    let many: String = (0..100_000).map(|n| format!("bot{n}/1 ")).collect();
    assert!(names(&deep).is_empty() && names(&many).len() <= 8);
    for byte in 0..=u8::MAX {
        for text in
            [vec![byte], vec![b'a', byte, b'/', b'1'], [b"Mozilla/5.0 (compatible; ", &[byte][..], b"x"].concat()]
        {
            let agent = Agent::new(&text);
            assert!(agent.names().all(|name| !name.is_empty()), "{text:?}");
            let called = agent.token().map_or(text.as_slice(), str::as_bytes);
            assert_eq!(agent.as_bstr(), called);
        }
    }
}

/// Several named groups: what one disallows is disallowed, and the report says so: [agent.doubt]
#[test]
fn in_doubt_the_stricter_counts() {
    let header = "MyBot/1.0 (compatible; OtherBot/2.0; +https://example.com)";
    let file = "User-agent: MyBot\nDisallow: /a\nAllow: /b\n\nUser-agent: OtherBot\nDisallow: /b\nAllow: /a/x/long\n";
    for (path, allowed) in [("/a", false), ("/b", false), ("/b/c", false), ("/c", true), ("/a/x/long", false)] {
        assert_eq!(allows(file, header, path), allowed, "{path}");
    }
    assert_eq!(found(file, header, FindingKind::AgentInDoubt), [(1, Effect::MoreRestrictive)]);
    // One group, or two names of the same, is no doubt.
    for file in ["User-agent: MyBot\nDisallow: /a\n", "User-agent: MyBot\nUser-agent: OtherBot\nDisallow: /a\n"] {
        assert!(found(file, header, FindingKind::AgentInDoubt).is_empty());
        assert!(!allows(file, header, "/a") && allows(file, header, "/b"));
    }
    // An Allow of both groups stays.
    let file = "User-agent: MyBot\nDisallow: /\nAllow: /p\n\nUser-agent: OtherBot\nAllow: /p\nDisallow: /\n";
    assert!(allows(file, header, "/p") && !allows(file, header, "/q"));
}

/// A name that only could be the crawler's opens nothing that `*` closes: [agent.doubt]
#[test]
fn a_weaker_name_opens_nothing() {
    let header = "MyBot/1.0 (Other/2.0; +https://example.com)";
    assert_eq!(names(header), ["MyBot", "Other"]);
    let file = "User-agent: *\nDisallow: /\n\nUser-agent: Other\nAllow: /\n";
    assert!(!allows(file, header, "/x"));
    assert_eq!(found(file, header, FindingKind::AgentInDoubt), [(1, Effect::MoreRestrictive)]);
    assert!(!allows("User-agent: *\nAllow: /\n\nUser-agent: Other\nDisallow: /\n", header, "/x"));
    let set = Parser::default().parse(file.as_bytes());
    assert!(Tester::new(&set, &interest(header).fallback(false)).is_allowed("/x"));
}

/// The stricter of any two small groups, for every way that they can be: [agent.doubt]
#[test]
fn no_side_is_overruled() {
    const RULES: [&str; 6] = ["Disallow: /", "Allow: /", "Disallow: /a", "Allow: /a", "Allow: /ab", "Disallow: /*b"];
    let header = "MyBot/1.0 (compatible; OtherBot/2.0)";
    let groups: Vec<String> = (0..36).map(|n| format!("{}\n{}\n", RULES[n / 6], RULES[n % 6])).collect();
    for dialect in [Dialect::Standard, Dialect::Processor] {
        for (one, other) in groups.iter().flat_map(|one| groups.iter().map(move |other| (one, other))) {
            let file = format!("User-agent: MyBot\n{one}\nUser-agent: OtherBot\n{other}");
            let set = Parser::new(dialect.options()).parse(file.as_bytes());
            let both = Tester::new(&set, &interest(header));
            let alone = ["MyBot", "OtherBot"].map(|name| Tester::new(&set, &Interest::new([name])));
            for path in ["/", "/a", "/ab", "/b"] {
                let is_free = alone.iter().all(|tester| tester.is_allowed(path));
                assert!(is_free || !both.is_allowed(path), "{dialect} {file:?} {path}");
            }
        }
    }
}

/// A header without a crawler's name, and an empty name, are reported: [agent.unnamed]
#[test]
fn a_name_that_is_none_is_reported() {
    let browser = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36";
    let file = "User-agent: *\nDisallow: /a\n";
    for name in [browser, "Mozilla", "", " ", "(none)", "Bot\u{fc}"] {
        assert!(!Agent::new(name).is_named(), "{name}");
        assert_eq!(Agents::new(["MyBot", name, ""]).unnamed(), Some(&Agent::new(name)), "{name}");
        assert_eq!(found(file, name, FindingKind::AgentUnnamed), [(0, Effect::Either)], "{name}");
        assert!(!allows(file, name, "/a"));
    }
    for name in ["MyBot", "*", "python-requests/2.31", "Mozilla/5.0 (compatible; MyBot)"] {
        assert!(found(file, name, FindingKind::AgentUnnamed).is_empty(), "{name}");
        assert!(Agents::new([name]).unnamed().is_none(), "{name}");
    }
    // A group of the browser's name counts only as far as it restricts.
    assert!(!allows("User-agent: *\nAllow: /\n\nUser-agent: Mozilla\nDisallow: /\n", browser, "/x"));
    assert!(!allows("User-agent: *\nDisallow: /\n\nUser-agent: Mozilla\nAllow: /\n", browser, "/x"));
}
