//! The laws of advice, tried on a file: a safe edit changes no answer and loses no word, alone, with all others, and in all
//! passes of `--fix`. A suggestion says what it changes and takes away, opens no site, and closes one only where it
//! names an agent.
//!
//! Invariant: the judges here share nothing with the linter but the parser and the tester: they ask URLs, and look for
//! runs of letters.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use percent_encoding::percent_decode;
use robosieve::parts::{known_directives, misspellings};
use robosieve::records::{Directive, Parser, Selection};
use robosieve::settings::{Dialect, Interest, Leniency};
use robosieve::{Options, Tester};
use robosieve_explain::{Crawler, Edit, Fix, Groups, Lint, Linter, Names, Severity};
use strsim::osa_distance;

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
    groups: Groups,
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
    let of_file = names.into_iter().map(|name| Asked { groups: Interest::new([&name]).into(), name });
    let known = known
        .iter()
        .map(|crawler| Asked { groups: Names::Known.groups([crawler.token]), name: crawler.token.to_string() });
    let everyone = Asked { name: "*".into(), groups: Interest::everyone().into() };
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

/// Names of directives, also misspelled ones, and the signs that stand for them: the longest first.
static NAMES: LazyLock<Vec<(&str, char)>> = LazyLock::new(|| {
    let others = [
        ("disabllow", '\u{1}'),
        ("dsiallow", '\u{1}'),
        ("isallow", '\u{1}'),
        ("alllow", '\u{2}'),
        ("user-agent", '\u{3}'),
        ("useragent", '\u{3}'),
        ("user agent", '\u{3}'),
        ("user_agent", '\u{3}'),
        ("userangent", '\u{5}'),
        ("uers-agent", '\u{5}'),
        ("usr-agent", '\u{5}'),
        ("user-agen", '\u{5}'),
        ("disallow", '\u{1}'),
        ("allow", '\u{2}'),
        ("sitemap", '\u{4}'),
        ("crawl-delay", '\u{4}'),
        ("crawl delay", '\u{4}'),
    ];
    let is_other = |name: &str| others.iter().all(|(other, _)| *other != name);
    let slips = misspellings(Leniency::Generous).filter(|(name, _)| is_other(name)).map(|(name, meant)| {
        let sign = match meant {
            Directive::Disallow => '\u{1}',
            Directive::Allow => '\u{2}',
            Directive::UserAgent => '\u{5}',
            _ => '\u{4}',
        };
        (name, sign)
    });
    let mut names: Vec<_> = others.into_iter().chain(slips).collect();
    names.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
    names
});

/// A text in which what is spelled in several ways is spelled in one.
fn plain(text: &[u8]) -> String {
    let bytes: Vec<u8> = percent_decode(text).collect();
    let mut plain = String::from_utf8_lossy(&bytes).to_lowercase().replace("&amp;", "&").replace('\\', "/");
    // Signs that are not seen, dashes, quotes.
    plain = plain.replace(|one: char| !one.is_ascii() && !one.is_alphanumeric() && one != '\u{ff1a}', " ");
    for tag in ["<br>", "<br />", "<br/>", "<p>", "</p>"] {
        plain = plain.replace(tag, " ");
    }
    plain
}

/// A plain text with each name of a directive as one sign, so that what is glued to it stands alone.
fn parted(plain: String) -> String {
    // What was glued is a line of its own.
    let with_signs = |mut plain: String, before: &str| {
        for (name, sign) in &*NAMES {
            plain = with_sign(&plain, &format!("{before}{name}"), *sign);
        }
        plain
    };
    let parted = with_signs(with_signs(plain, "/r/n"), "/n");
    with_signs(without_slips(&parted), "")
}

