//! [`Sieve`]: filters bytes for some agents; returns a text, a report and a tester.
//!
//! Invariant: this module decides nothing. It calls the parts in their order, with one set of options.

use alloc::sync::Arc;
#[cfg(feature = "std")]
use std::io::{self, Read};

use crate::closed;
use crate::dialect::Dialect;
use crate::error::Refused;
use crate::limits::{Limits, OverLimit};
use crate::path::pattern::UrlPath;
use crate::policy::address::HttpUrl;
use crate::policy::agent::{Agents, Interest};
use crate::policy::budget::TextBudget;
use crate::policy::filter::{filter_all_into, filter_whole};
use crate::policy::options::Options;
use crate::policy::parse::Parser;
use crate::policy::record::{Precedence, RecordSet};
use crate::policy::select::{AnsweredBy, Selection};
use crate::report::Report;
use crate::text::newline::Newline;
use crate::text::write::{CanonicalText, TextForm, TextOptions, write};
use crate::verdict::once::FileVerdict;
use crate::verdict::pass;
use crate::verdict::status::SiteAccess;
use crate::verdict::tester::Tester;

/// Filters files for the same agents, with the same options.
///
/// ```
/// use robosieve::settings::{Limits, OverLimit};
/// use robosieve::Sieve;
/// let sieve = Sieve::new(["MyBot-Image", "MyBot"])
///     .limits(Limits { max_lines: 100, ..Limits::default() })
///     .over_limit(OverLimit::Refuse);
/// let sieved = sieve.run(b"User-agent: mybot\nDisallow: /private # keep out\n")?;
/// assert_eq!(sieved.text().as_str(), "User-agent: *\nDisallow: /private\n");
/// assert!(sieved.report().is_exact());
/// assert!(!sieved.tester().is_allowed("https://example.com/private/x"));
/// # Ok::<(), robosieve::settings::Refused>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Sieve {
    /// Without an interest, all agents are kept.
    parser: Parser,
    text: TextOptions,
}

impl Sieve {
    /// Keeps the rules and lines for these agents, the most preferred agent first. If no group names one of them, keeps
    /// those for `*`.
    pub fn new(agents: impl Into<Agents>) -> Self {
        Self::for_agents(Interest::new(agents))
    }

