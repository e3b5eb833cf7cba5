//! What the content of a URL may be used for, by Content-Usage and Content-Signal.
//!
//! Invariant: the lines are those that the library chooses for the URL, and the meanings of labels are those of its
//! table. A URL that may not be fetched has no uses.

use std::collections::BTreeSet;

use robosieve::lines::{LineMeaning, LogicalLine};
use robosieve::parts::nearest_directive;
use robosieve::records::{AgentLine, Directive, ExtensionLine, Parser, RecordSet, Selection};
use robosieve::values::{AgentValues, ContentUse, Label, Purpose};
use robosieve::{Options, Tester};

use crate::answer::Answer;
use crate::names::Groups;
use crate::who::{Who, answering, records};
use crate::{LineNumber, number};
use robosieve_printable::{escape, escape_short};

/// What the content of a URL may be used for.
///
/// ```
/// use robosieve::settings::Interest;
/// use robosieve::Options;
/// use robosieve_explain::Usage;
///
/// let file = b"User-agent: *\nContent-Usage: train-ai=n\nContent-Signal: /b search=yes\n";
/// let usage = Usage::new(file, &Options::default(), Interest::new(["MyBot"]), "/b/c");
/// let said: Vec<String> = usage.uses.iter().map(|one| one.words()).collect();
/// assert_eq!(said, [
///     "training of AI models: disallowed (line 2: Content-Usage: train-ai=n)",
///     "input of AI models: nothing is said",
///     "search: allowed (line 3: Content-Signal: /b search=yes)",
///     "extent of use: nothing is said",
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
    /// Lines that crawlers ignore, because their names are one slip of the pen away from Content-Usage or Content-Signal:
    /// the first [`Usage::MAX_LINES`].
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Vec::is_empty"))]
    pub meant: Vec<UseLine>,
}

/// A use of content, and whether it is allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct AnsweredUse {
    /// Which use.
    #[cfg_attr(feature = "serde", serde(rename = "use"))]
    pub purpose: Purpose,
    /// Whether it is allowed. None if no line says so, and for the extent of use.
    pub allowed: Option<bool>,
    /// The extent of use, if a line says so: `immediate`, `reference` or `full`.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub extent: Option<&'static str>,
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

    /// Looks at one URL. Cost: reads the file once, and compares the URL with each line. [`UsageFile`] reads it for
    /// many.
    #[must_use]
    pub fn new(input: &[u8], options: &Options, groups: impl Into<Groups>, url: impl AsRef<[u8]>) -> Self {
        UsageFile::read(input, options, groups).of(url)
    }

    fn add(&mut self, usage: &[(&ExtensionLine<'_>, ContentUse)], signals: &[(&ExtensionLine<'_>, ContentUse)]) {
        let lines = || usage.iter().chain(signals);
        for &purpose in Purpose::ALL {
            let mut answered = AnsweredUse { purpose, allowed: None, extent: None, lines: Vec::new(), more_lines: 0 };
            // Of several preferences the strictest counts.
            let mut strictest: Option<(usize, &'static Label)> = None;
            for (line, value) in lines() {
                let labels = Label::current(line.directive()).filter(|label| label.purpose == Some(purpose));
                let uses = labels.filter_map(|label| Some((label, value.of(label.name)?)));
                for (rank, label, one) in uses.filter_map(|(label, one)| Some((one.rank()?, label, one))) {
                    strictest = Some(strictest.filter(|known| known.0 <= rank).unwrap_or((rank, label)));
                    if answered.lines.len() < Self::MAX_LINES {
                        answered.lines.push(UseLine::new(line, value, &one.to_string()));
                    } else {
                        answered.more_lines = answered.more_lines.saturating_add(1);
                    }
                }
            }
            match purpose {
                Purpose::Extent => {
                    answered.extent = strictest.and_then(|(rank, label)| label.values.get(rank).copied());
                }
                _ => answered.allowed = strictest.map(|(rank, _)| rank > 0),
            }
            self.uses.push(answered);
        }
        for (line, value) in lines() {
            for one in value.uses.iter().filter(|one| one.rank().is_none()) {
                if self.ignored.len() < Self::MAX_LINES {
                    self.ignored.push(UseLine::new(line, value, &one.to_string()));
                } else {
                    self.more_ignored = self.more_ignored.saturating_add(1);
                }
            }
        }
    }
}

/// A file that is asked what the content of many URLs may be used for: it is read once.
///
/// ```
/// use robosieve::settings::Interest;
/// use robosieve::Options;
/// use robosieve_explain::UsageFile;
///
/// let input = b"User-agent: *\nDisallow: /b\nContent-Usage: train-ai=n\n";
/// let file = UsageFile::read(input, &Options::default(), Interest::new(["MyBot"]));
/// assert_eq!((file.of("/a").uses[0].allowed, file.of("/b").answer.allowed), (Some(false), false));
/// ```
#[derive(Clone, Debug)]
pub struct UsageFile<'a> {
    tester: Tester<'a>,
    who: Who,
    meant: Vec<UseLine>,
}

impl<'a> UsageFile<'a> {
    /// Reads a file for the agents of these groups.
    #[must_use]
    pub fn read(input: &'a [u8], options: &Options, groups: impl Into<Groups>) -> Self {
        let groups = &groups.into();
        let options = &groups.options(options.clone());
        let set = records(input, options, groups);
        let (tester, who) = answering(&Selection::of(&set, groups), groups);
        Self { tester, who, meant: meant(input, options, &set) }
    }

