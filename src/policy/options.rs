//! [`Options`]: how a file is read.
//!
//! A record set keeps the options that it was parsed with. What is read for verdicts has no limit but `max_bytes`,
//! unless limits are set after [`Options::for_verdicts`].

use core::time::Duration;

use crate::error::names;
use crate::limits::{Limits, OverLimit};
use crate::path::glob::PathForm;
use crate::policy::address::HttpUrl;
use crate::report::Report;
use crate::syntax::google::GOOGLE_LINE;
use crate::syntax::grammar::Style;
use crate::syntax::names::{Leniency, RuleKind, Vocabulary};

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
    /// How much is read and kept.
    pub limits: Limits,
    /// What happens to rules that exceed a limit.
    pub over_limit: OverLimit,
    /// How bytes are divided into lines. Google: none continues another, and each ends after 16,663 bytes or at a NUL.
    pub lines: Style,
    /// Whether a line that begins with blanks continues the one before (PROCESSOR "line continuation").
    pub fold: bool,
    /// Whether blanks at the end of a value stay, where no comment follows (PROCESSOR `keepTrailingSpaces`).
    pub keep_trailing_spaces: bool,
    /// Which directive names are understood.
    pub vocabulary: Vocabulary,
    /// How user agents are matched. Standard: as RFC 9309 2.2.1; digits and dots also count if the requested token has
    /// them. Google: the name in a line ends at the first byte outside `[A-Za-z_-]`, and has to be equal to the requested
    /// agent, in any case.
    pub agents: Style,
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
    /// What the statuses 401 and 403 mean. Allow: what every other 4xx means (RFC 9309 2.3.1.3). Disallow: the 1996 draft,
    /// and PROCESSOR unless `ignoreForbidden`.
    pub forbidden: RuleKind,
    /// What a redirect (3xx) means that could not be followed. Allow: RFC 9309 2.3.1.2. Disallow: PROCESSOR, where only a
    /// missing file opens a site.
    pub redirected: RuleKind,
    /// What the file is read for.
    pub reads_for: For,
    /// Which readers a text is for.
    pub form: TextForm,
    /// Whether the lines of a text end with CRLF instead of LF.
    pub crlf: bool,
}

/// What a file is read for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub enum For {
    /// A text that other programs read: all limits count.
    #[default]
    Text,
    /// Verdicts: rules stay that decide but that no text can contain. With [`Options::for_verdicts`], no limit counts but
    /// `max_bytes`. A text may then be as long as three times the input, plus 64 bytes and an agent's name. It is for a
    /// program that reads it back itself, as `robosieve-gate` does; other readers may cut it.
    ///
    /// ```
    /// use robosieve::{Options, Sieve};
    /// use robosieve::settings::For;
    /// let file = b"User-agent: *\nDisallow: /*1*2*3*4*5*6*7*8*9*10*11\n";
    /// let options = Options::default().for_verdicts();
    /// assert_eq!(options.reads_for, For::Verdicts);
    /// let sieve = Sieve::new(["MyBot"]).options(options);
    /// let sieved = sieve.filter(file)?;
    /// assert!(sieved.text().ends_with("*11\n") && sieved.report().is_exact());
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
            lines: Style::default(),
            fold: true,
            keep_trailing_spaces: false,
            vocabulary: Vocabulary::default(),
            agents: Style::default(),
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
            forbidden: RuleKind::Allow,
            redirected: RuleKind::Allow,
            reads_for: For::Text,
            form: TextForm::default(),
            crlf: false,
        }
    }
}

impl Options {
    /// These options, for [`For::Verdicts`], without their limits but `max_bytes`. Limits that are set after that count.
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
        Self { reads_for: For::Verdicts, limits: self.limits.for_verdicts(), ..self }
    }

    /// The longest line that the reader of a text does not cut.
    pub(crate) const fn max_text_line(&self) -> usize {
        match self.lines {
            Style::Standard => usize::MAX,
            Style::Google => GOOGLE_LINE,
        }
    }
}

