//! Instruction counts of fixed workloads, by callgrind.
//!
//! Invariant: a count is the difference between several rounds and one, so the preparation does not count. It depends
//! only on the code, the compiler and the processor's vector instructions.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::thread::{self, ScopedJoinHandle};

use robosieve::policy::Parser;
use robosieve::text::TextForm;
use robosieve::{Sieve, Tester};
use serde::{Deserialize, Serialize};

use crate::files::Files;
use crate::measure::interest;
use crate::rng::Rng;
use crate::{AGENT, SEED, hostile, urls};

/// How much worse a count may become before the command fails.
pub const TOLERANCE: f64 = 0.03;

/// The number of generated files in the workloads: about a megabyte.
const FILES: usize = 300;

/// The rounds counted.
const ROUNDS: usize = 2;

/// A workload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Workload {
    /// Files filtered for one agent, to faithful text.
    Filter,
    /// Files parsed, all groups.
    Parse,
    /// Testers made from files, with verdicts on URLs made from the same files.
    Verdicts,
    /// Hostile files filtered to portable text.
    Portable,
    /// Files below 100 bytes, each read for one agent and asked one URL.
    OneUrl100,
    /// The same below 300 bytes.
    OneUrl300,
    /// The same below 1,000 bytes.
    OneUrl1000,
}

impl Workload {
    /// All workloads, in the order of the table.
    pub const ALL: [Self; 7] =
        [Self::Filter, Self::Parse, Self::Verdicts, Self::Portable, Self::OneUrl100, Self::OneUrl300, Self::OneUrl1000];

    /// Its name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Filter => "filter",
            Self::Parse => "parse",
            Self::Verdicts => "verdicts",
            Self::Portable => "portable",
            Self::OneUrl100 => "one-url-100",
            Self::OneUrl300 => "one-url-300",
            Self::OneUrl1000 => "one-url-1000",
        }
    }

    /// The name of its unit.
    #[must_use]
    pub const fn unit(self) -> &'static str {
        match self {
            Self::Verdicts => "verdict, with its part of the tester",
            Self::Filter | Self::Parse | Self::Portable => "byte",
            Self::OneUrl100 | Self::OneUrl300 | Self::OneUrl1000 => "file, with its verdict",
        }
    }

    /// The workload of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|workload| workload.as_str() == name)
    }

    /// Prepares the workload, runs it this often, and returns the units of a round.
    ///
    /// # Errors
    /// If the folder can't be read.
    pub fn run(self, wild: Option<&Path>, rounds: usize) -> std::io::Result<usize> {
        let files = match wild {
            Some(folder) => Files::of_folder(folder)?,
            None => Files::generated(FILES),
        };
        let contents = &files.contents;
        let sieve = Sieve::new([AGENT]);
        let text = |sieve: &Sieve, file: &Vec<u8>| sieve.run(file).map_or(0, |sieved| sieved.text().as_str().len());
        Ok(match self {
            Self::Filter => {
                repeat(rounds, || contents.iter().map(|file| text(&sieve, file)).sum());
                files.bytes()
            }
            Self::Parse => {
                let parser = Parser::default();
                repeat(rounds, || contents.iter().map(|file| parser.parse(file).records().len()).sum());
                files.bytes()
            }
            Self::Verdicts => verdicts(contents, rounds),
            Self::OneUrl100 => one_url(contents, 100, rounds),
            Self::OneUrl300 => one_url(contents, 300, rounds),
            Self::OneUrl1000 => one_url(contents, 1_000, rounds),
            Self::Portable => {
                let sieve = sieve.form(TextForm::Portable);
                let chosen =
                    ["overlapping stars, both kinds", "periodic stars, both kinds", "stars", "rules at random"];
                let mut families = hostile::families(100_000);
                families.retain(|family| chosen.contains(&family.name));
                repeat(rounds, || families.iter().map(|family| text(&sieve, &family.file)).sum());
                families.iter().map(|family| family.file.len()).sum()
            }
        })
    }
}

fn verdicts(files: &[Vec<u8>], rounds: usize) -> usize {
    let (parser, interest, mut rng) = (Parser::default(), interest(), Rng::new(SEED));
    let asked: Vec<_> = files.iter().map(|file| (parser.parse(file), urls::of_file(file, 10, &mut rng))).collect();
    repeat(rounds, || {
        let ask = |(set, urls): &(_, Vec<String>)| {
            let tester = Tester::new(set, &interest);
            urls.iter().filter(|url| tester.test(url.as_bytes()).allowed()).count()
        };
        asked.iter().map(ask).sum()
    });
    asked.iter().map(|(_, urls)| urls.len()).sum()
}

