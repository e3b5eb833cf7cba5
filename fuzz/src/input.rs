//! The input of a target: choices, and a file.
//!
//! Invariant: every choice that a caller can make is possible, and small limits are as likely as large ones.

use std::fmt;

use arbitrary::{Arbitrary, Result, Unstructured};
use robosieve::Options;
use robosieve::settings::{
    Dialect, DirectiveScope, For, Leniency, Limits, OverLimit, Precedence, TextForm, Vocabulary,
};

use crate::document::Document;
use crate::properties::Choices;

const AGENTS: &[&[&str]] =
    &[&["MyBot"], &["MyBot-Image", "MyBot"], &["Googlebot"], &[], &["MJ12bot", "008"], &["MyBot.x"], &["*"], &[""]];

/// Choices and a file.
#[derive(Clone)]
pub struct Input {
    /// How the file is parsed.
    pub choices: Choices,
    /// The file.
    pub file: Vec<u8>,
}

impl fmt::Debug for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#?}\n\"{}\"", self.choices, self.file.escape_ascii())
    }
}

impl<'a> Arbitrary<'a> for Input {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
        let choices = choices(u)?;
        let is_document = !u.ratio(1_u8, 4)?;
        let file = if is_document { Document::arbitrary(u)?.as_bytes().to_vec() } else { u.bytes(u.len())?.to_vec() };
        Ok(Self { choices, file })
    }
}

/// Any choices.
fn choices(u: &mut Unstructured<'_>) -> Result<Choices> {
    let mut options = Dialect::arbitrary(u)?.options();
    if u.arbitrary()? {
        options = mixed(u, &options)?;
    }
    options.limits = limits(u, options.limits)?;
    options.over_limit = OverLimit::arbitrary(u)?;
    options.precedence = if u.ratio(1_u8, 4)? { Precedence::FileOrder } else { Precedence::LongestMatch };
    options.keep_unknown = u.arbitrary()?;
    options.max_details = *u.choose(&[100, 100, 0, 1, 3, usize::MAX])?;
    let mut choices = Choices::new(options, u.choose(AGENTS)?);
    choices.fallback = !u.ratio(1_u8, 8)?;
    choices.form = TextForm::arbitrary(u)?;
    choices.crlf = u.arbitrary()?;
    Ok(choices)
}

/// Choices that no dialect has.
fn mixed(u: &mut Unstructured<'_>, options: &Options) -> Result<Options> {
    let mut vocabulary = Vocabulary::new(Leniency::arbitrary(u)?);
    if u.arbitrary()? {
        vocabulary = vocabulary
            .with_directive("X-Throttle", DirectiveScope::Record)
            .and_then(|words| words.with_path_directive("Foo", DirectiveScope::File))
            .unwrap_or_default();
    }
    Ok(Options { vocabulary, agents: options.agents, reads_for: For::Text, ..Options::arbitrary(u)? })
}

fn limits(u: &mut Unstructured<'_>, of_dialect: Limits) -> Result<Limits> {
    match u.int_in_range(0..=5)? {
        0 | 1 => Ok(of_dialect),
        2 => Ok(Limits::NONE),
        3 => Limits::arbitrary(u),
        _ => small_limits(u),
    }
}

/// Each limit is either small or without effect.
fn small_limits(u: &mut Unstructured<'_>) -> Result<Limits> {
    let mut small =
        |most: usize, or: usize| -> Result<usize> { if u.arbitrary()? { Ok(or) } else { u.int_in_range(0..=most) } };
    let default = Limits::DEFAULT;
    Ok(Limits {
        max_records: small(4, default.max_records)?,
        max_lines: small(5, default.max_lines)?,
        max_user_agents: small(5, default.max_user_agents)?,
        max_directive_length: small(16, default.max_directive_length)?,
        max_name_length: small(9, default.max_name_length)?,
        max_value_length: small(24, default.max_value_length)?,
        max_wildcards: small(3, default.max_wildcards)?,
        max_bytes: small(200, default.max_bytes)?,
    })
}
