//! The tree, the index, the order and the quick checks change no answer. And strings that are no URL.
//!
//! Invariant: small rules are compared with a naive matcher, and long ones are tested alone with [`PathPattern::matches`],
//! which uses neither a tree nor an index.

use robosieve::parts::UrlPath;
use robosieve::records::{Parser, RecordSet, RuleKind};
use robosieve::settings::{Dialect, Interest, Limits, PathForm, Precedence};
use robosieve::verdict::SiteAccess;
use robosieve::{Options, Sieve, Tester, Verdict};

use crate::Numbers;
use crate::checked::naive::{self, Written};
use crate::portable::words;

impl Numbers {
    fn letters(&mut self, count: usize, alphabet: &[u8]) -> String {
        (0..count).map(|_| char::from(alphabet[self.below(alphabet.len())])).collect()
    }
}

fn unlimited(file: &str) -> RecordSet<'_> {
    Parser::new(Options { limits: Limits::NONE, ..Options::default() }).parse(file.as_bytes())
}

fn tester<'a>(set: &RecordSet<'a>) -> Tester<'a> {
    Tester::new(set, &Interest::new(["MyBot"]))
}

/// The verdict from testing each rule: the longest matching pattern decides, Allow before Disallow.
fn one_by_one(set: &RecordSet<'_>, url: &str) -> bool {
    assert_eq!(set.options().precedence, Precedence::LongestMatch);
    let path = UrlPath::of(url.as_bytes(), PathForm::default());
    let rules = set.records().flat_map(|record| record.rules().to_vec());
    let matching = rules.filter(|rule| rule.pattern().matches_path(&path));
    let best = matching.max_by_key(|rule| (rule.pattern().len(), rule.kind() == RuleKind::Allow));
    best.is_none_or(|rule| rule.kind() == RuleKind::Allow)
}

/// The rules of a file answer all paths as the naive matcher does, in both orders.
fn compare(rules: &[Written], paths: &[Vec<u8>]) {
    let lines = rules.iter().map(|(kind, value)| [kind.name().as_bytes(), b":", value, b"\n"].concat());
    let file = [b"User-agent: *\n".to_vec(), lines.collect::<Vec<_>>().concat()].concat();
    for precedence in [Precedence::LongestMatch, Precedence::FileOrder] {
        let set = Parser::new(Options { precedence, ..Options::default() }).parse(&file);
        naive::compare(&tester(&set).with_index(), rules, set.options(), paths);
    }
}

/// Compares all sets of at most so many of the rules.
fn compare_sets(rules: &[Written], paths: &[Vec<u8>], most: usize, set: &mut Vec<Written>) {
    compare(set, paths);
    if most > 0 {
        for (at, rule) in rules.iter().enumerate() {
            set.push(rule.clone());
            compare_sets(&rules[at + 1..], paths, most - 1, set);
            set.pop();
        }
    }
}

/// Pairs of longer patterns, and sets of short ones, on all short paths. Pairs also in the other order, since in file
/// order the first decides. [path.match] [path.stars] [path.anchor] [rule.longest] [rule.tie] [rule.file-order]
#[test]
fn small_rules_are_decided_as_by_a_naive_matcher() {
    let strings = |firsts: &[&str], letters: &[&str], length| -> Vec<Vec<u8>> {
        words(letters, firsts, length).into_iter().map(String::into_bytes).collect()
    };
    let paths = strings(&["/"], &["a", "b", "$"], 4);
    for (firsts, letters, length, most) in [
        (&["/", "*"][..], &["a", "b", "*", "$"][..], 3, 2),
        (&["/"], &["a", "*", "$"], 3, 3),
        (&["/", "*"], &["a", "b"], 2, 3),
    ] {
        let patterns = strings(firsts, letters, length).into_iter();
        let mut rules: Vec<Written> =
            patterns.flat_map(|pattern| [(RuleKind::Allow, pattern.clone()), (RuleKind::Disallow, pattern)]).collect();
        compare_sets(&rules, &paths, most, &mut Vec::new());
        rules.reverse();
        compare_sets(&rules, &paths, 2, &mut Vec::new());
    }
}