/// A text with the sign of a directive for each word before a colon, or at the start of a line, that is at most two
/// letters away from its name.
fn without_slips(text: &str) -> String {
    let mut usual = vec![("disallow".to_owned(), '\u{1}'), ("allow".into(), '\u{2}'), ("useragent".into(), '\u{5}')];
    let others = known_directives().map(|(name, _)| name.replace(['-', ' '], "").to_lowercase());
    usual.extend(others.map(|name| (name, '\u{4}')));
    let is_name = |one: char| one.is_ascii_alphanumeric() || matches!(one, '-' | '_');
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(is_name) {
        out.push_str(&rest[..start]);
        let length = rest[start..].find(|one| !is_name(one)).unwrap_or(rest.len() - start);
        let (word, after) = rest[start..].split_at(length);
        let letters: String = word.chars().filter(char::is_ascii_alphanumeric).collect();
        let is_word = |one: char| one.is_alphanumeric() || one == '/' || ('\u{1}'..='\u{5}').contains(&one);
        let is_first = !last_line(&out).contains(is_word);
        // A name in a query is none of a directive: `?sort=*`, `/*size=*`.
        let is_in_query = after.starts_with('=') && out.ends_with(['?', '&', '*', '/']);
        let begins_field = has_colon(after) && !is_in_query || is_first;
        // What ends with a name of a directive is glued to it, and has no slip.
        let is_glued = !is_first && NAMES.iter().any(|(name, _)| word.len() > name.len() && word.ends_with(name));
        let near = usual.iter().filter(|(name, _)| name.len().abs_diff(letters.len()) <= 2);
        let meant = near.map(|(name, sign)| (osa_distance(&letters, name), *sign, &**name)).min();
        // Spelled with other signs, a user-agent line still begins a group.
        let sign = match meant {
            Some((0, _, "useragent")) => Some('\u{3}'),
            Some((0..=2, sign, _)) if (3..=24).contains(&letters.len()) => Some(sign),
            _ => None,
        };
        match sign {
            Some(sign) if begins_field && !is_glued => push_sign(&mut out, sign),
            _ => out.push_str(word),
        }
        rest = after;
    }
    out + rest
}

fn last_line(text: &str) -> &str {
    text.rsplit(['\r', '\n']).next().unwrap()
}

fn has_colon(after: &str) -> bool {
    after.trim_start_matches([' ', '\t', '"', '\'']).starts_with([':', '=', ';', '\u{ff1a}'])
}

/// Adds a sign, alone in its line. But a comment is one line.
fn push_sign(text: &mut String, sign: char) {
    if !last_line(text).contains('#') {
        text.push('\n');
    }
    text.push(sign);
}

/// A text with a sign on a line of its own for each name that begins a line, or has a colon after it. Others are words
/// of a path.
fn with_sign(text: &str, name: &str, sign: char) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((front, after)) = rest.split_once(name) {
        out.push_str(front);
        let line = last_line(&out);
        let is_whole = !after.starts_with(char::is_alphanumeric);
        let is_first = !line.contains(char::is_alphanumeric) && !line.contains('/');
        if has_colon(after) || is_whole && (is_first || line.contains('#')) {
            push_sign(&mut out, sign);
        } else {
            out.push_str(name);
        }
        rest = after;
    }
    out + rest
}

/// How often each run of letters and digits is in a text, and the signs that stand for all. A line that a line above it
/// in its group says, too, is not counted, nor is one of several paths of a line that does, nor the name of a directive
/// that is misspelled.
fn runs(text: &str, all: bool) -> BTreeMap<String, usize> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let (mut group, mut seen, mut paths) = (0, BTreeSet::new(), BTreeSet::new());
    for line in text.split(['\r', '\n']) {
        let (field, note) = line.split_once('#').unwrap_or((line, ""));
        let is_said = |one: &char| one.is_ascii_alphanumeric() || "\u{1}\u{2}\u{3}\u{4}/*$?~-".contains(*one);
        let rule: String = field.chars().filter(is_said).collect();
        group += usize::from(rule.contains('\u{3}'));
        let is_new = all || seen.insert((group, rule.trim_end_matches('*').replacen('/', "", 1)));
        let (name, value) = field.split_once([':', '=']).unwrap_or(("", field));
        let name = if all || name.contains(['/', '*']) { name } else { "" };
        let kind = rule.chars().find(|one| matches!(one, '\u{1}' | '\u{2}'));
        // A star at the end of a path is no word. A path without its first slash begins with what it matches.
        let path = value.trim_end().trim_end_matches('*');
        let value = if path.contains(['/', '?', '=']) { path } else { value };
        let parts = if is_new { [name, value, note] } else { ["", "", note] };
        let first = value.trim_start_matches(|one: char| one.is_whitespace() || one.is_control());
        for part in parts {
            for word in part
                .split(|one: char| one.is_whitespace() || "\u{1}\u{2}\u{3}\u{4}\u{5}:;=,|#\"'`()[]<>{}".contains(one))
            {
                let is_path = !all && part == value && (word.starts_with('/') || first.starts_with(word));
                let path = word.strip_prefix('/').unwrap_or(word).trim_end_matches('*');
                if is_path
                    && let Some(kind) = kind
                    && !paths.insert((group, kind, path.to_owned()))
                {
                    continue;
                }
                if !word.is_empty() && word.chars().all(|one| matches!(one, '*' | '/')) && word != "//" {
                    *counts.entry(if word.contains('/') { "/" } else { "*" }.into()).or_default() += 1;
                }
                for run in word.split(|one: char| !one.is_ascii_alphanumeric()) {
                    let is_number = run.trim_end_matches(|one: char| one.is_ascii_alphabetic()).len() + 1 >= run.len();
                    let is_number = is_number && run.starts_with(|one: char| one.is_ascii_digit());
                    if !is_number && !matches!(run, "" | "and" | "or" | "http" | "https" | "n" | "amp") {
                        *counts.entry(run.into()).or_default() += 1;
                    }
                }
            }
        }
    }
    counts
}

