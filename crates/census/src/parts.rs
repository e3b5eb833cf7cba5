//! What a folder of tables holds: the crawls, and the Parquet files of each.
//!
//! Invariant: a crawl that cannot be listed as a whole is an error, since an older one would answer for it.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use robosieve::printable::name_of;
use serde::Deserialize;

/// The names of the tables, which are those of their folders.
pub(crate) const TABLES: [&str; 4] = ["files", "policies", "names", "texts"];

/// What the name of a crawl's folder begins with, so that readers have a column `crawl`.
pub(crate) const CRAWL: &str = "crawl=";

/// The Parquet files of a crawl: those of each of the tables `files`, `policies`, `names` and `texts`.
#[derive(Clone, Debug, Default)]
pub struct Parts(pub [Vec<PathBuf>; 4]);

impl Parts {
    /// The name of the crawl that has this folder.
    #[must_use]
    pub fn crawl_of(folder: &str) -> &str {
        folder.strip_prefix(CRAWL).unwrap_or(folder)
    }

    /// Whether there is no file.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(Vec::is_empty)
    }

    /// The first part of a table that `files` has not: a run gives it its name there last.
    fn unfinished(&self) -> Option<&Path> {
        let [files, others @ ..] = &self.0;
        let known: HashSet<_> = files.iter().filter_map(|path| path.file_name()).collect();
        // Those of Spark have other names in each table.
        let is_ours =
            |path: &Path| path.file_stem().is_some_and(|stem| stem.as_encoded_bytes().iter().all(u8::is_ascii_digit));
        let lacks = |path: &Path| path.file_name().is_some_and(|name| !known.contains(name));
        others.iter().flatten().map(|path| &**path).find(|path| lacks(path) && (files.is_empty() || is_ours(path)))
    }

    /// Refuses a crawl with such a part.
    ///
    /// # Errors
    /// If there is one: its name, and what to do.
    pub fn finished(&self) -> io::Result<()> {
        let Some(part) = self.unfinished() else { return Ok(()) };
        let part = name_of(part);
        let why = "`files` has no such part: its run was interrupted: continue it with --resume";
        Err(io::Error::other(format!("{part}: {why}")))
    }
}

/// The parts of the crawls in a folder of tables, by the name of their folders; of one of them, if it is named. A crawl
/// is one that any table has: a run that was interrupted has some of them only. Tables that are getting their names are an
/// error.
pub(crate) fn parts(folder: &Path, only: Option<&str>) -> io::Result<BTreeMap<String, Parts>> {
    if let Some(naming) = entries(folder)?.iter().find(|path| is_named(path, ".part-", ".named")) {
        return Err(interrupted(naming, "its tables are getting their names, or the run was interrupted"));
    }
    let mut found: BTreeMap<String, Parts> = BTreeMap::new();
    for (place, table) in TABLES.iter().enumerate() {
        for crawl in listed(&folder.join(table))? {
            let name = crawl.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if only.is_some_and(|only| only != name) {
                continue;
            }
            if let Some(parts) = found.entry(name).or_default().0.get_mut(place) {
                *parts = parquet_in(&crawl)?;
            }
        }
    }
    for (name, parts) in &found {
        parts.finished()?;
        if parts.is_empty() {
            return Err(interrupted(&folder.join("files").join(name), "there are no tables: the run was interrupted"));
        }
    }
    Ok(found)
}

/// Refuses crawls that lack tables which a card has. Cost: reads all cards.
pub(crate) fn expect_of_cards(folder: &Path, found: &BTreeMap<String, Parts>) -> io::Result<()> {
    for card in entries(folder)?.iter().filter(|path| is_named(path, "card-", ".json")) {
        let Some(card_of) = Card::read(card) else { continue };
        let part = format!("{:05}.parquet", card_of.part);
        let is_there = |crawl: &String| {
            let files = found.get(&format!("{CRAWL}{crawl}")).and_then(|parts| parts.0.first());
            files.is_some_and(|files| files.iter().any(|path| path.ends_with(&part)))
        };
        if let Some(crawl) = card_of.rows.files.keys().find(|crawl| !is_there(crawl)) {
            let card = name_of(card);
            let why = format!("its tables of the crawl {crawl} are not there: put them back, or remove the card, too");
            return Err(io::Error::other(format!("{card}: {why}")));
        }
    }
    Ok(())
}

/// What a run says of itself that has not written its tables yet.
pub(crate) fn running(folder: &Path) -> Option<PathBuf> {
    entries(folder).unwrap_or_default().into_iter().find(|path| is_named(path, "part-", ".arguments.json"))
}

/// The crawls that a card says it is of.
#[derive(Deserialize)]
struct Card {
    part: u32,
    rows: Rows,
}

#[derive(Deserialize)]
struct Rows {
    files: BTreeMap<String, u64>,
}

impl Card {
    /// None for what is no card.
    fn read(path: &Path) -> Option<Self> {
        serde_json::from_slice(&fs::read(path).ok()?).ok()
    }
}

fn is_named(path: &Path, begins: &str, ends: &str) -> bool {
    path.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.starts_with(begins) && name.ends_with(ends))
}

fn interrupted(path: &Path, why: &str) -> io::Error {
    let path = name_of(path);
    io::Error::other(format!("{path}: {why}: continue it with --resume, or begin it again with --start-over"))
}

/// What is in a folder. Nothing if there is no folder.
pub(crate) fn entries(folder: &Path) -> io::Result<Vec<PathBuf>> {
    match fs::read_dir(folder) {
        Ok(found) => found.map(|entry| entry.map(|entry| entry.path())).collect(),
        Err(error) if error.kind() == io::ErrorKind::NotFound && fs::symlink_metadata(folder).is_err() => {
            Ok(Vec::new())
        }
        Err(error) => Err(error),
    }
}

/// What is in a folder, by name, but for what Spark and Hadoop keep there. Nothing if there is no folder.
pub(crate) fn listed(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let named = |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", name_of(folder)));
    let mut paths = entries(folder).map_err(named)?;
    paths.retain(|path| {
        path.file_name().is_some_and(|name| !matches!(name.as_encoded_bytes().first(), Some(b'.' | b'_')))
    });
    paths.sort();
    Ok(paths)
}

/// The Parquet files in a folder, by part. A number of more digits is a later one. Another file is an error: what it
/// has would be missing.
fn parquet_in(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = listed(folder)?;
    let is_part = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "parquet");
    if let Some(other) = found.iter().find(|path| !is_part(path)) {
        let other = name_of(other);
        return Err(io::Error::other(format!("{other}: is no Parquet: make tables without --format, or move it away")));
    }
    found.sort_by_key(|path| (path.as_os_str().len(), path.clone()));
    Ok(found)
}
