//! Parsers in C++, each in a program of its own that is built here from a checkout of its authors.
//!
//! Invariant: a checkout that no variable names is left out, and a line says so. A program measures its own CPU time.

use std::error::Error;
use std::io::{BufRead as _, BufReader, Write as _};
use std::ops::Range;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use crate::AGENT;
use crate::files::Case;

/// The parsers: the variable with the path of a checkout, the name in tables, and what else the compiler needs.
const PEERS: [(&str, &str, &str); 2] = [
    ("GOOGLE_ROBOTSTXT", "google/robotstxt", "$(pkg-config --cflags --libs absl_strings)"),
    ("NZRSKY_ROBOTSTXT", "nzrsky/robotstxt", ""),
];

/// A parser's program, which runs until it is dropped.
pub struct Program {
    /// The parser's name.
    pub name: &'static str,
    child: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Program {
    /// Builds and starts those whose checkout a variable names, and gives them the files and their URLs.
    ///
    /// # Errors
    /// If one that is named can't be built or started.
    pub fn all(cases: &[Case], folder: &Path) -> Result<Vec<Self>, Box<dyn Error>> {
        let mut programs = Vec::new();
        for (variable, name, more) in PEERS {
            match std::env::var(variable) {
                Ok(checkout) => programs.push(Self::start(name, &checkout, more, folder, cases)?),
                Err(_) => eprintln!("robosieve-bench: {variable} names no checkout, so {name} is left out"),
            }
        }
        Ok(programs)
    }

    fn start(
        name: &'static str,
        checkout: &str,
        more: &str,
        folder: &Path,
        cases: &[Case],
    ) -> Result<Self, Box<dyn Error>> {
        let (source, program) =
            (concat!(env!("CARGO_MANIFEST_DIR"), "/src/cpp.cc"), folder.join(name.replace('/', "-")));
        let line = format!("c++ -O3 -DNDEBUG -std=c++20 -w -I \"$0\" \"$1\" \"$0/robots.cc\" -o \"$2\" {more}");
        let built = Command::new("sh").args(["-c", &line, checkout, source]).arg(&program).output()?;
        if !built.status.success() {
            return Err(format!("{name}: {}", String::from_utf8_lossy(&built.stderr)).into());
        }
        let mut child = Command::new(&program).arg(AGENT).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let (requests, answers) = child.stdin.take().zip(child.stdout.take()).ok_or("no pipes")?;
        let mut started = Self { name, child, requests, answers: BufReader::new(answers) };
        writeln!(started.requests, "{}", cases.len())?;
        for case in cases {
            writeln!(started.requests, "{}", case.urls.len())?;
            for part in [&case.file[..]].into_iter().chain(case.urls.iter().map(String::as_bytes)) {
                writeln!(started.requests, "{}", part.len())?;
                started.requests.write_all(part)?;
            }
        }
        Ok(started)
    }

    /// The CPU seconds to read the files of these sizes, for this number of URLs; NaN if the program ended.
    pub fn seconds(&mut self, sizes: Range<usize>, urls: usize) -> f64 {
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