fn one_url(files: &[Vec<u8>], below: usize, rounds: usize) -> usize {
    let (sieve, mut rng) = (Sieve::new([AGENT]), Rng::new(SEED));
    let small = files.iter().filter(|file| file.len() < below).enumerate();
    let asked: Vec<_> = small
        .filter_map(|(place, file)| {
            let mut urls = urls::of_file(file, 4, &mut rng);
            (!urls.is_empty()).then(|| (file, urls.swap_remove(place % urls.len())))
        })
        .collect();
    repeat(rounds, || {
        asked.iter().filter(|(file, url)| sieve.test(file, url).is_ok_and(|answer| answer.allowed())).count()
    });
    asked.len()
}

fn repeat(rounds: usize, mut run: impl FnMut() -> usize) {
    for _ in 0..rounds {
        std::hint::black_box(run());
    }
}

/// A workload's count.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Count {
    /// Instructions of a round.
    pub instructions: u64,
    /// Units of a round: bytes, or verdicts.
    pub units: u64,
    /// Instructions per unit, for people.
    pub per_unit: f64,
}

/// The counts, with what they depend on besides the code.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Counts {
    /// The output of `rustc --version`.
    pub compiler: String,
    /// The processor's architecture, and the vector instructions that libraries detect at run time.
    pub processor: String,
    /// The workloads.
    pub workloads: BTreeMap<String, Count>,
}

impl Counts {
    /// Counts all workloads, at the same time: a count does not depend on what else runs. Takes some seconds.
    ///
    /// # Errors
    /// If valgrind is missing or fails.
    pub fn take(wild: Option<&Path>) -> Result<Self, String> {
        let counted = |workload: Workload| Ok((workload.as_str().into(), count(workload, wild)?));
        let workloads = thread::scope(|scope| {
            let running = Workload::ALL.map(|workload| scope.spawn(move || counted(workload)));
            let joined = |run: ScopedJoinHandle<'_, _>| run.join().map_err(|_| String::from("a count panicked"))?;
            running.into_iter().map(joined).collect::<Result<_, String>>()
        })?;
        Ok(Self { compiler: compiler(), processor: processor(), workloads })
    }

    /// Whether counts can be compared: same compiler and same kind of processor.
    #[must_use]
    pub fn comparable(&self, other: &Self) -> bool {
        self.compiler == other.compiler && self.processor == other.processor
    }

    /// For each workload that both have: its name, and the fraction by which it is worse than `before`.
    pub fn changes<'s>(&'s self, before: &'s Self) -> impl Iterator<Item = (&'s str, f64)> {
        self.workloads.iter().filter_map(|(name, now)| {
            let before = before.workloads.get(name)?;
            Some((name.as_str(), now.per_unit / before.per_unit - 1.0))
        })
    }

    /// Whether a workload became worse by more than [`TOLERANCE`], or was not counted before.
    #[must_use]
    pub fn is_worse_than(&self, before: &Self) -> bool {
        self.changes(before).any(|(_, change)| change > TOLERANCE)
            || self.workloads.keys().any(|name| !before.workloads.contains_key(name))
    }
}

/// Counts a workload, on the real files of a folder if one is given.
///
/// # Errors
/// If valgrind is missing or fails.
pub fn count(workload: Workload, wild: Option<&Path>) -> Result<Count, String> {
    let (once, _) = callgrind(workload, wild, 1)?;
    let (more, units) = callgrind(workload, wild, 1 + ROUNDS)?;
    let instructions = more.saturating_sub(once) / u64::try_from(ROUNDS).unwrap_or(1);
    let per_unit = (instructions as f64 / units as f64 * 1000.0).round() / 1000.0;
    Ok(Count { instructions, units, per_unit })
}

/// The instructions of this program for a workload, and the units of a round.
fn callgrind(workload: Workload, wild: Option<&Path>, rounds: usize) -> Result<(u64, u64), String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut run = Command::new("valgrind");
    run.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]).arg(program).env_remove("ROBOSIEVE_WILD");
    run.args(["workload", workload.as_str(), &rounds.to_string()]).args(wild);
    let output = run
        .output()
        .map_err(|error| format!("valgrind: {error}; install it, on Debian with: apt-get install valgrind"))?;
    let (out, log) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let collected = log.lines().find_map(|line| line.split_once("Collected :")?.1.trim().parse().ok());
    let units = out.trim().parse().ok();
    collected.zip(units).ok_or_else(|| format!("valgrind: {}: {}", output.status, log.trim()))
}

fn compiler() -> String {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(rustc).arg("--version").output();
    output.map_or_else(|_| "unknown".into(), |output| String::from_utf8_lossy(&output.stdout).trim().into())
}

fn processor() -> String {
    #[cfg(target_arch = "x86_64")]
    let vectors = if std::is_x86_feature_detected!("avx2") { " with AVX2" } else { " without AVX2" };
    #[cfg(not(target_arch = "x86_64"))]
    let vectors = "";
    format!("{}{vectors}", std::env::consts::ARCH)
}