/// The runs that a text has lost, without those that were said to be removed.
fn lost(old: &[u8], new: &[u8], removed: &str) -> Vec<String> {
    let [old, new, removed] = [old, new, removed.as_bytes()].map(plain);
    // A note may have a directive's name as one of its words. So the new text is read in two ways: with names as they are,
    // and with signs for them.
    let mut kept = runs(&new, true);
    for (run, count) in runs(&parted(new), true) {
        let most = kept.entry(run).or_default();
        *most = count.max(*most);
    }
    let removed = runs(&parted(removed), true);
    let has = |run: &str| kept.get(run).unwrap_or(&0) + removed.get(run).unwrap_or(&0);
    runs(&parted(old), false).into_iter().filter(|(run, count)| has(run) < *count).map(|(run, _)| run).collect()
}

/// What a fix says that it takes away. A text that is shown cut, with its length, is one of the lines of the edit.
fn removed(fix: &Fix, file: &[u8]) -> String {
    let said = fix.effect.split_once("removes ").or(fix.effect.split_once("leaves out a part of "));
    let Some((_, said)) = said else { return String::new() };
    let whole = || {
        let cut = said.split_once('`')?.1.split_once("... (")?;
        let length: usize = cut.1.split(' ').next()?.parse().ok()?;
        let lines = lines(file)[fix.edit.first as usize - 1..fix.edit.last as usize].concat();
        let found = lines.windows(length).find(|part| part.starts_with(cut.0.as_bytes()))?;
        Some(String::from_utf8_lossy(found).into_owned())
    };
    whole().unwrap_or_else(|| said.replace("\\x09", "\t"))
}

/// What an edit does to an agent.
struct Found {
    agent: String,
    /// Whether `/` is then allowed, if that changes.
    root: Option<bool>,
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
            // Google's dialect takes the groups of all agents of an interest: only those that apply are left.
            let groups = [0, 1].map(|at| agent.groups.within(&sets[at]));
            let selections = [0, 1].map(|at| Selection::of(&sets[at], &groups[at]));
            let testers = [0, 1].map(|at| Tester::of(&selections[at]));
            let mut add = |root, what: String| {
                found.push(Found { agent: agent.name.clone(), root, what: format!("{dialect:?}: {what}") });
            };
            for url in &urls {
                let [before, after] = [0, 1].map(|at| testers[at].is_allowed(url));
                if before != after {
                    add(
                        (url == b"/").then_some(after),
                        format!("{}: {before} -> {after}", String::from_utf8_lossy(url)),
                    );
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
                add(None, format!("values: {:?} -> {:?}", values[0], values[1]));
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
            found.push(Found { agent: String::new(), root: None, what });
        }
    }
    found
}

/// Counts of what was tried.
#[derive(Debug, Default)]
pub(crate) struct Tried {
    pub(crate) files: usize,
    pub(crate) safe: usize,
    pub(crate) suggested: usize,
    pub(crate) together: usize,
    pub(crate) withheld: usize,
    /// The most passes that `--fix` took for a file, and that file.
    pub(crate) longest: (usize, String),
    pub(crate) broken: Vec<String>,
}

