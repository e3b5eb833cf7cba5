//! The choices of a caller: the flags that say how files are read, and the same names in the `options` of a request.
//!
//! Invariant: clap and serde fill the same struct, so a choice has one name and one type. A choice that was not made is
//! `None`: a request's choices are laid over those of the command line, and all of them over the dialect's.

use std::str::FromStr;

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use robosieve::policy::Precedence;
use robosieve::report::FindingClass;
use robosieve::syntax::{DirectiveScope, Leniency, ValueForm, Vocabulary};
use robosieve::text::Newline;
use robosieve::value::HttpUrl;
use robosieve::verdict::StatusMeaning;
use robosieve::{ConfigError, Dialect, Limits, Options, OverLimit, TextForm};
use robosieve_explain::Names;
use serde::{Deserialize, Deserializer, de};

/// The heading of the limits.
const LIMITS: &str = "Limits (a number, or `none`)";

/// The help of --fail-on, here and for the commands that use the network.
pub(crate) const FAIL_ON: &str = "Refuse a file with such findings (exit code 3): it is suspect, has a loss, or was repaired; separate several with commas";

/// Choices that can be laid over others of the same type.
trait Over {
    /// These choices, and those of `base` where none was made.
    fn over(self, base: &Self) -> Self;
}

impl<T: Clone> Over for Option<T> {
    fn over(self, base: &Self) -> Self {
        self.or_else(|| base.clone())
    }
}

