//! Files that the library writes, and the values that a tester has.

use std::io::Read;
use std::time::Duration;

use robosieve::path::{PathForm, PathPattern};
use robosieve::policy::Parser;
use robosieve::report::FindingKind;
use robosieve::settings::Limits;
use robosieve::value::HttpUrl;
use robosieve::write::{Group, RobotsTxt};
use robosieve::{Sieve, tester};

/// What is written is read back: [write.file]
#[test]
fn a_written_file_is_read_back() {
    let patterns = [
        "/",
        "/cart",
        "/*.pdf$",
        "*",
        "/a b",
        "/caf\u{e9}",
        "/a#b",
        "/%7Ea",
        "/$",
        "/a$b",
        "/\u{1b}",
        "/a?b=c&d",
        "/%",
    ];
    for pattern in patterns {
        let group = |names: &[&str]| Group::of(names).unwrap().disallow(pattern).unwrap().allow("/open").unwrap();
        let delay = Duration::from_millis(2500);
        let sitemap: HttpUrl = "https://shop.example/s.xml".parse().unwrap();
        let everyone = Group::everyone().disallow(pattern).unwrap().allow("/open").unwrap();
        let file = RobotsTxt::new().group(group(&["A", "b-2"]).crawl_delay(delay).unwrap()).group(everyone);
        let text = file.sitemap(sitemap.clone()).unwrap().text().unwrap();
        let set = Parser::default().parse(text.as_bytes());
        let names: Vec<_> = set.records().map(|record| record.agents().len()).collect();
        assert_eq!(names, [2, 1], "{text:?}");
        assert!(set.report().total() == 0, "{text:?} {:?}", set.report());
        for record in set.records() {
            let rules: Vec<_> = record.rules().iter().map(ToString::to_string).collect();
            let wanted =
                PathPattern::new(pattern.replace('#', "%23").as_bytes(), PathForm::default()).as_bstr().to_string();
            assert_eq!(rules, [format!("Disallow: {wanted}"), "Allow: /open".into()], "{text:?}");
        }
        let tester = tester(text.as_bytes(), ["B-2"]);
        assert_eq!((tester.crawl_delay(), tester.sitemaps()), (Some(delay), vec![sitemap]));
        assert!(Sieve::all_agents().run(text.as_bytes()).unwrap().report().is_exact());
    }
    for pattern in ["", "cart", "https://e.com/a", "$", " /a", "/a\nAllow: /"] {
        let made = Group::everyone().disallow(pattern);
        let text = made.map(|group| RobotsTxt::new().group(group).text().unwrap());
        assert!(text.is_err() || !text.unwrap().contains("\nAllow"), "{pattern:?}");
    }
    for name in ["", "*", "My Bot", "a\nDisallow: /"] {
        assert!(Group::of([name]).is_err(), "{name:?}");
    }
    // An empty list of names does not become everyone.
    assert!(Group::of([""; 0]).is_err());
    assert_eq!(RobotsTxt::new().group(Group::everyone()).text().unwrap(), "User-agent: *\nDisallow:\n");
    assert_eq!(RobotsTxt::new().text().unwrap(), "");
}

/// Parts of patterns that a reader could take for something else, or that reach a limit together.
const PIECES: [&str; 40] = [
    "/",
    "*",
    "$",
    "a",
    "A",
    "%",
    "%2",
    "%2A",
    "%24",
    "%7e",
    "%0a",
    "#",
    "//",
    " ",
    "\t",
    "\n",
    "\r",
    "\0",
    "\\n",
    "\\",
    "Disallow:",
    "Allow: /",
    "User-agent: b",
    "Sitemap:",
    "Crawl-delay:",
    "(a|b)",
    ".*",
    "^",
    "[a-z]+",
    "http://e.com/",
    "www.e.com",
    "?",
    ";",
    " // x",
    "--",
    "<!--",
    "\u{feff}",
    "\u{a0}",
    "\u{202e}",
    "\u{e9}",
];

/// Whatever is given, what is written is read back with no finding, and what is not written is an error: [write.file]
#[test]
fn anything_written_is_read_back() {
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut pick = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state % u64::try_from(below).unwrap()).unwrap()
    };
    let (mut written, mut refused) = (0, 0);
    for _ in 0..5_000 {
        let (mut file, mut expected) = (RobotsTxt::new(), Vec::new());
        for _ in 0..=pick(3) {
            let name = ["a", "MyBot", "b-2", "x_y.z", "Mozilla", "Disallow", "user-agent", "python-requests"][pick(8)];
            let mut group = if pick(3) == 0 { Group::everyone() } else { Group::of([name, name]).unwrap() };
            let mut rules = Vec::new();
            for _ in 0..pick(4) {
                let pattern: String = (0..=pick(6)).map(|_| PIECES[pick(PIECES.len())]).collect();
                let pattern = ["/", "*", ""][pick(3)].to_owned() + &pattern;
                let is_allow = pick(2) == 0;
                let made = if is_allow { group.clone().allow(&pattern) } else { group.clone().disallow(&pattern) };
                match made {
                    Ok(more) => {
                        group = more;
                        let pattern = pattern.replace('#', "%23");
                        let normal = PathPattern::new(pattern.as_bytes(), PathForm::default());
                        let kind = if is_allow { "Allow" } else { "Disallow" };
                        rules.push(format!("{kind}: {}", normal.as_bstr()));
                        written += 1;
                    }
                    Err(_) => refused += 1,
                }
            }
            file = file.group(group);
            expected.push(rules);
        }
        let text = file.text().unwrap();
        let set = Parser::default().parse(text.as_bytes());
        assert_eq!(set.report().total(), 0, "{text:?} {:?}", set.report());
        let rules = |record: robosieve::policy::Record<'_, '_>| {
            let rules = record.rules().iter().filter(|rule| !rule.pattern().as_bytes().is_empty());
            rules.map(|rule| format!("{}: {}", rule.kind(), rule.pattern().as_bstr())).collect::<Vec<_>>()
        };
        assert_eq!(set.records().map(rules).collect::<Vec<_>>(), expected, "{text:?}");
    }
    assert!(written > 5_000 && refused > 1_000, "{written} written, {refused} refused");
}

