//! Reads the file of settings for single hosts.
//!
//! Invariant: a file that is not wholly understood is refused, with the line. No setting is left out silently.

use std::path::Path;

use robosieve_gate::ask::Overrides;
use robosieve_gate::decide::Lifetimes;
use robosieve_gate::retrieve::Connections;

use super::args::PolicyArgs;
use crate::exit::{self, Failure};
use crate::{input, text};

/// The most bytes of a file of certificates. Our choice: 16 MiB. All of Mozilla's take 200,000.
pub(super) const MAX_PEM: usize = 16 << 20;
/// The longest file: 16 MiB (our choice). It holds more hosts than [`Overrides::MAX_HOSTS`].
const MAX_BYTES: usize = 16 << 20;

impl PolicyArgs {
    /// What is different for single hosts: the file, and the hosts whose robots.txt is ignored.
    pub(super) fn overrides(&self) -> Result<Overrides, Failure> {
        let read = self.overrides.as_deref().map(read).transpose()?.unwrap_or_default();
        self.ignore_robots_txt.iter().try_fold(read, |overrides, host| {
            overrides.ignoring(host).map_err(|error| {
                Failure::Usage(format!("--ignore-robots-txt {}: {error}", text::escape(host.as_bytes())))
            })
        })
    }

    /// Warns if certificates are not checked, or if files may be used for longer than the standard says.
    pub(super) fn warn(&self, overrides: &Overrides) {
        warn_of_insecure(overrides);
        let leaves = |time| Lifetimes::default().recheck_after(time).leaves_standard();
        let of_hosts = overrides.iter().filter(|(_, own)| own.recheck_after.is_some_and(leaves)).count();
        let whose = match (self.lifetimes().leaves_standard(), of_hosts) {
            (true, _) => String::new(),
            (false, 0) => return,
            (false, hosts) => format!(" of {}", text::counted_len(hosts, "host", "hosts")),
        };
        exit::tell(&format!(
            "robots.txt files{whose} may be used for more than 24 hours, and RFC 9309 2.4 says not to do so"
        ));
    }
}

/// The connections that are different for single hosts. The files of certificates are named as seen from the file of
/// settings.
pub(super) fn connections(
    file: Option<&Path>,
    overrides: &Overrides,
    all: Connections,
) -> Result<Connections, Failure> {
    // `./-` is a file, and `-` the standard input.
    let folder = file.and_then(Path::parent).filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
    overrides.connections(all, |path| {
        let pem = input::read_whole(&folder.join(path), MAX_PEM)?;
        if pem.bytes.len() > MAX_PEM {
            return Err(Failure::Io(format!("{}: is longer than {MAX_PEM} bytes; name a certificate", pem.name)));
        }
        Ok(pem.bytes)
    })
}

/// Warns if certificates are not checked.
pub(super) fn warn_of_insecure(overrides: &Overrides) {
    let insecure = overrides.iter().filter(|(_, own)| own.insecure).count();
    if insecure > 0 {
        let hosts = text::counted_len(insecure, "host", "hosts");
        exit::tell(&format!("certificates of {hosts} are not checked: whoever is on the way can answer for them"));
    }
}

pub(super) fn read(path: &Path) -> Result<Overrides, Failure> {
    if input::is_stdin(path) {
        return Err(Failure::Usage("--overrides needs a file: the standard input is for URLs".into()));
    }
    let file = input::read_whole(path, MAX_BYTES)?;
    let wrong = |message: &str| Failure::Io(format!("{}: {}", file.name, text::harmless(message)));
    if file.bytes.len() > MAX_BYTES {
        return Err(wrong(&format!("longer than {MAX_BYTES} bytes")));
    }
    let text = str::from_utf8(&file.bytes).map_err(|_| wrong("not UTF-8: save it as UTF-8"))?;
    toml::from_str(text).map_err(|error: toml::de::Error| {
        let before = error.span().and_then(|span| text.get(..span.start));
        let line = before.map(|before| before.matches('\n').count().saturating_add(1));
        let line = line.map_or(String::new(), |line| format!("line {line}: "));
        let message = error.message().trim_end().replace('\n', "; ");
        // TOML reads a name with dots and without quotes as tables in tables.
        let hint = if message.starts_with("unknown field") { "; a host's name needs quotes" } else { "" };
        wrong(&format!("{line}{message}{hint}"))
    })
}
