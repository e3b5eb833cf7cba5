//! The value of an option, as a caller gives it.
//!
//! Invariant: a value has the type of its option, or it is refused. What is written as text, such as a flag of the
//! command, is read here by that type.

use crate::rows::{Kind, Setting};
use crate::wrong::Wrong;

/// The value of an option, as a caller gives it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Given<'g> {
    /// True or false.
    Flag(bool),
    /// A number; `usize::MAX` is no limit.
    Count(usize),
    /// A text: one of the names of a choice, a URL, or `none` for no limit.
    Text(&'g str),
    /// Several texts.
    Texts(Vec<String>),
    /// A value of no type that an option has.
    Other,
}

/// The value of an option that was taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    Flag(bool),
    Count(usize),
    Text(String),
    Texts(Vec<String>),
}

/// What a number may be, in words.
const NUMBER: &str = "a whole number that is not negative, or \"none\"";

impl Setting {
    /// The value that this text stands for.
    #[must_use]
    pub fn written<'g>(&self, text: &'g str) -> Given<'g> {
        match (&self.kind, text) {
            (Kind::Flag(_), "true") => Given::Flag(true),
            (Kind::Flag(_), "false") => Given::Flag(false),
            (Kind::Several(..) | Kind::Own(_), _) => Given::Texts(vec![text.to_owned()]),
            _ => Given::Text(text),
        }
    }

    /// The value, if it has the type of this option.
    pub(crate) fn value(&self, given: Given<'_>) -> Result<Value, Wrong> {
        let wrong = |what: &str| Err(Wrong::of_type(format!("expected {what}")));
        match (&self.kind, given) {
            (Kind::Flag(_), Given::Flag(flag)) => Ok(Value::Flag(flag)),
            (Kind::Flag(_), _) => wrong("true or false"),
            (Kind::Count(_) | Kind::Limit, Given::Count(count)) => Ok(Value::Count(count)),
            (Kind::Count(_) | Kind::Limit, Given::Text(text)) => match limit(text) {
                Ok(count) => Ok(Value::Count(count)),
                Err(message) => Err(Wrong::of_value(message.into())),
            },
            (Kind::Count(_) | Kind::Limit, _) => wrong(NUMBER),
            (Kind::Status, given) => {
                let status = match given {
                    Given::Count(status) => Some(status),
                    Given::Text(text) => text.parse().ok(),
                    _ => None,
                };
                match status {
                    Some(status @ 100..=999) => Ok(Value::Count(status)),
                    _ => wrong("an HTTP status, from 100 to 999"),
                }
            }
            (Kind::Choice(..) | Kind::Url(_), Given::Text(text)) => Ok(Value::Text(text.to_owned())),
            (Kind::Choice(names, _), _) => wrong(&format!("one of {}", names.join(", "))),
            (Kind::Url(_), _) => wrong("a URL"),
            (Kind::Several(..) | Kind::Own(_), Given::Texts(texts)) => Ok(Value::Texts(texts)),
            (Kind::Several(..) | Kind::Own(_), _) => wrong("an array of texts"),
        }
    }
}

/// A number, or `none`.
fn limit(text: &str) -> Result<usize, &'static str> {
    if text == "none" {
        return Ok(usize::MAX);
    }
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    match text.parse() {
        Ok(number) if is_number => Ok(number),
        _ => Err("write a whole number, for example 1000, or `none`"),
    }
}
