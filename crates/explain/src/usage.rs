//! What the content of a URL may be used for, by Content-Usage and Content-Signal.
//!
//! Invariant: the lines are those that the library chooses for the URL. A URL that may not be fetched has no uses.

use robosieve::syntax::Directive;
use robosieve::value::{ContentUse, ExtensionLine};
use robosieve::{Options, Selection};

use crate::answer::Answer;
use crate::explainer::{answering, records};
use crate::names::Groups;
use crate::printable::{escape, escape_short};

/// A purpose, and its names in the two directives.
struct Purpose {
    name: &'static str,
    words: &'static str,
    usage: &'static str,
    signal: &'static str,
}

/// The purposes of draft-ietf-aipref-vocab-08, section 4, and of contentsignals.org.
const PURPOSES: [Purpose; 3] = [
    Purpose { name: "ai-training", words: "training of AI models", usage: "train-ai", signal: "ai-train" },
    Purpose { name: "ai-use", words: "input of AI models", usage: "ai-use", signal: "ai-input" },
    Purpose { name: "search", words: "search", usage: "search", signal: "search" },
];

/// What the content of a URL may be used for.
///
/// ```
/// use robosieve::{Interest, Options};
/// use robosieve_explain::Usage;
///
/// let file = b"User-agent: *\nContent-Usage: train-ai=n\nContent-Signal: /b search=yes\n";
/// let usage = Usage::new(file, &Options::default(), Interest::new(["MyBot"]), "/b/c");
/// let said: Vec<String> = usage.uses.iter().map(|one| one.words()).collect();
/// assert_eq!(said, [
///     "training of AI models: disallowed (line 2: Content-Usage: train-ai=n)",
///     "input of AI models: nothing is said",
///     "search: allowed (line 3: Content-Signal: /b search=yes)",
/// ]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Usage {
    /// The URL, as it was asked for.
    pub url: String,
    /// Whether it may be fetched.
    pub answer: Answer,
    /// The known uses. None if the URL may not be fetched: then no line says anything about its content.
    pub uses: Vec<AnsweredUse>,
    /// What the lines also have, which no draft gives a meaning: the first [`Usage::MAX_LINES`].
    pub ignored: Vec<UseLine>,
    /// The number of those that are not listed.
    pub more_ignored: usize,
}

/// A use of content, and whether it is allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct AnsweredUse {
    /// `ai-training`, `ai-use` or `search`.
    #[cfg_attr(feature = "serde", serde(rename = "use"))]
    pub name: &'static str,
    /// The use in words.
    #[cfg_attr(feature = "serde", serde(skip))]
    purpose: &'static str,
    /// Whether it is allowed. None if no line says so.
    pub allowed: Option<bool>,
    /// The lines that say so: the first [`Usage::MAX_LINES`].
    pub lines: Vec<UseLine>,
    /// The number of those that are not listed.
    pub more_lines: usize,
}

/// What a line says of a use.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct UseLine {
    /// Its number.
    pub line: u32,
    /// The directive, the path and the use: `Content-Usage: /b train-ai=n`.
    pub text: String,
}

impl Usage {
    /// The number of lines that are listed for a use, and as ignored. All count.
    pub const MAX_LINES: usize = 20;

    /// Looks at one URL. Cost: reads the file once, and compares the URL with each line.
    #[must_use]
    pub fn new(input: &[u8], options: &Options, groups: impl Into<Groups>, url: impl AsRef<[u8]>) -> Self {
        let (groups, url) = (&groups.into(), url.as_ref());
        let options = &groups.options(options.clone());
        let set = records(input, options, groups);
        let selection = Selection::of(&set, groups);
        let (tester, who) = answering(&selection, groups);
        let answer = Answer::new(&tester.test(url), &who);
        let mut found = Self { url: escape(url), answer, uses: Vec::new(), ignored: Vec::new(), more_ignored: 0 };
        if found.answer.allowed {
            let values = selection.values();
            let of = |directive| values.uses_of(directive, url);
            found.add(&of(Directive::ContentUsage), &of(Directive::ContentSignal));
        }
        found
    }

    fn add(&mut self, usage: &[(&ExtensionLine<'_>, ContentUse)], signals: &[(&ExtensionLine<'_>, ContentUse)]) {
        for purpose in &PURPOSES {
            let mut lines = Vec::new();
            let mut answers = Vec::new();
            for (line, value, name) in usage
                .iter()
                .map(|(line, value)| (line, value, purpose.usage))
                .chain(signals.iter().map(|(line, value)| (line, value, purpose.signal)))
            {
                let Some(one) = value.of(name) else { continue };
                if let Some(allowed) = one.is_allowed() {
                    answers.push(allowed);
                    if lines.len() < Self::MAX_LINES {
                        lines.push(UseLine::new(line, value, &one.to_string()));
                    }
                }
            }
            // Of several preferences the strictest counts.
            let allowed = (!answers.is_empty()).then(|| answers.iter().all(|allowed| *allowed));
            let more_lines = answers.len().saturating_sub(lines.len());
            self.uses.push(AnsweredUse { name: purpose.name, purpose: purpose.words, allowed, lines, more_lines });
        }
        for (line, value) in usage.iter().chain(signals) {
            let is_heard = |name: &str, says: bool| says && is_known(line.directive(), name);
            for one in value.uses.iter().filter(|one| !is_heard(&one.name, one.is_allowed().is_some())) {
                if self.ignored.len() < Self::MAX_LINES {
                    self.ignored.push(UseLine::new(line, value, &one.to_string()));
                } else {
                    self.more_ignored = self.more_ignored.saturating_add(1);
                }
            }
        }
    }
}

/// Whether a name has a meaning in a directive.
pub(crate) fn is_known(directive: Directive, name: &str) -> bool {
    PURPOSES.iter().any(|purpose| match directive {
        Directive::ContentSignal => purpose.signal == name,
        _ => purpose.usage == name,
    })
}

/// The names that have a meaning in a directive.
pub(crate) fn known(directive: Directive) -> String {
    let names = PURPOSES.iter().map(|purpose| match directive {
        Directive::ContentSignal => purpose.signal,
        _ => purpose.usage,
    });
    names.collect::<Vec<_>>().join(", ")
}

impl UseLine {
    fn new(line: &ExtensionLine<'_>, value: &ContentUse, one: &str) -> Self {
        let between = if value.path.is_empty() { "" } else { " " };
        let text = format!("{}: {}{between}{one}", line.name(), value.path);
        Self { line: line.line(), text: escape_short(text.as_bytes()) }
    }

    /// `line 3: Content-Usage: train-ai=n`
    #[must_use]
    pub fn words(&self) -> String {
        format!("line {}: {}", self.line, self.text)
    }
}

impl AnsweredUse {
    /// The use, whether it is allowed, and the lines that say so.
    #[must_use]
    pub fn words(&self) -> String {
        let more = (self.more_lines > 0).then(|| format!("and {} more", self.more_lines));
        let lines: Vec<String> = self.lines.iter().map(UseLine::words).chain(more).collect();
        match self.allowed {
            None => format!("{}: nothing is said", self.purpose),
            Some(allowed) => {
                let word = if allowed { "allowed" } else { "disallowed" };
                format!("{}: {word} ({})", self.purpose, lines.join("; "))
            }
        }
    }
}
