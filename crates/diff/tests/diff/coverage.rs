//! How much of a site is forbidden: against the tester, path by path, and against all paths of a small alphabet.

use robosieve::records::{Parser, Selection};
use robosieve::settings::{Dialect, Interest, Precedence};
use robosieve::{Options, Tester};
use robosieve_diff::{Coverage, Share};

fn parser(dialect: Dialect) -> Parser {
    Parser::new(dialect.options().for_verdicts())
}

fn coverage(parser: &Parser, file: &[u8]) -> Coverage {
    Coverage::of(&Selection::of(&parser.parse(file), &Interest::everyone()))
}

#[track_caller]
fn share(rules: &str) -> Share {
    let file = format!("User-agent: *\n{rules}");
    let [standard, google] = [Dialect::Standard, Dialect::Google].map(|dialect| {
        let coverage = coverage(&parser(dialect), file.as_bytes());
        assert!(coverage.is_proved, "{rules}");
        coverage.share()
    });
    assert_eq!(standard, google, "{rules}");
    standard
}

/// [coverage.robots-txt] [coverage.share]
#[test]
fn the_file_itself_does_not_count() {
    for (rules, expected) in [
        ("Disallow: /\nAllow: /robots.txt", Share::All),
        ("Disallow: /\nAllow: /robots.txt$", Share::All),
        ("Disallow: /\nAllow: /robots.txt?", Share::All),
        ("Disallow: /\nAllow: /robots", Share::Some),
        ("Disallow: /\nAllow: /robots.tx", Share::Some),
        ("Disallow: /\nAllow: /*robots.txt", Share::Some),
        ("Disallow: /\nAllow: /robots.t*t\nDisallow: /robots.t*a*t", Share::Some),
        ("Disallow: /robots.txt", Share::None),
        ("Disallow: /robots.txt.bak", Share::None),
        ("Disallow: /robots", Share::Some),
    ] {
        assert_eq!(share(rules), expected, "{rules}");
    }
}

/// What begins every normal path can be spelled out. [coverage.proof]
#[test]
fn all_paths_can_be_forbidden_one_by_one() {
    let bytes = (b'!'..=b'~').filter(|byte| !b"#*$".contains(byte)).map(char::from);
    let mut rules: String = bytes.map(|byte| format!("Disallow: /{byte}\n")).collect();
    rules.push_str("Disallow: /$\n");
    let file = |more: &str| format!("User-agent: *\n{rules}{more}");
    let parser = parser(Dialect::Standard);
    let almost = coverage(&parser, file("").as_bytes());
    assert_eq!((almost.allowed.as_deref(), almost.is_proved), (Some("/%24"), true));
    let all = coverage(&parser, file("Disallow: /%24\nDisallow: /%2A\n").as_bytes());
    assert_eq!((all.share(), all.is_proved), (Share::All, true));
    // Google's parser matches a raw `$`, too.
    let google = coverage(&self::parser(Dialect::Google), file("Disallow: /%24\nDisallow: /%2A\n").as_bytes());
    assert_eq!((google.share(), google.is_proved), (Share::Some, true));
}

/// A file that ends before any rule closes all. [input.incomplete]
#[test]
fn what_is_not_known_is_closed() {
    let options = Options { complete: false, ..Options::default() }.for_verdicts();
    assert_eq!(coverage(&Parser::new(options), b"User-agent: *\n").share(), Share::All);
}

/// [coverage.work]
#[test]
fn what_is_not_proved_is_closed() {
    let file = "User-agent: *\nDisallow: /\nAllow: /x\nDisallow: /x*\n";
    let set = Parser::default().parse(file.as_bytes());
    let selection = Selection::of(&set, &Interest::everyone());
    let within = |mut work: usize| (Coverage::within(&selection, &mut work), work);
    let needed = Coverage::MAX_FUEL - within(Coverage::MAX_FUEL).1;
    for (work, is_proved) in [(0, false), (needed - 1, false), (needed, true), (needed + 1, true)] {
        let (found, left) = within(work);
        assert_eq!((found.share(), found.is_proved), (Share::All, is_proved), "{work}");
        assert_eq!(left, work.saturating_sub(needed));
    }
    // That nothing is forbidden is not known either.
    let set = Parser::default().parse(b"User-agent: *\nDisallow: /a*b*c\nAllow: /a*b*c");
    let selection = Selection::of(&set, &Interest::everyone());
    let found = Coverage::within(&selection, &mut 40);
    assert_eq!((found.share(), found.is_proved), (Share::Some, false));
}

/// Files that are made to make proofs long end, and never open more than is proved. [coverage.work]
#[test]
fn hostile_rules_are_bounded() {
    let rules = (0..2_000)
        .map(|number| format!("Allow: /a{number}\nDisallow: /a{number}*\nDisallow: /*{number}*a*b*c*d*e*f\n"));
    let file = format!("User-agent: *\nDisallow: /\n{}", rules.collect::<String>());
    let set = parser(Dialect::Standard).parse(file.as_bytes());
    let mut work = Coverage::MAX_FUEL;
    let found = Coverage::within(&Selection::of(&set, &Interest::everyone()), &mut work);
    assert_eq!((found.share(), found.is_proved), (Share::All, false));
}

/// All files of up to three rules of a small alphabet, and all paths of it. [coverage.proof]
#[test]
fn it_agrees_with_every_path_of_a_small_alphabet() {
    let patterns = ["/", "/a", "/a$", "/$", "/*", "/*a", "/*a$", "/a*", "/b", "/ab", "/a*b", "/*b*", "/aa*$", "/*$"];
    let mut paths = vec![String::from("/")];
    for at in 0.. {
        let Some(path) = paths.get(at).cloned().filter(|path| path.len() < 6) else { break };
        paths.extend(["a", "b", "x", "/"].map(|byte| format!("{path}{byte}")));
    }
    let rules: Vec<String> = ["Allow", "Disallow"]
        .iter()
        .flat_map(|kind| patterns.map(|pattern| format!("{kind}: {pattern}\n")))
        .chain([String::new()])
        .collect();
    let mut seen = [0_u32; 3];
    for (number, first) in rules.iter().enumerate() {
        for second in &rules {
            for third in rules.iter().skip(number % 3).step_by(3) {
                let file = format!("User-agent: *\n{first}{second}{third}");
                for precedence in [Precedence::LongestMatch, Precedence::FileOrder] {
                    let parser = Parser::new(Options { precedence, ..Options::default() });
                    let set = parser.parse(file.as_bytes());
                    let selection = Selection::of(&set, &Interest::everyone());
                    let (found, tester) = (Coverage::of(&selection), Tester::of(&selection));
                    let url = |path: &str| format!("http://host{path}");
                    let is_shown = |path: &Option<String>, allowed: bool| {
                        path.as_ref().is_none_or(|path| tester.is_allowed(url(path)) == allowed)
                    };
                    assert!(is_shown(&found.allowed, true) && is_shown(&found.disallowed, false), "{file}");
                    assert!(found.is_proved, "{file}");
                    let share = found.share();
                    seen[share as usize] += 1;
                    if share == Share::Some {
                        continue;
                    }
                    for path in &paths {
                        assert_eq!(tester.is_allowed(url(path)), share == Share::None, "{share:?} {path} {file}");
                    }
                }
            }
        }
    }
    assert!(seen.iter().all(|count| *count > 500), "{seen:?}");
}
