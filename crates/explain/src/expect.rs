//! Expectations: what a file is meant to answer, and whether it does.
//!
//! Invariant: an expectation that cannot be read is an error with its line. None is left out.

use std::collections::BTreeMap;

use robosieve::Options;
use robosieve::records::RuleKind;

use crate::answer::Answer;
use crate::names::Groups;
use crate::who::tester;
use robosieve_printable::escape_short;

/// What a file is meant to answer to a crawler.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Expectation {
    /// The crawler's product token.
    pub agent: String,
    /// What is expected of the answer: that the crawler may fetch the URL, or not.
    pub expect: RuleKind,
    /// The URL, or its path.
    pub url: String,
    /// Where it stands in the file of expectations, from 1.
    pub line: u32,
}

impl Expectation {
    /// `allowed` or `disallowed`.
    #[must_use]
    pub const fn word(&self) -> &'static str {
        match self.expect {
            RuleKind::Allow => "allowed",
            RuleKind::Disallow => "disallowed",
        }
    }
}

/// Reads a line for each expectation: an agent, `allow` or `disallow`, a URL. `#` begins a comment at the start of a line
/// or after a blank.
///
/// ```
/// use robosieve::records::RuleKind;
/// use robosieve_explain::expectations;
///
/// let read = expectations("# search\nGooglebot allow /shop/  # the shop\n* disallow https://e.com/cart\n")?;
/// assert_eq!((read[0].agent.as_str(), read[0].expect, read[0].url.as_str()), ("Googlebot", RuleKind::Allow, "/shop/"));
/// assert!(expectations("Googlebot yes /").unwrap_err().starts_with("line 1: "));
/// # Ok::<(), String>(())
/// ```
///
/// # Errors
/// The first line that is neither empty, nor a comment, nor an expectation: its number, and what to write.
pub fn expectations(text: &str) -> Result<Vec<Expectation>, String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let lines = (1..).zip(text.lines());
    lines.filter_map(|(line, text)| of_line(line, text).transpose()).collect()
}

fn of_line(line: u32, text: &str) -> Result<Option<Expectation>, String> {
    let words: Vec<&str> = text.split_whitespace().take_while(|word| !word.starts_with('#')).collect();
    let error = |message: &str| Err(format!("line {line}: {message}"));
    let &[agent, expect, url] = words.as_slice() else {
        let form = "write an agent, `allow` or `disallow`, and a URL: `Googlebot allow /shop/`";
        return if words.is_empty() { Ok(None) } else { error(form) };
    };
    let expect = match expect.trim_end_matches(':').to_ascii_lowercase().as_str() {
        "allow" | "allowed" => RuleKind::Allow,
        "disallow" | "disallowed" => RuleKind::Disallow,
        _ => {
            let word = escape_short(expect.as_bytes());
            return error(&format!("`{word}` is neither `allow` nor `disallow`"));
        }
    };
    Ok(Some(Expectation { agent: agent.into(), expect, url: url.into(), line }))
}

/// An expectation, and what the file answers.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Checked {
    /// What is expected.
    #[cfg_attr(feature = "serde", serde(flatten))]
    pub expectation: Expectation,
    /// Whether the answer is the expected one.
    pub met: bool,
    /// The answer.
    pub answer: Answer,
}

/// Compares expectations with what a file answers. `groups` says whose groups apply to an agent. Cost: reads the file
/// once for each agent.
#[must_use]
pub fn check(
    input: &[u8],
    options: &Options,
    groups: impl Fn(&str) -> Groups,
    expectations: &[Expectation],
) -> Vec<Checked> {
    let mut testers = BTreeMap::new();
    let mut of = |expectation: &Expectation| {
        let agent = expectation.agent.as_str().to_ascii_lowercase();
        let (tester, who) = testers.entry(agent).or_insert_with(|| {
            let groups = groups(&expectation.agent);
            tester(input, &groups.options(options.clone()), &groups)
        });
        let answer = Answer::new(&tester.test(&expectation.url), who);
        let met = answer.allowed == (expectation.expect == RuleKind::Allow);
        Checked { expectation: expectation.clone(), met, answer }
    };
    expectations.iter().map(&mut of).collect()
}
