//! Choices and agents -> the library's parts, ready to use on any number of files.
//!
//! Invariant: each command reads a file under the same plan in the same way, so that `test`, `explain` and `inspect` speak
//! of what `filter` writes.

use robosieve::{
    Access, Agents, ConfigError, Forbidden, Form, Interest, Newline, Options, OverLimit, Parser, RecordSet, Refused,
    Selection, Sieve, Tester, filter_for,
};

use crate::choices::Choices;

/// How files are read, and for whom.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) options: Options,
    pub(crate) interest: Interest,
    pub(crate) all_agents: bool,
    pub(crate) access: Access,
    /// What 401 and 403 mean.
    pub(crate) forbidden: Forbidden,
    newline: Newline,
    form: Form,
}

impl Plan {
    pub(crate) fn new(choices: &Choices, agents: Agents) -> Result<Self, ConfigError> {
        let forbidden = choices.forbidden.unwrap_or_else(|| choices.dialect.unwrap_or_default().forbidden());
        Ok(Self {
            options: choices.options()?,
            interest: Interest { agents, fallback: choices.fallback.unwrap_or(true) },
            all_agents: choices.all_agents.unwrap_or(false),
            access: choices.status.map_or(Access::Rules, |status| Access::of_status(status, forbidden)),
            forbidden,
            newline: choices.newline.unwrap_or_default(),
            form: choices.form.unwrap_or_default(),
        })
    }

    /// Octets of a file that have to be read.
    pub(crate) fn max_bytes(&self) -> usize {
        self.options.limits.max_bytes
    }

    pub(crate) fn sieve(&self) -> Sieve {
        let sieve = if self.all_agents {
            Sieve::all_agents()
        } else {
            Sieve::for_agents(self.interest.agents.clone()).fallback(self.interest.fallback)
        };
        sieve.options(self.options.clone()).newline(self.newline).form(self.form)
    }

    /// The records that can matter to the agents.
    pub(crate) fn records<'a>(&self, octets: &'a [u8]) -> RecordSet<'a> {
        Parser::new(self.options.clone()).for_agents(self.interest.clone()).parse(octets)
    }

    /// A tester, and whether its answers are those of the whole file.
    pub(crate) fn tester<'a>(&self, set: &RecordSet<'a>) -> Result<(Tester<'a>, bool), Refused> {
        let has_rules = self.access == Access::Rules;
        if has_rules && self.options.over_limit != OverLimit::Drop {
            // A tester refuses nothing; the filter knows what is to be refused.
            filter_for(set, &self.interest)?;
        }
        let selection = Selection::of(set, &self.interest);
        let is_exact = !has_rules || selection.report().is_exact();
        Ok((Tester::of(&selection, set.reading()).with_access(self.access), is_exact))
    }
}
