//! [`Options`]: how a file is read.
//!
//! Invariant: each option is one documented field. The options that are needed after parsing are also in the
//! [`Reading`] of a record set. This module decides nothing.

use crate::limits::{Limits, OverLimit};
use crate::path::form::PathForm;
use crate::policy::address::HttpUrl;
use crate::policy::agent::AgentForm;
use crate::policy::record::{Precedence, Reading};
use crate::report::Report;
use crate::syntax::google::GOOGLE_LINE;
use crate::syntax::grammar::{LineForm, LineStyle};
use crate::syntax::names::Vocabulary;

/// How a file is read. [`Dialect`](crate::settings::Dialect) has named sets of options. The default follows RFC 9309.
///
/// Write the options that differ, and take the rest from a dialect. A later version may add an option: then a literal
/// that ends with `..` still compiles.
///
/// ```
/// use robosieve::settings::{Dialect, Options};
/// let options = Options { keep_unknown: true, ..Dialect::Google.options() };
/// assert!(options.index_html);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
// Each flag is an independent option, by a name that users know.
#[allow(clippy::struct_excessive_bools)]
pub struct Options {
    /// How much is read and kept.
    pub limits: Limits,
    /// What happens to rules that exceed a limit.
    pub over_limit: OverLimit,
    /// How bytes are divided into lines.
    pub lines: LineForm,
    /// Which directive names are understood.
    pub vocabulary: Vocabulary,
    /// How user agents are matched.
    pub agents: AgentForm,
    /// Whether the groups of all requested agents are merged. Otherwise only the groups of the most preferred agent
    /// that has one count.
    pub union_of_agents: bool,
    /// How paths are normalised.
    pub paths: PathForm,
    /// Which of the matching rules decides.
    pub precedence: Precedence,
    /// Whether `/robots.txt` is always allowed.
    pub robots_txt_allowed: bool,
    /// Whether `Allow: /dir/index.html` allows `/dir/` too.
    pub index_html: bool,
    /// Whether any field ends a run of user-agent lines. Otherwise only Allow and Disallow do.
    pub any_line_ends_run: bool,
    /// Whether lines with an unknown directive are kept.
    pub keep_unknown: bool,
    /// The URL of the file, or of any page of its site. Relative sitemap URLs are resolved against it; without it they
    /// are dropped.
    pub base_url: Option<HttpUrl>,
    /// How many findings a report keeps in detail.
    pub max_details: usize,
    /// Whether the bytes are the whole file. If not, a last line without its end is no line, and a group without a rule
    /// disallows everything: see `[input.incomplete]` in SPEC.md.
    ///
    /// ```
    /// use robosieve::settings::Options;
    /// use robosieve::Sieve;
    /// let sieve = Sieve::new(["MyBot"]).options(Options { complete: false, ..Options::default() });
    /// assert!(!sieve.tester(b"User-agent: *\nAllow: /")?.is_allowed("/a"));
    /// # Ok::<(), robosieve::settings::Refused>(())
    /// ```
    pub complete: bool,
    /// Whether the file is read for verdicts alone: no limit of a text leaves out what decides one, see
    /// [`Options::for_verdicts`].
    pub for_verdicts: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            limits: Limits::default(),
            over_limit: OverLimit::default(),
            lines: LineForm::default(),
            vocabulary: Vocabulary::default(),
            agents: AgentForm::default(),
            union_of_agents: false,
            paths: PathForm::default(),
            precedence: Precedence::default(),
            robots_txt_allowed: true,
            index_html: false,
            any_line_ends_run: false,
            keep_unknown: false,
            base_url: None,
            max_details: Report::DEFAULT_DETAILS,
            complete: true,
            for_verdicts: false,
        }
    }
}

impl Options {
    /// The same options for reading a file for verdicts only: with [`Limits::for_verdicts`], and with the rules that
    /// decide but that no text can contain.
    ///
    /// ```
    /// use robosieve::agent::Interest;
    /// use robosieve::policy::Parser;
    /// use robosieve::settings::Options;
    /// use robosieve::Tester;
    /// let file = b"User-agent: *\nDisallow: /*1*2*3*4*5*6*7*8*9*10*11\n";
    /// let set = Parser::new(Options::default().for_verdicts()).parse(file);
    /// let tester = Tester::new(&set, &Interest::new(["MyBot"]));
    /// assert!(!tester.is_allowed("/1234567891011"));
    /// ```
    #[must_use]
    pub fn for_verdicts(self) -> Self {
        Self { limits: self.limits.for_verdicts(), for_verdicts: true, ..self }
    }

    /// A copy of these options, for reading a file for verdicts only.
    pub(crate) fn cloned_for_verdicts(&self) -> Self {
        let (vocabulary, base_url) = (self.vocabulary.clone(), self.base_url.clone());
        Self { limits: self.limits.for_verdicts(), for_verdicts: true, vocabulary, base_url, ..*self }
    }

    pub(crate) fn reading(&self) -> Reading {
        Reading {
            agents: self.agents,
            union_of_agents: self.union_of_agents,
            paths: self.paths,
            precedence: self.precedence,
            robots_txt_allowed: self.robots_txt_allowed,
            index_html: self.index_html,
            over_limit: self.over_limit,
            is_incomplete: !self.complete,
            for_verdicts: self.for_verdicts,
            max_records: self.limits.max_records,
            max_user_agents: self.limits.max_user_agents,
            max_lines: self.limits.max_lines,
            max_value_length: self.limits.max_value_length,
            max_text: self.limits.max_bytes,
            max_text_line: match self.lines.style {
                LineStyle::Standard => usize::MAX,
                LineStyle::Google => GOOGLE_LINE,
            },
        }
    }
}

#[cfg(all(test, feature = "arbitrary"))]
mod tests {
    use super::*;
    use arbitrary::{Arbitrary, Unstructured};

    /// Any bytes make options, and different bytes make different ones.
    #[test]
    fn options_are_arbitrary() {
        let of = |byte: u8| Options::arbitrary(&mut Unstructured::new(&[byte; 400])).ok();
        assert!((0..=u8::MAX).all(|byte| of(byte).is_some()));
        assert_ne!(of(0), of(1));
        assert!((0..=u8::MAX).any(|byte| of(byte).is_some_and(|options| options.base_url.is_some())));
    }
}
