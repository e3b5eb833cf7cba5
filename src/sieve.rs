//! The front door: bytes and agents in, text, report and tester out.
//!
//! Invariant: nothing is decided here; each step is one of the parts, in their order, under one set of options.

use crate::agent::{Agents, Interest};
use crate::canonical::{CanonicalText, Form, Newline, TextForm, write};
use crate::dialect::Dialect;
use crate::error::Refused;
use crate::filter::{filter_all_into, filter_whole};
use crate::limits::{Limits, OverLimit};
use crate::options::Options;
use crate::parse::Parser;
use crate::record::{Precedence, Reading, RecordSet};
use crate::report::Report;
use crate::room::TextRoom;
use crate::select::AnsweredBy;
use crate::tester::Tester;

/// Filters files for the same agents, with the same options.
///
/// ```
/// use robosieve::{Limits, OverLimit, Sieve};
/// let sieve = Sieve::new(["MyBot-Image", "MyBot"])
///     .limits(Limits { max_lines: 100, ..Limits::default() })
///     .over_limit(OverLimit::Refuse);
/// let sieved = sieve.run(b"User-agent: mybot\nDisallow: /private # keep out\n")?;
/// assert_eq!(sieved.text().as_str(), "User-agent: *\nDisallow: /private\n");
/// assert!(sieved.report().is_exact());
/// assert!(!sieved.tester().is_allowed("https://example.com/private/x"));
/// # Ok::<(), robosieve::Refused>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Sieve {
    /// Without an interest, all agents are kept.
    parser: Parser,
    text: TextForm,
}

impl Sieve {
    /// Keeps what a file says to these agents, the preferred first, or else to everyone.
    pub fn new<I>(agents: I) -> Self
    where
        I: IntoIterator,
        I::Item: AsRef<[u8]>,
    {
        Self::for_agents(Agents::new(agents))
    }

    /// As [`Sieve::new`].
    #[must_use]
    pub fn for_agents(agents: Agents) -> Self {
        let parser = Parser::default().for_agents(Interest { agents, fallback: true });
        Self { parser, ..Self::default() }
    }

    /// Keeps all records.
    #[must_use]
    pub fn all_agents() -> Self {
        Self::default()
    }

    /// Whether records for everyone answer when none names an agent; they do unless told otherwise.
    #[must_use]
    pub fn fallback(mut self, fallback: bool) -> Self {
        if let Some(interest) = self.parser.interest.take() {
            let agents = interest.agents.clone();
            self.parser = self.parser.for_agents(Interest { agents, fallback });
        }
        self
    }

    /// Takes all choices of a dialect, in place of those made before.
    #[must_use]
    pub fn dialect(self, dialect: Dialect) -> Self {
        self.options(dialect.options())
    }

    /// Takes these choices, in place of those made before.
    #[must_use]
    pub fn options(mut self, options: Options) -> Self {
        self.parser = self.parser.with_options(options);
        self
    }

    /// How much of a file is read and kept.
    #[must_use]
    pub const fn limits(mut self, limits: Limits) -> Self {
        self.parser.options.limits = limits;
        self
    }

    /// What happens to rules over a limit.
    #[must_use]
    pub const fn over_limit(mut self, over_limit: OverLimit) -> Self {
        self.parser.options.over_limit = over_limit;
        self
    }

    /// Which rule decides.
    #[must_use]
    pub const fn precedence(mut self, precedence: Precedence) -> Self {
        self.parser.options.precedence = precedence;
        self
    }

    /// How lines of the text end.
    #[must_use]
    pub const fn newline(mut self, newline: Newline) -> Self {
        self.text.newline = newline;
        self
    }

    /// For whom the text is.
    ///
    /// ```
    /// use robosieve::{Form, Sieve};
    /// let sieved = Sieve::new(["MyBot"]).form(Form::Portable).run(b"User-agent: *\nDisallow: /a*\nDisallow: /a/b\n")?;
    /// assert_eq!(sieved.text().as_str(), "User-agent: *\nDisallow: /a\n");
    /// # Ok::<(), robosieve::Refused>(())
    /// ```
    #[must_use]
    pub const fn form(mut self, form: Form) -> Self {
        self.text.form = form;
        self
    }

    /// Filters a file. Cost: time in proportion to the input that is read, and to the kept rules by the logarithm of their
    /// number; the portable form adds a bounded time, see [`CanonicalText::MAX_WORK`].
    ///
    /// # Errors
    /// Never with [`OverLimit::Drop`]; see [`Refused`].
    pub fn run<'a>(&self, input: &'a [u8]) -> Result<Sieved<'a>, Refused> {
        let mut records = self.parser.parse(input);
        let room = TextRoom::with_line_ends(&records.reading, self.text.newline.length());
        let answered_by = match &self.parser.interest {
            None => {
                records = filter_all_into(room, &records)?;
                AnsweredBy::Everyone
            }
            Some(interest) => filter_whole(room, &mut records, interest)?,
        };
        let mut written = Report::new(self.parser.options.max_details);
        let text = write(&records, self.text, &mut written);
        if written.total() != 0 {
            records.report.absorb(&written);
        }
        let report = records.report_of_parts();
        Ok(Sieved { records, answered_by, text, report })
    }
}

/// What is left of a file.
#[derive(Clone, Debug)]
pub struct Sieved<'a> {
    records: RecordSet<'a>,
    answered_by: AnsweredBy,
    text: CanonicalText,
    /// None, where the set's own is all there is.
    report: Option<Report>,
}

impl<'a> Sieved<'a> {
    /// The canonical text.
    #[must_use]
    pub const fn text(&self) -> &CanonicalText {
        &self.text
    }

    /// What was changed, and what that costs.
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

    /// Who answered for the agents.
    #[must_use]
    pub const fn answered_by(&self) -> AnsweredBy {
        self.answered_by
    }

    /// A tester for the agents that the file was filtered for; for everyone, where all were kept.
    #[must_use]
    pub fn tester(&self) -> Tester<'a> {
        Tester::new(&self.records, &Interest { agents: Agents::default(), fallback: true })
    }
}

/// Filters a file for some agents, with safe defaults: the standard's reading, all limits on, rules over a limit dropped and
/// reported.
///
/// ```
/// let sieved = robosieve::sieve(b"User-agent: *\nDisallow: /tmp\x1b[2J\n", &["MyBot"]);
/// assert_eq!(sieved.text().as_str(), "User-agent: *\nDisallow: /tmp%1B[2J\n");
/// ```
#[must_use]
pub fn sieve<'a>(input: &'a [u8], agents: &[impl AsRef<[u8]>]) -> Sieved<'a> {
    let sieve = Sieve::new(agents);
    sieve.run(input).unwrap_or_else(|_| sieve.nothing())
}

impl Sieve {
    /// What an empty file leaves. Dropping refuses nothing, so this is never needed; it closes the case.
    fn nothing<'a>(&self) -> Sieved<'a> {
        let records = RecordSet::new(Reading::default(), self.parser.options.max_details);
        let text = write(&records, self.text, &mut Report::default());
        Sieved { records, answered_by: AnsweredBy::Nobody, text, report: None }
    }
}
