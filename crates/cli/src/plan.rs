//! Turns choices and agents into configured parts of the library, ready for any number of files.
//!
//! Invariant: no file is opened here. Each command reads a file under the same plan in the same way, so `explain` and
//! `inspect` describe what `filter` writes. `test` and `diff` read the whole file: without the default limits, but
//! within those that a flag sets.

use robosieve::report::FindingClass;
use robosieve::text::Newline;
use robosieve::verdict::SiteAccess;
use robosieve::{Agents, ConfigError, Options, Parser, Refused, Report, Selection, Sieve, Tester, TextForm};
use robosieve_explain::{Explainer, Groups, Names};

use crate::choices::Choices;

/// How files are read, and for which agents.
#[derive(Debug)]
pub(crate) struct Plan {
    /// For texts.
    pub(crate) options: Options,
    /// For verdicts.
    verdicts: Options,
    /// How names of agents are read.
    pub(crate) names: Names,
    pub(crate) groups: Groups,
    pub(crate) all_agents: bool,
    pub(crate) access: SiteAccess,
    /// What statuses mean.
    #[cfg(feature = "batch")]
    pub(crate) statuses: robosieve::verdict::StatusPolicy,
    /// What makes a file refused.
    pub(crate) fail_on: Vec<FindingClass>,
    pub(crate) newline: Newline,
    pub(crate) form: TextForm,
}

impl Plan {
    pub(crate) fn new(choices: &Choices, agents: Agents) -> Result<Self, ConfigError> {
        let mut statuses = choices.dialect.unwrap_or_default().statuses();
        statuses.forbidden = choices.forbidden.unwrap_or(statuses.forbidden);
        let names = choices.names();
        let groups = names.groups(agents).fallback(choices.fallback.unwrap_or(true));
        Ok(Self {
            options: groups.options(choices.options()?),
            verdicts: groups.options(choices.options_for_verdicts()?),
            groups,
            names,
            all_agents: choices.all_agents.unwrap_or(false),
            access: choices.status.map_or(SiteAccess::Rules, |status| SiteAccess::of_status(status, statuses)),
            #[cfg(feature = "batch")]
            statuses,
            fail_on: choices.fail_on.iter().flatten().map(|what| what.class()).collect(),
            newline: choices.newline.unwrap_or_default(),
            form: choices.form.unwrap_or_default(),
        })
    }

    /// The number of bytes to read of a file.
    pub(crate) fn max_bytes(&self) -> usize {
        self.options.limits.max_bytes
    }

    /// The options for verdicts.
    pub(crate) const fn verdicts(&self) -> &Options {
        &self.verdicts
    }

    pub(crate) fn sieve(&self) -> Sieve {
        self.sieve_under(&self.options)
    }

    /// The same for whole files, whose answers are compared.
    pub(crate) fn sieve_for_verdicts(&self) -> Sieve {
        self.sieve_under(&self.verdicts)
    }

    fn sieve_under(&self, options: &Options) -> Sieve {
        let sieve =
            if self.all_agents { Sieve::all_agents() } else { Sieve::for_agents(self.groups.interest().clone()) };
        sieve.options(options.clone()).newline(self.newline).form(self.form)
    }

    /// The same for pages and inspections. They call nothing lost that decides verdicts.
    pub(crate) fn explainer(&self) -> Explainer {
        let explainer = if self.all_agents { Explainer::all_agents() } else { Explainer::for_agents(&self.groups) };
        explainer.options(self.verdicts.clone())
    }

    /// A tester and its report. The report is empty if the status decides.
    pub(crate) fn tester<'a>(&self, bytes: &'a [u8]) -> Result<(Tester<'a>, Report), Refused> {
        let set = Parser::new(self.verdicts.clone()).for_agents(self.groups.interest().clone()).parse(bytes);
        let selection = Selection::of(&set, &self.groups);
        let has_rules = self.access == SiteAccess::Rules;
        if has_rules {
            selection.check()?;
        }
        let report = if has_rules { selection.report().clone() } else { Report::default() };
        Ok((Tester::of(&selection).with_access(self.access), report))
    }
}
