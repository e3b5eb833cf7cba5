//! Questions: against the tester of the file itself, and about observations of which the last is not sure.
#![allow(
    clippy::arithmetic_side_effects,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    reason = "a test may fail"
)]

#[path = "../../../tests/families/corpus.rs"]
mod corpus;

use std::fs;
use std::path::PathBuf;

use robosieve::Tester;
use robosieve::agent::{Agent, Interest};
use robosieve::policy::{Parser, Precedence, Selection};
use robosieve::settings::{Dialect, Options};
use robosieve_batch::Outcome;
use robosieve_census::{AgentList, Asker, Census, Entry, Observations, Question, Seen, Stored};
use robosieve_explain::Names;

/// A file of lines that is removed.
struct Lines(PathBuf);

impl Lines {
    fn new(name: &str, lines: &[u8]) -> Self {
        let path = std::env::temp_dir().join(format!("census-{name}-{}.ndjson", std::process::id()));
        fs::write(&path, lines).unwrap();
        Self(path)
    }

    fn ask(&self, questions: &[Question]) -> Observations {
        Asker::new(Names::Known, Options::default()).read(&[Stored::new(&self.0)], questions.iter()).unwrap()
    }
}

impl Drop for Lines {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

fn census() -> Census {
    Census::new(AgentList::read("GPTBot").unwrap())
}

fn line(seen: &Seen<'_>, file: &str) -> Vec<u8> {
    let mut out = Vec::new();
    census().add(seen, file.as_bytes(), true, &mut out);
    out
}

/// A text can say something else in another reading: [census.reading]
#[test]
fn a_census_is_asked_as_it_was_read() {
    let in_order = || Options { precedence: Precedence::FileOrder, ..Options::default() };
    let google = || Dialect::Google.options();
    // What a report holds changes no answer.
    let quiet = || Options { max_details: 0, ..Options::default() };
    let made = [in_order(), google(), Options::default(), quiet()];
    // Of equal rules Allow decides, and the first one decides in the order of the file.
    let file = b"User-agent: *\nDisallow: /p\nAllow: /p\n";
    let question = [Question::new("https://e.com/p", "*", None).unwrap()];
    for (place, options) in made.iter().enumerate() {
        let (seen, mut line) = (Seen { url: Some("https://e.com/robots.txt"), ..Seen::default() }, Vec::new());
        census().options(options.clone()).add(&seen, file, true, &mut line);
        let lines = Lines::new(&format!("reading-{place}"), &line);
        for (other, options) in made.iter().enumerate() {
            let read = Asker::new(Names::Known, options.clone()).read(&[Stored::new(&lines.0)], question.iter());
            if place == other || place.min(other) == 2 {
                assert_eq!(read.unwrap().answer(&question[0]).allowed, Some(place > 0));
            } else {
                let error = read.err().map(|error| error.to_string()).unwrap_or_default();
                assert!(error.contains("give the options that the census was made with"), "{place} {other} {error}");
            }
        }
    }
}

/// A crawler with a row of its own has it by the names that the census knew: [census.reading]
#[test]
fn a_census_is_asked_with_its_names() {
    let question = [Question::new("https://e.com/p", "AdsBot-Google", None).unwrap()];
    let (letters, mut names) = (|| 'a'..='n', String::new());
    for (one, two, three) in
        letters().flat_map(|one| letters().flat_map(move |two| letters().map(move |three| (one, two, three))))
    {
        names.extend(["User-agent: x".into(), String::from_iter([one, two, three]), "\n".into()]);
    }
    let file = format!("{names}Disallow: /x\n\nUser-agent: *\nDisallow: /\n");
    // Its owner documents that it does not obey `*`. The file names more crawlers than are listed, so it has no row.
    for (made, is_open) in [(Names::Known, true), (Names::Plain, false)] {
        let list = AgentList::with_names("AdsBot-Google", made).unwrap();
        let (seen, mut line) = (Seen { url: Some("https://e.com/robots.txt"), ..Seen::default() }, Vec::new());
        Census::new(list).add(&seen, file.as_bytes(), true, &mut line);
        let lines = Lines::new(&format!("names-{is_open}"), &line);
        for asked in [Names::Known, Names::Plain] {
            let read = Asker::new(asked, Options::default()).read(&[Stored::new(&lines.0)], question.iter());
            match read {
                Ok(read) => assert_eq!((asked, read.answer(&question[0]).allowed), (made, Some(is_open))),
                Err(error) => assert!(asked != made && error.to_string().contains("known=false"), "{error}"),
            }
        }
    }
}

/// What the tester of the file says.
fn tested(file: &[u8], is_whole: bool, agent: &str, url: &str) -> bool {
    let groups = match agent {
        "*" => Interest::everyone().into(),
        _ => Names::Known.groups(Agent::new(agent)),
    };
    let options = Options { complete: is_whole, ..Options::default().for_verdicts() };
    let set = Parser::new(groups.options(options)).parse(file);
    let groups = groups.within(&set);
    Tester::of(&Selection::of(&set, &groups)).is_allowed(url)
}

/// A file of lines as they are in the wild.
fn wild(seed: u64) -> Vec<u8> {
    const LINES: [&str; 26] = [
        "User-agent: *",
        "User-agent: GPTBot",
        "User-agent: gptbot/1.0",
        "User-agent: Googlebot",
        "User-agent: MJ12bot",
        "User-agent: MJ12",
        "User-agent: foo123",
        "user-agent:Bot, Other",
        "User-agent: ",
        "Useragent: a.b1",
        "Disallow: /",
        "Disallow:",
        "Disallow: /public",
        "Allow: /public",
        "Allow: /",
        "Disallow: /*?",
        "Disallow: //x",
        "Allow: /a$",
        "Disallow: /a%2Fb",
        "Disallow: /\u{fc}",
        "Allow: /*.php",
        "Disalow: /b",
        "Crawl-delay: 5",
        "Sitemap: https://e.com/s.xml",
        "",
        "# x",
    ];
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = |most: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 33) as usize % most
    };
    let count = 1 + next(16);
    let lines: Vec<&str> = (0..count).map(|_| LINES[next(LINES.len())]).collect();
    lines.join(["\n", "\r\n", "\n\n"][next(3)]).into_bytes()
}

