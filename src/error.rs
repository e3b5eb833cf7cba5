//! An invalid configuration, and the names of what can be chosen.
//!
//! Invariant: no input is an error by itself. Each message says what to do. It contains no byte of the input. It is
//! one harmless line, for any configuration: see [`printable`](robosieve_printable).

use alloc::string::String;
use core::fmt;

use robosieve_printable::escape;

/// An invalid configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ConfigError {
    /// Not a product token.
    ProductToken(String),
    /// Not a name for a directive.
    DirectiveName(String),
    /// A directive name that already has a meaning.
    DirectiveTaken(String),
    /// A directive name that Google's parser reads as Allow or Disallow.
    DirectiveIsRule(String),
    /// Not an absolute http or https URL.
    HttpUrl(String),
    /// Not one of the names of a choice, such as a dialect.
    UnknownName {
        /// What was to be named, with its article: `a dialect`.
        what: &'static str,
        /// The name as it was given.
        name: String,
        /// The names that exist.
        names: &'static [&'static str],
    },
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ProductToken(token) => write!(
                f,
                "\"{}\" is not a product token: write letters, digits, `_`, `-` and `.` only, as in `MyBot-Image`, or use \
                 `Agent::new` for a whole User-Agent header",
                escape(token.as_bytes())
            ),
            Self::DirectiveName(name) => {
                let name = escape(name.as_bytes());
                write!(f, "\"{name}\" is not a directive name: write letters, digits and `-` only, as in `Crawl-delay`")
            }
            Self::DirectiveTaken(name) => {
                let name = escape(name.as_bytes());
                write!(f, "the directive \"{name}\" already has a meaning: leave it out, or choose another name")
            }
            Self::DirectiveIsRule(name) => {
                let name = escape(name.as_bytes());
                write!(
                    f,
                    "the directive \"{name}\" would be a rule for Google, which reads each name that begins with `allow` or \
                     `disallow`, or with a misspelling of it, as that rule: choose another name"
                )
            }
            Self::HttpUrl(url) => {
                let url = escape(url.as_bytes());
                write!(f, "\"{url}\" is not the URL of a site: write it with its scheme, as in `https://example.com/`")
            }
            Self::UnknownName { what, name, names } => {
                write!(f, "\"{}\" is not the name of {what}: write ", escape(name.as_bytes()))?;
                for (place, known) in (1..).zip(*names) {
                    let before = match place {
                        1 => "",
                        last if last == names.len() => " or ",
                        _ => ", ",
                    };
                    write!(f, "{before}`{known}`")?;
                }
                Ok(())
            }
        }
    }
}

impl core::error::Error for ConfigError {}

/// Gives an enum its names: `ALL`, `NAMES`, `as_str` and `FromStr`; and `serde` both ways. It is displayed by its name, or
/// by words of its own. The text says what a value is, for the message about a name that does not exist.
macro_rules! names {
    ($type:ident, $what:literal, { $($variant:ident => $name:literal, $words:literal);+ $(;)? }) => {
        crate::error::names!(@ $type, $what, [$($variant, $name, $words)+]);
    };
    ($type:ident, $what:literal, { $($variant:ident => $name:literal),+ $(,)? }) => {
        crate::error::names!(@ $type, $what, [$($variant, $name, $name)+]);
    };
    (@ $type:ident, $what:literal, [$($variant:ident, $name:literal, $words:literal)+]) => {
        impl $type {
            /// All values.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];
            /// The names of all values, in the same order.
            pub const NAMES: &'static [&'static str] = &[$($name),+];

            /// What it is displayed by.
            const fn shown(self) -> &'static str {
                match self { $(Self::$variant => $words),+ }
            }

            /// The stable name, as in flags and JSON.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $name),+ }
            }
        }

        impl core::fmt::Display for $type {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.pad(self.shown())
            }
        }

        impl core::str::FromStr for $type {
            type Err = crate::error::ConfigError;

            /// Reads one of [`Self::NAMES`].
            fn from_str(name: &str) -> Result<Self, Self::Err> {
                match name {
                    $($name => Ok(Self::$variant),)+
                    _ => {
                        let (what, name) = ($what, name.into());
                        Err(crate::error::ConfigError::UnknownName { what, name, names: Self::NAMES })
                    }
                }
            }
        }

        #[cfg(feature = "serde")]
        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        #[cfg(feature = "serde")]
        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct Visitor;
                impl serde::de::Visitor<'_> for Visitor {
                    type Value = $type;

                    fn expecting(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                        f.write_str(concat!("the name of ", $what))
                    }

                    fn visit_str<E: serde::de::Error>(self, name: &str) -> Result<$type, E> {
                        name.parse().map_err(|_| E::unknown_variant(name, $type::NAMES))
                    }
                }
                deserializer.deserialize_str(Visitor)
            }
        }
    };
}

pub(crate) use names;

#[cfg(test)]
mod tests {
    use alloc::string::{String, ToString};
    use core::fmt::{Debug, Display};
    use core::str::FromStr;

    use super::ConfigError;
    use crate::report::FindingClass;
    use crate::settings::{Dialect, DirectiveScope, For, Leniency, OverLimit, Precedence, TextForm};

    fn check<T>(all: &[T], names: &[&str])
    where
        T: FromStr<Err = ConfigError> + Display + Debug + PartialEq,
    {
        assert_eq!(all.iter().map(ToString::to_string).collect::<alloc::vec::Vec<_>>(), names);
        for (value, name) in all.iter().zip(names) {
            assert_eq!(name.parse().as_ref(), Ok(value));
            for other in [String::new(), name.to_uppercase(), [name, " "].concat()] {
                assert!(other.parse::<T>().is_err(), "{other:?}");
            }
        }
    }

    #[test]
    fn a_name_is_read_as_the_value_that_has_it() {
        check(Dialect::ALL, Dialect::NAMES);
        check(OverLimit::ALL, OverLimit::NAMES);
        check(For::ALL, For::NAMES);
        check(Precedence::ALL, Precedence::NAMES);
        check(TextForm::ALL, TextForm::NAMES);
        check(Leniency::ALL, Leniency::NAMES);
        check(DirectiveScope::ALL, DirectiveScope::NAMES);
        check(FindingClass::ALL, FindingClass::NAMES);
    }

    #[test]
    fn the_message_lists_the_names() {
        let message = "Goo\u{1b}gle".parse::<Dialect>().map_err(|error| error.to_string());
        let expected = "\"Goo\\x1Bgle\" is not the name of a dialect: write `standard`, `google` or `processor`";
        assert_eq!(message, Err(expected.into()));
    }
}
