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

type Set = fn(&mut Plan, &str) -> Result<(), String>;

/// The type of an option, and what it changes.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// True or false.
    Flag(fn(&mut Plan) -> &mut bool),
    /// A number, or no limit. The function also gets the name of the option, since one serves all limits.
    Count(for<'p> fn(&'p mut Plan, &str) -> Option<&'p mut usize>),
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
    /// Where the command has its flag: `own`, `first`, `reading`, `limits`, `texts` or `statuses`.
    pub place: &'static str,
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
    pub fn is_limit(&self) -> bool {
        Limits::NAMES.contains(&self.name)
    }

    /// A row of the table.
    fn read(row: &'static str) -> Option<Self> {
        let fields: Vec<&str> = row.split('\t').collect();
        let &[name, flag, value_name, doors, place, help, words, other] = fields.as_slice() else { return None };
        let doors = match doors {
            "command" => Door::Command,
            "request" => Door::Request,
            _ => Door::Package,
        };
        let other_name = if other.is_empty() { name } else { other };
        Some(Self { name, other_name, flag, value_name, doors, place, kind: kind(name)?, help, words })
    }
}

/// All options. A line of the table with other fields is a comment.
pub static SETTINGS: LazyLock<Vec<Setting>> =
    LazyLock::new(|| include_str!("../data/settings.tsv").lines().filter_map(Setting::read).collect());

/// The type of an option. A test says that every row has one.
fn kind(name: &str) -> Option<Kind> {
    Some(match name {
        "fail_on" => Kind::Several(FAIL_ON, fail_on),
        // All other options are laid over it: see `Plan::new`.
        "dialect" => Kind::Choice(Dialect::NAMES, |_, name| read::<Dialect>(name).map(drop)),
        "order" => Kind::Choice(Precedence::NAMES, |plan, name| read(name).map(|it| plan.options.precedence = it)),
        "leniency" => Kind::Choice(Leniency::NAMES, |plan, name| {
            read(name).map(|it| plan.options.vocabulary = Vocabulary::new(it))
        }),
        "form" => Kind::Choice(TextForm::NAMES, |plan, name| read(name).map(|it| plan.options.form = it)),
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
        "base_url" => Kind::Url(|plan, url| read(url).map(|it| plan.options.base_url = Some(it))),
        "user_agent_names" => Kind::Own(|plan, name| {
            let words = plan.options.vocabulary.clone().with_user_agent_name(name);
            words.map(|words| plan.options.vocabulary = words).map_err(|error| error.to_string())
        }),
        "directives" => Kind::Own(|plan, text| {
            let words = with_directive(plan.options.vocabulary.clone(), text);
            words.map(|words| plan.options.vocabulary = words)
        }),
        "max_findings" => Kind::Count(|plan, _| Some(&mut plan.options.max_details)),
        "over_limit" => Kind::Choice(OverLimit::NAMES, |plan, name| read(name).map(|it| plan.options.over_limit = it)),
        "all_agents" => Kind::Flag(|plan| &mut plan.all_agents),
        "status" => Kind::Status,
        "forbidden" => Kind::Choice(RuleKind::NAMES, |plan, name| read(name).map(|it| plan.options.forbidden = it)),
        name if Limits::NAMES.contains(&name) => Kind::Count(|plan, name| plan.options.limits.named_mut(name)),
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
    let known: Vec<&str> = FAIL_ON.iter().map(|known| known.0).collect();
    if !known.contains(&name) {
        return Err(format!("there are no such findings: write {}", known.join(", ")));
    }
    read(name).map(|class| plan.fail_on.push(class))
}

fn read<T: FromStr<Err: Display>>(text: &str) -> Result<T, String> {
    text.parse().map_err(|error: T::Err| error.to_string())
}

const NEWLINES: &[&str] = &["lf", "crlf"];

/// Sets the line ending of a text.
fn newline(plan: &mut Plan, name: &str) -> Result<(), String> {
    let unknown = || ConfigError::UnknownName { what: "a line ending", name: name.into(), names: NEWLINES }.to_string();
    let place = NEWLINES.iter().position(|known| *known == name).ok_or_else(unknown);
    place.map(|place| plan.options.crlf = place == 1)
}

/// Adds a directive of the caller's own to a vocabulary: `NAME[:record|file][:text|path]`.
///
/// # Errors
/// What to write instead, or if a vocabulary has the name for something else.
pub fn with_directive(words: Vocabulary, text: &str) -> Result<Vocabulary, String> {
    let mut parts = text.split(':');
    let name = parts.next().unwrap_or_default();
    let (mut scope, mut is_path) = (DirectiveScope::Record, false);
    for part in parts {
        match part {
            "record" => scope = DirectiveScope::Record,
            "file" => scope = DirectiveScope::File,
            "text" => is_path = false,
            "path" => is_path = true,
            _ => return Err("write NAME, NAME:record or NAME:file; add :path if its value is a path".into()),
        }
    }
    let add = if is_path { Vocabulary::with_path_directive } else { Vocabulary::with_directive };
    // What is wrong in every vocabulary is said first.
    let added = add(Vocabulary::new(Leniency::Strict), name, scope).and_then(|_| add(words, name, scope));
    added.map_err(|error| error.to_string())
}
