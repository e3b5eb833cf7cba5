//! The commands for the gate: `fetch`, `check`, `site`, `page` and `serve`.
//!
//! Invariant: the gate decides. These commands turn flags into a gate, and answers into lines. The cargo feature `gate`
//! turns all of them on or off. What they read and write is checked before a file is opened, here for all of them.

mod answers;
mod args;
mod asker;
mod check;
mod fetch;
mod http;
mod identity;
mod page;
mod serve;
mod site;

use std::path::Path;

pub(crate) use args::GateCommand;
use robosieve_batch::files::Apart;

use crate::exit::{Code, Failure};
use crate::input;

pub(crate) fn run(command: &GateCommand) -> Result<Code, Failure> {
    expect_apart(command)?;
    match command {
        GateCommand::Fetch(args) => fetch::run(args),
        GateCommand::Check(args) => check::run(args),
        GateCommand::Site(args) => site::run(args),
        GateCommand::Page(args) => page::run(args),
        GateCommand::Serve(args) => serve::run(args),
    }
}

/// Checks that nothing is written that is also read, or twice.
fn expect_apart(command: &GateCommand) -> Result<(), Failure> {
    let mut apart = Apart::default();
    let (net, kept) = match command {
        GateCommand::Fetch(args) => {
            args.raw.iter().for_each(|raw| input::writes(&mut apart, raw));
            (&args.net, None)
        }
        GateCommand::Check(args) => {
            args.urls.iter().filter(|url| *url == "-").for_each(|_| apart.reads_stdin());
            (&args.ask.net, Some(&args.kept))
        }
        GateCommand::Serve(args) => {
            args.token_file.iter().for_each(|file| input::reads(&mut apart, file));
            (&args.ask.net, Some(&args.kept))
        }
        // They write no file but a store, and read none that could be it.
        GateCommand::Page(_) | GateCommand::Site(_) => return Ok(()),
    };
    net.root_cert.iter().for_each(|file| input::reads(&mut apart, file));
    // A store in a file, and what `SQLite` writes next to it.
    let store = kept.and_then(|kept| kept.store.as_ref());
    if let Some(store) = store.filter(|path| !path.to_string_lossy().contains("://")) {
        apart.writes(store);
        for suffix in ["-wal", "-shm", "-journal"] {
            let mut name = store.as_os_str().to_owned();
            name.push(suffix);
            apart.writes_aside(Path::new(&name));
        }
    }
    apart.check().map_err(|clash| Failure::Usage(clash.to_string()))
}
