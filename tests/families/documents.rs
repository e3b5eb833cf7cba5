//! The documents of `corpus/`, and how they and the examples of SPEC.md write bytes that no line of text can have.
//!
//! Invariant: what is read here is what `corpus/unfold` reads. A document that is read and written again
//! is the same.

use std::fmt::Write as _;

/// The bytes that `text` means: `\r`, `\t`, `\\`, `\xNN`, `\{N:piece}` for a piece that is repeated N times, and a `\`
/// at the end of a line for no line end.
pub fn unescape(text: &str) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\\') {
        out.extend(before.as_bytes());
        let (meant, taken) = match after.as_bytes().first() {
            Some(b'r') => (vec![b'\r'], 1),
            Some(b't') => (vec![b'\t'], 1),
            Some(b'\\') => (vec![b'\\'], 1),
            Some(b'\n') => (vec![], 1),
            Some(b'x') => (vec![u8::from_str_radix(&after[1..3], 16).unwrap()], 3),
            Some(b'{') => {
                let (inside, _) = after[1..].split_once('}').unwrap();
                let (times, piece) = inside.split_once(':').unwrap();
                (unescape(piece).repeat(times.parse().unwrap()), inside.len() + 2)
            }
            _ => (vec![b'\\'], 0),
        };
        out.extend(meant);
        rest = &after[taken..];
    }
    out.extend(rest.as_bytes());
    out
}

/// An input and what is said about it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Case {
    /// Its folder and its name.
    pub name: String,
    /// What it shows, and what to watch for.
    pub title: String,
    /// Properties with the options that they are checked with.
    pub checks: Vec<String>,
    /// The lines of the input as they are typed, or none if the tests make it.
    pub typed: Option<Vec<String>>,
}

impl Case {
    /// The input, if it is typed.
    pub fn input(&self) -> Option<Vec<u8>> {
        let lines = self.typed.as_ref()?;
        Some(unescape(&lines.iter().flat_map(|line| [line, "\n"]).collect::<String>()))
    }

    /// The case as a document has it, without its results.
    pub fn write(&self) -> String {
        let mut out = format!("======== {}\n{}\n", self.name, self.title);
        self.checks.iter().for_each(|check| writeln!(out, "check {check}").unwrap());
        match &self.typed {
            Some(lines) => lines.iter().for_each(|line| writeln!(out, "  |{line}").unwrap()),
            None => out.push_str("made\n"),
        }
        out
    }
}

/// The cases of a document, each with its results as they are written.
pub fn cases(document: &str) -> Vec<(Case, String)> {
    let (_, cases) = document.split_once("======== ").expect("a document has a case");
    cases.split("\n======== ").map(case).collect()
}

fn case(text: &str) -> (Case, String) {
    let mut lines = text.lines().peekable();
    let (name, title) = (lines.next().unwrap().to_owned(), lines.next().unwrap_or_default().to_owned());
    let mut while_begun = |start: &str| {
        let mut found = Vec::new();
        while let Some(line) = lines.next_if(|line| line.starts_with(start)) {
            found.push(line[start.len()..].to_owned());
        }
        found
    };
    let (checks, typed, made) = (while_begun("check "), while_begun("  |"), while_begun("made"));
    let typed = made.is_empty().then_some(typed);
    (Case { name, title, checks, typed }, lines.flat_map(|line| [line, "\n"]).collect())
}