    /// Keeps the rules and lines for these agents, with or without the fallback to `*`.
    #[must_use]
    pub fn for_agents(interest: Interest) -> Self {
        Self { parser: Parser::default().for_agents(interest), ..Self::default() }
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

    /// Replaces all options by those of a dialect.
    #[must_use]
    pub fn dialect(self, dialect: Dialect) -> Self {
        self.options(dialect.options())
    }

    /// Replaces all options.
    #[must_use]
    pub fn options(mut self, options: Options) -> Self {
        let options = if self.parser.options.for_verdicts { options.for_verdicts() } else { options };
        self.parser = self.parser.with_options(options);
        self
    }

    /// Sets how much of a file is read and kept.
    #[must_use]
    pub const fn limits(mut self, limits: Limits) -> Self {
        self.parser.options.limits = if self.parser.options.for_verdicts { limits.for_verdicts() } else { limits };
        self
    }

    /// Keeps everything that verdicts depend on. Reads with [`Limits::for_verdicts`]. The text may then be as long as
    /// three times the input, plus 64 bytes and an agent's name. It is for a program that reads it back itself, without limits, as
    /// `robosieve-gate` does. Other readers may cut it.
    ///
    /// ```
    /// use robosieve::Sieve;
    /// let file = b"User-agent: *\nDisallow: /*1*2*3*4*5*6*7*8*9*10*11\n";
    /// let sieved = Sieve::new(["MyBot"]).for_verdicts().run(file)?;
    /// assert!(sieved.text().as_str().ends_with("*11\n") && sieved.report().is_exact());
    /// # Ok::<(), robosieve::settings::Refused>(())
    /// ```
    #[must_use]
    pub const fn for_verdicts(mut self) -> Self {
        self.parser.options.for_verdicts = true;
        self.parser.options.limits = self.parser.options.limits.for_verdicts();
        self
    }

    /// Sets what happens to rules that exceed a limit.
    #[must_use]
    pub const fn over_limit(mut self, over_limit: OverLimit) -> Self {
        self.parser.options.over_limit = over_limit;
        self
    }

    /// Sets which rule decides.
    #[must_use]
    pub const fn precedence(mut self, precedence: Precedence) -> Self {
        self.parser.options.precedence = precedence;
        self
    }

    /// Sets whether the bytes are the whole file; see [`Options::complete`]. The default is yes.
    ///
    /// ```
    /// use robosieve::Sieve;
    /// let part = Sieve::new(["MyBot"]).complete(false).run(b"User-agent: *\nDisallow: /\nAllow: /")?;
    /// assert_eq!(part.text().as_str(), "User-agent: *\nDisallow: /\n");
    /// assert!(!part.report().is_exact());
    /// # Ok::<(), robosieve::settings::Refused>(())
    /// ```
    #[must_use]
    pub const fn complete(mut self, complete: bool) -> Self {
        self.parser.options.complete = complete;
        self
    }

    /// Sets the URL of the robots.txt file, or of any page of its site. Relative sitemap URLs are resolved against it.
    ///
    /// ```
    /// use robosieve::Sieve;
    /// use robosieve::value::HttpUrl;
    /// let base = HttpUrl::read(b"https://example.com/robots.txt").unwrap();
    /// let sieved = Sieve::new(["MyBot"]).base_url(Some(base)).run(b"Sitemap: /sitemap.xml")?;
    /// assert_eq!(sieved.records().sitemaps()[0].as_str(), "https://example.com/sitemap.xml");
    /// # Ok::<(), robosieve::settings::Refused>(())
    /// ```
    #[must_use]
    pub fn base_url(mut self, base_url: Option<HttpUrl>) -> Self {
        self.parser.options.base_url = base_url;
        self
    }

    /// Sets the line ending of the text.
    #[must_use]
    pub const fn newline(mut self, newline: Newline) -> Self {
        self.text.newline = newline;
        self
    }

    /// Sets which readers the text is for.
    ///
    /// ```
    /// use robosieve::text::TextForm;
    /// use robosieve::Sieve;
    /// let sieved = Sieve::new(["MyBot"]).form(TextForm::Portable).run(b"User-agent: *\nDisallow: /a*\nDisallow: /a/b\n")?;
    /// assert_eq!(sieved.text().as_str(), "User-agent: *\nDisallow: /a\n");
    /// # Ok::<(), robosieve::settings::Refused>(())
    /// ```
    #[must_use]
    pub const fn form(mut self, form: TextForm) -> Self {
        self.text.form = form;
        self
    }

    /// Filters a file. Cost: time in proportion to the input that is read, and O(n log n) in the number of kept rules.
    /// The portable form adds a bounded time, see [`CanonicalText::MAX_WORK`].
    ///
    /// # Errors
    /// Never with [`OverLimit::Drop`]; see [`Refused`].
    pub fn run<'a>(&self, input: &'a [u8]) -> Result<Sieved<'a>, Refused> {
        let mut records = self.parser.parse(input);
        let budget = TextBudget::with_line_ends(&records.reading, self.text.newline.length());
        let answered_by = match &self.parser.interest {
            None => {
                records = filter_all_into(budget, &records)?;
                AnsweredBy::Everyone
            }
            Some(interest) => filter_whole(budget, &mut records, interest, input.len())?,
        };
        let mut written = Report::new(self.parser.options.max_details);
        let text = write(&records, self.text, &mut written);
        if !written.is_empty() {
            records.report.absorb(&written);
        }
        let report = records.report_of_parts();
        Ok(Sieved { records, answered_by, text, report })
    }
}

impl Sieve {
    /// Makes a tester for these agents from the whole file, or for `*` if all agents are kept. Reads with
    /// [`Limits::for_verdicts`]: the limits on counts and fields are for texts. So the tester uses rules that the text
    /// of [`Sieve::run`] does not contain.
    ///
    /// # Errors
    /// With [`OverLimit::Refuse`] if the file is longer than `max_bytes`; see [`Refused`].
    ///
    /// ```
    /// use robosieve::Sieve;
    /// let (sieve, file) = (Sieve::new(["MyBot"]), b"User-agent: *\nDisallow: /*1*2*3*4*5*6*7*8*9*10*11\n");
    /// assert!(!sieve.tester(file)?.is_allowed("/1234567891011"));
    /// // The text lacks the rule, and its report says so.
    /// let sieved = sieve.run(file)?;
    /// assert!(sieved.tester().is_allowed("/1234567891011") && !sieved.report().is_exact());
    /// # Ok::<(), robosieve::settings::Refused>(())
    /// ```
    pub fn tester<'a>(&self, input: &'a [u8]) -> Result<Tester<'a>, Refused> {
        let (set, interest) = self.read_for_verdicts(input)?;
        Ok(Tester::new(&set, &interest))
    }

    /// Tests one URL of a file: as [`Sieve::tester`] and [`Tester::test`] do, in half the time for a small file. For more
    /// URLs of the file make a tester. The URL is an absolute one, or a path with its query. Cost: parses the file, up to
    /// `max_bytes`, and compares each rule for the agents with the path. SPEC.md has it in `[verdict.once]`.
    ///
    /// # Errors
    /// As [`Sieve::tester`].
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
                let (set, interest) = self.read_for_verdicts(input)?;
                let read = FileVerdict::of(&set, &interest, &url);
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

    /// The groups of the whole file for the agents, or for `*` if all agents are kept.
    fn read_for_verdicts<'a>(&self, input: &'a [u8]) -> Result<(RecordSet<'a>, Arc<Interest>), Refused> {
        let interest = self.parser.interest.clone().unwrap_or_else(|| Arc::new(Interest::everyone()));
        let set = self.parser.for_verdicts(&interest).parse(input);
        if set.reading.over_limit != OverLimit::Drop {
            Selection::of(&set, &interest).check()?;
        }
        Ok((set, interest))
    }
}

