//! [`Sieve`]: filters files for some agents, and answers for their URLs.
//!
//! It decides nothing: it calls the parts in their order, with one set of options.

use alloc::string::String;
use alloc::sync::Arc;

use crate::limits::OverLimit;
use crate::path::pattern::UrlPath;
use crate::policy::agent::{Agents, Interest};
use crate::policy::fast::filter_whole;
use crate::policy::options::Options;
use crate::policy::parse::Parser;
use crate::policy::record::RecordSet;
use crate::policy::select::{AnsweredBy, Selection, who_answers};
use crate::report::Report;
use crate::report::finding::Refused;
use crate::text::write::write;
use crate::verdict::once::FileVerdict;
use crate::verdict::pass;
use crate::verdict::tester::Tester;

#[cfg(feature = "std")]
use std::io::{self, Read};

/// Reads files for the same agents, with the same options.
///
/// ```
/// use robosieve::settings::{Limits, OverLimit};
/// use robosieve::{Options, Sieve};
/// let limits = Limits { max_lines: 100, ..Limits::DEFAULT };
/// let sieve = Sieve::new(["MyBot-Image", "MyBot"])
///     .options(Options { limits, over_limit: OverLimit::Refuse, ..Options::default() });
/// let sieved = sieve.filter(b"User-agent: mybot\nDisallow: /private # keep out\n")?;
/// assert_eq!(sieved.text(), "User-agent: *\nDisallow: /private\n");
/// assert!(sieved.report().is_exact());
/// # Ok::<(), robosieve::settings::Refused>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Sieve {
    /// Without an interest, all agents are kept.
    parser: Parser,
}

impl Sieve {
    /// Keeps the rules and lines for these agents, the most preferred agent first. If no group names one of them, keeps
    /// those for `*`. Each agent is a product token or a whole User-Agent header, here and wherever [`Agents`] are taken.
    pub fn new(agents: impl Into<Agents>) -> Self {
        Self::for_agents(Interest::new(agents))
    }

    /// Keeps the rules and lines for these agents, with or without the fallback to `*`.
    #[must_use]
    pub fn for_agents(interest: Interest) -> Self {
        Self { parser: Parser::default().for_agents(interest) }
    }

    /// Keeps all groups.
    #[must_use]
    pub fn all_agents() -> Self {
        Self::default()
    }

    /// Sets whether the groups for `*` apply if no group names one of the agents. The default is yes.
    #[must_use]
    pub fn fallback(mut self, fallback: bool) -> Self {
        if let Some(interest) = self.parser.interest.take() {
            self.parser = self.parser.for_agents(Arc::unwrap_or_clone(interest).fallback(fallback));
        }
        self
    }

    /// Sets all options. A [`Dialect`](crate::settings::Dialect) is a named set of them.
    #[must_use]
    pub fn options(mut self, options: impl Into<Options>) -> Self {
        self.parser.options = Arc::new(options.into());
        self
    }

    /// Changes some options.
    ///
    /// ```
    /// use robosieve::Sieve;
    /// use robosieve::settings::TextForm;
    /// let sieve = Sieve::new(["MyBot"]).with(|options| options.form = TextForm::Portable);
    /// let sieved = sieve.filter(b"User-agent: *\nDisallow: /a*\nDisallow: /a/b\n")?;
    /// assert_eq!(sieved.text(), "User-agent: *\nDisallow: /a\n");
    /// # Ok::<(), robosieve::settings::Refused>(())
    /// ```
    #[must_use]
    pub fn with(mut self, change: impl FnOnce(&mut Options)) -> Self {
        change(Arc::make_mut(&mut self.parser.options));
        self
    }

