//! Names of choices, for flags, settings and JSON.
//!
//! Invariant: the names of a type are in one list. Reading the name of a value gives that value.

use alloc::string::String;
use core::fmt;

use robosieve_printable::escape;

/// What is not one of the names of a choice, such as a dialect.
///
/// ```
/// use robosieve::settings::Dialect;
/// let unknown = "rfc".parse::<Dialect>().unwrap_err();
/// assert_eq!(unknown.to_string(), "\"rfc\" is not the name of a dialect: write `standard`, `google` or `processor`");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnknownName {
    /// What was to be named, with its article: `a dialect`.
    pub what: &'static str,
    /// The name as it was given.
    pub name: String,
    /// The names that exist.
    pub names: &'static [&'static str],
}

impl fmt::Display for UnknownName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\" is not the name of {}: write ", escape(self.name.as_bytes()), self.what)?;
        for (place, known) in (1..).zip(self.names) {
            let before = if place == 1 {
                ""
            } else if place == self.names.len() {
                " or "
            } else {
                ", "
            };
            write!(f, "{before}`{known}`")?;
        }
        Ok(())
    }
}

impl core::error::Error for UnknownName {}

/// Gives an enum its names: `ALL`, `NAMES`, `as_str`, `Display` and `FromStr`; and `serde` both ways. The text says what
/// a value is, for the message about a name that does not exist.
macro_rules! names {
    ($type:ident, $what:literal, { $($variant:ident => $name:literal),+ $(,)? }) => {
        impl $type {
            /// All values.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];
            /// The names of all values, in the same order.
            pub const NAMES: &'static [&'static str] = &[$($name),+];

            /// The stable name, as in flags and JSON.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $name),+ }
            }
        }

        impl core::fmt::Display for $type {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.pad(self.as_str())
            }
        }

        impl core::str::FromStr for $type {
            type Err = crate::choice::UnknownName;

            /// Reads one of [`Self::NAMES`].
            fn from_str(name: &str) -> Result<Self, Self::Err> {
                match name {
                    $($name => Ok(Self::$variant),)+
                    _ => Err(crate::choice::UnknownName { what: $what, name: name.into(), names: Self::NAMES }),
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

    use super::UnknownName;
    use crate::report::FindingClass;
    use crate::settings::{
        Dialect, DirectiveScope, For, Leniency, Newline, OverLimit, Precedence, TextForm, ValueForm,
    };
    use crate::verdict::StatusMeaning;

    fn check<T>(all: &[T], names: &[&str])
    where
        T: FromStr<Err = UnknownName> + Display + Debug + PartialEq,
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
        check(Newline::ALL, Newline::NAMES);
        check(Leniency::ALL, Leniency::NAMES);
        check(DirectiveScope::ALL, DirectiveScope::NAMES);
        check(ValueForm::ALL, ValueForm::NAMES);
        check(StatusMeaning::ALL, StatusMeaning::NAMES);
        check(FindingClass::ALL, FindingClass::NAMES);
    }

    #[test]
    fn the_message_lists_the_names() {
        let message = "Goo\u{1b}gle".parse::<Dialect>().map_err(|error| error.to_string());
        let expected = "\"Goo\\x1Bgle\" is not the name of a dialect: write `standard`, `google` or `processor`";
        assert_eq!(message, Err(expected.into()));
    }
}
