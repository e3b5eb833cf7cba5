//! Compares Google's dialect with `robotstxt` 0.3, an independent port of Google's parser.
//!
//! Invariant: a file and a URL are first changed so that none of the port's known bugs shows; fuzz/README.md lists
//! these. Both then decide everything in the same way.

use std::borrow::Cow;

use robosieve::records::Parser;
use robosieve::settings::{Dialect, Interest};
use robosieve::{Options, Tester};
use robotstxt::matcher::{RobotsMatchStrategy, RobotsMatcher};

use super::{Choices, urls};

/// The port's matcher looks at each byte of the path for each byte of the pattern, so longer files are left out.
const LONGEST_LINE: usize = 400;
const LONGEST_URL: usize = 200;
const LONGEST: usize = 8_000;
/// The port parses the file again for each agent or URL.
const MOST_URLS: usize = 24;

/// Google's matcher, instead of the port's. The port adds places to a list where Google's matcher replaces the list,
/// so its `/*a$` does not match `/xaa`.
#[derive(Default)]
struct Repaired;

impl RobotsMatchStrategy for Repaired {
    fn match_allow(&self, path: &str, pattern: &str) -> i32 {
        self.match_disallow(path, pattern)
    }

    fn match_disallow(&self, path: &str, pattern: &str) -> i32 {
        if Self::matches(path, pattern) { i32::try_from(pattern.len()).unwrap() } else { -1 }
    }

    fn matches(path: &str, pattern: &str) -> bool {
        // The places up to which the pattern so far can match.
        let mut places = vec![0];
        for (at, byte) in pattern.bytes().enumerate() {
            match byte {
                b'$' if at + 1 == pattern.len() => return places.last() == Some(&path.len()),
                b'*' => places = (places[0]..=path.len()).collect(),
                _ => {
                    places.retain(|&place| path.as_bytes().get(place) == Some(&byte));
                    for place in &mut places {
                        *place += 1;
                    }
                }
            }
            if places.is_empty() {
                return false;
            }
        }
        true
    }
}

/// `[google.line]`, `[google.name]`, `[google.agent]`, `[google.path]`, `[google.index-html]`: the port gives the
/// same answers.
pub fn agrees(input: &[u8], choices: &Choices) {
    let file = without_bugs(input.get(..LONGEST).unwrap_or(input));
    // Like an older version of Google's parser, the port ends a run of user-agents at any line.
    let options = Options { any_line_ends_run: true, ..Dialect::Google.options() };
    let set = Parser::new(options).parse(file.as_bytes());
    for agent in choices.agents.iter().map(String::as_str).chain(["Googlebot", "MyBot"]) {
        let interest = Interest::new([agent]);
        let tester = Tester::new(&set, &interest);
        let urls = urls::for_set(&set);
        let step = urls.len().div_ceil(MOST_URLS);
        for url in urls.iter().step_by(step).filter(|url| url.len() <= LONGEST_URL) {
            let url = std::str::from_utf8(url).unwrap();
            let theirs = RobotsMatcher::<Repaired>::default().one_agent_allowed_by_robots(&file, agent, url);
            assert_eq!(tester.is_allowed(url), theirs, "{agent:?} on {url:?}: the port allows {theirs}, of {file:?}");
        }
    }
}

/// The file without everything that the port is known to read differently from Google's parser.
fn without_bugs(input: &[u8]) -> String {
    let text = String::from_utf8_lossy(input);
    // The port looks for the bytes of a byte order mark among characters, and does not end a line at a NUL.
    let start = text.trim_start_matches(['\u{feff}', '\u{ef}', '\u{bb}', '\u{bf}']);
    // The port trims Unicode white space; C does not.
    let is_foreign_space = |c: char| c == '\0' || c.is_whitespace() && !c.is_ascii();
    let text: String = start.chars().map(|c| if is_foreign_space(c) { 'x' } else { c }).collect();
    let lines = text.split_inclusive(['\r', '\n']).filter(|line| line.len() <= LONGEST_LINE);
    lines.map(sound_line).collect()
}

/// In the port, a line without a colon that begins with blanks is invalid, and a `%` that begins no escape takes two
/// bytes with it.
fn sound_line(line: &str) -> Cow<'_, str> {
    let (content, end) = line.split_at(line.trim_end_matches(['\r', '\n']).len());
    // The vertical tab is white space to C and to the port, but not to `trim_ascii_start`.
    let content = content.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == '\x0b');
    let mut out = String::with_capacity(line.len());
    let mut rest = content;
    while let Some(at) = rest.find('%') {
        let (front, escape) = rest.split_at(at);
        out.push_str(front);
        let is_escape = escape.len() > 2 && escape.as_bytes()[1..3].iter().all(u8::is_ascii_hexdigit);
        let taken = if is_escape { 3 } else { 1 };
        out.push_str(if is_escape { &escape[..3] } else { "x" });
        rest = &escape[taken..];
    }
    out.push_str(rest);
    out.push_str(end);
    out.into()
}