    /// Filters a file. Cost: time in proportion to the input that is read, and O(n log n) in the number of kept rules.
    /// The portable form adds a bounded time, see [`TextForm::MAX_FUEL`](crate::settings::TextForm::MAX_FUEL).
    ///
    /// # Errors
    /// Never with [`OverLimit::Drop`]; see [`Refused`].
    pub fn filter<'a>(&self, input: &'a [u8]) -> Result<Sieved<'a>, Refused> {
        let mut records = self.parser.parse(input);
        let answered_by = match &self.parser.interest {
            None => {
                records = records.filter_all()?;
                AnsweredBy::Everyone
            }
            Some(interest) => filter_whole(&mut records, interest, input.len())?,
        };
        let options = &self.parser.options;
        let mut written = Report::new(options.max_details);
        let text = write(&records, options.form, &mut written);
        if !written.is_empty() {
            records.report.absorb(&written);
        }
        let report = records.report_of_parts();
        Ok(Sieved { records, answered_by, text, report })
    }

    /// Makes a tester for these agents from the whole file, or for `*` if all agents are kept. Reads for
    /// [`For::Verdicts`](crate::settings::For): the limits on counts and fields are for texts. So the tester uses rules
    /// that the text of [`Sieve::filter`] does not contain.
    ///
    /// # Errors
    /// With [`OverLimit::Refuse`] if the file is longer than `max_bytes`; see [`Refused`].
    ///
    /// ```
    /// use robosieve::Sieve;
    /// let (sieve, file) = (Sieve::new(["MyBot"]), b"User-agent: *\nDisallow: /*1*2*3*4*5*6*7*8*9*10*11\n");
    /// assert!(!sieve.tester(file)?.is_allowed("/1234567891011"));
    /// // The text lacks the rule, and its report says so.
    /// let sieved = sieve.filter(file)?;
    /// assert!(sieved.text_tester().is_allowed("/1234567891011") && !sieved.report().is_exact());
    /// # Ok::<(), robosieve::settings::Refused>(())
    /// ```
    pub fn tester<'a>(&self, input: &'a [u8]) -> Result<Tester<'a>, Refused> {
        let (set, interest, answered_by) = self.read_for_verdicts(input)?;
        Ok(Tester::answered(&set, &interest, answered_by))
    }

    /// Tests one URL of a file: as [`Sieve::tester`] and [`Tester::test`] do, in half the time for a small file. For more
    /// URLs of the file make a tester. The URL is an absolute one, or a path with its query. Cost: parses the file, up to
    /// `max_bytes`, and compares each rule for the agents with the path. SPEC.md has it in `[verdict.once]`.
    ///
    /// # Errors
    /// Those of [`Sieve::tester`].
    ///
    /// ```
    /// use robosieve::Sieve;
    /// // Once for all files.
    /// let sieve = Sieve::new(["MyBot"]);
    /// let answer = sieve.test(b"User-agent: *\nDisallow: /tmp\n", "https://example.com/tmp/a.html")?;
    /// assert!(!answer.allowed());
    /// assert_eq!(answer.verdict().to_string(), "disallowed by line 2: Disallow: /tmp");
    /// # Ok::<(), robosieve::settings::Refused>(())
    /// ```
    pub fn test<'a>(&self, input: &'a [u8], url: impl AsRef<[u8]>) -> Result<FileVerdict<'a>, Refused> {
        let url = UrlPath::of(url.as_ref(), self.parser.options.paths);
        let passed = pass::answer(&self.parser, input, &url);
        match passed {
            Some(answer) if !cfg!(debug_assertions) => Ok(answer),
            passed => {
                let (set, interest, answered_by) = self.read_for_verdicts(input)?;
                let read = FileVerdict::of(&set, &interest, answered_by, &url);
                debug_assert!(passed.is_none_or(|passed| passed == read), "the pass answers another thing");
                Ok(read)
            }
        }
    }

    /// Whether one pass answers for this URL: `[verdict.pass]`.
    #[cfg(feature = "testing")]
    #[must_use]
    pub fn answers_in_one_pass(&self, input: &[u8], url: impl AsRef<[u8]>) -> bool {
        pass::answer(&self.parser, input, &UrlPath::of(url.as_ref(), self.parser.options.paths)).is_some()
    }

    /// The groups of the whole file for the agents, or for `*` if all agents are kept; and which of them apply.
    fn read_for_verdicts<'a>(&self, input: &'a [u8]) -> Result<(RecordSet<'a>, Arc<Interest>, AnsweredBy), Refused> {
        let interest = self.parser.interest.clone().unwrap_or_else(|| Arc::new(Interest::everyone()));
        let set = self.parser.for_verdicts(&interest).parse(input);
        let answered_by = who_answers(&set, &interest);
        if set.options.over_limit != OverLimit::Drop {
            Selection::answered(&set, &interest, answered_by).check()?;
        }
        Ok((set, interest, answered_by))
    }

    /// Reads as much of a file as [`Sieve::filter`] and [`Sieve::tester`] look at: `max_bytes`, and some more.
    ///
    /// ```
    /// use robosieve::Sieve;
    /// let sieve = Sieve::new(["MyBot"]);
    /// let file = sieve.read(&b"User-agent: *\nDisallow: /x\n"[..])?;
    /// assert!(!sieve.tester(&file)?.is_allowed("/x"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Those of the reader. A part of a file is never returned as the file.
    #[cfg(feature = "std")]
    pub fn read(&self, reader: impl Read) -> io::Result<alloc::vec::Vec<u8>> {
        /// A byte order mark, a line end, and another character of UTF-32.
        const MORE: u64 = 16;
        let most = u64::try_from(self.parser.options.limits.max_bytes).unwrap_or(u64::MAX).saturating_add(MORE);
        let (mut bytes, mut part) = (alloc::vec::Vec::new(), reader.take(most));
        part.read_to_end(&mut bytes)?;
        Ok(bytes)
    }
}

/// The result of filtering a file.
#[derive(Clone, Debug)]
pub struct Sieved<'a> {
    records: RecordSet<'a>,
    answered_by: AnsweredBy,
    text: String,
    /// None if the report of the set is the whole report.
    report: Option<Report>,
}

impl<'a> Sieved<'a> {
    /// The canonical text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The canonical text, without the rest.
    #[must_use]
    pub fn into_text(self) -> String {
        self.text
    }

    /// This result, with its own copy of what it borrowed.
    #[must_use]
    pub fn into_owned(self) -> Sieved<'static> {
        let Self { records, answered_by, text, report } = self;
        Sieved { records: records.into_owned(), answered_by, text, report }
    }

    /// What was changed, and the effect on verdicts.
    #[must_use]
    pub const fn report(&self) -> &Report {
        match &self.report {
            Some(report) => report,
            None => &self.records.report,
        }
    }

    /// The records that the text was written from.
    #[must_use]
    pub const fn records(&self) -> &RecordSet<'a> {
        &self.records
    }

    /// Whether a group for one of the agents, a group for `*`, or no group applies.
    #[must_use]
    pub const fn answered_by(&self) -> AnsweredBy {
        self.answered_by
    }

    /// A tester of the text: of the kept records, for the agents that the file was filtered for, or for `*` if all were
    /// kept. If the report is not exact, its verdicts can differ from those of the file, which [`Sieve::tester`] gives.
    #[must_use]
    pub fn text_tester(&self) -> Tester<'a> {
        Tester::new(&self.records, &Interest::everyone())
    }
}