const AGENTS: [&str; 12] = [
    "*",
    "GPTBot",
    "gptbot",
    "Googlebot-Image",
    "AdsBot-Google",
    "MJ12bot",
    "MJ12",
    "MJ",
    "foo",
    "foo123",
    "a.b1",
    "Bot",
];

/// What comes after the host.
const AFTER: [&str; 26] = [
    "",
    "/",
    "/x",
    "//evil/public",
    "//public",
    "//x/y",
    "/public",
    "/public//x",
    "?",
    "?q",
    "/?",
    "/a",
    "/a?x",
    "/a/b",
    "/a%2Fb",
    "/a%2fb",
    "/%7ex",
    "/\u{fc}",
    "/x.php",
    "/robots.txt",
    "/robots.txt?x",
    ":443",
    ":443/public",
    ":443//public",
    "#f",
    "/b#/public",
];

/// What `ask` allows, the tester of the file allows; and where the texts are exact, both say the same. [census.ask]
#[test]
fn what_is_allowed_is_what_the_tester_allows() {
    let own = corpus::files().into_iter().map(|(_, file)| file).filter(|file| file.len() < 20_000);
    let files: Vec<Vec<u8>> = own.chain((1..600).map(wild)).collect();
    let (mut lines, mut questions, mut exact) = (Vec::new(), Vec::new(), Vec::new());
    for (number, file) in files.iter().enumerate() {
        let url = format!("https://s{number}.com/robots.txt");
        let is_whole = number % 5 != 0;
        let seen = Seen { url: Some(&url), truncated: (!is_whole).then_some("length"), ..Seen::default() };
        let mut line = Vec::new();
        census().add(&seen, file, is_whole, &mut line);
        let entry = Entry::read(&line).unwrap();
        let is_robots = |policy: &robosieve_census::normal::PolicyRow| policy.exact && policy.status != "not-robots";
        exact.push(entry.policies.iter().all(is_robots));
        lines.extend(line);
        for after in AFTER {
            for place in 0..3 {
                let agent = AGENTS[(number + after.len() + place * 5) % AGENTS.len()];
                let url = format!("https://S{number}.com{after}");
                questions.push((number, Question::new(&url, agent, None).unwrap()));
            }
        }
    }
    let stored = Lines::new("tester", &lines);
    let asked: Vec<Question> = questions.iter().map(|(_, question)| question.clone()).collect();
    let known = stored.ask(&asked);
    let mut counts = [0_usize; 3];
    for (number, question) in &questions {
        let found = known.answer(question).allowed;
        let file = &files[*number];
        let expected = tested(file, number % 5 != 0, question.agent(), question.url());
        let said = || format!("{question:?} {}", String::from_utf8_lossy(file));
        assert!(found != Some(true) || expected, "{}", said());
        assert!(!exact[*number] || found == Some(expected), "{found:?} {}", said());
        counts[match found {
            Some(false) => 0,
            None => 1,
            Some(true) => 2,
        }] += 1;
    }
    assert!(counts[0] > 5_000 && counts[2] > 5_000, "{counts:?}");
}

