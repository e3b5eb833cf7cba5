//! The commands that ask sites: `fetch`, `check`, `site` and `crawl-check`.
//!
//! Invariant: nothing is judged here; the gate answers, and these commands turn flags into a gate and answers into lines. All of it goes
//! with the cargo feature `gate`.

mod answers;
mod args;
mod asker;
mod check;
mod crawl;
mod feed;
mod fetch;
mod help;
mod identity;
mod names;
mod site;
mod told;
mod values;
mod waiting;

pub(crate) use args::GateCommand;

use crate::exit::{Code, Failure};

pub(crate) fn run(command: &GateCommand) -> Result<Code, Failure> {
    match command {
        GateCommand::Fetch(args) => fetch::run(args),
        GateCommand::Check(args) => check::run(args),
        GateCommand::Site(args) => site::run(args),
        GateCommand::CrawlCheck(args) => crawl::run(args),
    }
}