/// The result of filtering a file.
#[derive(Clone, Debug)]
pub struct Sieved<'a> {
    records: RecordSet<'a>,
    answered_by: AnsweredBy,
    text: CanonicalText,
    /// None if the report of the set is the whole report.
    report: Option<Report>,
}

impl<'a> Sieved<'a> {
    /// The canonical text.
    #[must_use]
    pub const fn text(&self) -> &CanonicalText {
        &self.text
    }

    /// The canonical text, without the rest.
    #[must_use]
    pub fn into_text(self) -> CanonicalText {
        self.text
    }

    /// The same result, with its own copy of what it borrowed.
    ///
    /// ```
    /// let file = b"User-agent: *\nDisallow: /tmp\n".to_vec();
    /// let sieved = robosieve::sieve(&file, ["MyBot"]).into_owned();
    /// drop(file);
    /// assert!(!sieved.tester().is_allowed("/tmp"));
    /// ```
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

    /// Makes a tester for the kept records: for the agents that the file was filtered for, or for `*` if all were kept.
    /// If the report is not exact, its verdicts can differ from those of the file. [`Sieve::tester`] reads the whole
    /// file.
    #[must_use]
    pub fn tester(&self) -> Tester<'a> {
        Tester::new(&self.records, &Interest::everyone())
    }
}

#[cfg(feature = "std")]
impl Sieve {
    /// Reads as much of a file as [`Sieve::run`] and [`Sieve::tester`] look at: `max_bytes`, and some more.
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
    pub fn read(&self, reader: impl Read) -> io::Result<alloc::vec::Vec<u8>> {
        /// A byte order mark, a line end, and another character of UTF-32.
        const MORE: u64 = 16;
        let most = u64::try_from(self.parser.options.limits.max_bytes).unwrap_or(u64::MAX).saturating_add(MORE);
        let (mut bytes, mut part) = (alloc::vec::Vec::new(), reader.take(most));
        part.read_to_end(&mut bytes)?;
        Ok(bytes)
    }
}

/// Filters a file for some agents, with safe defaults: RFC 9309, [`Limits::DEFAULT`]; rules that exceed a limit are
/// dropped and reported. Each agent is a product token or a whole User-Agent header, here and wherever [`Agents`] are
/// taken.
///
/// ```
/// let sieved = robosieve::sieve(b"User-agent: *\nDisallow: /tmp\x1b[2J\n", ["MyBot"]);
/// assert_eq!(sieved.text().as_str(), "User-agent: *\nDisallow: /tmp%1B[2J\n");
/// ```
#[must_use]
pub fn sieve(input: &[u8], agents: impl Into<Agents>) -> Sieved<'_> {
    let sieve = Sieve::new(agents);
    // Cannot fail: with `Drop`, no file is refused.
    closed::expect(sieve.run(input).ok(), || sieve.closed())
}

/// Makes a tester for some agents from a whole file, with safe defaults: RFC 9309, and no limit but `max_bytes`.
///
/// ```
/// let tester = robosieve::tester(b"User-agent: *\nDisallow: /tmp\n", ["MyBot"]);
/// assert!(!tester.is_allowed("https://example.com/tmp/a.html"));
/// assert_eq!(tester.test(b"/tmp/a.html").line(), Some(2));
/// ```
#[must_use]
pub fn tester(input: &[u8], agents: impl Into<Agents>) -> Tester<'_> {
    let sieve = Sieve::new(agents);
    closed::expect(sieve.tester(input).ok(), || sieve.closed().tester().with_access(SiteAccess::DisallowAll))
}

impl Sieve {
    /// The result for a file that disallows everything for all agents.
    fn closed<'a>(&self) -> Sieved<'a> {
        let options = &self.parser.options;
        let records = RecordSet::closed(options.reading(), options.max_details);
        let text = records.to_text(self.text).0;
        Sieved { records, answered_by: AnsweredBy::Everyone, text, report: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The fallback if a bug makes filtering fail.
    #[test]
    fn a_closed_file_disallows_everything() {
        let closed = Sieve::new(["MyBot"]).closed();
        assert_eq!(closed.text().as_str(), closed::TEXT);
        assert!(!closed.tester().is_allowed("/") && !closed.tester().is_allowed("/a?b"));
        assert_eq!(closed.tester().test(b"/").line(), Some(0));
    }
}