const OPEN: &str = "User-agent: *\nDisallow:";
const CLOSED: &str = "User-agent: *\nDisallow: /";

fn answers(name: &str, observed: &[(&str, Option<&str>, &str)], time: Option<&str>) -> (Option<bool>, Option<String>) {
    let lines = observed
        .iter()
        .flat_map(|(url, time, file)| line(&Seen { url: Some(url), time: *time, ..Seen::default() }, file));
    let stored = Lines::new(name, &lines.collect::<Vec<u8>>());
    let question = Question::new("https://e.com/a", "GPTBot", time).unwrap();
    let known = stored.ask(std::slice::from_ref(&question));
    let answer = known.answer(&question);
    (answer.allowed, answer.seen.map(ToOwned::to_owned))
}

/// [census.ask-last]
#[test]
fn what_could_be_the_last_closes() {
    let url = "https://e.com/robots.txt";
    for (number, (observed, time, allowed)) in [
        // The order of the lines does not matter, and offsets do.
        (vec![(Some("2026-02-01T00:00:00Z"), OPEN), (Some("2025-01-01T00:00:00Z"), CLOSED)], None, Some(true)),
        (vec![(Some("2026-01-01T00:00:00+00:00"), CLOSED), (Some("2025-01-01T00:00:00Z"), OPEN)], None, Some(false)),
        (vec![(Some("2026-01-01T00:00:00+02:00"), OPEN), (Some("2025-12-31T23:00:00Z"), CLOSED)], None, Some(false)),
        (vec![(Some("20260101000000"), CLOSED), (Some("2025-01-01T00:00:00Z"), OPEN)], None, Some(false)),
        // Without a time, a file could be the last: if it closes, it does, and it opens nothing.
        (vec![(None, CLOSED), (Some("2025-01-01T00:00:00Z"), OPEN)], None, Some(false)),
        (vec![(None, OPEN), (Some("2025-01-01T00:00:00Z"), CLOSED)], None, Some(false)),
        (vec![(Some("yesterday"), CLOSED), (Some("2025-01-01T00:00:00Z"), OPEN)], None, Some(false)),
        (vec![(None, OPEN), (None, OPEN)], None, Some(true)),
        (vec![(Some("2026-01"), CLOSED), (Some("2026-01-15"), OPEN)], None, Some(false)),
        (vec![(Some("2026-01"), OPEN), (Some("2026-01-15"), CLOSED)], None, Some(false)),
        (vec![(Some("2026-01"), CLOSED), (Some("2026-02-15"), OPEN)], None, Some(true)),
        // At a time, something must have been seen before.
        (vec![(None, OPEN)], Some("2026"), None),
        (vec![(Some("2026-01"), OPEN)], Some("2026-01-15"), None),
        (vec![(Some("2026-01"), CLOSED), (Some("2025-01"), OPEN)], Some("2026-01-15"), Some(false)),
        (vec![(Some("2026-02"), CLOSED), (Some("2025-01"), OPEN)], Some("2026-01-15"), Some(true)),
    ]
    .into_iter()
    .enumerate()
    {
        let observed: Vec<_> = observed.into_iter().map(|(time, file)| (url, time, file)).collect();
        let found = answers(&format!("last-{number}"), &observed, time);
        assert_eq!(found.0, allowed, "{observed:?} {time:?}");
    }
}

