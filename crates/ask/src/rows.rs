//! [`SETTINGS`]: the table of options.
//!
//! Invariant: an option is one row of `data/settings.tsv`, and its type here. No other module names one, apart from the
//! few that have a meaning of their own for an interface.

use std::fmt::Display;
use std::str::FromStr;
use std::sync::LazyLock;

use robosieve::records::RuleKind;
use robosieve::settings::{
    ConfigError, Dialect, DirectiveScope, Leniency, Limits, OverLimit, Precedence, TextForm, Vocabulary,
};

use crate::plan::Plan;

/// Who can give an option: each interface has what those above it have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Door {
    /// The command line.
    Command,
    /// The options of an NDJSON request.
    Request,
    /// The packages for Python and JavaScript.
    Package,
}

/// Where the command has the flag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Nowhere: some commands have a flag of their own.
    Own,
    /// Among the first flags.
    First,
    /// Below "How the file is read".
    Reading,
    /// Below the limits.
    Limits,
    /// At commands that write texts.
    Texts,
    /// At commands that know the status of the file's response.
    Statuses,
}

type Set = fn(&mut Plan, &str) -> Result<(), String>;

/// The type of an option, and what it changes.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// True or false.
    Flag(fn(&mut Plan) -> &mut bool),
    /// A number, or no limit.
    Count(fn(&mut Plan) -> &mut usize),
    /// One of the library's limits, by its name.
    Limit,
    /// An HTTP status.
    Status,
    /// One of some names.
    Choice(&'static [&'static str], Set),
    /// A URL.
    Url(Set),
    /// Some of these names. Each has words.
    Several(&'static [(&'static str, &'static str)], Set),
    /// Any number of texts of the caller's own.
    Own(Set),
}

/// An option.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// The name in every interface; in JavaScript, in camel case.
    pub name: &'static str,
    /// The name that it has in requests, too.
    pub other_name: &'static str,
    /// The flag of the command. A switch whose flag has another name is turned off by it.
    pub flag: &'static str,
    /// The name of the flag's value.
    pub value_name: &'static str,
    /// Who can give it.
    pub doors: Door,
    /// Where the command has its flag.
    pub place: Place,
    /// Its type.
    pub kind: Kind,
    /// The help of the flag.
    pub help: &'static str,
    /// What it is, for the types of packages.
    pub words: &'static str,
}

impl Setting {
    /// Whether it is one of the library's limits.
    #[must_use]
    pub const fn is_limit(&self) -> bool {
        matches!(self.kind, Kind::Limit)
    }

    /// A row of the table.
    fn read(row: &'static str) -> Option<Self> {
        let mut fields = row.split('\t');
        let mut next = || fields.next().unwrap_or_default();
        let (name, flag, value_name) = (next(), next(), next());
        let doors = match next() {
            "command" => Door::Command,
            "request" => Door::Request,
            _ => Door::Package,
        };
        let place = match next() {
            "own" => Place::Own,
            "first" => Place::First,
            "limits" => Place::Limits,
            "texts" => Place::Texts,
            "statuses" => Place::Statuses,
            _ => Place::Reading,
        };
        let (help, words, other) = (next(), next(), next());
        let other_name = if other.is_empty() { name } else { other };
        Some(Self { name, other_name, flag, value_name, doors, place, kind: kind(name)?, help, words })
    }
}

/// All options.
pub static SETTINGS: LazyLock<Vec<Setting>> = LazyLock::new(|| {
    let rows = include_str!("../data/settings.tsv").lines().filter(|row| !row.starts_with('#'));
    rows.filter_map(Setting::read).collect()
});

