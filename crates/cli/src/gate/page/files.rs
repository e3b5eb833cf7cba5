//! The files of the page: those in the command, or those of a folder.
//!
//! Invariant: all files are read before the first request, so no request names a file of the machine.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;

use walkdir::WalkDir;

use crate::exit::Failure;
use crate::text;

pub(super) type Files = BTreeMap<String, Cow<'static, [u8]>>;

/// What the build put into the command.
const OWN: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/page.rs"));
/// The first page, and what only a complete folder has.
pub(super) const INDEX: &str = "index.html";
const MADE: &str = "robosieve/robosieve.wasm";
/// The number of files of a folder, and of their bytes. Our choice: the page has some 40 files and 700 kB.
const MAX_FILES: usize = 1_000;
const MAX_BYTES: u64 = 64 << 20;

/// The files of a folder; without one, those in the command.
pub(super) fn read(folder: Option<&Path>) -> Result<Files, Failure> {
    let files = match folder {
        Some(folder) => of_folder(folder)?,
        None => OWN.iter().map(|(name, bytes)| ((*name).to_owned(), Cow::Borrowed(*bytes))).collect(),
    };
    if [INDEX, MADE].iter().all(|name| files.contains_key(*name)) {
        return Ok(files);
    }
    Err(Failure::Usage(match folder {
        Some(folder) => format!("{}: the page is not complete: `bindings/wasm/build` makes it", text::name_of(folder)),
        None => {
            "this command was built without the files of the page: give their folder with --files (in the sources: \
                 `bindings/wasm/build`, then `--files bindings/wasm/playground`), or `page --url URL` for words"
                .into()
        }
    }))
}

fn of_folder(folder: &Path) -> Result<Files, Failure> {
    let failed = |error: &dyn std::fmt::Display| Failure::Usage(format!("{}: {error}", text::name_of(folder)));
    let mut files = Files::new();
    let mut left = MAX_BYTES;
    for entry in WalkDir::new(folder) {
        let entry = entry.map_err(|error| failed(&error))?;
        if !entry.file_type().is_file() {
            continue;
        }
        let size = entry.metadata().map_err(|error| failed(&error))?.len();
        left = left.checked_sub(size).ok_or_else(|| failed(&"more than 64 MiB: this is not the folder of the page"))?;
        if files.len() == MAX_FILES {
            return Err(failed(&"more than 1000 files: this is not the folder of the page"));
        }
        let name = entry.path().strip_prefix(folder).unwrap_or(entry.path()).to_string_lossy().replace('\\', "/");
        let bytes = std::fs::read(entry.path()).map_err(|error| failed(&error))?;
        files.insert(name, bytes.into());
    }
    Ok(files)
}
