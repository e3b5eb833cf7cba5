//! The plan of a call: its options and its agents.
//!
//! Invariant: the names of options are those of the command's NDJSON. What a value means is known to the crate
//! `robosieve-ask` only.

use robosieve::agent::Agent;
use robosieve_ask::{Door, Plan, SETTINGS, Settings, Wrong};

use crate::frame::Frame;

/// Reads the options and the agents.
pub(crate) fn of(frame: &Frame<'_>) -> Result<Plan, Wrong> {
    let mut settings = Settings::default();
    for setting in SETTINGS.iter().filter(|setting| setting.doors == Door::Package) {
        if let Some(text) = frame.text(setting.name) {
            settings.set(Door::Package, setting.name, setting.written(text))?;
        }
    }
    let agents = frame.all("agent").next().map(|_| frame.all("agent").map(Agent::new).collect());
    Ok(Plan::new(&settings)?.for_agents(agents))
}