/// Only the robots.txt of a site is an observation of it. [census.ask]
#[test]
fn no_other_page_is_an_observation() {
    let url = "https://e.com/robots.txt";
    for (number, other) in [
        "https://e.com/robots.txt?lang=de",
        "https://e.com/sub/robots.txt",
        "https://e.com/img.png",
        "https://e.com/robots.txt#a",
        "https://x@e.com/robots.txt",
        "https://e.com//robots.txt",
        "http://e.com/robots.txt",
        "https://e.com:8443/robots.txt",
        "https://www.e.com/robots.txt",
        "https://e.com/",
    ]
    .into_iter()
    .enumerate()
    {
        let observed = [(url, Some("2025-01-01T00:00:00Z"), CLOSED), (other, Some("2026-01-01T00:00:00Z"), OPEN)];
        let found = answers(&format!("other-{number}"), &observed, None);
        assert_eq!(found, (Some(false), Some("2025-01-01T00:00:00Z".to_owned())), "{other}");
    }
    let observed = [("https://e.com:443/robots.txt", Some("2025-01-01T00:00:00Z"), CLOSED)];
    assert_eq!(answers("port", &observed, None).0, Some(false));
}

/// [census.ask]
#[test]
fn what_has_no_file_says_what_is_known() {
    let question = Question::new("https://e.com/a", "GPTBot", None).unwrap();
    for (outcome, status, allowed) in [
        (Outcome::AllowAll, 404, Some(true)),
        (Outcome::DisallowAll, 503, Some(false)),
        // Another command counts this as no observation.
        (Outcome::AllowAll, 429, None),
        (Outcome::DisallowAll, 429, Some(false)),
        (Outcome::Redirect, 301, None),
        (Outcome::Failed, 200, None),
    ] {
        let old = Seen { url: Some("https://e.com/robots.txt"), time: Some("2025-01-01T00:00:00Z"), ..Seen::default() };
        let new = Seen { time: Some("2026-01-01T00:00:00Z"), http_status: Some(status), ..old };
        let mut lines = line(&old, OPEN);
        census().add_without(&new, outcome, &mut lines);
        let stored = Lines::new("status", &lines);
        let known = stored.ask(std::slice::from_ref(&question));
        assert_eq!(known.answer(&question).allowed, allowed, "{outcome:?} {status}");
        // What a redirect leads to in the same second is what is known.
        let mut lines = Vec::new();
        census().add_without(&new, Outcome::Redirect, &mut lines);
        let stored = Lines::new("same", &[line(&Seen { http_status: None, ..new }, OPEN), lines].concat());
        assert_eq!(stored.ask(std::slice::from_ref(&question)).answer(&question).allowed, Some(true));
    }
}

