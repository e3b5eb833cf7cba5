//! Draws how many sites are closed, over the crawls.
//!
//! Invariant: the lines are the crawlers that are closed most in the last crawl.

use std::path::Path;

use robosieve_explain::{ChartLine, line_chart};

use super::track::{LEVELS, Share};
use crate::exit::Failure;
use crate::text;

/// Refuses a name that says another form.
pub(super) fn expect_svg(path: &Path) -> Result<&Path, Failure> {
    if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("svg")) {
        return Ok(path);
    }
    Err(Failure::Usage(format!("{}: the chart is a picture: call it .svg", text::name_of(path))))
}

pub(super) fn draw(crawls: &[&str], agents: &[(String, Vec<Share>)]) -> String {
    let closed = LEVELS.len().saturating_sub(1);
    let last = |shares: &[Share]| shares.iter().rev().find(|share| share.sites > 0).map(|share| share.percent(closed));
    let mut chosen: Vec<_> = agents.iter().filter_map(|(name, shares)| Some((last(shares)?, name, shares))).collect();
    chosen.sort_by(|one, other| other.0.total_cmp(&one.0));
    let lines = chosen.into_iter().take(ChartLine::MOST).map(|(_, name, shares)| {
        let percent = shares.iter().map(|share| (share.sites > 0).then(|| share.percent(closed)));
        ChartLine { name: name.clone(), percent: percent.collect() }
    });
    line_chart("Sites that are closed as a whole", crawls, &lines.collect::<Vec<_>>())
}