/// The type of an option. A test says that every row has one.
fn kind(name: &str) -> Option<Kind> {
    Some(match name {
        "fail_on" => Kind::Several(FAIL_ON, fail_on),
        // All other options are laid over it: see `Plan::new`.
        "dialect" => Kind::Choice(Dialect::NAMES, |_, name| read::<Dialect>(name).map(drop)),
        "order" => Kind::Choice(Precedence::NAMES, |plan, name| put(&mut plan.options.precedence, name)),
        "leniency" => Kind::Choice(Leniency::NAMES, |plan, name| {
            plan.options.vocabulary = Vocabulary::new(read(name)?);
            Ok(())
        }),
        "form" => Kind::Choice(TextForm::NAMES, |plan, name| put(&mut plan.options.form, name)),
        "newline" => Kind::Choice(NEWLINES, newline),
        "fallback" => Kind::Flag(|plan| &mut plan.fallback),
        "known" => Kind::Flag(|plan| &mut plan.known),
        "fold" => Kind::Flag(|plan| &mut plan.options.fold),
        "keep_trailing_spaces" => Kind::Flag(|plan| &mut plan.options.keep_trailing_spaces),
        "complement_leading_slash" => Kind::Flag(|plan| &mut plan.options.paths.complement_leading_slash),
        "decode_wildcard" => Kind::Flag(|plan| &mut plan.options.paths.decode_wildcard),
        "escaped_wildcard" => Kind::Flag(|plan| &mut plan.options.paths.escaped_wildcard),
        "keep_unknown" => Kind::Flag(|plan| &mut plan.options.keep_unknown),
        "any_line_ends_run" => Kind::Flag(|plan| &mut plan.options.any_line_ends_run),
        "complete" => Kind::Flag(|plan| &mut plan.options.complete),
        "base_url" => Kind::Url(|plan, url| {
            plan.options.base_url = Some(read(url)?);
            Ok(())
        }),
        "user_agent_names" => Kind::Own(|plan, name| words(plan, |words| words.with_user_agent_name(name))),
        "directives" => Kind::Own(|plan, text| {
            let own: OwnDirective = text.parse()?;
            words(plan, |words| own.add_to(words))
        }),
        "max_findings" => Kind::Count(|plan| &mut plan.options.max_details),
        "over_limit" => Kind::Choice(OverLimit::NAMES, |plan, name| put(&mut plan.options.over_limit, name)),
        "all_agents" => Kind::Flag(|plan| &mut plan.all_agents),
        "status" => Kind::Status,
        "forbidden" => Kind::Choice(RuleKind::NAMES, |plan, name| {
            plan.options.forbidden = read(name)?;
            Ok(())
        }),
        name if Limits::NAMES.contains(&name) => Kind::Limit,
        _ => return None,
    })
}

/// The findings that can refuse a file.
const FAIL_ON: &[(&str, &str)] = &[
    ("suspect", "It looks like no robots.txt, or a line of it like a rule that it is not"),
    ("loss", "A limit cost it something that may change an answer"),
    ("repair", "A line was read otherwise than it is spelled"),
];

fn fail_on(plan: &mut Plan, name: &str) -> Result<(), String> {
    if !FAIL_ON.iter().any(|known| known.0 == name) {
        return Err(format!(
            "there are no such findings: write {}",
            FAIL_ON.iter().map(|known| known.0).collect::<Vec<_>>().join(", ")
        ));
    }
    plan.fail_on.push(read(name)?);
    Ok(())
}

fn read<T: FromStr<Err: Display>>(text: &str) -> Result<T, String> {
    text.parse().map_err(|error: T::Err| error.to_string())
}

fn put<T: FromStr<Err: Display>>(place: &mut T, text: &str) -> Result<(), String> {
    *place = read(text)?;
    Ok(())
}

const NEWLINES: &[&str] = &["lf", "crlf"];

/// Sets the line ending of a text.
fn newline(plan: &mut Plan, name: &str) -> Result<(), String> {
    let place = NEWLINES.iter().position(|known| *known == name);
    let unknown = || ConfigError::UnknownName { what: "a line ending", name: name.into(), names: NEWLINES };
    plan.options.crlf = place.ok_or_else(|| unknown().to_string())? == 1;
    Ok(())
}

/// Changes the vocabulary of a plan.
fn words(plan: &mut Plan, change: impl FnOnce(Vocabulary) -> Result<Vocabulary, ConfigError>) -> Result<(), String> {
    let words = change(plan.options.vocabulary.clone());
    plan.options.vocabulary = words.map_err(|error| error.to_string())?;
    Ok(())
}

/// A directive of the caller's own: `NAME[:record|file][:text|path]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnDirective {
    name: String,
    scope: DirectiveScope,
    is_path: bool,
}

impl OwnDirective {
    /// Adds the directive to a vocabulary.
    ///
    /// # Errors
    /// If the vocabulary has the name for something else.
    pub fn add_to(&self, words: Vocabulary) -> Result<Vocabulary, ConfigError> {
        let add = if self.is_path { Vocabulary::with_path_directive } else { Vocabulary::with_directive };
        add(words, &self.name, self.scope)
    }
}

impl FromStr for OwnDirective {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut parts = text.split(':');
        let name = parts.next().unwrap_or_default().to_owned();
        let mut own = Self { name, scope: DirectiveScope::Record, is_path: false };
        for part in parts {
            match part {
                "record" => own.scope = DirectiveScope::Record,
                "file" => own.scope = DirectiveScope::File,
                "text" => own.is_path = false,
                "path" => own.is_path = true,
                _ => {
                    return Err("write NAME, NAME:record or NAME:file; add :path if its value is a path".into());
                }
            }
        }
        own.add_to(Vocabulary::new(Leniency::Strict)).map_err(|error| error.to_string())?;
        Ok(own)
    }
}
