//! The portable form decides as the faithful one, for every small rule set. Properties ask the same of the corpus.
//!
//! Invariant: the reference is written separately, rule by rule, from the standard. It uses the library only to match
//! one pattern with one path. `ROBOSIEVE_EXHAUSTIVE=1 cargo test --release --test library portable::` tries all rule
//! sets. Without it, the sets of three rules have shorter patterns.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::rc::Rc;

use robosieve::parts::UrlPath;
use robosieve::records::{PathPattern, RuleKind};
use robosieve::settings::{Dialect, PathForm, Precedence, Style, TextForm};
use robosieve::{Options, Sieve};

/// The parts of rules and URLs. In URLs, `*` and `$` represent any byte that no rule contains.
const ALPHABET: [&str; 4] = ["/", "a", "*", "$"];
const INDEX: [&str; 4] = ["/", "index.htm", "*", "$"];
const LITERALS: [&str; 5] = ["/", "4", "*", "$", "%24"];

const KINDS: [RuleKind; 2] = [RuleKind::Allow, RuleKind::Disallow];

type Paths = Rc<[u64]>;
type Rule = (RuleKind, Vec<u8>);

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

/// Decides all paths at once, as bits.
struct Judge {
    options: Options,
    /// The readers of the text: that of its dialect, and others.
    readers: Vec<Reader>,
    sieve: Sieve,
    robots: String,
}

/// How a reader of the text compares paths.
struct Reader {
    encoding: Style,
    index: Index,
    paths: Vec<UrlPath<'static>>,
    matched: HashMap<Vec<u8>, Paths>,
}

impl Reader {
    fn form(&self) -> PathForm {
        PathForm { encoding: self.encoding, complement_leading_slash: false, ..PathForm::default() }
    }

    fn matched(&mut self, pattern: &[u8]) -> Paths {
        if let Some(matched) = self.matched.get(pattern) {
            return Rc::clone(matched);
        }
        // Written patterns are normal, so parsing does not change them.
        let glob = PathPattern::new(pattern, self.form());
        let mut bits = vec![0; self.paths.len().div_ceil(64)];
        for (at, _) in self.paths.iter().enumerate().filter(|(_, path)| glob.matches_path(path)) {
            bits[at / 64] |= 1 << (at % 64);
        }
        let bits: Paths = bits.into();
        self.matched.insert(pattern.to_vec(), Rc::clone(&bits));
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
        let sieve = Sieve::new(["MyBot"]).options(options.clone());
        Self { options, readers, sieve, robots: String::new() }
    }

    /// A rule as it is parsed. None if a text cannot contain it.
    fn read(&self, kind: RuleKind, value: &str) -> Option<Rule> {
        let pattern = PathPattern::new(value.as_bytes(), self.options.paths);
        pattern.is_writable().then(|| (kind, pattern.as_bytes().to_vec()))
    }

    fn text(&mut self, rules: &[&Rule], form: TextForm) -> String {
        self.robots.clear();
        self.robots.push_str("User-agent: *\n");
        for (kind, pattern) in rules {
            let pattern = std::str::from_utf8(pattern).unwrap();
            writeln!(self.robots, "{kind}: {pattern}").unwrap();
        }
        self.sieve.clone().with(|options| options.form = form).filter(self.robots.as_bytes()).unwrap().text().to_owned()
    }

    fn check(&mut self, rules: &[&Rule], again: bool) {
        self.check_form(rules, TextForm::Portable, again);
        // The faithful form changes nothing else.
        if rules.iter().any(|(_, pattern)| pattern.windows(2).any(|pair| pair == b"**")) {
            self.check_form(rules, TextForm::Faithful, again);
        }
    }

    fn check_form(&mut self, rules: &[&Rule], form: TextForm, again: bool) {
        let text = self.text(rules, form);
        let before: Vec<Rule> = rules.iter().map(|&rule| rule.clone()).collect();
        let after = rules_of(&text);
        for reader in &mut self.readers {
            if let Some(path) = reader.difference(&before, &after, self.options.precedence) {
                let (robots, encoding, index) = (&self.robots, reader.encoding, reader.index);
                panic!("{robots}becomes\n{text}and decides {path} otherwise for {encoding:?}, {index:?}");
            }
        }
        if again {
            let second = self.sieve.clone().with(|options| options.form = form).filter(text.as_bytes()).unwrap();
            assert_eq!(second.text(), text, "{}", self.robots);
        }
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
fn implied(kind: RuleKind, pattern: &[u8], index: Index) -> Option<Vec<u8>> {
    let slash = pattern.iter().rposition(|&byte| byte == b'/')?;
    let is_index = match index {
        Index::None => false,
        Index::Page => pattern[slash..].starts_with(b"/index.htm"),
        Index::Name => matches!(&pattern[slash..], b"/index.html" | b"/index.htm"),
    };
    (is_index && kind == RuleKind::Allow).then(|| [&pattern[..=slash], b"$"].concat())
}

fn rules_of(text: &str) -> Vec<Rule> {
    let rule = |line: &str| match line.split_once(": ")? {
        ("Allow", pattern) => Some((RuleKind::Allow, pattern.as_bytes().to_vec())),
        ("Disallow", pattern) => Some((RuleKind::Disallow, pattern.as_bytes().to_vec())),
        _ => None,
    };
    text.lines().filter_map(rule).collect()
}

/// All sets of `count` rules with patterns of at most `length` letters, each once; in every order if the order
/// matters.
fn try_all(judge: &mut Judge, alphabet: &[&str], count: usize, length: usize) {
    let mut rules: Vec<Rule> = Vec::new();
    for word in words(alphabet, &["/", "*"], length) {
        for kind in KINDS {
            rules.extend(judge.read(kind, &word).filter(|rule| !rules.contains(rule)));
        }
    }
    let is_ordered = judge.options.precedence == Precedence::FileOrder;
    let from = |at: usize| if is_ordered { 0 } else { at + 1 };
    for (first_at, first) in rules.iter().enumerate() {
        if count == 1 {
            judge.check(&[first], true);
        }
        for (second_at, second) in rules.iter().enumerate().skip(from(first_at)) {
            if count == 2 {
                judge.check(&[first, second], true);
            }
            if count == 3 {
                for third in rules.iter().skip(from(second_at)) {
                    judge.check(&[first, second, third], !cfg!(debug_assertions));
                }
            }
        }
    }
}

fn exhaustive(dialect: Dialect, precedence: Precedence, alphabet: &[&str]) {
    let mut judge = Judge::new(dialect, precedence, alphabet);
    let all = std::env::var_os("ROBOSIEVE_EXHAUSTIVE").is_some();
    let is_ordered = precedence == Precedence::FileOrder;
    // An alphabet of five letters makes many more words.
    let is_slow = cfg!(debug_assertions) && (is_ordered || alphabet.len() > 4);
    let of_three = match (all, is_slow) {
        (true, _) => 4,
        (false, false) => 3,
        (false, true) => 2,
    };
    let of_two = if all || !is_slow { 4 } else { 3 };
    for (count, length) in [(1, 5), (2, of_two), (3, of_three)] {
        try_all(&mut judge, alphabet, count, length);
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
