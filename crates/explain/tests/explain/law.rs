//! The law of advice, tried on random files and on real ones: no edit that is offered opens or closes a site that its line
//! does not name, and a safe one changes nothing.
//!
//! Invariant: the judge here shares nothing with the linter but the parser and the tester: it asks URLs. Google's own
//! parser judges in `tests/oracle/advice`.

use std::collections::BTreeSet;
use std::path::PathBuf;

use robosieve::agent::AnsweredBy;
use robosieve::syntax::Directive;
use robosieve::{Dialect, Interest, Options, Parser, Selection, Tester};
use robosieve_explain::{Crawler, Edit, Fixes, LintFilter, LintKind, Linter, Severity};

/// A source of small numbers: a linear congruential generator with the constants of Knuth's MMIX.
struct Dice(u64);

impl Dice {
    fn below(&mut self, count: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % count
    }

    fn one<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }
}

const AGENTS: [&str; 34] = [
    "*",
    "*",
    "*",
    "Googlebot",
    "GPTBot",
    "GTPBot",
    "a",
    "b",
    "A1",
    "a360bot",
    "Googlebot-News",
    "AdsBot-Google",
    "*OrkashBot*",
    "\"GPTBot\"",
    "[b]",
    "\u{2013} b",
    "",
    "a, b",
    "a and Googlebot",
    "Googlebot/2.1",
    "Googlebot/Bingbot",
    "a b",
    "Exalead Crawler",
    "Mozilla/5.0 (compatible; b/1.0)",
    "Mozilla/5.0 (Windows) Safari",
    "* Disallow: /",
    "*\\nDisallow: /",
    "b Disallow: /p",
    "MJ12bot",
    "\u{201c}*\u{201d}",
    "'*'",
    "b # note",
    "*bot",
    "a.b",
];
const NAMES: [&str; 12] = [
    "User-agent",
    "User-agent",
    "User-agent",
    "Useragent",
    "User agent",
    "Usr-agent",
    "user_agent",
    "- User-agent",
    "User-agents",
    "User-Agent",
    "\u{feff}User-agent",
    "Userangent",
];
const RULES: [&str; 14] = [
    "Disallow",
    "Disallow",
    "Disallow",
    "Allow",
    "Allow",
    "disalow",
    "Dissallow",
    "Disallowed",
    "DisallowAITraining",
    "Disallow ",
    "\"Disallow",
    "- Disallow",
    "Alow",
    "Disallow_",
];
const PATHS: [&str; 56] = [
    "/",
    "/",
    "/",
    "",
    "/p",
    "/p/",
    "/p*",
    "/p/*",
    "/*",
    "*",
    "/*p",
    "/p$",
    "/p*$",
    "/q",
    "/q/r",
    "p",
    "tmp/",
    ".js",
    "?sort=",
    "\"/p/\"",
    "\u{201c}/p/\u{201d}",
    "\\p\\",
    "/a/../p",
    "//e.com/p",
    "https://e.com/",
    "https://e.com/p",
    "http://f.com/*",
    "www.e.com/p",
    "/p, /q",
    "/p,/q",
    "/p /q",
    "/p;/q",
    "/p and /q",
    "/ /p",
    "/p // note",
    "/p  -- note",
    "/p # note",
    "/p#x",
    "/caf\u{e9}",
    "/p\u{a0}",
    "\u{200b}/p",
    "/%7Ep",
    "/p%2A",
    "/p%24",
    "/p|/q",
    "{{ p }}",
    "undefined",
    "/?a=1&amp;b=2",
    "/p Disallow: /q",
    "/p\\nDisallow: /",
    "^/p",
    "/p\tq",
    "/index.html",
    "/p b",
    "/p**",
    "/$",
];
const OTHERS: [&str; 22] = [
    "",
    "",
    "# note",
    "Crawl-delay: 5",
    "Crawl-delay: 10s",
    "Crawl-delay: 90",
    "Sitemap: https://e.com/s.xml",
    "Sitemap: https://e.com/a https://e.com/b",
    "Sitemap: /s.xml",
    "Host: e.com",
    "Content-Signal: ai-train=no",
    "Content-Usage: train-ai=n",
    "Content-Usage: Train-AI = Y",
    "no field here",
    "Foo: bar",
    "Noindex: /p",
    "  /q",
    "<!-- html -->",
    "Request-rate: 1/5",
    "License: https://e.com/l",
    "# User-agent: b",
    "Visit-time: 0200 0630",
];

