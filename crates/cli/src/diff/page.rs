//! `diff --html`: adds a comparison to a web page.
//!
//! Invariant: the page has the comparison that the exit code is of, and the doubts about its files.

use robosieve::Report;
use robosieve_ask::Plan;
use robosieve_explain::{AgentsDiff, ChangedFile, ChangesPage, exactness};

use super::{Compared, Found, parsed, parser};
use crate::exit::Failure;
use crate::input::Input;

/// Adds the comparison of two files, below a name, and with words about what happened to the file.
pub(super) fn add(
    page: &mut ChangesPage,
    compared: &Compared,
    plan: &Plan,
    (old, new): (&Input, &Input),
    (name, state): (&str, &str),
) -> Result<(), Failure> {
    let doubts: Vec<String> = [(old, Some(&compared.old)), (new, compared.new.as_ref())]
        .iter()
        .filter_map(|(input, report)| doubt(input, *report))
        .collect();
    let doubts = doubts.as_slice();
    let refused = |refused| Failure::refused(&new.name, refused);
    if let Found::All(diff) = &compared.found {
        let (old, new) = (&parsed(old, plan), &parsed(new, plan));
        page.add(&ChangedFile { name, state, old, new, diff, groups: None, doubts });
    } else {
        let groups = Some(&plan.groups);
        let interest = plan.groups.interest();
        let [old, new] = [old, new].map(|input| parser(input, plan).for_agents(interest.clone()).parse(&input.bytes));
        let (old, new) = (&old, &new);
        let diff = &AgentsDiff::of_one(old, new, &plan.groups).map_err(refused)?;
        page.add(&ChangedFile { name, state, old, new, diff, groups, doubts });
    }
    Ok(())
}

fn doubt(input: &Input, report: Option<&Report>) -> Option<String> {
    let report = report.filter(|report| !report.is_exact() || report.has_suspects())?;
    Some(format!("{}: {}", input.name, exactness(report)))
}