impl Tried {
    /// Judges a file that was changed: the words that it lost, and the changes that are forbidden.
    fn check(&mut self, files: [&[u8]; 2], known: &[&Crawler], removed: &str, forbids: impl Fn(&Found) -> bool) {
        let [file, new] = files;
        let words = lost(file, new, removed);
        let broken = if words.is_empty() {
            let found = differences(file, new, known).into_iter().find(forbids);
            found.map(|one| format!("{}: {}", one.agent, one.what))
        } else {
            Some(format!("lost {words:?}, said {removed:?}"))
        };
        let text = |file| String::from_utf8_lossy(file).into_owned();
        self.broken.extend(broken.map(|what| format!("{what}\n--- in\n{}\n--- becomes\n{}", text(file), text(new))));
    }

    /// Judges the edit of a lint alone.
    fn alone(&mut self, file: &[u8], lint: &Lint, fix: &Fix, known: &[&Crawler]) {
        let changes = fix.effect.contains("changes answers") || fix.effect.contains("changes values");
        let changes = changes || fix.effect.contains("changes lines");
        assert!(lint.severity != Severity::Note || !changes, "{lint:?}");
        assert!(!fix.is_safe || fix.effect == "changes no answer", "{lint:?}");
        *(if fix.is_safe { &mut self.safe } else { &mut self.suggested }) += 1;
        let lines = lines(file)[fix.edit.first as usize - 1..fix.edit.last as usize].concat();
        let text = String::from_utf8_lossy(&lines).to_ascii_lowercase();
        let text = text.trim_start_matches(['\u{feff}', ' ', '\t', '"', '-']);
        // A user-agent line without a line end before it names agents.
        let is_rule = (text.starts_with("allow") || text.starts_with("disallow")) && !text.contains("agent");
        let names = fix.edit.lines.iter().any(|line| line.to_ascii_lowercase().contains("agent"));
        let forbids = |one: &Found| !changes || one.root == Some(true) || (is_rule || !names) && one.root.is_some();
        self.check([file, &edited(file, &[&fix.edit])], known, &removed(fix, file), forbids);
    }

    pub(crate) fn file(&mut self, file: &[u8], known: &[&Crawler]) {
        self.files += 1;
        let linter = Linter::default();
        let linted = linter.lint(file);
        self.withheld += linted.withheld;
        for lint in &linted.lints {
            if let Some(fix) = &lint.fix {
                self.alone(file, lint, fix, known);
            }
        }
        let safe: Vec<&Edit> = linted.fixes().filter(|fix| fix.is_safe).map(|fix| &fix.edit).collect();
        if safe.len() > 1 {
            self.together += 1;
            self.check([file, &edited(file, &safe)], known, "", |_| true);
        }
        // Who follows all notes changes no answer.
        let notes = linted.lints.iter().filter(|lint| lint.severity == Severity::Note);
        let notes: Vec<&Fix> = notes.filter_map(|lint| lint.fix.as_deref()).collect();
        if notes.len() > 1 {
            let said: Vec<String> = notes.iter().map(|fix| removed(fix, file)).collect();
            let edits: Vec<&Edit> = notes.iter().map(|fix| &fix.edit).collect();
            self.check([file, &edited(file, &edits)], known, &said.join(" "), |_| true);
        }
        let all_passes = linter.fix(file);
        self.check([file, &all_passes.bytes], known, "", |_| true);
        // `--fix` ends where another run changes nothing, or at its bound of eight passes.
        if all_passes.passes > self.longest.0 {
            self.longest = (all_passes.passes, String::from_utf8_lossy(file).into_owned());
        }
        let again = linter.fix(&all_passes.bytes);
        let [before, first, second] =
            [file, &all_passes.bytes, &again.bytes].map(|text| String::from_utf8_lossy(text).into_owned());
        if first != second && all_passes.passes < 8 {
            self.broken.push(format!("not at its end\n{before}\n--- becomes\n{first}\n--- and then\n{second}"));
        }
        // A file that is something else stays as it is.
        assert!(all_passes.looks_like.is_none() || all_passes.bytes == file, "{before}");
    }
}
