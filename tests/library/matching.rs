//! The tree, the index, the order and the quick checks change no answer: all is compared with the naive matcher. And
//! strings that are no URL.

use robosieve::parts::UrlPath;
use robosieve::records::{Parser, PathPattern, RuleKind};
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

/// The rules of a file answer all paths as the naive matcher does, in both orders.
fn compare(rules: &[Written], paths: &[Vec<u8>]) {
    let lines = rules.iter().map(|(kind, value)| [kind.name().as_bytes(), b":", value, b"\n"].concat());
    let file = [b"User-agent: *\n".to_vec(), lines.collect::<Vec<_>>().concat()].concat();
    for precedence in [Precedence::LongestMatch, Precedence::FileOrder] {
        let set = Parser::new(Options { precedence, ..Options::default() }).parse(&file);
        let tester = Tester::new(&set, &Interest::new(["MyBot"])).with_index();
        naive::compare(&tester, rules, set.options(), paths);
    }
}

/// A pattern alone matches these paths as the naive matcher says, in each form.
fn compare_alone(value: &[u8], paths: &[Vec<u8>]) {
    let decoding = PathForm { decode_wildcard: true, complement_leading_slash: false, ..PathForm::default() };
    for form in [PathForm::default(), decoding, Dialect::Google.options().paths] {
        let (pattern, normal) = (PathPattern::new(value, form), naive::normal_pattern(value, form));
        for path in paths {
            let expected = naive::naive_match(&normal, &naive::normal_path(path, form), form);
            assert_eq!(pattern.matches_path(&UrlPath::of(path, form)), expected, "{pattern:?} {path:?}");
        }
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
/// order the first decides. [path.match] [path.stars] [path.anchor] [path.slash] [rule.longest] [rule.tie]
/// [rule.file-order]
#[test]
fn small_rules_are_decided_as_by_a_naive_matcher() {
    let strings = |firsts: &[&str], letters: &[&str], length| -> Vec<Vec<u8>> {
        words(letters, firsts, length).into_iter().map(String::into_bytes).collect()
    };
    let paths = strings(&["/"], &["a", "b", "*", "$"], 4);
    for (firsts, letters, length, most) in [
        (&["/", "*"][..], &["a", "b", "*", "$"][..], 3, 2),
        (&["/"], &["a", "*", "$"], 3, 3),
        (&["/", "*"], &["a", "b"], 2, 3),
        (&["", "/"], &["a", "*", "%2a", "%24"], 3, 1),
    ] {
        let patterns = strings(firsts, letters, length);
        for pattern in &patterns {
            compare_alone(pattern, &paths);
        }
        let mut rules: Vec<Written> = patterns
            .into_iter()
            .flat_map(|pattern| [(RuleKind::Allow, pattern.clone()), (RuleKind::Disallow, pattern)])
            .collect();
        compare_sets(&rules, &paths, most, &mut Vec::new());
        rules.reverse();
        compare_sets(&rules, &paths, 2, &mut Vec::new());
    }
}

/// Literals and paths of about 64 bytes, where the way to search changes, and long paths. [path.match]
#[test]
fn literals_are_found_in_paths() {
    let mut numbers = Numbers(1);
    for length in (62..=68).chain([300, 3_000]) {
        let path = format!("/{}", numbers.letters(length - 1, b"ab"));
        for size in [2, 30, 60, 63, 64, 65].into_iter().filter(|size| *size < length) {
            let literal = |numbers: &mut Numbers| {
                let start = numbers.below(path.len() - size);
                let mut literal = path[start..start + size].to_string();
                if numbers.below(3) == 0 {
                    let at = numbers.below(size);
                    literal.replace_range(at..=at, "c");
                }
                literal
            };
            let rule = |numbers: &mut Numbers| {
                let end =
                    if numbers.below(4) == 0 { format!("*{}$", &path[path.len() - size..]) } else { String::new() };
                let pattern = format!("/*{}*{}{end}", literal(numbers), literal(numbers));
                (RuleKind::Disallow, pattern.into_bytes())
            };
            let rules: Vec<Written> = (0..20).map(|_| rule(&mut numbers)).collect();
            let paths = [path.clone().into_bytes()];
            for rule in &rules {
                compare(std::slice::from_ref(rule), &paths);
            }
            compare(&rules, &paths);
        }
    }
}

/// Tree nodes with about 65,535 bytes between them, and about twice that: [rule.longest] [bounds.verdict]
#[test]
fn long_labels_change_no_answer() {
    let path = |length: usize| format!("/{}", "a".repeat(length - 1));
    for length in (65_534..=65_537).chain(131_069..=131_072) {
        // The second rule begins with the bytes of the first, and the following rules have common prefixes.
        for first in ["Disallow: /b\n", "", "Allow: /\nDisallow: /aaa$\n"] {
            let file = format!("User-agent: *\n{first}Disallow: {}\nAllow: {}$\n", path(length), path(length + 2));
            let sieve = Sieve::new(["MyBot"]).with(|options| options.limits = Limits::NONE);
            let tester = sieve.tester(file.as_bytes()).unwrap();
            for asked in [1, 3, 65_534, 65_535, 65_536].into_iter().chain(length - 1..=length + 3) {
                let is_allowed = asked < length || asked == length + 2;
                assert_eq!(tester.is_allowed(path(asked)), is_allowed, "{length} {asked}");
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