/// Which of the rules that match a URL decides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
#[non_exhaustive]
pub enum Precedence {
    /// The rule with the longest pattern; of equal lengths, Allow (RFC 9309 2.2.2).
    #[default]
    LongestMatch,
    /// The first rule in the file (the 1996 draft; PROCESSOR `respectOrder`).
    FileOrder,
}

names!(Precedence, "an order of rules", { LongestMatch => "longest-match", FileOrder => "file" });

/// Which readers the text is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
#[non_exhaustive]
pub enum TextForm {
    /// For people, archives and readers like this library: each kept rule once, and the other lines of the record.
    #[default]
    Faithful,
    /// For other testers, which may lack features or have bugs: fewer and plainer rules that decide the same, and the
    /// other lines that change no tester's verdicts. Lines that are left out are reported.
    Portable,
}

impl TextForm {
    /// Longer texts are reported. RFC 9309 2.5 requires readers to read at least 500 KiB, and they may stop there.
    pub const SAFE_LENGTH: usize = 500 * 1024;
    /// Records with more rules are reported: ranvis/robots-txt-processor stops there.
    pub const SAFE_RULES: usize = 1000;
    /// The longest crawl delay in the portable form. One tester reads longer delays as "disallow all".
    pub const SAFE_DELAY: Duration = Duration::from_secs(300);
    /// The number of pairs of rules that may be compared for the portable form. Long pairs count more than once. It is
    /// divided among the records. A record that needs more is written rule by rule. Our choice: some 20 ms.
    pub const MAX_FUEL: usize = 2_000_000;
}

names!(TextForm, "a form of a text", { Faithful => "faithful", Portable => "portable" });

/// Whose reading of a file is followed.
///
/// ```
/// use robosieve::Options;
/// use robosieve::settings::Dialect;
/// let dialect: Dialect = "google".parse()?;
/// assert_eq!((dialect, dialect.to_string()), (Dialect::Google, "google".into()));
/// assert_eq!(Options::from(dialect), dialect.options());
/// # Ok::<(), robosieve::settings::ConfigError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
#[non_exhaustive]
pub enum Dialect {
    /// RFC 9309, with the repairs and limits of this project.
    #[default]
    Standard,
    /// What Google's parser reads, also where that is not RFC 9309. It has no limits: set some for untrusted input.
    Google,
    /// The PHP filter ranvis/robots-txt-processor.
    Processor,
}

names!(Dialect, "a dialect", { Standard => "standard", Google => "google", Processor => "processor" });

impl Dialect {
    /// The choices.
    ///
    /// ```
    /// use robosieve::Options;
    /// use robosieve::settings::Dialect;
    /// assert_eq!(Dialect::Standard.options(), Options::default());
    /// assert!(!Dialect::Google.options().robots_txt_allowed);
    /// ```
    #[must_use]
    pub fn options(self) -> Options {
        match self {
            Self::Standard => Options::default(),
            Self::Google => Options {
                limits: Limits::NONE,
                lines: Style::Google,
                fold: false,
                vocabulary: Vocabulary::new(Leniency::Prefix),
                agents: Style::Google,
                union_of_agents: true,
                paths: PathForm {
                    encoding: Style::Google,
                    complement_leading_slash: false,
                    escaped_wildcard: false,
                    decode_wildcard: false,
                },
                robots_txt_allowed: false,
                index_html: true,
                ..Options::default()
            },
            Self::Processor => Options {
                limits: Limits::PROCESSOR,
                vocabulary: Vocabulary::new(Leniency::Processor),
                robots_txt_allowed: false,
                forbidden: RuleKind::Disallow,
                redirected: RuleKind::Disallow,
                ..Options::default()
            },
        }
    }
}

impl From<Dialect> for Options {
    fn from(dialect: Dialect) -> Self {
        dialect.options()
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