/// An answer does not depend on other questions, and what is not known is not left out. [census.ask] [census.ask-last]
#[test]
fn what_is_not_known_in_a_second_opens_nothing() {
    let seen = Seen { url: Some("https://e.com/robots.txt"), time: Some("2026-01-01T00:00:00Z"), ..Seen::default() };
    let many: Vec<String> = (0..2_100).map(|name| format!("User-agent: n{name}x\n")).collect();
    let many = format!("{}Disallow: /\n", many.concat());
    let asked = |lines: &[Vec<u8>], agents: &[&str]| {
        let stored = Lines::new("second", &lines.concat());
        let of = |agent: &&str| Question::new("https://e.com/a", agent, None).unwrap();
        let questions: Vec<Question> = agents.iter().map(of).collect();
        stored.ask(&questions).answer(&questions[0]).allowed
    };
    let without = |status, outcome| {
        let mut lines = Vec::new();
        census().add_without(&Seen { http_status: Some(status), ..seen }, outcome, &mut lines);
        lines
    };
    let missing = || without(404, Outcome::AllowAll);
    // The name is not listed.
    for agents in [&["n2050x"][..], &["n2050x", "n1x"], &["n2050x", "other"]] {
        assert_eq!(asked(&[line(&seen, &many), missing()], agents), None, "{agents:?}");
    }
    for (status, outcome, allowed) in [
        (429, Outcome::AllowAll, None),
        (200, Outcome::Failed, None),
        (200, Outcome::Revisit, None),
        (304, Outcome::NotModified, None),
        (503, Outcome::DisallowAll, Some(false)),
        (301, Outcome::Redirect, Some(true)),
    ] {
        for lines in [[without(status, outcome), missing()], [missing(), without(status, outcome)]] {
            assert_eq!(asked(&lines, &["*"]), allowed, "{outcome:?}");
        }
        // What is closed is known.
        assert_eq!(asked(&[without(status, outcome), line(&seen, CLOSED)], &["*"]), Some(false), "{outcome:?}");
    }
    assert_eq!(asked(&[line(&seen, "<html><p>"), missing()], &["*"]), None);
    let redirect = without(301, Outcome::Redirect);
    assert_eq!(asked(&[redirect.clone(), without(429, Outcome::AllowAll), missing()], &["*"]), None);
    assert_eq!(asked(&[redirect], &["*"]), None);
}

/// A redirect of one archive is over when another archive has something newer of its site. [census.ask]
#[test]
fn what_redirects_led_to_is_not_newer_than_the_site() {
    let question = Question::new("https://e.com/a", "GPTBot", None).unwrap();
    let own = Seen { url: Some("https://e.com/robots.txt"), ..Seen::default() };
    let at = |time| Seen { time, ..own };
    let (second, third) = (Some("2026-01-02T00:00:00Z"), Some("2026-01-03T00:00:00Z"));
    let (fourth, fifth) = (Some("2026-01-04T00:00:00Z"), Some("2026-01-05T00:00:00Z"));
    let without = |time, outcome, status| {
        let mut lines = Vec::new();
        census().add_without(&Seen { http_status: Some(status), ..at(time) }, outcome, &mut lines);
        lines
    };
    let redirect = |time| without(time, Outcome::Redirect, 301);
    let joined = |time, text| line(&Seen { redirects: 1, ..at(time) }, text);
    for (number, (lines, allowed)) in [
        ([redirect(second), line(&at(fourth), CLOSED), joined(fifth, OPEN)], Some(false)),
        ([redirect(second), without(fourth, Outcome::DisallowAll, 503), joined(fifth, OPEN)], Some(false)),
        ([redirect(second), without(fourth, Outcome::Failed, 200), joined(fifth, OPEN)], None),
        ([redirect(second), line(&at(fourth), OPEN), joined(fifth, CLOSED)], Some(false)),
        ([redirect(second), line(&at(fourth), OPEN), joined(fifth, OPEN)], Some(true)),
        // The redirect is newer, or of the same second.
        ([line(&at(second), CLOSED), redirect(third), joined(fifth, OPEN)], Some(true)),
        ([line(&at(second), CLOSED), redirect(fifth), joined(fifth, OPEN)], Some(true)),
        ([line(&at(fifth), CLOSED), redirect(fifth), joined(fifth, OPEN)], Some(false)),
        ([joined(second, CLOSED), redirect(second), line(&at(fourth), OPEN)], Some(true)),
    ]
    .into_iter()
    .enumerate()
    {
        let stored = Lines::new("joined", &lines.concat());
        let known = stored.ask(std::slice::from_ref(&question));
        assert_eq!(known.answer(&question).allowed, allowed, "{number}");
    }
}

