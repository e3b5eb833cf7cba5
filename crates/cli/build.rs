//! Lists the files of the page for browsers, for the feature `page`: those that `bindings/wasm/build` has made complete.
//!
//! Invariant: without the feature, or without the files, the list is empty. The command then says how to get the page.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

const PAGE: &str = "../../bindings/wasm/playground";
/// What the build of the page makes last.
const MADE: &str = "robosieve/robosieve.wasm";

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    let Some(out) = env::var_os("OUT_DIR") else { return Ok(()) };
    let mut list = String::new();
    if env::var_os("CARGO_FEATURE_PAGE").is_some() {
        println!("cargo::rerun-if-changed={PAGE}");
        if Path::new(PAGE).join(MADE).exists() {
            let root = fs::canonicalize(PAGE)?;
            let mut files = Vec::new();
            collect(&root, &mut files)?;
            files.sort();
            for file in files {
                let name = file.strip_prefix(&root).unwrap_or(&file).to_string_lossy().replace('\\', "/");
                // Writing to a string does not fail.
                let _ = writeln!(list, "({name:?}, include_bytes!({:?}) as &[u8]),", file.to_string_lossy());
            }
        }
    }
    fs::write(PathBuf::from(out).join("page.rs"), format!("&[\n{list}]\n"))
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_none_or(|end| end != "md") {
            files.push(path);
        }
    }
    Ok(())
}
