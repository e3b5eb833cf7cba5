//! The command: us and the peers in turn, as ratios by size of file.
//!
//! Invariant: the standard output has only the result. Exit codes: 0 success, 2 usage error or failure.
#![allow(clippy::cast_precision_loss, clippy::arithmetic_side_effects, reason = "a benchmark may overflow")]

use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use robosieve_bench::cpp::Program;
use robosieve_bench::files::{Case, cases};
use robosieve_bench::parsers::{Question, is_read, runners};
use robosieve_bench::race::race;
use robosieve_bench::workloads;

/// Files of fewer bytes than this, and at least as many as the bound before it. The last class has no bound.
const BOUNDS: [usize; 5] = [100, 300, 1_000, 3_000, 20_000];
const QUESTIONS: [(Question, &str); 3] =
    [(Question::Parse, "parse"), (Question::Urls(1), "one URL"), (Question::Urls(5), "5 URLs")];
/// The number of generated files in a workload: about a megabyte.
const WORKLOAD_FILES: usize = 300;

/// Compares robosieve with other parsers, in CPU time of one thread. Needs a release build, and a machine that does
/// nothing else.
#[derive(Debug, Parser)]
#[command(args_conflicts_with_subcommands = true)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
    /// A folder of robots.txt files. Without it, files of the same sizes are generated.
    #[arg(long, value_name = "FOLDER", env = "ROBOSIEVE_WILD")]
    wild: Option<PathBuf>,
    /// How often each parser runs.
    #[arg(long, default_value_t = 21)]
    rounds: usize,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Runs a workload while callgrind counts.
    #[command(hide = true)]
    Workload { name: String, rounds: usize },
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let done = match &arguments.command {
        None => measure(&arguments),
        Some(Command::Workload { name, rounds }) => workload(name, *rounds),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("robosieve-bench: {error}");
            ExitCode::from(2)
        }
    }
}

fn workload(name: &str, rounds: usize) -> Result<(), Box<dyn Error>> {
    println!("{}", workloads::run(name, &cases(None, WORKLOAD_FILES)?, rounds)?);
    Ok(())
}

fn measure(arguments: &Arguments) -> Result<(), Box<dyn Error>> {
    // Peers panic on some files.
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let all = cases(arguments.wild.as_deref(), 2111)?;
    let read: Vec<Case> = all.iter().filter(|case| is_read(case)).cloned().collect();
    std::panic::set_hook(hook);
    let folder = tempfile::tempdir()?;
    let mut others = Program::all(&read, folder.path())?;
    println!("{} files, of which all parsers read {}. Times divided by robosieve's.", all.len(), read.len());
    for (question, asked) in QUESTIONS {
        let mut is_first = true;
        let bounds = BOUNDS.into_iter().map(Some).chain([None]);
        for (from, below) in [0].into_iter().chain(BOUNDS).zip(bounds).chain([(0, None)]) {
            let of_class = |case: &&Case| case.file.len() >= from && below.is_none_or(|below| case.file.len() < below);
            let class: Vec<&Case> = read.iter().filter(of_class).collect();
            if class.is_empty() {
                continue;
            }
            let found = race(&mut runners(&class, question, &mut others), arguments.rounds);
            if is_first {
                let names: Vec<&str> = found.iter().skip(1).map(|it| it.name).collect();
                println!("\n| {asked}: bytes | files | robosieve, ns a file | {} |", names.join(" | "));
                println!("|---|---:|{}", "---:|".repeat(found.len()));
                is_first = false;
            }
            let size = match below {
                Some(below) => format!("below {below}"),
                None if from == 0 => "all".into(),
                None => "longer".into(),
            };
            let ours = found.first().map_or(f64::NAN, |it| it.seconds * 1e9 / class.len() as f64);
            let ratios: Vec<String> = found.iter().skip(1).map(|it| format!("{:.2}", it.ratio)).collect();
            println!("| {size} | {} | {ours:.0} | {} |", class.len(), ratios.join(" | "));
        }
    }
    Ok(())
}