/// Readers leave out what is over their limits, so it is not written. [write.file]
#[test]
fn what_readers_leave_out_is_not_written() {
    let everyone = Group::everyone;
    for (length, fits) in [(1_999, true), (2_000, true), (2_001, false)] {
        assert_eq!(everyone().disallow(&"/".repeat(length)).is_ok(), fits, "{length}");
        let url = HttpUrl::read("https://e.com/".to_owned() + &"a".repeat(length - 14)).unwrap();
        assert_eq!(RobotsTxt::new().sitemap(url).is_ok(), fits, "{length}");
    }
    for (stars, fits) in [(9, true), (10, true), (11, false)] {
        assert_eq!(everyone().disallow(&"/*".repeat(stars)).is_ok(), fits, "{stars}");
    }
    for (length, fits) in [(199, true), (200, true), (201, false)] {
        assert_eq!(Group::of(["a".repeat(length)]).is_ok(), fits, "{length}");
    }
    let day = Duration::from_secs(86_400);
    for (delay, fits) in [
        (day.checked_sub(Duration::from_millis(1)).unwrap(), true),
        (day, true),
        (day + Duration::from_nanos(1), false),
    ] {
        assert_eq!(everyone().crawl_delay(delay).is_ok(), fits, "{delay:?}");
    }
    assert!(everyone().crawl_delay(Duration::MAX).is_err());
    let shortest = everyone().crawl_delay(Duration::from_nanos(1)).unwrap();
    assert_eq!(RobotsTxt::new().group(shortest).text().unwrap(), "User-agent: *\nCrawl-delay: 0.001\nDisallow:\n");
    let message = everyone().disallow(&"/*".repeat(11)).unwrap_err().to_string();
    assert!(message.contains("[limit.wildcards]") && message.contains("\"/*/*"), "{message}");

    // 14 bytes of a head, and 498 of each rule but the last.
    let file = |last: usize| {
        let rule = "/".repeat(487);
        let mut group = everyone();
        for _ in 0..1_028 {
            group = group.disallow(&rule).unwrap();
        }
        RobotsTxt::new().group(group.disallow(&"/".repeat(last)).unwrap())
    };
    let rest = RobotsTxt::MAX_BYTES - 14 - 1_028 * 498 - "Disallow: \n".len();
    for (last, length) in [(rest - 1, Some(511_999)), (rest, Some(512_000)), (rest + 1, None)] {
        let text = file(last).text();
        assert_eq!(text.as_ref().ok().map(String::len), length);
        if let Ok(text) = text {
            assert!(Parser::default().parse(text.as_bytes()).report().is_exact());
        }
    }
}

/// [value.agents] [value.everybody] [value.sitemap]
#[test]
fn a_tester_has_the_values_for_its_agents() {
    let file = b"Crawl-delay: 3\nUser-agent: a\nCrawl-delay: 9\nUser-agent: *\nDisallow: /x\nSitemap: https://e.com/s\nSitemap: https://e.com/s\n";
    let delay = |agent: &str| tester(file, [agent]).into_owned().crawl_delay().map(|delay| delay.as_secs());
    assert_eq!((delay("a"), delay("b")), (Some(9), Some(3)));
    assert_eq!(tester(file, ["b"]).into_owned().sitemaps().len(), 1);
    let page: HttpUrl = "http://u:p@E.com:81/a?b".try_into().unwrap();
    assert_eq!(page.robots_txt().as_str(), "http://e.com:81/robots.txt");
    assert_eq!(HttpUrl::try_from("https://[::1]?a").unwrap().robots_txt().as_str(), "https://[::1]/robots.txt");
    assert!(HttpUrl::try_from("e.com").is_err());
}

/// A connection that breaks off.
struct Broken;

impl Read for Broken {
    fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
        Err(std::io::ErrorKind::UnexpectedEof.into())
    }
}

/// A reader is read as far as its bytes can matter: [input.reader] [limit.bytes]
#[test]
fn an_endless_reader_is_read_to_the_limit() {
    let sieve = Sieve::new(["MyBot"]);
    assert_eq!(sieve.read(std::io::repeat(b'a')).unwrap().len(), 512_016);
    let file = b"User-agent: *\nDisallow: /a\n";
    let sieved = sieve.run_reader(&file[..]).unwrap().unwrap();
    assert_eq!(*sieved.text(), "User-agent: *\nDisallow: /a\n");
    assert!(!sieve.tester_reader(&file[..]).unwrap().unwrap().is_allowed("/a"));
    // What is longer is said to be cut, and what breaks off is an error, not a file.
    let long = sieve.clone().limits(Limits { max_bytes: 20, ..Limits::DEFAULT });
    let cut = long.run_reader(&file[..]).unwrap().unwrap();
    assert_eq!((cut.report().count(FindingKind::InputCut), cut.report().is_exact()), (1, false));
    assert!(sieve.tester_reader(file.chain(Broken)).is_err() && sieve.run_reader(file.chain(Broken)).is_err());
}
