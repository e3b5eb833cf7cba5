//! What the commands for the gate read and write.
//!
//! Invariant: checked before a file is opened, and the only place that knows it for all of these commands.

use std::path::Path;

use robosieve_batch::files::Apart;

use super::args::{GateCommand, NetArgs};
use crate::exit::Failure;
use crate::input;

/// Checks that nothing is written that is also read, or twice.
pub(super) fn check(command: &GateCommand) -> Result<(), Failure> {
    let mut used = Used::default();
    match command {
        GateCommand::Fetch(args) => {
            used.net(&args.net);
            used.writes(args.raw.as_deref());
        }
        GateCommand::Check(args) => {
            used.net(&args.ask.net);
            used.stores(args.kept.store.as_deref());
            used.reads(args.urls.iter().any(|url| url == "-").then_some(Path::new("-")));
        }
        // They write no file but a store, and read none that could be it.
        GateCommand::Page(_) | GateCommand::Site(_) => return Ok(()),
        GateCommand::Serve(args) => {
            used.net(&args.ask.net);
            used.reads(args.token_file.as_deref());
            used.stores(args.kept.store.as_deref());
        }
    }
    used.apart.check().map_err(|clash| Failure::Usage(clash.to_string()))
}

#[derive(Default)]
struct Used {
    apart: Apart,
}

impl Used {
    fn reads(&mut self, path: Option<&Path>) {
        match path {
            Some(path) if input::is_stdin(path) => self.apart.reads_stdin(),
            Some(path) => self.apart.reads(path),
            None => {}
        }
    }

    fn writes(&mut self, path: Option<&Path>) {
        match path {
            Some(path) if input::is_stdin(path) => self.apart.writes_stdout(),
            Some(path) => self.apart.writes(path),
            None => {}
        }
    }

    /// A store in a file, and what `SQLite` writes next to it.
    fn stores(&mut self, store: Option<&Path>) {
        let Some(store) = store.filter(|path| !path.to_string_lossy().contains("://")) else { return };
        self.apart.writes(store);
        for suffix in ["-wal", "-shm", "-journal"] {
            let mut name = store.as_os_str().to_owned();
            name.push(suffix);
            self.apart.writes_aside(Path::new(&name));
        }
    }

    fn net(&mut self, net: &NetArgs) {
        net.root_cert.iter().for_each(|path| self.reads(Some(path)));
    }
}
