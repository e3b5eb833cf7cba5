//! The files of the corpus.

use std::fs;
use std::path::{Path, PathBuf};

/// Each file of the corpus. A folder that is missing or empty fails.
pub(crate) fn corpus() -> Vec<(PathBuf, Vec<u8>)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    let mut files = Vec::new();
    for folder in ["plain", "hazards", "wild", "regression"] {
        let before = files.len();
        let entries = fs::read_dir(root.join(folder)).unwrap();
        files.extend(entries.map(|entry| entry.unwrap().path()).map(|path| (path.clone(), fs::read(path).unwrap())));
        assert!(files.len() > before, "corpus/{folder} is empty");
    }
    files
}
