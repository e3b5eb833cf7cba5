//! How a core is made, what can be set, and what can be looked at.
//!
//! Invariant: nothing here asks or learns.

use std::collections::HashSet;
use std::sync::{Arc, OnceLock};

use quick_cache::sync::Cache;
use robosieve::agent::Agents;
use url::Host;

use super::GateCore;
use crate::ask::counts::Counts;
use crate::ask::flight::Flight;
use crate::ask::known;
use crate::decide::lifetimes::Lifetimes;
use crate::decide::policy::Policy;
use crate::decide::reader::Reader;
use crate::keep::SharedStore;
use crate::moment::Moment;
use crate::origin::Origin;
use crate::pace::names::Names;
use crate::pace::pacing::{Pacing, host_name};
use crate::retrieve::address::AddressGuard;
use crate::retrieve::follow::{Follow, Then};
use crate::retrieve::limits::RetrievalLimits;

impl GateCore {
    /// Creates a core for a crawler with these product tokens, in order of preference. [`Policy`], [`Lifetimes`] and
    /// [`Pacing`] have their defaults, which follow the standard.
    #[must_use]
    pub fn new(store: impl Into<SharedStore>, agents: Agents) -> Self {
        Self {
            store: store.into(),
            reader: Arc::new(Reader::new(agents)),
            policy: Policy::default(),
            lifetimes: Lifetimes::default(),
            pacing: Pacing::default(),
            names: Names::default(),
            ignored: HashSet::new(),
            limits: RetrievalLimits::default(),
            guard: AddressGuard::global_only(),
            ready: known::ready(Self::READY_BYTES),
            flights: Arc::default(),
            troubles: Cache::new(10_000),
            clock: OnceLock::new(),
            counts: Counts::default(),
        }
    }

    /// Sets the reader.
    #[must_use]
    pub fn with_reader(self, reader: Reader) -> Self {
        Self { reader: Arc::new(reader), ready: known::ready(Self::READY_BYTES), ..self }
    }

    /// Sets the policy: your own, or a [`Preset`](crate::decide::Preset).
    #[must_use]
    pub fn with_policy(self, policy: impl Into<Policy>) -> Self {
        Self { policy: policy.into(), ..self }
    }

    /// Sets the lifetimes.
    #[must_use]
    pub fn with_lifetimes(self, lifetimes: Lifetimes) -> Self {
        Self { lifetimes, ..self }
    }

    /// Sets the pacing.
    #[must_use]
    pub fn with_pacing(self, pacing: Pacing) -> Self {
        Self { pacing, ..self }
    }

    /// Sets the limits of an [`Errand`](crate::ask::Errand).
    #[must_use]
    pub fn with_limits(self, limits: RetrievalLimits) -> Self {
        Self { limits, ..self }
    }

    /// Sets the address guard of an [`Errand`](crate::ask::Errand).
    #[must_use]
    pub fn with_guard(self, guard: AddressGuard) -> Self {
        Self { guard, ..self }
    }

    /// Sets the memory for sites whose testers are ready, in bytes, instead of [`GateCore::READY_BYTES`].
    #[must_use]
    pub fn with_ready_bytes(self, bytes: u64) -> Self {
        Self { ready: known::ready(bytes), ..self }
    }

    /// The store. A clone is the same store, for another gate.
    #[must_use]
    pub const fn store(&self) -> &SharedStore {
        &self.store
    }

    /// What this core did since it was made.
    #[must_use]
    pub const fn counts(&self) -> &Counts {
        &self.counts
    }

    /// The reader.
    #[must_use]
    pub fn reader(&self) -> &Reader {
        &self.reader
    }

    /// The policy.
    #[must_use]
    pub const fn policy(&self) -> &Policy {
        &self.policy
    }

    /// The lifetimes.
    #[must_use]
    pub const fn lifetimes(&self) -> &Lifetimes {
        &self.lifetimes
    }

    /// How requests are paced.
    #[must_use]
    pub const fn pacing(&self) -> &Pacing {
        &self.pacing
    }

    /// Begins the retrieval of a flight, with the core's limits and address guard.
    pub(crate) fn begin(&self, flight: &Flight, now: Moment) -> Then {
        Follow::begin(flight.origin(), self.limits, &self.guard, flight.held().clone(), now)
    }

    /// Sets the hosts whose robots.txt is ignored and not requested: everything is allowed, at the pace of the others.
    /// For hosts whose owner has agreed.
    #[must_use]
    pub fn ignoring(self, hosts: impl IntoIterator<Item = Host<String>>) -> Self {
        Self { ignored: hosts.into_iter().map(|host| host_name(&host)).collect(), ..self }
    }

    /// Whether the robots.txt of an origin is ignored.
    #[must_use]
    pub fn ignores_robots_txt(&self, origin: &Origin) -> bool {
        !self.ignored.is_empty() && self.ignored.contains(&host_name(origin.host()))
    }
}