fn document(dice: &mut Dice) -> String {
    let end = dice.one(&["\n", "\n", "\r\n", "\r"]);
    let mut document = String::from(if dice.below(20) == 0 { "\u{feff}" } else { "" });
    let lines = 1 + dice.below(12);
    for place in 0..lines {
        let line = match dice.below(10) {
            0..=2 => format!("{}: {}", dice.one(&NAMES), dice.one(&AGENTS)),
            3..=7 => format!("{}: {}", dice.one(&RULES), dice.one(&PATHS)),
            8 => format!("{} {}", dice.one(&RULES), dice.one(&PATHS)),
            _ => dice.one(&OTHERS).to_owned(),
        };
        document += &line;
        document += if place + 1 == lines && dice.below(3) == 0 { "" } else { end };
    }
    document
}

/// The lines of a file, each with its end. Only this and the edit's numbers say what is replaced.
fn lines(file: &[u8]) -> Vec<&[u8]> {
    let mut lines = Vec::new();
    let mut rest = file;
    while !rest.is_empty() {
        let at = rest.iter().position(|byte| matches!(byte, b'\r' | b'\n')).unwrap_or(rest.len());
        let length = match rest.get(at..) {
            Some([b'\r', b'\n', ..]) => at + 2,
            Some([_, ..]) => at + 1,
            _ => at,
        };
        lines.push(&rest[..length]);
        rest = &rest[length..];
    }
    lines
}

/// The file with edits, as any editor would apply them.
fn edited(file: &[u8], edits: &[&Edit]) -> Vec<u8> {
    let lines = lines(file);
    let first_end = lines.first().map_or(&b""[..], |line| end_of(line));
    let mut out = Vec::new();
    let mut number = 1;
    while number <= lines.len() {
        let Some(edit) = edits.iter().find(|edit| edit.first as usize == number) else {
            out.extend_from_slice(lines[number - 1]);
            number += 1;
            continue;
        };
        let end = end_of(lines[edit.last as usize - 1]);
        let between = if end.is_empty() { first_end } else { end };
        let between = if between.is_empty() { b"\n" } else { between };
        let texts: Vec<&[u8]> = edit.lines.iter().map(String::as_bytes).collect();
        out.extend(texts.join(between));
        out.extend_from_slice(if texts.is_empty() { b"" } else { end });
        number = edit.last as usize + 1;
    }
    out
}

fn end_of(line: &[u8]) -> &[u8] {
    let text = line.iter().position(|byte| matches!(byte, b'\r' | b'\n')).unwrap_or(line.len());
    &line[text..]
}

/// An agent: its name, and the groups that it uses.
struct Asked {
    name: String,
    interest: Interest,
}

/// Agents that a file names, in any way that may matter, `*`, and known crawlers.
fn agents(file: &[u8], known: &[&Crawler]) -> Vec<Asked> {
    let mut names = BTreeSet::new();
    let text = String::from_utf8_lossy(file).to_ascii_lowercase();
    for line in text.split(['\r', '\n']) {
        if line.contains("agent") || line.contains("user") {
            let is_name = |one: char| one.is_ascii_alphanumeric() || "_-.".contains(one);
            for word in line.split(|one: char| !is_name(one)).filter(|word| !word.is_empty()) {
                names.insert(word.to_owned());
                let cut = |is_end: &dyn Fn(char) -> bool| word.find(is_end).map(|at| word[..at].to_owned());
                names.extend(cut(&|one| one.is_ascii_digit()).filter(|name| !name.is_empty()));
                names.extend(cut(&|one| one == '.').filter(|name| !name.is_empty()));
            }
        }
    }
    let of_file = names.into_iter().map(|name| Asked { interest: Interest::new([&name]), name });
    let known = known
        .iter()
        .map(|crawler| Asked { interest: Crawler::interest_of(&crawler.token), name: crawler.token.to_string() });
    let everyone = Asked { name: "*".into(), interest: Interest::everyone() };
    std::iter::once(everyone).chain(known).chain(of_file).collect()
}

