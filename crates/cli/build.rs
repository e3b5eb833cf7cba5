//! Puts the page for browsers into the command, for the feature `page`, if `bindings/wasm/build` has made it.
//!
//! Invariant: without the feature, or without the page, the file is empty. The command then says how to get the page.

use std::path::PathBuf;
use std::{env, fs, io};

const PAGE: &str = "../../bindings/wasm/robosieve.html";

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    if fs::exists(PAGE)? {
        println!("cargo::rerun-if-changed={PAGE}");
    }
    let Some(out) = env::var_os("OUT_DIR") else { return Ok(()) };
    let page = env::var_os("CARGO_FEATURE_PAGE").and_then(|_| fs::read(PAGE).ok()).unwrap_or_default();
    fs::write(PathBuf::from(out).join("page.html"), page)
}