/// Literals of about 32 bytes, paths of about 256: [path.match]
#[test]
fn long_literals_are_found_in_long_paths() {
    let mut numbers = Numbers(1);
    let mut forbidden = 0;
    for length in [100, 255, 256, 257, 300, 3000, 70_000] {
        let url = format!("/{}", numbers.letters(length - 1, b"ab"));
        for size in [2, 30, 31, 32, 33, 34, 60] {
            let inner = |numbers: &mut Numbers| {
                let start = numbers.below(url.len() - size);
                let mut literal = url[start..start + size].to_string();
                if numbers.below(3) == 0 {
                    let at = numbers.below(size);
                    literal.replace_range(at..=at, "c");
                }
                literal
            };
            let rules: Vec<String> = (0..20)
                .map(|_| {
                    let (first, second) = (inner(&mut numbers), inner(&mut numbers));
                    let end =
                        if numbers.below(4) == 0 { format!("*{}$", &url[url.len() - size..]) } else { String::new() };
                    format!("/*{first}*{second}{end}")
                })
                .collect();
            for rule in &rules {
                let file = format!("User-agent: *\nDisallow: {rule}\n");
                let set = unlimited(&file);
                let expected = one_by_one(&set, &url);
                assert_eq!(tester(&set).is_allowed(&url), expected, "{length} {size} {rule}");
                forbidden += usize::from(!expected);
            }
            let file = format!("User-agent: *\nDisallow: {}\n", rules.join("\nDisallow: "));
            let set = unlimited(&file);
            assert_eq!(tester(&set).is_allowed(&url), one_by_one(&set, &url), "{length} {size}");
        }
    }
    assert!((100..900).contains(&forbidden), "{forbidden} of 980: the rules do not test enough");
}

/// Tree nodes with about 65,535 bytes between them, and about twice that: [rule.longest] [bounds.verdict]
#[test]
fn long_labels_change_no_answer() {
    let path = |length: usize| format!("/{}", "a".repeat(length - 1));
    for around in [65_535, 131_070] {
        for length in [around - 1, around, around + 1, around + 2] {
            // The second rule begins with the bytes of the first, and the following rules have common prefixes.
            for first in ["Disallow: /b\n", "", "Allow: /\nDisallow: /aaa$\n"] {
                let file = format!("User-agent: *\n{first}Disallow: {}\nAllow: {}$\n", path(length), path(length + 2));
                let set = unlimited(&file);
                let tester = tester(&set);
                for asked in [1, 3, 65_534, 65_535, 65_536, length - 1, length, length + 1, length + 2, length + 3] {
                    let url = path(asked);
                    assert_eq!(tester.is_allowed(&url), one_by_one(&set, &url), "{length} {asked}");
                }
                let answers = [length - 1, length, length + 1, length + 2, length + 3];
                let answers = answers.map(|asked| tester.is_allowed(path(asked)));
                assert_eq!(answers, [true, false, false, true, false], "{length}");
            }
        }
    }
}

/// Strings that are no URL.
fn none() -> impl Iterator<Item = &'static str> {
    let some = "cart cart/1 shop.example/cart shop.example mailto:a@b https:// https:///a http:/a https:a #top * file:///etc \
        javascript:alert(1) data:text/plain,a ://x/y";
    some.split(' ').chain(["", " "])
}

/// [url.none]
#[test]
fn what_is_no_url_is_not_allowed() {
    for file in ["", "User-agent: *\nAllow: /\n", "User-agent: *\nDisallow: /cart\n"] {
        let tester = Sieve::new(["MyBot"]).tester(file.as_bytes()).unwrap();
        for url in none() {
            let verdict = tester.test(url);
            assert_eq!((verdict, verdict.allowed()), (Verdict::NotAUrl, false), "{url:?}");
            assert!(!tester.is_allowed(url), "{url:?}");
            assert_eq!(verdict.to_string(), "disallowed: it is no URL");
            assert!(!UrlPath::of(url.as_bytes(), PathForm::default()).is_of_url(), "{url:?}");
        }
        for access in [SiteAccess::AllowAll, SiteAccess::DisallowAll] {
            assert!(!tester.clone().with_access(access).is_allowed("cart"));
        }
    }
}

/// [url.none]
#[test]
fn google_takes_any_string() {
    let sieve = Sieve::new(["MyBot"]).options(Dialect::Google);
    let tester = sieve.tester(b"").unwrap();
    assert!(none().all(|url| tester.is_allowed(url)));
}

#[cfg(feature = "url")]
/// [url.parsed]
#[test]
fn a_parsed_url_is_the_same_url() {
    use robosieve::values::HttpUrl;
    for text in
        ["https://Shop.example:443/a b?x=%7e", "http://me:secret@h.example:8080", "https://b\u{fc}cher.example/\u{e9}"]
    {
        let parsed = url::Url::parse(text).unwrap();
        assert_eq!(HttpUrl::try_from(&parsed).unwrap(), HttpUrl::read(parsed.as_str()).unwrap());
    }
    for text in ["mailto:a@b.example", "file:///etc", "data:,a", "ftp://h.example/"] {
        assert!(HttpUrl::try_from(&url::Url::parse(text).unwrap()).is_err(), "{text}");
    }
}
