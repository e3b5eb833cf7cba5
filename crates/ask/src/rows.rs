//! [`SETTINGS`]: the table of options.
//!
//! Invariant: an option is one row. No other module names one, apart from the few that have a meaning of their own for an
//! interface. Within each place, the order is that of the command's help.

use std::fmt::Display;
use std::str::FromStr;

use robosieve::records::RuleKind;
use robosieve::settings::{ConfigError, Dialect, Leniency, Newline, OverLimit, Precedence, TextForm, Vocabulary};

use crate::directive::OwnDirective;
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
    const fn new(name: &'static str, kind: Kind, help: &'static str, words: &'static str) -> Self {
        let (place, doors) = (Place::Reading, Door::Package);
        Self { name, other_name: name, flag: name, value_name: "", doors, place, kind, help, words }
    }

    const fn flag(mut self, flag: &'static str) -> Self {
        self.flag = flag;
        self
    }

    const fn value_name(mut self, value_name: &'static str) -> Self {
        self.value_name = value_name;
        self
    }

    const fn at(mut self, place: Place) -> Self {
        self.place = place;
        self
    }

    const fn only(mut self, doors: Door) -> Self {
        self.doors = doors;
        self
    }

    /// Whether it is one of the library's limits.
    #[must_use]
    pub const fn is_limit(&self) -> bool {
        matches!(self.kind, Kind::Limit)
    }
}

