//! What a caller may choose: the same names for flags and for the `options` of a request.
//!
//! Invariant: a choice that was not made is `None`, so that choices can be laid over one another (a request's over the
//! command line's, all over the dialect's) and no default is written twice.

use std::str::FromStr;

use robosieve::policy::Precedence;
use robosieve::report::FindingClass;
use robosieve::syntax::{DirectiveScope, Leniency, ValueForm, Vocabulary};
use robosieve::text::Newline;
use robosieve::value::HttpUrl;
use robosieve::verdict::StatusMeaning;
use robosieve::{ConfigError, Dialect, Limits, Options, OverLimit, TextForm};
use serde::{Deserialize, Deserializer, de};

/// Every choice.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Choices {
    pub(crate) dialect: Option<Dialect>,
    pub(crate) order: Option<Order>,
    pub(crate) newline: Option<Newline>,
    pub(crate) form: Option<TextForm>,
    pub(crate) on_over_limit: Option<OverLimit>,
    pub(crate) leniency: Option<Leniency>,
    #[serde(deserialize_with = "robosieve_batch::json::object")]
    pub(crate) limits: LimitChoices,
    pub(crate) max_findings: Option<Limit>,
    pub(crate) fallback: Option<bool>,
    pub(crate) fold: Option<bool>,
    pub(crate) keep_trailing_spaces: Option<bool>,
    pub(crate) escaped_wildcard: Option<bool>,
    pub(crate) decode_wildcard: Option<bool>,
    pub(crate) complement_leading_slash: Option<bool>,
    pub(crate) keep_unknown: Option<bool>,
    pub(crate) any_line_ends_run: Option<bool>,
    pub(crate) base_url: Option<BaseUrl>,
    pub(crate) all_agents: Option<bool>,
    pub(crate) status: Option<u16>,
    pub(crate) forbidden: Option<StatusMeaning>,
    pub(crate) fail_on: Option<Vec<FailOn>>,
    #[serde(skip)]
    pub(crate) user_agent_names: Vec<String>,
    #[serde(skip)]
    pub(crate) directives: Vec<OwnDirective>,
}

/// The limits, under the library's names.
#[allow(clippy::struct_field_names)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct LimitChoices {
    pub(crate) max_bytes: Option<Limit>,
    pub(crate) max_records: Option<Limit>,
    pub(crate) max_lines: Option<Limit>,
    pub(crate) max_user_agents: Option<Limit>,
    pub(crate) max_directive_length: Option<Limit>,
    pub(crate) max_name_length: Option<Limit>,
    pub(crate) max_value_length: Option<Limit>,
    pub(crate) max_wildcards: Option<Limit>,
}

impl LimitChoices {
    fn over(self, base: Self) -> Self {
        Self {
            max_bytes: self.max_bytes.or(base.max_bytes),
            max_records: self.max_records.or(base.max_records),
            max_lines: self.max_lines.or(base.max_lines),
            max_user_agents: self.max_user_agents.or(base.max_user_agents),
            max_directive_length: self.max_directive_length.or(base.max_directive_length),
            max_name_length: self.max_name_length.or(base.max_name_length),
            max_value_length: self.max_value_length.or(base.max_value_length),
            max_wildcards: self.max_wildcards.or(base.max_wildcards),
        }
    }

    fn apply(&self, limits: &mut Limits) {
        let apply = |limit: &mut usize, choice: Option<Limit>| set(limit, choice.map(|choice| choice.0));
        apply(&mut limits.max_bytes, self.max_bytes);
        apply(&mut limits.max_records, self.max_records);
        apply(&mut limits.max_lines, self.max_lines);
        apply(&mut limits.max_user_agents, self.max_user_agents);
        apply(&mut limits.max_directive_length, self.max_directive_length);
        apply(&mut limits.max_name_length, self.max_name_length);
        apply(&mut limits.max_value_length, self.max_value_length);
        apply(&mut limits.max_wildcards, self.max_wildcards);
    }
}