/// A newer file of a site in another spelling is the site's. [census.ask]
#[test]
fn a_host_has_one_spelling() {
    for (old, new, page) in [
        ("[::1]", "[0:0:0:0:0:0:0:1]", "[::1]"),
        ("[::1]", "[::1]", "[0::1]"),
        ("e.com", "%65.com", "e.com"),
        ("e.com", "e.com", "\u{ff45}.com"),
        ("e.com", "\u{ff45}\u{3002}com:443", "e.com"),
    ] {
        let of = |host: &str| format!("https://{host}/robots.txt");
        let (old, new) = (of(old), of(new));
        let seen = |url, time| Seen { url: Some(url), time: Some(time), ..Seen::default() };
        let lines = [line(&seen(&old, "2025"), OPEN), line(&seen(&new, "2026"), CLOSED)].concat();
        let question = Question::new(&format!("https://{page}/a"), "GPTBot", None).unwrap();
        let known = Lines::new("spelled", &lines).ask(std::slice::from_ref(&question));
        assert_eq!(known.answer(&question).allowed, Some(false), "{new} {page}");
    }
    assert!(Question::new("https://e%2Fcom/a", "*", None).is_err());
}

/// [census.ask-bounds]
#[test]
fn what_is_held_is_bounded() {
    let url = "http://e.com/robots.txt";
    let of = |source, time, file| line(&Seen { source, url: Some(url), time: Some(time), ..Seen::default() }, file);
    let lines =
        [of("1", "2026-01", "User-agent: *\nDisallow: /a"), of("2", "2026-02", ""), of("3", "2026-03", "")].concat();
    let other = line(&Seen { url: Some("http://other.com/robots.txt"), ..Seen::default() }, "");
    let stored = Lines::new("held", &[lines, other, b"{}\n".to_vec()].concat());
    let question = Question::new("http://e.com/a", "GPTBot", None).unwrap();
    let held = stored.ask(std::slice::from_ref(&question));
    assert_eq!((held.observed, held.undated, held.unread), (3, 0, 1));
    assert_eq!(held.first_unread, [(stored.0.clone(), 5)]);
    for (most, fits) in [(held.held - 1, false), (held.held, true), (held.held + 1, true)] {
        let asker = Asker::new(Names::Known, Options::default()).most(most);
        let read = asker.read(&[Stored::new(&stored.0)], [&question].into_iter());
        assert_eq!(read.is_ok(), fits, "{most}");
        if let Ok(known) = read {
            assert_eq!((known.answer(&question).allowed, known.answer(&question).crawl), (Some(true), Some("3")));
        }
    }
}

