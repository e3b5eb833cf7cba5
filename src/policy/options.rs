//! [`Options`]: how a file is read.
//!
//! Invariant: each option is one documented field. A record set keeps the options that it was parsed with. What is read
//! for verdicts has no limit but `max_bytes`: [`Options::limits`] is what counts, not the field.

use crate::choice::names;
use crate::limits::{Limits, OverLimit};
use crate::path::form::PathForm;
use crate::policy::address::HttpUrl;
use crate::policy::agent::AgentForm;
use crate::policy::record::Precedence;
use crate::report::Report;
use crate::syntax::google::GOOGLE_LINE;
use crate::syntax::grammar::{LineForm, LineStyle};
use crate::syntax::names::Vocabulary;
use crate::text::newline::Newline;
use crate::text::write::TextForm;

/// How a file is read. [`Dialect`](crate::settings::Dialect) has named sets of options. The default follows RFC 9309.
///
/// Write the options that differ, and take the rest from a dialect. A later version may add an option: then a literal
/// that ends with `..` still compiles.
///
/// ```
/// use robosieve::Options;
/// use robosieve::settings::Dialect;
/// let options = Options { keep_unknown: true, ..Dialect::Google.options() };
/// assert!(options.index_html);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
// Each flag is an independent option, by a name that users know.
#[allow(clippy::struct_excessive_bools)]
pub struct Options {
    /// How much is read and kept; of a file that is read for verdicts, see [`Options::limits`].
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
    /// use robosieve::{Options, Sieve};
    /// let sieve = Sieve::new(["MyBot"]).options(Options { complete: false, ..Options::default() });
    /// assert!(!sieve.tester(b"User-agent: *\nAllow: /")?.is_allowed("/a"));
    /// # Ok::<(), robosieve::settings::Refused>(())
    /// ```
    pub complete: bool,
    /// What the file is read for.
    pub reads_for: For,
    /// Which readers a text is for.
    pub form: TextForm,
    /// The line ending of a text.
    pub newline: Newline,
}

/// What a file is read for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub enum For {
    /// A text that other programs read: all limits count.
    #[default]
    Text,
    /// Verdicts: no limit counts but `max_bytes`, and rules stay that decide but that no text can contain. A text may
    /// then be as long as three times the input, plus 64 bytes and an agent's name. It is for a program that reads it
    /// back itself, as `robosieve-gate` does; other readers may cut it.
    ///
    /// ```
    /// use robosieve::{Options, Sieve};
    /// use robosieve::settings::For;
    /// let file = b"User-agent: *\nDisallow: /*1*2*3*4*5*6*7*8*9*10*11\n";
    /// let sieve = Sieve::new(["MyBot"]).options(Options { reads_for: For::Verdicts, ..Options::default() });
    /// let sieved = sieve.filter(file)?;
    /// assert!(sieved.text().as_str().ends_with("*11\n") && sieved.report().is_exact());
    /// # Ok::<(), robosieve::settings::Refused>(())
    /// ```
    Verdicts,
}

names!(For, "what a file is read for", { Text => "text", Verdicts => "verdicts" });

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
            reads_for: For::Text,
            form: TextForm::default(),
            newline: Newline::default(),
        }
    }
}

impl Options {
    /// These options, for [`For::Verdicts`].
    ///
    /// ```
    /// use robosieve::settings::Interest;
    /// use robosieve::records::Parser;
    /// use robosieve::{Options, Tester};
    /// let file = b"User-agent: *\nDisallow: /*1*2*3*4*5*6*7*8*9*10*11\n";
    /// let set = Parser::new(Options::default().for_verdicts()).parse(file);
    /// let tester = Tester::new(&set, &Interest::new(["MyBot"]));
    /// assert!(!tester.is_allowed("/1234567891011"));
    /// ```
    #[must_use]
    pub fn for_verdicts(self) -> Self {
        Self { reads_for: For::Verdicts, ..self }
    }

    /// The limits that count.
    #[must_use]
    pub const fn limits(&self) -> Limits {
        match self.reads_for {
            For::Text => self.limits,
            For::Verdicts => self.limits.for_verdicts(),
        }
    }

    /// The longest line that the reader of a text does not cut.
    pub(crate) const fn max_text_line(&self) -> usize {
        match self.lines.style {
            LineStyle::Standard => usize::MAX,
            LineStyle::Google => GOOGLE_LINE,
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
