//! The portable form decides as the faithful one, for every small rule set. Properties ask the same of the corpus.
//!
//! Invariant: the reference is written separately, rule by rule, from the standard. It uses the library only to match
//! one pattern with one path. Sets of more rules have shorter patterns.

use std::collections::HashMap;
use std::rc::Rc;

use robosieve::parts::UrlPath;
use robosieve::records::{PathPattern, RuleKind};
use robosieve::settings::{Dialect, PathForm, Precedence, Style, TextForm};
use robosieve::{Options, Sieve};

/// The parts of rules and URLs. In URLs, `*` and `$` represent any byte that no rule contains.
const ALPHABET: [&str; 4] = ["/", "a", "*", "$"];
const INDEX: [&str; 4] = ["/", "index.htm", "*", "$"];
const LITERALS: [&str; 5] = ["/", "4", "*", "$", "%24"];

type Paths = Rc<[u64]>;
type Rule = (RuleKind, String);

/// All words of 1 to `length` letters that begin with one of the first letters.
pub(crate) fn words(alphabet: &[&str], first: &[&str], length: usize) -> Vec<String> {
    let mut all: Vec<String> = first.iter().map(|letter| (*letter).to_owned()).collect();
    let mut last = all.clone();
    for _ in 1..length {
        last = last.iter().flat_map(|word| alphabet.iter().map(move |letter| format!("{word}{letter}"))).collect();
        all.extend(last.iter().cloned());
    }
    all
}

/// How a reader of the text compares paths. It decides all paths at once, as bits.
struct Reader {
    encoding: Style,
    index: Index,
    paths: Vec<UrlPath<'static>>,
    matched: HashMap<String, Paths>,
}

impl Reader {
    fn matched(&mut self, pattern: &str) -> Paths {
        if let Some(matched) = self.matched.get(pattern) {
            return Rc::clone(matched);
        }
        // Written patterns are normal, so parsing does not change them.
        let form = PathForm { encoding: self.encoding, complement_leading_slash: false, ..PathForm::default() };
        let glob = PathPattern::new(pattern.as_bytes(), form);
        let mut bits = vec![0; self.paths.len().div_ceil(64)];
        for (at, _) in self.paths.iter().enumerate().filter(|(_, path)| glob.matches_path(path)) {
            bits[at / 64] |= 1 << (at % 64);
        }
        let bits: Paths = bits.into();
        self.matched.insert(pattern.to_owned(), Rc::clone(&bits));
        bits
    }

    /// The paths that rules disallow.
    fn disallowed(&mut self, rules: &[Rule], precedence: Precedence) -> Vec<u64> {
        let mut ranked: Vec<(usize, RuleKind, Paths)> = Vec::with_capacity(rules.len());
        for (kind, pattern) in rules {
            ranked.push((pattern.len(), *kind, self.matched(pattern)));
            if let Some(directory) = implied(*kind, pattern, self.index) {
                ranked.push((directory.len(), *kind, self.matched(&directory)));
            }
        }
        if precedence == Precedence::LongestMatch {
            ranked.sort_by_key(|(length, kind, _)| (std::cmp::Reverse(*length), *kind));
        }
        let words = self.paths.len().div_ceil(64);
        let (mut decided, mut disallowed) = (vec![0_u64; words], vec![0_u64; words]);
        for (_, kind, paths) in ranked {
            for (at, &paths) in paths.iter().enumerate() {
                disallowed[at] |= if kind == RuleKind::Disallow { paths & !decided[at] } else { 0 };
                decided[at] |= paths;
            }
        }
        disallowed
    }

    /// A path that two sets of rules decide differently.
    fn difference(&mut self, before: &[Rule], after: &[Rule], precedence: Precedence) -> Option<String> {
        let (before, after) = (self.disallowed(before, precedence), self.disallowed(after, precedence));
        let at = (0..self.paths.len()).find(|at| (before[at / 64] ^ after[at / 64]) >> (at % 64) & 1 == 1)?;
        Some(self.paths[at].text().to_string())
    }
}

/// Which Allow of an index page also allows its directory.
#[derive(Clone, Copy, Debug)]
enum Index {
    None,
    /// Any, as for Google.
    Page,
    /// One that ends with its name. Protego 0.7 asks for `/index.html` there.
    Name,
}

/// The directory that an Allow of an index page also allows.
fn implied(kind: RuleKind, pattern: &str, index: Index) -> Option<String> {
    let slash = pattern.rfind('/')?;
    let is_index = match index {
        Index::None => false,
        Index::Page => pattern[slash..].starts_with("/index.htm"),
        Index::Name => matches!(&pattern[slash..], "/index.html" | "/index.htm"),
    };
    (is_index && kind == RuleKind::Allow).then(|| pattern[..=slash].to_owned() + "$")
}

/// The text of a dialect, and its readers: that of the dialect, and others.
struct Judge {
    options: Options,
    readers: Vec<Reader>,
}