    /// What the content of a URL may be used for. Cost: compares the URL with each line.
    #[must_use]
    pub fn of(&self, url: impl AsRef<[u8]>) -> Usage {
        let url = url.as_ref();
        let answer = self.answer(url);
        let mut found = Usage {
            url: escape(url),
            answer,
            uses: Vec::new(),
            ignored: Vec::new(),
            more_ignored: 0,
            meant: Vec::new(),
        };
        if found.answer.allowed {
            found.meant.clone_from(&self.meant);
            let values = self.values();
            let of = |directive| values.uses_of(directive, url);
            found.add(&of(Directive::ContentUsage), &of(Directive::ContentSignal));
        }
        found
    }

    /// Whether a URL may be fetched.
    #[must_use]
    pub fn answer(&self, url: impl AsRef<[u8]>) -> Answer {
        Answer::new(&self.tester.test(url), &self.who)
    }

    /// The lines that may hold for a URL, and others for the agents.
    #[must_use]
    pub fn values(&self) -> AgentValues<'_, 'a> {
        self.tester.values()
    }

    /// What [`Usage::meant`] is for a URL that may be fetched.
    #[must_use]
    pub fn meant(&self) -> &[UseLine] {
        &self.meant
    }

    /// The same, with its own copy of what it borrowed.
    #[must_use]
    pub fn into_owned(self) -> UsageFile<'static> {
        UsageFile { tester: self.tester.into_owned(), who: self.who, meant: self.meant }
    }
}

/// `[usage.meant]`: the lines whose names have a slip of the pen, of the groups that may apply.
fn meant(input: &[u8], options: &Options, ours: &RecordSet<'_>) -> Vec<UseLine> {
    let file = Parser::new(options.clone()).parse_lines(input);
    let ours: BTreeSet<LineNumber> = ours.records().flat_map(|record| record.agents()).map(AgentLine::line).collect();
    let is_use = |directive| matches!(directive, Directive::ContentUsage | Directive::ContentSignal);
    // A line that is ignored is in no group: that of the user-agent line above it counts.
    let (mut group, mut is_ours) = (None, true);
    let of_line = |line: LogicalLine<'_, '_>| {
        if line.meaning() == LineMeaning::UserAgent {
            is_ours = ours.contains(&line.number()) || is_ours && group == line.group();
            group = line.group();
        }
        let name = line.name().filter(|_| is_ours && line.meaning() == LineMeaning::UnknownField)?;
        nearest_directive(name).filter(|directive| is_use(*directive))?;
        let text = [name, line.value()?.trim_ascii()].join(&b": "[..]);
        Some(UseLine { line: number(line.number()), text: escape_short(&text) })
    };
    file.iter().filter_map(of_line).take(Usage::MAX_LINES).collect()
}

/// The names that have a meaning in a directive.
pub(crate) fn known(directive: Directive) -> String {
    Label::current(directive).map(|label| label.name).collect::<Vec<_>>().join(", ")
}

/// Names of lines that some files have, and no standard of robots.txt: with what they are elsewhere. A name that ends in
/// a dash is the beginning of several.
const WITHOUT_STANDARD: [(&str, &str); 14] = [
    ("acap-", "the vocabulary ACAP of 2007, which no search engine reads"),
    ("ai-policy", "no document that defines it is known"),
    ("allowaitraining", "no document that defines it is known, and Google reads it as Allow"),
    ("comment", "the extended draft of 1996, which no large crawler reads"),
    ("disallowaitraining", "no document that defines it is known, and Google reads it as Disallow"),
    ("llm-content", "no document that defines it is known"),
    ("llm-policy", "a line that points to llms.txt; crawler-commons keeps it and gives it no meaning"),
    ("llms-txt", "a line that points to llms.txt, which crawlers look for at its own address"),
    ("noarchive", "a value of the robots meta tag and of X-Robots-Tag"),
    ("nofollow", "a value of the robots meta tag and of X-Robots-Tag"),
    ("nosnippet", "a value of the robots meta tag and of X-Robots-Tag"),
    ("robot-version", "the extended draft of 1996, which no large crawler reads"),
    ("tdm-", "names of TDMRep, which stand in /.well-known/tdmrep.json, in headers and in pages"),
    ("x-robots-tag", "a header of HTTP responses"),
];

/// What the name of a line is elsewhere, if some files have it although no standard gives it a meaning in robots.txt.
///
/// ```
/// use robosieve_explain::name_without_standard;
/// assert!(name_without_standard("TDM-Reservation").unwrap().contains("tdmrep.json"));
/// assert!(name_without_standard("Sitemap").is_none());
/// ```
#[must_use]
pub fn name_without_standard(name: &str) -> Option<&'static str> {
    let is = |known: &str| match name.get(..known.len()) {
        Some(front) => front.eq_ignore_ascii_case(known) && (name.len() == known.len() || known.ends_with('-')),
        None => false,
    };
    WITHOUT_STANDARD.iter().find(|(known, _)| is(known)).map(|(_, what)| *what)
}

impl UseLine {
    fn new(line: &ExtensionLine<'_>, value: &ContentUse, one: &str) -> Self {
        let between = if value.path.is_empty() { "" } else { " " };
        let text = format!("{}: {}{between}{one}", line.name(), value.path);
        Self { line: number(line.line()), text: escape_short(text.as_bytes()) }
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
        let said = match (self.allowed, self.extent) {
            (Some(true), _) => "allowed",
            (Some(false), _) => "disallowed",
            (None, Some(extent)) => extent,
            (None, None) => return format!("{}: nothing is said", self.purpose.words()),
        };
        format!("{}: {said} ({})", self.purpose.words(), lines.join("; "))
    }
}