impl Choices {
    /// These choices, and those of `base` where none was made.
    pub(crate) fn over(self, base: &Self) -> Self {
        Self {
            dialect: self.dialect.or(base.dialect),
            order: self.order.or(base.order),
            newline: self.newline.or(base.newline),
            form: self.form.or(base.form),
            on_over_limit: self.on_over_limit.or(base.on_over_limit),
            leniency: self.leniency.or(base.leniency),
            limits: self.limits.over(base.limits),
            max_findings: self.max_findings.or(base.max_findings),
            fallback: self.fallback.or(base.fallback),
            fold: self.fold.or(base.fold),
            keep_trailing_spaces: self.keep_trailing_spaces.or(base.keep_trailing_spaces),
            escaped_wildcard: self.escaped_wildcard.or(base.escaped_wildcard),
            decode_wildcard: self.decode_wildcard.or(base.decode_wildcard),
            complement_leading_slash: self.complement_leading_slash.or(base.complement_leading_slash),
            keep_unknown: self.keep_unknown.or(base.keep_unknown),
            any_line_ends_run: self.any_line_ends_run.or(base.any_line_ends_run),
            base_url: self.base_url.or_else(|| base.base_url.clone()),
            all_agents: self.all_agents.or(base.all_agents),
            status: self.status.or(base.status),
            forbidden: self.forbidden.or(base.forbidden),
            fail_on: self.fail_on.or_else(|| base.fail_on.clone()),
            user_agent_names: base.user_agent_names.clone(),
            directives: base.directives.clone(),
        }
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
        set(&mut options.precedence, self.order.map(Order::precedence));
        set(&mut options.max_details, self.max_findings.map(|limit| limit.0));
        set(&mut options.lines.fold, self.fold);
        set(&mut options.lines.keep_trailing_spaces, self.keep_trailing_spaces);
        set(&mut options.paths.escaped_wildcard, self.escaped_wildcard);
        set(&mut options.paths.decode_wildcard, self.decode_wildcard);
        set(&mut options.paths.complement_leading_slash, self.complement_leading_slash);
        set(&mut options.keep_unknown, self.keep_unknown);
        set(&mut options.any_line_ends_run, self.any_line_ends_run);
        options.base_url = self.base_url.as_ref().map(|url| url.0.clone());
        Ok(options)
    }

    fn vocabulary(&self, default: Leniency) -> Result<Vocabulary, ConfigError> {
        let mut words = Vocabulary::new(self.leniency.unwrap_or(default));
        for name in &self.user_agent_names {
            words = words.with_user_agent_name(name)?;
        }
        for own in &self.directives {
            words = words.with_directive(&own.name, own.scope, own.form)?;
        }
        Ok(words)
    }
}

fn set<T>(place: &mut T, choice: Option<T>) {
    if let Some(choice) = choice {
        *place = choice;
    }
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

/// Which rule decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Order {
    /// The rule with the longest pattern, and Allow before Disallow (RFC 9309)
    LongestMatch,
    /// The rule that stands first
    #[serde(alias = "file-order")]
    File,
}

impl Order {
    const fn precedence(self) -> Precedence {
        match self {
            Self::LongestMatch => Precedence::LongestMatch,
            Self::File => Precedence::FileOrder,
        }
    }
}

/// The URL of a site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BaseUrl(pub(crate) HttpUrl);

impl<'de> Deserialize<'de> for BaseUrl {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let url = String::deserialize(deserializer)?;
        url.parse().map(Self).map_err(de::Error::custom)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_numbers_or_none() {
        assert_eq!("0".parse(), Ok(Limit(0)));
        assert_eq!("none".parse(), Ok(Limit(usize::MAX)));
        for number in [0, 1, usize::MAX - 1, usize::MAX] {
            assert_eq!(number.to_string().parse(), Ok(Limit(number)));
        }
        assert!(format!("{}0", usize::MAX).parse::<Limit>().is_err());
        assert_eq!(serde_json::from_str("18446744073709551615").ok(), Some(Limit(usize::MAX)));
        assert_eq!(serde_json::from_str("0").ok(), Some(Limit(0)));
        for bad in ["18446744073709551616", "-1", "1.0", "1e3", "null", "\"\"", "[1]"] {
            assert!(serde_json::from_str::<Limit>(bad).is_err(), "{bad}");
        }
        for bad in ["", "-1", "+1", "1k", "None", "1e3", "99999999999999999999999"] {
            assert!(bad.parse::<Limit>().is_err(), "{bad}");
        }
    }

    #[test]
    fn a_request_is_laid_over_the_command_line() {
        let base = Choices { fold: Some(false), keep_unknown: Some(true), ..Choices::default() };
        let request: Choices =
            serde_json::from_str(r#"{"dialect":"google","fold":true,"limits":{"max_lines":"none","max_bytes":7}}"#)
                .unwrap_or_default();
        let options = request.over(&base).options().unwrap_or_default();
        assert!(options.lines.fold && options.keep_unknown);
        assert_eq!((options.limits.max_lines, options.limits.max_bytes), (usize::MAX, 7));
        assert_eq!(options.vocabulary.leniency(), Leniency::Prefix);
    }

    #[test]
    fn own_directives_have_a_scope_and_a_form() {
        let own: OwnDirective = OwnDirective { name: "X-A".into(), scope: DirectiveScope::File, form: ValueForm::Path };
        assert_eq!("X-A:file:path".parse(), Ok(own));
        assert!("X-A:files".parse::<OwnDirective>().is_err());
        assert!("Disallow".parse::<OwnDirective>().is_err());
        assert!("X A".parse::<OwnDirective>().is_err());
    }
}
