//! The command: measures, and prints a table or JSON, draws a picture, rewrites the README's part; or counts instructions.
//!
//! Invariant: the standard output has the result and nothing else. Exit codes: 0 done, 1 instructions got worse, 2 usage or
//! failure.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};
use robosieve_bench::files::Files;
use robosieve_bench::instructions::{self, Counts, TOLERANCE, Workload};
use robosieve_bench::measure::Effort;
use robosieve_bench::results::Results;
use robosieve_bench::{allocations, plot, readme, table};

/// The committed counts, in the repository.
const COUNTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/instructions.json");
/// The README with the marked part.
const README: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../README.md");
/// The README's picture, and how the README calls it.
const PLOT: (&str, &str) = (concat!(env!("CARGO_MANIFEST_DIR"), "/speed.svg"), "bench/speed.svg");

/// Measures robosieve beside other parsers, and beside floors that none can pass.
///
/// All is timed in turn in one run, as CPU time of one thread; medians of rounds count. A full run takes some two minutes, and wants
/// a release build.
#[derive(Debug, Parser)]
#[command(args_conflicts_with_subcommands = true)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    measuring: Measuring,
}

#[derive(Debug, Args)]
// Each is a switch of its own.
#[allow(clippy::struct_excessive_bools)]
struct Measuring {
    /// A folder of robots.txt files; without it, generated files of the same sizes.
    #[arg(long, value_name = "FOLDER", env = "ROBOSIEVE_WILD")]
    wild: Option<PathBuf>,
    /// Prints one JSON object instead of tables.
    #[arg(long)]
    json: bool,
    /// Writes the speeds as a picture too.
    #[arg(long, value_name = "FILE.svg")]
    plot: Option<PathBuf>,
    /// Rewrites the marked part of README.md, and bench/speed.svg.
    #[arg(long)]
    readme: bool,
    /// Counts instructions per octet too; needs valgrind.
    #[arg(long)]
    instructions: bool,
    /// Fewer rounds, for a first look.
    #[arg(long)]
    quick: bool,
    /// Next to nothing, to see that all works.
    #[arg(long, hide = true, conflicts_with = "quick")]
    tiny: bool,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Counts the instructions of four fixed workloads under callgrind, and compares them with bench/instructions.json.
    Instructions {
        /// Counts on a folder of robots.txt files instead, and compares with nothing.
        #[arg(long, value_name = "FOLDER")]
        wild: Option<PathBuf>,
        /// Writes the counts to bench/instructions.json.
        #[arg(long, conflicts_with = "wild")]
        update: bool,
    },
    /// Runs a workload, to be counted.
    #[command(hide = true)]
    Workload { name: String, rounds: usize, wild: Option<PathBuf> },
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let done = match arguments.command {
        None => measure(&arguments.measuring).map(|()| true),
        Some(Command::Instructions { wild, update }) => count(wild.as_deref(), update),
        Some(Command::Workload { name, rounds, wild }) => workload(&name, rounds, wild.as_deref()).map(|()| true),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            eprintln!("robosieve-bench: {error}");
            ExitCode::from(2)
        }
    }
}

fn measure(arguments: &Measuring) -> Result<(), String> {
    let effort = match arguments {
        Measuring { tiny: true, .. } => Effort::TINY,
        Measuring { quick: true, .. } => Effort::QUICK,
        _ => Effort::FULL,
    };
    let wild = arguments.wild.as_deref();
    let files = match wild {
        Some(folder) => Files::of_folder(folder).map_err(|error| error.to_string())?,
        None => Files::generated(effort.files),
    };
    if arguments.readme {
        // Better now than after minutes.
        readme_with("")?;
    }
    let results = Results::measure(&files, &effort, |what| eprintln!("robosieve-bench: {what}"));
    let allocations = allocations::count(wild, effort.files)
        .inspect_err(|error| eprintln!("robosieve-bench: allocations were not counted: {error}"));
    let instructions = if arguments.instructions { Some(instructions::count(Workload::Filter, wild)?) } else { None };
    let results = results.with_counts(allocations.ok(), instructions.map(|count| count.per_unit));
    if let Some(path) = &arguments.plot {
        write(path, &plot::svg(&results))?;
    }
    if arguments.readme {
        write(Path::new(PLOT.0), &plot::svg(&results))?;
        write(Path::new(README), &readme_with(&table::readme(&results, PLOT.1))?)?;
    }
    if arguments.json {
        println!("{}", serde_json::to_string(&results).map_err(|error| error.to_string())?);
    } else {
        print!("{}", table::all(&results));
    }
    Ok(())
}

fn readme_with(part: &str) -> Result<String, String> {
    let text = fs::read_to_string(README).map_err(|error| format!("README.md: {error}"))?;
    readme::replaced(&text, part).ok_or_else(|| format!("README.md lacks {} and {}", readme::BEGIN, readme::END))
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
}

/// False if a workload got worse.
fn count(wild: Option<&Path>, update: bool) -> Result<bool, String> {
    let counts = Counts::take(wild)?;
    println!("{}, {}", counts.compiler, counts.processor);
    for (name, count) in &counts.workloads {
        let unit = Workload::named(name).map_or("", Workload::unit);
        println!("{name:<10} {:>12} instructions, {:>9.2} per {unit}", count.instructions, count.per_unit);
    }
    if update {
        let text = serde_json::to_string_pretty(&counts).map_err(|error| error.to_string())?;
        write(Path::new(COUNTS), &(text + "\n"))?;
        println!("written to bench/instructions.json");
        return Ok(true);
    }
    if wild.is_some() {
        return Ok(true);
    }
    let text = fs::read_to_string(COUNTS).map_err(|error| format!("bench/instructions.json: {error}"))?;
    let before: Counts = serde_json::from_str(&text).map_err(|error| format!("bench/instructions.json: {error}"))?;
    Ok(compared(&counts, &before))
}

fn compared(counts: &Counts, before: &Counts) -> bool {
    println!();
    for (name, change) in counts.changes(before) {
        let note = match change {
            worse if worse > TOLERANCE => "  WORSE",
            better if better < -TOLERANCE => "  better: bench/instructions --update keeps it",
            _ => "",
        };
        println!("{name:<10} {:>+7.2} % against bench/instructions.json{note}", change * 100.0);
    }
    if !counts.comparable(before) {
        println!("not comparable: bench/instructions.json was made with {}, {}.", before.compiler, before.processor);
        println!("Nothing fails. Run bench/instructions --update on the commit before yours, and then on yours.");
        return true;
    }
    let is_worse = counts.is_worse_than(before);
    if is_worse {
        println!("More than {:.0} % worse, or a new workload. If that is the price of something:", TOLERANCE * 100.0);
        println!("bench/instructions --update, and say so in the commit.");
    }
    !is_worse
}

fn workload(name: &str, rounds: usize, wild: Option<&Path>) -> Result<(), String> {
    let workload = Workload::named(name).ok_or_else(|| format!("no workload is called {name}"))?;
    println!("{}", workload.run(wild, rounds).map_err(|error| error.to_string())?);
    Ok(())
}
