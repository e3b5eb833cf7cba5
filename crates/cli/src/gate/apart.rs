//! What the commands for the gate read and write.
//!
//! Invariant: checked before a file is opened, and the only place that knows it for all of these commands.

use std::path::{Path, PathBuf};

use robosieve_batch::files::{Apart, FileId};
use robosieve_gate::retrieve::Connections;

use super::args::{GateCommand, NetArgs};
use super::overrides;
use crate::exit::Failure;
use crate::input;

/// Checks that nothing is written that is also read, or twice.
pub(super) fn check(command: &GateCommand) -> Result<(), Failure> {
    let mut used = Used::default();
    match command {
        GateCommand::Fetch(args) => {
            used.net(&args.net, args.overrides.as_deref());
            used.writes(args.raw.as_deref());
        }
        GateCommand::Check(args) => {
            used.net(&args.ask.net, args.ask.policy.overrides.as_deref());
            used.stores(args.kept.store.as_deref());
            used.reads(args.urls.iter().any(|url| url == "-").then_some(Path::new("-")));
        }
        GateCommand::Site(args) => {
            used.reads(args.policy.overrides.as_deref());
            used.stores(Some(&args.store));
            used.writes(args.raw.as_deref());
        }
        GateCommand::CrawlCheck(args) => {
            used.net(&args.ask.net, args.ask.policy.overrides.as_deref());
            used.reads(Some(&args.files_from));
            used.reads(args.acks.as_deref());
            used.stores(args.kept.store.as_deref());
            used.writes(args.metrics.as_deref());
        }
        // It writes no file.
        GateCommand::Page(_) => return Ok(()),
        GateCommand::Serve(args) => {
            used.net(&args.ask.net, args.ask.policy.overrides.as_deref());
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

    fn net(&mut self, net: &NetArgs, settings: Option<&Path>) {
        net.root_cert.iter().for_each(|path| self.reads(Some(path)));
        self.reads(settings);
        // What can be read only once is left to the command, and so is what is wrong with it.
        let settings = settings.filter(|path| FileId::of(path).is_some());
        settings.and_then(certificates).into_iter().flatten().for_each(|path| self.apart.reads(&path));
    }
}

/// The files that a file of settings names.
fn certificates(settings: &Path) -> Option<Vec<PathBuf>> {
    let folder = settings.parent().unwrap_or(Path::new(""));
    let mut named = Vec::new();
    let found = overrides::read(settings).ok()?;
    // No connection is made of them here.
    let _ = found.connections(Connections::default(), |path| {
        named.push(folder.join(path));
        Ok::<_, Failure>(Vec::new())
    });
    Some(named)
}
