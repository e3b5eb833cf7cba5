//! Parts of files that are made.
//!
//! A part begins after a line with `made from` and its source, and ends before one with `end of it`. It is compared; with
//! `UPDATE=1` it is written.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// The widest line.
const WIDTH: usize = 120;

pub(crate) fn path(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(file)
}

pub(crate) fn read(file: &str) -> String {
    fs::read_to_string(path(file)).unwrap()
}

/// Compares the parts of a file that are made from this source, in order, or writes them.
pub(crate) fn expect(file: &str, source: &str, parts: &[String]) {
    let is = read(file);
    let (mut made, mut parts) = (String::new(), parts.iter());
    let mut is_inside = false;
    for line in is.split_inclusive('\n') {
        is_inside &= !line.contains("end of it");
        if !is_inside {
            made.push_str(line);
        }
        if line.contains(&format!("made from the {source}")) {
            is_inside = true;
            made.push_str(parts.next().unwrap());
        }
    }
    assert!(parts.next().is_none() && !is_inside, "{file} has another number of parts");
    if std::env::var_os("UPDATE").is_some() {
        return fs::write(path(file), &made).unwrap();
    }
    assert!(made == is, "{file}: run the test with UPDATE=1");
}

/// One paragraph, wrapped.
pub(crate) fn wrapped(text: &str, first: &str, next: &str) -> String {
    let (mut out, mut line) = (String::new(), first.to_owned());
    for word in text.split(' ') {
        if line.len() + 1 + word.len() > WIDTH {
            writeln!(out, "{}", line.trim_end()).unwrap();
            next.clone_into(&mut line);
        } else if !line.trim_end().is_empty() && line != first {
            line.push(' ');
        }
        line.push_str(word);
    }
    out + &line + "\n"
}
