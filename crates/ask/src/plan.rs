//! [`Plan`]: what the options of a caller mean, ready for any number of files.
//!
//! Invariant: no file is opened here. Each question reads a file under the same plan in the same way, so `explain` and
//! `inspect` describe what `filter` writes. Verdicts read the whole file: without the default limits, but within those
//! that were given.

use robosieve::records::AnsweredBy;
use robosieve::report::FindingClass;
use robosieve::settings::{Interest, Refused};
use robosieve::verdict::SiteAccess;
use robosieve::{Agents, Options, Sieve, Sieved};
use robosieve_explain::{Asked, Crawler, Explainer, Groups, Names, Who};

/// How files are read, and for which agents.
#[derive(Clone, Debug)]
pub struct Plan {
    /// For texts.
    pub options: Options,
    /// For verdicts.
    pub verdicts: Options,
    /// Whether a known crawler uses the groups that its owner documents.
    pub known: bool,
    /// Whether the groups for `*` apply if no group names one of the agents.
    pub fallback: bool,
    /// Whose groups apply; those of a crawler that no group names, if no agent is named.
    pub groups: Groups,
    /// Whether texts have the groups of all agents.
    pub all_agents: bool,
    /// The status of the file's response, if it was given.
    pub status: Option<u16>,
    /// What makes a file refused.
    pub fail_on: Vec<FindingClass>,
}

impl Default for Plan {
    fn default() -> Self {
        Self {
            options: Options::default(),
            verdicts: Options::default().for_verdicts(),
            known: true,
            fallback: true,
            groups: Interest::everyone().into(),
            all_agents: false,
            status: None,
            fail_on: Vec::new(),
        }
    }
}

impl Plan {
    /// The same plan for these agents, the most preferred first; without any, for all.
    #[must_use]
    pub fn for_agents(mut self, agents: Option<Agents>) -> Self {
        match agents {
            Some(agents) => {
                self.groups = self.groups_of(agents);
                self.options = self.groups.options(self.options);
                self.verdicts = self.groups.options(self.verdicts);
            }
            None => self.all_agents = true,
        }
        self
    }

    /// The same for a file of which only a part came.
    #[must_use]
    pub const fn incomplete(mut self) -> Self {
        (self.options.complete, self.verdicts.complete) = (false, false);
        self
    }

    /// Whose groups apply to these agents.
    #[must_use]
    pub fn groups_of(&self, agents: impl Into<Agents>) -> Groups {
        self.names().groups(agents).fallback(self.fallback).form(self.verdicts.agents)
    }

    /// How names of agents are read.
    #[must_use]
    pub const fn names(&self) -> Names {
        if self.known { Names::Known } else { Names::Plain }
    }

    /// Whose group a text has.
    #[must_use]
    pub fn who(&self, answered_by: AnsweredBy) -> Who {
        if self.all_agents { Who::all() } else { Who::new(answered_by, &self.groups) }
    }

    /// What the status of the file's response means.
    #[must_use]
    pub fn access(&self) -> SiteAccess {
        self.status.map_or(SiteAccess::Rules, |status| SiteAccess::of_status(status, &self.options))
    }

    /// For texts.
    #[must_use]
    pub fn sieve(&self) -> Sieve {
        let sieve =
            if self.all_agents { Sieve::all_agents() } else { Sieve::for_agents(self.groups.interest().clone()) };
        sieve.options(self.options.clone())
    }

    /// The text of a file, that [`Plan::sieve`] made.
    #[must_use]
    pub fn text(&self, sieved: Sieved<'_>) -> String {
        if self.all_agents && !self.options.complete {
            return Crawler::text_of_part(&self.sieve(), &sieved);
        }
        sieved.into_text()
    }

    /// The same for pages, inspections and comparisons. They call nothing lost that decides verdicts.
    #[must_use]
    pub fn explainer(&self) -> Explainer {
        let explainer = if self.all_agents { Explainer::all_agents() } else { Explainer::for_agents(&self.groups) };
        explainer.options(self.verdicts.clone())
    }

    /// The file, to be asked for verdicts. The status decides, if it was given and says so.
    ///
    /// # Errors
    /// If the options refuse the file.
    pub fn asked<'a>(&self, bytes: &'a [u8]) -> Result<Asked<'a>, Refused> {
        Asked::read(bytes, &self.verdicts, &self.groups, self.access())
    }
}
