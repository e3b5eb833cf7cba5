//! Parsers in C++, each in a program of its own that is built here from a checkout of its authors.
//!
//! Invariant: a program that is not there is left out, and a line says so. What one measures is CPU time of its own.

use std::ffi::OsStr;
use std::io::{BufRead as _, BufReader, Write as _};
use std::ops::Range;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use crate::AGENT;
use crate::urls::Case;

/// The program's source.
const SOURCE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/cpp.cc");

/// The parsers: the variable with the path of a checkout, the name in tables, and packages that it needs.
pub const PEERS: [(&str, &str, &[&str]); 2] =
    [("GOOGLE_ROBOTSTXT", "google/robotstxt", &["absl_strings"]), ("NZRSKY_ROBOTSTXT", "nzrsky/robotstxt", &[])];

/// A parser's program, which runs until it is dropped.
pub struct Program {
    /// The parser's name.
    pub name: &'static str,
    child: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Program {
    /// Builds the program of a checkout in a folder, and starts it.
    ///
    /// # Errors
    /// If the compiler fails.
    pub fn start(name: &'static str, checkout: &Path, packages: &[&str], folder: &Path) -> Result<Self, String> {
        let program = folder.join(name.replace('/', "-"));
        let mut build = Command::new("c++");
        build.args(["-O3", "-DNDEBUG", "-std=c++20", "-w", "-I"]).arg(checkout).arg(SOURCE);
        build.arg(checkout.join("robots.cc")).arg("-o").arg(&program);
        if !packages.is_empty() {
            build.args(output("pkg-config", ["--cflags", "--libs"].iter().chain(packages))?.split_whitespace());
        }
        let done = build.output().map_err(|error| format!("c++: {error}"))?;
        if !done.status.success() {
            return Err(format!("{name}: {}", String::from_utf8_lossy(&done.stderr)));
        }
        let mut command = Command::new(&program);
        command.arg(AGENT).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().map_err(|error| format!("{name}: {error}"))?;
        let (Some(requests), Some(answers)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(format!("{name}: no pipes"));
        };
        Ok(Self { name, child, requests, answers: BufReader::new(answers) })
    }

    /// Those whose checkout a variable names. Others are left out with a line.
    ///
    /// # Errors
    /// If one that is named can't be built.
    pub fn all(folder: &Path) -> Result<Vec<Self>, String> {
        let mut programs = Vec::new();
        for (variable, name, packages) in PEERS {
            match std::env::var_os(variable) {
                Some(checkout) => programs.push(Self::start(name, Path::new(&checkout), packages, folder)?),
                None => eprintln!("robosieve-bench: {variable} names no checkout, so {name} is left out"),
            }
        }
        Ok(programs)
    }

    /// Gives it the files and their URLs.
    ///
    /// # Errors
    /// If the program ended.
    pub fn read(&mut self, cases: &[Case<'_>]) -> Result<(), String> {
        let mut bytes = Vec::new();
        let number = |bytes: &mut Vec<u8>, number: usize| bytes.extend(format!("{number}\n").into_bytes());
        number(&mut bytes, cases.len());
        for case in cases {
            number(&mut bytes, case.urls.len());
            for part in [case.file].into_iter().chain(case.urls.iter().map(String::as_bytes)) {
                number(&mut bytes, part.len());
                bytes.extend(part);
            }
        }
        self.requests.write_all(&bytes).map_err(|error| format!("{}: {error}", self.name))
    }

    /// The CPU seconds to read the files of these sizes, for this number of URLs; NaN if the program ended.
    pub fn seconds(&mut self, sizes: &Range<usize>, urls: usize) -> f64 {
        let mut line = String::new();
        let asked =
            writeln!(self.requests, "{} {} {urls}", sizes.start, sizes.end).and_then(|()| self.requests.flush());
        let answered = asked.and_then(|()| self.answers.read_line(&mut line));
        answered.ok().and_then(|_| line.trim().parse().ok()).unwrap_or(f64::NAN)
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn output(program: &str, arguments: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Result<String, String> {
    let output = Command::new(program).args(arguments).output().map_err(|error| format!("{program}: {error}"))?;
    if !output.status.success() {
        return Err(format!("{program}: {}", String::from_utf8_lossy(&output.stderr)));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
