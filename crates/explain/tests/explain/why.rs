//! Why a URL has its answer, and a file that is asked one URL.

use robosieve::settings::{Dialect, Interest, OverLimit, Precedence};
use robosieve::verdict::SiteAccess;
use robosieve::{Options, Sieve};
use robosieve_explain::{Asked, Names, Why, pattern_in_words};

use crate::families::corpus;

fn why(file: &[u8], agent: &str, url: &str) -> Why {
    Why::new(file, &Options::default(), Interest::new([agent]), url)
}

const FILE: &[u8] =
    b"User-agent: a\nDisallow: /\nAllow: /x\nDisallow: /x\n\nUser-agent: *\nDisallow: /*?\nDisallow: /y z\n";

/// [why.rules]
#[test]
fn the_group_the_rules_and_the_winner_are_reported() {
    let tie = why(FILE, "a", "/x/y");
    assert_eq!(tie.group, "the group of a applies (line 1)");
    let rules: Vec<_> = tie.rules.iter().map(|rule| (rule.line, rule.decides)).collect();
    assert_eq!(rules, [(Some(2), false), (Some(3), true), (Some(4), false)]);
    assert_eq!(tie.reason, "line 3 decides: of rules of the same length, Allow wins");
    assert_eq!(why(FILE, "a", "/q").reason, "line 2 decides: no other rule matches");
    assert_eq!(why(FILE, "b", "/q").reason, "no rule matches, so it is allowed");
    assert_eq!(why(FILE, "b", "/robots.txt").reason, "/robots.txt is always allowed");
    assert_eq!(why(b"User-agent: a\nDisallow: /\n", "b", "/").group, "no group names b, and none is for `*`");
    let encoded = why(FILE, "b", "https://e.com/y z");
    assert_eq!((encoded.path.as_str(), encoded.answer.line), ("/y%20z", Some(8)));
    let options = Options { precedence: Precedence::FileOrder, ..Options::default() };
    let first = Why::new(FILE, &options, Interest::new(["a"]), "/x");
    assert_eq!(first.reason, "line 2 decides: it is the first of the 3 rules that match");
}

/// The rule that decides is one of those that match, for each file of the corpus: [why.rules]
#[test]
fn the_answer_is_the_testers() {
    for (path, bytes) in crate::families::corpus::files() {
        let interest = Interest::new(["MyBot"]);
        let tester =
            Sieve::for_agents(interest.clone()).options(Options::default().for_verdicts()).tester(&bytes).unwrap();
        for url in ["/", "/a", "/tmp/x.pdf", "/a b?c=%2A"] {
            let why = Why::new(&bytes, &Options::default().for_verdicts(), interest.clone(), url);
            assert_eq!(why.answer.allowed, tester.is_allowed(url), "{}: {url}", path.display());
            let deciding = why.rules.iter().filter(|rule| rule.decides).count();
            assert_eq!(deciding > 0, why.answer.rule.is_some(), "{}: {url}: {why:?}", path.display());
        }
    }
}

/// [why.words]
#[test]
fn patterns_are_reported_in_words() {
    for (pattern, words) in [
        ("/", "every path"),
        ("*", "every path"),
        ("/*", "every path"),
        ("/*$", "every path"),
        ("/a", "every path that begins with /a"),
        ("/a*", "every path that begins with /a"),
        ("/a$", "only the path /a"),
        ("/*.pdf$", "every path that ends in .pdf"),
        ("*.pdf", "every path that contains .pdf"),
        ("/a/*.pdf$", "every path that begins with /a/ and ends in .pdf"),
        ("*?*a=", "every path that contains ?, then contains a="),
        ("/a*b*$", "every path that begins with /a, then contains b"),
    ] {
        assert_eq!(pattern_in_words(pattern.as_bytes()), words, "{pattern}");
    }
}

/// [why.dialects]
#[test]
fn dialects_answer_for_themselves() {
    let file = b"User-agent: *\nDisallow: tmp\n";
    let found: Vec<_> = why(file, "b", "/tmp").dialects.into_iter().map(|it| (it.dialect, it.answer.allowed)).collect();
    assert_eq!(found, [("standard", false), ("google", true), ("processor", false)]);
}

/// The answer, the report and the summary are those of a file that is asked more: [verdict.once]
#[test]
fn one_url_has_the_answer_that_it_has_among_others() {
    let (mut decided, mut refused) = (0, 0);
    for (number, (path, bytes)) in corpus::files().iter().enumerate() {
        let dialect = [Dialect::Standard, Dialect::Google, Dialect::Processor][number % 3];
        let agents = [&["MyBot"][..], &["Googlebot"], &["x (compatible; MyBot; Googlebot)"]][number / 3 % 3];
        let groups = Names::Known.groups(agents);
        for over_limit in [OverLimit::Drop, OverLimit::Widen, OverLimit::Refuse] {
            let mut options = groups.options(dialect.options().for_verdicts());
            (options.over_limit, options.complete) = (over_limit, !number.is_multiple_of(5));
            for access in [SiteAccess::Rules, SiteAccess::AllowAll, SiteAccess::DisallowAll] {
                let asked = Asked::read(bytes, &options, &groups, access);
                for url in ["/", "https://e.com/a/b?c=%2A", "/robots.txt", "/tmp/x.pdf", "e.com", ""] {
                    let once = Asked::once(bytes, &options, &groups, access, url.as_bytes());
                    match (&asked, once) {
                        (Ok(asked), Ok((tested, found, report))) => {
                            assert_eq!(tested, asked.tested(url.as_bytes()), "{}: {url}", path.display());
                            assert_eq!((&report, found), (asked.report(), asked.found()));
                            decided += 1;
                        }
                        (Err(expected), once) => {
                            assert_eq!(once.unwrap_err(), *expected, "{}", path.display());
                            refused += 1;
                        }
                        (Ok(_), Err(why)) => panic!("{}: {why}", path.display()),
                    }
                }
            }
        }
    }
    assert!(decided > 10_000 && refused > 10, "{decided}, {refused}");
}