/// Defines a struct of choices. Its fields are laid over those of another one by one.
macro_rules! choices {
    ($(#[$meta:meta])* struct $name:ident { $($(#[$field_meta:meta])* $field:ident: $type:ty,)* }) => {
        #[derive(Clone, Debug, Default, PartialEq, Args, Deserialize)]
        #[serde(default, deny_unknown_fields)]
        $(#[$meta])*
        pub(crate) struct $name {
            $($(#[$field_meta])* pub(crate) $field: $type,)*
        }

        impl Over for $name {
            fn over(self, base: &Self) -> Self {
                Self { $($field: self.$field.over(&base.$field),)* }
            }
        }
    };
}

/// Defines the choices of limits: those fields of [`Limits`] that have a flag.
macro_rules! limits {
    ($($(#[$doc:meta])* $limit:ident,)*) => {
        choices! {
            /// The limits, under the library's names.
            #[derive(Copy)]
            #[allow(clippy::struct_field_names, reason = "the names are the library's")]
            #[command(next_help_heading = LIMITS)]
            struct LimitChoices {
                $($(#[$doc])* #[arg(long, value_name = "N")] $limit: Option<Limit>,)*
            }
        }

        impl LimitChoices {
            fn apply(&self, limits: &mut Limits) {
                $(set(&mut limits.$limit, self.$limit.map(|limit| limit.0));)*
            }
        }
    };
}

limits! {
    /// Bytes read of the file [default: 512000]
    max_bytes,
    /// Groups read [default: none; 1000 with --dialect processor]
    max_records,
    /// Lines kept per group [default: none; 1000 with --dialect processor]
    max_lines,
    /// User-agent lines read [default: none; 1000 with --dialect processor]
    max_user_agents,
    /// Bytes in a directive's name [default: 32]
    max_directive_length,
    /// Bytes in an agent's name [default: 200]
    max_name_length,
    /// Bytes in a value [default: 2000]
    max_value_length,
    /// Wildcards in a path [default: 10]
    max_wildcards,
}

choices! {
    /// Every choice. Those without a flag here have one at the commands that they are for.
    #[command(next_help_heading = "How the file is read")]
    struct Choices {
        #[arg(long, value_name = "WHAT", value_delimiter = ',', help = FAIL_ON, help_heading = None)]
        fail_on: Option<Vec<FailOn>>,
        /// Read the file like RFC 9309 (standard), like Google's parser (google; only the limits that you set), or like
        /// the PHP filter robots-txt-processor (processor) [default: standard]
        #[arg(long, value_parser = named::<Dialect>(Dialect::NAMES))]
        dialect: Option<Dialect>,
        /// Which of the rules that match decides: the longest, and Allow before Disallow (RFC 9309), or the first in
        /// the file [default: longest-match]
        #[arg(long, value_parser = named::<Precedence>(Precedence::NAMES))]
        order: Option<Precedence>,
        /// Which misspelled directives are accepted [default: depends on the dialect; common for standard]
        #[arg(long, value_parser = named::<Leniency>(Leniency::NAMES))]
        leniency: Option<Leniency>,
        /// Do not use the groups for `*` if no group names the agent
        #[arg(long = "no-fallback", num_args = 0, default_missing_value = "false")]
        fallback: Option<bool>,
        /// Read names of agents as RFC 9309 does: no known crawler uses other groups than its name says, even if its owner
        /// documents it
        #[arg(long = "plain-names", num_args = 0, default_missing_value = "false")]
        known: Option<bool>,
        /// Do not join a line that begins with a space or tab to the line before
        #[arg(long = "no-fold", num_args = 0, default_missing_value = "false")]
        fold: Option<bool>,
        /// Keep spaces and tabs at the end of a path
        #[arg(long, num_args = 0, default_missing_value = "true")]
        keep_trailing_spaces: Option<bool>,
        /// Do not add a missing leading slash to a path
        #[arg(long = "no-leading-slash", num_args = 0, default_missing_value = "false")]
        complement_leading_slash: Option<bool>,
        /// Read `%2A` in a rule as a wildcard
        #[arg(long, num_args = 0, default_missing_value = "true")]
        decode_wildcard: Option<bool>,
        /// Do not count `%2A` against --max-wildcards
        #[arg(long = "no-escaped-wildcard", num_args = 0, default_missing_value = "false")]
        escaped_wildcard: Option<bool>,
        /// Keep lines with an unknown directive
        #[arg(long, num_args = 0, default_missing_value = "true")]
        keep_unknown: Option<bool>,
        /// Let any line end a run of user-agent lines, not only Allow and Disallow
        #[arg(long, num_args = 0, default_missing_value = "true")]
        any_line_ends_run: Option<bool>,
        /// The input is not the whole file: a last line without its end is not read, and a group without a rule disallows
        /// everything
        #[arg(long = "incomplete", num_args = 0, default_missing_value = "false")]
        complete: Option<bool>,
        /// URL of the file or its site, to resolve a relative Sitemap; without it, a relative Sitemap is dropped
        #[arg(long, value_name = "URL")]
        #[serde(deserialize_with = "http_url")]
        base_url: Option<HttpUrl>,
        /// Another name for the directive `User-agent`
        #[arg(long = "user-agent-name", value_name = "NAME")]
        #[serde(skip)]
        user_agent_names: Option<Vec<String>>,
        /// Keep another directive. It applies to its group (`record`, the default) or to the whole `file`; its value is
        /// text, or a path with `path`
        #[arg(long = "directive", value_name = "NAME[:record|file][:path]")]
        #[serde(skip)]
        directives: Option<Vec<OwnDirective>>,
        #[command(flatten)]
        #[serde(deserialize_with = "robosieve_batch::json::object")]
        limits: LimitChoices,
        /// Findings that a report shows in detail; it counts all [default: 100]
        #[arg(long, value_name = "N", help_heading = LIMITS)]
        max_findings: Option<Limit>,
        /// What to do with a rule over a limit: drop it and report it, widen it so that it forbids more, or refuse the
        /// file (exit code 3) [default: drop]
        #[arg(long, value_parser = named::<OverLimit>(OverLimit::NAMES), help_heading = LIMITS)]
        on_over_limit: Option<OverLimit>,
        #[arg(skip)]
        newline: Option<Newline>,
        #[arg(skip)]
        form: Option<TextForm>,
        #[arg(skip)]
        all_agents: Option<bool>,
        #[arg(skip)]
        #[serde(deserialize_with = "status")]
        status: Option<u16>,
        #[arg(skip)]
        forbidden: Option<StatusMeaning>,
    }
}

/// Parses one of the library's names.
pub(crate) fn named<T>(names: &'static [&'static str]) -> impl TypedValueParser<Value = T>
where
    T: FromStr<Err = ConfigError> + Clone + Send + Sync + 'static,
{
    PossibleValuesParser::new(names).try_map(|name| name.parse())
}

impl Choices {
    /// These choices, and those of `base` where none was made.
    pub(crate) fn over(self, base: &Self) -> Self {
        Over::over(self, base)
    }

    /// How names of agents are read.
    pub(crate) fn names(&self) -> Names {
        if self.known.unwrap_or(true) { Names::Known } else { Names::Plain }
    }

    /// The library's options: the dialect's, but for the choices that were made.
    pub(crate) fn options(&self) -> Result<Options, ConfigError> {
        self.over_options(self.dialect.unwrap_or_default().options())
    }

    /// The same for verdicts, which have no limits but `max_bytes` and those that were chosen.
    pub(crate) fn options_for_verdicts(&self) -> Result<Options, ConfigError> {
        self.over_options(self.dialect.unwrap_or_default().options().for_verdicts())
    }

    fn over_options(&self, mut options: Options) -> Result<Options, ConfigError> {
        options.vocabulary = self.vocabulary(options.vocabulary.leniency())?;
        self.limits.apply(&mut options.limits);
        set(&mut options.over_limit, self.on_over_limit);
        set(&mut options.precedence, self.order);
        set(&mut options.max_details, self.max_findings.map(|limit| limit.0));
        set(&mut options.lines.fold, self.fold);
        set(&mut options.lines.keep_trailing_spaces, self.keep_trailing_spaces);
        set(&mut options.paths.escaped_wildcard, self.escaped_wildcard);
        set(&mut options.paths.decode_wildcard, self.decode_wildcard);
        set(&mut options.paths.complement_leading_slash, self.complement_leading_slash);
        set(&mut options.keep_unknown, self.keep_unknown);
        set(&mut options.any_line_ends_run, self.any_line_ends_run);
        set(&mut options.complete, self.complete);
        options.base_url.clone_from(&self.base_url);
        Ok(options)
    }

    fn vocabulary(&self, default: Leniency) -> Result<Vocabulary, ConfigError> {
        let mut words = Vocabulary::new(self.leniency.unwrap_or(default));
        for name in self.user_agent_names.iter().flatten() {
            words = words.with_user_agent_name(name)?;
        }
        with_directives(words, self.directives.iter().flatten())
    }
}

/// The names of the standard dialect, and the caller's directives.
pub(crate) fn vocabulary_with(directives: &[OwnDirective]) -> Result<Vocabulary, ConfigError> {
    with_directives(Vocabulary::default(), directives.iter())
}

fn with_directives<'d>(
    words: Vocabulary,
    mut directives: impl Iterator<Item = &'d OwnDirective>,
) -> Result<Vocabulary, ConfigError> {
    directives.try_fold(words, |words, own| words.with_directive(&own.name, own.scope, own.form))
}

fn set<T>(place: &mut T, choice: Option<T>) {
    if let Some(choice) = choice {
        *place = choice;
    }
}

fn http_url<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<HttpUrl>, D::Error> {
    let url = Option::<String>::deserialize(deserializer)?;
    url.map(|url| url.parse().map_err(de::Error::custom)).transpose()
}

fn status<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u16>, D::Error> {
    let status = Option::<u16>::deserialize(deserializer)?;
    if status.is_some_and(|status| !(100..=999).contains(&status)) {
        return Err(de::Error::custom("status has to be an HTTP status, from 100 to 999"));
    }
    Ok(status)
}

/// What makes a file a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum FailOn {
    /// It looks like no robots.txt, or a line of it like a rule that it is not
    Suspect,
    /// A limit cost it something that may change an answer
    Loss,
    /// A line was read otherwise than it is spelled
    Repair,
}

impl FailOn {
    /// The findings that it is about.
    pub(crate) const fn class(self) -> FindingClass {
        match self {
            Self::Suspect => FindingClass::Suspect,
            Self::Loss => FindingClass::Loss,
            Self::Repair => FindingClass::Repair,
        }
    }
}

/// A number, or `none`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Limit(pub(crate) usize);

impl FromStr for Limit {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "none" {
            return Ok(Self(usize::MAX));
        }
        let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        match text.parse() {
            Ok(number) if is_number => Ok(Self(number)),
            _ => Err("write a whole number, for example 1000, or `none`".into()),
        }
    }
}

impl<'de> Deserialize<'de> for Limit {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl de::Visitor<'_> for Visitor {
            type Value = Limit;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a whole number that is not negative, or \"none\"")
            }

            fn visit_u64<E: de::Error>(self, number: u64) -> Result<Limit, E> {
                Ok(Limit(usize::try_from(number).unwrap_or(usize::MAX)))
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Limit, E> {
                text.parse().map_err(E::custom)
            }
        }
        deserializer.deserialize_any(Visitor)
    }
}

/// A directive of the caller's own: `NAME[:record|file][:text|path]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OwnDirective {
    name: String,
    scope: DirectiveScope,
    form: ValueForm,
}

impl FromStr for OwnDirective {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut parts = text.split(':');
        let name = parts.next().unwrap_or_default().to_owned();
        let mut own = Self { name, scope: DirectiveScope::Record, form: ValueForm::Text };
        for part in parts {
            match part {
                "record" => own.scope = DirectiveScope::Record,
                "file" => own.scope = DirectiveScope::File,
                "text" => own.form = ValueForm::Text,
                "path" => own.form = ValueForm::Path,
                _ => {
                    return Err("write NAME, NAME:record or NAME:file; add :path if its value is a path".into());
                }
            }
        }
        // The library knows what a name is.
        let checked = Vocabulary::new(Leniency::Strict).with_directive(&own.name, own.scope, own.form);
        checked.map_err(|error| error.to_string())?;
        Ok(own)
    }
}