impl Judge {
    fn new(dialect: Dialect, precedence: Precedence, alphabet: &[&str]) -> Self {
        let options = Options { precedence, ..dialect.options() };
        let urls = words(alphabet, &["/"], 6);
        let mut readers = Vec::new();
        for encoding in [Style::Standard, Style::Google] {
            let form = PathForm { encoding, ..options.paths };
            // In the Google dialect the implied directories are written out, for readers that do not support index
            // pages.
            let indexes =
                if options.index_html { &[Index::Page][..] } else { &[Index::None, Index::Page, Index::Name] };
            for &index in indexes {
                let paths = urls.iter().map(|url| UrlPath::of(url.clone().leak().as_bytes(), form)).collect();
                readers.push(Reader { encoding, index, paths, matched: HashMap::new() });
            }
        }
        Self { options, readers }
    }

    /// The rules of these patterns that a text can contain, as they are parsed, each once.
    fn rules(&self, words: &[String]) -> Vec<Rule> {
        let mut rules = Vec::new();
        for word in words {
            let pattern = PathPattern::new(word.as_bytes(), self.options.paths);
            for kind in [RuleKind::Allow, RuleKind::Disallow] {
                let rule = (kind, pattern.as_bstr().to_string());
                if pattern.is_writable() && !rules.contains(&rule) {
                    rules.push(rule);
                }
            }
        }
        rules
    }

    fn check(&mut self, rules: &[Rule]) {
        let lines: String = rules.iter().map(|(kind, pattern)| format!("{kind}: {pattern}\n")).collect();
        let robots = format!("User-agent: *\n{lines}");
        // The faithful form changes runs of stars, and nothing else.
        let has_runs = rules.iter().any(|(_, pattern)| pattern.contains("**"));
        let forms = if has_runs { &[TextForm::Portable, TextForm::Faithful][..] } else { &[TextForm::Portable] };
        for form in forms {
            let sieve = Sieve::new(["MyBot"]).options(Options { form: *form, ..self.options.clone() });
            let filtered = sieve.filter(robots.as_bytes()).unwrap();
            let (text, after) = (filtered.text(), rules_of(filtered.text()));
            for reader in &mut self.readers {
                if let Some(path) = reader.difference(rules, &after, self.options.precedence) {
                    let (encoding, index) = (reader.encoding, reader.index);
                    panic!("{robots}becomes\n{text}and decides {path} otherwise for {encoding:?}, {index:?}");
                }
            }
            // Not for the many sets of three rules, for time.
            if rules.len() < 3 {
                assert_eq!(sieve.filter(text.as_bytes()).unwrap().text(), text, "{robots}");
            }
        }
    }

    /// Checks the set with all sets of `more` of these rules; in every order if the order matters.
    fn check_all(&mut self, set: &mut Vec<Rule>, rules: &[Rule], more: usize) {
        if more == 0 {
            return self.check(set);
        }
        let is_ordered = self.options.precedence == Precedence::FileOrder;
        for (at, rule) in rules.iter().enumerate() {
            set.push(rule.clone());
            self.check_all(set, if is_ordered { rules } else { &rules[at + 1..] }, more - 1);
            set.pop();
        }
    }
}

fn rules_of(text: &str) -> Vec<Rule> {
    let rule = |line: &str| match line.split_once(": ")? {
        ("Allow", pattern) => Some((RuleKind::Allow, pattern.to_owned())),
        ("Disallow", pattern) => Some((RuleKind::Disallow, pattern.to_owned())),
        _ => None,
    };
    text.lines().filter_map(rule).collect()
}

/// All sets of one, two and three rules.
fn exhaustive(dialect: Dialect, precedence: Precedence, alphabet: &[&str]) {
    let mut judge = Judge::new(dialect, precedence, alphabet);
    // An order of the rules, and an alphabet of five letters, make many more sets.
    let is_large = precedence == Precedence::FileOrder || alphabet.len() > 4;
    for (count, length) in [(1, 5), (2, if is_large { 3 } else { 4 }), (3, if is_large { 2 } else { 3 })] {
        let rules = judge.rules(&words(alphabet, &["/", "*"], length));
        judge.check_all(&mut Vec::new(), &rules, count);
    }
}

use Precedence::{FileOrder, LongestMatch};

/// [portable.neutral] [portable.stable] [text.idempotent]
#[test]
fn small_sets_decide_as_before_by_the_longest_match() {
    exhaustive(Dialect::Standard, LongestMatch, &ALPHABET);
    exhaustive(Dialect::Google, LongestMatch, &ALPHABET);
}

/// [portable.neutral] [portable.stable] [portable.order]
#[test]
fn small_sets_decide_as_before_in_file_order() {
    exhaustive(Dialect::Standard, FileOrder, &ALPHABET);
    exhaustive(Dialect::Google, FileOrder, &ALPHABET);
}

/// [portable.index] [portable.order] [portable.readers] [google.index-html]
#[test]
fn sets_with_index_pages_decide_as_before() {
    exhaustive(Dialect::Google, LongestMatch, &INDEX);
    exhaustive(Dialect::Standard, LongestMatch, &INDEX);
    exhaustive(Dialect::Google, FileOrder, &INDEX);
}

/// [portable.readers] [path.literal]
#[test]
fn sets_with_literals_decide_as_before() {
    exhaustive(Dialect::Standard, LongestMatch, &LITERALS);
    exhaustive(Dialect::Standard, FileOrder, &LITERALS);
}