const fn limit(name: &'static str, help: &'static str, words: &'static str) -> Setting {
    Setting::new(name, Kind::Limit, help, words).value_name("N").at(Place::Limits)
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

/// Changes the vocabulary of a plan.
fn words(plan: &mut Plan, change: impl FnOnce(Vocabulary) -> Result<Vocabulary, ConfigError>) -> Result<(), String> {
    let words = change(plan.options.vocabulary.clone());
    plan.options.vocabulary = words.map_err(|error| error.to_string())?;
    Ok(())
}

/// All options.
pub static SETTINGS: &[Setting] = &[
    Setting::new(
        "fail_on",
        Kind::Several(FAIL_ON, fail_on),
        "Refuse a file with such findings (exit code 3): it is suspect, has a loss, or was repaired; separate several with commas",
        "",
    )
    .value_name("WHAT")
    .at(Place::First)
    .only(Door::Request),
    Setting::new(
        "dialect",
        // All other options are laid over it: see `Plan::new`.
        Kind::Choice(Dialect::NAMES, |_, name| read::<Dialect>(name).map(drop)),
        "Read the file like RFC 9309 (standard), like Google's parser (google; only the limits that you set), or like \
         the PHP filter robots-txt-processor (processor) [default: standard]",
        "Like RFC 9309, like Google's parser (without limits: set some), or like the filter robots-txt-processor.",
    ),
    Setting::new(
        "order",
        Kind::Choice(Precedence::NAMES, |plan, name| put(&mut plan.options.precedence, name)),
        "Which of the rules that match decides: the longest, and Allow before Disallow (RFC 9309), or the first in the \
         file. A text is exact for readers with the same order [default: longest-match]",
        "Which of the rules that match decides: the longest, or the first in the file.",
    ),
    Setting::new(
        "leniency",
        Kind::Choice(Leniency::NAMES, |plan, name| {
            plan.options.vocabulary = Vocabulary::new(read(name)?);
            Ok(())
        }),
        "Which misspelled directives are accepted [default: depends on the dialect; common for standard]",
        "Which misspelled directives are understood.",
    ),
    Setting::new(
        "form",
        Kind::Choice(TextForm::NAMES, |plan, name| put(&mut plan.form, name)),
        "Form of the text: faithful, for archives and RFC 9309 readers, or portable, for other testers: fewer and \
         simpler rules with the same results [default: faithful]",
        "Whom the text is for: readers that know the standard, or also those with bugs and without wildcards.",
    )
    .at(Place::Texts),
    Setting::new(
        "newline",
        Kind::Choice(Newline::NAMES, |plan, name| put(&mut plan.newline, name)),
        "Line ending of the text [default: lf]",
        "The line end of the text.",
    )
    .at(Place::Texts),
    Setting::new(
        "fallback",
        Kind::Flag(|plan| &mut plan.fallback),
        "Do not use the groups for `*` if no group names the agent",
        "Whether the groups for ``*`` apply if no group names one of the agents",
    )
    .flag("no-fallback"),
    Setting::new(
        "known",
        Kind::Flag(|plan| &mut plan.known),
        "Read names of agents as RFC 9309 does: no known crawler uses other groups than its name says, even if its owner \
         documents it. A text is exact for readers that do so too",
        "Whether a known crawler uses the groups that its owner documents, if it is named alone",
    )
    .flag("plain-names"),
    Setting::new(
        "fold",
        Kind::Flag(|plan| &mut plan.options.fold),
        "Do not join a line that begins with a space or tab to the line before",
        "Whether a line that begins with a blank continues the line before",
    )
    .flag("no-fold"),
    Setting::new(
        "keep_trailing_spaces",
        Kind::Flag(|plan| &mut plan.options.keep_trailing_spaces),
        "Keep spaces and tabs at the end of a path",
        "Whether blanks at the end of a path stay",
    ),
    Setting::new(
        "complement_leading_slash",
        Kind::Flag(|plan| &mut plan.options.paths.complement_leading_slash),
        "Do not add a missing leading slash to a path",
        "Whether a path without its first slash gets it",
    )
    .flag("no-leading-slash"),
    Setting::new(
        "decode_wildcard",
        Kind::Flag(|plan| &mut plan.options.paths.decode_wildcard),
        "Read `%2A` in a rule as a wildcard",
        "Whether ``%2A`` in a rule is a wildcard",
    ),
    Setting::new(
        "escaped_wildcard",
        Kind::Flag(|plan| &mut plan.options.paths.escaped_wildcard),
        "Do not count `%2A` against --max-wildcards",
        "Whether ``%2A`` counts as a wildcard for the limit",
    )
    .flag("no-escaped-wildcard"),
    Setting::new(
        "keep_unknown",
        Kind::Flag(|plan| &mut plan.options.keep_unknown),
        "Keep lines with an unknown directive",
        "Whether lines with an unknown directive are kept",
    ),
    Setting::new(
        "any_line_ends_run",
        Kind::Flag(|plan| &mut plan.options.any_line_ends_run),
        "Let any line end a run of user-agent lines, not only Allow and Disallow",
        "Whether any line ends a run of user-agent lines, not only Allow and Disallow",
    ),
    Setting::new(
        "complete",
        Kind::Flag(|plan| &mut plan.options.complete),
        "The input is not the whole file: a last line without its end is not read, and a group without a rule disallows \
         everything",
        "Whether the bytes are the whole file. Of a part, a last line without its end is not read, and a group without a \
         rule disallows everything",
    )
    .flag("incomplete"),
    Setting::new(
        "base_url",
        Kind::Url(|plan, url| {
            plan.options.base_url = Some(read(url)?);
            Ok(())
        }),
        "URL of the file or its site, to resolve a relative Sitemap; without it, a relative Sitemap is dropped",
        "The URL of the file or its site, to resolve a relative Sitemap.",
    )
    .value_name("URL"),
    Setting::new(
        "user_agent_names",
        Kind::Own(|plan, name| words(plan, |words| words.with_user_agent_name(name))),
        "Another name for the directive `User-agent`",
        "",
    )
    .flag("user-agent-name")
    .value_name("NAME")
    .only(Door::Command),
    Setting::new(
        "directives",
        Kind::Own(|plan, text| {
            let own: OwnDirective = text.parse()?;
            words(plan, |words| own.add_to(words))
        }),
        "Keep another directive. It applies to its group (`record`, the default) or to the whole `file`; its value is \
         text, or a path with `path`",
        "",
    )
    .flag("directive")
    .value_name("NAME[:record|file][:path]")
    .only(Door::Command),
    limit("max_bytes", "Bytes read of the file [default: 512000]", "Bytes that are read"),
    limit("max_records", "Groups read [default: none; 1000 with --dialect processor]", "Groups"),
    limit("max_lines", "Lines kept per group [default: none; 1000 with --dialect processor]", "Lines in a group"),
    limit("max_user_agents", "User-agent lines read [default: none; 1000 with --dialect processor]", "User-agent lines"),
    limit("max_directive_length", "Bytes in a directive's name [default: 32]", "Bytes of a directive's name"),
    limit("max_name_length", "Bytes in an agent's name [default: 200]", "Bytes of an agent's name"),
    limit("max_value_length", "Bytes in a value [default: 2000]", "Bytes of a value"),
    limit("max_wildcards", "Wildcards in a path [default: 10]", "Wildcards in a path"),
    Setting::new(
        "max_findings",
        Kind::Count(|plan| &mut plan.options.max_details),
        "Findings that a report shows in detail; it counts all [default: 100]",
        "How many findings a report has in detail. It counts all",
    )
    .value_name("N")
    .at(Place::Limits),
    Setting {
        other_name: "on_over_limit",
        ..Setting::new(
            "over_limit",
            Kind::Choice(OverLimit::NAMES, |plan, name| put(&mut plan.options.over_limit, name)),
            "What to do with a rule over a limit: drop it and report it, widen it so that it forbids more, or refuse the \
             file (exit code 3) [default: drop]",
            "What happens to a rule over a limit: it is dropped and reported, widened, or ``Refused`` is raised.",
        )
        .flag("on-over-limit")
        .at(Place::Limits)
    },
    Setting::new("all_agents", Kind::Flag(|plan| &mut plan.all_agents), "", "").at(Place::Own).only(Door::Request),
    Setting::new(
        "status",
        Kind::Status,
        "HTTP status of the file's response: 2xx uses the rules; otherwise FILE is not read: 4xx allows all, 5xx \
         disallows all",
        "",
    )
    .value_name("CODE")
    .at(Place::Statuses)
    .only(Door::Request),
    Setting::new(
        "forbidden",
        Kind::Choice(RuleKind::NAMES, |plan, name| {
            plan.options.forbidden = read(name)?;
            Ok(())
        }),
        "What the statuses 401 and 403 mean [default: depends on the dialect; allow for standard]",
        "",
    )
    .at(Place::Statuses)
    .only(Door::Request),
];