/// URLs that the rules of a file speak of.
fn urls(files: [&[u8]; 2]) -> Vec<Vec<u8>> {
    let mut urls: BTreeSet<Vec<u8>> =
        [&b"/"[..], b"/x", b"/p", b"/p/x", b"/q", b"/q/r", b"/x.js", b"/x?sort=1"].map(<[u8]>::to_vec).into();
    for file in files {
        for dialect in [Dialect::Standard, Dialect::Google] {
            let set = Parser::new(dialect.options().for_verdicts()).parse(file);
            for rule in set.records().flat_map(|record| record.rules()) {
                let pattern = rule.pattern().as_bytes();
                let plain = pattern.strip_suffix(b"$").unwrap_or(pattern);
                for star in [&b""[..], b"x"] {
                    let path: Vec<u8> =
                        plain.iter().flat_map(|byte| if *byte == b'*' { star.to_vec() } else { vec![*byte] }).collect();
                    let path = if path.starts_with(b"/") { path } else { [b"/", &path[..]].concat() };
                    urls.insert([&path[..], b"x"].concat());
                    urls.insert(path);
                }
            }
            if urls.len() > 300 {
                break;
            }
        }
    }
    // No URL has a blank or a control character.
    urls.into_iter().filter(|url| !url.iter().any(|byte| *byte <= b' ' || *byte == 0x7f)).collect()
}

/// What an edit does to an agent.
struct Found {
    agent: String,
    /// Whose groups it uses, before and after.
    uses: Vec<String>,
    root: bool,
    what: String,
}

/// What differs between two files for an agent.
fn differences(old: &[u8], new: &[u8], known: &[&Crawler]) -> Vec<Found> {
    let mut found = Vec::new();
    let mut asked = agents(old, known);
    asked.extend(agents(new, &[]));
    let urls = urls([old, new]);
    for dialect in [Dialect::Standard, Dialect::Google] {
        let parser = Parser::new(Options { max_details: 0, ..dialect.options().for_verdicts() });
        let sets = [old, new].map(|file| parser.parse(file));
        for agent in &asked {
            let selections = [0, 1].map(|at| Selection::of(&sets[at], &agent.interest));
            let uses = selections.iter().filter_map(|selection| match selection.answered_by() {
                AnsweredBy::Agent(place) => {
                    Some(agent.interest.agents.iter().nth(place).unwrap().as_bstr().to_string().to_ascii_lowercase())
                }
                AnsweredBy::Everyone => Some("*".to_owned()),
                AnsweredBy::Nobody => None,
            });
            let uses: Vec<String> = uses.collect();
            let testers = [0, 1].map(|at| Tester::of(&selections[at]));
            let mut add = |root, what: String| {
                found.push(Found {
                    agent: agent.name.clone(),
                    uses: uses.clone(),
                    root,
                    what: format!("{dialect:?}: {what}"),
                });
            };
            for url in &urls {
                let [before, after] = [0, 1].map(|at| testers[at].is_allowed(url));
                if before != after {
                    add(url == b"/", format!("{}: {before} -> {after}", String::from_utf8_lossy(url)));
                }
            }
            let values = [0, 1].map(|at| {
                // Of several delays the longest counts.
                let delay =
                    selections[at].values().crawl_delay().map(|delay| ("Crawl-delay".to_owned(), delay.to_string()));
                selections[at]
                    .extensions()
                    .filter(|line| line.directive() != Directive::CrawlDelay)
                    .map(|line| (line.name().to_string(), line.value().to_string()))
                    .chain(delay)
                    .collect::<BTreeSet<_>>()
            });
            if values[0] != values[1] {
                add(false, format!("values: {:?} -> {:?}", values[0], values[1]));
            }
        }
        let of_file = [0, 1].map(|at| {
            sets[at]
                .file_lines()
                .iter()
                .map(|line| (line.name().to_string(), line.value().to_string()))
                .collect::<BTreeSet<_>>()
        });
        if of_file[0] != of_file[1] {
            let what = format!("{dialect:?}: file: {:?} -> {:?}", of_file[0], of_file[1]);
            found.push(Found { agent: String::new(), uses: Vec::new(), root: false, what });
        }
    }
    found
}

/// Counts of what was tried.
#[derive(Debug, Default)]
struct Tried {
    files: usize,
    safe: usize,
    unsafe_: usize,
    together: usize,
    withheld: usize,
    broken: Vec<String>,
}

impl Tried {
    fn check(&mut self, file: &[u8], new: &[u8], lines: &str, is_safe: bool, known: &[&Crawler]) {
        let lower = lines.to_ascii_lowercase();
        let is_name = |one: char| one.is_ascii_alphanumeric() || "_-.*".contains(one);
        let words: BTreeSet<&str> = lower
            .split(|one: char| !is_name(one))
            .map(|word| if word == "*" { word } else { word.trim_matches(['*', '.', '-']) })
            .collect();
        let names_it = |used: &String| {
            words.iter().any(|word| {
                word == used
                    || word
                        .strip_prefix(used.as_str())
                        .is_some_and(|rest| rest.starts_with(|one: char| one.is_ascii_digit() || one == '.'))
            })
        };
        let say = |what: String| {
            format!(
                "{what}\n{lines}\n--- in\n{}\n--- becomes\n{}",
                String::from_utf8_lossy(file),
                String::from_utf8_lossy(new)
            )
        };
        for one in differences(file, new, known) {
            let breaks = is_safe || one.root && !one.uses.iter().any(names_it);
            if breaks {
                self.broken.push(say(format!("{} (uses {:?}): {}", one.agent, one.uses, one.what)));
                return;
            }
        }
    }

