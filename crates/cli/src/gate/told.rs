//! Reports each site whose file is suspect or truncated, once.
//!
//! Invariant: at most [`MOST`] sites are reported and remembered, for any number of URLs.

use std::collections::BTreeSet;

use robosieve_gate::{Findings, Origin};

use super::answers::doubts;
use crate::exit;

/// The maximum number of reported sites.
const MOST: usize = 20;

/// The sites reported so far.
#[derive(Debug, Default)]
pub(super) struct Told {
    sites: BTreeSet<String>,
    is_full: bool,
}

impl Told {
    /// Reports the problems of a URL's site, unless the site was reported before.
    pub(super) fn tell(&mut self, url: &str, findings: &Findings) {
        let (Some(why), Ok(origin)) = (doubts(findings), Origin::of(url)) else { return };
        let site = origin.robots_txt();
        if self.is_full || self.sites.contains(&site) {
            return;
        }
        if self.sites.len() < MOST {
            exit::tell(&format!("{site}: {why}"));
            self.sites.insert(site);
        } else {
            exit::tell("and more sites; --json has `input`, `suspects` and `exact` for each URL");
            self.is_full = true;
        }
    }
}
