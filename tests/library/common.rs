//! What several of these tests need: the files of the corpus, and numbers that look random.

use std::fs;
use std::path::{Path, PathBuf};

use robosieve::{Options, Sieve};

/// The folders of the corpus.
pub(crate) const FOLDERS: [&str; 4] = ["plain", "hazards", "wild", "regression"];

/// The paths of the files of a folder of the corpus, sorted. It is an error if there are none.
pub(crate) fn paths_of(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(folder);
    let entries = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    assert!(!paths.is_empty(), "{} is empty", folder.display());
    paths.sort();
    paths
}

/// The files of these folders of the corpus, with their paths, sorted.
pub(crate) fn corpus(folders: &[&str]) -> Vec<(PathBuf, Vec<u8>)> {
    let mut paths: Vec<PathBuf> = folders.iter().flat_map(|folder| paths_of(folder)).collect();
    paths.sort();
    paths.into_iter().map(|path| (path.clone(), fs::read(path).unwrap())).collect()
}

/// The name of a file without its folder.
pub(crate) fn name_of(path: &Path) -> &str {
    path.file_name().unwrap().to_str().unwrap()
}

/// The text for `MyBot` with these options.
#[track_caller]
pub(crate) fn text_with(options: Options, input: &str) -> String {
    Sieve::new(["MyBot"]).options(options).run(input.as_bytes()).unwrap().text().to_string()
}

/// Pseudo-random numbers, the same each time.
pub(crate) struct Numbers(pub(crate) u64);

impl Numbers {
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % bound
    }
}
