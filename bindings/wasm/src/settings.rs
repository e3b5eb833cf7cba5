//! The options of a call: how a file is read, and for which agents.
//!
//! Invariant: the names are those of the command's NDJSON. An option that was not given is the dialect's. JavaScript
//! has checked the names and the types; what a value means is known here only.

use std::str::FromStr;

use robosieve::policy::Precedence;
use robosieve::syntax::{Leniency, Vocabulary};
use robosieve::text::Newline;
use robosieve::value::HttpUrl;
use robosieve::{Agent, Agents, ConfigError, Dialect, Interest, Limits, Options, Sieve, TextForm};
use robosieve_explain::{Groups, Names};

use crate::error::Wrong;
use crate::frame::Frame;

/// How files are read.
pub(crate) struct Settings {
    /// For texts.
    pub(crate) options: Options,
    /// For verdicts: without limits, except `max_bytes` and those that were given.
    pub(crate) verdicts: Options,
    /// How names of agents are read.
    pub(crate) names: Names,
    /// The groups of the agents, if some are named.
    groups: Option<Groups>,
    form: TextForm,
    newline: Newline,
}

impl Settings {
    pub(crate) fn read(frame: &Frame<'_>) -> Result<Self, Wrong> {
        let options = named::<Dialect>(frame, "dialect")?.unwrap_or_default().options();
        let (verdicts, options) = (over(frame, options.clone().for_verdicts())?, over(frame, options)?);
        let agents: Agents = frame.all("agent").map(Agent::given).collect();
        let fallback = flag(frame, "fallback").unwrap_or(true);
        let names = if flag(frame, "known").unwrap_or(true) { Names::Known } else { Names::Plain };
        let has_agents = frame.all("agent").next().is_some();
        let groups = has_agents.then(|| names.groups(agents).fallback(fallback));
        let of = |options| {
            groups.as_ref().map_or_else(|| Options::clone(&options), |groups| groups.options(options.clone()))
        };
        Ok(Self {
            options: of(options),
            verdicts: of(verdicts),
            names,
            groups,
            form: named(frame, "form")?.unwrap_or_default(),
            newline: named(frame, "newline")?.unwrap_or_default(),
        })
    }

    /// The groups of the agents that were named.
    pub(crate) const fn named(&self) -> Option<&Groups> {
        self.groups.as_ref()
    }

    /// The groups of the agents that were named; if none were, those of a crawler that no group names.
    pub(crate) fn groups(&self) -> Groups {
        self.groups.clone().unwrap_or_else(|| Interest::everyone().into())
    }

    /// A sieve for texts; for all agents if none were named.
    pub(crate) fn sieve(&self) -> Sieve {
        self.sieve_with(&self.options)
    }

    /// The same for whole files, whose answers are compared.
    pub(crate) fn sieve_for_verdicts(&self) -> Sieve {
        self.sieve_with(&self.verdicts)
    }

    fn sieve_with(&self, options: &Options) -> Sieve {
        let sieve = self.groups.as_deref().cloned().map_or_else(Sieve::all_agents, Sieve::for_agents);
        sieve.options(options.clone()).form(self.form).newline(self.newline)
    }
}

/// One of the names of a choice, or another text that has a type.
fn named<T: FromStr<Err = ConfigError>>(frame: &Frame<'_>, name: &str) -> Result<Option<T>, Wrong> {
    frame.text(name).map(|text| text.parse().map_err(|error| Wrong::value(name, &error))).transpose()
}

fn flag(frame: &Frame<'_>, name: &str) -> Option<bool> {
    frame.text(name).map(|text| text == "true")
}

/// A whole number; anything else is no limit.
fn count(frame: &Frame<'_>, name: &str) -> Option<usize> {
    frame.text(name).map(|text| text.parse().unwrap_or(usize::MAX))
}

/// The options that were given over those of a dialect.
fn over(frame: &Frame<'_>, mut options: Options) -> Result<Options, Wrong> {
    let set = |place: &mut bool, name: &str| *place = flag(frame, name).unwrap_or(*place);
    set(&mut options.lines.fold, "fold");
    set(&mut options.lines.keep_trailing_spaces, "keep_trailing_spaces");
    set(&mut options.paths.complement_leading_slash, "complement_leading_slash");
    set(&mut options.paths.decode_wildcard, "decode_wildcard");
    set(&mut options.paths.escaped_wildcard, "escaped_wildcard");
    set(&mut options.keep_unknown, "keep_unknown");
    set(&mut options.any_line_ends_run, "any_line_ends_run");
    set(&mut options.complete, "complete");
    options.precedence = named::<Precedence>(frame, "order")?.unwrap_or(options.precedence);
    options.over_limit = named(frame, "over_limit")?.unwrap_or(options.over_limit);
    options.base_url = named::<HttpUrl>(frame, "base_url")?;
    if let Some(leniency) = named::<Leniency>(frame, "leniency")? {
        options.vocabulary = Vocabulary::new(leniency);
    }
    options.max_details = count(frame, "max_findings").unwrap_or(options.max_details);
    limit(frame, &mut options.limits);
    Ok(options)
}

fn limit(frame: &Frame<'_>, limits: &mut Limits) {
    for name in Limits::NAMES {
        if let Some((given, limit)) = count(frame, name).zip(limits.named_mut(name)) {
            *limit = given;
        }
    }
}
