//! The names of lanes: which sites share one.
//!
//! Invariant: a registered domain has at most [`MOST`] lanes of its hosts, and then one for the rest, so that names cost
//! nothing else than their own domain's pace. A name keeps its lane while it is remembered.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, PoisonError};

use url::Host;

use crate::origin::Origin;
use crate::pace::pacing::{PaceBy, domain_of, host_name};

/// The most lanes of a registered domain. Our choice.
pub(crate) const MOST: usize = 1_000;

/// The most names that are remembered. Then all are forgotten. Our choice.
const MOST_NAMES: usize = 1_000_000;

#[derive(Debug, Default)]
pub(crate) struct Names {
    known: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    of_domain: HashMap<String, HashSet<String>>,
    count: usize,
}

impl Names {
    /// The lane of an origin.
    pub(crate) fn lane(&self, origin: &Origin, by: PaceBy) -> String {
        let name = host_name(origin.host());
        let Host::Domain(_) = origin.host() else { return name };
        let domain = domain_of(&name);
        if by == PaceBy::RegisteredDomain {
            return domain.to_owned();
        }
        if domain == name {
            return name;
        }
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.count >= MOST_NAMES {
            *known = Known::default();
        }
        let hosts = known.of_domain.entry(domain.to_owned()).or_default();
        if hosts.contains(&name) {
            return name;
        }
        if hosts.len() >= MOST {
            return format!("*.{domain}");
        }
        hosts.insert(name.clone());
        known.count = known.count.saturating_add(1);
        name
    }
}

/// The lane of a host's hold, where its requests are in one with others.
pub(crate) fn hold_of(origin: &Origin) -> String {
    format!("hold {}", host_name(origin.host()))
}