#[cfg(feature = "parquet")]
/// What is found of a few hosts is what reading all finds. [census.index] [history.at-index]
#[test]
fn a_search_finds_what_reading_all_finds() {
    use std::collections::HashSet;

    use robosieve_census::{Read, Tables};

    const MANY: usize = 4_097;
    let (mut lines, mut hosts) = (Vec::new(), Vec::new());
    let mut add = |host: &str, file: &str, number: usize| {
        let url = format!("https://{host}/robots.txt");
        let source = number.to_string();
        lines.extend(line(&Seen { source: &source, url: Some(&url), time: Some("2026"), ..Seen::default() }, file));
    };
    for number in 0..1_000 {
        let host = format!("S{number}.com");
        add(&host, &String::from_utf8_lossy(&wild(number)), 0);
        hosts.push(host.to_ascii_lowercase());
    }
    // A host with more files than are looked for at once, and one less, and as many.
    for (less, host) in ["more.com", "same.com", "less.com"].into_iter().enumerate() {
        (less..MANY).for_each(|number| add(host, if number % 2 == 0 { OPEN } else { "" }, number));
        hosts.push(host.to_owned());
    }
    let folder = std::env::temp_dir().join(format!("census-index-{}", std::process::id()));
    let half = lines.iter().position(|byte| *byte == b'\n').unwrap() + 1;
    Tables::new(&folder).crawl(Some("a".into())).write(&lines[..half], &[].into()).unwrap();
    Tables::new(&folder).crawl(Some("b".into())).write(&*lines, &[].into()).unwrap();
    Tables::new(&folder).crawl(Some("b".into())).part(1).write(&lines[half..], &[].into()).unwrap();
    let stored = Stored::new(&folder);
    assert_eq!(stored.crawls().iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["a", "b"]);
    let found = |wanted: Option<&HashSet<&str>>, of: &HashSet<&str>| {
        let mut found = Vec::new();
        let mut each = |read: Read<'_>| -> std::io::Result<()> {
            let Read::Entry(entry, crawl) = read else { return Err(std::io::Error::other("unread")) };
            if entry.file.host.as_deref().is_some_and(|host| of.contains(host)) {
                found.push((crawl.unwrap().to_owned(), *entry));
            }
            Ok(())
        };
        match wanted {
            Some(hosts) => stored.each_of(hosts, &mut each),
            None => stored.each(&mut each),
        }
        .unwrap();
        found
    };
    let mut hashes = HashSet::new();
    let searches = [
        vec!["s0.com"],
        vec!["none.com"],
        vec!["more.com"],
        vec!["same.com", "s1.com"],
        vec!["less.com", "s999.com", "s998.com"],
    ];
    // At most 64 hosts are searched for.
    let counts = [63, 64, 65].map(|count| hosts.iter().take(count).map(String::as_str).collect());
    for of in searches.into_iter().chain(counts) {
        let of: HashSet<&str> = of.into_iter().collect();
        let entries = found(Some(&of), &of);
        assert_eq!(entries, found(None, &of), "{of:?}");
        hashes.extend(entries.into_iter().flat_map(|(_, entry)| entry.policies).map(|policy| policy.hash));
    }
    let texts = |of: &HashSet<&str>| {
        let mut texts = Vec::new();
        stored
            .texts(of, &mut |text| {
                texts.push(text);
                Ok(())
            })
            .unwrap();
        texts
    };
    let all: HashSet<&str> = hashes.iter().map(String::as_str).collect();
    let all = texts(&all);
    for hash in &hashes {
        let one: Vec<_> = all.iter().filter(|text| text.hash == *hash).cloned().collect();
        assert_eq!(texts(&HashSet::from([hash.as_str()])), one);
    }
    fs::remove_dir_all(folder).unwrap();
}

#[cfg(feature = "parquet")]
/// A line has a limit, as it is read and as tables are made of it. [census.tables]
#[test]
fn a_line_has_a_limit() {
    use std::io::{self, Read as _};

    use robosieve_census::{Read, Tables};

    const MOST: u64 = 67_108_864;
    let folder = std::env::temp_dir().join(format!("census-line-{}", std::process::id()));
    let path = folder.with_extension("ndjson");
    let short = line(&Seen { url: Some("https://e.com/robots.txt"), ..Seen::default() }, "");
    let short = short.trim_ascii_end();
    for (length, fits) in [(MOST - 1, true), (MOST, true), (MOST + 1, false)] {
        let long = || short.chain(io::repeat(b' ').take(length - short.len() as u64)).chain(&b"\n"[..]);
        io::copy(&mut long(), &mut fs::File::create(&path).unwrap()).unwrap();
        let mut is_read = None;
        let each = &mut |read: Read<'_>| -> io::Result<()> {
            is_read = Some(matches!(read, Read::Entry(..)));
            Ok(())
        };
        Stored::new(&path).each(each).unwrap();
        assert_eq!(is_read, Some(fits), "{length}");
        let written = Tables::new(&folder).write(long(), &["none".to_owned()].into()).unwrap();
        assert_eq!(written.unread, u64::from(!fits), "{length}");
    }
    fs::remove_file(path).unwrap();
    fs::remove_dir_all(folder).unwrap();
}
