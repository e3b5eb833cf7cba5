//! [`Asked`]: a file that is asked for verdicts, and [`Tested`], its answer to a URL.
//!
//! Invariant: all interfaces answer from here, so one file, agent and URL have one answer. What is no URL has no
//! verdict.

use robosieve::records::{Parser, Selection};
use robosieve::report::Report;
use robosieve::settings::Refused;
use robosieve::verdict::SiteAccess;
use robosieve::{Options, Tester};

use crate::answer::Answer;
use crate::names::Groups;
use crate::report::FileSummary;
use crate::target;
use crate::who::{Who, records};
use robosieve_printable::escape;

/// A file that is asked for verdicts: read for some agents, or not used because of the status of its response.
///
/// ```
/// use robosieve::verdict::SiteAccess;
/// use robosieve::Options;
/// use robosieve_explain::{Asked, Names};
///
/// let groups = Names::Known.groups(["MyBot"]);
/// let options = groups.options(Options::default().for_verdicts());
/// let asked = Asked::read(b"User-agent: *\nDisallow: /x\n", &options, &groups, SiteAccess::Rules)?;
/// assert!(!asked.answer(b"/x/y").allowed);
/// assert!(asked.tested(b"example.com").answer().is_none(), "that is no URL");
/// # Ok::<(), robosieve::settings::Refused>(())
/// ```
#[derive(Clone, Debug)]
pub struct Asked<'a> {
    tester: Tester<'a>,
    who: Who,
    report: Report,
    found: FileSummary,
}

impl<'a> Asked<'a> {
    /// Reads a file. If the status decides, the file has no part in the answers, and the report is empty.
    ///
    /// # Errors
    /// If the options refuse the file.
    pub fn read(bytes: &'a [u8], options: &Options, groups: &Groups, access: SiteAccess) -> Result<Self, Refused> {
        if access != SiteAccess::Rules {
            let set = Parser::new(options.clone()).parse(b"");
            let tester = Tester::new(&set, groups).with_access(access);
            return Ok(Self { tester, who: Who::status(), report: Report::default(), found: FileSummary::NO_FILE });
        }
        let set = records(bytes, options, groups);
        let selection = Selection::of(&set, groups);
        selection.check()?;
        let report = selection.report().clone();
        let who = Who::new(selection.answered_by(), groups);
        Ok(Self { tester: Tester::of(&selection), who, found: FileSummary::new(&report), report })
    }

    /// What [`Asked::read`] and [`Asked::tested`] say of one URL, without a tester; and the report (`[verdict.once]`).
    ///
    /// # Errors
    /// If the options refuse the file.
    pub fn once(
        bytes: &'a [u8],
        options: &Options,
        groups: &Groups,
        access: SiteAccess,
        url: &[u8],
    ) -> Result<(Tested, FileSummary, Report), Refused> {
        if access != SiteAccess::Rules {
            let asked = Self::read(bytes, options, groups, access)?;
            return Ok((asked.tested(url), asked.found, asked.report));
        }
        let set = records(bytes, options, groups);
        let selection = Selection::of(&set, groups);
        selection.check()?;
        let who = Who::new(selection.answered_by(), groups);
        let tested = Tested::of(url, |url| Answer::new(&selection.test(url), &who));
        let report = selection.report().clone();
        Ok((tested, FileSummary::new(&report), report))
    }

    /// The answer to a URL, whose form is not checked.
    #[must_use]
    pub fn answer(&self, url: &[u8]) -> Answer {
        Answer::new(&self.tester.test(url), &self.who)
    }

    /// The answer to a URL, or why there is none.
    #[must_use]
    pub fn tested(&self, url: &[u8]) -> Tested {
        Tested::of(url, |url| self.answer(url))
    }

    /// Whose group applies.
    #[must_use]
    pub const fn who(&self) -> &Who {
        &self.who
    }

    /// What was found in the file.
    #[must_use]
    pub const fn report(&self) -> &Report {
        &self.report
    }

    /// What the file looks like.
    #[must_use]
    pub const fn found(&self) -> FileSummary {
        self.found
    }

    /// The same, with its own copy of what it borrowed.
    #[must_use]
    pub fn into_owned(self) -> Asked<'static> {
        Asked { tester: self.tester.into_owned(), who: self.who, report: self.report, found: self.found }
    }
}

/// A URL, and its answer or error.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Tested {
    /// The URL as given. Bytes that are not UTF-8 are `\xNN`.
    pub url: String,
    #[cfg_attr(feature = "serde", serde(flatten))]
    outcome: TestOutcome,
}

#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(untagged))]
enum TestOutcome {
    Answer(Answer),
    Error { error: BadUrl },
}

/// Why a URL has no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct BadUrl {
    /// `bad-url`.
    pub kind: &'static str,
    /// What to write instead. It quotes input, escaped.
    pub message: String,
}

impl Tested {
    /// Answers, if it is a URL.
    fn of(url: &[u8], answer: impl FnOnce(&[u8]) -> Answer) -> Self {
        let outcome = match target::check(url) {
            Ok(()) => TestOutcome::Answer(answer(url)),
            Err(message) => TestOutcome::Error { error: BadUrl { kind: "bad-url", message } },
        };
        let url = str::from_utf8(url).map_or_else(|_| escape(url), ToOwned::to_owned);
        Self { url, outcome }
    }

    /// The answer. None for what is no URL.
    #[must_use]
    pub const fn answer(&self) -> Option<&Answer> {
        match &self.outcome {
            TestOutcome::Answer(answer) => Some(answer),
            TestOutcome::Error { .. } => None,
        }
    }

    /// The same, or why there is none.
    ///
    /// # Errors
    /// If it is no URL.
    pub fn into_answer(self) -> Result<Answer, BadUrl> {
        match self.outcome {
            TestOutcome::Answer(answer) => Ok(answer),
            TestOutcome::Error { error } => Err(error),
        }
    }
}