    fn file(&mut self, file: &[u8], known: &[&Crawler]) {
        self.files += 1;
        let linter = Linter::default();
        let linted = linter.lint(file);
        self.withheld += linted.counted().withheld;
        let text_of = |edits: &[&Edit]| {
            let lines = lines(file);
            let numbers = edits.iter().flat_map(|edit| edit.first..=edit.last);
            let is_rule = |line: &str| {
                let line = line.trim_start_matches(['\u{feff}', ' ', '\t']).to_ascii_lowercase();
                line.starts_with("allow") || line.starts_with("disallow")
            };
            let texts = numbers.map(|number| {
                String::from_utf8_lossy(lines[number as usize - 1]).split('#').next().unwrap().to_owned()
            });
            texts.filter(|line| !is_rule(line)).collect::<Vec<_>>().join("\n")
        };
        let mut fixes = Vec::new();
        for lint in linted.lints() {
            let Some(fix) = &lint.fix else { continue };
            assert!(fix.is_safe || lint.severity != Severity::Note, "{lint:?}");
            assert_eq!(fix.is_safe, fix.changes.is_empty() && !fix.changes_file, "{lint:?}");
            *(if fix.is_safe { &mut self.safe } else { &mut self.unsafe_ }) += 1;
            let edits = [&fix.edit];
            self.check(file, &edited(file, &edits), &text_of(&edits), fix.is_safe, known);
            fixes.push(fix);
        }
        let claims: Vec<&LintKind> = linted.lints().iter().map(|lint| &lint.kind).collect();
        assert!(claims.len() >= fixes.len());
        for only_safe in [true, false] {
            let edits: Vec<&Edit> = fixes.iter().filter(|fix| fix.is_safe || !only_safe).map(|fix| &fix.edit).collect();
            if edits.len() > 1 {
                self.together += 1;
                self.check(file, &edited(file, &edits), &text_of(&edits), only_safe, known);
            }
        }
        let all_passes = linter.fix(file, &LintFilter::default(), Fixes::Safe);
        self.check(file, &all_passes.bytes, "", true, known);
    }
}

/// [lint.law], [lint.fix], [lint.together]: random files. `ROBOSIEVE_LAW_FILES=200000` tries more.
#[test]
fn no_edit_breaks_the_law() {
    let files = std::env::var("ROBOSIEVE_LAW_FILES").map_or(600, |count| count.parse().unwrap());
    let all: Vec<&Crawler> = Crawler::all().collect();
    let mut dice = Dice(files as u64);
    let mut tried = Tried::default();
    for _ in 0..files {
        let mut known: Vec<&Crawler> = all.iter().copied().filter(|one| one.differs() && dice.below(4) == 0).collect();
        known.push(dice.one(&all));
        tried.file(document(&mut dice).as_bytes(), &known);
    }
    report(&tried);
    assert!(tried.safe > files / 10 && tried.unsafe_ > files / 10, "{tried:?}");
}

/// [lint.law]: the same for real files, each with all known crawlers. By hand:
/// `ROBOSIEVE_WILD=FOLDER cargo test --release -p robosieve-explain --test explain law -- --nocapture`
#[test]
fn no_edit_breaks_the_law_in_real_files() {
    let Some(folder) = std::env::var_os("ROBOSIEVE_WILD") else { return };
    let known: Vec<&Crawler> = Crawler::all().collect();
    let mut tried = Tried::default();
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    for path in paths.iter().filter(|path| path.is_file()) {
        tried.file(&std::fs::read(path).unwrap(), &known);
    }
    report(&tried);
}

fn report(tried: &Tried) {
    let Tried { files, safe, unsafe_, together, withheld, broken } = tried;
    println!(
        "{files} files, {safe} safe edits, {unsafe_} others, {together} times together, {withheld} withheld, {} break the law",
        broken.len()
    );
    let shown: Vec<&str> = broken.iter().take(5).map(String::as_str).collect();
    assert!(broken.is_empty(), "{}", shown.join("\n=====\n"));
}
