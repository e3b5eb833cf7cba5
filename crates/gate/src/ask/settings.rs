//! How a crawler asks and reads.
//!
//! Invariant: everything has a default, which follows the standard.

use robosieve::Agents;
use url::Host;

use crate::decide::{Lifetimes, Policy, Reader};
use crate::pace::Pacing;
use crate::retrieve::{AddressGuard, RetrievalLimits};

/// The settings of a gate.
///
/// ```
/// use std::time::Duration;
/// use robosieve::Agents;
/// use robosieve_gate::Settings;
/// use robosieve_gate::decide::Preset;
///
/// let mut settings = Settings::new(Agents::new(["MyBot"]));
/// settings.policy = Preset::Strict.into();
/// settings.lifetimes.retry = Duration::from_secs(600);
/// settings.ignored.push(url::Host::parse("intranet.example").unwrap());
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Settings {
    /// The crawler's agents, in order of preference, and how files are read.
    pub reader: Reader,
    /// What answers mean.
    pub policy: Policy,
    /// How long they are valid, and when a failed site is asked again.
    pub lifetimes: Lifetimes,
    /// How requests are paced.
    pub pacing: Pacing,
    /// The limits of a retrieval.
    pub limits: RetrievalLimits,
    /// Which addresses and ports may be asked.
    pub guard: AddressGuard,
    /// The hosts whose robots.txt is ignored and not requested: everything is allowed, at the pace of the others. For
    /// hosts whose owner has agreed.
    pub ignored: Vec<Host<String>>,
    /// The memory for sites whose testers are ready, in bytes. Our choice: 128 MiB, for some 8,000 sites of the usual size.
    pub ready_bytes: u64,
}

impl Settings {
    /// The defaults for a crawler with these product tokens, in order of preference.
    pub fn new(agents: Agents) -> Self {
        Self {
            reader: Reader::new(agents),
            policy: Policy::default(),
            lifetimes: Lifetimes::default(),
            pacing: Pacing::default(),
            limits: RetrievalLimits::default(),
            guard: AddressGuard::global_only(),
            ignored: Vec::new(),
            ready_bytes: 128 << 20,
        }
    }
}

impl Default for Settings {
    /// For a crawler without a name: the rules for all.
    fn default() -> Self {
        Self::new(Agents::default())
    }
}
