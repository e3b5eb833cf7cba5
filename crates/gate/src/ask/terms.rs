//! The settings that count for a host.
//!
//! Invariant: they are made when the core is made. A question looks them up and changes nothing.

use std::sync::Arc;

use robosieve::agent::Agents;

use crate::ask::overrides::{HostSettings, Overrides};
use crate::by_host::ByHost;
use crate::decide::lifetimes::Lifetimes;
use crate::decide::policy::Policy;
use crate::decide::reader::Reader;
use crate::origin::Origin;
use crate::pace::slots::Pace;

/// The settings of a host, or of all the others.
#[derive(Debug)]
pub(super) struct Terms {
    pub(super) reader: Arc<Reader>,
    pub(super) policy: Policy,
    pub(super) lifetimes: Lifetimes,
    pub(super) pace: Pace,
    pub(super) ignores_robots_txt: bool,
    pub(super) is_insecure: bool,
}

impl Terms {
    fn with(&self, own: &HostSettings) -> Self {
        let agents = own.agents.as_ref().map(|names| names.iter().collect::<Vec<_>>());
        Self {
            reader: agents
                .map_or_else(|| Arc::clone(&self.reader), |names| Arc::new(self.reader.for_agents(Agents::new(names)))),
            policy: own.policy(&self.policy),
            lifetimes: own.lifetimes(self.lifetimes),
            pace: self.pace.with_pacing(own.pacing(*self.pace.pacing())),
            ignores_robots_txt: own.ignore_robots_txt,
            is_insecure: own.insecure,
        }
    }
}

/// The settings of all hosts.
#[derive(Debug)]
pub(super) struct AllTerms {
    pub(super) base: Terms,
    overrides: Overrides,
    by_host: ByHost<Terms>,
}

impl AllTerms {
    pub(super) fn new(base: Terms) -> Self {
        Self { base, overrides: Overrides::default(), by_host: ByHost::default() }
    }

    /// The same with other settings for all hosts, to which those of single hosts are added again.
    pub(super) fn changed(self, change: impl FnOnce(Terms) -> Terms) -> Self {
        Self { base: change(self.base), by_host: ByHost::default(), ..self }.added()
    }

    pub(super) fn with(self, overrides: Overrides) -> Self {
        Self { overrides, ..self }.added()
    }

    fn added(self) -> Self {
        let added = self.overrides.iter().map(|(name, own)| (name.to_owned(), self.base.with(own)));
        Self { by_host: added.collect(), ..self }
    }

    pub(super) fn of(&self, origin: &Origin) -> &Terms {
        self.by_host.of(origin.host()).unwrap_or(&self.base)
    }
}
