//! The commands for the gate: `fetch`, `check`, `site`, `page` and `serve`.
//!
//! Invariant: the gate decides. These commands turn flags into a gate, and answers into lines. The cargo feature `gate`
//! turns all of them on or off.

mod answers;
mod apart;
mod args;
mod asker;
mod check;
mod fetch;
mod http;
mod identity;
mod page;
mod serve;
mod site;

pub(crate) use args::GateCommand;

use crate::exit::{Code, Failure};

pub(crate) fn run(command: &GateCommand) -> Result<Code, Failure> {
    apart::check(command)?;
    match command {
        GateCommand::Fetch(args) => fetch::run(args),
        GateCommand::Check(args) => check::run(args),
        GateCommand::Site(args) => site::run(args),
        GateCommand::Page(args) => page::run(args),
        GateCommand::Serve(args) => serve::run(args),
    }
}
