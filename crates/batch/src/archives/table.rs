//! What a run makes of its files, apart from texts: the answers for URLs, and the rows of a table.
//!
//! Invariant: the rows of a file depend on its record and its bytes, so their order is that of the input. An answer is
//! that of the command's `test`: from the whole file, within the options for verdicts. A record whose rules are not
//! known has none.

use std::fmt;

use robosieve::Options;
use robosieve::report::InputKind;
use robosieve::settings::Refused;
use robosieve::verdict::SiteAccess;
use robosieve_explain::{Asked, Groups, Tested, target};
use robosieve_printable::escape;

use super::record::Record;

/// Makes the rows of files. `Debug` shows everything that the rows depend on: a run that continues another one compares
/// it.
pub trait Table: fmt::Debug + Send + Sync {
    /// Adds the rows of a file. `bytes`: the file, if there is one, and whether it is whole. The record has what is
    /// known of it. Returns what the file looks like.
    fn add(&self, record: &Record, bytes: Option<(&[u8], bool)>, out: &mut Vec<u8>) -> Option<InputKind>;
}

/// The URLs that each file of a run is asked about, or why one cannot be asked.
pub(crate) fn checked(urls: impl IntoIterator<Item = impl Into<String>>) -> Result<Vec<String>, String> {
    let urls: Vec<String> = urls.into_iter().map(Into::into).collect();
    for url in &urls {
        let shown = escape(url.as_bytes());
        target::check(url.as_bytes()).map_err(|why| format!("`{shown}` cannot be tested as a URL: {why}"))?;
        // A file answers for its own site only.
        if !url.starts_with(['/', '?']) || url.starts_with("//") {
            return Err(format!("`{shown}` names a host: each file is of a site of its own, so write a path, as `/`"));
        }
    }
    Ok(urls)
}

/// The answers of a file.
pub(crate) fn answers(
    urls: &[String],
    bytes: &[u8],
    options: &Options,
    groups: &Groups,
    access: SiteAccess,
) -> Result<Vec<Tested>, Refused> {
    if let [url] = urls {
        return Ok(vec![Asked::once(bytes, options, groups, access, url.as_bytes())?.0]);
    }
    let asked = Asked::read(bytes, options, groups, access)?;
    Ok(urls.iter().map(|url| asked.tested(url.as_bytes())).collect())
}
